// The last step: a preview of the chosen point, its release, and what can be saved.

import { ask, withTicket } from "./api.js";
import { by, cell, count, counted, element, replace } from "./dom.js";
import { during, reveal, shownPoint, state } from "./page.js";
import { stripOf, usefulness } from "./strips.js";

by("preview").addEventListener("click", (event) => during(event.target, async () => {
  const point = { revision: state.table.revision, point: shownPoint() };
  const seen = await ask("/api/look", point);
  // Another point may have been chosen meanwhile; what is shown must be what would be released.
  if (shownPoint() !== point.point || !state.roles) return;
  showLook(seen);
  by("release").scrollIntoView();
  by("release-about").focus({ preventScroll: true });
}));

// A way that was chosen among those side by side is released already.
export function showTaken(made, links) {
  by("release-about").textContent = made.about;
  reveal("release");
  by("looked").hidden = !made.strips.length;
  replace(by("strips"), ...made.strips.map((strip) => stripOf(strip, made.rows)));
  replace(by("usefulness"), ...(made.strips.length ? usefulness(made) : []));
  replace(by("figures"));
  by("release-options").hidden = true;
  by("same-command-text").textContent = made.command;
  showRelease(made, links);
  by("same-command").hidden = false;
}

export function showLook(seen) {
  by("looked").hidden = by("release-options").hidden = false;
  by("release-about").textContent = seen.about;
  by("released").hidden = true;
  reveal("release");
  replace(by("strips"), ...seen.strips.map((strip) => stripOf(strip, seen.rows)));
  replace(by("usefulness"), ...usefulness(seen));
  replace(by("figures"), ...seen.figures.map((figure) => picture(figure)));
  by("find").value = "";
  showCodebook(seen.codebook);
}

function picture({ kind, title, caption, point, search: number }) {
  // A browser may show an image again without asking; the number keeps those of other searches apart.
  const source = (theme, width = "") => withTicket(`/figure/${number}/${point}/${kind}${width}/${theme}.svg`);
  const phone = "(max-width: 40rem)", dark = "(prefers-color-scheme: dark)";
  return element("figure", { attributes: { "aria-label": title } },
    element("picture", {},
      element("source", { attributes: { media: `${phone} and ${dark}`, srcset: source("dark", "-narrow") } }),
      element("source", { attributes: { media: phone, srcset: source("light", "-narrow") } }),
      element("source", { attributes: { media: dark, srcset: source("dark") } }),
      element("img", { attributes: { src: source("light"), alt: `${title}. ${caption}` } })),
    element("figcaption", { text: caption }));
}

// The codebook: what each released value stands for; a long one is looked up in, not scrolled through.

function showCodebook({ lines, found, all }) {
  replace(by("recoding").tBodies[0], ...lines.map((one) => element("tr", {}, one.withheld ? element("td", { text: "withheld", className: "missing" }) : cell(one.released), cell(one.members),
    cell(one.rows === null ? "" : count(one.rows), "number"), cell(one.candidates === null ? "" : count(one.candidates), "number"))));
  const some = found < all ? `${count(found)} of ${counted(all, "released value")} match.` : `${counted(all, "released value")}.`;
  by("recoding-more").textContent = lines.length < found ? `${some} The first ${count(lines.length)} are listed; type above to find others.` : some;
}

let lookup = 0;
by("find").addEventListener("input", () => during(null, async () => {
  const number = ++lookup;
  const found = await ask("/api/codebook", { revision: state.table.revision, find: by("find").value });
  if (number === lookup) showCodebook(found);
}));

by("release-options").addEventListener("submit", (event) => {
  event.preventDefault();
  during(event.submitter, async () => {
    const labels = new FormData(event.target).get("labels") || null;
    const made = await ask("/api/release", { revision: state.table.revision, point: shownPoint(), labels });
    showRelease(made, made.links);
    by(made.warning ? "exposed" : "verified").scrollIntoView({ block: "center" });
  });
});

export function showRelease(made, links) {
  showRows(made.preview);
  by("find").value = "";
  showCodebook(made.codebook);
  const { colour, word, said } = made.verdict;
  by("made-verdict").className = `verdict ${colour}`;
  replace(by("made-verdict"), element("strong", { text: `${word}.` }), ` ${said}`);
  by("verified").className = `said ${colour === "green" ? "good" : ""}`;
  by("verified").textContent = made.said;
  const lost = element("ul", {}, ...made.lost.map((text) => element("li", { text })));
  replace(by("holds"), ...made.holds.map((text) => element("p", { text })), element("h3", { text: "What is lost" }), lost, element("p", { text: made.proof, className: "hint" }));
  // Where somebody is exposed, that is said before anything else, and the files wait for a word.
  by("exposed").hidden = !made.warning;
  by("exposed-said").textContent = made.warning ?? "";
  by("made").hidden = Boolean(made.warning);
  by("accept").hidden = false;
  replace(by("readers").tBodies[0], ...made.readers.map((reader) => element("tr", {}, element("th", { text: reader.who, attributes: { scope: "row" } }),
    ...[reader.candidates, reader.l0, reader.istar].map((text) => cell(text, "number")))));
  by("released").hidden = false;
  by("same-command").hidden = true;
  showDownloads(links);
}

by("accept").addEventListener("click", () => {
  by("made").hidden = false;
  by("accept").hidden = true;
});

function showRows({ columns, rows }) {
  replace(by("rows").tHead.rows[0], ...columns.map((text) => element("th", { text, attributes: { scope: "col" } })));
  replace(by("rows").tBodies[0], ...rows.map((row) => element("tr", {}, ...row.map((value) => cell(value)))));
}

function showDownloads(links) {
  const names = {
    table: "Released table", codebook: "Codebook", "codebook-page": "Codebook as a page", "codebook-ddi": "Codebook for catalogues", certificate: "Certificate",
    policy: "Policy (keep private)", record: "Record (keep private)", report: "Report for the board", "curators-report": "Curator's report (keep private)",
  };
  // A report is of a point of the frontier.
  const shown = Object.entries(names).filter(([word]) => links[word] || (word.endsWith("report") && state.chosen !== null));
  replace(by("downloads"), ...shown.map(([word, text]) => {
    const link = links[word];
    if (link) return element("li", {}, element("a", { attributes: { href: withTicket(link.href), download: link.name } }, text, element("small", { text: `${link.name}, ${link.size}` })));
    const make = element("button", { text: `Make: ${text}`, attributes: { type: "button" } });
    make.addEventListener("click", () => during(make, async () => {
      const made = await ask("/api/report", { revision: state.table.revision, point: shownPoint(), disclosive: word !== "report" });
      showDownloads(made.links);
    }));
    return element("li", {}, make);
  }));
}
