// Requests to the server; every error is one sentence that the page shows.

import { by } from "./dom.js";

import { begin } from "./working.js";

/** Shows one sentence; what went wrong, unless it is a note. */
export function tell(sentence, isNote = false) {
  by("error").hidden = sentence === "";
  by("error").classList.toggle("note", isNote);
  by("error-text").textContent = sentence;
}

export async function ask(path, body) {
  const work = begin();
  try {
    const settings = body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...body, work: work.name }),
    };
    const answer = await fetch(path, settings);
    const found = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
    if (!answer.ok) throw new Error(found.error ?? `The server answered ${answer.status}.`);
    return found;
  } catch (error) {
    throw error instanceof TypeError ? new Error("The server does not answer: start `nearwise explore` again.") : error;
  } finally {
    work.end();
  }
}

export async function text(path) {
  const answer = await fetch(path);
  return answer.ok ? answer.text() : "";
}

/** Calls `send` with one wish after the other. Of wishes of the same sort that wait behind each other the newest is sent. */
export function inOrder(send) {
  const waiting = [];
  let isSending = false;
  async function work() {
    isSending = true;
    while (waiting.length) {
      const now = waiting.shift();
      now.done(await send(now.asked));
    }
    isSending = false;
  }
  return (asked, sort = null) => new Promise((done) => {
    if (sort !== null && waiting.at(-1)?.sort === sort) waiting.pop().done(true); // another takes its place
    waiting.push({ asked, sort, done });
    if (!isSending) work();
  });
}
