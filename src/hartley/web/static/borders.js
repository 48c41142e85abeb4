// The borders of one column: drag one, or move it with the arrow keys, and see at once what the bands keep and cost.

import { ask } from "./api.js";
import { by, count, counted, drawn, plain, replace } from "./dom.js";
import { during, state } from "./page.js";

const SIDE = 10, TOP = 30, TALL = 34, BAND = 30, REACH = 24;
const HEIGHT = TOP + TALL + BAND + 46;
let seen = null, held = null, asking = 0, waiting = null, busy = false, dragging = false;
let onDrawn = () => {};

export const whenDrawn = (listener) => { onDrawn = listener; };

export function hideBorders() {
  asking += 1;
  [seen, held, waiting] = [null, null, null];
  by("borders").hidden = true;
}

// The borders of the chosen point, or those that were set before the page was loaded again.
export async function showBorders(known = null) {
  hideBorders();
  if (by("shape-form").shape.value !== "intervals" || state.roles.public.length > 1) return;
  const number = asking;
  const found = known ?? await ask("/api/borders", request(null)).catch(() => null);
  if (number !== asking || !found?.line) return;
  take(found);
}

const request = (borders, more = {}) => ({ revision: state.table.revision, point: state.chosen, borders, ...more });

function take(found) {
  const isDrawn = found.place !== state.chosen;
  seen = found;
  if (held !== null && held >= seen.borders.length) held = null;
  state.drawn = isDrawn ? found : null;
  by("borders").hidden = false;
  by("borders-reset").disabled = !isDrawn;
  draw();
  onDrawn();
}

// One question at a time; while it is under way only the latest wish is kept.
async function change(more, borders = null) {
  waiting = { more, borders };
  if (busy) return;
  busy = true;
  try {
    while (waiting && seen) {
      const wish = waiting, number = asking;
      waiting = null;
      const found = await ask("/api/borders", request(wish.borders ?? seen.borders.map((one) => one.at), wish.more));
      if (number === asking && found.line) take(found);
    }
  } finally {
    busy = false;
  }
}

const changed = (more, borders) => during(null, () => change(more, borders));

function draw() {
  const holder = by("borders-line");
  const hadFocus = holder.contains(document.activeElement);
  const width = holder.clientWidth || 600;
  const { line, bands, borders, point } = seen;
  const x = (share) => SIDE + share * (width - 2 * SIDE);
  const shareOf = (at) => Math.min(Math.max((at - line.low) / (line.high - line.low), 0), 1);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "aria-labelledby": "borders-title", "aria-describedby": "borders-hint" });
  const base = TOP + TALL, most = Math.max(1, ...line.marks.map(([, rows]) => rows));
  for (const [at, rows] of line.marks) svg.append(drawn("line", { class: "mark", x1: x(at), x2: x(at), y1: base, y2: base - 6 - (TALL - 6) * (rows / most) }));
  svg.append(drawn("line", { class: "axis", x1: x(0), x2: x(1), y1: base, y2: base }));
  const edges = [0, ...borders.map((one) => shareOf(one.at)), 1];
  const fewest = Math.min(...bands.map((band) => band.candidates));
  bands.forEach((band, i) => {
    const isTiled = edges.length === bands.length + 1;
    const [from, to] = isTiled ? [x(edges[i]), x(edges[i + 1])] : [x(band.from), x(band.to)];
    const box = drawn("rect", { class: band.candidates === fewest ? "band weak" : "band", x: from, y: base + 4, width: Math.max(1, to - from), height: BAND });
    box.append(drawn("title", {}, `${band.text}: ${counted(band.candidates, "candidate")}, ${counted(band.rows, "row")}`));
    svg.append(box);
    if (to - from > 8 * String(band.candidates).length + 4) svg.append(drawn("text", { class: "number", x: (from + to) / 2, y: base + BAND / 2 + 8, "aria-hidden": "true" }, count(band.candidates)));
  });
  borders.forEach((one, i) => svg.append(handle(i, x(shareOf(one.at)), base)));
  if (held !== null) svg.append(drawn("text", { class: "held-text", x: Math.min(Math.max(x(shareOf(borders[held].at)), 40), width - 40), y: TOP - 14, "text-anchor": "middle", "aria-hidden": "true" }, borders[held].text));
  svg.append(drawn("text", { x: SIDE, y: HEIGHT - 6 }, line.least), drawn("text", { x: width - SIDE, y: HEIGHT - 6, "text-anchor": "end" }, line.greatest));
  replace(holder, svg);
  by("border-remove").disabled = held === null;
  const chosen = held === null ? "" : ` The border at ${borders[held].text}: ${besides(held)}.`;
  by("borders-said").textContent = `${counted(bands.length, "band")} of ${line.name}; the weakest leaves ${counted(fewest, "candidate")}${point.max_distortion === null ? "" : `, the largest move is ${plain(point.max_distortion)}`}.${chosen}`;
  if (hadFocus && held !== null) svg.querySelectorAll(".handle")[held]?.focus();
}

