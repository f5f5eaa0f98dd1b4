// page_job.js - one job: its progress, the map of points and cards, tasks, figures, events

import { rows } from '/assets/api.js';
import { el, errorBox, facts, link, number, simulatedTag, state, time } from '/assets/dom.js';
import { heatMap } from '/assets/heat.js';
import { filesTab } from '/assets/page_files.js';
import { gangTab } from '/assets/page_gang.js';
import { taskRate } from '/assets/task_rate.js';
import { progressBar } from '/assets/page_jobs.js';
import { compareTab, gateTab } from '/assets/page_verdicts.js';
import { dataTable } from '/assets/table.js';

const tabs = [
  ['map', 'Points and cards', id => heatMap(id)],
  ['failures', 'Failures', id => failures(id)],
  ['tasks', 'Tasks', id => taskTable(id, 'tasks', {}, 'The job has no tasks.')],
  ['figures', 'Figures', id => figureTable(id, {}, 'There are no figures yet.')],
  ['gang', 'Several cards', id => gangTab(id)],
  ['compare', 'Compare', id => compareTab(id)],
  ['gate', 'Gate', id => gateTab(id)],
  ['files', 'Files', id => filesTab(id)],
  ['events', 'Events', id => eventTable(`/jobs/${id}/events`)],
];

export function taskTable(id, name, fixed, empty, ...more) {
  return dataTable({
    name, path: `/jobs/${id}/tasks`, fixed, empty,
    columns: [
      { name: 'point', label: 'point', kind: 'number', show: task => link(`/jobs/${id}/points/${task.point}`, String(task.point)) },
      { name: 'point_text', label: 'values', kind: 'text' },
      { name: 'repeat', label: 'repeat', kind: 'number' },
      { name: 'state', label: 'state', kind: 'text', show: task => state(task.state) },
      { name: 'attempt', label: 'attempt', kind: 'number' },
      { name: 'host', label: 'host', kind: 'text' },
      { name: 'card', label: 'card', kind: 'number', show: task => cardLink(task.host, task.card) },
      { name: 'status', label: 'status', kind: 'text' },
      { name: 'exit_code', label: 'exit code', kind: 'number' },
      { name: 'reason', label: 'reason', kind: 'text' },
      ...more,
    ],
  });
}

// The failed tasks; a button shows the output of one below the table.
function failures(id) {
  const output = el('div', { role: 'status' });
  let shown = new URLSearchParams(location.search).get('output');

  async function show(task) {
    const query = new URLSearchParams(location.search);
    shown = task;
    query.set('output', task);
    history.replaceState(null, '', `${location.pathname}?${query}`);
    const [point, repeat] = task.split('.');
    const head = el('h2', {}, `Output of point ${point}, repeat ${repeat}`);
    try {
      const lines = (await rows(`/jobs/${id}/tasks/${point}/${repeat}/output`)).rows;
      output.replaceChildren(head, el('div', { class: 'box' }, el('pre', { id: 'output' }, lines.map(line => line.text).join('\n') || 'The task printed nothing.')));
    } catch (error) {
      output.replaceChildren(head, errorBox(error));
    }
  }

  const table = taskTable(id, 'failures', { state: 'failed|cancelled' }, 'No task failed.',
    { name: 'output', label: 'output', kind: 'text', filter: false, sort: false,
      show: task => el('button', { type: 'button', on: { click: () => show(`${task.point}.${task.repeat}`) } }, 'show') });
  async function refresh() {
    await table.refresh();
    if (/^\d+\.\d+$/.test(shown ?? '')) await show(shown);
  }
  return { node: el('div', {}, table.node, output), refresh };
}

export function cardLink(host, card) {
  if (!host || card === null || card < 0) return '-';
  return link(`/cards/${encodeURIComponent(host)}/${card}`, String(card));
}

export function figureTable(id, fixed, empty) {
  return dataTable({
    name: 'figures', path: `/jobs/${id}/results`, fixed, empty,
    columns: [
      { name: 'point', label: 'point', kind: 'number', show: row => link(`/jobs/${id}/points/${row.point}`, String(row.point)) },
      { name: 'metric', label: 'metric', kind: 'text' },
      { name: 'value', label: 'value', kind: 'number' },
      { name: 'unit', label: 'unit', kind: 'text' },
      { name: 'point_text', label: 'values', kind: 'text' },
      { name: 'repeat', label: 'repeat', kind: 'number' },
      { name: 'rank', label: 'rank', kind: 'number' },
      { name: 'host', label: 'host', kind: 'text' },
      { name: 'card', label: 'card', kind: 'number', show: row => cardLink(row.host, row.card) },
      { name: 'kernel', label: 'kernel', kind: 'text' },
      { name: 'launch', label: 'launch', kind: 'number' },
      { name: 'simulated', label: 'origin', kind: 'text', show: row => row.simulated === null ? '-' : row.simulated ? simulatedTag() : 'measured' },
    ],
  });
}

export function eventTable(path) {
  return dataTable({
    name: 'events', path, sort: '-seq', empty: 'There are no events.',
    columns: [
      { name: 'seq', label: 'number', kind: 'number' },
      { name: 'at_wall_ns', label: 'time', kind: 'text', filter: false, show: event => time(event.at_wall_ns) },
      { name: 'kind', label: 'kind', kind: 'text' },
      { name: 'job_id', label: 'job', kind: 'number', show: event => event.job_id ? link(`/jobs/${event.job_id}`, String(event.job_id)) : '-' },
      { name: 'text', label: 'text', kind: 'text' },
    ],
  });
}

export function jobPage(id) {
  const problem = el('div'), head = el('div');
  const place = el('div');
  const bar = el('div', { class: 'tabs', role: 'navigation', 'aria-label': 'Parts of the job' });
  const wanted = new URLSearchParams(location.search).get('tab') ?? 'map';
  const open = tabs.find(([name]) => name === wanted) ?? tabs[0];
  const part = open[2](id);

  bar.append(...tabs.map(([name, label]) => el('a', {
    href: `/jobs/${id}?tab=${name}`, 'aria-current': name === open[0] ? 'true' : null }, label)));
  place.append(part.node);

  function drawHead(job) {
    const now = taskRate(job);
    head.replaceChildren(
      el('p', { class: 'path' }, link('/', 'Jobs')),
      el('h1', {}, job.job_key, ' ', state(job.state)),
      facts([
        ['progress', progressBar(job)],
        ['tasks', `${number(job.done)} done, ${number(job.failed)} failed, ${number(job.cancelled)} cancelled, ` +
          `${number(job.running)} running, ${number(job.waiting)} waiting`],
        ['rate', now.rate],
        ['time left', now.left],
        ['user', job.user],
        ['submitted', time(job.submitted_wall_ns)],
        ['ended', job.ended_wall_ns ? time(job.ended_wall_ns) : ''],
        ['compared with', job.compare_against],
      ]));
  }

  async function refresh() {
    try {
      drawHead((await rows(`/jobs/${id}`)).rows[0]);
      problem.replaceChildren();
    } catch (error) { // what was read before stays on the page
      problem.replaceChildren(errorBox(error), head.hasChildNodes() ? el('p', { class: 'soft' }, 'Last known state of the job:') : '');
      return;
    }
    await part.refresh();
  }
  return { title: `Job ${id}`, node: el('div', {}, problem, head, bar, place), refresh };
}
