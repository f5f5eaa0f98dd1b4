// page_jobs.js - all jobs with their progress

import { el, link, number, state, time } from '/assets/dom.js';
import { taskRate } from '/assets/task_rate.js';
import { dataTable } from '/assets/table.js';

export function progressBar(job) {
  const ended = job.done + job.failed + job.cancelled;
  return el('span', {}, el('progress', { class: job.failed + job.cancelled ? 'bad' : null, max: Math.max(1, job.tasks), value: ended, title: `${ended} of ${job.tasks} tasks have ended` }),
    ` ${number(ended)}/${number(job.tasks)}`);
}

export function jobsPage() {
  const table = dataTable({
    name: 'jobs',
    path: '/jobs',
    sort: '-job_id',
    empty: 'No job has been submitted yet.',
    columns: [
      { name: 'job_key', label: 'job', kind: 'text', show: job => link(`/jobs/${job.job_id}`, job.job_key) },
      { name: 'state', label: 'state', kind: 'text', show: job => state(job.state) },
      { name: 'tasks', label: 'progress', kind: 'text', filter: false, show: progressBar },
      { name: 'rate', label: 'rate', kind: 'text', filter: false, sort: false, live: true, show: job => taskRate(job).rate },
      { name: 'left', label: 'time left', kind: 'text', filter: false, sort: false, live: true, show: job => taskRate(job).left },
      { name: 'running', label: 'running', kind: 'number' },
      { name: 'failed', label: 'failed', kind: 'number' },
      { name: 'user', label: 'user', kind: 'text' },
      { name: 'submitted_wall_ns', label: 'submitted', kind: 'text', filter: false, show: job => time(job.submitted_wall_ns) },
      { name: 'ended_wall_ns', label: 'ended', kind: 'text', filter: false, show: job => time(job.ended_wall_ns) },
    ],
  });
  return { title: 'Jobs', node: el('div', {}, el('h1', {}, 'Jobs'), table.node), refresh: table.refresh };
}
