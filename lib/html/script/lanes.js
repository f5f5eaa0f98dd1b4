/* Draws spans of time, one row per lane. */

const LANE_LINE = 24;

function drawLanes(box, data) {
  const width = Math.max(320, box.clientWidth - 26);
  const left = nameWidth(data.lanes.map(lane => lane.name), width, 0.3);
  const top = 24, height = top + data.lanes.length * LANE_LINE + 4;
  const place = value => left + 8 + value / (data.end || 1) * (width - left - 24);
  const format = value => `${formatNumber(value, data.decimals)} ${data.unit}`;
  const svg = svgElement("svg", {role: "img", "aria-label": data.label, width, height,
                                 viewBox: `0 0 ${width} ${height}`});
  for (const tick of linearTicks(0, data.end || 1, (width - left) / 90))
    svg.append(svgElement("line", {class: "grid", x1: place(tick), x2: place(tick), y1: top - 4, y2: height}),
               svgText(`${formatShort(tick)} ${data.unit}`, {x: place(tick), y: 13, "text-anchor": "middle"}));
  data.lanes.forEach((lane, i) => {
    const y = top + i * LANE_LINE + 3;
    svg.append(svgText(lane.name, {class: "name", x: left, y: y + 13, "text-anchor": "end"}, left),
               svgElement("rect", {class: "lane", x: place(0), y, height: LANE_LINE - 6,
                                   width: Math.max(0, place(data.end) - place(0))}));
    for (const [start, end, tip] of lane.spans)
      svg.append(svgElement("rect", {
        class: lane.gap ? "gap-fill" : `s${i % 8} s-fill`, x: place(start).toFixed(2), y,
        height: LANE_LINE - 6, width: Math.max(0.5, place(end) - place(start)).toFixed(2),
        "data-tip": tip || `${lane.name}\n${format(start)} to ${format(end)}`}));
  });
  box.append(element("div", {class: "scroll"}, svg));
}
