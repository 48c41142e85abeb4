// The frontier: what is required of it, how it is searched, and the point that is chosen.

import { ask, fetched } from "./api.js";
import { hideBorders, showBorders, whenDrawn } from "./borders.js";
import { Chart, costName, costOf, costShown, keptBy, keptName, meaning } from "./chart.js";
import { demandFields } from "./demand.js";
import { by, count, counted, listed, replace } from "./dom.js";
import { during, keep, reveal, state } from "./page.js";

const chart = new Chart(by("chart"), { onChoose: choose });

export async function search() {
  state.following += 1;
  const following = state.following;
  Object.assign(state, { frontier: null, chosen: null, drawn: null, touched: false, wanted: null, way: "frontier" });
  by("steps-start-field").hidden = true;
  by("chosen-area").hidden = true;
  by("search-said").textContent = "";
  refuse(null);
  reveal("frontier");
  const options = Object.fromEntries(new FormData(by("search-options")));
  const asked = { ...state.roles, ...options, ...demandFields(), time_limit: Number(options.time_limit) || null };
  await follow(await ask("/api/search", asked), following);
}

export async function follow(started, following = ++state.following, show = showSearch) {
  let found = started;
  const { number } = found;
  while (following === state.following) {
    if (found.number === number) show(found);
    if (found.number !== number || (found.state === "stopped" && found.message)) {
      by("progress").hidden = true;
      by("preview").disabled = true;
      throw new Error("This search was ended: another table or search was started.");
    }
    if (found.state !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (following === state.following) found = await fetched("/api/search");
  }
}

// What cannot be had is an answer; it stands where the question was asked.
export function refuse(message) {
  by("refused").hidden = !message;
  by("refused").textContent = message ? `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}` : "";
}

function showSearch({ number, state: how, progress, frontier, message }) {
  const running = how === "running";
  by("progress").hidden = !running;
  by("progress-said").textContent = running ? `Searching: ${progress.what ?? "starting"}${frontier ? `; ${counted(frontier.points.length, "point")} so far` : ""}` : "";
  const bar = by("progress-bar");
  progress.total ? (bar.value = progress.done / progress.total) : bar.removeAttribute("value");
  if (how === "failed") {
    by("chosen-area").hidden = true;
    return refuse(message);
  }
  state.search = number;
  if (frontier?.points.length) showFrontier(frontier, running);
  if (!running && frontier) {
    const proven = frontier.points.filter((point) => point.proven_optimal).length;
    const all = counted(frontier.points.length, "point");
    by("search-said").textContent = `${how === "stopped" ? "Stopped early. " : ""}${all}${frontier.search === "optimal" ? `, ${proven === frontier.points.length ? (proven > 1 ? "all " : "") : `${count(proven)} `}proven to be best` : " of the greedy run"}.`;
  } else by("search-said").textContent = "";
  return undefined;
}

function showFrontier(frontier, running) {
  const cost = state.touched ? costOf(state.frontier, state.frontier.points[state.chosen]) : null;
  const kept = cost === null ? frontier.suggested : frontier.points.findLastIndex((point) => costOf(frontier, point) <= cost);
  state.frontier = frontier;
  by("chosen-area").hidden = false;
  const reader = whoReads();
  // While points arrive, the user's choice stays where it was; before there is one, the suggested point is shown.
  state.chosen = Math.max(kept, 0);
  if (!running && state.wanted !== null && state.wanted < frontier.points.length) {
    Object.assign(state, { chosen: state.wanted, touched: true });
  }
  if (!running) state.wanted = null;
  chart.show(frontier, reader, state.chosen);
  const open = frontier.points.some((point) => !point.proven_optimal) && frontier.search === "optimal";
  const faint = frontier.without?.length ? " The faint line is what can be had with no row withheld." : "";
  by("chart-said").textContent = `Click a point, or move with the arrow keys, to choose it.${open ? " Open points are not proven to be best; nothing can lie below the dotted line." : ""}${faint}`;
  const candidates = by("by-candidates");
  by("by-candidates-name").textContent = `${keptName(frontier)}:`;
  const numbers = frontier.points.map((point) => keptBy(frontier, point));
  candidates.min = Math.min(...numbers);
  candidates.max = Math.max(...numbers);
  by("by-cost-name").textContent = `${costName(frontier, reader)}:`;
  by("by-cost").max = frontier.points.length - 1;
  state.drawn = null;
  by("preview").disabled = running;
  showChosen();
  running ? hideBorders() : showBorders();
}

export function choose(index, options) {
  Object.assign(state, { chosen: index, drawn: null, touched: true });
  by("preview").disabled = false;
  // A preview of another point would mislead; it is made anew.
  if (!by("release").hidden) reveal("frontier");
  chart.choose(index, options);
  keep({ chosen: index, search: state.search });
  showChosen();
  showBorders();
}

// Borders that were moved make another point; the page is about that one, until a point is chosen.
whenDrawn(() => {
  if (!by("release").hidden) reveal("frontier");
  chart.showOwn(state.drawn?.point ?? null);
  by("preview").disabled = state.drawn !== null && !state.drawn.holds;
  showChosen();
});

function showChosen() {
  const { frontier, chosen } = state;
  const point = frontier.points[chosen], reader = whoReads();
  const cost = costShown(frontier, costOf(frontier, point), reader);
  by("by-candidates").value = keptBy(frontier, point);
  by("by-candidates-now").textContent = count(keptBy(frontier, point));
  by("by-cost").value = chosen;
  by("by-cost-now").textContent = cost;
  by("by-cost").setAttribute("aria-valuetext", cost);
  const suggested = chosen === frontier.suggested ? frontier.because : null;
  const drawn = state.drawn?.point;
  const shown = drawn ? { ...frontier, points: [drawn], reader_bits: null, bought: null, verdicts: null, drawnFrom: point } : frontier;
  replace(by("meaning"), ...meaning(shown, drawn ? 0 : chosen, reader, state.audit.audit, drawn ? null : suggested));
}

// What the reader of a release sees and knows, for the sentences.
function whoReads() {
  const { public: recoded, keep: kept, side, earlier, sensitive } = state.roles;
  const beside = [...kept, ...(earlier.length ? [counted(earlier.length, "earlier release")] : [])];
  return {
    unit: listed(recoded), several: recoded.length > 1, secret: listed(sensitive), beside: listed(beside),
    tell: beside.length > 1 ? "tell" : "tells", known: listed(side),
  };
}

by("by-candidates").addEventListener("input", (event) => {
  const wanted = Number(event.target.value), { frontier } = state;
  const groups = frontier.leakage === "istar";
  const index = frontier.points.findIndex((point) => (groups ? point.components <= wanted : keptBy(frontier, point) >= wanted));
  choose(index < 0 ? frontier.points.length - 1 : index);
});
by("by-cost").addEventListener("input", (event) => choose(Number(event.target.value)));
by("search-options").addEventListener("change", () => {
  const options = by("search-options");
  options.codeword.disabled = options.utility.value === "resolution";
});
by("search-options").addEventListener("submit", (event) => {
  event.preventDefault();
  during(event.submitter, search);
});
by("steps-start").addEventListener("click", (event) => during(event.target, search));
by("stop").addEventListener("click", (event) => during(event.target, () => ask("/api/stop", {})));
