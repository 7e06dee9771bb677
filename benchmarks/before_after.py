"""Time every work before and after a change, in turns, each in a process of its own.

    python benchmarks/before_after.py OLD NEW [--only NAME] [--rounds 7] [--page FILE]

OLD and NEW are checkouts that are installed in their environments (`make .venv/installed-test`). Of each work the
first contender that is ours is fitted once in both and asked in turns, so that whatever else the machine does slows
both. Told is the ratio of their best rounds, which others disturb least: below 1 is faster.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

NOISE = 1.05
"""what is within it of 1 is called level"""


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="OLD NEW")
    parser.add_argument("--only", action="append", help="works whose name begins so; may be repeated")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--page", type=Path, help="write the table there")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        serve(given.child)
        return
    old, new = (path.resolve() for path in given.checkouts)
    rows = [row for name in names(new) if chosen(name, given.only) and (row := compare(name, old, new, given.rounds))]
    if given.page:
        given.page.write_text(table(rows), encoding="utf-8")


def names(checkout: Path) -> list[str]:
    """The works of a checkout that are asked in this process."""
    listed = subprocess.run(
        [checkout / ".venv/bin/python", "-m", "benchmarks", "--list"],
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    found = [line.split("  ")[0].strip() for line in listed.stdout.splitlines() if line.strip()]
    return [name for name in found if not name.startswith(("growth", "footprint"))]


def chosen(name: str, only: list[str] | None) -> bool:
    """Whether a work was asked for."""
    return not only or any(name.startswith(prefix) for prefix in only)


def compare(name: str, old: Path, new: Path, rounds: int) -> dict[str, Any] | None:
    """Both ways of one work, asked in turns."""
    children, fits = [], []
    try:
        for checkout in (old, new):  # one after the other, or they would slow each other's fit
            children.append(Child(checkout, name))
            fits.append(children[-1].read())
        if any(fit is None for fit in fits):
            print(f"{name:<26} left out: it is not there or failed", flush=True)
            return None
        times = [[child.ask() for child in (children if turn % 2 else children[::-1])] for turn in range(rounds)]
        pairs = [each if turn % 2 else each[::-1] for turn, each in enumerate(times)]
    finally:
        for child in children:
            child.process.kill()
    row = {
        "name": name,
        "old": min(a for a, _ in pairs),
        "new": min(b for _, b in pairs),
        "fit": fits[1] / fits[0],
    }
    row["ratio"] = row["new"] / row["old"]
    print(f"{name:<26} {row['old']:.4f} s -> {row['new']:.4f} s  {row['ratio']:.2f}, fit {row['fit']:.2f}", flush=True)
    return row


class Child:
    """A process of one checkout that holds a fitted contender."""

    def __init__(self, checkout: Path, name: str) -> None:
        self.process = subprocess.Popen(
            [checkout / ".venv/bin/python", Path(__file__).resolve(), "--child", name],
            cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def read(self) -> float | None:
        """What it tells next; None where it has ended."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self) -> float:
        """The seconds of one call."""
        assert self.process.stdin is not None
        self.process.stdin.write("ask\n")
        self.process.stdin.flush()
        found = self.read()
        return float("nan") if found is None else found


def serve(name: str) -> None:
    """In a child: fit, tell how long that took, then answer each line by the seconds of one call."""
    sys.path[0] = str(Path.cwd())
    from benchmarks.__main__ import works
    from benchmarks.timing import once

    warnings.simplefilter("ignore")
    work = works()[name]
    data = work.data(False)
    contender = next(c for c in work.contenders if c.ours)
    began = time.perf_counter()
    ready = contender.make(data)
    fit = time.perf_counter() - began if ready.fit is None else ready.fit
    once(ready.ask, data.queries)
    told = sys.stdout
    print(json.dumps(fit), file=told, flush=True)
    for _ in sys.stdin:
        print(json.dumps(once(ready.ask, data.queries)[0]), file=told, flush=True)


def table(rows: list[dict[str, Any]]) -> str:
    """The comparison as a Markdown table."""
    lines = ["| Work | Before, s | After, s | After / before |", "| --- | --- | --- | --- |"]
    lines += [f"| {r['name']} | {r['old']:.3g} | {r['new']:.3g} | {r['ratio']:.2f} |" for r in rows]
    level = sum(1 / NOISE <= r["ratio"] <= NOISE for r in rows)
    slower = [r["name"] for r in rows if r["ratio"] > NOISE]
    told = f"{len(rows)} works, {level} level within 5%, slower: {', '.join(slower) or 'none'}."
    return "\n".join([told, "", *lines, ""])


if __name__ == "__main__":
    main()
