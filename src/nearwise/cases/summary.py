"""A summary of a typed table that merges: what differences and weightings learn from parts, without all the cases.

Every number in it is a count or an extreme, so merging is exact and has no order.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column, level_order
from nearwise.cases.kinds import Cyclic, Kind, Ordinal
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError

__all__ = ["MOST_DISTINCT", "MOST_SORTED", "ColumnSummary", "TableSummary"]

MOST_DISTINCT = 4_000_000
"""different numbers of a feature that are counted one by one"""
MOST_SORTED = 1 << 27
"""numbers of one feature that are laid out in order at once, 1 GB of them"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnSummary:
    """One feature: its range, or how often each level occurs with each class."""

    levels: tuple[Hashable, ...] | None
    """None for numbers"""
    counts: Floats
    """(v, c) cases with each level and class; (0, c) for numbers"""
    missing: Floats
    """(c,) cases of each class without a value"""
    extremes: Floats
    """(2,) the smallest and largest number, or (0,) where there is none; on a circle of numbers modulo the period"""
    turned: Floats
    """the same of numbers on a circle as they are counted, from 0 up; of others the same"""
    distinct: Floats | None = None
    """(d,) the different numbers in ascending order, where they are asked for"""
    times: NDArray[np.int64] | None = None
    """(d,) how often each of them occurs"""

    @classmethod
    def of(cls, column: Column, kind: Kind, target: Target, values: bool = False) -> ColumnSummary:
        c = max(1, target.n_classes)
        codes = target.values if target.classes is not None else np.zeros(len(target), dtype=np.intp)
        missing = np.bincount(codes[column.missing], minlength=c).astype(np.float64)
        nothing = np.empty(0)
        if column.levels is not None:
            there = column.values >= 0
            flat = column.values[there].astype(np.int64) * c + codes[there]
            counts = np.bincount(flat, minlength=len(column.levels) * c).reshape(-1, c).astype(np.float64)
            return cls(column.levels, counts, missing, nothing, nothing)
        if column.values.dtype == object or column.values.ndim != 1:
            return cls(None, np.zeros((0, c)), missing, nothing, nothing)
        known = column.values[~column.missing]
        plain, turned = known, known
        if isinstance(kind, Cyclic):
            plain, turned = np.fmod(known, kind.period), np.mod(known, kind.period)
        distinct = times = None
        if values:
            distinct, times = np.unique(known, return_counts=True)
        return cls(None, np.zeros((0, c)), missing, _extremes(plain), _extremes(turned), distinct, times)

    def merged(self, other: ColumnSummary) -> ColumnSummary:
        missing = self.missing + other.missing
        extremes = _extremes(np.concatenate([self.extremes, other.extremes]))
        turned = _extremes(np.concatenate([self.turned, other.turned]))
        if self.levels is not None and other.levels is not None:
            levels = self.levels
            if other.levels != levels:
                levels = tuple(sorted({*self.levels, *other.levels}, key=level_order))
            counts = self._under(levels) + other._under(levels)
            return ColumnSummary(levels, counts, missing, extremes, turned)
        distinct = times = None
        if self.distinct is not None and other.distinct is not None and self.times is not None:
            both = np.concatenate([self.distinct, other.distinct])
            distinct, at = np.unique(both, return_inverse=True)
            times = np.zeros(len(distinct), dtype=np.int64)
            np.add.at(times, at, np.concatenate([self.times, other.times if other.times is not None else []]))
        return ColumnSummary(None, self.counts, missing, extremes, turned, distinct, times)

    def _under(self, levels: tuple[Hashable, ...]) -> Floats:
        if self.levels is None or levels == self.levels:
            return self.counts
        place = {level: code for code, level in enumerate(levels)}
        counts = np.zeros((len(levels), self.counts.shape[1]))
        counts[[place[level] for level in self.levels]] = self.counts
        return counts

    def check(self, name: str) -> None:
        """Refuse what grows with the table."""
        if self.distinct is not None and len(self.distinct) > MOST_DISTINCT:
            raise InputError(
                f"Feature {name!r} has more than {MOST_DISTINCT:,} different numbers, and what is asked of it needs "
                "all of them in order: take scale='range', missing='max' and discretise='width', which need none."
            )

    def sorted_values(self, name: str) -> Floats:
        """(n,) the known numbers in ascending order."""
        if self.distinct is None or self.times is None:
            raise InputError(f"The values of feature {name!r} were not counted: take scale='range' and missing='max'.")
        if int(self.times.sum()) > MOST_SORTED:
            raise InputError(
                f"Feature {name!r} has more than {MOST_SORTED:,} numbers to put in order: take scale='range' and "
                "missing='max', which look at their range alone."
            )
        return np.repeat(self.distinct, self.times)

    @property
    def level_counts(self) -> Floats:
        """(v,) cases with each level."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def sorted_ranks(self) -> Floats:
        """(n,) the places of the levels that occur, in ascending order."""
        return np.repeat(np.arange(len(self.counts), dtype=np.float64), self.level_counts.astype(np.int64))


@dataclass(frozen=True)
class TableSummary:
    """All features of some of the cases, and how many there are of each class."""

    schema: Schema
    columns: tuple[ColumnSummary, ...]
    classes: NDArray[Any] | None
    class_counts: Floats
    """(c,) or (1,) where the target has no classes"""
    is_given: bool = True

    @classmethod
    def of(cls, table: CaseTable, target: Target, values: Collection[str] = ()) -> TableSummary:
        """Summarise cases that are typed by one schema and coded by one set of classes.

        ``values`` names the numbers that are counted one by one, for differences that look at all of them.
        """
        named = zip(table.columns, table.schema.items(), strict=True)
        columns = tuple(ColumnSummary.of(column, kind, target, name in values) for column, (name, kind) in named)
        codes = target.values if target.classes is not None else np.zeros(len(target), dtype=np.intp)
        counts = np.bincount(codes, minlength=max(1, target.n_classes)).astype(np.float64)
        return cls(table.schema, columns, target.classes, counts, target.is_given)

    @property
    def n(self) -> int:
        return int(self.class_counts.sum())

    @property
    def target(self) -> Target:
        """One row a class, which weighs as many cases as it has: priors and class weights are those of all cases."""
        if self.classes is None:
            return Target(np.zeros(0), None, np.zeros(0), self.is_given)
        return Target(np.arange(len(self.classes)), self.classes, self.class_counts)

    @property
    def empty_table(self) -> CaseTable:
        """A table without cases, under the levels of all cases."""
        columns = []
        for summary, kind in zip(self.columns, self.schema.values(), strict=True):
            if summary.levels is not None:
                levels = kind.levels if isinstance(kind, Ordinal) else summary.levels
                columns.append(Column(np.zeros(0, dtype=np.int32), levels))
            else:
                columns.append(Column(np.zeros(0)))
        return CaseTable(self.schema, tuple(columns), 0)

    def merged(self, other: TableSummary) -> TableSummary:
        columns = tuple(a.merged(b) for a, b in zip(self.columns, other.columns, strict=True))
        for name, column in zip(self.schema, columns, strict=True):
            column.check(name)
        return TableSummary(self.schema, columns, self.classes, self.class_counts + other.class_counts, self.is_given)


def _extremes(values: Floats) -> Floats:
    """(2,) the smallest and largest of these, or (0,) of none."""
    return np.array([values.min(), values.max()]) if len(values) else np.empty(0)
