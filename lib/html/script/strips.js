/* Draws rows of values as dots or boxes. */

const STRIP_DOTS = 24, STRIP_LINE = 22;

function drawDots(svg, values, x, middle, format) {
  for (const value of values)
    svg.append(svgElement("circle", {class: "dot", cx: x.place(value).toFixed(1), cy: middle, r: 3.4,
                                     "data-tip": format(value)}));
}

/* Whiskers reach the furthest values within 1.5 times the box; values beyond are dots. */
function drawBox(svg, sorted, x, middle, format) {
  const [q1, q2, q3] = [0.25, 0.5, 0.75].map(share => quantile(sorted, share));
  const reach = 1.5 * (q3 - q1);
  const inside = sorted.filter(value => value >= q1 - reach && value <= q3 + reach);
  const low = inside[0], high = inside[inside.length - 1];
  const text = `${sorted.length} values\nmedian ${format(q2)}\nquartiles ${format(q1)} to ${format(q3)}\n` +
    `lowest ${format(sorted[0])}, highest ${format(sorted[sorted.length - 1])}`;
  svg.append(
    svgElement("line", {class: "whisker", x1: x.place(low), x2: x.place(high), y1: middle, y2: middle}),
    svgElement("rect", {class: "quartiles", x: x.place(q1), width: Math.max(1, x.place(q3) - x.place(q1)),
                        y: middle - 6, height: 12, "data-tip": text}));
  for (const value of sorted)
    if (value < low || value > high)
      svg.append(svgElement("circle", {class: "far", cx: x.place(value).toFixed(1), cy: middle, r: 2.4,
                                       "data-tip": format(value)}));
}

function drawStrips(box, data) {
  const width = Math.max(320, box.clientWidth - 26);
  const left = nameWidth(data.rows.map(row => row.name), width, 0.34);
  const right = nameWidth(data.rows.map(row => row.note || ""), width, 0.16);
  const top = 24, height = top + data.rows.length * STRIP_LINE + 8;
  const values = data.rows.flatMap(row => row.values);
  const x = makeAxis({scale: "linear"}, data.zero ? values.concat(0) : values, left + 8,
                     width - right - 10);
  const format = value => `${(data.zero ? formatChange : formatNumber)(value, data.decimals)} ${data.unit}`;
  const svg = svgElement("svg", {role: "img", "aria-label": data.label, width, height,
                                 viewBox: `0 0 ${width} ${height}`});
  for (const tick of x.ticks) {
    const at = x.place(tick).toFixed(1);
    svg.append(svgElement("line", {class: data.zero && tick === 0 ? "axis" : "grid", x1: at, x2: at,
                                   y1: top - 4, y2: height - 4}),
               svgText(`${x.format(tick)} ${data.unit}`, {x: at, y: 13, "text-anchor": "middle"}));
  }
  data.rows.forEach((row, i) => {
    const middle = top + i * STRIP_LINE + STRIP_LINE / 2;
    const sorted = row.values.filter(value => value !== null).sort((a, b) => a - b);
    svg.append(svgText(row.name, {class: "name", x: left, y: middle + 4, "text-anchor": "end"}, left));
    if (row.note) svg.append(svgText(row.note, {x: width - right + 4, y: middle + 4}, right));
    if (!sorted.length) return;
    if (sorted.length > STRIP_DOTS) drawBox(svg, sorted, x, middle, format);
    else drawDots(svg, sorted, x, middle, format);
    const median = x.place(quantile(sorted, 0.5));
    svg.append(svgElement("line", {class: "median", x1: median, x2: median, y1: middle - 8, y2: middle + 8}));
  });
  box.append(element("div", {class: "scroll"}, svg));
}
