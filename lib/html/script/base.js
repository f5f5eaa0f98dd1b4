"use strict";
/* Elements, numbers and the tooltip. All files of this folder form one script. */

/* Creates an element. Texts are set as text, never as markup. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function svgElement(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function svgText(text, attributes, room) {
  const node = svgElement("text", attributes);
  const short = room === undefined ? text : shorten(text, room);
  node.textContent = short;
  if (short !== text) node.append(svgElement("title", {}, text));
  return node;
}

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "12px system-ui, sans-serif"; /* as in plot.css */
const widthOf = text => ruler.measureText(text).width;

/* Shortens a text in its middle: names often differ at both ends. */
function shorten(text, pixels) {
  if (text.length < 5 || (text.length < 400 && widthOf(text) <= pixels)) return text;
  let shown = Math.min(text.length - 1, 400);
  const cut = letters => text.slice(0, Math.ceil(letters / 2)) + "\u2026" +
    text.slice(text.length - Math.floor(letters / 2));
  while (shown > 4 && widthOf(cut(shown)) > pixels)
    shown = Math.min(shown - 1, Math.ceil(shown * pixels / widthOf(cut(shown))));
  return cut(shown);
}

/* Returns the width for the longest name, at most `share` of the whole width. */
function nameWidth(names, width, share) {
  const most = width * share;
  return names.reduce((wide, name) => wide >= most ? most
    : Math.min(most, Math.max(wide, widthOf(name.slice(0, 400)) + 12)), 0);
}

const formats = new Map();
function formatNumber(value, decimals) {
  if (value === null || value === undefined) return "";
  if (!formats.has(decimals))
    formats.set(decimals, new Intl.NumberFormat("en-US",
      {minimumFractionDigits: decimals, maximumFractionDigits: decimals}));
  return formats.get(decimals).format(value);
}

function formatChange(value, decimals) {
  if (value === null || value === undefined) return "";
  const text = formatNumber(value, decimals);
  if (!/[1-9]/.test(text)) return text.replace("-", ""); /* rounded to zero */
  return value > 0 ? "+" + text : text;
}

/* Formats a number of unknown size with four digits. */
function formatShort(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share, low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

const tip = element("div", {class: "tip", hidden: ""});

/* Shows the text of `data-tip` of what lies under the pointer. A drawing with many
 * elements gives a function `tipOf` instead. */
function showTip(event) {
  const target = event.target;
  const drawing = target.closest ? target.closest("svg") : null;
  let text = drawing && target.getAttribute("data-tip");
  if (drawing && !text && drawing.tipOf) text = drawing.tipOf(target);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + "px";
  tip.style.top = (event.clientY + 18 + box.height > innerHeight
    ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
}
