/* Draws lines and points. */

function drawGrid(svg, x, y, frame, data) {
  for (const tick of y.ticks) {
    const at = y.place(tick).toFixed(1);
    svg.append(svgElement("line", {class: "grid", x1: frame.left, x2: frame.right, y1: at, y2: at}),
               svgText(y.format(tick), {x: frame.left - 7, y: Number(at) + 4, "text-anchor": "end"}));
  }
  for (const tick of x.ticks) {
    const at = x.place(tick).toFixed(1);
    svg.append(svgElement("line", {class: "grid", x1: at, x2: at, y1: frame.top, y2: frame.bottom}),
               svgText(x.format(tick), {x: at, y: frame.bottom + 16, "text-anchor": "middle"}));
  }
  svg.append(svgText(data.y.name, {x: frame.left - 52, y: frame.top - 10}),
             svgText(data.x.name, {x: frame.right, y: frame.bottom + 34, "text-anchor": "end"}));
}

function drawSeries(svg, series, index, x, y, axes) {
  const group = svgElement("g", {class: `s${index % 8}`});
  const good = series.x.map((value, i) => x.has(value) && y.has(series.y[i]));
  const at = i => [x.place(series.x[i]).toFixed(1), y.place(series.y[i]).toFixed(1)];
  if (series.line) {
    let path = "", pen = "M";
    series.x.forEach((_, i) => {
      if (good[i]) path += pen + at(i).join(" ");
      pen = good[i] ? "L" : "M"; /* a missing value is a gap */
    });
    group.append(svgElement("path", {class: series.soft ? "soft-line" : "line s-line", d: path}));
  }
  series.x.forEach((value, i) => {
    if (!good[i]) return;
    const [left, top] = at(i);
    if (series.low && y.has(series.low[i]) && y.has(series.high[i]))
      group.append(svgElement("line", {class: "s-line", x1: left, x2: left,
                                       y1: y.place(series.low[i]).toFixed(1),
                                       y2: y.place(series.high[i]).toFixed(1)}));
    if (!series.points) return;
    const tip = series.tips ? series.tips[i]
      : `${series.name}\n${axes.x.name}: ${x.format(value)}\n${axes.y.name}: ${formatShort(series.y[i])}`;
    group.append(svgElement("circle", {
      class: series.hollow ? "hollow s-line" : "point s-fill", cx: left, cy: top,
      r: series.x.length > 300 ? 2.5 : 4, "data-tip": tip}));
  });
  svg.append(group);
}

function drawMark(svg, mark, x, y, frame) {
  const at = (mark.vertical ? x : y).place(mark.at);
  const room = mark.vertical ? frame.right - at : frame.right - frame.left;
  if (!(at >= 0)) return;
  svg.append(mark.vertical
    ? svgElement("line", {class: "mark", x1: at, x2: at, y1: frame.top, y2: frame.bottom})
    : svgElement("line", {class: "mark", x1: frame.left, x2: frame.right, y1: at, y2: at}),
  svgText(mark.name, mark.vertical ? {class: "mark", x: at + 4, y: frame.top + 11}
    : {class: "mark", x: frame.left + 6, y: at - 5}, Math.max(room, 80)));
}

function drawSeriesKey(box, series) {
  if (series.length < 2) return;
  const key = element("div", {class: "key"});
  series.forEach((one, i) => {
    if (one.soft) return;
    key.append(element("span", {class: `s${i % 8}`}, element("i", {class: "s-fill"}),
                       shorten(one.name, 400)));
  });
  box.append(key);
}

function drawXy(box, data) {
  const width = Math.max(320, box.clientWidth - 26), height = Math.min(420, width * 0.5);
  const frame = {left: 64, right: width - 16, top: 24, bottom: height - 42};
  const all = (name, also) => data.series.flatMap(one => also.reduce(
    (list, other) => one[other] ? list.concat(one[other]) : list, one[name]));
  const marks = vertical => data.marks.filter(mark => !!mark.vertical === vertical).map(mark => mark.at);
  const x = makeAxis(data.x, all("x", []).concat(marks(true)), frame.left, frame.right);
  const y = makeAxis(data.y, all("y", ["low", "high"]).concat(marks(false)), frame.bottom, frame.top);
  const svg = svgElement("svg", {role: "img", "aria-label": data.label, width, height,
                                 viewBox: `0 0 ${width} ${height}`});
  drawGrid(svg, x, y, frame, data);
  const order = data.series.map((one, i) => [one, i]).sort((a, b) => !!b[0].soft - !!a[0].soft);
  for (const [one, i] of order) drawSeries(svg, one, i, x, y, data);
  for (const mark of data.marks) drawMark(svg, mark, x, y, frame);
  box.append(svg);
  drawSeriesKey(box, data.series);
}
