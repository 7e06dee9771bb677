// The page: what is asked, what was answered, and who is told when something moves.

import { ask, inOrder, tell, text } from "./api.js";
import { pageOf, showCases, showCompared, showFilterForm, showFilters, step } from "./cases.js";
import { by, el, options, put } from "./dom.js";
import { giveMarks, showMap } from "./map.js";
import { findFeatures, giveColours, giveScale, showFeatures } from "./weights.js";
import { showAnswer, showFlip } from "./why.js";
import { connectCancel } from "./working.js";

let about = null, scene = null, first = 0, lastScore = null;
let query = { case: 0 };
let where = {};
let moved = {};
let criticised = null;

const looking = (more = {}) => ({ ...query, ...(Object.keys(where).length ? { where } : {}), ...more });
/** Tells what goes wrong, and answers whether all went well. */
const told = (work) => async (...given) => {
  try {
    await work(...given);
    return true;
  } catch (error) {
    tell(error.message);
    return false;
  }
};
const safely = (work) => (...given) => (tell(""), told(work)(...given));

function apply(found, isFresh = false) {
  scene = found;
  const { state, answer } = found;
  if (isFresh) giveScale(state.features);
  showFeatures(state, about.kinds, { onWeight, onSettled, onKind });
  showState(state);
  if (answer) showAnswer(answer, about, asking);
  if (answer) showForm(state.features, answer.values);
  if (answer && query !== criticised) {
    criticised = query; // what it should be: what is known of the case, unless somebody chooses another
    if (about.classes.includes(answer.truth)) by("correct").value = answer.truth;
  }
  if (found.flip) showFlip(found.flip, tryValue);
  if (found.map) showMap(found.map, answer, about, asking);
  if (found.note) tell(found.note, true);
}

function showState(state) {
  by("method").value = state.method;
  const chosen = about.methods.find((each) => each.id === state.method);
  by("method-about").textContent = `${chosen ? chosen.about.replace(/\.$/, "") : ""}${state.cut ? ", cancelled before its end" : ""}${state.moved ? ", with weights moved by hand" : ""}.`;
  by("method-about").title = state.cut ?? "";
  by("score").textContent = about.regression ? state.score.toFixed(3) : `${(100 * state.score).toFixed(1)}%`;
  const drawn = state.tested < about.cases ? " drawn" : "";
  by("score-about").textContent = about.regression ? `R² when each of ${state.tested}${drawn} cases is left out, k = ${state.k}`
    : `right: ${state.right} of ${state.tested}${drawn} cases, each left out, k = ${state.k}`;
  if (lastScore !== null && state.score !== lastScore) {
    const more = state.score - lastScore;
    by("change").textContent = `${more > 0 ? "▲ +" : "▼ −"}${Math.abs(about.regression ? more : 100 * more).toFixed(about.regression ? 3 : 1)}`;
    by("change").className = `change ${more > 0 ? "up" : "down"}`;
  }
  by("undo").disabled = state.undo === null;
  by("undo").textContent = state.undo === null ? "Undo" : `Undo: ${state.undo.length > 24 ? `${state.undo.slice(0, 23)}…` : state.undo}`;
  by("next-wrong").disabled = state.wrong.length === 0;
  put(by("critiques"), ...state.critiques.map((told) => el("li", {}, told)));
  const names = [["", "nothing"], ...state.features.map((feature) => [feature.name, feature.name])];
  options(by("more"), names);
  options(by("less"), names);
}

