"""Run the benchmarks.

python -m benchmarks [--size tiny|full] [--only NAME] [--write]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from typing import Any

from benchmarks import (
    dense,
    feedback,
    footprint,
    gradient,
    growth,
    local,
    metrics,
    mixed,
    page,
    parts,
    peers,
    planner,
    presets,
    projections,
    quantification,
    relief,
    selection,
    sets,
    shapes,
    start,
    symbolic,
    text,
)
from benchmarks.memory import measure, peak_mb
from benchmarks.timing import PATIENCE, Contender, Result, Timed, Work, race

GROWTH = "growth"


def works() -> dict[str, Work]:
    groups = (
        dense, shapes, mixed, symbolic, feedback, text, start,
        relief, selection, gradient, local, metrics, presets, quantification, projections, planner, footprint, parts,
        sets,
    )  # fmt: skip
    return {work.name: work for group in groups for work in group.WORKS}


def say(message: str) -> None:
    print(message, flush=True)


def main(arguments: list[str]) -> int:
    given = options(arguments)
    warnings.simplefilter("ignore")  # peers warn of one another; what counts is told as a remark
    tiny = given.size == "tiny"
    if given.point:
        found = growth.point(growth.Setting(**json.loads(given.point)))
        print(json.dumps({k: v for k, v in vars(found).items() if k != "setting"}))
        return 0
    if given.child:
        print(json.dumps(child(*given.child, tiny=tiny, queries=given.queries)))
        return 0
    return run(given.only, tiny, given.memory or ("first" if tiny else "all"), given.write, given.minutes)


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Time nearwise against its peers.")
    parser.add_argument("--size", choices=("tiny", "full"), default="full", help="tiny checks that all of it works")
    parser.add_argument("--only", action="append", metavar="NAME", help="works whose name begins so; may be repeated")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and its picture")
    parser.add_argument("--memory", choices=("all", "first", "none"), help="of all works, of the first, or not at all")
    parser.add_argument("--minutes", type=float, help="begin no work after this long; the page says what was left out")
    parser.add_argument("--list", action="store_true", help="list the works and end")
    parser.add_argument("--child", nargs=2, metavar=("WORK", "CONTENDER"), help=argparse.SUPPRESS)
    parser.add_argument("--queries", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--point", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    names = [*works(), GROWTH]
    if given.list:
        parser.exit(message="\n".join([*(f"{w.name:<14}  {w.title}" for w in works().values()), GROWTH, ""]))
    for prefix in given.only or []:
        if not any(name.startswith(prefix) for name in names):
            parser.error(f"there is no work {prefix!r}; there are {', '.join(names)}")
    return given


def run(only: list[str] | None, tiny: bool, memory: str, write: bool, minutes: float | None) -> int:
    began = time.monotonic()
    say(f"nearwise against its peers, {'tiny' if tiny else 'full'} sizes, on {peers.machine()}")
    found = page.Found([], [], tiny)
    for name in in_order():
        is_late = minutes is not None and time.monotonic() - began > 60 * minutes
        if is_late or (only and not any(name.startswith(prefix) for prefix in only)):
            found.left_out.append(name)
        elif name == GROWTH:
            found.curves = growth.curves(tiny, say)
        else:
            found.works.append(one(works()[name], tiny, memory == "all" or (memory == "first" and not found.works)))
    say(f"\n{time.monotonic() - began:.0f} s")
    if write:
        page.PAGE.write_text(page.markdown(found), encoding="utf-8")
        page.PICTURE.write_text(page.picture(found), encoding="utf-8")
        say(f"wrote {page.PAGE.relative_to(page.ROOT)} and {page.PICTURE.relative_to(page.ROOT)}")
    else:
        for draw in (page.markdown, page.picture):  # so that they cannot rot either
            draw(found)
    failures = found.failures()
    for failure in failures:
        say(f"FAILED: {failure}")
    return 1 if failures else 0


def in_order() -> list[str]:
    """The works, then the curves of growth, and last the many fits of single methods."""
    fits = [name for name in works() if name.startswith("fit-")]
    return [*(name for name in works() if name not in fits), GROWTH, *fits]


def one(work: Work, tiny: bool, with_memory: bool) -> tuple[Work, list[Result]]:
    """Race the contenders of one work and tell who won."""
    say(f"\n{work.name}: {work.title}{' (tiny)' if tiny else ''}")
    patience, rounds = (PATIENCE / 20, 2) if tiny else (PATIENCE, None)
    results = race(work, work.data(tiny), absent, patience, say, rounds)
    if with_memory:
        measure_memory(work, results, tiny)
    for line in page.lines(work, results, judged=not tiny):
        say(line)
    return work, results


def absent(contender: Contender) -> str:
    return peers.why_absent(contender.needs)


def measure_memory(work: Work, results: list[Result], tiny: bool) -> None:
    for result in results:
        if result.times:
            size = ("--size", "tiny" if tiny else "full")
            queries = ("--queries", "5") if result.scaled else ()
            found = measure("--child", work.name, result.contender.name, *size, *queries)
            result.peak_mb = None if found is None else found["peak_mb"]


def child(name: str, contender: str, tiny: bool, queries: int | None) -> dict[str, Any]:
    """One contender once, alone in this process."""
    work = works()[name]
    data = work.data(tiny)
    made = next(c for c in work.contenders if c.name == contender).make(data)
    answer = made.ask(queries or data.queries)
    theirs = answer.peak_mb if isinstance(answer, Timed) else None
    return {"peak_mb": theirs or peak_mb()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
