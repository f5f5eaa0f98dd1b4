// page_gang.js - what `muster gang` finds about a job on several cards

import { readDocument } from '/assets/api.js';
import { el, errorBox, number, simulatedTag } from '/assets/dom.js';

const analyses = [
  ['arrival', 'Late ranks and slow transfers'],
  ['overlap', 'Overlap of computation and communication'],
  ['scaling', 'Scaling'],
  ['collectives', 'Collectives'],
  ['cards', 'Slow cards and slow ranks'],
  ['links', 'Links between cards'],
];
const looks = { slower: 'failed', late: 'failed', slow: 'failed', faster: 'done', same: 'done' };

export function gangCell(name, value) {
  if (value === null || value === '') return '-';
  if (name === 'simulated') return value ? simulatedTag() : 'measured';
  if (name === 'verdict') return el('span', { class: `state ${looks[value] ?? ''}` }, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? number(value) : value;
}

// A table with a column for each member of the rows.
function gangTable(rows) {
  const names = Object.keys(rows[0]).filter(name => rows.some(row => row[name] !== null && row[name] !== ''));
  const kinds = names.map(name => rows.some(row => typeof row[name] === 'number') ? 'number' : 'text');
  return el('div', { class: 'scroll box' }, el('table', { class: 'rows' },
    el('thead', {}, el('tr', {}, names.map((name, i) => el('th', { class: kinds[i], scope: 'col' },
      el('button', { type: 'button', disabled: true }, name.replaceAll('_', ' ')))))),
    el('tbody', {}, rows.map(row => el('tr', {}, names.map((name, i) => el('td', { class: kinds[i] }, gangCell(name, row[name]))))))));
}

export function gangTab(id) {
  const node = el('div', {}, el('p', { class: 'soft' }, 'The analyses are computed.'));
  async function refresh() {
    const parts = [], notes = [];
    for (const [name, title] of analyses) {
      try {
        const answer = await readDocument(`/jobs/${id}/gang/${name}`);
        if (answer.rows.length) parts.push(el('h2', { id: name }, title), gangTable(answer.rows));
        else notes.push(el('li', {}, `${title}: `, answer.note ?? 'no rows'));
      } catch (error) {
        parts.push(el('h2', {}, title), errorBox(error));
      }
    }
    if (notes.length === analyses.length) {
      notes.splice(0, notes.length, el('li', {}, 'These analyses need a task on several cards, or figures that this job does not have.'), ...notes.slice(0, 1));
    }
    node.replaceChildren(...parts, notes.length ? el('ul', { class: 'soft', id: 'gang-notes' }, notes) : '');
  }
  return { node, refresh };
}
