/* Draws a table: controls, sortable heads, folded groups, pages of rows. */

const PAGE_ROWS = 200, PRINT_ROWS = 2000, LARGE_CHANGE = 2; /* per cent */
const TEXT_WIDTH = 260;

/* Sets the text of a cell, shortened, with the full text as a tooltip. */
function setText(node, text) {
  const short = shorten(text, TEXT_WIDTH);
  node.textContent = short;
  if (short !== text) node.title = text;
}

/* Draws the values of a cell as dots between `low` and `high`. */
function valueDots(values, low, high) {
  const width = 110, height = 16, span = high - low;
  const place = value => span > 0 ? 5 + (value - low) / span * (width - 10) : width / 2;
  const svg = svgElement("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
  svg.append(svgElement("line", {class: "grid", x1: 2, x2: width - 2, y1: 8, y2: 8}));
  for (const value of values)
    svg.append(svgElement("circle", {class: "dot", cx: place(value).toFixed(1), cy: 8, r: 3,
                                     "data-tip": formatShort(value)}));
  return svg;
}

function drawCell(table, column, cell, range) {
  const {kind} = table.columns[column];
  const text = textOfCell(table, column, cell);
  const node = element("td", {class: kind});
  if (cell === null) return node;
  if (kind === "values") {
    node.append(valueDots(cell, range[0], range[1]));
  } else if (kind === "link") {
    const path = table.texts[cell[0]].split("/").map(encodeURIComponent).join("/");
    node.append(element("a", {href: path}, shorten(text, TEXT_WIDTH)));
  } else if (kind === "long") {
    node.textContent = text;
  } else {
    setText(node, text);
  }
  if (kind === "word") node.className += " " + classOfWord(text);
  if (kind === "change" && Math.abs(cell) >= LARGE_CHANGE)
    node.className += cell > 0 ? " slow" : " fast";
  return node;
}

/* Returns the lowest and highest value of all cells with values. */
function rangeOfValues(table, rows) {
  let low = Infinity, high = -Infinity;
  table.columns.forEach((column, i) => {
    if (column.kind !== "values") return;
    for (const row of rows)
      for (const value of row[i] || []) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  });
  return [low, high];
}

/* Returns the columns in which a row has a value; the others would only take room. */
function usedColumns(table) {
  const all = table.columns.map((_, i) => i);
  return table.rows.length ? all.filter(i => table.rows.some(row => row[i] !== null)) : all;
}

function drawRow(table, row, range) {
  return element("tr", {}, ...table.used.map(i => drawCell(table, i, row[i], range)));
}

function drawGroupRow(table, group, state, redraw) {
  const open = state.open.has(group.key);
  const node = element("tr", {class: open ? "fold open" : "fold", tabindex: "0",
                              "aria-expanded": String(open)});
  table.used.forEach(i => {
    const column = table.columns[i];
    const cell = element("td", {class: column.kind === "word" ? "text" : column.kind});
    setText(cell, summaryOf(table, i, group.rows));
    node.append(cell);
  });
  const toggle = () => {
    if (!state.open.delete(group.key)) state.open.add(group.key);
    redraw();
  };
  node.addEventListener("click", toggle);
  node.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle();
  });
  return node;
}

/* Returns functions that draw the visible rows, so that only those of a page are drawn. */
function visibleRows(table, rows, state, redraw) {
  if (table.fold === undefined) {
    const range = rangeOfValues(table, rows);
    return rows.map(row => () => drawRow(table, row, range));
  }
  const visible = [];
  for (const group of foldRows(table, rows)) {
    visible.push(() => drawGroupRow(table, group, state, redraw));
    if (!state.open.has(group.key)) continue;
    const range = rangeOfValues(table, group.rows); /* the members share one scale */
    for (const row of group.rows) visible.push(() => drawRow(table, row, range));
  }
  return visible;
}

function drawHead(table, state, redraw) {
  const row = element("tr");
  table.used.forEach(i => {
    const column = table.columns[i];
    const button = element("button", {type: "button"}, column.name);
    const head = element("th", {class: column.kind, scope: "col"}, button);
    if (column.tooltip) head.title = column.tooltip;
    if (state.sort && state.sort[0] === i)
      head.setAttribute("aria-sort", state.sort[1] ? "descending" : "ascending");
    button.addEventListener("click", () => {
      const again = state.sort && state.sort[0] === i;
      const first = isNumber(column.kind) || column.kind === "values";
      state.sort = [i, again ? !state.sort[1] : first];
      state.page = 0;
      redraw();
    });
    row.append(head);
  });
  return element("thead", {}, row);
}

function makeButton(text, onClick) {
  const button = element("button", {type: "button"}, text);
  button.addEventListener("click", onClick);
  return button;
}

/* Builds the controls above a table. Returns their box and a function that updates it. */
function makeControls(table, state, redraw) {
  const input = element("input", {type: "search", placeholder: "filter: words, -without",
                                  "aria-label": "filter rows"});
  const count = element("span", {class: "count"});
  const turn = by => () => { state.page += by; redraw(); };
  const back = makeButton("\u2039 previous", turn(-1)), on = makeButton("next \u203a", turn(1));
  const box = element("div", {class: "controls"}, input, count, back, on);
  if (table.fold !== undefined)
    box.append(makeButton("unfold all", () => {
      state.open = new Set(table.rows.map(row => row[table.fold]));
      redraw();
    }), makeButton("fold all", () => {
      state.open.clear();
      state.page = 0;
      redraw();
    }));
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.filter = input.value;
      state.page = 0;
      redraw();
    }, 80);
  });
  const update = (matching, pages) => {
    count.textContent = matching === table.rows.length
      ? `${formatNumber(matching, 0)} rows`
      : `${formatNumber(matching, 0)} of ${formatNumber(table.rows.length, 0)} rows`;
    if (pages > 1) count.textContent += `, page ${state.page + 1} of ${pages}`;
    back.hidden = on.hidden = pages <= 1;
    back.disabled = state.page === 0;
    on.disabled = state.page >= pages - 1;
  };
  return {box, update};
}

function drawTable(box, table) {
  table.used = usedColumns(table);
  const state = {sort: table.sort || null, filter: "", open: new Set(), page: 0, printing: false};
  const redraw = () => {
    const rows = sortRows(table, filterRows(table, state.filter), state.sort);
    const visible = visibleRows(table, rows, state, redraw);
    const most = state.printing ? PRINT_ROWS : PAGE_ROWS;
    const pages = Math.max(1, Math.ceil(visible.length / most));
    state.page = Math.min(state.page, pages - 1);
    const body = element("tbody");
    body.append(...visible.slice(state.page * most, (state.page + 1) * most).map(draw => draw()));
    grid.replaceChildren(drawHead(table, state, redraw), body);
    controls.update(rows.length, pages);
  };
  const grid = element("table");
  const controls = makeControls(table, state, redraw);
  if (table.rows.length > 8 || table.fold !== undefined) box.append(controls.box);
  box.append(element("div", {class: "scroll"}, grid));
  box.onPrint = printing => {
    state.printing = printing;
    redraw();
  };
  redraw();
}
