// roofline.js - draws the rooflines of a result file
//
// Both axes are logarithmic: operations per byte, and operations per second in units of 10^12.
// A roof rises with the bandwidth of its path until the peak of the unit; the dot is the kernel.

import { el, number, svg } from '/assets/dom.js';

const WIDTH = 460, HEIGHT = 300, LEFT = 52, RIGHT = 14, TOP = 14, BOTTOM = 40;

function decades(least, most) {
  const marks = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) marks.push(10 ** power);
  return marks;
}

function drawing(chart) {
  const roofs = chart.roofs.filter(roof => roof.bandwidth > 0 && roof.peak > 0);
  const dots = roofs.filter(roof => roof.intensity > 0 && roof.performance > 0);
  if (roofs.length === 0) return el('p', { class: 'soft' }, 'No roof has a bandwidth.');
  const xs = [...roofs.map(roof => roof.peak / roof.bandwidth), ...dots.map(dot => dot.intensity)];
  const ys = [...roofs.map(roof => roof.peak), ...dots.map(dot => dot.performance)];
  const xMarks = decades(Math.min(...xs) / 3, Math.max(...xs) * 3), yMarks = decades(Math.min(...ys) / 3, Math.max(...ys));
  const scale = (marks, from, to) => value => from + (Math.log10(value) - Math.log10(marks[0])) / (Math.log10(marks.at(-1)) - Math.log10(marks[0])) * (to - from);
  const x = scale(xMarks, LEFT, WIDTH - RIGHT), y = scale(yMarks, HEIGHT - BOTTOM, TOP);
  const lines = roofs.map((roof, i) => {
    const bend = roof.peak / roof.bandwidth, start = Math.max(xMarks[0], yMarks[0] / roof.bandwidth);
    return svg('polyline', { class: `roof roof-${i % 6}`, points: [[start, start * roof.bandwidth], [bend, roof.peak], [xMarks.at(-1), roof.peak]]
      .map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ') }, svg('title', {}, `${roof.path}, ${roof.unit}`));
  });
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'img', 'aria-label': `${chart.title}: ${roofs.length} roofs` },
    xMarks.map(mark => svg('g', {}, svg('line', { x1: x(mark), x2: x(mark), y1: TOP, y2: HEIGHT - BOTTOM, class: 'grid' }),
      svg('text', { x: x(mark), y: HEIGHT - BOTTOM + 16, 'text-anchor': mark === xMarks.at(-1) ? 'end' : 'middle' }, number(mark)))),
    yMarks.map(mark => svg('g', {}, svg('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark), class: 'grid' }),
      svg('text', { x: LEFT - 6, y: y(mark) + 4, 'text-anchor': 'end' }, number(mark)))),
    svg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, 'operations per byte'),
    svg('text', { x: 12, y: (TOP + HEIGHT - BOTTOM) / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${(TOP + HEIGHT - BOTTOM) / 2})` }, 'Tops/s'),
    lines, dots.map(dot => svg('circle', { cx: x(dot.intensity), cy: y(dot.performance), r: 4.5, class: `roof-dot roof-${roofs.indexOf(dot) % 6}` },
      svg('title', {}, `${dot.path}: ${number(dot.performance)} Tops/s at ${number(dot.intensity)} operations per byte`))));
}

function percentText(ratio) {
  return ratio === null ? '-' : `${Number((100 * ratio).toPrecision(3))} %`;
}

// The unit is a column only where the roofs have several; otherwise it is in the title.
function unitOf(chart) {
  const units = new Set(chart.roofs.map(roof => roof.unit));
  return units.size === 1 ? [...units][0].replace(/\.0+%/g, '%') : '';
}

function legend(chart) {
  const one = unitOf(chart), heads = ['path', 'of the roof', ...one ? [] : ['unit']];
  return el('table', { class: 'rows legend' },
    el('thead', {}, el('tr', {}, heads.map((label, i) => el('th', { class: i === 1 ? 'number' : 'text', scope: 'col' },
      el('button', { type: 'button', disabled: true }, label))))),
    el('tbody', {}, chart.roofs.map((roof, i) => el('tr', {},
      el('td', { class: 'text' }, el('span', { class: `swatch roof-${i % 6}` }), ' ', roof.path), el('td', { class: 'number' }, percentText(roof.ratio)),
      one ? null : el('td', { class: 'text' }, roof.unit)))));
}

export function rooflines(charts) {
  return el('div', { class: 'charts', id: 'rooflines' }, charts.map(chart => el('div', { class: 'box' }, el('h3', {}, chart.title, unitOf(chart) ? el('span', { class: 'soft' }, ` ${unitOf(chart)}`) : null), drawing(chart), el('div', { class: 'scroll' }, legend(chart)))));
}
