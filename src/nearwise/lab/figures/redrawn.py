"""Cases drawn again, to see how far other cases would have moved what is learned.

As many cases are drawn as there are, with replacement: a bootstrap. One that is drawn twice is kept once and weighs 2,
so no case is its own nearest neighbour, and what is counted or summed is that of the repeated rows to the last bit.

A method that takes no weights of cases learns from half of them instead, of each class half, drawn without replacement.
Statistics of n/2 of n cases scatter about those of all as bootstrap samples do: (1/m - 1/n) is 1/n for m = n/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.weighting import methods

__all__ = ["BOOTSTRAP", "HALVES", "Redrawn", "bootstrap", "half", "redrawn", "way_of"]

BOOTSTRAP, HALVES = "bootstrap", "halves"
"""how cases are drawn again"""


@dataclass(frozen=True)
class Redrawn:
    """Cases to learn from: each once, and how often it was drawn."""

    rows: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    """None where each counts once"""


def way_of(method: str) -> str:
    """How the cases are drawn that a method learns from again.

    >>> way_of("mdw"), way_of("relief-f"), way_of("wom")
    ('bootstrap', 'bootstrap', 'halves')
    """
    return BOOTSTRAP if getattr(methods().get(method), "weighs_cases", True) else HALVES


def redrawn(way: str, answers: NDArray[Any], chance: np.random.Generator, regression: bool) -> Redrawn:
    """Cases drawn in one of the ways."""
    return (bootstrap if way == BOOTSTRAP else half)(answers, chance, regression)


def bootstrap(answers: NDArray[Any], chance: np.random.Generator, regression: bool) -> Redrawn:
    """As many cases as there are, with replacement; anew where all are of one class and there were more.

    >>> found = bootstrap(np.array(["a", "b", "b", "a"]), np.random.default_rng(0), False)
    >>> found.rows.tolist(), found.weights.tolist()
    ([1, 2, 3], [1.0, 2.0, 1.0])
    """
    n = len(answers)
    several = not regression and len(np.unique(answers)) > 1
    while True:
        counts = np.bincount(chance.integers(0, n, n), minlength=n)
        rows = np.flatnonzero(counts)
        if not several or (answers[rows] != answers[rows[0]]).any():
            return Redrawn(rows, counts[rows].astype(np.float64))


def half(answers: NDArray[Any], chance: np.random.Generator, regression: bool) -> Redrawn:
    """Half of the cases, of each class half; at least one of each."""
    order = chance.permutation(len(answers))
    if regression:
        return Redrawn(np.sort(order[: max(1, len(answers) // 2)]), None)
    shuffled = answers[order]
    parts = [order[shuffled == each] for each in np.unique(answers)]
    return Redrawn(np.sort(np.concatenate([part[: max(1, len(part) // 2)] for part in parts])), None)
