"""Repeat the accuracy study.

python -m benchmarks.accuracy [--size tiny|full] [--only NAME] [--cost no] [--write]
"""

from __future__ import annotations

import argparse
import functools
import sys

from benchmarks import peers
from benchmarks.accuracy import cost, methods, page, study, tables

GROUPS = {
    "ours": [methods.DEFAULT, methods.AUTO],
    "peers": [m.name for m in (*methods.CLASSIFIERS, *methods.REGRESSORS) if not m.ours],
}

MODULES = {"scikit-learn": "sklearn.neighbors", "catboost": "catboost"}


def main(arguments: list[str]) -> int:
    given = options(arguments)
    tiny = given.size == "tiny"
    planned = [cell for cell in study.plan(tiny) if cell.learner().name not in absent()]
    chosen = {name for asked in given.only or GROUPS for name in GROUPS.get(asked, [asked])}
    failures = study.run([cell for cell in planned if cell.method in chosen], say)
    found = study.kept(planned)
    parts = tables.parts(found, tiny)
    if given.cost == "yes":
        parts["cost"] = cost.measured(tiny, say)
    for name, made in parts.items():
        say(f"\n{name}\n{made}")
    if given.write and not tiny:
        write(parts, len(planned) - len(found))
    for failure in failures:
        say(f"FAILED: {failure}")
    return 1 if failures else 0


def write(parts: dict[str, str], missing: int) -> None:
    """The page, unless cells are missing from its tables."""
    if missing:
        say(f"docs/{page.PAGE.name} was not written: {missing} cells are missing. Run again without --only.")
        return
    page.write(parts)
    say(f"wrote docs/{page.PAGE.name}")


@functools.cache
def absent() -> frozenset[str]:
    """Peers that are not installed, which is told."""
    found = frozenset(m.name for m in methods.CLASSIFIERS if not m.ours and peers.absent(MODULES[m.package]))
    for name in found:
        say(f"absent: {name} is not installed")
    return found


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.accuracy", description="Repeat the accuracy study.")
    parser.add_argument("--size", choices=("tiny", "full"), default="full", help="tiny checks that all of it works")
    known = [*GROUPS, *dict.fromkeys(name for names in GROUPS.values() for name in names)]
    parser.add_argument("--only", action="append", choices=known, help="these learners; may be repeated")
    parser.add_argument("--cost", choices=("yes", "no"), default="yes", help="time fitting and answering too")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/defaults.md")
    return parser.parse_args(arguments)


def say(message: str) -> None:
    print(message, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
