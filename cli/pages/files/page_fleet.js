// page_fleet.js - the connected workers, and the events of all jobs

import { duration, el, link, simulatedTag, state } from '/assets/dom.js';
import { cardLink, eventTable } from '/assets/page_job.js';
import { dataTable } from '/assets/table.js';

export function fleetPage() {
  const table = dataTable({
    name: 'workers', path: '/workers', empty: 'No worker is connected.',
    columns: [
      { name: 'host', label: 'host', kind: 'text' },
      { name: 'card', label: 'card', kind: 'number', show: worker => cardLink(worker.host, worker.card) },
      { name: 'state', label: 'state', kind: 'text', show: worker => state(worker.state) },
      { name: 'job_key', label: 'job', kind: 'text', show: worker => worker.job_key ? link(`/jobs/${worker.job_key.split('-').pop()}`, worker.job_key) : '-' },
      { name: 'point', label: 'point', kind: 'number' },
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
  return { title: 'Fleet', node: el('div', {}, el('h1', {}, 'Fleet'), table.node), refresh: table.refresh };
}

export function eventsPage() {
  const table = eventTable('/events');
  return { title: 'Events', node: el('div', {}, el('h1', {}, 'Events'), table.node), refresh: table.refresh };
}
