// heat.js - the map of points and cards of a job, drawn on a canvas
//
// The server computes one median for each field and sends a page of rows, so the map of
// 10,000 points needs one request. Colours show the distance of a field to the median of
// its row.

import { newestOf, readDocument, readWithTotal } from '/assets/api.js';
import { el, errorBox, number, simulatedTag } from '/assets/dom.js';

const PAGE = 200, LINE_BASE = 20, LETTER = 6.6, HEAD_MOST = 120;
const ZOOMS = [0.5, 1, 1.5, 2, 3, 4], TEXT_CELL = 44; // fields of this width have their value as text

function color(style, change) {
  if (change === null) return style.getPropertyValue('--line');
  const most = 0.1; // 10 % and more have the full colour
  const share = Math.min(1, Math.abs(change) / most) * 90;
  const base = style.getPropertyValue(change > 0 ? '--slow' : '--fast');
  return `color-mix(in oklab, ${base} ${share.toFixed(0)}%, ${style.getPropertyValue('--bg')})`;
}

export function heatMap(id) {
  const readMap = newestOf(readWithTotal);
  const query = new URLSearchParams(location.search);
  const state = { metric: query.get('metric') ?? '', kernel: query.get('kernel') ?? '', sort: query.get('sort') ?? '', points: query.get('points') ?? '', after: query.get('after') ?? '', zoom: query.get('zoom') ?? '' };
  const choice = el('select', { 'aria-label': 'Metric' });
  const kernelChoice = el('select', { 'aria-label': 'Kernel', hidden: true });
  const order = el('select', { 'aria-label': 'Order of the points' },
    [['', 'in their order'], ['-median', 'largest value first'], ['median', 'smallest value first'], ['-spread', 'most different cards first']]
      .map(([value, label]) => el('option', { value }, label)));
  const filter = el('input', { type: 'search', placeholder: 'points, such as *n=1024*', 'aria-label': 'Filter of the points' });
  const count = el('span', { class: 'count' });
  const before = el('button', { type: 'button', 'data-page': 'before', on: { click: () => turn(-PAGE) } }, '‹ previous');
  const next = el('button', { type: 'button', 'data-page': 'next', on: { click: () => turn(PAGE) } }, 'next ›');
  const out = el('button', { type: 'button', title: 'Smaller fields (key -)', 'aria-label': 'Smaller fields', on: { click: () => zoom(-1) } }, '−');
  const into = el('button', { type: 'button', title: 'Larger fields (key +)', 'aria-label': 'Larger fields', on: { click: () => zoom(1) } }, '+');
  const canvas = el('canvas', { class: 'map', tabindex: '0', role: 'img' });
  const key = el('p', { class: 'soft' }, 'Colours: red is above, blue below the median of the row; the full colour is 10 % or more. A red frame: a task failed.');
  const text = el('p', { class: 'soft', role: 'status' }, 'Point at a field to see its value; Enter opens its point.');
  const message = el('div');
  const box = el('div', { class: 'box' }, canvas);
  const parts = [choice, order, filter, out, into, text, box, key]; // hidden while there is nothing to show
  const node = el('div', {}, el('div', { class: 'controls' }, choice, kernelChoice, order, filter, count, el('span', { class: 'pages' }, out, into, before, next)), message, text, box, key);
  let shown = '', map = null, at = [0, 0], left = 0, head = 0, cell = 0, line = LINE_BASE, timer = 0, metrics = '';

  order.value = state.sort;
  filter.value = state.points;
  choice.addEventListener('change', () => {
    state.metric = choice.value;
    change();
  });
  kernelChoice.addEventListener('change', () => {
    state.kernel = kernelChoice.value;
    change();
  });
  order.addEventListener('change', () => {
    state.sort = order.value;
    change();
  });
  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.points = filter.value;
      change();
    }, 200);
  });
  canvas.addEventListener('mousemove', event => {
    const area = canvas.getBoundingClientRect();
    show(Math.floor((event.clientY - area.top - head) / line), Math.floor((event.clientX - area.left - left) / cell));
  });
  canvas.addEventListener('click', openPoint);
  canvas.addEventListener('keydown', event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === 'Enter') openPoint();
    if ((event.key === '+' || event.key === '-') && !event.ctrlKey && !event.metaKey) zoom(event.key === '+' ? 1 : -1);
    if (!step) return;
    event.preventDefault();
    show(at[0] + step[0], at[1] + step[1]);
  });
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? -1 : 1);
  }, { passive: false });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  addEventListener('resize', draw);

  function factor() {
    return ZOOMS.includes(Number(state.zoom)) ? Number(state.zoom) : 1;
  }

  function zoom(step) {
    const next = ZOOMS[ZOOMS.indexOf(factor()) + step];
    if (!next) return;
    state.zoom = next === 1 ? '' : String(next);
    remember();
    draw();
  }

  function change() {
    state.after = '';
    keep();
  }

  function turn(step) {
    state.after = String(Math.max(0, Number(state.after || 0) + step) || '');
    keep();
  }

  function keep() {
    remember();
    refresh();
  }

  function remember() {
    const kept = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(state)) {
      if (value) kept.set(name, value);
      else kept.delete(name);
    }
    history.replaceState(null, '', location.pathname + (kept.size ? '?' + kept : ''));
  }

  // The values of the point, and the kernel where the map has several.
  function nameOf(row) {
    const point = row.shape || 'the only point';
    return kernelChoice.hidden || state.kernel || !row.kernel ? point : `${point}, ${row.kernel}`;
  }

  function fieldAt(row, column) {
    return map?.rows[row]?.fields.find(field => field.card === column);
  }

  function show(row, column) {
    if (!map?.rows[row] || !map.cards[column]) return;
    at = [row, column];
    const card = map.cards[column], line = map.rows[row], field = fieldAt(row, column);
    const value = !field ? 'nothing ran'
      : field.median === null ? 'no value'
      : `${number(field.median)} ${map.unit}, median of ${field.values}; ${((field.median / line.median - 1) * 100).toFixed(1)} % from the median of all cards`;
    text.textContent = `${nameOf(line)} on ${card.host}:${card.card}: ${value}` +
      (field?.failed ? `; ${field.failed} failed` : '');
  }

  function openPoint() {
    const field = fieldAt(...at);
    if (!field) return;
    const opener = el('a', { href: `/jobs/${id}/points/${field.point}` });
    node.append(opener);
    opener.click();
    opener.remove();
  }

  function draw() {
    if (!map || !node.isConnected) return;
    const style = getComputedStyle(document.documentElement), scale = devicePixelRatio || 1;
    const names = map.rows.map(nameOf), cards = map.cards.map(card => `${card.host}:${card.card}`);
    const width = Math.max(300, box.clientWidth - 26);
    left = Math.min(width * 0.45, 16 + LETTER * Math.max(4, ...names.map(name => name.length)));
    cell = Math.max(2, Math.floor(Math.max(4, Math.min(64, (width - left) / Math.max(1, map.cards.length))) * factor()));
    line = Math.max(6, Math.round(LINE_BASE * Math.min(2, factor())));
    const longest = LETTER * Math.max(0, ...cards.map(name => name.length)), isFlat = longest < cell;
    head = isFlat ? LINE_BASE + 4 : Math.min(HEAD_MOST, 14 + longest * 0.87);
    const height = head + map.rows.length * line, all = Math.max(width, left + cell * map.cards.length);
    out.disabled = factor() === ZOOMS[0];
    into.disabled = factor() === ZOOMS.at(-1);
    canvas.dataset.cell = cell;
    canvas.width = all * scale;
    canvas.height = height * scale;
    canvas.style.width = `${all}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    pen.fillStyle = style.getPropertyValue('--soft');
    const every = Math.ceil(14 / cell);
    pen.textAlign = isFlat ? 'center' : 'left';
    cards.forEach((name, i) => {
      if (i % every) return;
      pen.save();
      pen.translate(left + i * cell + cell / 2, head - (isFlat ? 11 : 6));
      if (!isFlat) pen.rotate(-Math.PI / 3);
      pen.fillText(name, 0, 0, HEAD_MOST);
      pen.restore();
    });
    pen.font = `${Math.min(12, line - 2)}px system-ui, sans-serif`;
    map.rows.forEach((row, i) => drawRow(pen, style, row, names[i], head + i * line));
  }

  function drawRow(pen, style, row, name, y) {
    pen.textAlign = 'left';
    pen.fillStyle = style.getPropertyValue('--fg');
    pen.fillText(name, 0, y + line / 2, left - 8);
    pen.textAlign = 'center';
    for (const field of row.fields) {
      const x = left + field.card * cell;
      pen.fillStyle = color(style, field.median === null ? null : field.median / row.median - 1);
      pen.fillRect(x, y + 1, cell - 1, line - 2);
      if (cell >= TEXT_CELL && field.median !== null) {
        pen.fillStyle = style.getPropertyValue('--fg');
        pen.fillText(String(Number(field.median.toPrecision(4))), x + (cell - 1) / 2, y + line / 2, cell - 5);
      }
      if (!field.failed) continue;
      pen.strokeStyle = style.getPropertyValue('--bad');
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 2, cell - 3, line - 4);
    }
  }

  async function showMetrics() {
    const answer = await readDocument(`/jobs/${id}/metrics`);
    const key = JSON.stringify(answer.rows);
    if (key === metrics) return;
    metrics = key;
    const names = [...new Set(answer.rows.map(row => row.metric))], kernels = [...new Set(answer.rows.map(row => row.kernel))];
    choice.replaceChildren(...names.map(name => el('option', { value: name }, name)));
    choice.value = map.metric;
    kernelChoice.replaceChildren(el('option', { value: '' }, `all ${kernels.length} kernels`), ...kernels.map(name => el('option', { value: name }, name)));
    kernelChoice.value = state.kernel;
    kernelChoice.hidden = kernels.length < 2;
  }

  async function refresh() {
    try {
      const { answer, total } = await readMap(`/jobs/${id}/heat`, { ...state, zoom: '', limit: PAGE });
      const key = JSON.stringify(answer), after = Number(state.after || 0);
      message.replaceChildren();
      count.replaceChildren(total === 0 ? 'There are no figures yet.'
        : total <= PAGE ? `${number(total)} ${total === 1 ? 'row' : 'rows'}`
        : `${number(after + 1)} to ${number(after + answer.rows.length)} of ${number(total)} rows`,
        answer.simulated ? simulatedTag() : '');
      for (const part of parts) part.hidden = total === 0 && !state.points && !state.kernel && !state.metric;
      before.hidden = next.hidden = total <= PAGE && after === 0;
      before.disabled = after === 0;
      next.disabled = after + answer.rows.length >= total;
      if (key === shown) return;
      shown = key;
      map = answer;
      canvas.setAttribute('aria-label', `${answer.metric} of ${total} points on ${answer.cards.length} cards`);
      await showMetrics(); // tells whether the names of the rows need the kernel
      draw();
    } catch (error) {
      message.replaceChildren(errorBox(error));
    }
  }
  return { node, refresh };
}
