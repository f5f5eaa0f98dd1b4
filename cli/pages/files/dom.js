// dom.js - creates elements, and formats values for people
//
// Texts become text nodes, never markup: names of jobs and kernels come from outside.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, fn] of Object.entries(value)) node.addEventListener(event, fn);
    } else if (value !== undefined && value !== null && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}

// The same for a drawing; `on` is not used there.
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}

export function link(href, ...children) {
  return el('a', { href }, ...children);
}

export function state(word) {
  return el('span', { class: `state ${word}` }, word);
}

export function simulatedTag() {
  return el('span', { class: 'tag', title: 'Figures of the simulated NPU' }, 'simulated');
}

export function errorBox(error) {
  return el('p', { class: 'error', role: 'alert' }, error.message);
}

export function facts(entries) {
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of entries) {
    if (value === '' || value === null || value === undefined) continue;
    list.append(el('dt', {}, name), el('dd', {}, value));
  }
  return list;
}

// A text that is no error: why a part of a page is empty, and what to do.
export function note(...children) {
  return el('p', { class: 'hint' }, ...children);
}

// A table that the server does not sort. columns: [label, kind, show(row)].
export function smallTable(id, columns, list) {
  return el('div', { class: 'scroll box' }, el('table', { class: 'rows', id },
    el('thead', {}, el('tr', {}, columns.map(([label, kind]) => el('th', { class: kind, scope: 'col' }, el('button', { type: 'button', disabled: true }, label))))),
    el('tbody', {}, list.map(row => el('tr', {}, columns.map(([, kind, show]) => el('td', { class: kind }, show(row) ?? '')))))));
}

const whole = new Intl.NumberFormat('en');
const fraction = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

export function number(value) {
  if (value === null || value === undefined) return '-';
  return Number.isInteger(value) ? whole.format(value) : fraction.format(value);
}

// Times are nanoseconds since 1970 as text, because a number in JavaScript loses digits.
export function time(ns) {
  if (!ns || ns === '0') return '-';
  const date = new Date(Number(BigInt(ns) / 1000000n));
  const two = n => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 1000);
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}
