// The theme opens its search as a dialog without a name; a reader who hears the page needs one.
document.querySelector('[data-md-component="search"]')?.setAttribute("aria-label", "Search");
