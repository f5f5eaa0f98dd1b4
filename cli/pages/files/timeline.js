// timeline.js - draws the lanes of a trace on a canvas
//
// The server sends at most a thousand slices of each row of a lane, and only of the lanes on
// screen. While a window is moved, the present slices are drawn at their new places; the answer
// for the new window follows.

import { el, errorBox } from '/assets/dom.js';

const LEFT = 210, TOP = 30, ROW = 17, HEAD = 20, GAP = 3, MOST_ROWS = 40, HEIGHT = 560;

export function timeText(ns) {
  const size = Math.abs(ns);
  const [unit, scale] = size >= 1e9 ? ['s', 1e9] : size >= 1e6 ? ['ms', 1e6] : size >= 1e3 ? ['us', 1e3] : ['ns', 1];
  return `${Number((ns / scale).toPrecision(6))} ${unit}`;
}

// The same name has the same colour everywhere: a hue between light and dark, as the bytes
// alpha, blue, green, red of a pixel.
const colors = new Map();
function colorOf(name) {
  if (!colors.has(name)) {
    let hash = 7;
    for (const letter of name) hash = (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0;
    const hue = hash % 360, level = part => {
      const k = (part + hue / 30) % 12;
      return Math.round(255 * (0.62 - 0.22 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    colors.set(name, (0xff000000 | level(4) << 16 | level(8) << 8 | level(0)) >>> 0);
  }
  return colors.get(name);
}

// The top of each lane, with a line for each process above its first lane.
function layOut(lanes) {
  let y = 0, process = null;
  const places = lanes.map(lane => {
    const isFirst = lane.process !== process;
    process = lane.process;
    if (isFirst) y += HEAD;
    const place = { y, isFirst, rows: Math.min(MOST_ROWS, lane.depth) };
    y += place.rows * ROW + GAP;
    return place;
  });
  return { places, height: y };
}

// Distance of the marks of the ruler: 1, 2 or 5 times a power of ten.
function markStep(span, width) {
  const least = span / Math.max(1, width / 110), power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least) ?? least;
}

// lanes: the answer of the server. ask: {window, arrows, open, moved}, see page_trace.js.
export function timeline(lanes, ask) {
  const { places, height } = layOut(lanes.rows);
  const canvas = el('canvas', { class: 'timeline', tabindex: '0', role: 'img', 'aria-label': `${lanes.slices} slices in ${lanes.rows.length} lanes` });
  const scroll = el('div', { class: 'timeline-scroll' }, el('div', {}, canvas));
  const tip = el('p', { class: 'soft timeline-tip' }, 'Point at a slice to see its times; click it for its arguments.');
  const message = el('div');
  const node = el('div', {}, message, tip, el('div', { class: 'box' }, scroll));
  let from = 0, to = lanes.length_ns, shown = null, arrows = [], selected = null, marked = null, markedName = '';
  let timer = 0, asked = 0, drag = null, pointer = null, frame = 0;

  const boxHeight = Math.min(HEIGHT, height + TOP);
  scroll.style.height = `${boxHeight}px`;
  scroll.firstChild.style.height = `${height + TOP}px`;

  const width = () => Math.max(100, scroll.clientWidth - LEFT);
  const xOf = ns => LEFT + (ns - from) / (to - from) * width();
  const nsOf = x => from + (x - LEFT) / width() * (to - from);

  function visibleLanes() {
    const top = scroll.scrollTop, bottom = top + boxHeight;
    let first = places.findIndex(place => place.y + place.rows * ROW + TOP >= top);
    if (first < 0) first = 0;
    let count = 0;
    while (first + count < places.length && places[first + count].y < bottom && count < 200) count++;
    return { first, count };
  }

  // Moves the window; keeps it within the trace and at least 20 ns wide.
  function show(start, end) {
    const span = Math.round(Math.min(Math.max(20, end - start), Math.max(20, lanes.length_ns * 1.02)));
    from = Math.round(Math.max(Math.min(start, lanes.length_ns - span * 0.5), -span * 0.02));
    to = from + span;
    draw();
    clearTimeout(timer);
    return new Promise(done => {
      timer = setTimeout(() => load().then(done), shown ? 60 : 0);
    });
  }

  async function load() {
    const number = ++asked;
    const start = Math.max(0, from), end = to;
    const { first, count } = visibleLanes();
    try {
      const [answer, found] = await Promise.all([
        ask.window({ start, end, lane: first, lanes: count }),
        lanes.arrow_ends ? ask.arrows({ start, end }) : { rows: [] }]);
      if (number !== asked) return; // the window moved on
      shown = answer;
      arrows = found.rows;
      message.replaceChildren();
      ask.moved(from, to);
      draw();
      canvas.dataset.slices = shown.rows.reduce((sum, row) => sum + row.slices.length, 0);
      canvas.dataset.window = `${start} ${end}`;
    } catch (error) {
      message.replaceChildren(errorBox(error));
    }
  }

  function zoom(factor, x = LEFT + width() / 2) {
    const at = nsOf(x);
    show(at - (at - from) * factor, at + (to - at) * factor);
  }

  function draw() {
    if (!frame) frame = requestAnimationFrame(paint);
  }

  function paint() {
    frame = 0;
    if (!node.isConnected) return;
    const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue(name);
    const scale = devicePixelRatio || 1, all = LEFT + width();
    canvas.width = all * scale;
    canvas.height = boxHeight * scale;
    canvas.style.width = `${all}px`;
    canvas.style.height = `${boxHeight}px`;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    const top = TOP - scroll.scrollTop;
    pen.save();
    pen.beginPath();
    pen.rect(0, TOP, all, boxHeight - TOP);
    pen.clip();
    paintLabels(pen, color, top, all);
    pen.beginPath();
    pen.rect(LEFT, TOP, width(), boxHeight - TOP);
    pen.clip();
    paintBand(pen, color);
    paintSlices(pen, color, top);
    paintArrows(pen, color, top);
    pen.restore();
    paintRuler(pen, color, all);
  }

  function paintLabels(pen, color, top, all) {
    lanes.rows.forEach((lane, i) => {
      const y = top + places[i].y;
      if (y > boxHeight || y + places[i].rows * ROW < 0) return;
      if (places[i].isFirst) {
        pen.fillStyle = color('--line');
        pen.fillRect(0, y - HEAD + 1, all, HEAD - 3);
        pen.fillStyle = color('--fg');
        pen.fillText(lane.process, 6, y - HEAD / 2, LEFT * 2);
      }
      pen.fillStyle = color('--soft');
      pen.fillText(lane.lane, 14, y + ROW / 2, LEFT - 20);
    });
  }

  // The slices of each row become a strip of pixels, which is drawn stretched: a call for each
  // slice would be slow.
  function paintSlices(pen, color, top) {
    const scale = devicePixelRatio || 1, wide = Math.round(width() * scale);
    const strips = new OffscreenCanvas(wide, MOST_ROWS), paper = strips.getContext('2d');
    const perNs = wide / (to - from), texts = [];
    pen.imageSmoothingEnabled = false;
    for (const { lane, slices } of shown?.rows ?? []) {
      const y = top + places[lane].y, { rows } = places[lane];
      if (y > boxHeight || y + rows * ROW < TOP) continue;
      const image = paper.createImageData(wide, rows), pixels = new Uint32Array(image.data.buffer);
      for (const [row, start, duration, name, id] of slices) {
        const x = Math.max(0, Math.floor((start - from) * perNs)), after = (start + duration - from) * perNs;
        if (after < 0 || x >= wide) continue;
        const end = Math.min(wide, Math.max(x + 1, Math.floor(after) - (after - x > 3 ? 1 : 0)));
        const text = shown.names[name];
        const isDim = marked?.size && !marked.has(id) && !text.toLowerCase().includes(markedName);
        pixels.fill(isDim ? colorOf(text) & 0x40ffffff : colorOf(text), row * wide + x, row * wide + end);
        if (end - x > 30) texts.push([text, LEFT + x / scale, y + row * ROW, LEFT + end / scale]);
        if (selected?.id === id) texts.push([null, LEFT + x / scale, y + row * ROW, (end - x) / scale]);
      }
      paper.putImageData(image, 0, 0);
      for (let row = 0; row < rows; row++)
        pen.drawImage(strips, 0, row, wide, 1, LEFT, y + row * ROW + 1, wide / scale, ROW - 2);
    }
    for (const [text, x, y, end] of texts) {
      if (text === null) paintFrame(pen, color, x, y, end);
      else paintName(pen, text, x, y, end);
    }
  }

  function paintFrame(pen, color, x, y, wide) {
    pen.strokeStyle = color('--fg');
    pen.lineWidth = 2;
    pen.strokeRect(x, y + 1, wide, ROW - 2);
  }

  function paintName(pen, text, left, y, end) {
    pen.fillStyle = '#000';
    pen.save();
    pen.beginPath();
    pen.rect(left, y, end - left - 2, ROW);
    pen.clip();
    pen.fillText(text, left + 3, y + ROW / 2);
    pen.restore();
  }

  // Within this band the order of events of two ranks is not known.
  function paintBand(pen, color) {
    const uncertainty = lanes.clock_uncertainty_ns ?? 0;
    const times = selected ? [selected.start_ns, selected.start_ns + selected.duration_ns] : [];
    if (pointer && pointer.x > LEFT) times.push(nsOf(pointer.x));
    for (const at of times) {
      const x = xOf(at - uncertainty), wide = Math.max(1, xOf(at + uncertainty) - x);
      pen.globalAlpha = wide > 1 ? 0.18 : 0.6;
      pen.fillStyle = color('--link');
      pen.fillRect(x, TOP, wide, boxHeight);
    }
    pen.globalAlpha = 1;
  }

  function paintArrows(pen, color, top) {
    pen.strokeStyle = pen.fillStyle = color('--fg');
    pen.lineWidth = 1;
    pen.globalAlpha = arrows.length > 40 ? 0.3 : 0.6;
    for (const arrow of arrows) {
      const x = xOf(arrow.from_ns), y = top + places[arrow.from_lane].y + ROW / 2;
      const toX = xOf(arrow.to_ns), toY = top + places[arrow.to_lane].y + ROW / 2;
      const middle = (x + toX) / 2;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.bezierCurveTo(middle, y, middle, toY, toX, toY);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(toX, toY);
      pen.lineTo(toX - 5, toY - 3);
      pen.lineTo(toX - 5, toY + 3);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function paintRuler(pen, color, all) {
    const step = markStep(to - from, width());
    pen.fillStyle = color('--box');
    pen.fillRect(0, 0, all, TOP);
    pen.fillStyle = color('--soft');
    pen.strokeStyle = color('--line');
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = Math.round(xOf(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, TOP - 8);
      pen.lineTo(x, TOP);
      pen.stroke();
      pen.fillText(timeText(at), x + 3, TOP / 2 - 2);
    }
    const uncertainty = lanes.clock_uncertainty_ns ?? 0, wide = 2 * uncertainty / (to - from) * width();
    if (wide < 2) return;
    pen.fillText(`± ${timeText(uncertainty)}`, 8, TOP / 2);
    pen.strokeStyle = color('--link');
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(LEFT, TOP - 1);
    pen.lineTo(LEFT + Math.min(wide, width()), TOP - 1);
    pen.stroke();
  }

  function sliceAt(x, y) {
    const at = y + scroll.scrollTop - TOP, ns = nsOf(x), reach = (to - from) / width();
    for (const { lane, slices } of shown?.rows ?? []) {
      const row = Math.floor((at - places[lane].y) / ROW);
      if (at < places[lane].y || row >= places[lane].rows) continue;
      return slices.find(slice => slice[0] === row && slice[1] - reach <= ns && ns <= slice[1] + slice[2] + reach);
    }
    return undefined;
  }

  function place(event) {
    const area = canvas.getBoundingClientRect();
    return { x: event.clientX - area.left, y: event.clientY - area.top };
  }

  canvas.addEventListener('wheel', event => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event).x);
    } else if (event.shiftKey || event.deltaX) {
      event.preventDefault();
      const by = (event.deltaX || event.deltaY) / width() * (to - from);
      show(from + by, to + by);
    }
  }, { passive: false });
  canvas.addEventListener('pointerdown', event => {
    drag = { x: event.clientX, y: event.clientY, from, to, top: scroll.scrollTop, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    pointer = place(event);
    if (drag) {
      const by = (event.clientX - drag.x) / width() * (drag.to - drag.from);
      drag.moved ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4;
      scroll.scrollTop = drag.top - (event.clientY - drag.y);
      if (drag.moved) show(drag.from - by, drag.to - by);
      return;
    }
    const slice = sliceAt(pointer.x, pointer.y);
    tip.textContent = slice ? `${shown.names[slice[3]]}: ${timeText(slice[1])} to ${timeText(slice[1] + slice[2])}, ${timeText(slice[2])}`
      : pointer.x > LEFT ? timeText(nsOf(pointer.x)) : '';
    draw();
  });
  canvas.addEventListener('pointerup', event => {
    const { x, y } = place(event), slice = !drag?.moved && sliceAt(x, y);
    drag = null;
    if (slice) ask.open(slice[4]);
  });
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('pointerleave', () => {
    pointer = null;
    draw();
  });
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const part = (to - from) * 0.2;
    const action = {
      w: () => zoom(0.7), s: () => zoom(1.4), a: () => show(from - part, to - part), d: () => show(from + part, to + part),
      ArrowLeft: () => show(from - part, to - part), ArrowRight: () => show(from + part, to + part), 0: () => show(0, lanes.length_ns),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  scroll.addEventListener('scroll', () => {
    draw();
    clearTimeout(timer);
    timer = setTimeout(load, 60);
  });
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  // Brings a slice into the window, with room around it.
  function reveal(slice) {
    const room = Math.max(slice.duration_ns * 4, (to - from) * 0.25);
    const y = places[slice.lane].y;
    if (y < scroll.scrollTop || y + ROW + TOP > scroll.scrollTop + boxHeight) scroll.scrollTop = Math.max(0, y - boxHeight / 3);
    const middle = slice.start_ns + slice.duration_ns / 2;
    show(middle - room / 2, middle + room / 2);
  }

  return {
    node, show, reveal, length: lanes.length_ns,
    select(slice) {
      selected = slice;
      draw();
    },
    mark(ids, name) {
      marked = ids;
      markedName = name.toLowerCase();
      draw();
    },
  };
}
