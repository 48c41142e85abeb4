// The page: from a table to a release, one step at a time.

import { ask, fetched, send, session } from "./api.js";
import { Chart, costName, costOf, meaning } from "./chart.js";
import { by, cell, count, counted, element, listed, plain, replace } from "./dom.js";
import { during, reveal, state } from "./page.js";
import "./release.js";

const ROLES = [
  ["", "leave out"], ["sensitive", "protect"], ["public", "publish, recoded"], ["keep", "publish as it is"],
  ["harmless", "publish, harmless"], ["side", "known to readers"],
];

const chart = new Chart(by("chart"), { onChoose: choose, onPoint: (index) => showMeaning(index ?? state.chosen) });

session.then((known) => {
  if (!known) return during(null, () => fetched("/api/search"));
  by("open-given").hidden = !known.given;
  by("open-given").textContent = `Open ${known.given}`;
});

// 1. The table

function opened(described) {
  state.following += 1;
  Object.assign(state, { table: described, earlier: [], roles: null, audit: null, frontier: null, chosen: null });
  by("table-said").textContent = `${described.name}: ${counted(described.rows, "row")}, ${counted(described.columns.length, "column")}.`;
  const sheets = described.sheets ?? [];
  by("sheet-choice").hidden = sheets.length < 2;
  replace(by("sheet"), ...sheets.map((text) => element("option", { text, attributes: { value: text } })));
  if (sheets.length) by("sheet").value = described.sheet;
  replace(by("columns").tBodies[0], ...described.columns.map(columnRow));
  for (const box of ["publish-sensitive", "keep-order"]) by(box).checked = false;
  by("missing").value = "value";
  by("missing-at").value = "";
  showEarlier();
  reveal("roles");
  by("roles").scrollIntoView();
}

function columnRow(column, index) {
  const choice = element("select", { attributes: { "aria-label": `Role of ${column.name}`, name: `role-${index}` } });
  for (const [value, text] of ROLES) choice.append(element("option", { text, attributes: { value } }));
  const unusable = column.kind === null;
  choice.disabled = unusable;
  const kinds = { number: "number", boolean: "yes or no", date: "date", timestamp: "time", text: "text" };
  const missing = column.missing ? `, ${count(column.missing)} missing` : "";
  return element("tr", {},
    element("th", { text: column.name, attributes: { scope: "row" } }),
    element("td", {}, choice),
    unusable ? asText(column) : element("td", { text: kinds[column.kind] }),
    element("td", { text: column.values === null ? "" : `${count(column.values)}${missing}`, className: "number" }),
    element("td", { text: column.examples.join(", "), className: "examples" }));
}

function asText(column) {
  // Cells of mixed kinds can still be told apart as text, if the user says so.
  const button = element("button", { text: "Read as text", attributes: { type: "button", "aria-label": `Read ${column.name} as text` } });
  button.addEventListener("click", () => during(button, () => openAgain({ text: [...state.table.reading.text, column.name] })));
  return element("td", {}, "cannot be measured ", button);
}

async function openAgain(change) {
  const { revision, reading, sheet, sheets } = state.table;
  const asked = { ...reading, sheet: sheets.length > 1 ? sheet : null, ...change };
  opened(await ask("/api/open", { which: "again", revision, reading: asked }));
}

const howRead = () => Object.fromEntries([...new FormData(by("reading"))].filter(([, value]) => value));

const upload = (file) => file && during(null, async () => {
  const { most, limit } = by("kinds").dataset;
  if (file.size > Number(most)) throw new Error(`${file.name} is larger than ${limit}, the most that is taken.`);
  const before = by("table-said").textContent;
  by("table-said").textContent = `Reading ${file.name} …`;
  try {
    opened(await send("/api/upload", file, howRead()));
  } catch (error) {
    by("table-said").textContent = before;
    if (error.message.includes(by("how-read").querySelector("summary").textContent)) by("how-read").open = true;
    throw error;
  }
});
by("file").addEventListener("change", (event) => { upload(event.target.files[0]); event.target.value = ""; });
by("open-example").addEventListener("click", (event) => during(event.target, async () => opened(await ask("/api/open", { which: "example" }))));
by("open-given").addEventListener("click", (event) => during(event.target, async () => opened(await ask("/api/open", { which: "given", reading: howRead() }))));
by("sheet").addEventListener("change", (event) => during(event.target, async () => {
  try {
    await openAgain({ sheet: event.target.value, text: [] });
  } catch (error) {
    by("sheet").value = state.table.sheet;
    throw error;
  }
}));
by("reading").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  upload(event.dataTransfer.files[0]);
});

