// page_point.js - one point of a job: its ranks side by side, its values, rooflines and files

import { readDocument, rows } from '/assets/api.js';
import { distribution } from '/assets/distribution.js';
import { el, errorBox, facts, link, number, simulatedTag, state } from '/assets/dom.js';
import { gangCell } from '/assets/page_gang.js';
import { fileTable } from '/assets/page_files.js';
import { cardLink, figureTable } from '/assets/page_job.js';
import { rooflines } from '/assets/roofline.js';
import { dataTable } from '/assets/table.js';

function rankTable(job, point) {
  return dataTable({
    name: 'ranks', path: `/jobs/${job}/ranks`, fixed: { point }, empty: 'No rank has ended yet.',
    columns: [
      { name: 'repeat', label: 'repeat', kind: 'number' },
      { name: 'attempt', label: 'attempt', kind: 'number' },
      { name: 'rank', label: 'rank', kind: 'number' },
      { name: 'status', label: 'status', kind: 'text', show: rank => state(rank.status) },
      { name: 'host', label: 'host', kind: 'text' },
      { name: 'card', label: 'card', kind: 'number', show: rank => cardLink(rank.host, rank.card) },
      { name: 'model', label: 'model', kind: 'text' },
      { name: 'serial', label: 'serial', kind: 'text' },
      { name: 'driver', label: 'driver', kind: 'text' },
      { name: 'cann', label: 'CANN', kind: 'text' },
      { name: 'simulated', label: 'origin', kind: 'text', show: rank => rank.simulated ? simulatedTag() : 'measured' },
    ],
  });
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length === 0 ? null : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The counters of all ranks and repeats: one line for each metric, one column for each rank.
// The rank that is farthest from the median of the others is marked, from 2 % on.
function sideBySide(figures) {
  const ranks = [...new Set(figures.map(f => f.rank))].sort((a, b) => a - b);
  const kernels = new Set(figures.map(f => f.kernel)), metrics = new Map();
  for (const figure of figures) {
    const key = `${figure.kernel}\n${figure.metric}`;
    if (!metrics.has(key)) metrics.set(key, { figure, values: new Map() });
    const values = metrics.get(key).values;
    values.set(figure.rank, [...(values.get(figure.rank) ?? []), figure.value].filter(v => v !== null));
  }
  function lineOf({ figure, values }) {
    const medians = ranks.map(rank => median(values.get(rank) ?? [])), known = medians.filter(value => value !== null);
    const middle = median(known), least = Math.min(...known), most = Math.max(...known);
    const spread = known.length > 1 && least > 0 ? (most / least - 1) * 100 : null;
    const farthest = spread >= 2 && known.length > 2 ? medians.reduce((at, value, i) => value === null || Math.abs(value - middle) <= Math.abs((medians[at] ?? middle) - middle) ? at : i, 0) : -1;
    return el('tr', {}, kernels.size > 1 ? el('td', { class: 'text' }, figure.kernel) : null, el('td', { class: 'text' }, figure.metric), el('td', { class: 'text' }, figure.unit),
      medians.map((value, i) => el('td', { class: i === farthest ? 'number far' : 'number' }, number(value))),
      ranks.length > 1 ? el('td', { class: 'number' }, spread === null ? '-' : `${Number(spread.toPrecision(2))} %`) : null);
  }
  const heads = [...kernels.size > 1 ? ['kernel'] : [], 'metric', 'unit', ...ranks.map(rank => `rank ${rank}`), ...ranks.length > 1 ? ['spread'] : []];
  const texts = kernels.size > 1 ? 3 : 2;
  return el('div', {}, el('p', { class: 'soft' }, kernels.size === 1 ? `Kernel ${[...kernels][0]}. ` : '',
    ranks.length > 2 ? 'Spread: the largest median over the smallest. Bold: the rank farthest from the others, from 2 % on.' : ranks.length > 1 ? 'Spread: the larger median over the smaller.' : ''),
  el('div', { class: 'scroll box low' }, el('table', { class: 'rows', id: 'counters' },
    el('thead', {}, el('tr', {}, heads.map((label, i) => el('th', { class: i < texts ? 'text' : 'number', scope: 'col' }, el('button', { type: 'button', disabled: true }, label))))),
    el('tbody', {}, [...metrics.values()].map(lineOf)))));
}

// The values of the metric in the address, or of the duration. A select changes it.
function valuesPart() {
  const choice = el('select', { 'aria-label': 'Metric', hidden: true });
  const place = el('div');
  let figures = [];

  const keyOf = figure => `${figure.metric} of ${figure.kernel}`;
  function draw() {
    const shown = figures.filter(figure => keyOf(figure) === choice.value);
    place.replaceChildren(shown.length ? distribution(shown) : el('p', { class: 'soft' }, 'There are no values yet.'),
      shown.length ? el('p', { class: 'soft' }, `Each dot is a launch of a repeat, in ${shown[0].unit}. Box: first to third quartile; bar and number: median.`) : '');
  }
  choice.addEventListener('change', () => {
    const query = new URLSearchParams(location.search);
    query.set('metric', choice.value);
    history.replaceState(null, '', `${location.pathname}?${query}`);
    draw();
  });

  function update(all) {
    const key = JSON.stringify(all.map(figure => figure.value)), keys = [...new Set(all.map(keyOf))];
    if (key === place.dataset.key) return;
    place.dataset.key = key;
    figures = all;
    const wanted = choice.value || new URLSearchParams(location.search).get('metric');
    choice.replaceChildren(...keys.map(name => el('option', { value: name }, name)));
    choice.hidden = keys.length === 0;
    choice.value = keys.includes(wanted) ? wanted : keys.find(name => name.startsWith('duration_us ')) ?? keys[0] ?? '';
    draw();
  }
  return { node: el('div', {}, el('div', { class: 'controls' }, choice), place), update };
}

const isMerged = file => /\/(merged|aligned)\//.test(file.path);
const isResult = file => file.path.endsWith('/visualize_data.bin');

// The rooflines of one result file; a select chooses the file. Only a file that is shown is read.
function rooflinePart(job) {
  const choice = el('select', { 'aria-label': 'Result file' });
  const place = el('div'), node = el('section', { hidden: true }, el('h2', {}, 'Rooflines'), el('div', { class: 'controls' }, choice), place);
  let shown = '';

  async function show() {
    try {
      const wanted = choice.value;
      let answer;
      do answer = await readDocument(`/jobs/${job}/files/${wanted}/roofline`);
      while (answer.state === 'reading'); // the server copies the file from its coordinator
      if (choice.value !== wanted) return;
      node.hidden = false;
      place.replaceChildren(answer.rows.length ? rooflines(answer.rows) : el('p', { class: 'soft' }, 'This file has no roofline; the metric Roofline measures it.'),
        answer.advice ? el('p', { class: 'soft' }, answer.advice) : '');
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  choice.addEventListener('change', show);

  async function update(list) {
    const results = list.filter(file => isResult(file) && file.size !== null), key = results.map(file => file.id + file.size).join();
    if (key === shown) return;
    shown = key;
    const before = choice.value;
    choice.replaceChildren(...results.map(file => el('option', { value: file.id }, file.path.replace('/visualize_data.bin', ''))));
    if (results.some(file => file.id === before)) choice.value = before;
    if (results.length) await show();
  }
  return { node, update };
}

// One launch: the verdict, and the times as pairs, because a row of them is too wide.
function arrivalFacts(row) {
  const times = Object.entries(row).filter(([name, value]) => value !== null && value !== '' && !['point', 'kernel', 'launch', 'verdict', 'simulated'].includes(name));
  return el('div', { class: 'box' }, el('p', {}, `${row.kernel}, launch ${row.launch}: `, gangCell('verdict', row.verdict)),
    el('dl', { class: 'pairs' }, times.map(([name, value]) => el('div', {}, el('dt', {}, name.replaceAll('_', ' ')), el('dd', {}, gangCell(name, value))))));
}

// When the ranks of the point begin, for a task on several cards.
function skewPart(job) {
  const place = el('div'), node = el('section', { hidden: true }, el('h2', {}, 'Begin of the ranks'), place);
  async function update(figures, pointText) {
    if (new Set(figures.map(figure => figure.rank)).size < 2) return;
    const answer = await readDocument(`/jobs/${job}/gang/arrival`);
    const mine = answer.rows.filter(row => (row.point ?? '') === pointText);
    node.hidden = false;
    place.replaceChildren(mine.length ? el('div', {}, mine.map(arrivalFacts)) : el('p', { class: 'soft' }, answer.note ?? 'No launch of this point has the times of all ranks.'));
  }
  return { node, update };
}

export function pointPage(job, point) {
  const head = el('div'), counters = el('div'), timelines = el('div'), files = el('div');
  const values = valuesPart(), skew = skewPart(job), roofs = rooflinePart(job);
  const ranks = rankTable(job, point);
  const figures = figureTable(job, { point }, 'This point has no figures yet.');

  async function showFiles() {
    try {
      const list = (await rows(`/jobs/${job}/files`, { point })).rows;
      const merged = list.filter(file => isMerged(file) && file.size !== null);
      timelines.replaceChildren(merged.length === 0 ? '' : el('p', { id: 'timelines' }, 'Timelines of all ranks: ',
        merged.flatMap((file, i) => [i ? ', ' : '', link(`/jobs/${job}/traces/${file.id}`, file.path.split('/').slice(1).join('/'))])));
      files.replaceChildren(list.length === 0 ? el('p', { class: 'soft' }, 'This point has no files yet.')
        : fileTable(job, list, 'files'));
      await roofs.update(list);
    } catch (error) {
      files.replaceChildren(el('p', { class: 'soft' }, error.message));
    }
  }

  async function refresh() {
    let measured, pointText;
    try {
      const [tasks, found] = await Promise.all([
        rows(`/jobs/${job}/tasks`, { point, limit: 1000 }),
        rows(`/jobs/${job}/results`, { point, limit: 5000 })]);
      if (tasks.rows.length === 0) throw new Error(`Job ${job} has no point ${point}.`);
      const failed = tasks.rows.filter(task => task.reason);
      pointText = tasks.rows[0].point_text;
      head.replaceChildren(
        el('p', { class: 'path' }, link('/', 'Jobs'), ' / ', link(`/jobs/${job}`, `job ${job}`)),
        el('h1', {}, `Point ${point}`, found.rows.some(row => row.simulated) ? simulatedTag() : null),
        facts([['values', pointText || 'no axes'], ['repeats', number(tasks.total)],
          ['states', [...new Set(tasks.rows.map(task => task.state))].join(', ')],
          ...failed.map(task => [`repeat ${task.repeat}`, task.reason])]));
      measured = found.rows.filter(row => row.metric !== null && row.value !== null && row.rank !== null);
      counters.replaceChildren(measured.length ? sideBySide(measured) : el('p', { class: 'soft' }, 'This point has no figures yet.'),
        found.total > found.rows.length ? el('p', { class: 'soft' }, `Of the first ${number(found.rows.length)} of ${number(found.total)} figures.`) : '');
      values.update(measured);
    } catch (error) {
      head.replaceChildren(errorBox(error));
      return;
    }
    await showFiles();
    await ranks.refresh();
    await figures.refresh();
    await skew.update(measured, pointText);
  }
  return {
    title: `Point ${point} of job ${job}`,
    node: el('div', {}, head, timelines, el('h2', {}, 'Distribution'), values.node, el('h2', {}, 'Ranks side by side'), counters, skew.node, roofs.node,
      el('h2', {}, 'Ranks and their software'), ranks.node, el('h2', {}, 'Figures'), figures.node, el('h2', {}, 'Files'), files),
    refresh,
  };
}
