// page_files.js - result files of a job or a point, to download or to look at

import { newestOf, rows } from '/assets/api.js';
import { el, errorBox, link, note, number, smallTable } from '/assets/dom.js';

const PAGE = 200;
const kinds = [
  [/\/(merged|aligned)\/.*\.json$/, 'timeline of all ranks'], [/\/trace\.json$/, 'timeline'],
  [/\/visualize_data\.bin$/, 'MindStudio Insight'], [/\.csv$/, 'table'], [/^[^/]*$/, 'report of the job'],
];

const isTrace = file => /\/trace\.json$|\/(merged|aligned)\/.*\.json$/.test(file.path);

function sizeText(bytes) {
  return bytes < 10000 ? `${number(bytes)} B` : bytes < 1e7 ? `${number(Math.round(bytes / 1e3))} kB` : `${number(Math.round(bytes / 1e6))} MB`;
}

export function fileTable(job, list, id) {
  return smallTable(id, [
    ['file', 'text', file => file.size === null ? `${file.path}: missing` : el('a', { href: `/api/v1/jobs/${job}/files/${file.id}`, download: '', title: 'Download' }, file.path)],
    ['content', 'text', file => kinds.find(([pattern]) => pattern.test(file.path))?.[1] ?? ''],
    ['size', 'number', file => file.size === null ? '-' : sizeText(file.size)],
    ['rank', 'number', file => /^p\d+\//.test(file.path) ? String(file.rank) : '-'],
    ['', 'text', file => isTrace(file) && file.size !== null ? link(`/jobs/${job}/traces/${file.id}`, 'show timeline') : ''],
  ], list);
}

// All files of a job, a page at a time.
export function filesTab(job) {
  const place = el('div'), count = el('span', { class: 'count' });
  const before = el('button', { type: 'button', 'data-page': 'before', on: { click: () => turn(-PAGE) } }, '‹ previous');
  const next = el('button', { type: 'button', 'data-page': 'next', on: { click: () => turn(PAGE) } }, 'next ›');
  const readFiles = newestOf(rows);
  let after = Number(new URLSearchParams(location.search).get('files.after') ?? 0), shown = '';

  function turn(step) {
    const query = new URLSearchParams(location.search);
    after = Math.max(0, after + step);
    if (after) query.set('files.after', String(after));
    else query.delete('files.after');
    history.replaceState(null, '', `${location.pathname}?${query}`);
    refresh();
  }

  async function refresh() {
    try {
      const { rows: list } = await readFiles(`/jobs/${job}/files`, { limit: PAGE + 1, after: after || '' });
      const some = list.slice(0, PAGE), key = JSON.stringify([after, list]);
      before.hidden = next.hidden = after === 0 && list.length <= PAGE;
      before.disabled = after === 0;
      next.disabled = list.length <= PAGE;
      if (key === shown) return;
      shown = key;
      count.textContent = some.length ? `files ${number(after + 1)} to ${number(after + some.length)}` : '';
      place.replaceChildren(some.length ? fileTable(job, some, 'job-files') : note('This job has no files yet.'));
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { node: el('div', {}, el('p', { class: 'soft' }, 'A file of kind MindStudio Insight opens in the viewer of the vendor, see ', el('code', {}, 'muster serve --viewer'), '. All files of a job: ',
    el('code', {}, `muster fetch ${job}`), '.'), el('div', { class: 'controls' }, count, el('span', { class: 'pages' }, before, next)), place), refresh };
}
