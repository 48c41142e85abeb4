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

export function costName(frontier, { unit, several }) {
  if (frontier.utility === "resolution") return "Values that share a released value, at most";
  if (hasBands(frontier)) return "Detail lost on average, in percent";
  if (several) return "Widest class, in percent of a column's range";
  return `Distance from the true ${unit.length > LONGEST ? "value" : unit}, at most`;
}

// Over several columns a cost is half the width of the widest class, of each column's range.
const inPercent = (frontier, { several }) => several && frontier.utility !== "resolution";
// Bands of each column cost the mean share of a column's range that a row's band spans.
const hasBands = (frontier) => frontier.points[0].codebooks !== undefined;
const percentOf = (frontier, cost) => (hasBands(frontier) ? 100 : 200) * cost;

export function costShown(frontier, cost, reader) {
  if (!inPercent(frontier, reader)) return plain(cost);
  const percent = `${plain(Math.round(10 * percentOf(frontier, cost)) / 10)} %`;
  return cost >= 1 && !hasBands(frontier) ? "categories mixed" : percent;
}

export function far(frontier, cost, reader) {
  if (frontier.utility === "resolution") return cost === 1 ? "no values are merged" : `at most ${count(cost)} values share a released value`;
  if (cost === 0) return `every ${reader.several ? "value" : reader.unit} stays as it is`;
  if (!reader.several) return `no released ${reader.unit} is farther than ${plain(cost)} from the true one`;
  if (hasBands(frontier)) return `on average ${costShown(frontier, cost, reader)} of a column's detail is lost`;
  return cost >= 1 ? "some released values mix categories" : `no released value spans more than ${costShown(frontier, cost, reader)} of a column's range`;
}

// What the frontier goes through level by level: candidates, those that are apart, or groups told apart.
export function keptBy(frontier, point) {
  if (frontier.leakage === "istar") return point.components;
  return point.separated_l ?? point.distinct_l;
}

export function keptName(frontier) {
  if (frontier.leakage === "istar") return "At most this many groups told apart";
  return `At least this many candidates${isApart(frontier) ? " that are apart" : ""}`;
}

const isApart = (frontier) => frontier.points[0].separated_l !== undefined;

function keptSaid(frontier, point) {
  if (frontier.leakage === "istar") return counted(point.components, "group");
  return `at least ${counted(keptBy(frontier, point), "candidate")}${isApart(frontier) ? " that are apart" : ""}`;
}

function spoken(frontier, point, reader) {
  return `${bits(point.leakage_bits)}, ${keptSaid(frontier, point)}, ${far(frontier, costOf(frontier, point), reader)}`;
}

export class Chart {
  constructor(parent, { onChoose }) {
    this.parent = parent;
    this.onChoose = onChoose;
    this.chosen = null;
    new ResizeObserver(() => this.frontier && this.parent.clientWidth !== this.width && this.draw()).observe(parent);
  }

  show(frontier, reader, chosen) {
    Object.assign(this, { frontier, reader, chosen, own: null });
    this.draw();
  }

  // A point whose borders were moved lies beside the frontier, or at best on it.
  showOwn(point) {
    if (!this.frontier || this.own === point) return;
    this.own = point;
    this.draw();
  }

  choose(index, { focus = false } = {}) {
    this.chosen = index;
    this.own = null;
    this.draw();
    if (focus) this.parent.querySelector('[aria-checked="true"]')?.focus();
  }

