// page_point.js - one point of a job: its ranks side by side, its figures and files

import { rows } from '/assets/api.js';
import { el, errorBox, facts, link, number, simulatedTag, state } from '/assets/dom.js';
import { cardLink, figureTable } from '/assets/page_job.js';
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

// The counters of all ranks and repeats: one line for each metric, one column for each rank.
function sideBySide(figures) {
  const ranks = [...new Set(figures.map(f => f.rank))].sort((a, b) => a - b);
  const metrics = new Map();
  for (const figure of figures) {
    const key = `${figure.kernel}\n${figure.metric}`;
    if (!metrics.has(key)) metrics.set(key, { figure, values: new Map() });
    const values = metrics.get(key).values;
    values.set(figure.rank, [...(values.get(figure.rank) ?? []), figure.value].filter(v => v !== null));
  }
  const median = values => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length === 0 ? null : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };
  return el('div', { class: 'scroll box' }, el('table', { class: 'rows', id: 'counters' },
    el('thead', {}, el('tr', {}, ['kernel', 'metric', 'unit', ...ranks.map(rank => `rank ${rank}`)]
      .map((label, i) => el('th', { class: i < 3 ? 'text' : 'number', scope: 'col' }, el('button', { type: 'button', disabled: true }, label))))),
    el('tbody', {}, [...metrics.values()].map(({ figure, values }) => el('tr', {},
      el('td', { class: 'text' }, figure.kernel), el('td', { class: 'text' }, figure.metric), el('td', { class: 'text' }, figure.unit),
      ranks.map(rank => el('td', { class: 'number' }, number(median(values.get(rank) ?? [])))))))));
}

// A trace has a page of its own.
function timelineLink(job, file) {
  const isTrace = /\/trace\.json$|\/(merged|aligned)\/.*\.json$/.test(file.path);
  return isTrace && file.size !== null ? [' ', link(`/jobs/${job}/traces/${file.id}`, 'timeline')] : null;
}

export function pointPage(job, point) {
  const head = el('div'), counters = el('div');
  const ranks = rankTable(job, point);
  const files = el('div');
  const figures = figureTable(job, { point }, 'This point has no figures yet.');

  async function showFiles() {
    try {
      const list = await rows(`/jobs/${job}/files`, { point });
      files.replaceChildren(list.rows.length === 0 ? el('p', { class: 'soft' }, 'This point has no files yet.')
        : el('ul', { id: 'files' }, list.rows.map(file => el('li', {}, file.size === null ? `${file.path}: missing`
          : el('a', { href: `/api/v1/jobs/${job}/files/${file.id}`, download: '' }, file.path),
          file.size === null ? '' : ` ${number(file.size)} bytes, rank ${file.rank}`, timelineLink(job, file)))));
    } catch (error) {
      files.replaceChildren(el('p', { class: 'soft' }, error.message));
    }
  }

  async function refresh() {
    try {
      const [tasks, values] = await Promise.all([
        rows(`/jobs/${job}/tasks`, { point, limit: 1000 }),
        rows(`/jobs/${job}/results`, { point, limit: 5000 })]);
      if (tasks.rows.length === 0) throw new Error(`Job ${job} has no point ${point}.`);
      const failed = tasks.rows.filter(task => task.reason);
      head.replaceChildren(
        el('p', { class: 'path' }, link('/', 'Jobs'), ' / ', link(`/jobs/${job}`, `job ${job}`)),
        el('h1', {}, `Point ${point}`, values.rows.some(row => row.simulated) ? simulatedTag() : null),
        facts([['values', tasks.rows[0].point_text || 'no axes'], ['repeats', number(tasks.total)],
          ['states', [...new Set(tasks.rows.map(task => task.state))].join(', ')],
          ...failed.map(task => [`repeat ${task.repeat}`, task.reason])]));
      const measured = values.rows.filter(row => row.metric !== null);
      counters.replaceChildren(measured.length ? sideBySide(measured) : el('p', { class: 'soft' }, 'This point has no figures yet.'));
    } catch (error) {
      head.replaceChildren(errorBox(error));
      return;
    }
    await ranks.refresh();
    await figures.refresh();
    await showFiles();
  }
  return {
    title: `Point ${point} of job ${job}`,
    node: el('div', {}, head, el('h2', {}, 'Medians of all ranks'), counters, el('h2', {}, 'Ranks'), ranks.node, el('h2', {}, 'Figures'), figures.node, el('h2', {}, 'Files'), files),
    refresh,
  };
}
