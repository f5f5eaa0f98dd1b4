/* Draws a field for each row and column. */

const HEAT_STEPS = 6;

function heatClass(value, full, colors) {
  if (value === null) return "empty";
  const step = full > 0 ? Math.min(HEAT_STEPS, Math.round(Math.abs(value) / full * HEAT_STEPS)) : 0;
  return `h${step} ` + (colors === "share" ? "part" : value > 0 ? "hot" : "cold");
}

function largestValue(rows) {
  let most = 0;
  for (const row of rows) for (const value of row) most = Math.max(most, Math.abs(value || 0));
  return most;
}

function drawHeatKey(box, data, full) {
  const format = data.colors === "change" ? formatChange : formatNumber;
  const steps = data.colors === "change"
    ? [[-full, "h6 cold"], [-full / 2, "h3 cold"], [0, "h0"], [full / 2, "h3 hot"], [full, "h6 hot"]]
    : [[0, "h0"], [full / 3, "h2 part"], [full * 2 / 3, "h4 part"], [full, "h6 part"]];
  const key = element("div", {class: "key"});
  for (const [value, name] of steps) {
    const field = svgElement("svg", {width: 12, height: 12},
                             svgElement("rect", {class: name, width: 12, height: 12, rx: 2}));
    const item = element("span", {class: "heat-key"}, field, ` ${format(value, data.decimals)} ${data.unit}`);
    key.append(item);
  }
  box.append(key);
}

function drawHeat(box, data) {
  const width = Math.max(320, box.clientWidth - 26);
  const left = nameWidth(data.rows, width, 0.32);
  const cell = Math.max(3, Math.min(46, Math.floor((width - left - 4) / data.columns.length)));
  const line = Math.max(12, Math.min(18, cell + 4));
  const gap = cell > 6 ? 1 : 0;
  const top = nameWidth(data.columns, 150, 1) + 4;
  const height = top + data.rows.length * line + 4;
  const full = data.full || largestValue(data.values) || 1;
  const svg = svgElement("svg", {role: "img", "aria-label": data.label, width, height,
                                 viewBox: `0 0 ${width} ${height}`, class: "heat"});
  const every = Math.max(1, Math.ceil(13 / cell)); /* names need 13 pixels */
  data.columns.forEach((name, i) => {
    if (i % every) return;
    const at = left + i * cell + cell / 2 + 4;
    svg.append(svgText(name, {x: at, y: top - 6, transform: `rotate(-90 ${at} ${top - 6})`}, top));
  });
  let fields = "";
  data.values.forEach((row, r) => row.forEach((value, c) => {
    fields += `<rect class="${heatClass(value, full, data.colors)}" x="${left + c * cell}" ` +
      `y="${top + r * line}" width="${cell - gap}" height="${line - 1}" data-at="${r},${c}"/>`;
  }));
  const group = svgElement("g");
  group.innerHTML = fields; /* numbers and class names only */
  svg.append(group);
  data.rows.forEach((name, r) => svg.append(svgText(name, {
    class: "name", x: left - 8, y: top + r * line + line / 2 + 4, "text-anchor": "end"}, left - 8)));
  const format = data.colors === "change" ? formatChange : formatNumber;
  svg.tipOf = target => {
    const at = target.getAttribute("data-at");
    if (!at) return "";
    const [r, c] = at.split(",").map(Number), value = data.values[r][c];
    return `${data.rows[r]}\n${data.columns[c]}\n` +
      (value === null ? "no value" : `${format(value, data.decimals)} ${data.unit}`);
  };
  box.append(element("div", {class: "scroll"}, svg));
  drawHeatKey(box, data, full);
}
