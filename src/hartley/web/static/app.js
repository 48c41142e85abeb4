// The page: from a table to a release, one step at a time.

import { ask, fetched, send, session } from "./api.js";
import { startDemand, whenDemandChanges } from "./demand.js";
import { by, cell, count, counted, element, listed, replace } from "./dom.js";
import { follow, search } from "./frontier.js";
import { showBorders } from "./borders.js";
import { during, keep, kept, reveal, shownPoint, state } from "./page.js";
import { showLook, showRelease, showTaken } from "./release.js";
import { areFirst, findWays, showWays } from "./ways.js";

const ROLES = [
  ["", "leave out"], ["sensitive", "protect"], ["public", "publish, recoded"], ["keep", "publish as it is"],
  ["harmless", "publish, harmless"], ["side", "known to readers"],
];

session.then((known) => {
  if (!known) return during(null, () => fetched("/api/search"));
  by("open-given").hidden = !known.given;
  by("open-given").textContent = `Open ${known.given}`;
  return kept()?.revision ? during(null, resume) : undefined;
});

// A page that is loaded again takes up the work where it was; the server has it.
async function resume() {
  const work = await fetched("/api/session");
  if (!work.table || work.table.revision !== kept().revision) return;
  const { chosen, search: number } = kept();
  opened(work.table);
  state.earlier = work.earlier ?? [];
  showEarlier();
  if (!work.roles) return;
  setRoles(work.roles);
  Object.assign(state, { audit: work.audit, roles: work.roles });
  startDemand(work.asked ?? {});
  showAudit();
  reveal("audit");
  if (!work.asked || work.search.state === "idle") return;
  if (work.asked.kind === "candidates") {
    state.way = "candidates";
    reveal("frontier");
    by("steps-start-field").hidden = Boolean(state.roles.person) || state.roles.transparent;
    await follow(work.search, undefined, showWays);
    if (work.taken) showTaken(work.taken, work.links);
    return;
  }
  const options = by("search-options");
  for (const name of ["leakage", "utility", "codeword", "search", "time_limit"]) options[name].value = work.asked[name] ?? "";
  reveal("frontier");
  if (number === work.search.number) state.wanted = chosen;
  keep({ chosen, search: number });
  await follow(work.search);
  if (work.borders && work.borders.base === state.chosen) await showBorders(work.borders.seen);
  if (!work.look || work.point !== shownPoint()) return;
  showLook(work.look);
  if (work.release) showRelease(work.release, work.links);
}

function setRoles(roles) {
  by("columns").querySelectorAll("select").forEach((choice, i) => {
    const { name } = state.table.columns[i];
    choice.value = ROLES.find(([role]) => role && roles[role].includes(name))?.[0] ?? "";
  });
  by("missing").value = roles.missing;
  by("missing-at").value = roles.missing_at ?? "";
  by("publish-sensitive").checked = roles.publish_sensitive;
  by("keep-order").checked = roles.keep_order;
  by("defuse-formulas").checked = roles.defuse_formulas ?? false;
  by("person").value = roles.person ?? "";
  by("who-reads").value = roles.transparent ? "transparent" : "";
  by("like-input").value = roles.like_input ?? "yes";
  by("columns").querySelectorAll("input[data-identifier]").forEach((box) => { box.checked = (roles.accept_identifier ?? []).includes(box.dataset.identifier); });
}

// 1. The table

function opened(described) {
  state.following += 1;
  unread = null;
  Object.assign(state, { table: described, earlier: [], roles: null, audit: null, frontier: null, chosen: null, drawn: null });
  by("table-said").textContent = `${described.name}: ${counted(described.rows, "row")}, ${counted(described.columns.length, "column")}.`;
  replace(by("table-notes"), ...described.notes.map((text) => element("li", { text })));
  if (described.notes.length) by("how-read").open = true;
  const sheets = described.sheets ?? [];
  by("sheet-choice").hidden = sheets.length < 2;
  replace(by("sheet"), ...sheets.map((text) => element("option", { text, attributes: { value: text } })));
  if (sheets.length) by("sheet").value = described.sheet;
  replace(by("columns").tBodies[0], ...described.columns.map(columnRow));
  for (const box of ["publish-sensitive", "keep-order", "defuse-formulas"]) by(box).checked = false;
  by("missing").value = "value";
  by("missing-at").value = by("who-reads").value = "";
  by("like-input").value = "yes";
  replace(by("person"), ...[["", "each row is a person"], ...described.columns.map(({ name }) => [name, name])].map(([value, text]) => element("option", { text, attributes: { value } })));
  for (const [name, value] of Object.entries(described.reading)) if (by("reading")[name]) by("reading")[name].value = readingValue(name, value);
  showEarlier();
  keep({ revision: described.revision, chosen: null, search: null });
  reveal("roles");
  by("roles").scrollIntoView();
}

// How the table was read stands in the form, also of a page that was loaded again.
function readingValue(name, value) {
  if (name === "missing_words") return (value ?? []).join(", ");
  return (name === "encoding" && value === "utf-8") || (name === "decimal" && value === ".") ? "" : value ?? "";
}

