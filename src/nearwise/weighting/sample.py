"""Which cases a slow method learns from where there are very many, and how far off that may be.

One rule for all: a sample of ``max_cases``, of each class its share, drawn by the content of the cases and the seed, so
that their order does not matter. Ranges, tables and kinds stay those of all cases. A share that is counted over m drawn
cases is off by at most

    e = sqrt(ln(2 M / (1 - confidence)) / (2 m))

for M such shares together (hoeffding1963, theorem 1, and sect. 6 for draws without replacement).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.errors import check_whole_or_none

__all__ = ["CONFIDENCE", "MAX_CASES", "Drawn", "check_max_cases", "heaviest", "mean_error", "told_sample"]

MAX_CASES = 5_000
"""cases from which a search learns where nothing else is said: a second or so for every thousand weight vectors"""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Drawn:
    """The cases of a sample, and of how many."""

    rows: NDArray[np.intp]
    of: int

    def of_sample(self, given: Any) -> Any:
        """What was given for each case of the whole table, for those of the sample; anything else as it is."""
        shape = np.shape(given)
        return np.asarray(given)[self.rows] if shape == (self.of,) else given

    def told(self, target: Target) -> dict[str, Any]:
        """What `Weighting.sampled_` says: how many cases, of how many, and what the score of any weights is off by.

        The score is the share of right answers, of which one case is 0 or 1. For numbers it is R squared, of which one
        case is as far off as the two ends of the target.
        """
        error = mean_error(len(self.rows)) * heaviest(target)
        if target.classes is None and target.variance > 0:
            error *= float(target.values.max() - target.values.min()) ** 2 / target.variance
        return {"cases": len(self.rows), "of": self.of, "error": float(error), "confidence": CONFIDENCE}


def heaviest(target: Target) -> float:
    """The weight of the heaviest case over the mean."""
    return float(target.weights.max() / target.weights.mean()) if target.weights.any() else 1.0


def mean_error(cases: int, means: int = 1) -> float:
    """By how much ``means`` shares, each counted over so many drawn cases, are off at the most, with `CONFIDENCE`.

    >>> round(mean_error(5_000), 4), round(mean_error(20_000, means=20), 4)
    (0.0192, 0.0129)
    """
    return math.sqrt(math.log(2.0 * means / (1.0 - CONFIDENCE)) / (2.0 * cases))


def check_max_cases(given: Any) -> None:
    check_whole_or_none("max_cases", given, 2, ", or None to learn from all cases")


def told_sample(sampled: dict[str, Any] | None) -> str:
    """``sampled_`` in words; empty where all cases were used.

    >>> told_sample({"cases": 5000, "of": 30000, "error": 0.0192, "confidence": 0.95})
    'learned from a sample of 5,000 of 30,000 cases: scores within 0.0192 with probability 0.95'
    """
    if not sampled:
        return ""
    within = f": scores within {sampled['error']:.3g} with probability {sampled['confidence']:g}"
    return f"learned from a sample of {sampled['cases']:,} of {sampled['of']:,} cases{within}"
