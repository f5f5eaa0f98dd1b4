// page_cards.js - the cards of the newest jobs, and the history of one card

import { readDocument } from '/assets/api.js';
import { el, errorBox, link, number, simulatedTag, state } from '/assets/dom.js';
import { cardLink } from '/assets/page_job.js';
import { dataTable } from '/assets/table.js';

export function cardsPage() {
  const place = el('div');

  async function refresh() {
    try {
      const { rows } = await readDocument('/cards');
      if (rows.length === 0) {
        place.replaceChildren(el('p', { class: 'soft' }, 'No rank has ended on a card yet.'));
        return;
      }
      place.replaceChildren(el('div', { class: 'scroll box' }, el('table', { class: 'rows' },
        el('thead', {}, el('tr', {}, ['host', 'card', 'model', 'serial', 'ranks', 'failed', 'last job', 'origin']
          .map(label => el('th', { class: 'text', scope: 'col' }, el('button', { type: 'button', disabled: true }, label))))),
        el('tbody', {}, rows.map(card => el('tr', {},
          el('td', { class: 'text' }, card.host), el('td', { class: 'text' }, cardLink(card.host, card.card)),
          el('td', { class: 'text' }, card.model), el('td', { class: 'text' }, card.serial),
          el('td', { class: 'text' }, number(card.ranks)), el('td', { class: card.failed ? 'text bad' : 'text' }, number(card.failed)),
          el('td', { class: 'text' }, link(`/jobs/${card.last_job_id}`, String(card.last_job_id))),
          el('td', { class: 'text' }, card.simulated ? simulatedTag() : 'measured')))))));
    } catch (error) {
      place.replaceChildren(errorBox(error));
    }
  }
  return { title: 'Cards', node: el('div', {}, el('h1', {}, 'Cards'), el('p', { class: 'soft' }, 'Of the newest 20 jobs.'), place), refresh };
}

export function cardPage(host, card) {
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
      el('p', { class: 'soft' }, 'All ranks on this card in the newest 20 jobs.'), table.node),
    refresh: table.refresh,
  };
}
