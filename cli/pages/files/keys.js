// keys.js - keys that move through the rows and pages of a table
//
// j and k: next and previous row; n and p: next and previous page of rows; /: filter; ?: a
// list of all keys.

import { el } from '/assets/dom.js';

function moveRow(step) {
  const links = [...document.querySelectorAll('table.rows tbody tr')].map(row => row.querySelector('a')).filter(Boolean);
  const at = links.indexOf(document.activeElement);
  const to = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  if (!to) return;
  to.focus();
  to.scrollIntoView({ block: 'nearest' });
}

const descriptions = [
  ['j', 'next row'], ['k', 'previous row'], ['Enter', 'open the row'], ['n', 'next page of rows, or next slice found'],
  ['p', 'previous page of rows, or previous slice found'], ['/', 'filter or search; Escape leaves the field'],
  ['arrow keys', 'move through the map, or the timeline'], ['+ and -', 'size of the fields of the map'],
  ['w, s, a, d, 0', 'zoom and move the timeline; 0 shows all of it'], ['?', 'show these keys'],
];

function showHelp() {
  let help = document.getElementById('keys');
  if (!help) {
    help = el('dialog', { id: 'keys', 'aria-label': 'Keys' }, el('h2', {}, 'Keys'),
      el('dl', { class: 'facts' }, descriptions.map(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)])),
      el('form', { method: 'dialog' }, el('button', {}, 'Close')));
    document.body.append(help);
  }
  if (!help.open) help.showModal();
}

const actions = {
  '?': showHelp,
  j: () => moveRow(1),
  k: () => moveRow(-1),
  n: () => document.querySelector('[data-page=next]:not(:disabled)')?.click(),
  p: () => document.querySelector('[data-page=before]:not(:disabled)')?.click(),
  '/': () => document.querySelector('input[type=search]')?.focus(),
};

export function openKeys() {
  document.getElementById('help').addEventListener('click', showHelp);
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') document.activeElement?.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });
}
