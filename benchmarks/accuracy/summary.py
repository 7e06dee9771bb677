"""From cells to figures: means over seeds and sets, who wins how often, and how sure that is."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from benchmarks.accuracy.study import Found

POINT_TIE, UNIT_TIE = 0.05, 0.0005
"""below these two are equal: 0.05 points of a hundred, which is 0.0005 of a measure up to one"""
LESS_IS_BETTER = frozenset({"logloss", "brier"})
IN_POINTS = frozenset({"accuracy", "balanced"})

Figures = dict[str, dict[str, float]]
"""method -> set -> mean over seeds"""


def figures(found: Found, measure: str, cap: int, names: tuple[str, ...]) -> Figures:
    """The mean over seeds of one measure, by method and set."""
    by: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell, measured in found.items():
        if cell.cap == cap and cell.set in names and measure in measured:
            by[cell.method][cell.set].append(measured[measure])
    return {method: {name: sum(v) / len(v) for name, v in sets.items()} for method, sets in by.items()}


def mean(by_set: dict[str, float], names: tuple[str, ...] | list[str]) -> float:
    """Over the sets named; not a number where one of them is missing."""
    return sum(by_set.get(name, math.nan) for name in names) / len(names) if names else math.nan


@dataclass(frozen=True)
class Duel:
    """Ours against a peer over the sets that both have: sets won, level and lost, and Wilcoxon's p, two-sided."""

    won: int
    level: int
    lost: int
    p: float


def duel(ours: dict[str, float], theirs: dict[str, float], measure: str) -> Duel:
    """Who is better, set by set.

    >>> duel({"a": 90.0, "b": 80.0, "c": 70.0}, {"a": 89.0, "b": 80.04, "c": 72.0}, "accuracy")
    Duel(won=1, level=1, lost=1, p=0.75)
    """
    from scipy.stats import wilcoxon

    sign = -1 if measure in LESS_IS_BETTER else 1
    gains = [sign * (ours[name] - theirs[name]) for name in ours if name in theirs]
    tie = POINT_TIE if measure in IN_POINTS else UNIT_TIE
    won, lost = sum(g >= tie for g in gains), sum(g <= -tie for g in gains)
    p = float(wilcoxon(gains).pvalue) if any(gains) else 1.0
    return Duel(won, len(gains) - won - lost, lost, p)
