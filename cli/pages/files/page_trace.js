// page_trace.js - the timeline of a trace: its clock, the lanes, a search, one slice

import { readWithTotal, rows } from '/assets/api.js';
import { el, errorBox, facts, link, number, simulatedTag } from '/assets/dom.js';
import { timeline, timeText } from '/assets/timeline.js';

const FOUND = 1000;

// Writes the values into the address, so that a link shows the same window.
function keep(values) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === '' || value === null) query.delete(name);
    else query.set(name, value);
  }
  history.replaceState(null, '', location.pathname + (query.size ? '?' + query : ''));
}

function argumentsOf(text) {
  if (!text) return [];
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  } catch {
    return [['arguments', text]];
  }
}

export function tracePage(job, file) {
  const path = `/jobs/${job}/files/${file}`;
  const query = new URLSearchParams(location.search);
  const head = el('div'), place = el('div'), detail = el('div', { role: 'status' });
  const bar = el('progress', { max: 1, value: 0 });
  const wanted = el('input', { type: 'search', placeholder: 'name of a slice', 'aria-label': 'Search', value: query.get('name') ?? '' });
  const count = el('span', { class: 'count' });
  const before = el('button', { type: 'button', 'data-page': 'before', disabled: true, on: { click: () => step(-1) } }, '‹ previous');
  const next = el('button', { type: 'button', 'data-page': 'next', disabled: true, on: { click: () => step(1) } }, 'next ›');
  const whole = el('button', { type: 'button', on: { click: () => view?.show(0, view.length) } }, 'whole trace');
  let lanes = null, view = null, timer = 0, found = [], total = 0, at = -1;

  wanted.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, 200);
  });
  wanted.addEventListener('keydown', event => {
    if (event.key === 'Enter' && found.length) step(1);
  });

  // Repeats a request until the server has read the whole trace.
  async function read(part, parameters) {
    for (;;) {
      const { answer, total: rows } = await readWithTotal(`${path}/${part}`, parameters);
      if (answer.state === 'ready') return { ...answer, total: rows };
      bar.max = answer.total || 1;
      bar.value = answer.done;
      if (!view) place.replaceChildren(el('p', { class: 'soft' }, 'The server reads the trace: ', bar));
    }
  }

  const pointOf = path => path?.match(/^p(\d+)\//)?.[1];

  // The trace of one rank does not state it, but its rank in the store does.
  async function isSimulated() {
    const point = pointOf(lanes.path);
    if (lanes.simulated !== undefined || point === undefined) return lanes.simulated;
    return (await rows(`/jobs/${job}/ranks`, { point, limit: 1 })).rows[0]?.simulated;
  }

  async function drawHead() {
    const simulated = await isSimulated();
    const skew = lanes.release_skew_ns ?? -1, uncertainty = lanes.clock_uncertainty_ns ?? -1;
    const point = pointOf(lanes.path);
    head.replaceChildren(
      el('p', { class: 'path' }, link('/', 'Jobs'), ' / ', link(`/jobs/${job}`, `job ${job}`), point ? [' / ', link(`/jobs/${job}/points/${point}`, `point ${point}`)] : null,
        ' / ', el('a', { href: `/api/v1/jobs/${job}/files/${file}`, download: '', title: 'Download' }, lanes.path)),
      el('h1', {}, lanes.kernel ?? 'Timeline', simulated ? simulatedTag() : null),
      facts([['length', timeText(lanes.length_ns)], ['slices', `${number(lanes.slices)} in ${number(lanes.rows.length)} lanes`],
        ['ranks', lanes.ranks],
        ['clock', uncertainty < 0 ? '' : `${lanes.aligned ? 'each rank from its own release on' : 'one clock for all ranks'}, uncertain by ${timeText(uncertainty)}`],
        ['releases', skew < 0 ? '' : `${timeText(skew)} apart`]]));
  }

  async function search() {
    const name = wanted.value;
    keep({ name });
    found = [];
    at = -1;
    if (name) {
      try {
        const answer = await read('search', { name, limit: FOUND });
        if (wanted.value !== name) return;
        found = answer.rows;
        total = answer.total;
      } catch (error) {
        count.textContent = error.message;
        return;
      }
    }
    view.mark(new Set(found.map(slice => slice.id)), name);
    before.disabled = next.disabled = found.length === 0;
    count.textContent = !name ? '' : total === 0 ? 'no slice has this name' : `${number(total)} slices`;
  }

  function step(by) {
    at = at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
    const slice = found[at];
    count.textContent = `${number(at + 1)} of ${number(total)} slices`;
    view.reveal(slice);
    open(slice.id);
  }

  async function open(id) {
    try {
      const slice = (await read(`slices/${id}`)).rows[0];
      const lane = lanes.rows[slice.lane];
      keep({ slice: id });
      view.select(slice);
      detail.replaceChildren(el('h2', {}, slice.name), facts([
        ['lane', `${lane.process}, ${lane.lane}`], ['start', timeText(slice.start_ns)], ['duration', timeText(slice.duration_ns)],
        ['without inner slices', slice.self_ns === slice.duration_ns ? '' : timeText(slice.self_ns)], ...argumentsOf(slice.args)]));
    } catch (error) {
      detail.replaceChildren(errorBox(error));
    }
  }

  async function start() {
    lanes = await read('lanes');
    await drawHead();
    if (lanes.rows.length === 0) {
      place.replaceChildren(el('p', { class: 'soft' }, 'The trace has no slices.'));
      return;
    }
    view = timeline(lanes, {
      window: parameters => read('window', parameters),
      arrows: parameters => read('arrows', parameters),
      open,
      moved: (from, to) => keep({ start: from, end: to }),
    });
    place.replaceChildren(el('div', { class: 'controls' }, wanted, count, el('span', { class: 'pages' }, before, next, whole)), view.node,
      el('p', { class: 'soft' }, 'Drag to move, Ctrl and wheel to zoom. Keys: ', el('kbd', {}, 'w'), ' ', el('kbd', {}, 's'), ' zoom, ', el('kbd', {}, 'a'), ' ',
        el('kbd', {}, 'd'), ' move, ', el('kbd', {}, '0'), ' the whole trace, ', el('kbd', {}, '/'), ' search.',
        lanes.clock_uncertainty_ns > 0 ? ' The band at the pointer is as wide as the uncertainty of the clock: the order of slices of two ranks is not known within it.' : ''), detail);
    await view.show(Number(query.get('start') ?? 0), Number(query.get('end') ?? lanes.length_ns));
    if (wanted.value) await search();
    if (query.get('slice')) await open(query.get('slice'));
  }

  async function refresh() { // a trace does not change; after an error the next change tries again
    if (lanes) return;
    try {
      await start();
    } catch (error) {
      lanes = null;
      place.replaceChildren(errorBox(error));
    }
  }
  return { title: 'Timeline', node: el('div', {}, head, place), refresh };
}
