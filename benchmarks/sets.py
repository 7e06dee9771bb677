"""Sets of vectors: musk1, whose 92 molecules are sets of up to 40 shapes of 166 numbers, by two linkages.

Timed is all of leaving one out with `mdw`: differences of every pair, mean differences, weights, and the nearest other
molecule. The shared file is taken where `NEARWISE_DATA` names its folder, else sets of the same sizes.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

MOLECULES, NUMBERS, MOST = 92, 166, 40


@dataclass(frozen=True)
class Molecules:
    sets: list[Any]
    """of (members, numbers)"""
    y: Any
    by: str
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return float(sum(members.nbytes for members in self.sets) / 2**20)


def musk(by: str, tiny: bool) -> Molecules:
    path = Path(os.environ.get("NEARWISE_DATA", "")) / "musk1.csv.gz"
    if not path.is_file():
        return generated(by, tiny)
    sets: dict[str, list[list[float]]] = {}
    classes = {}
    with gzip.open(path, "rt") as lines:
        for row in list(csv.reader(lines))[1:]:
            sets.setdefault(row[0], []).append([float(x) for x in row[2:-1]])
            classes[row[0]] = row[-1]
    names = list(sets)[::10] if tiny else list(sets)
    return Molecules([np.array(sets[name]) for name in names], np.array([classes[name] for name in names]), by)


def generated(by: str, tiny: bool) -> Molecules:
    rng = np.random.default_rng(0)
    n = 10 if tiny else MOLECULES
    sizes = np.minimum(1 + rng.geometric(0.22, n), MOST)
    return Molecules([rng.normal(size=(size, NUMBERS)) for size in sizes], rng.choice(["musk", "other"], n), by)


def nearwise_sets(data: Molecules) -> Ready:
    from nearwise import KNNClassifier
    from nearwise.cases.kinds import Set
    from nearwise.weighting import MeanDifference

    cases, schema = [{"shapes": s} for s in data.sets], {"shapes": Set(members="vectors", difference=data.by)}

    def ask(_: int) -> Any:
        model = KNNClassifier([1], MeanDifference(per_class=False), schema=schema).fit(cases, data.y)
        distances, _ = model.kneighbors(None, 1)
        return distances[:, 0]

    return Ready(ask, note="fit and all nearest")


def length(x: list[float], q: list[float]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, q, strict=True)))


def linked(by: str, X: list[list[float]], Q: list[list[float]]) -> float:
    if by == "min":
        return min(length(x, q) for x in X for q in Q)
    there = max(min(length(x, q) for q in Q) for x in X)
    return max(there, max(min(length(x, q) for x in X) for q in Q))


def loop_sets(data: Molecules) -> Ready:
    """Plain loops over pairs, each measured once."""
    sets = [members.tolist() for members in data.sets]
    n = len(sets)

    def ask(_: int) -> Any:
        gaps = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                gaps[i][j] = gaps[j][i] = linked(data.by, sets[i], sets[j])
        mean = sum(map(sum, gaps)) / n**2  # the weight of the one feature, at a significance of 1
        return [min(gaps[i][j] for j in range(n) if j != i) / mean for i in range(n)]

    return Ready(ask)


def arrays_sets(data: Molecules) -> Ready:
    """The same with one array of gaps for each pair of sets."""
    n = len(data.sets)

    def ask(_: int) -> Any:
        gaps = np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                apart = np.sqrt(np.square(data.sets[i][:, None] - data.sets[j][None]).sum(axis=2))
                both = max(apart.min(axis=0).max(), apart.min(axis=1).max())
                gaps[i, j] = gaps[j, i] = apart.min() if data.by == "min" else both
        mean = gaps.mean()
        np.fill_diagonal(gaps, np.inf)
        return gaps.min(axis=1) / mean

    return Ready(ask)


def work(by: str) -> Work:
    return Work(
        f"sets-{by}", f"leaving one out with mdw, 92 sets of vectors by {by}", lambda tiny: musk(by, tiny),
        (
            Contender(ours.NAME, nearwise_sets, ours=True),
            Contender("a Python loop over pairs", loop_sets),
            Contender("NumPy, pair by pair", arrays_sets),
        ),
    )  # fmt: skip


WORKS = (work("min"), work("hausdorff"))
