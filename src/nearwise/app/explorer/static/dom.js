// Elements are made here and nowhere else. Values only ever become text: nothing is parsed as HTML.

export const by = (id) => document.getElementById(id);

/** An element with properties, attributes (of names with a dash) and children; texts become text nodes. */
export function el(name, settings = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "role" || key === "for" || key === "list") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function shape(name, attributes = {}, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) {
    const title = document.createElementNS(SVG, "title");
    title.textContent = text;
    made.append(title);
  }
  return made;
}

export function put(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/** Options of a select; the chosen one stays where it still exists. */
export function options(select, entries, chosen = select.value) {
  put(select, ...entries.map(([value, text]) => el("option", { value }, text)));
  if (entries.some(([value]) => value === chosen)) select.value = chosen;
}

export const COLOURS = 12;
export const colour = (index) => (index >= 0 && index < COLOURS ? `var(--c${index})` : "var(--rest)");

/** A number in a few letters. */
export function few(number) {
  if (number === null || number === undefined) return "∞";
  const size = Math.abs(number);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return number.toExponential(2);
  return size >= 100 ? number.toFixed(1) : size >= 1 ? number.toFixed(2) : number.toFixed(3);
}

/** A number that was predicted, with as many digits as one reads. */
export const brief = (text) => (text === "" || Number.isNaN(Number(text)) ? text : String(Number(Number(text).toPrecision(6))));
export const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
export const says = (text) => (text === "" ? "?" : text);
