"""What `Moments` are made of, in sums that merge: counts of pairs of symbols, and exact sums of numbers.

Numbers are added up as they are, without rounding, so no order of the cases or parts is seen in the moments, and what
is taken out leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.exact_sums import ExactSums, exact_sums
from nearwise.statistics.counts.moments import Coded, Moments, products
from nearwise.weights.values import places, symbols

__all__ = ["MomentSums"]

Array = NDArray[np.float64]

FARTHEST = 1000
"""the largest power of two that numbers are multiplied by, and the smallest is its inverse"""


@dataclass(frozen=True)
class MomentSums:
    """Over k binary columns: one a level, one a number that is 1 where it is known, one a class; and m numbers."""

    levels: tuple[tuple[Any, ...], ...]
    """per feature; none for a number"""
    n_classes: int
    counts: Array
    """(k, k) what the cases weigh in which two columns are 1"""
    x: tuple[ExactSums, ...]
    """for each number (k,) its sum over the cases in which a column is 1"""
    xx: tuple[ExactSums, ...]
    """for each number (m,) the sums of its products with all numbers"""

    @classmethod
    def of(cls, cases: Measured, levels: Sequence[Sequence[Any]], target: Target) -> MomentSums:
        coded: Coded = []
        numbers: list[Array] = []
        holes: list[tuple[NDArray[np.int32], int] | None] = []
        for column, own in zip(cases.columns, levels, strict=True):
            if len(own):
                v, at = symbols(own), places(column, symbols(own))
                coded.append((np.where(at < len(own), at, len(own)).astype(np.int32), len(own)))
                if (at > v).any():
                    raise InputError("A value is not among the levels.")
                continue
            there = np.isfinite(column.values)
            numbers.append(column.values if there.all() else np.where(there, column.values, np.nan))
            holes.append(None if there.all() else (np.where(there, 0, 1).astype(np.int32), 1))
        weights = None if target.weighs_one else target.weights
        columns = [*coded, *(hole for hole in holes if hole is not None), (target.codes, target.n_classes)]
        rows, counts = _ordered(products(columns, weights, len(cases)), holes, target.n_classes)
        weigh = [] if weights is None else [weights]

        def by_column(x: Array) -> ExactSums:
            parts = [exact_sums([*weigh, x], np.where(codes < v, codes, -1), v) for codes, v in columns]
            return ExactSums.stacked([*parts, parts[-1].total]).take(rows)

        def by_pair(pair: tuple[int, int]) -> ExactSums:
            return exact_sums([*weigh, numbers[pair[0]], numbers[pair[1]]])

        m = len(numbers)
        pairs = [(a, b) for a in range(m) for b in range(a, m)]
        found = dict(zip(pairs, side_by_side(by_pair, pairs, len(cases)), strict=True))
        xx = (ExactSums.stacked([found[min(a, b), max(a, b)] for b in range(m)]) for a in range(m))
        x = side_by_side(by_column, numbers, len(cases))
        return cls(tuple(tuple(own) for own in levels), target.n_classes, counts, tuple(x), tuple(xx))

    def merge(self, other: MomentSums) -> MomentSums:
        return self._joined(other, 1)

    def remove(self, other: MomentSums) -> MomentSums:
        return self._joined(other, -1)

    def _joined(self, other: MomentSums, sign: int) -> MomentSums:
        """Both under the levels of both, in the order of the one that has more."""
        levels = tuple(
            mine if set(theirs) <= set(mine) else (*mine, *(v for v in theirs if v not in set(mine)))
            for mine, theirs in zip(self.levels, other.levels, strict=True)
        )
        mine, theirs = self.under(levels), other.under(levels)
        join = ExactSums.merge if sign > 0 else ExactSums.remove
        x = tuple(join(one, two) for one, two in zip(mine.x, theirs.x, strict=True))
        xx = tuple(join(one, two) for one, two in zip(mine.xx, theirs.xx, strict=True))
        return replace(mine, counts=mine.counts + sign * theirs.counts, x=x, xx=xx)

    def under(self, levels: Sequence[Sequence[Any]]) -> MomentSums:
        """The same sums for other levels, in their order; a level that is new has no case."""
        if tuple(map(tuple, levels)) == self.levels:
            return self
        at, start = list[int](), 0
        for own, wanted in zip(self.levels, levels, strict=True):
            place = {level: start + k for k, level in enumerate(own)}
            at += [place.get(level, -1) for level in wanted]
            start += len(own)
        at += range(start, len(self.counts))
        rows = np.array(at, dtype=np.intp)
        counts = np.where((rows < 0)[:, None] | (rows < 0)[None, :], 0.0, self.counts[np.ix_(rows, rows)])
        x = tuple(sums.take(rows) for sums in self.x)
        return replace(self, levels=tuple(tuple(own) for own in levels), counts=counts, x=x)

    def moments(self) -> Moments:
        """The sums about the mean of each number, in a unit of about its spread; every one of them is rounded once."""
        wide, m, p = sum(map(len, self.levels)), len(self.x), len(self.levels)
        known = np.arange(wide, wide + m)
        centre, power = np.zeros(m), np.zeros(m, dtype=np.int64)
        for a in range(m):
            centre[a], power[a] = self._place(a, int(known[a]))
        k = len(self.counts)
        of_column = np.zeros((m, k))
        for a, sums in enumerate(self.x):
            of_column[a] = _less(sums, [np.full(k, centre[a]), self.counts[known[a]]]).rounded(power[a])
        of_pair = np.zeros((m, m))
        for a in range(m):
            both = self.counts[known[a], known]
            others = ExactSums.stacked([x.take(known[a : a + 1]) for x in self.x])  # over the cases where a is known
            sums = _less(self.xx[a], *([np.full(m, centre[a]), part] for part in _two_doubles(others)))
            sums = _less(sums, *([centre, part] for part in _two_doubles(self.x[a].take(known))))
            sums = sums.merge(exact_sums([np.full(m, centre[a]), centre, both], np.arange(m), m))
            of_pair[a] = sums.rounded(power[a] + power)
        shift, factor = np.zeros(p), np.ones(p)
        numbers = [f for f, own in enumerate(self.levels) if not own]
        shift[numbers], factor[numbers] = centre, np.ldexp(1.0, -power)
        return Moments(self.levels, shift, factor, self.n_classes, self._arranged(of_column, of_pair))

    def _place(self, a: int, known: int) -> tuple[float, int]:
        """About the mean of a number, and the exponent of about the root of its sum of squares about it."""
        (first,), (second,) = self.x[a].take(np.array([known])).exact(), self.xx[a].take(np.array([a])).exact()
        weight = float(self.counts[known, known])
        if not weight > 0:
            return 0.0, 0
        (whole,) = exact_sums([np.array([weight])]).exact()
        spread = second - first * first / whole
        power = (spread.numerator.bit_length() - spread.denominator.bit_length()) // 2 if spread > 0 else 0
        return float(first / whole), max(-FARTHEST, min(FARTHEST, power))

    def _arranged(self, of_column: Array, of_pair: Array) -> Array:
        """The matrix of all columns as `Moments` has them, numbers among the levels in the order of the features."""
        m, level, number = len(of_column), 0, 0
        at: list[int] = []  # numbers come first, then what counts
        for own in self.levels:
            at += [m + level + k for k in range(len(own))] if own else [number]
            level += len(own)
            number += not own
        at += range(m + level, m + len(self.counts))
        whole = np.block([[of_pair, of_column], [of_column.T, self.counts]])
        return np.asarray(whole[np.ix_(at, at)])


def _ordered(compact: Array, holes: Sequence[Any], c: int) -> tuple[NDArray[np.intp], Array]:
    """From columns [levels, holes, classes] to [levels, known, classes], where each is in the first and one for all
    cases; known everywhere is the sum of the classes."""
    first_class = len(compact) - c
    ones = compact[first_class:].sum(axis=0)
    full = np.empty((len(compact) + 1, len(compact) + 1))
    full[:-1, :-1], full[-1, :-1], full[:-1, -1] = compact, ones, ones
    full[-1, -1] = ones[first_class:].sum()
    first_hole = first_class - sum(hole is not None for hole in holes)
    hole = iter(range(first_hole, first_class))
    at = [*range(first_hole), *(next(hole) if has is not None else len(compact) for has in holes)]
    rows = np.array([*at, *range(first_class, len(compact))], dtype=np.intp)
    return rows, full[np.ix_(rows, rows)]


def _less(sums: ExactSums, *terms: list[Array]) -> ExactSums:
    """The sums without products of these factors, group by group."""
    for factors in terms:
        sums = sums.remove(exact_sums(factors, np.arange(len(sums)), len(sums)))
    return sums


def _two_doubles(sums: ExactSums) -> tuple[Array, Array]:
    """The sums as two doubles, to twice the digits of one."""
    high = sums.rounded()
    return high, _less(sums, [high]).rounded()
