"""What the defaults cost beside scikit-learn's random forest: fit and 10,000 answers, as ratios of one run.

python -m benchmarks.accuracy.cost [--size tiny|full] [--write]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np

from benchmarks.accuracy import methods, page
from benchmarks.accuracy.sets import Table

SIZES = {1_000: 5, 20_000: 3, 100_000: 1}
"""training cases -> turns, of which the median counts"""
TINY_SIZES = {200: 2}
QUERIES, TINY_QUERIES = 10_000, 100
FEATURES, VALUES, JOBS = 10, 6, 2


def made(n: int, seed: int) -> Table:
    """n cases with ten numbers and ten symbols of six values; two classes by some of both, with noise."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    numbers, symbols = rng.normal(size=(n, FEATURES)), rng.integers(VALUES, size=(n, FEATURES))
    lean = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + (symbols[:, 0] < 2) - (symbols[:, 1] == symbols[:, 2])
    y = np.where(lean + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    words = np.array([f"v{i}" for i in range(VALUES)], dtype=object)[symbols]
    X = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(FEATURES)])
    for i in range(FEATURES):
        X[f"s{i}"] = words[:, i]
    kinds = {name: "numeric" if name[0] == "x" else "symbolic" for name in X.columns}
    return Table(X, y, kinds)


def _ours(make: methods.Make) -> methods.Make:
    return lambda part: make(part).set_params(n_jobs=JOBS)


def _forest(part: Table) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(methods.columns(part), RandomForestClassifier(methods.TREES, n_jobs=JOBS, random_state=0))


CONTENDERS = {
    methods.FOREST: _forest,
    methods.DEFAULT: _ours(methods.default_classifier),
    methods.AUTO: _ours(methods.auto_classifier),
}


def seconds(make: methods.Make, part: Table, queries: Table) -> float:
    """Of one fit and the answers to all queries."""
    began = time.perf_counter()
    make(part).fit(part.X, part.y).predict(queries.X)
    return time.perf_counter() - began


def measured(tiny: bool, say: Any = print) -> str:
    """The table; contenders take turns, a ratio is the median over turns."""
    rows = []
    queries = made(TINY_QUERIES if tiny else QUERIES, seed=1)
    for n, turns in (TINY_SIZES if tiny else SIZES).items():
        part = made(n, seed=0)
        times: dict[str, list[float]] = {name: [] for name in CONTENDERS}
        for turn in range(turns):
            for name, make in CONTENDERS.items():
                times[name].append(seconds(make, part, queries))
                say(f"cost: {n:,} cases, turn {turn + 1}, {name}: {times[name][-1]:.2f} s")
        rows.append([f"{n:,}", *_row(times)])
    others = [name for name in CONTENDERS if name != methods.FOREST]
    header = ["training cases", *(f"{name}, s" for name in CONTENDERS), *(f"{name} / forest" for name in others)]
    return page.table(header, rows)


def _row(times: dict[str, list[float]]) -> list[str]:
    forest = times[methods.FOREST]
    ratios = {
        name: statistics.median(a / b for a, b in zip(own, forest, strict=True))
        for name, own in times.items()
        if name != methods.FOREST
    }
    return [*(f"{statistics.median(own):.2f}" for own in times.values()), *(f"{r:.2f}" for r in ratios.values())]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.accuracy.cost", description="Time the defaults.")
    parser.add_argument("--size", choices=("tiny", "full"), default="full", help="tiny checks that all of it works")
    parser.add_argument("--write", action="store_true", help="write the table of docs/defaults.md")
    given = parser.parse_args(arguments)
    told = measured(given.size == "tiny")
    print(told)
    if given.write and given.size != "tiny":
        page.write({"cost": told})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
