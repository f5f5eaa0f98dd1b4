// distribution.js - the values of a metric, one line of dots for each rank
//
// A line has a dot for each repeat and launch, a box from the first to the third quartile, and
// a bar at the median.

import { el, number, svg } from '/assets/dom.js';

const LINE = 30, LEFT = 70, RIGHT = 90, TOP = 8, BOTTOM = 26, WIDTH = 1000;

// The value below which a share of the sorted values lies, between two values if needed.
export function quantile(sorted, share) {
  const at = (sorted.length - 1) * share, low = Math.floor(at), high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

function axis(least, most, x, height) {
  const marks = [0, 0.25, 0.5, 0.75, 1].map(share => least + (most - least) * share);
  return marks.map(mark => svg('g', {},
    svg('line', { x1: x(mark), x2: x(mark), y1: TOP, y2: height - BOTTOM, class: 'grid' }),
    svg('text', { x: x(mark), y: height - 8, 'text-anchor': 'middle' }, number(mark))));
}

function lineOf(rank, values, y, x) {
  const sorted = [...values].sort((a, b) => a - b);
  const low = x(quantile(sorted, 0.25)), high = x(quantile(sorted, 0.75)), middle = x(quantile(sorted, 0.5));
  return svg('g', {},
    svg('text', { x: LEFT - 10, y: y + 4, 'text-anchor': 'end' }, `rank ${rank}`),
    svg('rect', { x: low, y: y - 8, width: Math.max(1, high - low), height: 16, class: 'quartiles' }),
    values.map((value, i) => svg('circle', { cx: x(value), cy: y + (i % 5 - 2) * 2, r: 3, class: 'dot' }, svg('title', {}, number(value)))),
    svg('line', { x1: middle, x2: middle, y1: y - 10, y2: y + 10, class: 'median' }),
    svg('text', { x: WIDTH - RIGHT + 12, y: y + 4 }, number(quantile(sorted, 0.5))));
}

// figures: rows of results, all of one metric and kernel.
export function distribution(figures) {
  const byRank = new Map();
  for (const figure of figures) byRank.set(figure.rank, [...(byRank.get(figure.rank) ?? []), figure.value]);
  const ranks = [...byRank.keys()].sort((a, b) => a - b), all = figures.map(figure => figure.value);
  let least = Math.min(...all), most = Math.max(...all);
  if (least === most) [least, most] = [least - (Math.abs(least) * 0.01 || 1), most + (Math.abs(most) * 0.01 || 1)];
  const x = value => LEFT + (value - least) / (most - least) * (WIDTH - LEFT - RIGHT);
  const height = TOP + BOTTOM + ranks.length * LINE;
  return el('div', { class: 'box' }, svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, class: 'plot', id: 'distribution', role: 'img',
    'aria-label': `${all.length} values of ${ranks.length} ranks, from ${number(least)} to ${number(most)}` },
  axis(least, most, x, height), ranks.map((rank, i) => lineOf(rank, byRank.get(rank), TOP + (i + 0.5) * LINE, x))));
}
