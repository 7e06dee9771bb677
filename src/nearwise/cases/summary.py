"""A summary of a typed table that merges: what differences and weightings learn from parts, without all the cases.

Every number in it is a count or an extreme, so merging is exact and has no order.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.answers import AnswerCounts
from nearwise.cases.columns import Column, level_order
from nearwise.cases.digits import ALL_BITS, bits_to_leave_out, shortened, too_many
from nearwise.cases.kinds import Cyclic, Kind, Ordinal
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError

__all__ = ["MOST_SORTED", "ColumnSummary", "TableSummary"]

MOST_SORTED = 1 << 27
"""numbers of one feature that are laid out in order at once, 1 GB of them"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnSummary:
    """One feature: its range, or how often each level occurs with each class."""

    levels: tuple[Hashable, ...] | None
    """None for numbers"""
    counts: Floats
    """(v, c) what the cases with each level and class weigh; (0, c) for numbers"""
    missing: Floats
    """(c,) what the cases of each class without a value weigh"""
    extremes: Floats
    """(2,) the smallest and largest number, or (0,) where there is none; on a circle of numbers modulo the period"""
    turned: Floats
    """the same of numbers as they are counted: on a circle from 0 up, and without cases that weigh 0"""
    distinct: Floats | None = None
    """(d,) the different numbers in ascending order, where they are asked for; by class, each once for every class"""
    times: NDArray[np.int64] | None = None
    """(d,) how often each of them occurs"""
    class_at: NDArray[np.int64] | None = None
    """(d,) the class with which it does, where that is asked for"""
    weighed: Floats | None = None
    """(d,) what these cases weigh; None where each weighs 1"""
    cases: Floats | None = None
    """(v,) cases with each level; None where each weighs 1"""
    left_out: int = 0
    """how many of their last bits the different numbers are counted without, see `nearwise.cases.digits`"""
    answers: AnswerCounts | None = None
    """how often each value occurs with each answer and weight, where that is asked for"""

    @classmethod
    def of(
        cls,
        column: Column,
        kind: Kind,
        target: Target,
        values: bool = False,
        by_class: bool = False,
        by_answer: bool = False,
    ) -> ColumnSummary:
        made = cls._of(column, kind, target, values, by_class)
        return replace(made, answers=AnswerCounts.of(column.values, target)) if by_answer else made

    @classmethod
    def _of(cls, column: Column, kind: Kind, target: Target, values: bool, by_class: bool) -> ColumnSummary:
        c = max(1, target.n_classes)
        codes = target.values if target.classes is not None else np.zeros(len(target), dtype=np.intp)
        weights = None if target.weighs_one else target.weights
        missing = _counted(codes[column.missing], c, None if weights is None else weights[column.missing])
        nothing = np.empty(0)
        if column.levels is not None:
            there, v = column.values >= 0, len(column.levels)
            flat = column.values[there].astype(np.int64) * c + codes[there]
            counts = _counted(flat, v * c, None if weights is None else weights[there]).reshape(-1, c)
            cases = None if weights is None else _counted(column.values[there], v)
            return cls(column.levels, counts, missing, nothing, nothing, cases=cases)
        if column.values.dtype == object or column.values.ndim != 1:
            return cls(None, np.zeros((0, c)), missing, nothing, nothing)
        known = column.values[~column.missing]
        plain, turned = known, known
        if isinstance(kind, Cyclic):
            plain, turned = np.fmod(known, kind.period), np.mod(known, kind.period)
        if weights is not None:
            turned = turned[weights[~column.missing] > 0]
        made = cls(None, np.zeros((0, c)), missing, _extremes(plain), _extremes(turned))
        if not values and not by_class:
            return made
        own = codes[~column.missing].astype(np.int64) if by_class else None
        heavy = None if weights is None else weights[~column.missing]
        return made._counting(known, np.ones(len(known), dtype=np.int64), own, heavy)

    def _counting(
        self, values: Floats, times: NDArray[np.int64], class_at: NDArray[np.int64] | None, weighed: Floats | None
    ) -> ColumnSummary:
        """The same with these numbers, each so often, put in order and counted."""
        order = np.argsort(values, kind="stable") if class_at is None else np.lexsort((class_at, values))
        values, times = values[order], times[order]
        new = np.ones(len(values), dtype=bool)
        new[1:] = values[1:] != values[:-1]
        if class_at is not None:
            class_at = class_at[order]
            new[1:] |= class_at[1:] != class_at[:-1]
        starts = np.flatnonzero(new)
        added = np.add.reduceat(times, starts) if len(starts) else times
        if weighed is not None and len(starts):
            weighed = np.add.reduceat(weighed[order], starts)
        class_at = None if class_at is None else class_at[starts]
        return replace(self, distinct=values[starts], times=added, class_at=class_at, weighed=weighed)

    def merged(self, other: ColumnSummary) -> ColumnSummary:
        made = self._merged(other)
        if self.answers is None or other.answers is None:
            return made
        one, two = self._answers_under(made.levels), other._answers_under(made.levels)
        return replace(made, answers=one.merged(two))

    def _answers_under(self, levels: tuple[Hashable, ...] | None) -> AnswerCounts:
        if self.answers is None:
            raise TypeError("the values were not counted by answer")
        if self.levels is None or levels is None or levels == self.levels:
            return self.answers
        place = {level: code for code, level in enumerate(levels)}
        return self.answers.under(np.array([place[level] for level in self.levels], dtype=np.intp))

    def _merged(self, other: ColumnSummary) -> ColumnSummary:
        missing = self.missing + other.missing
        extremes = _extremes(np.concatenate([self.extremes, other.extremes]))
        turned = _extremes(np.concatenate([self.turned, other.turned]))
        if self.levels is not None and other.levels is not None:
            levels = self.levels
            if other.levels != levels:
                levels = tuple(sorted({*self.levels, *other.levels}, key=level_order))
            counts, cases = self._under(levels) + other._under(levels), None
            if self.cases is not None or other.cases is not None:
                mine, others = (replace(one, counts=one.level_counts[:, None])._under(levels) for one in (self, other))
                cases = (mine + others)[:, 0]
            return ColumnSummary(levels, counts, missing, extremes, turned, cases=cases)
        made = ColumnSummary(None, self.counts, missing, extremes, turned)
        if self.distinct is None or other.distinct is None or self.times is None or other.times is None:
            return made
        class_at = None
        if self.class_at is not None and other.class_at is not None:
            class_at = np.concatenate([self.class_at, other.class_at])
        bits = max(self.left_out, other.left_out)
        values = np.concatenate([shortened(self.distinct, bits), shortened(other.distinct, bits)])
        times = np.concatenate([self.times, other.times])
        weighed = None
        if self.weighed is not None or other.weighed is not None:
            weighed = np.concatenate([self._weighed, other._weighed])
        return replace(made, left_out=bits)._counting(values, times, class_at, weighed)

    @property
    def _weighed(self) -> Floats:
        """(d,) what the cases with each number weigh."""
        if self.weighed is not None:
            return self.weighed
        return np.empty(0) if self.times is None else self.times.astype(np.float64)

    def _under(self, levels: tuple[Hashable, ...]) -> Floats:
        if self.levels is None or levels == self.levels:
            return self.counts
        place = {level: code for code, level in enumerate(levels)}
        counts = np.zeros((len(levels), self.counts.shape[1]))
        counts[[place[level] for level in self.levels]] = self.counts
        return counts

    def bounded(self, name: str) -> ColumnSummary:
        """The same with no more different numbers than can be held, with fewer digits where there are more."""
        if self.answers is not None:
            self.answers.bounded(name)
        if self.distinct is None or self.times is None:
            return self
        bits = bits_to_leave_out(self.distinct, bits=self.left_out)
        if bits == self.left_out:
            return self
        if bits > ALL_BITS:
            raise too_many(name)
        made = replace(self, left_out=bits)
        return made._counting(shortened(self.distinct, bits), self.times, self.class_at, self.weighed)

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

    def entries(self, target: Target) -> tuple[Column, Target]:
        """A row for every value and class that occur together, which weighs as many cases as there are of it.

        What counts cases by value and class says the same of it as of all cases.
        """
        c = len(self.missing)
        if self.levels is not None:
            at, classes = np.nonzero(self.counts)
            weights = self.counts[at, classes]
        elif self.distinct is not None and self.class_at is not None and self.times is not None:
            at, classes, weights = np.arange(len(self.distinct)), self.class_at, self._weighed
        else:
            raise TypeError("the values were not counted by class")
        gone = np.flatnonzero(self.missing)
        if self.levels is not None:
            values = np.concatenate([at, np.full(len(gone), -1)]).astype(np.int32)
        else:
            values = np.concatenate([np.asarray(self.distinct, dtype=np.float64), np.full(len(gone), np.nan)])
        codes = np.concatenate([classes, gone]).astype(np.intp)
        weights = np.concatenate([weights, self.missing[gone]])
        classes_of = target.classes if target.classes is not None else np.arange(c)
        return Column(values, self.levels), Target(codes, classes_of, weights, target.is_given)

    @property
    def level_counts(self) -> Floats:
        """(v,) cases with each level."""
        return np.asarray(self.counts.sum(axis=1)) if self.cases is None else self.cases

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
    """(c,) what the cases of each class weigh; (1,) where the target has no classes"""
    is_given: bool = True
    cases: int | None = None
    """how many there are; None where each weighs 1"""

    @classmethod
    def of(
        cls,
        table: CaseTable,
        target: Target,
        values: Collection[str] = (),
        by_class: Collection[str] = (),
        by_answer: Collection[str] = (),
    ) -> TableSummary:
        """Summarise cases that are typed by one schema and coded by one set of classes.

        ``values`` names the numbers that are counted one by one, for differences that look at all of them, and
        ``by_class`` those that are counted with every class; ``by_answer`` names features whose values are counted
        with every answer and weight.
        """
        named = zip(table.columns, table.schema.items(), strict=True)
        columns = tuple(
            ColumnSummary.of(column, kind, target, name in values, name in by_class, name in by_answer)
            for column, (name, kind) in named
        )
        codes = target.values if target.classes is not None else np.zeros(len(target), dtype=np.intp)
        weights = None if target.weighs_one else target.weights
        counts = _counted(codes, max(1, target.n_classes), weights)
        return cls(
            table.schema, columns, target.classes, counts, target.is_given, None if weights is None else len(table)
        )

    @property
    def n(self) -> int:
        return int(self.class_counts.sum()) if self.cases is None else self.cases

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

    @property
    def bounded(self) -> TableSummary:
        """The same with no more different numbers of a feature than can be held."""
        columns = (column.bounded(name) for name, column in zip(self.schema, self.columns, strict=True))
        return replace(self, columns=tuple(columns))

    def merged(self, other: TableSummary) -> TableSummary:
        pairs = zip(self.schema, self.columns, other.columns, strict=True)
        columns = tuple(a.merged(b).bounded(name) for name, a, b in pairs)
        cases = None if self.cases is None and other.cases is None else self.n + other.n
        counts = self.class_counts + other.class_counts
        return TableSummary(self.schema, columns, self.classes, counts, self.is_given, cases)


def _counted(codes: NDArray[Any], size: int, weights: Floats | None = None) -> Floats:
    """(size,) how often each code occurs, or what its cases weigh."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


def _extremes(values: Floats) -> Floats:
    """(2,) the smallest and largest of these, or (0,) of none."""
    return np.array([values.min(), values.max()]) if len(values) else np.empty(0)
