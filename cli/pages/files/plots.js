// plots.js - small drawings for tables, and the values of a series over its nights

import { el, link, number, svg } from '/assets/dom.js';

const SPARK_WIDTH = 110, SPARK_HEIGHT = 22, INTERVAL_WIDTH = 130, INTERVAL_HEIGHT = 16;
const WIDTH = 1000, HEIGHT = 230, LEFT = 70, RIGHT = 20, TOP = 14, BOTTOM = 34;

// Least and most of the values, with room around them; equal values are in the middle.
function rangeOf(values) {
  const known = values.filter(value => value !== null);
  const least = Math.min(...known), most = Math.max(...known), room = (most - least) * 0.08 || Math.abs(most) * 0.01 || 1;
  return [least - room, most + room];
}

// Lines between neighbours that both have a value.
function lines(values, x, y) {
  const parts = [];
  for (let i = 0; i < values.length; i++) {
    if (values[i] === null) continue;
    if (i === 0 || values[i - 1] === null) parts.push([]);
    parts.at(-1).push(`${x(i).toFixed(1)},${y(values[i]).toFixed(1)}`);
  }
  return parts.filter(part => part.length > 1).map(part => svg('polyline', { class: 'trend', points: part.join(' ') }));
}

// The values of a series in the height of a row of a table.
export function sparkline(values) {
  if (!values.some(value => value !== null)) return '-';
  const [least, most] = rangeOf(values);
  const x = i => 3 + (values.length < 2 ? 0.5 : i / (values.length - 1)) * (SPARK_WIDTH - 6);
  const y = value => SPARK_HEIGHT - 2 - (value - least) / (most - least) * (SPARK_HEIGHT - 4);
  const last = values.findLastIndex(value => value !== null);
  return svg('svg', { viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`, width: SPARK_WIDTH, height: SPARK_HEIGHT, class: 'plot spark', role: 'img',
    'aria-label': `${values.length} values, the newest is ${number(values[last])}` },
  lines(values, x, y), svg('circle', { cx: x(last), cy: y(values[last]), r: 2.5, class: 'dot' }));
}

// A change in percent with its interval; `most` is the end of the scale on both sides.
export function interval(low, change, high, most) {
  if (low === null || high === null || change === null) return '-';
  const x = percent => INTERVAL_WIDTH / 2 + Math.max(-1, Math.min(1, percent / most)) * (INTERVAL_WIDTH / 2 - 4), middle = INTERVAL_HEIGHT / 2;
  return svg('svg', { viewBox: `0 0 ${INTERVAL_WIDTH} ${INTERVAL_HEIGHT}`, width: INTERVAL_WIDTH, height: INTERVAL_HEIGHT, class: 'plot spark', role: 'img',
    'aria-label': `from ${number(low)} % to ${number(high)} %` },
  svg('line', { x1: x(0), x2: x(0), y1: 0, y2: INTERVAL_HEIGHT, class: 'zero' }),
  svg('line', { x1: x(low), x2: Math.max(x(high), x(low) + 1), y1: middle, y2: middle, class: 'range' }),
  svg('circle', { cx: x(change), cy: middle, r: 3.5, class: 'dot' }));
}

// The nights of one series. marked: names of nights that have another colour, with the reason.
export function seriesPlot(series) {
  const { values, nights, unit, changes, spikes } = series, [least, most] = rangeOf(values);
  const x = i => LEFT + (values.length < 2 ? 0.5 : i / (values.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = value => TOP + (most - value) / (most - least) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil(values.length / 9), marks = [0, 0.25, 0.5, 0.75, 1].map(share => least + (most - least) * share);
  return el('div', { class: 'box' }, svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', id: 'series-plot', role: 'img',
    'aria-label': `${values.filter(value => value !== null).length} nights of ${series.name}` },
  marks.map(mark => svg('g', {}, svg('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark), class: 'grid' }),
    svg('text', { x: LEFT - 8, y: y(mark) + 4, 'text-anchor': 'end' }, String(Number(mark.toPrecision(4)))))),
  nights.map((night, i) => changes.has(night) ? svg('line', { x1: x(i - 0.5), x2: x(i - 0.5), y1: TOP, y2: HEIGHT - BOTTOM, class: 'change' }) : null),
  lines(values, x, y),
  values.map((value, i) => value === null ? null : svg('circle', { cx: x(i), cy: y(value), r: 4.5, class: spikes.has(nights[i]) ? 'dot spike' : 'dot' },
    svg('title', {}, `${nights[i]}: ${number(value)} ${unit}`))),
  nights.map((night, i) => i % every ? null : svg('text', { x: x(i), y: HEIGHT - 10, 'text-anchor': i === nights.length - 1 && i ? 'end' : i ? 'middle' : 'start' }, night))));
}

export function nightLink(night) {
  return link(`/jobs/${night.split('-').pop()}`, night);
}
