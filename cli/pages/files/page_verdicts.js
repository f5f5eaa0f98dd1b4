// page_verdicts.js - what `muster compare`, `muster gate` and `muster trend` find

import { newestOf, readDocument, rows } from '/assets/api.js';
import { el, errorBox, facts, link, note, number, simulatedTag, state } from '/assets/dom.js';
import { interval, nightLink, seriesPlot, sparkline } from '/assets/plots.js';
import { dataTable } from '/assets/table.js';

const looks = { regressed: 'failed', improved: 'done', 'not-measured': 'failed', gone: 'failed', inconclusive: 'cancelled' };

function percent(value) {
  return value === null ? '-' : `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))} %`;
}

// Names of baselines and of the newest jobs, which a field suggests.
async function suggest(list) {
  const [baselines, jobs] = await Promise.all([rows('/baselines', { limit: 100 }), rows('/jobs', { sort: '-job_id', limit: 100 })]);
  list.replaceChildren(...[...baselines.rows.map(row => row.name), ...jobs.rows.map(row => row.job_key)].map(value => el('option', { value })));
}

// Text fields whose values are in the address. Enter opens the page with the new values.
function fields(names) {
  const query = new URLSearchParams(location.search), list = el('datalist', { id: 'names' });
  const inputs = names.map(([name, label, isJob]) => el('input', { type: 'search', name, placeholder: label, 'aria-label': label, title: label, value: query.get(name) ?? '', list: isJob ? 'names' : null }));
  const form = el('form', { class: 'controls' }, inputs, list, el('button', { type: 'submit' }, 'show'));
  inputs[0].addEventListener('focus', () => suggest(list).catch(() => {}), { once: true });
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

// Displays that a job has no base yet, and suggests earlier jobs of its name.
async function missingBase(id, tab, argument) {
  const job = (await rows(`/jobs/${id}`)).rows[0];
  if (job.compare_against) return null;
  const name = job.job_key.slice(0, job.job_key.lastIndexOf('-'));
  const earlier = (await rows('/jobs', { job_key: `${name}-*`, sort: '-job_id', limit: 200 })).rows
    .filter(row => row.job_id < job.job_id && row.job_key === `${name}-${row.job_id}`).slice(0, 5);
  return note('The job file names no base (key ', el('code', {}, 'compare.against'), '). Type the name of a baseline or of an earlier job above',
    earlier.length ? ['; earlier jobs of this name: ', earlier.flatMap((row, i) => [i ? ', ' : '', link(`/jobs/${id}?tab=${tab}&${argument}=${row.job_id}`, row.job_key)])] : null, '.');
}

const metricFields = [['metric', 'metrics, such as duration*'], ['points', 'points, such as *m=1024*']];

export function compareTab(id) {
  const { form, values } = fields([['base', 'baseline or job to compare with', true], ...metricFields]);
  const counts = el('p', { role: 'status' }), missing = el('div');
  let most = 2; // percent, the end of the scale of the intervals
  const table = dataTable({
    name: 'cells', path: `/jobs/${id}/compare`, fixed: values, empty: 'No figure can be compared.',
    prepare: cells => { most = Math.max(2, ...cells.map(cell => Math.abs(cell.change_percent ?? 0) * 1.5)); },
    columns: [
      { name: 'verdict', label: 'verdict', kind: 'text', show: cell => el('span', { class: `state ${looks[cell.verdict] ?? ''}` }, cell.verdict) },
      { name: 'point', label: 'point', kind: 'text' },
      { name: 'card', label: 'card', kind: 'text' },
      { name: 'metric', label: 'metric', kind: 'text' },
      { name: 'change_percent', label: 'change', kind: 'number', show: cell => percent(cell.change_percent) },
      { name: 'base', label: 'before', kind: 'number' },
      { name: 'new', label: 'now', kind: 'number' },
      { name: 'unit', label: 'unit', kind: 'text' },
      { name: 'low_percent', label: 'from', kind: 'number', show: cell => percent(cell.low_percent) },
      { name: 'high_percent', label: 'to', kind: 'number', show: cell => percent(cell.high_percent) },
      { name: 'interval', label: 'interval', kind: 'text', filter: false, sort: false, show: cell => interval(cell.low_percent, cell.change_percent, cell.high_percent, most) },
      { name: 'reason', label: 'reason', kind: 'text' },
      { name: 'kernel', label: 'kernel', kind: 'text' },
      { name: 'simulated', label: 'origin', kind: 'text', show: cell => cell.simulated ? simulatedTag() : 'measured' },
    ],
  });
  async function refresh() {
    const reason = values.base ? null : await missingBase(id, 'compare', 'base');
    table.node.hidden = reason !== null;
    missing.replaceChildren(reason ?? '');
    if (reason) return;
    const found = await table.refresh();
    counts.textContent = Object.entries(found?.answer.verdicts ?? {}).map(([word, count]) => `${number(count)} ${word}`).join(', ');
  }
  return { node: el('div', {}, form, missing, counts, table.node), refresh };
}

const gates = { 0: ['passed', 'done'], 1: ['tasks failed', 'failed'], 4: ['regressed', 'failed'], 5: ['undecided', 'cancelled'], 6: ['the job has not ended', 'running'] };

export function gateTab(id) {
  const { form, values } = fields([['against', 'baseline or job to compare with', true]]);
  const place = el('div');
  const readGate = newestOf(async () => {
    const reason = values.against ? null : await missingBase(id, 'gate', 'against');
    return reason ? { reason } : { answer: await readDocument(`/jobs/${id}/gate`, values) };
  });

  async function refresh() {
    try {
      const { reason, answer } = await readGate();
      if (reason) {
        place.replaceChildren(reason);
        return;
      }
      const [word, look] = gates[answer.exit] ?? [`exit code ${answer.exit}`, 'failed'];
      place.replaceChildren(el('p', {}, 'Verdict: ', el('span', { class: `state ${look}`, id: 'gate' }, word)),
        el('div', { class: 'box' }, el('pre', {}, answer.rows.map(row => row.text).join('\n'))));
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { node: el('div', {}, form, place), refresh };
}

function seriesOf(row) {
  const nights = row.night_jobs?.split(' ') ?? [], values = row.night_values?.split(' ').map(text => text === '-' ? null : Number(text)) ?? [];
  return { values, nights, unit: row.unit, name: [row.metric, row.point, row.kernel, row.rank === null ? '' : `rank ${row.rank}`, row.card].filter(Boolean).join(', '),
    changes: new Set(nights.filter(night => row.changes?.split(', ').some(change => change.startsWith(night + ' ')))), spikes: new Set(row.spikes?.split(', ') ?? []) };
}

const keyOf = row => [row.metric, row.point, row.kernel, row.rank, row.card].join('|');

export function trendPage() {
  const { form, values } = fields([['against', 'baseline, or name of the jobs', true], ...metricFields]);
  const plot = el('div');
  let found = [];

  function show(row) {
    const series = seriesOf(row);
    plot.replaceChildren(el('h2', {}, series.name, row.simulated ? simulatedTag() : null), seriesPlot(series), facts([
      ['changes', row.changes], ['spikes', row.spikes], ['drift', row.drift_percent === null ? '' : `${percent(row.drift_percent)} over the last level`],
      ['environment changed', row.environment_changes]]));
  }

  function choose(row) {
    const query = new URLSearchParams(location.search);
    query.set('series', keyOf(row));
    history.replaceState(null, '', `${location.pathname}?${query}`);
    show(row);
    plot.scrollIntoView({ block: 'nearest' });
  }

  const table = dataTable({
    name: 'series', path: '/trend', fixed: values, empty: 'No figure matches.',
    columns: [
      { name: 'point', label: 'point', kind: 'text', show: row => el('button', { type: 'button', title: 'Show the nights of this series', on: { click: () => choose(row) } }, row.point || 'the only point') },
      { name: 'kernel', label: 'kernel', kind: 'text' },
      { name: 'rank', label: 'rank', kind: 'number' },
      { name: 'card', label: 'card', kind: 'text' },
      { name: 'metric', label: 'metric', kind: 'text' },
      { name: 'night_values', label: 'nights', kind: 'text', filter: false, sort: false, show: row => sparkline(seriesOf(row).values) },
      { name: 'level', label: 'level', kind: 'number' },
      { name: 'unit', label: 'unit', kind: 'text' },
      { name: 'nights', label: 'count', kind: 'number' },
      { name: 'noise_percent', label: 'noise', kind: 'number', show: row => percent(row.noise_percent) },
      { name: 'change_percent', label: 'last change', kind: 'number', show: row => percent(row.change_percent) },
      { name: 'direction', label: 'direction', kind: 'text', show: row => row.direction ? el('span', { class: `state ${row.direction === 'worse' ? 'failed' : 'done'}` }, row.direction) : '-' },
      { name: 'change_job', label: 'since', kind: 'text', show: row => row.change_job ? nightLink(row.change_job) : '-' },
      { name: 'change_state', label: 'state', kind: 'text' },
      { name: 'drift_percent', label: 'drift', kind: 'number', show: row => percent(row.drift_percent) },
      { name: 'simulated', label: 'origin', kind: 'text', show: row => row.simulated ? simulatedTag() : 'measured' },
    ],
  });

  async function refresh() {
    const answer = await table.refresh();
    found = answer?.rows ?? [];
    const wanted = new URLSearchParams(location.search).get('series');
    const row = found.find(candidate => keyOf(candidate) === wanted) ?? found[0];
    if (row) show(row);
    else plot.replaceChildren();
  }
  return { title: 'Trend', node: el('div', {}, el('h1', {}, 'Trend'), el('p', { class: 'soft' },
    'A series has one value per night, the median of a point. A change is a new level of at least three nights. Choose a point to see its nights.'), form, plot, table.node), refresh };
}