function columnRow(column, index) {
  const choice = element("select", { attributes: { "aria-label": `Role of ${column.name}`, name: `role-${index}` } });
  for (const [value, text] of ROLES) choice.append(element("option", { text, attributes: { value } }));
  const unusable = column.kind === null;
  choice.disabled = unusable;
  const kinds = { number: "number", boolean: "yes or no", date: "date", timestamp: "time", text: "text" };
  const missing = column.missing ? `, ${count(column.missing)} missing` : "";
  return element("tr", {},
    element("th", { text: column.name, attributes: { scope: "row" } },
      ...(column.identifier ? [element("p", { text: `Looks like ${column.identifier}. Do not publish it.`, className: "bad" }), acceptance(column)] : [])),
    element("td", {}, choice),
    readAs(column, unusable ? "cannot be measured " : `${kinds[column.kind]}${column.codes ? ", looks like codes" : ""} `),
    element("td", { text: column.values === null ? "" : `${count(column.values)}${missing}`, className: "number" }),
    element("td", { text: column.examples.join(", "), className: "examples" }));
}

function acceptance({ name }) {
  const box = element("input", { attributes: { type: "checkbox", "data-identifier": name, "aria-label": `Publish ${name} all the same` } });
  return element("label", { className: "check" }, box, "Publish it all the same");
}

function readAs({ name, kind, codes }, said) {
  // Cells of mixed kinds, codes and dates can be told apart as text, if the user says so, and read as found again.
  const { text } = state.table.reading;
  const isRead = text.includes(name);
  if (!isRead && (kind === "text" || kind === "boolean" || (kind === "number" && !codes))) return element("td", { text: said.trimEnd() });
  const label = isRead ? "as found" : "as text";
  const button = element("button", { text: `Read ${label}`, attributes: { type: "button", "aria-label": `Read ${name} ${label}` } });
  button.addEventListener("click", () => during(button, () => openAgain({ text: isRead ? text.filter((other) => other !== name) : [...text, name] })));
  return element("td", {}, said, button);
}

async function openAgain(change) {
  const { revision, reading, sheet, sheets } = state.table;
  const asked = { ...reading, sheet: sheets.length > 1 ? sheet : null, ...change };
  opened(await ask("/api/open", { which: "again", revision, reading: asked }));
}

const howRead = () => Object.fromEntries([...new FormData(by("reading"))].filter(([, value]) => value));

let unread = null; // a file that could not be read; it is tried again as soon as the form says how

const upload = (file) => file && during(null, async () => {
  const { most, limit } = by("kinds").dataset;
  if (file.size > Number(most)) throw new Error(`${file.name} is larger than ${limit}, the most that is taken.`);
  const before = by("table-said").textContent;
  by("table-said").textContent = `Reading ${file.name} …`;
  try {
    opened(await send("/api/upload", file, howRead()));
  } catch (error) {
    unread = file;
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
// A table that is open, or could not be opened, is read again as soon as the form says how.
by("reading").addEventListener("change", () => {
  const said = Object.fromEntries([...new FormData(by("reading"))].map(([name, value]) => [name, value || null]));
  if (unread) upload(unread);
  else if (state.table) during(null, () => openAgain({ ...said, text: [] }));
});
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
    defuse_formulas: by("defuse-formulas").checked, person: by("person").value || null, transparent: by("who-reads").value === "transparent",
    like_input: by("like-input").value, accept_identifier: [...by("columns").querySelectorAll("input[data-identifier]:checked")].map((box) => box.dataset.identifier),
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
  startDemand();
  showAudit();
  reveal("audit");
  by("audit").scrollIntoView();
  by("audit-about").focus({ preventScroll: true });
  await (areFirst() ? findWays() : search());
}));
whenDemandChanges(() => during(null, () => (state.way === "candidates" ? findWays() : search())));

// 3. The audit

function showAudit() {
  const { audit, findings } = state.audit;
  const { colour, word, said } = state.audit.verdict;
  by("audit-verdict").className = `verdict ${colour}`;
  replace(by("audit-verdict"), element("strong", { text: `${word}.` }), ` ${said} ${state.audit.identifiers ?? ""}`);
  by("audit-about").textContent = state.audit.about;
  replace(by("findings"), ...findings.map((finding) => element("div", { className: "card" },
    element("h3", { text: finding.name }), element("p", { text: finding.number, className: "figure" }), element("p", { text: finding.sentence }))));
  const narrowest = audit.independent ? [] : audit.witnesses.narrowest.slice(0, 5).filter((one) => Object.keys(one.public).length);
  if (!narrowest.length) return replace(by("witnesses"));
  const names = Object.keys(narrowest[0].public);
  const side = Object.keys(narrowest[0].side ?? {});
  const head = element("tr", {}, ...[...names, ...side].map((text) => element("th", { text, attributes: { scope: "col" } })),
    element("th", { text: "candidates", className: "number", attributes: { scope: "col" } }), element("th", { text: audit.persons ? "persons" : "rows", className: "number", attributes: { scope: "col" } }));
  const rows = narrowest.map((one) => element("tr", {}, ...names.map((name) => cell(one.public[name])), ...side.map((name) => cell(one.side[name])),
    cell(count(one.candidates), "number"), cell(count(one.rows), "number")));
  const some = audit.witnesses.narrowest_count > narrowest.length ? ` (first ${narrowest.length} of ${count(audit.witnesses.narrowest_count)})` : "";
  return replace(by("witnesses"), element("h3", { text: `The most telling values${some}` }),
    element("div", { className: "scroll", attributes: { tabindex: "0", role: "region", "aria-label": "The most telling values" } }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
}

reveal("table");
