"""How often a stored case was right when it was asked, and whether that is good enough (Aha, Kibler & Albert)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from nearwise.search.base import Floats

__all__ = ["ACCEPT", "DROP", "Records", "interval"]

ACCEPT = 0.9
"""confidence at which a case is accepted"""
DROP = 0.7
"""confidence at which a case is dropped"""


def interval(right: Any, asked: Any, confidence: float) -> tuple[Floats, Floats]:
    r"""The confidence interval of a share, such as an accuracy; 0 to 1 where nothing was asked.

    .. math:: \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    >>> [round(float(end), 3) for end in interval(8, 10, 0.9)]
    [0.541, 0.931]
    """
    z = _quantile(confidence)
    unknown = np.asarray(asked) <= 0
    n = np.where(unknown, 1.0, asked)
    p = np.asarray(right, dtype=np.float64) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return np.where(unknown, 0.0, middle - half), np.where(unknown, 1.0, middle + half)


@cache
def _quantile(confidence: float) -> float:
    """How many standard deviations on either side hold this share of a normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + confidence / 2)


class Records:
    """Uses and right uses of n cases, and how often each class was seen."""

    def __init__(self, classes: Any, n_classes: int) -> None:
        self.classes = classes
        self.uses, self.right = np.zeros(len(classes)), np.zeros(len(classes))
        self.seen = np.zeros(n_classes)

    def note(self, cases: Any, label: int) -> None:
        """These stored cases were asked about a case of this class."""
        self.uses[cases] += 1
        self.right[cases] += self.classes[cases] == label

    def are_acceptable(self, cases: Any) -> Any:
        """Whether each is right significantly more often than its class comes up."""
        low, _ = interval(self.right[cases], self.uses[cases], ACCEPT)
        _, high = interval(self.seen, self.seen.sum(), ACCEPT)
        return low > high[self.classes[cases]]

    def are_poor(self, cases: Any) -> Any:
        """Whether each is right significantly less often than its class comes up."""
        _, high = interval(self.right[cases], self.uses[cases], DROP)
        low, _ = interval(self.seen, self.seen.sum(), DROP)
        return high < low[self.classes[cases]]
