// Ways to publish the table, side by side: what each loses and protects; one of them is looked at and saved.

import { ask } from "./api.js";
import { demandFields } from "./demand.js";
import { by, count, counted, drawn, element, replace } from "./dom.js";
import { follow, refuse } from "./frontier.js";
import { during, keep, reveal, state } from "./page.js";
import { showTaken } from "./release.js";

const SHAPES = { any: "any values together", intervals: "neighbours only", columns: "bands of each column", tree: "boxes cut from each other" };
const MEANT = {
  any: "Keeps most detail; bands differ from class to class.", intervals: "Bands of neighbouring values.",
  columns: "Everybody has the same bands; easiest to read.", tree: "As any values, in boxes; can also hold for a reader who knows the program.",
};
const LARGE = 50_000;
let taken = null;

// Over several columns, of many rows, and where a frontier has no answer, ways side by side come first.
export const areFirst = () => state.roles.public.length > 1 || state.table.rows > LARGE || Boolean(state.roles.person) || state.roles.transparent;

export async function findWays() {
  state.following += 1;
  const following = state.following;
  Object.assign(state, { frontier: null, chosen: null, drawn: null, way: "candidates" });
  by("chosen-area").hidden = true;
  by("steps-start-field").hidden = Boolean(state.roles.person) || state.roles.transparent;
  replace(by("ways-found"));
  by("ways-said").textContent = "";
  refuse(null);
  reveal("frontier");
  await follow(await ask("/api/search", { ...state.roles, ...demandFields(), kind: "candidates" }), following, showWays);
}

export function showWays({ number, state: how, progress, frontier: found, message }) {
  const running = how === "running";
  by("progress").hidden = !running;
  by("progress-said").textContent = running ? `Releasing: ${progress.what ?? "starting"}` : "";
  const bar = by("progress-bar");
  progress.total ? (bar.value = progress.done / progress.total) : bar.removeAttribute("value");
  state.search = number;
  keep({ search: number });
  if (how === "failed") return refuse(message);
  if (!found) return undefined;
  const ways = found.candidates;
  const best = bestOf(ways);
  replace(by("ways-found"), ...Object.keys(SHAPES).flatMap((shape) => {
    const these = ways.filter((way) => way.shape === shape);
    return these.length ? [element("h4", { text: `${SHAPES[shape].charAt(0).toUpperCase()}${SHAPES[shape].slice(1)}` }, " ", element("small", { text: MEANT[shape], className: "hint" })), ...these.map((way) => card(way, best, running))] : [];
  }));
  const made = ways.filter((way) => !way.refused).length;
  by("ways-said").textContent = running ? "" : `${counted(made, "way")} of ${count(ways.length)} can be published${how === "stopped" ? "; stopped early" : ""}.${best ? " The one with a frame around it loses least of those that protect everyone." : ""}`;
  return undefined;
}

const bestOf = (ways) => ways.filter((way) => way.verdict?.colour === "green").sort((one, other) => one.loss - other.loss)[0] ?? null;
const percent = (share) => (share > 0 && share < 0.0005 ? "<0.1 %" : `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))} %`);

function card(way, best, running) {
  const title = `at least ${counted(way.distinct_l, "candidate")}, ${way.withhold === "0" ? "no row withheld" : `up to ${way.withhold.replace("%", " %")} of rows withheld`}`;
  const holder = (className, ...children) => element("div", { className: `way ${className}`, attributes: { "data-way": way.number, role: "group", "aria-label": `${SHAPES[way.shape]}: ${title}` } }, element("h5", { text: `A${title.slice(1)}` }), ...children);
  if (way.refused) return holder("", element("p", { text: `Not possible: ${way.refused}`, className: "hint" }));
  const look = element("button", { text: "Look at it, and save it", attributes: { type: "button", "aria-label": `Look at ${SHAPES[way.shape]}, ${title}` } });
  look.disabled = running;
  look.addEventListener("click", () => during(look, () => take(way.number)));
  const marks = `${way === best ? " best" : ""}${way.number === taken ? " chosen" : ""}`;
  return holder(`${way.verdict.colour}${marks}`,
    element("p", {}, element("strong", { text: way.verdict.word }), ` ${counted(way.left, "candidate")} for everyone; ${counted(way.row_k, "row")} or more alike${way.guess === null ? "" : `; likeliest guess ${percent(way.guess)}`}.`),
    element("p", { text: `Loses ${percent(way.loss)} of the detail; ${percent(way.unchanged)} of rows unchanged${way.withheld_rows ? `; ${counted(way.withheld_rows, "row")} withheld, counted as lost` : ""}.${way.complete || !way.loss ? "" : " Stopped at its time limit."}` }),
    element("dl", { className: "losses" }, ...way.columns.flatMap((column) => [element("dt", { text: column.name }), barOf(column.lost), element("dd", { text: column.lost === null ? "" : percent(column.lost) })])),
    element("p", {}, look));
}

function barOf(share) {
  const svg = drawn("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(drawn("rect", { class: "whole", width: 100, height: 6 }), drawn("rect", { width: 100 * (share ?? 0), height: 6 }));
  return element("dd", {}, svg);
}

async function take(number) {
  const made = await ask("/api/take", { revision: state.table.revision, number });
  if (!state.roles) return;
  mark(number);
  showTaken(made, made.links);
  by("release").scrollIntoView();
  by("release-about").focus({ preventScroll: true });
}

export function mark(number) {
  taken = number;
  by("ways-found").querySelectorAll(".way").forEach((way) => way.classList.toggle("chosen", Number(way.dataset.way) === number));
}

by("ways-start").addEventListener("click", (event) => during(event.target, findWays));