function besides(index) {
  const [below, above] = seen.bands.length === seen.borders.length + 1 ? [seen.bands[index], seen.bands[index + 1]] : [];
  const said = (band) => `${counted(band.candidates, "candidate")} in ${counted(band.rows, "row")}`;
  return below ? `${said(below)} below it, ${said(above)} above it` : "some bands are empty";
}

function handle(index, at, base) {
  const { borders, line } = seen;
  const one = borders[index];
  const group = drawn("g", {
    class: index === held ? "handle held" : "handle", role: "slider", tabindex: "0", "aria-orientation": "horizontal", "data-border": index,
    "aria-label": `Border ${index + 1} of ${borders.length} of ${line.name}`, "aria-valuenow": one.at,
    "aria-valuemin": borders[index - 1]?.at ?? line.low, "aria-valuemax": borders[index + 1]?.at ?? line.high, "aria-valuetext": `${one.text}: ${besides(index)}`,
  });
  group.append(drawn("line", { class: "border", x1: at, x2: at, y1: TOP - 6, y2: base + BAND + 10 }), drawn("circle", { class: "knob", cx: at, cy: base + BAND + 14, r: 6 }));
  group.addEventListener("focus", () => { if (held !== index) { held = index; draw(); } });
  group.addEventListener("keydown", (event) => key(event, index));
  return group;
}

function key(event, index) {
  const by_ = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (event.key === "Delete" || event.key === "Backspace") remove(index);
  else if (by_) changed({ move: { border: index, by: by_ } });
  else return;
  event.preventDefault();
}

function remove(index) {
  held = index > 0 ? index - 1 : null;
  changed({}, seen.borders.filter((_, i) => i !== index).map((one) => one.at));
}

// Where on the line the pointer is, and the border within reach of it.
function pointed(event) {
  const box = by("borders-line").getBoundingClientRect();
  const share = (event.clientX - box.left - SIDE) / (box.width - 2 * SIDE);
  return seen.line.low + Math.min(Math.max(share, 0), 1) * (seen.line.high - seen.line.low);
}

const place = by("borders-line");
place.addEventListener("pointerdown", (event) => {
  if (!seen?.borders.length) return;
  const at = pointed(event), away = seen.borders.map((one) => Math.abs(one.at - at));
  const nearest = away.indexOf(Math.min(...away));
  const reach = (REACH / (place.clientWidth - 2 * SIDE)) * (seen.line.high - seen.line.low);
  if (away[nearest] > reach) return;
  event.preventDefault();
  held = nearest;
  dragging = true;
  place.setPointerCapture(event.pointerId);
  draw();
  place.querySelectorAll(".handle")[nearest].focus({ preventScroll: true });
});
place.addEventListener("pointermove", (event) => { if (dragging && held !== null) changed({ move: { border: held, to: pointed(event) } }); });
for (const ending of ["pointerup", "pointercancel"]) place.addEventListener(ending, () => { dragging = false; });
by("border-add").addEventListener("click", (event) => during(event.target, () => {
  held = null;
  return change({ split: true });
}));
by("border-remove").addEventListener("click", () => { if (held !== null) remove(held); });
by("borders-reset").addEventListener("click", () => during(null, async () => {
  state.drawn = null;
  await showBorders();
}));
new ResizeObserver(() => { if (seen && !dragging && !by("borders").hidden) draw(); }).observe(place);
