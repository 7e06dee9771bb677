"""Where a missing value stands under a matrix of weights: at the mean of the cases of all parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Metric
from nearwise.parts.part import TypedPart
from nearwise.statistics.counts.exact_sums import ExactSums, exact_sums
from nearwise.weights import Matrix
from nearwise.weights.values import counted, symbols

__all__ = ["Knowing", "KnownValues"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class KnownValues:
    """What is known of one feature; merges without rounding."""

    counts: Array
    """(v,) how often each level occurs, or (1,) how many numbers there are"""
    sums: ExactSums | None = None
    """of the numbers; None of levels"""
    largest: float = 0.0

    def merged(self, other: KnownValues) -> KnownValues:
        sums = None if self.sums is None or other.sums is None else self.sums.merge(other.sums)
        return KnownValues(self.counts + other.counts, sums, max(self.largest, other.largest))

    @property
    def mean(self) -> Array:
        """What `Stored` keeps: the counts of levels, or the mean of numbers, as `search.terms.mean_of` rounds it."""
        if self.sums is None:
            return self.counts
        n = int(self.counts[0])
        size = math.frexp(self.largest)[1]
        return np.array([math.ldexp(float(self.sums.rounded(size)[0]) / n, size) if n else 0.0])


@dataclass(frozen=True)
class Knowing:
    """What a part knows of each feature, as a function that can be sent to it."""

    metric: Metric
    weights: Matrix

    def __call__(self, part: TypedPart) -> tuple[KnownValues, ...]:
        found = []
        for column, levels in zip(part.problem(self.metric).cases.columns, self.weights.levels, strict=True):
            if levels:
                found.append(KnownValues(counted(column, symbols(levels))))
                continue
            known = np.asarray(column.values[np.isfinite(column.values)], dtype=np.float64)
            largest = float(np.abs(known).max(initial=0.0))
            found.append(KnownValues(np.array([float(len(known))]), exact_sums([known]), largest))
        return tuple(found)


def both(one: tuple[KnownValues, ...], two: tuple[KnownValues, ...]) -> tuple[KnownValues, ...]:
    return tuple(a.merged(b) for a, b in zip(one, two, strict=True))