// 2. The roles

function chosenRoles() {
  const roles = { sensitive: [], public: [], side: [], keep: [], harmless: [] };
  by("columns").querySelectorAll("select").forEach((choice, i) => {
    if (choice.value) roles[choice.value].push(state.table.columns[i].name);
  });
  if (!roles.sensitive.length) throw new Error("Choose at least one column to protect.");
  if (!roles.public.length) throw new Error("Choose at least one column to publish.");
  const place = by("missing-at");
  if (!place.validity.valid) throw new Error("The place of a missing number must be a number.");
  return {
    revision: state.table.revision, missing: by("missing").value, missing_at: place.value === "" ? null : Number(place.value),
    publish_sensitive: by("publish-sensitive").checked, keep_order: by("keep-order").checked,
    earlier: state.earlier.map((policy) => policy.word), ...roles,
  };
}

function forgetMeasures() {
  // What is shown below was measured for other choices; it must not be taken for these.
  if (!state.roles) return;
  state.following += 1;
  state.roles = null;
  reveal("roles");
}
by("roles").addEventListener("change", (event) => event.target.type !== "file" && forgetMeasures());

function showEarlier() {
  replace(by("earlier"), ...state.earlier.map((policy) => {
    const remove = element("button", { text: "Remove", attributes: { type: "button", "aria-label": `Remove ${policy.name}` } });
    remove.addEventListener("click", () => {
      state.earlier = state.earlier.filter((other) => other !== policy);
      forgetMeasures();
      showEarlier();
    });
    return element("li", {}, `${policy.name} `, element("small", { text: listed(policy.columns) }), remove);
  }));
}

by("earlier-file").addEventListener("change", (event) => {
  const file = event.target.files[0];
  event.target.value = "";
  if (file) during(null, async () => {
    state.earlier.push(await send("/api/earlier", file, { revision: state.table.revision }));
    forgetMeasures();
    showEarlier();
  });
});

by("measure").addEventListener("click", (event) => during(event.target, async () => {
  forgetMeasures();
  const roles = chosenRoles();
  state.audit = await ask("/api/audit", roles);
  state.roles = roles;
  showAudit();
  reveal("audit");
  by("audit").scrollIntoView();
  by("audit-about").focus({ preventScroll: true });
  await search();
}));

// 3. The audit

