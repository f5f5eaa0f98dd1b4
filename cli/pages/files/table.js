// table.js - a table whose rows the server sorts, filters and divides into pages
//
// The state of the table is in the address of the page, so that a link shows the same rows.

import { el, errorBox, number } from '/assets/dom.js';
import { newestOf, rows } from '/assets/api.js';

const PAGE = 100;

function addressState(name) {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries([...query].filter(([key]) => key.startsWith(name + '.'))
    .map(([key, value]) => [key.slice(name.length + 1), value]));
}

function keepState(name, state) {
  const query = new URLSearchParams(location.search);
  for (const key of [...query.keys()]) if (key.startsWith(name + '.')) query.delete(key);
  for (const [key, value] of Object.entries(state)) if (value) query.set(`${name}.${key}`, value);
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text ? '?' + text : ''));
}

// columns: [{name, label, kind: 'text' | 'number', show(row), filter, sort, live}]; `name` is
// that of the API.
// fixed: parameters of every request. prepare(rows): called before the rows are drawn.
// Returns {node, refresh}.
export function dataTable({ name, path, columns, fixed = {}, sort = '', empty = 'no rows', prepare }) {
  const state = { sort, ...addressState(name) }, readRows = newestOf(rows);
  const body = el('tbody');
  const count = el('span', { class: 'count' });
  const message = el('div');
  const before = el('button', { type: 'button', 'data-page': 'before', on: { click: () => turn(-PAGE) } }, '‹ previous');
  const next = el('button', { type: 'button', 'data-page': 'next', on: { click: () => turn(PAGE) } }, 'next ›');
  const column = el('select', { 'aria-label': 'Column to filter' },
    columns.filter(c => c.filter !== false).map(c => el('option', { value: c.name }, c.label)));
  const pattern = el('input', { type: 'search', placeholder: 'filter, such as fail*', 'aria-label': 'Pattern' });
  const heads = columns.map(head);
  const scroll = el('div', { class: 'scroll box' }, el('table', { class: 'rows' }, el('thead', {}, el('tr', {}, heads)), body));
  const node = el('div', {}, el('div', { class: 'controls' }, column, pattern, count,
    el('span', { class: 'pages' }, before, next)), message, scroll);
  let shown = '', timer = 0;

  if (state.column) column.value = state.column;
  pattern.value = state.pattern ?? '';
  pattern.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 200);
  });
  column.addEventListener('change', filter);

  function head(c) {
    const button = el('button', { type: 'button', disabled: c.sort === false, on: { click: () => sortBy(c) } }, c.label);
    return el('th', { class: c.kind, scope: 'col', 'data-name': c.name }, button);
  }

  function filter() {
    state.column = pattern.value ? column.value : '';
    state.pattern = pattern.value;
    state.after = '';
    update();
  }

  function sortBy(c) {
    const up = c.name, down = '-' + c.name;
    const first = c.kind === 'number' ? down : up;
    state.sort = state.sort === first ? (first === up ? down : up) : first;
    state.after = '';
    update();
  }

  function turn(step) {
    state.after = String(Math.max(0, Number(state.after || 0) + step) || '');
    update();
  }

  function update() {
    keepState(name, { ...state, sort: state.sort === sort ? '' : state.sort });
    return refresh();
  }

  async function refresh() {
    const wanted = { ...fixed, limit: PAGE, sort: state.sort, after: state.after };
    const text = pattern.value;
    if (text) wanted[column.value] = /[*?|[]/.test(text) ? text : `*${text}*`;
    try {
      const answer = await readRows(path, wanted);
      message.replaceChildren();
      draw(answer);
      return answer;
    } catch (error) {
      message.replaceChildren(errorBox(error));
      return null;
    }
  }

  function draw({ rows, total }) {
    const after = Number(state.after || 0);
    prepare?.(rows);
    const live = columns.filter(c => c.live); // its texts change while the rows stay
    const key = JSON.stringify([rows, state, rows.map(row => live.map(c => c.show(row)))]);
    const last = after + rows.length;
    count.textContent = total === 0 ? empty
      : total <= PAGE ? `${number(total)} ${total === 1 ? 'row' : 'rows'}`
      : `${number(after + 1)} to ${number(last)} of ${number(total)} rows`;
    column.hidden = pattern.hidden = scroll.hidden = total === 0 && !pattern.value;
    before.hidden = next.hidden = total <= PAGE && after === 0;
    before.disabled = after === 0;
    next.disabled = last >= total;
    heads.forEach((th, i) => {
      const c = columns[i].name;
      if (state.sort === c) th.setAttribute('aria-sort', 'ascending');
      else if (state.sort === '-' + c) th.setAttribute('aria-sort', 'descending');
      else th.removeAttribute('aria-sort');
    });
    if (key === shown) return; // the same rows: the focus stays
    shown = key;
    body.replaceChildren(...rows.map(row => el('tr', {}, columns.map(c => {
      const value = c.show ? c.show(row) : c.kind === 'number' ? number(row[c.name]) : row[c.name];
      const cell = el('td', { class: c.kind }, value ?? '');
      if (typeof value === 'string' && value.length > 40) cell.title = value;
      return cell;
    }))));
  }

  return { node, refresh, failed: () => message.hasChildNodes() };
}