  draw() {
    const { points, without = [] } = this.frontier;
    const hadFocus = this.parent.contains(document.activeElement);
    this.width = this.parent.clientWidth || 640;
    const narrow = this.width < 520;
    const margin = { ...MARGIN, left: narrow ? 40 : MARGIN.left };
    const own = this.own ? [this.own] : [];
    const all = [...points, ...without, ...own].map((point) => costOf(this.frontier, point));
    const costs = all.slice(0, points.length);
    const logarithmic = this.frontier.utility === "resolution" && Math.max(...all) > 30;
    const scale = logarithmic ? Math.log2 : (value) => value;
    const low = scale(Math.min(...all)), high = scale(Math.max(...all));
    const top = Math.max(...[...points, ...without, ...own].map((point) => point.leakage_bits)) || 1;
    const x = (cost) => margin.left + ((scale(cost) - low) / (high - low || 1)) * (this.width - margin.left - margin.right);
    const y = (leakage) => HEIGHT - margin.bottom - (leakage / top) * (HEIGHT - margin.top - margin.bottom);
    this.places = points.map((point, i) => [x(costs[i]), y(point.leakage_bits)]);
    const svg = drawn("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "radiogroup", "aria-label": "Points of the frontier, from the table as it is to the least leakage" });
    this.axes(svg, { x, y, top, costs: all, logarithmic, margin, narrow });
    if (without.length) svg.append(drawn("path", { class: "without", d: steps(without.map((point) => [x(costOf(this.frontier, point)), y(point.leakage_bits)])) }));
    svg.append(drawn("path", { class: "line", d: steps(this.places) }));
    const bounds = points.map((point) => point.lower_bound_bits);
    if (bounds.some((bound, i) => bound !== null && bound < points[i].leakage_bits - 1e-9)) {
      svg.append(drawn("path", { class: "bound", d: steps(points.flatMap((p, i) => (bounds[i] === null ? [] : [[x(costs[i]), y(bounds[i])]]))) }));
    }
    // Where points lie close together the dots shrink, so that each is still one.
    const radius = Math.min(5, Math.max(1.6, (this.width - margin.left - margin.right) / points.length / 3));
    points.forEach((point, index) => svg.append(this.point(point, index, radius)));
    this.mark(svg);
    for (const point of own) {
      const [at, up] = [x(costOf(this.frontier, point)), y(point.leakage_bits)];
      svg.append(drawn("path", { class: "own", d: `M${at},${up - 8}l8,8l-8,8l-8,-8z`, "pointer-events": "none" }), this.label(at, up + 28, "your borders", "own-label"));
    }
    this.hover = drawn("g", { class: "hover", "pointer-events": "none", "aria-hidden": "true" });
    svg.append(this.hover);
    svg.addEventListener("pointermove", (event) => this.hovered(this.nearest(event)));
    svg.addEventListener("pointerleave", () => this.hovered(null));
    svg.addEventListener("click", (event) => {
      const index = this.nearest(event);
      if (index !== null) this.onChoose(index);
    });
    replace(this.parent, svg);
    this.svg = svg;
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
      svg.append(drawn("text", { x: x(tick), y: y(0) + 20, "text-anchor": "middle", "aria-hidden": "true" }, plain(inPercent(this.frontier, this.reader) ? percentOf(this.frontier, tick) : tick)));
    }
    svg.append(drawn("line", { class: "axis", x1: margin.left, x2: right, y1: y(0), y2: y(0) }));
    svg.append(drawn("text", { x: right, y: HEIGHT - 10, "text-anchor": "end", "aria-hidden": "true" }, costName(this.frontier, this.reader)));
    svg.append(drawn("text", { x: 2, y: 12, "aria-hidden": "true" }, leakageName(this.frontier, this.reader)));
  }

  point(point, index, radius) {
    const chosen = index === this.chosen;
    const entry = this.chosen === null ? 0 : this.chosen;
    const [x, y] = this.places[index];
    const group = drawn("g", {
      class: "point", role: "radio", "aria-checked": String(chosen), tabindex: index === entry ? "0" : "-1",
      "aria-label": spoken(this.frontier, point, this.reader), "data-index": index,
    });
    group.append(drawn("circle", { class: point.proven_optimal || this.frontier.search === "greedy" ? "dot" : "dot open", cx: x, cy: y, r: radius }));
    group.addEventListener("keydown", (event) => this.key(event, index));
    return group;
  }

  // The point closest to the pointer, if it is within a finger's reach.
  nearest(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.width / (box.width || this.width);
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const distances = this.places.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
    const index = distances.indexOf(Math.min(...distances));
    return distances[index] <= 24 ? index : null;
  }

  // What the pointer is at is named beside it; what is chosen stays what the page is about.
  hovered(index) {
    this.svg.classList.toggle("at-point", index !== null);
    if (index === null || index === this.chosen) return replace(this.hover);
    const [x, y] = this.places[index];
    const point = this.frontier.points[index];
    const cost = costShown(this.frontier, costOf(this.frontier, point), this.reader);
    return replace(this.hover, drawn("circle", { class: "hover-ring", cx: x, cy: y, r: 8 }),
      this.label(x, y + 26, `click for ${keptSaid(this.frontier, point)}, at ${cost}`, "hover-label"));
  }

  key(event, index) {
    const last = this.frontier.points.length - 1;
    const to = { ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1, Home: 0, End: last, Enter: index, " ": index }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.onChoose(Math.min(Math.max(to, 0), last), { focus: true });
  }

  label(x, y, text, className) {
    const right = x > this.width * 0.55;
    return drawn("text", { class: className, x: right ? x - 4 : x + 14, y, "text-anchor": right ? "end" : "start", "aria-hidden": "true", "pointer-events": "none" }, text);
  }

