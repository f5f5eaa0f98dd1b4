// keys.js - keys that move through the rows and pages of a table
//
// j and k: next and previous row; n and p: next and previous page of rows; /: filter.

function moveRow(step) {
  const links = [...document.querySelectorAll('table.rows tbody tr')].map(row => row.querySelector('a')).filter(Boolean);
  const at = links.indexOf(document.activeElement);
  const to = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  if (!to) return;
  to.focus();
  to.scrollIntoView({ block: 'nearest' });
}

const actions = {
  j: () => moveRow(1),
  k: () => moveRow(-1),
  n: () => document.querySelector('[data-page=next]:not(:disabled)')?.click(),
  p: () => document.querySelector('[data-page=before]:not(:disabled)')?.click(),
  '/': () => document.querySelector('input[type=search]')?.focus(),
};

export function openKeys() {
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') document.activeElement?.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });
}
