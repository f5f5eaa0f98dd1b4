// heat.js - the map of points and cards of a job, drawn on a canvas
//
// The server computes one median for each field and sends a page of rows, so the map of
// 10,000 points needs one request. Colours show the distance of a field to the median of
// its row.

import { readDocument, readWithTotal } from '/assets/api.js';
import { el, errorBox, number, simulatedTag } from '/assets/dom.js';

const PAGE = 200, LINE = 18, HEAD = 90;

function color(style, change) {
  if (change === null) return style.getPropertyValue('--line');
  const most = 0.1; // 10 % and more have the full colour
  const share = Math.min(1, Math.abs(change) / most) * 90;
  const base = style.getPropertyValue(change > 0 ? '--slow' : '--fast');
  return `color-mix(in oklab, ${base} ${share.toFixed(0)}%, ${style.getPropertyValue('--bg')})`;
}

export function heatMap(id) {
  const query = new URLSearchParams(location.search);
  const state = { metric: query.get('metric') ?? '', kernel: query.get('kernel') ?? '', sort: query.get('sort') ?? '', points: query.get('points') ?? '', after: query.get('after') ?? '' };
  const choice = el('select', { 'aria-label': 'Metric' });
  const order = el('select', { 'aria-label': 'Order of the points' },
    [['', 'in their order'], ['-median', 'largest value first'], ['median', 'smallest value first'], ['-spread', 'most different cards first']]
      .map(([value, label]) => el('option', { value }, label)));
  const filter = el('input', { type: 'search', placeholder: 'points, such as *n=1024*', 'aria-label': 'Filter of the points' });
  const count = el('span', { class: 'count' });
  const before = el('button', { type: 'button', 'data-page': 'before', on: { click: () => turn(-PAGE) } }, '‹ previous');
  const next = el('button', { type: 'button', 'data-page': 'next', on: { click: () => turn(PAGE) } }, 'next ›');
  const canvas = el('canvas', { class: 'map', tabindex: '0', role: 'img' });
  const key = el('p', { class: 'soft' }, 'Colours: red is above, blue below the median of the row; the full colour is 10 % or more. A red frame: a task failed.');
  const text = el('p', { class: 'soft', role: 'status' }, 'Point at a field to see its value; Enter opens its point.');
  const message = el('div');
  const box = el('div', { class: 'box' }, canvas);
  const node = el('div', {}, el('div', { class: 'controls' }, choice, order, filter, count, el('span', { class: 'pages' }, before, next)), message, text, box, key);
  let shown = '', map = null, at = [0, 0], left = 0, cell = 0, timer = 0, metrics = '';

  order.value = state.sort;
  filter.value = state.points;
  choice.addEventListener('change', () => {
    [state.kernel, state.metric] = choice.value.split('\n');
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
    show(Math.floor((event.clientY - area.top - HEAD) / LINE), Math.floor((event.clientX - area.left - left) / cell));
  });
  canvas.addEventListener('click', openPoint);
  canvas.addEventListener('keydown', event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === 'Enter') openPoint();
    if (!step) return;
    event.preventDefault();
    show(at[0] + step[0], at[1] + step[1]);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  addEventListener('resize', draw);

  function change() {
    state.after = '';
    keep();
  }

  function turn(step) {
    state.after = String(Math.max(0, Number(state.after || 0) + step) || '');
    keep();
  }

  function keep() {
    const kept = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(state)) {
      if (value) kept.set(name, value);
      else kept.delete(name);
    }
    history.replaceState(null, '', location.pathname + (kept.size ? '?' + kept : ''));
    refresh();
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
    text.textContent = `${line.shape || 'the only point'} on ${card.host}:${card.card}: ${value}` +
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
    const names = map.rows.map(row => row.shape || 'the only point');
    const width = Math.max(300, box.clientWidth - 26);
    left = Math.min(width * 0.4, 20 + 7 * Math.max(4, ...names.map(name => name.length)));
    cell = Math.max(4, Math.min(46, Math.floor((width - left) / Math.max(1, map.cards.length))));
    const height = HEAD + map.rows.length * LINE;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    pen.fillStyle = style.getPropertyValue('--soft');
    const every = Math.ceil(14 / cell);
    map.cards.forEach((card, i) => {
      if (i % every) return;
      pen.save();
      pen.translate(left + i * cell + cell / 2, HEAD - 6);
      pen.rotate(-Math.PI / 3);
      pen.fillText(`${card.host}:${card.card}`, 0, 0, HEAD);
      pen.restore();
    });
    map.rows.forEach((row, i) => {
      const y = HEAD + i * LINE;
      pen.fillStyle = style.getPropertyValue('--fg');
      pen.fillText(names[i], 0, y + LINE / 2, left - 8);
      for (const field of row.fields) {
        const x = left + field.card * cell;
        pen.fillStyle = color(style, field.median === null ? null : field.median / row.median - 1);
        pen.fillRect(x, y + 1, cell - 1, LINE - 2);
        if (!field.failed) continue;
        pen.strokeStyle = style.getPropertyValue('--bad');
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 2, cell - 3, LINE - 4);
      }
    });
  }

  async function showMetrics() {
    const answer = await readDocument(`/jobs/${id}/metrics`);
    const key = JSON.stringify(answer.rows);
    if (key === metrics) return;
    metrics = key;
    choice.replaceChildren(...answer.rows.map(row => el('option', { value: `${row.kernel}\n${row.metric}` }, `${row.metric} of ${row.kernel}`)));
    choice.value = `${map.kernel}\n${map.metric}`;
  }

  async function refresh() {
    try {
      const { answer, total } = await readWithTotal(`/jobs/${id}/heat`, { ...state, limit: PAGE });
      const key = JSON.stringify(answer), after = Number(state.after || 0);
      message.replaceChildren();
      count.replaceChildren(total === 0 ? 'There are no figures yet.'
        : `${number(after + 1)} to ${number(after + answer.rows.length)} of ${number(total)} points`,
        answer.simulated ? simulatedTag() : '');
      before.disabled = after === 0;
      next.disabled = after + answer.rows.length >= total;
      if (key === shown) return;
      shown = key;
      map = answer;
      canvas.setAttribute('aria-label', `${answer.metric} of ${total} points on ${answer.cards.length} cards`);
      draw();
      await showMetrics();
    } catch (error) {
      message.replaceChildren(errorBox(error));
    }
  }
  return { node, refresh };
}
