"""Compare methods over the shared sets, as a table in Markdown: what docs/which-method.md and the cautions rest on.

    NEARWISE_DATA=folder python tools/compare_methods.py            # accuracy
    NEARWISE_DATA=folder python tools/compare_methods.py --numbers  # R squared, on the sets whose target is a number

Five folds of each set, at most 500 cases of it (drawn with seed 0), everything learned in the training part of a
fold; the same protocol as `nearwise evaluate`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import nearwise
from nearwise.lab.comparing import compare
from nearwise.lab.entrants import FEW
from nearwise.weighting import get

SETS = (
    "glass", "sonar", "wine", "diabetes", "vehicle", "promoters", "voting", "breast-cancer", "lymphography",
    "tic-tac-toe", "hungarian", "credit-g",
)  # fmt: skip
"""numbers only, symbols only, both"""
NUMBERS = ("airquality", "boston", "cpus", "diabetes-r", "prestige", "tobacco")
MOST, FOLDS = 500, 5
VARIANTS: dict[str, Any] = {"mdw-one": get("mdw", per_class=False)}
"""methods with parameters, which have no id of their own"""


def main() -> None:
    """Read the command line, compare, print; a finished set is told on standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numbers", action="store_true", help="sets whose target is a number")
    parser.add_argument("--sets", help="names with commas")
    parser.add_argument("--methods", help="default, auto, mdw-one and ids of methods, with commas")
    parser.add_argument("--most", type=int, default=MOST, help=f"cases of each set at the most; {MOST}")
    given = parser.parse_args()
    sets = given.sets.split(",") if given.sets else NUMBERS if given.numbers else SETS
    names = given.methods.split(",") if given.methods else FEW[given.numbers]
    methods = {name: VARIANTS.get(name, name) for name in names}
    folder = Path(os.environ["NEARWISE_DATA"]) / ("regression" if given.numbers else "")
    found = {name: _measured(folder, name, methods, given) for name in sets}
    print("| set | baseline | " + " | ".join(methods) + " |")
    print("| --- |" + " --- |" * (len(methods) + 1))
    for name, scores in found.items():
        print(f"| {name} | " + " | ".join(_cell(score, given.numbers) for score in scores) + " |")
    means = [float(np.mean(column)) for column in zip(*found.values(), strict=True)]
    print("| mean | " + " | ".join(_cell(score, given.numbers) for score in means) + " |")


def _measured(folder: Path, name: str, methods: dict[str, Any], given: argparse.Namespace) -> list[float]:
    """The score of the baseline and of every method: percent of right answers, or R squared."""
    numbers = given.numbers
    table, target, kinds = _load(folder, name, numbers)
    rows = np.sort(np.random.default_rng(0).permutation(len(target))[: given.most])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nearwise.errors.NearwiseWarning)  # some methods say that they do badly
        found = compare(table.take(rows), target[rows], methods, folds=FOLDS, regression=numbers, schema=kinds)
    results = [found.baseline, *found.results]
    scores = [r.pooled if numbers else 100 * r.pooled for r in results]
    told = [
        f"{r.method} {_cell(score, numbers)} in {r.seconds:.1f} s" for r, score in zip(results, scores, strict=True)
    ]
    print(f"{name}: {', '.join(told)}", file=sys.stderr, flush=True)
    return scores


def _load(folder: Path, name: str, numbers: bool) -> tuple[Any, Any, dict[str, str]]:
    entry = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["sets"][name]
    kinds = {feature: kind for feature, kind in entry["features"].items() if kind in ("numeric", "symbolic")}
    target = "target" if numbers else "class"
    table, values = nearwise.read(folder / entry["file"], target=target, schema=kinds, missing=("",))
    return table, np.array(values, dtype=float) if numbers else np.array([str(v) for v in values]), kinds


def _cell(score: float, numbers: bool) -> str:
    return "-" if np.isnan(score) else f"{score:.3f}" if numbers else f"{score:.1f}"


if __name__ == "__main__":
    main()
