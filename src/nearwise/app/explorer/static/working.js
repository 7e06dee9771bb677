// What is being worked on: a line under the header at once, and after a second a button that cancels it.

import { by } from "./dom.js";

const PATIENCE = 1000; // milliseconds before the button appears
const running = new Map();
let last = 0, since = 0, clock = null, cameFrom = null;

/** A request that begins: its name, and what to call when it has ended. */
export function begin() {
  const name = `${Date.now()}-${last += 1}`;
  const waiting = setTimeout(show, PATIENCE);
  running.set(name, Date.now());
  document.body.classList.add("busy");
  const end = () => {
    clearTimeout(waiting);
    running.delete(name);
    document.body.classList.toggle("busy", running.size > 0);
    if (![...running.values()].some((began) => Date.now() - began >= PATIENCE)) hide();
  };
  return { name, end };
}

function show() {
  if (!by("working").hidden) return;
  since = Math.min(...running.values());
  by("working-text").textContent = "Still at work.";
  by("working").hidden = false;
  clock = setInterval(count, 1000);
  count();
}

/** The seconds are for the eyes alone: read out each second they would drown everything else. */
function count() {
  by("working-time").textContent = `${Math.round((Date.now() - since) / 1000)} s`;
}

function hide() {
  clearInterval(clock);
  const isFocused = document.activeElement === by("cancel");
  by("working").hidden = true;
  by("working-text").textContent = "";
  if (isFocused) (cameFrom ?? by("method")).focus();
}

export function connectCancel() {
  by("cancel").addEventListener("focus", (event) => { cameFrom = event.relatedTarget; });
  by("cancel").addEventListener("click", () => {
    by("working-text").textContent = "Ending it.";
    for (const work of running.keys()) {
      const body = JSON.stringify({ work });
      fetch("/api/cancel", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => null);
    }
  });
}
