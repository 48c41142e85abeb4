// Each public column as a strip: its values above, what they are released as below. They fill their column and end where the data ends.

import { count, counted, drawn, element, plain } from "./dom.js";

const SIDE = 8, ROW = 9, TALL = 34;

export function stripOf(strip, rows) {
  const body = strip.line ? lineOf(strip, rows) : categoriesOf(strip);
  return element("section", { className: "strip", attributes: { "aria-label": `${strip.name} before and after` } },
    element("h4", { text: strip.name }), element("p", { text: saidOf(strip), className: "hint" }), body);
}

function saidOf({ before, after, missing, use, kind, line, left_out: categoriesLeftOut }) {
  const said = [`${counted(before, "value")} before, ${count(after)}${line && after > before ? " different intervals" : ""} after.`];
  if (use.max_move !== null) said.push(`A row moves by ${plain(round(use.mean_move))} on average and ${plain(round(use.max_move))} at most${kind === "date" ? " (days)" : kind === "timestamp" ? " (seconds)" : ""}.`);
  said.push(`${percent(use.unchanged_share)} of rows keep their exact value.`);
  if (missing) said.push(`${counted(missing, "row")} ${missing === 1 ? "has" : "have"} none.`);
  if (line?.left_out) said.push(`The ${count(line.classes.length)} classes with most rows are drawn; ${count(line.left_out)} more are in the codebook.`);
  if (categoriesLeftOut) said.push(`${counted(categoriesLeftOut, "rarer value")} not drawn.`);
  return said.join(" ");
}

const round = (number) => Number(Number(number).toPrecision(3));
export const percent = (share) => (share > 0 && share < 0.01 ? "Less than 1 %" : share > 0.99 && share < 1 ? "More than 99 %" : `${Math.round(100 * share)} %`);

function lineOf({ name, line, before, after }, rows) {
  const holder = element("div", { className: "strip-line" });
  const draw = () => holder.replaceChildren(picture(name, line, { before, after, rows, width: holder.clientWidth || 600 }));
  new ResizeObserver(draw).observe(holder);
  return holder;
}

function picture(name, { low, high, marks, classes }, { before, after, width }) {
  const x = (share) => SIDE + share * (width - 2 * SIDE);
  const lanes = lanesOf(classes, 3 / width);
  const deep = Math.max(1, ...lanes.map((lane) => lane + 1));
  const row = Math.max(2.5, Math.min(ROW, 160 / deep));
  const top = 14, middle = top + TALL + 20, height = middle + deep * row + 20;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name}: ${counted(before, "value")} from ${low} to ${high} before, ${counted(after, "class")} after` });
  const most = Math.max(1, ...marks.map(([, number]) => number));
  const text = (at, y, said, anchor = "start") => svg.append(drawn("text", { x: at, y, "text-anchor": anchor }, said));
  text(SIDE, 10, "as it is");
  for (const [at, number, held] of marks) {
    const tall = 6 + (TALL - 6) * (number / most);
    svg.append(drawn("line", { class: held ? "mark held" : "mark", x1: x(at), x2: x(at), y1: top + TALL, y2: top + TALL - tall }));
  }
  svg.append(drawn("line", { class: "axis", x1: x(0), x2: x(1), y1: top + TALL, y2: top + TALL }));
  text(SIDE, middle - 5, marks.some(([, , held]) => held) ? "as released (dashed above: withheld)" : "as released");
  classes.forEach((one, i) => {
    const wide = Math.max(2, x(one.to) - x(one.from));
    const bar = drawn("rect", { class: one.from === one.to ? "class single" : "class", x: x(one.from) - (one.from === one.to ? 1 : 0), y: middle + lanes[i] * row, width: wide, height: Math.max(1.5, row - 2), rx: 1 });
    bar.append(drawn("title", {}, `${one.said}: ${counted(one.rows, "row")}`));
    svg.append(bar);
  });
  text(SIDE, height - 3, low);
  text(width - SIDE, height - 3, high, "end");
  return svg;
}

// Each bar goes into the first lane where it covers no other.
function lanesOf(classes, gap) {
  const order = classes.map((_, i) => i).sort((a, b) => classes[a].from - classes[b].from || classes[a].to - classes[b].to);
  const ends = [], lanes = [];
  for (const i of order) {
    let lane = ends.findIndex((end) => end + gap < classes[i].from);
    if (lane < 0) lane = ends.length;
    ends[lane] = classes[i].to;
    lanes[i] = lane;
  }
  return lanes;
}

function categoriesOf({ categories }) {
  const most = Math.max(1, ...categories.map((one) => one.rows));
  return element("ul", { className: "categories" }, ...categories.map(({ text, rows, alone }) => {
    const said = alone === rows ? "all told apart" : alone ? `${count(alone)} told apart, the rest shares a released value with others` : "shares a released value with others";
    const bar = drawn("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      drawn("rect", { class: "whole", x: 0, y: 0, width: (100 * rows) / most, height: 8 }), drawn("rect", { class: "class", x: 0, y: 0, width: (100 * alone) / most, height: 8 }));
    return element("li", {}, element("span", { text }), bar, element("small", { text: `${counted(rows, "row")}: ${said}` }));
  }));
}

// What is left of the use, in a table: each column, and how numbers go together.
export function usefulness({ usefulness: use, strips }) {
  const head = (texts) => element("thead", {}, element("tr", {}, ...texts.map((text, i) => element("th", { text, className: i ? "number" : "", attributes: { scope: "col" } }))));
  const row = (name, cells) => element("tr", {}, element("th", { text: name, attributes: { scope: "row" } }), ...cells.map((text) => element("td", { text, className: "number" })));
  const columns = element("table", {}, head(["Column", "Values before", "after", "Mean move", "Largest move", "Rows unchanged"]), element("tbody", {},
    ...strips.map((one) => row(one.name, [count(one.before), count(one.after), ...[one.use.mean_move, one.use.max_move].map((move) => (move === null ? "–" : plain(round(move)))), percent(one.use.unchanged_share)]))));
  const parts = [scrolling(columns, "What is left of each column")];
  if (use.correlations.length) {
    const pairs = element("table", {}, head(["Correlation of", "before", "after"]), element("tbody", {},
      ...use.correlations.map((one) => row(one.columns.join(" and "), [one.before, one.after].map((found) => (found === null ? "none left" : found.toFixed(2).replace("-0.00", "0.00")))))));
    parts.push(scrolling(pairs, "Correlations before and after"));
  }
  return parts;
}

function scrolling(table, name) {
  return element("div", { className: "scroll", attributes: { tabindex: "0", role: "region", "aria-label": name } }, table);
}
