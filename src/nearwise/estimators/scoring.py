"""Votes as shares, and how right answers are: what estimators of classes, or of numbers, have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot

__all__ = ["accuracy", "r_squared", "shares"]

Floats = NDArray[np.float64]


def shares(votes: Floats, priors: Floats) -> Floats:
    """(m, c) votes over their sum; where nobody votes, the priors (c,)."""
    sums = votes.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums > 0, votes / np.where(sums > 0, sums, 1.0), priors[None, :]))


def accuracy(truth: NDArray[Any], predicted: NDArray[Any], weights: Floats) -> float:
    """The share of right answers."""
    return float(np.average(truth == predicted, weights=weights if weights.sum() > 0 else None))


def r_squared(truth: NDArray[Any], predicted: NDArray[Any], weights: Floats) -> float:
    """1 is perfect, 0 is as good as the mean; where all numbers are the same, 1 for exact answers and else 0."""
    mean = np.average(truth, weights=weights)
    total = float(dot(weights, np.square(truth - mean)))
    wrong = float(dot(weights, np.square(truth - predicted)))
    return 1.0 - wrong / total if total > 0 else float(wrong == 0)
