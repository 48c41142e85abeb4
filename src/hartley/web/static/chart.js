// The frontier as a picture to work with: hover or focus says what a point means, click or arrow keys choose it.

import { bits, count, counted, drawn, element, plain, replace } from "./dom.js";

const HEIGHT = 370;
const MARGIN = { left: 50, right: 24, top: 54, bottom: 54 };

export function costOf(frontier, point) {
  if (frontier.utility === "resolution") return point.largest_cluster;
  return point.max_distortion ?? -point.utility;
}

// Names in the picture; a long one would run out of it.
const LONGEST = 28;

function leakageName(frontier, { beside, tell, known }) {
  if (frontier.leakage === "istar") return "Known to every reader for certain (I*, bits)";
  if (beside) return beside.length > LONGEST ? "Added to what is beside it (L0, bits)" : `Added to what ${beside} ${tell} (L0, bits)`;
  if (known) return known.length > LONGEST ? "Added to what is known (L0, bits)" : `Added to what ${known} tells (L0, bits)`;
  return "Given away by the most telling value (L0, bits)";
}

export function costName(frontier, unit) {
  if (frontier.utility === "resolution") return "Values that share a released value, at most";
  return `Distance from the true ${unit.length > LONGEST ? "value" : unit}, at most`;
}

export function spoken(frontier, point, unit) {
  const cost = costOf(frontier, point);
  const far = frontier.utility === "resolution"
    ? (cost === 1 ? "nothing is merged" : `at most ${count(cost)} values share a released value`)
    : (cost === 0 ? "every value stays as it is" : `no released ${unit} is farther than ${plain(cost)} from the true one`);
  return `${bits(point.leakage_bits)}, at least ${counted(point.distinct_l, "candidate")}, ${far}`;
}

export class Chart {
  constructor(parent, { onChoose, onPoint }) {
    this.parent = parent;
    this.onChoose = onChoose;
    this.onPoint = onPoint;
    this.chosen = null;
    new ResizeObserver(() => this.frontier && this.parent.clientWidth !== this.width && this.draw()).observe(parent);
  }

  show(frontier, reader, chosen) {
    Object.assign(this, { frontier, reader, unit: reader.unit, chosen });
    this.draw();
  }

  choose(index, { focus = false } = {}) {
    this.chosen = index;
    this.draw();
    if (focus) this.parent.querySelector('[aria-checked="true"]')?.focus();
  }

