/* Rows of a table: their texts, order, filter and folds. No elements here. */

const WORDS = {
  good: ["improved", "done", "passed", "complete", "good", "as calibrated"],
  bad: ["regressed", "failed", "not-measured", "crashed", "timeout", "lost", "bad", "undecided"],
  warn: ["inconclusive", "cancelled", "gone", "added", "quarantined", "simulated", "stale",
         "provisional", "waiting"],
};

function classOfWord(word) {
  return Object.keys(WORDS).find(name => WORDS[name].includes(word)) || "";
}

const isNumber = kind => kind === "number" || kind === "change";

/* Returns what a cell is sorted by. */
function keyOfCell(table, column, cell) {
  const kind = table.columns[column].kind;
  if (cell === null) return null;
  if (isNumber(kind)) return cell;
  if (kind === "values") return cell.length ? cell[cell.length - 1] - cell[0] : null;
  return table.texts[kind === "link" ? cell[1] : cell];
}

function textOfCell(table, column, cell) {
  const {kind, decimals} = table.columns[column];
  if (cell === null) return "";
  if (kind === "number") return formatNumber(cell, decimals);
  if (kind === "change") return formatChange(cell, decimals);
  if (kind === "values") return cell.map(formatShort).join(" ");
  return table.texts[kind === "link" ? cell[1] : cell];
}

const collator = new Intl.Collator("en", {numeric: true});

/* Cells without a value come last in both directions. */
function compareKeys(a, b, descending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "string" ? collator.compare(a, b) : a - b;
  return descending ? -order : order;
}

/* Returns the texts of a row in lower case, for the filter; without the numbers, which a
 * filter for "1" would find everywhere. */
function searchTextOf(table, row) {
  let text = "";
  table.columns.forEach((column, i) => {
    if (!isNumber(column.kind) && column.kind !== "values" && row[i] !== null)
      text += table.texts[column.kind === "link" ? row[i][1] : row[i]] + "\n";
  });
  return text.toLowerCase();
}

/* A row matches when it contains each word; a word after - must be absent. */
function filterRows(table, filter) {
  const words = filter.toLowerCase().split(/\s+/).filter(word => word && word !== "-");
  if (!words.length) return table.rows;
  if (!table.search) table.search = table.rows.map(row => searchTextOf(table, row));
  return table.rows.filter((row, i) => words.every(word => word[0] === "-"
    ? !table.search[i].includes(word.slice(1)) : table.search[i].includes(word)));
}

function sortRows(table, rows, sort) {
  if (!sort) return rows;
  const [column, descending] = sort;
  const keys = new Map(rows.map(row => [row, keyOfCell(table, column, row[column])]));
  return rows.slice().sort((a, b) => compareKeys(keys.get(a), keys.get(b), descending));
}

/* Groups sorted rows by the text of the fold column. The groups keep the order of their
 * first rows, so the group with the largest value comes first where rows descend. */
function foldRows(table, rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = row[table.fold];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return [...groups.entries()].map(([key, members]) => ({key, rows: members}));
}

/* Returns the text of a folded group in a column: the range of its numbers, or its only
 * text, or the number of different texts. */
function summaryOf(table, column, rows) {
  const {kind, decimals, name} = table.columns[column];
  const cells = rows.map(row => row[column]).filter(cell => cell !== null);
  if (!cells.length || kind === "values" || kind === "link") return "";
  if (isNumber(kind)) {
    const low = cells.reduce((a, b) => Math.min(a, b)), high = cells.reduce((a, b) => Math.max(a, b));
    const format = kind === "change" ? formatChange : formatNumber;
    return low === high ? format(low, decimals) : `${format(low, decimals)} to ${format(high, decimals)}`;
  }
  const texts = new Set(cells);
  return texts.size === 1 ? table.texts[cells[0]] : `${texts.size} different`;
}
