// The features: kind, weight, colour.

import { by, COLOURS, colour, el, few, options, put } from "./dom.js";

const rows = new Map();
let colours = new Map();
let top = 1;
const MANY = 12; // features that are found without looking for them

export const colourOf = (feature) => colour(colours.has(feature) ? colours.get(feature) : -1);

export const hasColour = (feature) => (colours.get(feature) ?? COLOURS) < COLOURS;

/** The heaviest features get a colour of their own, which stays until another table is shown. */
export function giveColours(features) {
  const heaviest = [...features].sort((a, b) => b.weight - a.weight);
  colours = new Map(heaviest.map((feature, at) => [feature.name, at]));
}

/** A slider reaches half as far again as the heaviest weight when the method was chosen. */
export function giveScale(features) {
  top = Math.max(...features.map((feature) => feature.weight)) * 1.5 || 1;
}

export function showFeatures(state, kinds, { onWeight, onSettled, onKind }) {
  const names = state.features.map((feature) => feature.name);
  if (names.join("\n") !== [...rows.keys()].join("\n")) {
    rows.clear();
    put(by("features"), ...state.features.map((feature, at) => row(feature, at, kinds, { onWeight, onSettled, onKind })));
  }
  for (const feature of state.features) update(feature);
  by("find-part").hidden = names.length <= MANY;
  const notes = ["Drag a weight and watch the rest move."];
  if (state.shape !== "global") notes.push(`This method has weights of the shape ${state.shape}; moving one makes them one per feature.`);
  by("features-note").textContent = notes.join(" ");
}

/** Shows the features whose names hold what is looked for, in the order of the table or the heaviest first. */
export function findFeatures(features) {
  const wanted = by("find").value.trim().toLowerCase();
  const order = by("heaviest").checked ? [...features].sort((a, b) => b.weight - a.weight) : features;
  put(by("features"), ...order.filter((feature) => feature.name.toLowerCase().includes(wanted)).map((feature) => rows.get(feature.name).item));
}

function row(feature, at, kinds, { onWeight, onSettled, onKind }) {
  const slider = el("input", { type: "range", min: "0", max: "1", step: "any", id: `weight-${at}`, "aria-label": `Weight of ${feature.name}` });
  const output = el("output", { for: slider.id });
  const kind = el("select", { "aria-label": `Kind of ${feature.name}` });
  const more = el("input", { "aria-label": `Levels or period of ${feature.name}` });
  const take = el("button", { type: "button" }, "Take");
  const extra = el("div", { className: "more-kind", hidden: true }, more, take);
  const swatch = el("span", { className: "swatch", "aria-hidden": "true" });
  const note = el("span", { className: "soft" });
  const item = el("li", {}, el("div", { className: "feature-head" }, swatch, el("b", {}, feature.name), kind),
    extra, el("div", { className: "weigh" }, slider, output), note);
  slider.addEventListener("input", () => {
    output.textContent = few(Number(slider.value));
    fill(slider);
    onWeight(feature.name, Number(slider.value));
  });
  slider.addEventListener("change", () => onSettled());
  kind.addEventListener("change", () => {
    const needs = { ordinal: "levels in order, low:mid:high", cyclic: "period, such as 24" }[kind.value];
    extra.hidden = !needs;
    more.placeholder = needs ?? "";
    if (!needs) onKind(feature.name, kind.value);
    else if (!kind.matches(":focus-visible")) more.focus(); // who walks through the kinds by keyboard may want another one
  });
  const taken = () => {
    onKind(feature.name, `${kind.value}:${more.value}`);
    kind.focus();
  };
  take.addEventListener("click", taken);
  more.addEventListener("keydown", (event) => event.key === "Enter" && taken());
  rows.set(feature.name, { item, slider, output, kind, extra, swatch, note, kinds });
  return item;
}

const fill = (slider) => slider.style.setProperty("--at", `${(100 * slider.value) / slider.max}%`);

function update(feature) {
  const { slider, output, kind, extra, swatch, note, kinds } = rows.get(feature.name);
  slider.max = Math.max(top, feature.weight);
  slider.step = slider.max / 400;
  slider.style.setProperty("--own", colourOf(feature.name));
  swatch.style.setProperty("--own", colourOf(feature.name));
  if (document.activeElement !== slider || Math.abs(Number(slider.value) - feature.weight) > slider.max / 100) {
    if (!slider.matches(":active")) slider.value = feature.weight;
  }
  if (!slider.matches(":active")) output.textContent = few(feature.weight);
  fill(slider);
  slider.setAttribute("aria-valuetext", few(feature.weight));
  const known = kinds.includes(feature.kind) ? kinds : [feature.kind, ...kinds];
  if (kind.options.length !== known.length) options(kind, known.map((name) => [name, name]));
  kind.value = feature.kind;
  kind.title = feature.why;
  extra.hidden = true;
  note.textContent = [feature.missing ? `${feature.missing} missing` : "", feature.remark].filter(Boolean).join("; ");
}