  draw() {
    const { points } = this.frontier;
    const hadFocus = this.parent.contains(document.activeElement);
    this.width = this.parent.clientWidth || 640;
    const narrow = this.width < 520;
    const margin = { ...MARGIN, left: narrow ? 40 : MARGIN.left };
    const costs = points.map((point) => costOf(this.frontier, point));
    const logarithmic = this.frontier.utility === "resolution" && Math.max(...costs) > 30;
    const scale = logarithmic ? Math.log2 : (value) => value;
    const low = scale(Math.min(...costs)), high = scale(Math.max(...costs));
    const top = Math.max(...points.map((point) => point.leakage_bits)) || 1;
    const x = (cost) => margin.left + ((scale(cost) - low) / (high - low || 1)) * (this.width - margin.left - margin.right);
    const y = (leakage) => HEIGHT - margin.bottom - (leakage / top) * (HEIGHT - margin.top - margin.bottom);
    const svg = drawn("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "radiogroup", "aria-label": "Points of the frontier, from the table as it is to the least leakage" });
    this.axes(svg, { x, y, top, costs, logarithmic, margin, narrow });
    svg.append(drawn("path", { class: "line", d: steps(points.map((p, i) => [x(costs[i]), y(p.leakage_bits)])) }));
    const bounds = points.map((point) => point.lower_bound_bits);
    if (bounds.some((bound, i) => bound !== null && bound < points[i].leakage_bits - 1e-9)) {
      svg.append(drawn("path", { class: "bound", d: steps(points.flatMap((p, i) => (bounds[i] === null ? [] : [[x(costs[i]), y(bounds[i])]]))) }));
    }
    points.forEach((point, index) => svg.append(this.point(point, index, x(costs[index]), y(point.leakage_bits))));
    if (this.chosen !== null && points[this.chosen]) this.mark(svg, points[this.chosen], x(costs[this.chosen]), y(points[this.chosen].leakage_bits));
    replace(this.parent, svg);
    if (hadFocus) this.parent.querySelector('[tabindex="0"]')?.focus();
  }

  axes(svg, { x, y, top, costs, logarithmic, margin, narrow }) {
    const right = this.width - margin.right;
    for (const tick of ticks(0, top, 5)) {
      svg.append(drawn("line", { class: "grid", x1: margin.left, x2: right, y1: y(tick), y2: y(tick) }));
      svg.append(drawn("text", { x: margin.left - 8, y: y(tick) + 4, "text-anchor": "end", "aria-hidden": "true" }, plain(tick)));
    }
    const most = Math.max(...costs), least = Math.min(...costs);
    const marks = logarithmic ? powers(most) : ticks(least, most, narrow ? 4 : 7);
    for (const tick of marks.filter((value) => value >= least && value <= most)) {
      svg.append(drawn("line", { class: "axis", x1: x(tick), x2: x(tick), y1: y(0), y2: y(0) + 5 }));
      svg.append(drawn("text", { x: x(tick), y: y(0) + 20, "text-anchor": "middle", "aria-hidden": "true" }, plain(tick)));
    }
    svg.append(drawn("line", { class: "axis", x1: margin.left, x2: right, y1: y(0), y2: y(0) }));
    svg.append(drawn("text", { x: right, y: HEIGHT - 10, "text-anchor": "end", "aria-hidden": "true" }, costName(this.frontier, this.unit)));
    svg.append(drawn("text", { x: 2, y: 12, "aria-hidden": "true" }, leakageName(this.frontier, this.reader)));
  }

  point(point, index, x, y) {
    const chosen = index === this.chosen;
    const entry = this.chosen === null ? 0 : this.chosen;
    const group = drawn("g", {
      class: "point", role: "radio", "aria-checked": String(chosen), tabindex: index === entry ? "0" : "-1",
      "aria-label": spoken(this.frontier, point, this.unit), "data-index": index,
    });
    group.append(drawn("circle", { class: "hit", cx: x, cy: y, r: 14 }));
    group.append(drawn("circle", { class: point.proven_optimal || this.frontier.search === "greedy" ? "dot" : "dot open", cx: x, cy: y, r: 5 }));
    group.append(drawn("title", {}, spoken(this.frontier, point, this.unit)));
    group.addEventListener("click", () => this.onChoose(index));
    group.addEventListener("pointerenter", () => this.onPoint(index));
    group.addEventListener("pointerleave", () => this.onPoint(null));
    group.addEventListener("keydown", (event) => this.key(event, index));
    return group;
  }

  key(event, index) {
    const last = this.frontier.points.length - 1;
    const to = { ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1, Home: 0, End: last, Enter: index, " ": index }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.onChoose(Math.min(Math.max(to, 0), last), { focus: true });
  }

  mark(svg, point, x, y) {
    svg.append(drawn("circle", { class: "ring", cx: x, cy: y, r: 11, "pointer-events": "none" }));
    const right = x > this.width * 0.6;
    const said = this.frontier.leakage === "istar" ? counted(point.components, "group") : `at least ${counted(point.distinct_l, "candidate")}`;
    svg.append(drawn("text", { class: "label", x: right ? x - 4 : x + 14, y: y - 16, "text-anchor": right ? "end" : "start", "aria-hidden": "true", "pointer-events": "none" }, said));
  }
}

export function meaning(frontier, index, { unit, beside, tell, known }, before) {
  const point = frontier.points[index];
  const cost = costOf(frontier, point);
  const far = frontier.utility === "resolution"
    ? (cost === 1 ? "No values are merged." : `At most ${count(cost)} values share a released value.`)
    : (cost === 0 ? `Every ${unit} stays as it is.` : `No released ${unit} lies farther than ${plain(cost)} from the true one.`);
  const certainly = frontier.leakage === "istar";
  const all = count(before.sensitive.values);
  const left = `leaves at least ${counted(point.distinct_l, "candidate")}`;
  const together = Math.log2(before.sensitive.values / point.distinct_l);
  let leaves = `Every released value ${left} of ${all}: it gives away at most ${bits(certainly ? together : point.leakage_bits)}.`;
  if (beside) {
    const learnt = frontier.reader_bits?.[index] ?? (known ? null : together);
    leaves = `Every released value, with ${beside} beside it, ${left} of ${all}${learnt === null ? "." : `: together they give away at most ${bits(learnt)}.`}`;
    if (!certainly) leaves += ` Of that, ${unit} adds at most ${bits(point.leakage_bits)} to what ${beside} ${tell}.`;
  } else if (known) {
    leaves = `Every released value ${left} to a reader who knows ${known}${certainly ? "" : `: it gives away at most ${bits(point.leakage_bits)} more`}.`;
  }
  const certain = point.components === 1 ? "Nothing is known for certain." : `A reader knows for certain which of ${count(point.components)} groups a person is in.`;
  let proof = "A step of a greedy run; nothing is claimed about better ones.";
  if (point.proven_optimal) proof = "Proven: nothing with this utility gives away less.";
  else if (point.lower_bound_bits !== null) proof = `The best found; nothing with this utility can give away less than ${bits(point.lower_bound_bits)}.`;
  return [
    element("p", {}, element("strong", { text: leaves })),
    element("p", { text: `${far} ${counted(point.clusters, "different value")} remain.` }),
    element("p", { text: certain }),
    element("p", { text: proof, className: "proof" }),
  ];
}

function steps(places) {
  return places.map(([x, y], i) => (i ? `H${x}V${y}` : `M${x},${y}`)).join("");
}

function ticks(low, high, wanted) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= wanted);
  const found = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) found.push(Math.round(tick / step) * step);
  return found;
}

function powers(most) {
  const found = [];
  for (let tick = 1; tick <= most; tick *= 2) found.push(tick);
  const every = Math.ceil(found.length / 8);
  return found.filter((_, i) => i % every === 0);
}
