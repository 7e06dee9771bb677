"""How long a dragged weight takes in the explorer, from the request to the JSON of the answer.

    python -m benchmarks.explorer [--cases 5000] [--features 20] [--drags 9] [--browser]

A drag is one request as the page sends it: other weights, then neighbours, prediction, every case left out once, and
the map. The goal is 200 ms for 5,000 cases of 20 features where cases vote and distances are not scaled locally (any
named method), and 1 s else. Processor time is that of all cores together, and minds less what else the machine does.
``--browser`` also drags in Chromium, and measures from the thumb to the page that is drawn anew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from nearwise.app.explorer.running import one_thread_each

CLASSES = ("low", "middle", "high")
METHODS = ("gr", "default")
COLOURS = ("red", "green", "blue", "black", "white", "grey")


class Drag(NamedTuple):
    """The middle of several drags."""

    table: str
    method: str
    with_map: bool
    processor: float
    wall: float
    kilobytes: float


def tables(cases: int, features: int) -> Iterator[tuple[str, list[dict[str, Any]], list[str]]]:
    """Numbers; and numbers and symbols by halves, with holes."""
    import numpy as np  # after one_thread_each()

    rng = np.random.default_rng(0)
    X = rng.normal(size=(cases, features)).round(3)
    height = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=cases) / 2
    y = np.array(CLASSES)[np.digitize(height, np.quantile(height, [1 / 3, 2 / 3]))].tolist()
    names = [f"f{j}" for j in range(features)]
    yield "numbers", [dict(zip(names, row, strict=True)) for row in X.tolist()], y
    symbols = np.array(COLOURS)[np.abs(X * 3).astype(int) % len(COLOURS)]
    mixed: list[dict[str, Any]] = []
    for numbers, words in zip(X.tolist(), symbols.tolist(), strict=True):
        mixed.append({name: (numbers if j % 2 else words)[j] for j, name in enumerate(names)})
    for i in range(0, cases, 7):
        mixed[i][names[i % features]] = None
    yield "numbers and symbols", mixed, y


def measure(cases: int, features: int, drags: int) -> Iterator[Drag]:
    """Every table under a method that votes and under the recipe, with the map and without."""
    from nearwise.app.explorer.session import Session
    from nearwise.app.explorer.source import Source

    for name, table, y in tables(cases, features):
        for method in METHODS:
            source = Source(name, table, y, "y", False, settings={"random_state": 0}, path="table.csv")
            session = Session(source, method)
            for with_map in (True, False):
                yield Drag(name, method, with_map, *asyncio.run(_dragged(session, drags, with_map)))


async def _dragged(session: Any, drags: int, with_map: bool) -> tuple[float, float, float]:
    """(processor time, time on the wall, kilobytes) of the middle drag; the first one warms up."""
    import httpx

    from nearwise.app.explorer.server import exploring

    names, taken, sizes = session.state.table.schema.names, [], []
    http = httpx.AsyncClient(transport=httpx.ASGITransport(exploring(session)), base_url="http://127.0.0.1")
    async with http:
        for drag in range(drags + 1):
            body = {"case": drag, "weights": {names[drag % len(names)]: 0.05 + drag / 100}, "map": with_map}
            before = time.process_time(), time.perf_counter()
            answer = await http.post("/api/weights", json=body)
            answer.raise_for_status()
            taken.append((time.process_time() - before[0], time.perf_counter() - before[1]))
            sizes.append(len(answer.content) / 1000)
    processor, wall = zip(*taken[1:], strict=True)
    return statistics.median(processor), statistics.median(wall), statistics.median(sizes)


MOVE = """async drags => {
  const thumb = document.querySelector("#features input[type=range]"), taken = [];
  const frame = () => new Promise(requestAnimationFrame);
  for (let drag = 0; drag <= drags; drag++) {
    const begin = performance.now();
    thumb.value = thumb.max * (0.1 + (0.8 * drag) / drags);
    thumb.dispatchEvent(new Event("input", { bubbles: true }));
    do await frame(); while (document.body.classList.contains("busy"));
    taken.push(performance.now() - begin);
  }
  return taken.slice(1);
}"""


def in_browser(cases: int, features: int, drags: int) -> Iterator[tuple[str, str, float]]:
    """(table, method, seconds from a moved thumb to the page drawn anew), the middle of several drags."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("NEARWISE_CHROMIUM") or "/usr/bin/chromium"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        for name, table, y in tables(cases, features):
            lines = [json.dumps({**row, "y": label}) + "\n" for row, label in zip(table, y, strict=True)]
            Path(folder, "table.jsonl").write_text("".join(lines), encoding="utf-8")
            for method in METHODS:
                command = [sys.executable, "-m", "nearwise", "explore", "table.jsonl", "--target", "y", "--no-browser"]
                with subprocess.Popen(
                    [*command, "--weights", method], cwd=folder, text=True, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                ) as server:  # fmt: skip
                    assert server.stdout is not None
                    page = browser.new_page(viewport={"width": 1280, "height": 900})
                    page.goto(server.stdout.readline().strip())
                    page.wait_for_selector("body[data-ready]")
                    yield name, method, statistics.median(page.evaluate(MOVE, drags)) / 1000
                    page.close()
                    server.terminate()
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a dragged weight takes in the explorer.")
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--drags", type=int, default=9)
    parser.add_argument("--browser", action="store_true", help="also drag in Chromium")
    asked = parser.parse_args()
    one_thread_each()
    print(f"{asked.cases:,} cases of {asked.features} features, the middle of {asked.drags} drags")
    print(f"{'table':22}{'method':10}{'map':6}{'processor':>12}{'wall':>12}{'answer':>12}")
    for drag in measure(asked.cases, asked.features, asked.drags):
        times = f"{1000 * drag.processor:9.0f} ms{1000 * drag.wall:9.0f} ms"
        print(f"{drag.table:22}{drag.method:10}{'yes' if drag.with_map else 'no':6}{times}{drag.kilobytes:9.0f} kB")
    for name, method, seconds in in_browser(asked.cases, asked.features, asked.drags) if asked.browser else ():
        print(f"{name:22}{method:10}{'in the browser':>18}{1000 * seconds:9.0f} ms")


if __name__ == "__main__":
    main()
