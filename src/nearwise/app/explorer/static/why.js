// One answer: what is said, the nearest cases as stacked bars on one scale, and the numbers behind each bar.

import { brief, by, el, few, percent, put, says } from "./dom.js";
import { mark } from "./map.js";
import { colourOf, hasColour } from "./weights.js";

const SHOWN = 8, LETTERS = 90; // features with a colour in the legend, and letters of a value among the numbers
let opened = new Set();

export function showAnswer(answer, about, onAsk) {
  by("case").value = answer.case ?? "";
  showVerdict(answer, about);
  const shown = [...answer.neighbours, ...(answer.unlike ? [answer.unlike] : [])];
  const whole = Math.max(...shown.map((each) => each.total ?? 0), 1e-300);
  const features = strongest(shown);
  put(by("legend"), ...features.map((name) => el("span", {}, swatch(name), name)),
    hasOthers(shown, features) ? el("span", {}, swatch(null), "others") : null);
  const listed = answer.neighbours.map((each, at) => el("li", {}, neighbour(each, answer, features, whole, `near ${at}`, about, onAsk)));
  put(by("neighbours"), ...(listed.length ? listed : [el("li", { className: "soft" }, "No case matches the filter.")]));
  if (answer.matching !== null) by("neighbours").prepend(
    el("li", { className: "soft" }, `The nearest of ${answer.matching} cases that match the filter. The answer counts all cases.`));
  put(by("unlike"), answer.unlike ? neighbour(answer.unlike, answer, features, whole, "unlike", about, onAsk)
    : el("p", { className: "soft" }, about.regression ? "The target is a number: every case says something else." : "All cases say the same."));
}

function showVerdict(answer, about) {
  const asked = answer.case !== null ? `Case ${answer.case}, left out` : answer.without !== null ? `Case ${answer.without}, changed` : "Your case";
  const right = answer.is_right === null ? null
    : el("span", { className: answer.is_right ? "right" : "wrong" }, answer.is_right ? " ✓ right" : ` ✗ it is ${answer.truth}`);
  const truth = answer.is_right === null && answer.truth !== null ? el("span", { className: "soft" }, ` it is ${answer.truth}`) : null;
  const shares = answer.shares.map(([label, share]) => {
    const bar = el("i");
    bar.style.width = `${100 * share}%`;
    bar.style.setProperty("--own", mark(label).colour);
    return el("div", { className: "share" }, el("span", { title: label }, label), bar, el("b", {}, percent(share)));
  });
  put(by("verdict"), el("div", { className: "soft" }, `${asked}: ${about.target} is`),
    el("div", {}, el("span", { className: "says" }, says(about.regression ? brief(answer.prediction) : answer.prediction)), right, truth), ...shares);
}

const hasOthers = (shown, features) => shown.some((each) => each.parts.some(([name, part]) => part > 0 && !features.includes(name)));

/** The features with a colour of their own that add most to the distances shown. */
function strongest(shown) {
  const sums = new Map();
  for (const each of shown) for (const [name, part] of each.parts) if (hasColour(name)) sums.set(name, (sums.get(name) ?? 0) + (part ?? 0));
  return [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).slice(0, SHOWN).map(([name]) => name);
}

function swatch(feature) {
  const made = el("span", { className: "swatch" });
  made.style.setProperty("--own", feature === null ? "var(--rest)" : colourOf(feature));
  return made;
}

function neighbour(each, answer, features, whole, key, about, onAsk) {
  const jump = el("button", { type: "button", className: "link", title: "Ask about this case" }, `case ${each.label}`);
  jump.addEventListener("click", () => onAsk(each.case));
  const head = el("div", {}, el("span", { className: "target" }, about.regression ? null : symbol(each.target), says(each.target)), jump,
    el("span", { className: "soft" }, `distance ${few(each.distance)}`),
    each.vote > 0 ? el("span", { className: "soft" }, `vote ${percent(each.vote)}`) : null);
  const parts = new Map(each.parts);
  const rest = each.parts.filter(([name]) => !features.includes(name)).reduce((sum, [, part]) => sum + (part ?? 0), 0);
  const pieces = [...features.map((name) => [name, parts.get(name) ?? 0, colourOf(name)]), ["others", rest, "var(--rest)"]]
    .filter(([, part]) => part > 0).map(([name, part, own]) => {
      const piece = el("i", { title: `${name} adds ${few(part)}` });
      piece.style.width = `${(100 * part) / whole}%`;
      piece.style.setProperty("--own", own);
      return piece;
    });
  const told = each.parts.filter(([, part]) => part > 0).sort((a, b) => b[1] - a[1]).slice(0, 3).map(([name, part]) => `${name} ${few(part)}`);
  const stack = el("div", { className: "stack", role: "img", "aria-label": told.length ? `What adds most: ${told.join(", ")}` : "No difference that counts" }, ...pieces);
  return el("div", { className: "neighbour" }, head, stack, numbers(each, answer, key));
}

function symbol(target) {
  const made = mark(target).drawn(12);
  made.classList.add("mark");
  return made;
}

function numbers(each, answer, key) {
  const details = el("details", { open: opened.has(key) }, el("summary", {}, "numbers"));
  details.addEventListener("toggle", () => (details.open ? opened.add(key) : opened.delete(key)));
  const ranked = [...each.parts].sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0));
  const value = (text, more = "") => el("td", { title: text.length > LETTERS ? text : null }, says(text.length > LETTERS ? `${text.slice(0, LETTERS)}…` : text) + more);
  const lines = ranked.map(([name, part]) => el("tr", {}, el("td", {}, name), value(answer.values[name] ?? ""),
    value(each.values[name] ?? "", each.missing[name] ? ` (${each.missing[name]})` : ""), el("td", { className: "number" }, few(part))));
  const power = answer.power === null ? "largest" : answer.power === 1 ? "distance" : `distance to the power ${answer.power}`;
  const sum = el("tr", {}, el("td", { colSpan: 3 }, power), el("td", { className: "number" }, few(each.total)));
  const heads = ["feature", "asked", "this case", "adds"].map((text, at) => el("th", { scope: "col", className: at === 3 ? "number" : "" }, text));
  details.append(el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Numbers of case ${each.label}${key === "unlike" ? ", which says otherwise" : ""}` }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...lines), el("tfoot", {}, sum))));
  return details;
}

export function showFlip(flip, onTry) {
  if (!flip) return;
  if (!flip.found) {
    put(by("flip"), el("p", { className: "soft" }, flip.note));
    return;
  }
  const { feature, before, after, prediction } = flip.found;
  const button = el("button", { type: "button" }, "Try it");
  button.addEventListener("click", () => onTry(feature, after));
  put(by("flip"), el("p", { className: "big" }, `${feature}: ${says(before)} → ${says(after)} gives ${prediction}`), el("p", { className: "soft" }, flip.note), button);
}
