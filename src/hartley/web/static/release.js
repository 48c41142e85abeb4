// The last step: a preview of the chosen point, its release, and what can be saved.

import { ask, withTicket } from "./api.js";
import { by, cell, count, element, replace } from "./dom.js";
import { during, reveal, state } from "./page.js";

by("preview").addEventListener("click", (event) => during(event.target, async () => {
  const point = { revision: state.table.revision, point: state.chosen };
  const seen = await ask("/api/look", point);
  // Another point may have been chosen meanwhile; what is shown must be what would be released.
  if (state.chosen !== point.point || !state.roles) return;
  by("release-about").textContent = seen.about;
  by("released").hidden = true;
  replace(by("figures"), ...seen.figures.map((figure) => picture(figure)));
  replace(by("recoding").tHead.rows[0], ...["Released as", "Values", "Rows", "Candidates"].map((text, i) => element("th", { text, className: i > 1 ? "number" : "", attributes: { scope: "col" } })));
  replace(by("recoding").tBodies[0], ...seen.recoding.map((one) => element("tr", {},
    cell(one.released), cell(one.members), cell(count(one.rows), "number"), cell(count(one.candidates), "number"))));
  by("recoding-more").textContent = seen.left_out ? `${count(seen.left_out)} more released values are not listed here.` : "";
  reveal("release");
  by("release").scrollIntoView();
  by("release-about").focus({ preventScroll: true });
}));

function picture({ kind, title, caption, point, search: number }) {
  // A browser may show an image again without asking; the number keeps those of other searches apart.
  const source = (theme) => withTicket(`/figure/${number}/${point}/${kind}/${theme}.svg`);
  return element("figure", {},
    element("picture", {},
      element("source", { attributes: { media: "(prefers-color-scheme: dark)", srcset: source("dark") } }),
      element("img", { attributes: { src: source("light"), alt: `${title}. ${caption}` } })),
    element("figcaption", { text: caption }));
}

by("release-options").addEventListener("submit", (event) => {
  event.preventDefault();
  during(event.submitter, async () => {
    const labels = new FormData(event.target).get("labels") || null;
    const made = await ask("/api/release", { revision: state.table.revision, point: state.chosen, labels });
    showRows(made.preview);
    showCodebook(made.codebook);
    by("verified").textContent = made.said;
    replace(by("holds"), ...made.holds.map((text) => element("p", { text })));
    // Where somebody is exposed, that is said before anything else, and the files wait for a word.
    by("exposed").hidden = !made.warning;
    by("exposed-said").textContent = made.warning ?? "";
    by("made").hidden = Boolean(made.warning);
    replace(by("readers").tBodies[0], ...made.readers.map((reader) => element("tr", {}, element("th", { text: reader.who, attributes: { scope: "row" } }),
      ...[reader.candidates, reader.l0, reader.istar].map((text) => cell(text, "number")))));
    by("accept").hidden = false;
    by("released").hidden = false;
    showDownloads(made.links);
    by(made.warning ? "exposed" : "verified").scrollIntoView({ block: "center" });
  });
});

by("accept").addEventListener("click", () => {
  by("made").hidden = false;
  by("accept").hidden = true;
});

function showCodebook(codebook) {
  // What the release wrote is what counts; its labels may be written another way than in the preview.
  const body = by("recoding").tBodies[0];
  if (body.rows.length === codebook.length) codebook.forEach((one, i) => body.rows[i].cells[0].replaceWith(cell(one.released)));
  else replace(body, ...codebook.map((one) => element("tr", {}, cell(one.released), cell(one.members), cell(""), cell(""))));
}

function showRows({ columns, rows }) {
  replace(by("rows").tHead.rows[0], ...columns.map((text) => element("th", { text, attributes: { scope: "col" } })));
  replace(by("rows").tBodies[0], ...rows.map((row) => element("tr", {}, ...row.map((value) => cell(value)))));
}

function showDownloads(links) {
  const names = { table: "Released table", policy: "Policy (keep private)", certificate: "Certificate", record: "Record (keep private)", report: "Report for the board", "curators-report": "Curator's report (keep private)" };
  replace(by("downloads"), ...Object.entries(names).map(([word, text]) => {
    const link = links[word];
    if (link) return element("li", {}, element("a", { attributes: { href: withTicket(link.href), download: link.name } }, text, element("small", { text: `${link.name}, ${link.size}` })));
    const make = element("button", { text: `Make: ${text}`, attributes: { type: "button" } });
    make.addEventListener("click", () => during(make, async () => {
      const made = await ask("/api/report", { revision: state.table.revision, point: state.chosen, disclosive: word !== "report" });
      showDownloads(made.links);
    }));
    return element("li", {}, make);
  }));
}
