// Building the page. Text is only ever set as text, so that no cell or name can become markup.

const SVG = "http://www.w3.org/2000/svg";

export const by = (id) => document.getElementById(id);

export function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  fill(made, options, children);
  return made;
}

export function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function fill(made, { text, attributes = {}, on = {}, className }, children) {
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const [name, listener] of Object.entries(on)) made.addEventListener(name, listener);
  made.append(...children);
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children);
  return parent;
}

export function cell(value, className = "text") {
  return value === null || value === undefined
    ? element("td", { text: "missing", className: "missing" })
    : element("td", { text: String(value), className });
}

export const count = (number) => Number(number).toLocaleString("en");

export function counted(number, thing) {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
}

// A few names in a sentence; many, or long ones, as their number.
export function listed(names, most = 60) {
  const all = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
  return names.length > 5 || (names.length > 1 && all.length > most) ? `${names.length} columns` : all;
}

export function bits(number) {
  const shown = String(Math.round(number * 100) / 100);
  return `${shown} ${shown === "1" ? "bit" : "bits"}`;
}

export function plain(number) {
  return Number(Number(number).toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
}
