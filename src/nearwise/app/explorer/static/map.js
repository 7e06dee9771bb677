// The cases as marks on a plane. A new map is turned so that the marks move as little as they can.

import { by, el, few, put, shape } from "./dom.js";

const SIZE = 400, EDGE = 16, GROUPS = 8;
const PATHS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5 4.6 3.4h-9.2z", "M0-5 5 0 0 5-5 0z",
  "M0 5-4.6-3.4h9.2z", "M-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", "M-5-2.2h10v4.4h-10z", "M-2.2-5h4.4v10h-4.4z",
];
let classes = [], steps = null, last = new Map(), dots = new Map(), drawnFor = "";

/** What marks mean: a shape and a colour for each class, or five steps of a number. */
export function giveMarks(found, regression, groups = []) {
  classes = regression ? [] : found;
  if (!regression) return;
  const numbers = groups.map(Number).sort((a, b) => a - b);
  steps = [0.2, 0.4, 0.6, 0.8].map((share) => numbers[Math.floor(share * (numbers.length - 1))]);
}

export function mark(label) {
  let at = classes.indexOf(label);
  if (steps !== null) at = steps.filter((step) => Number(label) > step).length;
  const own = at < 0 || at >= GROUPS ? "var(--rest)" : `var(--${steps === null ? "c" : "s"}${at})`;
  const path = at < 0 || at >= GROUPS ? PATHS[0] : steps !== null ? PATHS[0] : PATHS[at];
  return {
    colour: own, path,
    drawn(size) {
      const made = shape("svg", { viewBox: "-6 -6 12 12", width: size, height: size, "aria-hidden": "true" });
      const drawn = shape("path", { d: path });
      drawn.style.fill = own;
      made.append(drawn);
      return made;
    },
  };
}

/** The rotation, or reflection, of new points that brings them nearest to the old ones. */
function turned(map) {
  const pairs = map.cases.map((id, at) => [at, last.get(id)]).filter(([, old]) => old);
  if (pairs.length < 3) return (x, y) => [x, y];
  let a = 0, b = 0, c = 0, d = 0;
  for (const [at, [u, v]] of pairs) {
    a += map.x[at] * u; b += map.x[at] * v; c += map.y[at] * u; d += map.y[at] * v;
  }
  const straight = Math.hypot(a + d, b - c), mirrored = Math.hypot(a - d, b + c);
  if (straight >= mirrored) {
    const [cos, sin] = straight > 0 ? [(a + d) / straight, (b - c) / straight] : [1, 0];
    return (x, y) => [cos * x - sin * y, sin * x + cos * y];
  }
  const [cos, sin] = [(a - d) / mirrored, (b + c) / mirrored];
  return (x, y) => [cos * x + sin * y, sin * x - cos * y];
}

export function showMap(map, answer, about, onAsk) {
  const turn = turned(map);
  const points = map.cases.map((id, at) => turn(map.x[at], map.y[at]));
  last = new Map(map.cases.map((id, at) => [id, points[at]]));
  const asked = map.query ? turn(...map.query) : null;
  const everything = asked ? [...points, asked] : points;
  const far = Math.max(...everything.flat().map(Math.abs), 1e-12);
  const place = ([x, y]) => [SIZE / 2 + (x / far) * (SIZE / 2 - EDGE), SIZE / 2 - (y / far) * (SIZE / 2 - EDGE)];
  const svg = by("map");
  if (map.cases.join() !== drawnFor) {
    drawnFor = map.cases.join();
    dots = new Map(map.cases.map((id, at) => {
      const { path, colour } = mark(map.groups[at]);
      const dot = shape("path", { d: path, class: "dot" }, `case ${id}: ${map.groups[at]}`);
      dot.style.fill = colour;
      dot.addEventListener("click", () => onAsk(id));
      return [id, dot];
    }));
    put(svg, ...dots.values(), shape("circle", { r: 9, class: "asked" }));
  }
  const near = new Set((answer?.neighbours ?? []).map((each) => each.case));
  map.cases.forEach((id, at) => {
    const [x, y] = place(points[at]), dot = dots.get(id);
    dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    dot.classList.toggle("outside", !map.inside[at]);
    dot.classList.toggle("near", near.has(id));
  });
  const ring = svg.querySelector(".asked");
  ring.style.visibility = asked ? "visible" : "hidden";
  if (asked) ring.style.transform = `translate(${place(asked).map((v) => `${v.toFixed(1)}px`).join(", ")})`;
  const shown = map.cases.length < map.stored ? `${map.cases.length} of ${map.stored.toLocaleString("en")} cases, drawn by their content` : `All ${map.stored} cases`;
  const told = `${shown}; two directions tell ${(100 * map.kept).toFixed(0)}% of the squared distances.`;
  by("map-note").textContent = `${told} The ring is the case asked about; marks with an edge are its nearest.`;
  svg.setAttribute("aria-label", `Map of the cases. ${told}`);
  showLegend(about);
}

function showLegend(about) {
  if (steps !== null) {
    const ends = [...steps.map((step) => `to ${few(step)}`), "above"];
    put(by("map-legend"), ...ends.map((text, at) => el("li", {}, stepMark(at), text)));
    return;
  }
  const named = about.classes.slice(0, GROUPS).map((label) => el("li", {}, marked(label), label));
  put(by("map-legend"), ...named, about.classes.length > GROUPS ? el("li", {}, marked(null), `${about.classes.length - GROUPS} more`) : null);
}

function marked(label) {
  const made = mark(label).drawn(12);
  made.classList.add("mark");
  return made;
}

function stepMark(at) {
  const made = marked(null);
  made.firstChild.style.fill = `var(--s${at})`;
  return made;
}
