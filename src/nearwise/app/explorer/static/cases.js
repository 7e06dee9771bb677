// The table of stored cases and its filters, and two methods side by side.

import { brief, by, el, few, options, percent, put, says } from "./dom.js";
import { colourOf } from "./weights.js";

const PAGE = 12, COLUMNS = 12;

export function showCases(found, first, asked, onAsk) {
  const from = found.rows.length ? first + 1 : 0;
  by("cases-note").textContent = `${from} to ${first + found.rows.length} of ${found.matching.toLocaleString("en")} cases`
    + (found.matching < found.stored ? ` that match, of ${found.stored.toLocaleString("en")}` : "");
  by("cases-before").disabled = first === 0;
  by("cases-after").disabled = first + found.rows.length >= found.matching;
  const names = found.names.slice(0, COLUMNS);
  const heads = ["case", "target", ...names, ...(found.names.length > COLUMNS ? ["…"] : [])];
  const rows = found.rows.map((row) => {
    const ask = el("button", { type: "button", className: "link", "aria-label": `Ask about case ${row.case}` }, row.label);
    ask.addEventListener("click", () => onAsk(row.case));
    const target = el("td", { className: row.wrong ? "wrong" : "" }, says(row.target) + (row.wrong ? " ✗" : ""));
    return el("tr", { className: row.case === asked ? "asked" : "" }, el("td", {}, ask), target,
      ...row.values.slice(0, COLUMNS).map((value) => el("td", { title: value }, says(value))), found.names.length > COLUMNS ? el("td", {}, "…") : null);
  });
  put(by("cases"), el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", title: text }, text)))), el("tbody", {}, ...rows));
}

export const pageOf = (first) => ({ first, most: PAGE });
export const step = PAGE;

export function showFilterForm(features) {
  options(by("filter-feature"), features.map((feature) => [feature.name, feature.name]));
  const chosen = features.find((feature) => feature.name === by("filter-feature").value) ?? features[0];
  const isNumber = ["numeric", "cyclic", "ordinal"].includes(chosen.kind);
  for (const part of document.querySelectorAll(".ends")) part.hidden = !isNumber;
  by("equals-part").hidden = isNumber;
  put(by("filter-values"), ...chosen.symbols.map((value) => el("option", { value })));
  return isNumber;
}

export function showFilters(where, onDrop) {
  put(by("filters"), ...Object.entries(where).map(([name, condition]) => {
    const told = "equals" in condition ? `${name} is ${condition.equals}` : `${name} from ${condition.from ?? "…"} to ${condition.to ?? "…"}`;
    const drop = el("button", { type: "button", "aria-label": `Take away: ${told}` }, `${told} ✕`);
    drop.addEventListener("click", () => onDrop(name));
    return el("li", {}, drop);
  }));
}

export function showCompared(found, about) {
  const score = (value) => (about.regression ? `R² ${value.toFixed(3)}` : `${(100 * value).toFixed(1)}% right`);
  const heads = found.methods.map((each) => el("th", { scope: "col" }, `${each.method}: ${score(each.score)}, k = ${each.k}` + (each.says === null ? "" : `, says ${about.regression ? brief(each.says) : each.says}`)));
  const names = Object.keys(found.methods[0].weights);
  const most = found.methods.map((each) => Math.max(...Object.values(each.weights), 1e-300));
  const heaviest = [...names].sort((a, b) => found.methods[0].weights[b] - found.methods[0].weights[a]).slice(0, 40);
  const rows = heaviest.map((name) => el("tr", {}, el("td", {}, name), ...found.methods.map((each, side) => {
    const bar = el("i");
    bar.style.width = `${(100 * each.weights[name]) / most[side]}%`;
    bar.style.setProperty("--own", colourOf(name));
    return el("td", {}, el("div", { className: "bar" }, el("div", {}, bar), few(each.weights[name])));
  })));
  const alike = found.alike === null ? "" : `They say the same of ${found.alike} of ${found.tested} left-out cases (${percent(found.alike / found.tested)}). `;
  put(by("compared"), el("p", {}, `${alike}Bars of each side are shares of its largest weight.`),
    el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Weights of the two methods" },
      el("table", { className: "sides" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "feature"), ...heads)), el("tbody", {}, ...rows))));
}