function showAudit() {
  const { audit, findings } = state.audit;
  by("audit-about").textContent = state.audit.about;
  replace(by("findings"), ...findings.map((finding) => element("div", { className: "card" },
    element("h3", { text: finding.name }), element("p", { text: finding.number, className: "figure" }), element("p", { text: finding.sentence }))));
  const narrowest = audit.independent ? [] : audit.witnesses.narrowest.slice(0, 5).filter((one) => Object.keys(one.public).length);
  if (!narrowest.length) return replace(by("witnesses"));
  const names = Object.keys(narrowest[0].public);
  const side = Object.keys(narrowest[0].side ?? {});
  const head = element("tr", {}, ...[...names, ...side].map((text) => element("th", { text, attributes: { scope: "col" } })),
    element("th", { text: "candidates", className: "number", attributes: { scope: "col" } }), element("th", { text: "rows", className: "number", attributes: { scope: "col" } }));
  const rows = narrowest.map((one) => element("tr", {}, ...names.map((name) => cell(one.public[name])), ...side.map((name) => cell(one.side[name])),
    cell(count(one.candidates), "number"), cell(count(one.rows), "number")));
  const some = audit.witnesses.narrowest_count > narrowest.length ? ` (first ${narrowest.length} of ${count(audit.witnesses.narrowest_count)})` : "";
  return replace(by("witnesses"), element("h3", { text: `The most telling values${some}` }),
    element("div", { className: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
}

// 4. The frontier

async function search() {
  const following = ++state.following;
  Object.assign(state, { frontier: null, chosen: null, touched: false });
  by("chosen-area").hidden = true;
  by("search-said").textContent = "";
  reveal("frontier");
  const options = Object.fromEntries(new FormData(by("search-options")));
  let found = await ask("/api/search", { ...state.roles, ...options, time_limit: Number(options.time_limit) || null });
  const { number } = found;
  while (following === state.following) {
    if (found.number === number) showSearch(found);
    if (found.number !== number || (found.state === "stopped" && found.message)) {
      by("progress").hidden = true;
      by("preview").disabled = true;
      throw new Error("This search was ended: another table or search was started, in another window perhaps.");
    }
    if (found.state !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (following === state.following) found = await fetched("/api/search");
  }
}

function showSearch({ state: how, progress, frontier, message }) {
  const running = how === "running";
  by("progress").hidden = !running;
  by("progress-said").textContent = running ? `Searching: ${progress.what ?? "starting"}${frontier ? `; ${counted(frontier.points.length, "point")} so far` : ""}` : "";
  const bar = by("progress-bar");
  progress.total ? (bar.value = progress.done / progress.total) : bar.removeAttribute("value");
  if (how === "failed") throw new Error(message);
  if (frontier?.points.length) showFrontier(frontier, running);
  if (!running && frontier) {
    const proven = frontier.points.filter((point) => point.proven_optimal).length;
    const all = counted(frontier.points.length, "point");
    by("search-said").textContent = `${how === "stopped" ? "Stopped early. " : ""}${all}${frontier.search === "optimal" ? `, ${proven === frontier.points.length ? (proven > 1 ? "all " : "") : `${count(proven)} `}proven to be best` : " of the greedy run"}.`;
  }
}

function showFrontier(frontier, running) {
  const cost = state.touched ? costOf(state.frontier, state.frontier.points[state.chosen]) : null;
  state.frontier = frontier;
  by("chosen-area").hidden = false;
  const reader = whoReads();
  // While points arrive, the user's choice stays where it was; before there is one, a balanced point is shown,
  // or the safest where that would be the table as it is.
  const kept = cost === null ? frontier.balanced || frontier.points.length - 1 : frontier.points.findLastIndex((point) => costOf(frontier, point) <= cost);
  state.chosen = Math.max(kept, 0);
  chart.show(frontier, reader, state.chosen);
  const open = frontier.points.some((point) => !point.proven_optimal) && frontier.search === "optimal";
  by("chart-said").textContent = `Hover or move with the arrow keys to read a point; click or press Enter to choose it.${open ? " Open points are not proven to be best; nothing can lie below the dotted line." : ""}`;
  const candidates = by("by-candidates");
  const groups = frontier.leakage === "istar";
  by("by-candidates-name").textContent = groups ? "At most this many groups told apart:" : "At least this many candidates:";
  const numbers = frontier.points.map((point) => (groups ? point.components : point.distinct_l));
  candidates.min = Math.min(...numbers);
  candidates.max = Math.max(...numbers);
  by("by-cost-name").textContent = `${costName(frontier, reader.unit)}:`;
  by("by-cost").max = frontier.points.length - 1;
  by("preview").disabled = running;
  showMeaning(state.chosen);
  showSliders();
}

function choose(index, options) {
  Object.assign(state, { chosen: index, touched: true });
  // A preview of another point would mislead; it is made anew.
  if (!by("release").hidden) reveal("frontier");
  chart.choose(index, options);
  showMeaning(index);
  showSliders();
}

function showSliders() {
  const point = state.frontier.points[state.chosen];
  const number = state.frontier.leakage === "istar" ? point.components : point.distinct_l;
  by("by-candidates").value = number;
  by("by-candidates-now").textContent = count(number);
  by("by-cost").value = state.chosen;
  by("by-cost-now").textContent = plain(costOf(state.frontier, point));
  by("by-cost").setAttribute("aria-valuetext", plain(costOf(state.frontier, point)));
}

function showMeaning(index) {
  const point = state.frontier?.points[index];
  if (point) replace(by("meaning"), ...meaning(state.frontier, index, whoReads(), state.audit.audit));
}

// What the reader of a release sees and knows, for the sentences.
function whoReads() {
  const { public: recoded, keep, side, earlier } = state.roles;
  const beside = [...keep, ...(earlier.length ? [counted(earlier.length, "earlier release")] : [])];
  return { unit: listed(recoded), beside: listed(beside), tell: beside.length > 1 ? "tell" : "tells", known: listed(side) };
}

by("by-candidates").addEventListener("input", (event) => {
  const wanted = Number(event.target.value);
  const groups = state.frontier.leakage === "istar";
  const index = state.frontier.points.findIndex((point) => (groups ? point.components <= wanted : point.distinct_l >= wanted));
  choose(index < 0 ? state.frontier.points.length - 1 : index);
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
by("stop").addEventListener("click", (event) => during(event.target, () => ask("/api/stop", {})));

reveal("table");
