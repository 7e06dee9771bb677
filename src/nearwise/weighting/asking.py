"""Which cases ask for neighbours in Relief-like weightings, what they have found, and how far off that may be.

A score is a mean over the cases that ask, of numbers that lie ``wide`` apart at the most, so that of m cases drawn by
their content it is off by at most ``wide`` times the error of a share (`nearwise.weighting.sample`). Who is near is
sought among all cases, drawn or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.errors import check_whole_or_none
from nearwise.statistics.contrasts.classes import Contrast
from nearwise.statistics.contrasts.numbers import RegressionContrast
from nearwise.statistics.draws.folds import stratified_cases
from nearwise.statistics.draws.seeds import seed_of
from nearwise.statistics.scattered import Collected
from nearwise.weighting.base import Problem
from nearwise.weighting.budget import Budget
from nearwise.weighting.sample import CONFIDENCE, heaviest, mean_error

__all__ = ["AUTO", "Asked", "Asking", "asking_cases", "check_asking"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AUTO = "auto"
"""``n_samples`` that asks all cases up to a number that the method states, and a sample of so many beyond"""


@dataclass(frozen=True)
class Asked:
    """What the cases ``rows`` that asked have found."""

    scores: Floats
    rows: Ints
    wide: float

    def sampled(self, target: Target) -> dict[str, Any]:
        """What `Weighting.sampled_` says; the error holds for all scores together."""
        error = self.wide * mean_error(max(1, len(self.rows)), len(self.scores)) * heaviest(target)
        return {"cases": len(self.rows), "of": len(target), "error": float(error), "confidence": CONFIDENCE}


class Asking:
    """Cases that ask piece by piece, in a `Budget`: from the first piece on Ctrl-C keeps what they have found."""

    def __init__(self, contrast: Contrast, rows: Ints, target: Target, budget: Budget) -> None:
        self.contrast, self.rows, self.target, self.budget = contrast, rows, target, budget
        self.largest = contrast.largest
        """the largest difference of a feature"""
        self._count = 0

    def note(self, rows: Ints) -> None:
        """Some cases have asked."""
        self._count += len(rows)
        self.budget.has_result = True
        self.budget.kept = f"what {self._count:,} of {len(self.rows):,} cases have found"

    def asked(self, sums: Collected) -> Ints:
        """The cases whose sums are there: as they stand in the table, where that is all of them."""
        rows = sums.rows
        return self.rows if len(rows) == len(self.rows) else rows

    def weight(self, rows: Ints) -> float:
        return float(self.target.weights[rows].sum())

    def mean(self, sums: Collected, wide: float) -> Asked | None:
        """Scores that are means over those who asked; None where nobody has."""
        if not len(sums):
            return None
        rows = self.asked(sums)
        return Asked(np.asarray(sums.total / self.target.weights[rows].sum()), rows, wide * self.largest)

    def regression(self, found: RegressionContrast, total: float | None = None) -> Asked | None:
        r"""Scores where the target is a number, of ``total`` influence.

        With the mean difference b of the targets, N_dC / m, each of both quotients is a mean that is off by e over b or
        1 - b, so the score is off by 2 e / (b (1 - b)) at the most.
        """
        if not len(found.sums):
            return None
        rows = self.asked(found.sums)
        total = self.weight(rows) if total is None else total
        share = found.unlike / total if total > 0 else 0.0
        wide = 2.0 / (share * (1.0 - share)) if 0 < share < 1 else np.inf
        return Asked(found.scores(total), rows, wide * max(1.0, self.largest))


def check_asking(given: Any) -> None:
    if not (isinstance(given, str) and given == AUTO):
        check_whole_or_none("n_samples", given, 1, ", 'auto', or None to ask all cases")


def asking_cases(problem: Problem, n_samples: Any, usual: int, random_state: Any) -> Ints:
    """The cases that ask: all of them, or so many of each class as is its share, drawn by content and seed."""
    n = len(problem.target)
    size = usual if isinstance(n_samples, str) else n if n_samples is None else int(n_samples)
    if size >= n:
        return np.arange(n, dtype=np.int64)
    drawn = stratified_cases(problem.metric, problem.cases, problem.target, size, seed_of(random_state))
    return drawn.astype(np.int64)
