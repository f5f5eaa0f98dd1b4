// page_cards.js - the cards of the newest jobs, and the history of one card

import { readDocument } from '/assets/api.js';
import { el, errorBox, link, number, simulatedTag, smallTable, state, svg, time } from '/assets/dom.js';
import { cardLink } from '/assets/page_job.js';
import { dataTable } from '/assets/table.js';

const cardColumns = [
  ['host', 'text', card => card.host], ['card', 'number', card => cardLink(card.host, card.card)],
  ['model', 'text', card => card.model], ['serial', 'text', card => card.serial],
  ['ranks', 'number', card => number(card.ranks)],
  ['failed', 'number', card => card.failed ? el('span', { class: 'state failed' }, number(card.failed)) : number(card.failed)],
  ['last job', 'number', card => link(`/jobs/${card.last_job_id}`, String(card.last_job_id))],
  ['origin', 'text', card => card.simulated ? simulatedTag() : 'measured'],
];

export function cardsPage() {
  const place = el('div');

  async function refresh() {
    try {
      const { rows } = await readDocument('/cards');
      if (rows.length === 0) {
        place.replaceChildren(el('p', { class: 'soft' }, 'No rank has ended on a card yet.'));
        return;
      }
      place.replaceChildren(smallTable('cards', cardColumns, rows));
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { title: 'Cards', node: el('div', {}, el('h1', {}, 'Cards'), el('p', { class: 'soft' }, 'Of the newest 20 jobs.'), place), refresh };
}

const WIDTH = 1000, HEIGHT = 190, LEFT = 56, RIGHT = 16, TOP = 12, BOTTOM = 30;

// A dot for each job: how far the card is from the median of the other cards.
function historyPlot(jobs) {
  const most = Math.max(2, ...jobs.map(job => Math.abs(job.percent))) * 1.15;
  const x = i => LEFT + (jobs.length < 2 ? 0.5 : i / (jobs.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = percent => TOP + (most - percent) / (2 * most) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil(jobs.length / 10);
  return el('div', { class: 'box' }, svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', id: 'history-plot', role: 'img', 'aria-label': `Distance to the other cards in ${jobs.length} jobs` },
    [most / 1.15, 0, -most / 1.15].map(mark => svg('g', {}, svg('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark), class: mark ? 'grid' : 'zero' }),
      svg('text', { x: LEFT - 8, y: y(mark) + 4, 'text-anchor': 'end' }, `${mark > 0 ? '+' : ''}${Number(mark.toPrecision(2))} %`))),
    svg('polyline', { class: 'trend', points: jobs.map((job, i) => `${x(i).toFixed(1)},${y(job.percent).toFixed(1)}`).join(' ') }),
    jobs.map((job, i) => svg('circle', { cx: x(i), cy: y(job.percent), r: 4.5, class: 'dot' }, svg('title', {}, `${job.job_key}: ${percentText(job.percent)}`))),
    jobs.map((job, i) => i % every ? null : svg('text', { x: x(i), y: HEIGHT - 8, 'text-anchor': jobs.length > 1 && i === jobs.length - 1 ? 'end' : i ? 'middle' : jobs.length > 1 ? 'start' : 'middle' }, job.job_key))));
}

function percentText(value) {
  return value === null ? '-' : `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))} %`;
}

function historyTable(jobs) {
  const columns = [
    ['job', 'text', job => link(`/jobs/${job.job_id}`, job.job_key)], ['ended', 'text', job => time(job.ended_wall_ns)],
    ['ranks', 'number', job => number(job.ranks)], ['failed', 'number', job => number(job.failed)],
    ['distance', 'number', job => percentText(job.percent)], ['points', 'number', job => number(job.points)],
    ['origin', 'text', job => job.simulated ? simulatedTag() : job.points ? 'measured' : '-'],
  ];
  return smallTable('history', columns, [...jobs].reverse());
}

function historyPart(host, card) {
  const place = el('div');
  async function refresh() {
    try {
      const { rows: jobs } = await readDocument(`/cards/${encodeURIComponent(host)}/${card}/history`);
      const compared = jobs.filter(job => job.percent !== null);
      place.replaceChildren(compared.length ? historyPlot(compared) : el('p', { class: 'soft' }, 'No other card measured the same points.'),
        jobs.length ? historyTable(jobs) : '');
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { node: place, refresh };
}

export function cardPage(host, card) {
  const past = historyPart(host, card);
  const table = dataTable({
    name: 'ranks', path: `/cards/${encodeURIComponent(host)}/${card}/ranks`, empty: 'Nothing ran on this card in the newest 20 jobs.',
    columns: [
      { name: 'job_id', label: 'job', kind: 'number', show: rank => link(`/jobs/${rank.job_id}`, String(rank.job_id)) },
      { name: 'point', label: 'point', kind: 'number', show: rank => link(`/jobs/${rank.job_id}/points/${rank.point}`, String(rank.point)) },
      { name: 'point_text', label: 'values', kind: 'text' },
      { name: 'repeat', label: 'repeat', kind: 'number' },
      { name: 'rank', label: 'rank', kind: 'number' },
      { name: 'status', label: 'status', kind: 'text', show: rank => state(rank.status) },
      { name: 'model', label: 'model', kind: 'text' },
      { name: 'serial', label: 'serial', kind: 'text' },
      { name: 'driver', label: 'driver', kind: 'text' },
      { name: 'cann', label: 'CANN', kind: 'text' },
    ],
  });
  return {
    title: `${host}:${card}`,
    node: el('div', {}, el('p', { class: 'path' }, link('/cards', 'Cards')), el('h1', {}, `${host}:${card}`),
      el('h2', {}, 'History'),
      el('p', { class: 'soft' }, 'duration_us at the points of each job, against the median of the other cards at the same points: above 0 this card is slower.'), past.node,
      el('h2', {}, 'Ranks'), el('p', { class: 'soft' }, 'All ranks on this card in the newest 20 jobs.'), table.node),
    async refresh() {
      await table.refresh();
      await past.refresh();
    },
  };
}
