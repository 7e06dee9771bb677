r"""How good answers are. Fixed letters: m answers, c classes; P(i, j) is the share that answer i gives class j.

=================  ==============================================================================================
accuracy           the share of answers that are right
balanced           the mean over the classes of the share of their cases that are right
log-loss           the mean of -log P(i, true class); a share below 0.001 counts as 0.001
brier              the mean of :math:`\sum_j (P(i, j) - [j = \text{true}])^2`
auc                the mean over the classes of the chance that a case of the class has a larger share of it than a
                   case of another class; ties count half
rmse, mae, r2      for numbers: root mean squared error, mean absolute error, share of the variance explained
=================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST", "LESS_IS_BETTER", "MEASURES", "NUMBERS", "auc", "balanced_accuracy", "of_classes", "of_numbers"]

MEASURES = ("accuracy", "balanced", "log-loss", "brier", "auc")
NUMBERS = ("mae", "rmse", "r2")
LESS_IS_BETTER = frozenset({"log-loss", "brier", "mae", "rmse", "cost"})
FEWEST = 0.001
"""a class that was held impossible and came costs -log of this, not infinity"""

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def of_classes(truth: Codes, said: Codes, shares: Floats | None) -> Mapping[str, float]:
    """truth and said: codes (m,); shares (m, c), or None where a method gives none, and what needs them is NaN.

    >>> shares = np.array([[1, 0], [1, 0], [0.5, 0.5], [0, 1]])
    >>> found = of_classes(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), shares)
    >>> {name: round(x, 3) for name, x in found.items()}
    {'accuracy': 0.75, 'balanced': 0.833, 'log-loss': 0.173, 'brier': 0.125, 'auc': 1.0}
    """
    right = said == truth
    found = {"accuracy": float(np.mean(right)), "balanced": balanced_accuracy(truth, said)}
    if shares is None:
        return {**found, **dict.fromkeys(MEASURES[2:], float("nan"))}
    own = shares[np.arange(len(truth)), truth]
    hit = np.zeros_like(shares)
    hit[np.arange(len(truth)), truth] = 1.0
    return {
        **found,
        "log-loss": float(-np.log(np.maximum(own, FEWEST)).mean()),
        "brier": float(np.square(shares - hit).sum(axis=1).mean()),
        "auc": auc(truth, shares),
    }


def of_numbers(truth: Floats, said: Floats) -> Mapping[str, float]:
    """truth and said: numbers (m,).

    >>> of_numbers(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.5]))
    {'mae': 0.5, 'rmse': 0.8660254037844386, 'r2': -0.125}
    """
    off = said - truth
    total = float(np.square(truth - truth.mean()).sum())
    r2 = 1.0 - float(np.square(off).sum()) / total if total > 0 else float("nan")
    return {"mae": float(np.abs(off).mean()), "rmse": float(np.sqrt(np.square(off).mean())), "r2": r2}


def balanced_accuracy(truth: NDArray[np.generic], predicted: NDArray[np.generic]) -> float:
    """The mean over the classes of the share of their cases that are right: a rare class counts as much as any.

    >>> balanced_accuracy(np.array(["a", "a", "a", "b"]), np.array(["a", "a", "a", "a"]))
    0.5
    """
    right = truth == predicted
    return float(np.mean([right[truth == label].mean() for label in np.unique(truth)]))


def auc(truth: Codes, shares: Floats) -> float:
    """The mean over the classes that some but not all cases have; NaN where there is no such class.

    >>> auc(np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.1, 0.9]]))
    0.875
    """
    found = [_one_class(truth == code, shares[:, code]) for code in np.unique(truth)]
    known = [value for value in found if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _one_class(own: NDArray[np.bool_], share: Floats) -> float:
    """The Mann-Whitney statistic of one class against the rest, over the number of pairs."""
    inside, outside = int(own.sum()), int((~own).sum())
    if not inside or not outside:
        return float("nan")
    _, at, counts = np.unique(share, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[at]
    return float((ranks[own].sum() - inside * (inside + 1) / 2) / (inside * outside))
