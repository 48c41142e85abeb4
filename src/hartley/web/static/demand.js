// What every released value must keep, how values may be merged, and how many rows may be withheld.

import { by, element, listed, plain, replace } from "./dom.js";
import { say, state } from "./page.js";

const MEASURED = ["number", "date", "timestamp"];
let requirements = [];
let madeFor = "";
let onChange = () => {};

export const whenDemandChanges = (listener) => { onChange = listener; };

export function startDemand(asked = null) {
  const { sensitive, revision } = state.roles;
  const form = by("shape-form");
  // What was required of the same columns of the same table still is.
  const now = JSON.stringify([revision, sensitive]);
  const several = sensitive.length > 1;
  // Bands of each column are for several; what was chosen for other columns may not be among the choices.
  by("shape-columns").hidden = by("shape-columns").disabled = state.roles.public.length < 2;
  if (state.roles.public.length < 2 && form.shape.value === "columns") form.shape.value = "any";
  showOwn(asked ?? {}, !asked && now === madeFor);
  if (!asked && now === madeFor) return show();
  madeFor = now;
  requirements = requirementsOf(asked);
  const columns = several ? [["", `all together: ${listed(sensitive)}`], ["each", "each of them"]] : [];
  replace(by("require-column"), ...[...columns, ...sensitive.map((name) => [`=${name}`, name])].map(([value, text]) => element("option", { text, attributes: { value } })));
  form.shape.value = asked?.shape ?? "any";
  const borders = asked?.borders ?? null;
  form.grid.value = borders === null ? "" : typeof borders === "number" ? "step" : borders;
  if (typeof borders === "number") form.step.value = borders;
  by("withhold").value = asked?.withhold ?? 0;
  by("withheld-label").value = asked?.withheld_label ?? "";
  return show();
}

function requirementsOf(asked) {
  const apart = ({ name, column }) => (name === "separated-l" ? asked.tolerance[column ?? state.roles.sensitive[0]] : null);
  return (asked?.require ?? []).map((one) => ({ ...one, apart: apart(one) }));
}

// The same words in the request and in the list of sentences.
export function demandFields() {
  const form = by("shape-form");
  const grid = form.grid.value;
  const tolerance = {};
  for (const one of requirements) if (one.name === "separated-l") tolerance[one.column ?? state.roles.sensitive[0]] = one.apart;
  return {
    require: requirements.map(({ name, wanted, column, each }) => ({ name, wanted, column, each })), tolerance,
    shape: form.shape.value, borders: grid === "" ? null : grid === "step" ? Number(form.step.value) : grid,
    withhold: Number(by("withhold").value), withheld_label: by("withheld-label").value || null, ...ownFields(),
  };
}

// What is said about single columns: each public one has a few fields of its own.
const OWN = ["weight", "own_borders", "order", "hierarchy"];

function ownFields() {
  const said = Object.fromEntries(OWN.map((name) => [name, {}]));
  by("own-columns").querySelectorAll("[data-own]").forEach(({ value, dataset }) => {
    const { own, column } = dataset;
    if (value.trim()) said[own][column] = own === "weight" ? Number(value) : value;
  });
  return said;
}

function showOwn(asked, isSame) {
  const before = isSame ? ownFields() : Object.fromEntries(OWN.map((name) => [name, asked[name] ?? {}]));
  replace(by("own-columns"), ...state.roles.public.map((column) => {
    const field = (own, tag, attributes) => {
      const made = element(tag, { attributes: { "data-own": own, "data-column": column, ...attributes } });
      made.value = before[own][column] ?? "";
      return made;
    };
    const labelled = (text, made) => element("label", {}, `${text} `, made);
    const kind = kindOf(column);
    const fields = [labelled("Weight", field("weight", "input", { type: "number", min: "0", step: "any", placeholder: "1" }))];
    if (MEASURED.includes(kind)) fields.push(labelled("Borders", field("own_borders", "input", { type: "text", autocomplete: "off", placeholder: kind === "number" ? "18, 40, 65" : "2020-01-01, 2021-07-01" })));
    if (kind === "text") fields.push(labelled("Order, from least to greatest", field("order", "textarea", { rows: "4" })), labelled("Groups: value, group, wider group", field("hierarchy", "textarea", { rows: "4" })));
    return element("fieldset", { className: "own-column" }, element("legend", { text: column }), element("div", { className: "options" }, ...fields));
  }));
}

