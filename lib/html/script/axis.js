/* Scales of plots: they map values to pixels and choose the values of the grid. */

function linearTicks(low, high, count) {
  const raw = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= raw) || raw;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
  return ticks;
}

function logTicks(low, high, count) {
  const ticks = [], first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
  const factors = last - first <= 2 ? [1, 2, 5] : [1];
  for (let power = first; power <= last; power += every)
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  return ticks;
}

const DAY_MS = 86400000;

function timeTicks(low, high, count) {
  const days = Math.max(1, Math.ceil((high - low) / DAY_MS / Math.max(1, count)));
  if (high - low < 2 * DAY_MS) return linearTicks(low, high, count);
  const ticks = [];
  for (let day = Math.ceil(low / DAY_MS); day * DAY_MS <= high; day += days) ticks.push(day * DAY_MS);
  return ticks;
}

function formatTime(value, span) {
  const text = new Date(value).toISOString();
  return span < 2 * DAY_MS ? text.slice(5, 16).replace("T", " ") : text.slice(0, 10);
}

/* Returns the range of the values with a margin; equal values get a range of their own. */
function rangeOf(values, scale) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value === null || !isFinite(value) || (scale === "log" && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return scale === "log" ? [1, 10] : [0, 1];
  if (scale === "log") return low === high ? [low / 2, high * 2] : [low / 1.25, high * 1.25];
  const margin = low === high ? Math.abs(low) * 0.05 || 1 : (high - low) * 0.05;
  return [low - margin, high + margin];
}

/* Maps `values` to the pixels from `start` to `end`. */
function makeAxis(description, values, start, end) {
  const scale = description.scale || "linear";
  const [low, high] = rangeOf(values, scale);
  const count = Math.abs(end - start) / (scale === "time" ? 95 : 70);
  const place = scale === "log"
    ? value => start + (Math.log(value / low) / Math.log(high / low)) * (end - start)
    : value => start + ((value - low) / (high - low)) * (end - start);
  const ticks = scale === "log" ? logTicks(low, high, count)
    : scale === "time" ? timeTicks(low, high, count) : linearTicks(low, high, count);
  const format = scale === "time" ? value => formatTime(value, high - low) : formatShort;
  return {place, ticks, format, low, high,
          has: value => value !== null && isFinite(value) && (scale !== "log" || value > 0)};
}
