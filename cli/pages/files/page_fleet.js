// page_fleet.js - hosts, cards and the queue of a coordinator; and the events of all jobs

import { readDocument, readsCoordinator, rows } from '/assets/api.js';
import { duration, el, errorBox, link, note, number, simulatedTag, smallTable, state } from '/assets/dom.js';
import { cardLink, eventTable } from '/assets/page_job.js';
import { dataTable } from '/assets/table.js';

const MOST_WORKERS = 10000;

// One line for each host: its cards by state.
function hostsOf(workers) {
  const hosts = new Map();
  for (const worker of workers) {
    if (!hosts.has(worker.host)) hosts.set(worker.host, { host: worker.host, cards: 0, busy: 0, idle: 0, drained: 0, faults: 0, silent: 0 });
    const host = hosts.get(worker.host);
    host.cards++;
    host.idle += worker.state === 'idle';
    host.drained += /^drain/.test(worker.state);
    host.busy += worker.state !== 'idle' && !/^drain/.test(worker.state);
    host.faults += worker.faults;
    host.silent = Math.max(host.silent, worker.silent_ms);
  }
  return [...hosts.values()].sort((a, b) => a.host.localeCompare(b.host, 'en', { numeric: true }));
}

const hostColumns = [
  ['host', 'text', host => host.host],
  ['cards', 'number', host => number(host.cards)],
  ['busy', 'number', host => number(host.busy)],
  ['idle', 'number', host => number(host.idle)],
  ['drained', 'number', host => number(host.drained)],
  ['faults', 'number', host => number(host.faults)],
  ['silent for', 'number', host => duration(host.silent)],
];

const queueColumns = [
  ['job', 'text', job => link(`/jobs/${job.job_id}`, job.job_key)],
  ['state', 'text', job => state(job.state)],
  ['user', 'text', job => job.user],
  ['running', 'number', job => number(job.running)],
  ['waiting', 'number', job => number(job.waiting)],
  ['why', 'text', job => el('span', { class: 'words' }, job.reason)],
];

export function fleetPage() {
  const hosts = el('div'), queue = el('div'), cards = el('section', { hidden: true });
  const table = dataTable({
    name: 'workers', path: '/workers', empty: 'No worker is connected.',
    columns: [
      { name: 'host', label: 'host', kind: 'text' },
      { name: 'card', label: 'card', kind: 'number', show: worker => cardLink(worker.host, worker.card) },
      { name: 'state', label: 'state', kind: 'text', show: worker => state(worker.state) },
      { name: 'job_key', label: 'job', kind: 'text', show: worker => worker.job_key ? link(`/jobs/${worker.job_key.split('-').pop()}`, worker.job_key) : '-' },
      { name: 'point', label: 'point', kind: 'number', show: worker => worker.job_key ? number(worker.point) : '-' },
      { name: 'runs_ms', label: 'runs for', kind: 'number', show: worker => worker.runs_ms ? duration(worker.runs_ms) : '-' },
      { name: 'ranks_ended', label: 'ended', kind: 'number' },
      { name: 'ranks_failed', label: 'failed', kind: 'number' },
      { name: 'faults', label: 'faults', kind: 'number' },
      { name: 'silent_ms', label: 'silent for', kind: 'number', show: worker => duration(worker.silent_ms) },
      { name: 'model', label: 'model', kind: 'text' },
      { name: 'simulated', label: 'card type', kind: 'text', show: worker => worker.simulated ? simulatedTag() : 'NPU' },
      { name: 'note', label: 'note', kind: 'text' },
    ],
  });

  async function showQueue() {
    try {
      const { rows: list, total } = await rows('/queue');
      queue.replaceChildren(list.length ? smallTable('queue', queueColumns, list) : el('p', { class: 'soft', id: 'queue' }, 'No job waits or runs.'),
        total > list.length ? el('p', { class: 'soft' }, `The first ${number(list.length)} of ${number(total)} jobs.`) : '');
    } catch (error) {
      queue.replaceChildren(errorBox(error));
    }
  }

  async function showHosts() {
    const workers = await readDocument('/workers', { limit: MOST_WORKERS });
    const list = hostsOf(workers.rows);
    hosts.replaceChildren(list.length ? smallTable('hosts', hostColumns, list) : el('p', { class: 'soft' }, 'No host has a worker.'));
  }

  async function refresh() {
    await showQueue();
    try {
      const isLive = await readsCoordinator();
      if (cards.hidden) {
        cards.hidden = false;
        cards.replaceChildren(...isLive ? [el('h2', {}, 'Hosts'), hosts, el('h2', {}, 'Cards'), table.node]
          : [el('h2', {}, 'Hosts and cards'), note('This server reads a store, which has no workers. Start ', el('code', {}, 'muster serve --coordinator ENDPOINT'),
            ' to see hosts and cards while they work. ', link('/cards', 'Cards'), ' has all cards on which jobs ran.')]);
      }
      if (!isLive) return;
      await table.refresh();
      if (!table.failed()) await showHosts();
    } catch (error) {
      cards.hidden = true;
      if (!queue.querySelector('.error')) queue.append(errorBox(error));
    }
  }
  return {
    title: 'Fleet',
    node: el('div', {}, el('h1', {}, 'Fleet'), el('h2', {}, 'Queue'), queue, cards),
    refresh,
  };
}

export function eventsPage() {
  const table = eventTable('/events');
  return { title: 'Events', node: el('div', {}, el('h1', {}, 'Events'), table.node), refresh: table.refresh };
}
