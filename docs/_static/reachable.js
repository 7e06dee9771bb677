// What is wider than its place is scrolled by keyboard too, and the first column of such a table stays where it is.

const WIDEST = 0.45; // share of the screen that a column which stays may take

function look() {
  for (const part of document.querySelectorAll("article pre, article .table-wrapper, article .math")) {
    const scrolls = part.scrollWidth > part.clientWidth; // by a pixel, too: axe counts it
    if (scrolls) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
    const first = part.querySelector(":scope > table tr > :first-child");
    if (first) part.classList.toggle("stays", scrolls && first.offsetWidth < WIDEST * part.clientWidth);
  }
}

addEventListener("load", look);
addEventListener("resize", look);
addEventListener("toggle", look, true); // what is unfolded has a width only then
