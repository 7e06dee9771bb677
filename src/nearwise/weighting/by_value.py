"""What weightings over class counts per value share: counting, cutting numbers, P(c | v)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measure
from nearwise.differences.symbolic import Overlap
from nearwise.statistics.counts.values import PerFeature, ValueCounts
from nearwise.weighting.base import Problem
from nearwise.weighting.counted import Countable, Discretised

__all__ = ["ByValue", "ValueTable", "conditional"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ValueTable:
    """The cases of one feature by value and class."""

    levels: tuple[Any, ...]
    """what the codes of the feature stand for, with None at the end where a missing value is a value; empty where
    the feature is not compared by codes"""
    counts: Array
    """(v, c) weights; rows are levels, or the values or intervals that were counted"""

    @property
    def frequencies(self) -> Array:
        """(v,) the share of each value; equal shares where nothing is known."""
        totals = self.counts.sum(axis=1)
        whole = totals.sum()
        return totals / whole if whole > 0 else np.full(len(totals), 1.0 / max(1, len(totals)))

    @property
    def by_class(self) -> Array:
        """(c, v) P(v | c); the frequencies for a class without a known value."""
        totals = self.counts.sum(axis=0)
        shares = self.counts / np.where(totals > 0, totals, 1.0)
        return np.where(totals > 0, shares, self.frequencies[:, None]).T


class ByValue(Countable):
    """Counts of (value, class); a missing value is left out (Reading I6) unless its policy is "value"."""

    discretise: Any
    bins: int

    @property
    def suggested_differences(self) -> Any:
        cut = Overlap(discretise=self.discretise, bins=self.bins)
        return {"Symbolic": "overlap", "Ordinal": "overlap", "Numeric": cut, "Cyclic": cut}

    def _tables(self, statistics: PerFeature, problem: Problem) -> list[ValueTable]:
        measures = problem.metric.measures
        return [self._table(counts, measure) for counts, measure in zip(statistics, measures, strict=True)]

    def _table(self, counts: ValueCounts, measure: Measure) -> ValueTable:
        """By the symbols or intervals that the distance compares; numbers that it does not cut are cut here."""
        fitted, missing = measure.fitted, measure.as_value
        levels: tuple[Any, ...] = ()
        if fitted.form in ("overlap", "table"):
            levels = fitted.levels or ()
            known = counts.grouped(fitted.encode(counts.column()), len(levels))
            levels = (*levels, None) if missing else levels
        elif counts.storage == "number":
            known = self._cut(counts, measure)
        else:
            known = counts.table
        return ValueTable(levels, np.vstack([known, counts.missing]) if missing else known)

    def _cut(self, counts: ValueCounts, measure: Measure) -> Array:
        found = Discretised(counts, measure.kind, measure.name, self.discretise, self.bins)
        return counts.grouped(found.place(counts.values), len(found.cuts))


def conditional(counts: Array, priors: Array) -> Array:
    """(v, c) P(c | v) from counts (v, c); the priors where a value has no weight (V5).

    >>> conditional(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    totals = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), priors[None, :]))