function showForm(features, values) {
  const form = by("values");
  if (form.children.length !== features.length) {
    put(form, ...features.map((feature, at) => {
      const list = feature.symbols.length ? el("datalist", { id: `symbols-${at}` }, ...feature.symbols.map((value) => el("option", { value }))) : null;
      const input = el("input", { name: feature.name, list: list ? list.id : null, inputMode: feature.kind === "numeric" ? "decimal" : null });
      input.addEventListener("change", () => setQuery(changed(typed())));
      return el("label", {}, feature.name, input, list);
    }));
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  for (const input of form.querySelectorAll("input")) if (document.activeElement !== input) input.value = values[input.name] ?? "";
}

const typed = () => Object.fromEntries([...by("values").querySelectorAll("input")].map((input) => [input.name, input.value === "" ? null : input.value]));

// ------------------------------------------------------------------ changes

const send = inOrder(([path, body, isFresh]) => safely(async () => apply(await ask(path, body), isFresh))());

const change = (path, more = {}, isFresh = false) => {
  lastScore = scene?.state.score ?? null;
  const sort = path === "/api/method" ? "method" : null; // whoever walks through the list waits for the last one only
  return send([path, looking({ flip: true, ...more }), isFresh], sort).then(afterwards);
};

async function afterwards() {
  if (by("code").open) await showCode();
  await listing(first);
}

function onWeight(name, value) {
  if (!Object.keys(moved).length) lastScore = scene.state.score;
  moved = { ...moved, [name]: value };
  document.body.classList.add("moving");
  send(["/api/weights", looking({ weights: { ...moved } }), false], "weights");
}

function onSettled() {
  if (!Object.keys(moved).length) return;
  const weights = moved;
  moved = {};
  document.body.classList.remove("moving");
  send(["/api/weights", looking({ weights, flip: true }), false], "weights").then(afterwards);
}

function onKind(feature, kind) {
  change("/api/kind", { feature, kind }, true).then(() => apply(scene)); // where it was refused, the old kind again
}

/** Asks about another case, or under other filters; where that is refused, what was asked before stays. */
async function setQuery(asked, filters = where) {
  const before = [query, where], held = document.activeElement;
  [query, where] = [asked, filters];
  lastScore = null;
  by("change").textContent = "";
  const isAnswered = await send(["/api/look", looking({ flip: true }), false], "look");
  if (!isAnswered && query === asked) [query, where] = before;
  await listing(first);
  if (!held.isConnected) by("answer").focus(); // what was pressed is drawn anew, and the keyboard goes on at the answer
}

const asking = (number) => setQuery({ case: number });

/** A case with these values; that which it was made from is not counted. */
const changed = (values) => {
  const without = query.case ?? query.without;
  return without === undefined ? { values } : { values, without };
};

function tryValue(feature, value) {
  by("own").open = true;
  const values = Object.fromEntries(Object.entries(scene.answer.values).map(([name, text]) => [name, text === "" ? null : text]));
  setQuery(changed({ ...values, [feature]: value }));
}

const listing = told(async (from) => {
  const found = await ask("/api/cases", looking({ ...pageOf(from), only_wrong: by("only-wrong").checked }));
  first = from;
  showCases(found, from, query.case ?? null, asking);
});

async function showCode() {
  const [python, commands] = await Promise.all([text("/download/python"), text("/download/commands")]);
  by("python").textContent = python;
  by("commands").textContent = commands;
}

// ------------------------------------------------------------------ controls

function connect() {
  const within = (number) => asking(Math.min(Math.max(number, 0), about.cases - 1));
  const now = () => query.case ?? 0;
  by("method").addEventListener("change", () => change("/api/method", { method: by("method").value }, true));
  by("undo").addEventListener("click", () => change("/api/undo", {}, true));
  by("case").addEventListener("change", () => {
    const number = Number(by("case").value);
    if (by("case").value === "" || !Number.isInteger(number) || number < 0 || number >= about.cases) tell(`There is no case ${by("case").value}: cases are numbered from 0 to ${about.cases - 1}.`);
    else asking(number);
  });
  by("before").addEventListener("click", () => within(now() - 1));
  by("after").addEventListener("click", () => within(now() + 1));
  by("any").addEventListener("click", () => within(Math.floor(Math.random() * about.cases)));
  by("next-wrong").addEventListener("click", () => {
    const wrong = scene.state.wrong;
    asking(wrong.find((each) => each > now()) ?? wrong[0]);
  });
  by("critique").addEventListener("submit", (event) => {
    event.preventDefault();
    const because = {};
    if (by("more").value) because[by("more").value] = "more";
    if (by("less").value) because[by("less").value] = "less";
    if (!Object.keys(because).length) tell("Say which feature should count more, or which less.");
    else if (by("more").value === by("less").value) tell(`${by("more").value} cannot count more and less at once.`);
    else change("/api/critique", { correct: by("correct").value, because });
  });
  by("compare").addEventListener("submit", safely(async (event) => {
    event.preventDefault();
    showCompared(await ask("/api/compare", looking({ methods: [by("left").value, by("right").value] })), about);
  }));
  for (const id of ["find", "heaviest"]) by(id).addEventListener("input", () => findFeatures(scene.state.features));
  by("error-close").addEventListener("click", () => tell(""));
  by("code").addEventListener("toggle", () => by("code").open && showCode());
  by("copy").addEventListener("click", safely(async () => {
    await navigator.clipboard.writeText(by("python").textContent);
    by("copy").textContent = "Copied";
  }));
  connectCases();
}

function connectCases() {
  const filtered = async (filters) => {
    first = 0;
    await setQuery({ ...query }, filters);
    showFilters(where, (name) => {
      const { [name]: _, ...left } = where;
      filtered(left).then(() => by("filter-feature").focus());
    });
  };
  by("filter-feature").addEventListener("change", () => showFilterForm(scene.state.features));
  by("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = by("filter-feature").value, given = (id) => (by(id).value.trim() === "" ? null : by(id).value.trim());
    const isNumber = showFilterForm(scene.state.features);
    filtered({ ...where, [name]: isNumber ? { from: given("filter-from"), to: given("filter-to") } : { equals: given("filter-equals") } });
  });
  by("only-wrong").addEventListener("change", () => listing(0));
  by("cases-before").addEventListener("click", () => listing(Math.max(0, first - step)));
  by("cases-after").addEventListener("click", () => listing(first + step));
}

async function start() {
  connectCancel();
  about = await ask("/api/about");
  document.title = `${about.title} – nearwise explorer`;
  by("title").textContent = about.title;
  by("about").textContent = `${about.cases.toLocaleString("en")} cases; ${about.target} is predicted by similar ones.`;
  const names = about.methods.map((each) => [each.id, each.id]);
  for (const id of ["method", "left", "right"]) options(by(id), names);
  by("right").value = about.regression ? "corr" : "mdw"; // both work for features of every kind
  options(by("correct"), about.classes.map((label) => [label, label]));
  by("critique-part").hidden = about.regression;
  by("next-wrong").hidden = about.regression;
  by("only-wrong").parentElement.hidden = about.regression;
  const found = await ask("/api/look", looking({ flip: true }));
  giveColours(found.state.features);
  giveMarks(about.classes, about.regression, found.map?.groups ?? []);
  connect();
  apply(found, true);
  showFilterForm(found.state.features);
  await listing(0);
  document.body.dataset.ready = "yes";
}

safely(start)();
