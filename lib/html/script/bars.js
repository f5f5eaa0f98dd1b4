/* Draws stacked bars. */

const BAR_LINE = 22;

function drawBars(box, data) {
  const width = Math.max(320, box.clientWidth - 26);
  const left = nameWidth(data.rows, width, 0.34);
  const top = 24, height = top + data.rows.length * BAR_LINE + 4;
  const sums = data.values.map(row => row.reduce((sum, value) => sum + (value || 0), 0));
  const most = Math.max(...sums, 0) || 1;
  const place = value => left + 8 + value / most * (width - left - 24);
  const svg = svgElement("svg", {role: "img", "aria-label": data.label, width, height,
                                 viewBox: `0 0 ${width} ${height}`});
  for (const tick of linearTicks(0, most, (width - left) / 90))
    svg.append(svgElement("line", {class: "grid", x1: place(tick), x2: place(tick), y1: top - 4, y2: height}),
               svgText(`${formatShort(tick)} ${data.unit}`, {x: place(tick), y: 13, "text-anchor": "middle"}));
  data.rows.forEach((name, r) => {
    const y = top + r * BAR_LINE;
    let start = 0;
    svg.append(svgText(name, {class: "name", x: left, y: y + BAR_LINE / 2 + 4, "text-anchor": "end"}, left));
    data.values[r].forEach((value, i) => {
      if (!value) return;
      svg.append(svgElement("rect", {
        class: `s${i % 8} s-fill`, x: place(start), y: y + 3, height: BAR_LINE - 6,
        width: Math.max(0.5, place(start + value) - place(start)),
        "data-tip": `${name}\n${data.parts[i]}: ${formatNumber(value, data.decimals)} ${data.unit}`}));
      start += value;
    });
  });
  box.append(element("div", {class: "scroll"}, svg));
  box.append(element("div", {class: "key"}, ...data.parts.map((part, i) => element(
    "span", {class: `s${i % 8}`}, element("i", {class: "s-fill"}), part))));
}