function sentenceOf({ name, wanted, column, each, apart }) {
  if (name === "row-k") return wanted === 1 ? "at least 1 row" : `at least ${plain(wanted)} rows`;
  const of = each ? `each of ${listed(state.roles.sensitive)}` : column ?? listed(state.roles.sensitive);
  const values = state.roles.sensitive.length > 1 && !column && !each ? "combinations" : "values";
  if (name === "separated-l") return `at least ${plain(wanted)} ${values} of ${of} that are more than ${plain(apart)} apart`;
  return `at least ${plain(wanted)} different ${values} of ${of}`;
}

function show() {
  const none = element("li", { text: "Nothing is required yet. The page then suggests a point; add a requirement to have every point keep it.", className: "hint" });
  replace(by("requirements"), ...(requirements.length ? requirements.map((one) => {
    const said = sentenceOf(one);
    const remove = element("button", { text: "Remove", attributes: { type: "button", "aria-label": `Remove: ${said}` } });
    remove.addEventListener("click", () => {
      requirements = requirements.filter((other) => other !== one);
      show();
      by("require-wanted").focus();
      onChange();
    });
    return element("li", {}, element("span", { text: said }), remove);
  }) : [none]));
  const form = by("shape-form"), kind = by("require-kind").value;
  by("require-apart").hidden = kind !== "separated-l";
  by("require-of").hidden = kind === "row-k";
  by("shape-more").hidden = form.shape.value !== "intervals";
  by("step-field").hidden = form.grid.value !== "step";
  const share = Number(by("withhold").value);
  by("withheld-label-field").hidden = !share;
  by("withhold-now").textContent = share ? `${plain(share)} %` : "none";
  by("withhold").setAttribute("aria-valuetext", share ? `${plain(share)} percent of the rows` : "none");
}

function kindOf(name) {
  return state.table.columns.find((column) => column.name === name)?.kind;
}

by("require-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = by("require-kind").value, chosen = by("require-column").value;
  const column = name === "row-k" || !chosen.startsWith("=") ? null : chosen.slice(1);
  const each = name !== "row-k" && chosen === "each";
  const added = { name, column, each, wanted: Number(by("require-wanted").value), apart: null };
  say(null);
  if (name === "separated-l") {
    const single = column ?? (state.roles.sensitive.length === 1 ? state.roles.sensitive[0] : null);
    if (!single) return say("How far apart values lie is asked of one column; choose it.");
    if (!MEASURED.includes(kindOf(single))) return say(`Values of ${single} are no numbers or dates, and have no distance. Ask for different values instead.`);
    if (by("require-distance").value === "" || !by("require-distance").validity.valid) return say("Say how far apart the values must be.");
    added.apart = Number(by("require-distance").value);
  }
  // One of a kind: the new number takes the place of the old one.
  requirements = [...requirements.filter((one) => one.name !== name || one.column !== column || one.each !== each), added];
  show();
  onChange();
  return undefined;
});
by("require-kind").addEventListener("change", show);
by("shape-form").addEventListener("submit", (event) => event.preventDefault());
by("shape-form").addEventListener("change", () => {
  show();
  if (by("shape-form").grid.value !== "step" || Number(by("shape-form").step.value) > 0) onChange();
});
by("withhold").addEventListener("input", show);
by("withhold").addEventListener("change", () => onChange());
by("withheld-label").addEventListener("change", () => onChange());
by("own-columns").addEventListener("change", () => onChange());
