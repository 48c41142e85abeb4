// The theme opens its search as a dialog without a name; a reader who hears the page needs one.
document.querySelector('[data-md-component="search"]')?.setAttribute("aria-label", "Search");
// Tables that the theme lets scroll can be reached with the keyboard.
const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((wrap) => {
  Object.entries({ tabindex: "0", role: "region", "aria-label": "Table" }).forEach(([name, value]) => wrap.setAttribute(name, value));
});
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
reachable();
