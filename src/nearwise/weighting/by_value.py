"""What weightings over class counts per value share: counting, cutting numbers, P(c | v)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.cuts import find_cuts
from nearwise.cases.kinds import Cyclic, Numeric, Ordinal, Symbolic
from nearwise.differences.metric import Measure
from nearwise.errors import InputError
from nearwise.statistics.counts.values import PerFeature, ValueCounts, count_values
from nearwise.weighting.base import Mergeable, Problem

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


class ByValue(Mergeable):
    """Counts of (value, class); a missing value is left out (Reading I6) unless its policy is "value"."""

    discretise: Any
    bins: int

    def _partial(self, problem: Problem) -> PerFeature:
        for name, kind in problem.table.schema.items():
            if not isinstance(kind, Numeric | Cyclic | Symbolic | Ordinal):
                raise InputError(
                    f"The weighting {self.id!r} counts values, and almost every value of feature {name!r} "
                    f"({kind.name}) occurs once: use 'mdw', which works for any kind, or leave the feature out: "
                    f"ignore=[{name!r}]."
                )
        columns = zip(problem.table.columns, problem.metric.measures, strict=True)
        return PerFeature(count_values(column, problem.target, m.as_value) for column, m in columns)

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
        values = counts.values
        if isinstance(measure.kind, Cyclic):
            values = np.mod(values, measure.kind.period)
        entries = values[counts.value_at]
        order = np.argsort(entries, kind="stable")
        weights = counts.entry_weights[order]
        cuts = find_cuts(self.discretise, self.bins, measure.name, entries[order], counts.class_at[order], weights)
        return counts.grouped(cuts.place(values), len(cuts))


def conditional(counts: Array, priors: Array) -> Array:
    """(v, c) P(c | v) from counts (v, c); the priors where a value has no weight (V5).

    >>> conditional(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    totals = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), priors[None, :]))
