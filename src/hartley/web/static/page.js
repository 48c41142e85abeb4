// What the steps share: the state of the work, which steps are shown, and how an action is waited for.

import { by } from "./dom.js";

const SECTIONS = ["table", "roles", "audit", "frontier", "release"];
export const state = { table: null, earlier: [], roles: null, audit: null, frontier: null, chosen: null, drawn: null, touched: false, wanted: null, way: null, search: 0, following: 0 };

// What this tab was at, by numbers alone: the work itself is with the server, and comes back when the page is loaded again.
const KEPT = "hartley-work";
export const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
export const keep = (more) => sessionStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...more }));

// The number of the point that is shown: one of the frontier, or the one whose borders were moved.
export const shownPoint = () => state.drawn?.place ?? state.chosen;

// The browser's Back goes one step back, and Forward again to what is still there.
let shown = 0, reached = 0;

export function reveal(step) {
  const to = SECTIONS.indexOf(step);
  if (to > shown && SECTIONS.indexOf(history.state?.step) < to) history.pushState({ step }, "", location.pathname);
  reached = to;
  showUntil(to);
}

function showUntil(to) {
  shown = to;
  SECTIONS.forEach((name, i) => { by(name).hidden = i > to; });
  document.querySelectorAll("#steps a").forEach((link, i) => {
    i > to ? link.setAttribute("aria-disabled", "true") : link.removeAttribute("aria-disabled");
    i === to ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current");
  });
}

addEventListener("popstate", ({ state: entry }) => {
  if (location.hash) return;
  const to = Math.min(Math.max(SECTIONS.indexOf(entry?.step), 0), reached);
  showUntil(to);
  by(SECTIONS[to]).scrollIntoView();
});

export function say(message) {
  by("error").hidden = !message;
  by("error").textContent = message ?? "";
  if (message) by("error").scrollIntoView({ block: "nearest" });
}

export async function during(button, action) {
  say(null);
  if (button) button.disabled = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await action();
  } catch (error) {
    say(error.message);
  } finally {
    if (button) button.disabled = false;
    document.body.removeAttribute("aria-busy");
  }
}
