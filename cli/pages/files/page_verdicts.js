// page_verdicts.js - what `muster compare`, `muster gate` and `muster trend` find

import { readDocument } from '/assets/api.js';
import { el, errorBox, link, number, simulatedTag, state } from '/assets/dom.js';
import { dataTable } from '/assets/table.js';

const looks = { regressed: 'failed', improved: 'done', 'not-measured': 'failed', gone: 'failed', inconclusive: 'cancelled' };

function percent(value) {
  return value === null ? '-' : `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))} %`;
}

// Text fields whose values are in the address. Enter opens the page with the new values.
function fields(names) {
  const query = new URLSearchParams(location.search);
  const inputs = names.map(([name, label]) => el('input', { type: 'search', name, placeholder: label, 'aria-label': label, value: query.get(name) ?? '' }));
  const form = el('form', { class: 'controls' }, inputs, el('button', { type: 'submit' }, 'show'));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const changed = new URLSearchParams(location.search);
    for (const input of inputs) {
      if (input.value) changed.set(input.name, input.value);
      else changed.delete(input.name);
    }
    const opener = el('a', { href: `${location.pathname}?${changed}` });
    form.append(opener);
    opener.click();
    opener.remove();
  });
  return { form, values: Object.fromEntries(names.map(([name]) => [name, query.get(name) ?? ''])) };
}

const metricFields = [['metric', 'metrics, such as duration*'], ['points', 'points, such as *m=1024*']];

export function compareTab(id) {
  const { form, values } = fields([['base', 'baseline or job to compare with'], ...metricFields]);
  const counts = el('p', { role: 'status' });
  const table = dataTable({
    name: 'cells', path: `/jobs/${id}/compare`, fixed: values, empty: 'No figure can be compared.',
    columns: [
      { name: 'verdict', label: 'verdict', kind: 'text', show: cell => el('span', { class: `state ${looks[cell.verdict] ?? ''}` }, cell.verdict) },
      { name: 'point', label: 'point', kind: 'text' },
      { name: 'card', label: 'card', kind: 'text' },
      { name: 'metric', label: 'metric', kind: 'text' },
      { name: 'base', label: 'before', kind: 'number' },
      { name: 'new', label: 'now', kind: 'number' },
      { name: 'unit', label: 'unit', kind: 'text' },
      { name: 'change_percent', label: 'change', kind: 'number', show: cell => percent(cell.change_percent) },
      { name: 'low_percent', label: 'from', kind: 'number', show: cell => percent(cell.low_percent) },
      { name: 'high_percent', label: 'to', kind: 'number', show: cell => percent(cell.high_percent) },
      { name: 'reason', label: 'reason', kind: 'text' },
      { name: 'kernel', label: 'kernel', kind: 'text' },
      { name: 'simulated', label: 'origin', kind: 'text', show: cell => cell.simulated ? simulatedTag() : 'measured' },
    ],
  });
  async function refresh() {
    const found = await table.refresh();
    counts.textContent = Object.entries(found?.answer.verdicts ?? {}).map(([word, count]) => `${number(count)} ${word}`).join(', ');
  }
  return { node: el('div', {}, form, counts, table.node), refresh };
}

const gates = { 0: ['passed', 'done'], 1: ['tasks failed', 'failed'], 4: ['regressed', 'failed'], 5: ['undecided', 'cancelled'], 6: ['the job has not ended', 'running'] };

export function gateTab(id) {
  const { form, values } = fields([['against', 'job to compare with']]);
  const place = el('div');
  async function refresh() {
    try {
      const answer = await readDocument(`/jobs/${id}/gate`, values);
      const [word, look] = gates[answer.exit] ?? [`exit code ${answer.exit}`, 'failed'];
      place.replaceChildren(el('p', {}, 'Verdict: ', el('span', { class: `state ${look}`, id: 'gate' }, word)),
        el('div', { class: 'box' }, el('pre', {}, answer.rows.map(row => row.text).join('\n'))));
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { node: el('div', {}, form, place), refresh };
}

export function trendPage() {
  const { form, values } = fields([['against', 'baseline, or name of the jobs'], ...metricFields]);
  const table = dataTable({
    name: 'series', path: '/trend', fixed: values, empty: 'No figure matches.',
    columns: [
      { name: 'point', label: 'point', kind: 'text' },
      { name: 'card', label: 'card', kind: 'text' },
      { name: 'metric', label: 'metric', kind: 'text' },
      { name: 'level', label: 'level', kind: 'number' },
      { name: 'unit', label: 'unit', kind: 'text' },
      { name: 'nights', label: 'nights', kind: 'number' },
      { name: 'noise_percent', label: 'noise', kind: 'number', show: row => percent(row.noise_percent) },
      { name: 'change_percent', label: 'last change', kind: 'number', show: row => percent(row.change_percent) },
      { name: 'direction', label: 'direction', kind: 'text', show: row => row.direction ? state(row.direction) : '-' },
      { name: 'change_job', label: 'since', kind: 'text', show: row => row.change_job ? link(`/jobs/${String(row.change_job).split('-').pop()}`, String(row.change_job)) : '-' },
      { name: 'change_state', label: 'state', kind: 'text' },
      { name: 'drift_percent', label: 'drift', kind: 'number', show: row => percent(row.drift_percent) },
      { name: 'simulated', label: 'origin', kind: 'text', show: row => row.simulated ? simulatedTag() : 'measured' },
    ],
  });
  return { title: 'Trend', node: el('div', {}, el('h1', {}, 'Trend'), el('p', { class: 'soft' },
    'A series has one value per night, the median of a point. A change is a new level of at least three nights.'), form, table.node), refresh: table.refresh };
}
