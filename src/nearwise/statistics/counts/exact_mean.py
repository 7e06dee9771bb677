"""The weighted mean of numbers, rounded once: the same in any order and over any parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.statistics.counts.exact_sums import ExactSums, exact_sums

__all__ = ["ExactMean"]


@dataclass(frozen=True)
class ExactMean:
    """The mean of some cases; merges.

    >>> one, two = ExactMean.of(np.array([0.1, 0.2]), np.ones(2)), ExactMean.of(np.array([0.3]), np.ones(1))
    >>> one.merge(two).value, two.merge(one).value
    (0.2, 0.2)
    """

    weight: ExactSums
    weighted: ExactSums

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64]) -> ExactMean:
        return cls(exact_sums([weights]), exact_sums([weights, values]))

    def merge(self, other: ExactMean) -> ExactMean:
        return ExactMean(self.weight.merge(other.weight), self.weighted.merge(other.weighted))

    @property
    def value(self) -> float:
        """Not a number where nothing weighs anything."""
        (weight,), (weighted,) = self.weight.exact(), self.weighted.exact()
        return float(weighted / weight) if weight else float("nan")