  mark(svg) {
    const point = this.chosen === null ? undefined : this.frontier.points[this.chosen];
    if (!point) return;
    const [x, y] = this.places[this.chosen];
    svg.append(drawn("circle", { class: "ring", cx: x, cy: y, r: 11, "pointer-events": "none" }));
    svg.append(this.label(x, y - 16, keptSaid(this.frontier, point), "label"));
  }
}

// Which recodings a proof is about: over several columns those of no worse a worst class.
function asGood(frontier, point, reader) {
  if (!inPercent(frontier, reader) || hasBands(frontier)) return `that keeps this much detail of ${reader.unit} `;
  return costOf(frontier, point) >= 1 ? "" : "that mixes no categories and whose widest class is as narrow ";
}

export function meaning(frontier, index, reader, before, suggested) {
  const { unit, beside, tell, known, secret } = reader;
  const point = frontier.points[index];
  const said = far(frontier, costOf(frontier, point), reader);
  const certainly = frontier.leakage === "istar";
  const all = count(before.sensitive.values);
  const left = `leaves at least ${counted(point.distinct_l, "candidate")}`;
  const together = Math.log2(before.sensitive.values / point.distinct_l);
  let leaves = `Every released value ${left} of ${all}: it gives away at most ${bits(certainly || isApart(frontier) ? together : point.leakage_bits)}.`;
  if (beside) {
    const learnt = frontier.reader_bits?.[index] ?? (known ? null : together);
    leaves = `Every released value, with ${beside} beside it, ${left} of ${all}${learnt === null ? "." : `: together they give away at most ${bits(learnt)}.`}`;
    if (!certainly) leaves += ` Of that, ${unit} adds at most ${bits(point.leakage_bits)} to what ${beside} ${tell}.`;
  } else if (known) {
    leaves = `Every released value ${left} to a reader who knows ${known}${certainly ? "" : `: it gives away at most ${bits(point.leakage_bits)} more`}.`;
  }
  if (isApart(frontier)) leaves += ` Of them, ${counted(point.separated_l, "candidate")} or more are farther apart than the tolerance.`;
  const certain = point.components === 1 ? "No reader can sort people into groups with certainty." : `A reader knows for certain which of ${count(point.components)} groups a person is in.`;
  let proof = "A step of a greedy run; nothing is claimed about better ones.";
  if (frontier.drawnFrom) proof = `Your own borders; nothing is proven of them. Those found ${kindly(frontier)}`;
  else if (point.proven_optimal) proof = `Proven: no recoding ${asGood(frontier, point, reader)}reveals less about ${secret}.`;
  else if (point.lower_bound_bits > 1e-9) proof = `The best found; nothing that keeps this much detail can give away less than ${bits(point.lower_bound_bits)}.`;
  else if (frontier.search !== "greedy") proof = "The best found; no bound is known for this question.";
  const lines = [
    element("p", {}, element("strong", { text: leaves })),
    element("p", { text: `${said.charAt(0).toUpperCase()}${said.slice(1)}. ${counted(point.clusters, "different value")} ${point.clusters === 1 ? "remains" : "remain"}.` }),
  ];
  for (const [kept, said, className] of [[true, "Required and kept", "good"], [false, "Required and not kept", "bad"]]) {
    const some = (point.requirements ?? []).filter((one) => one.holds === kept);
    if (some.length) lines.push(element("p", { text: `${said}: ${some.map(keptOf).join("; ")}.`, className }));
  }
  if (frontier.bought?.[index]) lines.push(element("p", { text: frontier.bought[index] }));
  lines.push(element("p", { text: certain }), element("p", { text: proof, className: "proof" }));
  const verdict = frontier.verdicts?.[index];
  if (verdict && verdict.colour !== "green") lines.unshift(element("p", { text: `${verdict.word}.`, className: verdict.colour === "red" ? "bad" : "fair" }));
  if (suggested) lines.unshift(element("p", { text: `Suggested: ${suggested}`, className: "suggested" }));
  return lines;
}

// What the borders that were found keep and cost, beside what was made of them.
function kindly({ drawnFrom: found, ...frontier }) {
  const cost = costOf(frontier, found);
  const move = frontier.utility === "resolution" ? `let at most ${counted(cost, "value")} share a released value` : `move no value farther than ${plain(cost)}`;
  return `keep ${keptSaid(frontier, found)} and ${move}.`;
}

function keptOf({ name, column, wanted, found }) {
  const of = column ? ` of ${column}` : "";
  const things = { "row-k": "rows", "distinct-l": `different values${of}`, "separated-l": `values${of} that are apart` }[name];
  return `at least ${count(wanted)} ${things} (${count(found)})`;
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
