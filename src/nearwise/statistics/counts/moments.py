"""Sums of products of the columns of a binarised table with one another and with the classes; they merge.

A number has one column, a symbol one a level, 1 in the cases that have it. Every mean and variance, within and between
classes, follows from one symmetric matrix of sums, so that is all that is kept. It costs one product of the table
with itself, or a count of pairs of codes where that is cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, product
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.weights.values import places, symbols

__all__ = ["Moments", "Spread", "products"]

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Coded = list[tuple[Codes, int]]
"""per feature its codes, and how many columns they have"""

BLOCK_BYTES = 8 << 20
"""memory for one block of binary columns"""
CHUNK = 1 << 20
"""cases whose pairs of codes are counted at a time"""
COUNT, MULTIPLY = 2.0, 0.02
"""nanoseconds to count one pair of codes, and to multiply and add two single-precision numbers; measured"""


@dataclass(frozen=True)
class Spread:
    """Means and variances of the columns; a missing value stands at the mean."""

    total: Array
    """(w, w) covariances over all cases, divided by n (Reading Q3)"""
    means: Array
    """(c, w) of each class, from the mean of all cases"""
    shares: Array
    """(c,) of the cases"""
    frequencies: Array
    """(w,) means of the columns before they are centred: the share of a level among the known"""


@dataclass(frozen=True)
class Moments:
    """``sums`` (k, k) over cases of the products of k columns: the features, then one a number that is 1 where it is
    known, then one a class. Numbers are shifted and multiplied by a power of two first, so that sums keep their digits.
    """

    levels: tuple[tuple[Any, ...], ...]
    """per feature; none for a number"""
    shift: Array
    factor: Array
    n_classes: int
    sums: Array

    @classmethod
    def of(cls, cases: Measured, levels: Sequence[Sequence[Any]], target: Target) -> Moments:
        p = len(levels)
        shift, factor, numbers = np.zeros(p), np.ones(p), []
        coded: Coded = []
        known: list[tuple[Codes, int] | None] = []
        for f, (column, own) in enumerate(zip(cases.columns, levels, strict=True)):
            if len(own):
                v, at = symbols(own), places(column, symbols(own))
                coded.append((np.where(at < len(own), at, len(own)).astype(np.int32), len(own)))
                if (at > v).any():
                    raise InputError("A value is not among the levels.")
                continue
            there = np.isfinite(column.values)
            held = column.values[there]
            if len(held):
                shift[f] = float(held.mean()) if np.isfinite(held.mean()) else float(np.median(held))
                apart = float(np.abs(held - shift[f]).max())
                factor[f] = math.ldexp(1.0, -math.frexp(apart)[1]) if apart > 0 and math.isfinite(apart) else 1.0
            numbers.append(np.where(there, (column.values - shift[f]) * factor[f], 0.0))
            known.append(None if there.all() else (np.where(there, 0, 1).astype(np.int32), 1))
        classes = (target.values.astype(np.int32), target.n_classes)
        holes = [k for k in known if k is not None]
        weights = None if (target.weights == 1).all() else target.weights
        compact = products(numbers, [*coded, *holes, classes], weights, len(cases))
        return cls(
            tuple(tuple(own) for own in levels), shift, factor, target.n_classes,
            _ordered(compact, levels, [k is not None for k in known], target.n_classes),
        )  # fmt: skip

    @property
    def widths(self) -> list[int]:
        return [max(1, len(own)) for own in self.levels]

    @property
    def numbers(self) -> list[int]:
        """The features that are numbers."""
        return [f for f, own in enumerate(self.levels) if not own]

    def merge(self, other: Moments) -> Moments:
        return self._joined(other, 1.0)

    def remove(self, other: Moments) -> Moments:
        return self._joined(other, -1.0)

    def _joined(self, other: Moments, sign: float) -> Moments:
        """Both under the levels of both, in the order of the one that has more."""
        levels = tuple(
            mine if set(theirs) <= set(mine) else (*mine, *(v for v in theirs if v not in set(mine)))
            for mine, theirs in zip(self.levels, other.levels, strict=True)
        )
        mine, theirs = self.under(levels), other.under(levels)._in_units_of(self)
        return replace(mine, sums=mine.sums + sign * theirs.sums)

    def under(self, levels: Sequence[Sequence[Any]]) -> Moments:
        """The same sums for other levels, in their order; a level that is new has no case."""
        at, start = [], 0
        for own, wanted in zip(self.levels, levels, strict=True):
            place = {level: start + k for k, level in enumerate(own)}
            at += [place.get(level, -1) for level in wanted] if own else [start]
            start += max(1, len(own))
        at += range(start, len(self.sums))
        rows = np.array(at, dtype=np.intp)
        sums = np.where((rows < 0)[:, None] | (rows < 0)[None, :], 0.0, self.sums[np.ix_(rows, rows)])
        return replace(self, levels=tuple(tuple(level) for level in levels), sums=sums)

    def _in_units_of(self, other: Moments) -> Moments:
        """The same sums with the shift and the factor of other moments: a linear map of the columns."""
        change, starts = np.eye(len(self.sums)), np.cumsum([0, *self.widths])
        for k, f in enumerate(self.numbers):
            ratio = other.factor[f] / self.factor[f]
            change[starts[f], starts[f]] = ratio
            change[starts[f], starts[-1] + k] = (self.shift[f] - other.shift[f]) * other.factor[f]
        return replace(self, shift=other.shift, factor=other.factor, sums=product(product(change, self.sums), change.T))

    def spread(self) -> Spread:
        """Covariances and class means of the feature columns, in the units of ``factor``."""
        widths, numbers = self.widths, self.numbers
        starts = np.cumsum([0, *widths])
        w, k = int(starts[-1]), len(numbers)
        known = np.empty((len(widths), len(self.sums)))  # sums of every column over the cases where a feature is known
        for f, own in enumerate(self.levels):
            rows = slice(starts[f], starts[f + 1]) if own else slice(w + numbers.index(f), w + numbers.index(f) + 1)
            known[f] = self.sums[rows].sum(axis=0)
        of = np.repeat(np.arange(len(widths)), widths)
        both = np.empty((len(widths), len(widths)))
        for f, own in enumerate(self.levels):
            both[:, f] = known[:, starts[f] : starts[f + 1]].sum(axis=1) if own else known[:, w + numbers.index(f)]
        counts = np.diag(both)[of]
        first = known[of][:, :w]  # K_f' Z_b for column b and the feature f of column a
        means = np.diag(first) / np.where(counts > 0, counts, 1.0)
        shares = np.diag(self.sums)[w + k :]
        n = max(float(shares.sum()), 1e-300)
        total = self.sums[:w, :w] - first.T * means - means[:, None] * first + np.outer(means, means) * both[of][:, of]
        by_class = self.sums[w + k :, :w] - means * known[:, w + k :].T[:, of]
        rounding = 1e-13 * np.abs(np.diag(self.sums)[:w])
        spread = np.where(np.diag(total) > rounding, np.diag(total), 0.0)  # a constant column has exactly 0
        total = np.where((spread > 0)[:, None] & (spread > 0), (total + total.T) / 2, 0.0) / n
        by_class = np.where(spread > 0, by_class, 0.0) / np.where(shares > 0, shares, 1.0)[:, None]
        return Spread(total, by_class, shares / n, means)


def _ordered(compact: Array, levels: Sequence[Sequence[Any]], holes: list[bool], c: int) -> Array:
    """From [numbers, symbols, holes, classes] to [features, known, classes]; known everywhere is the sum of classes."""
    numbers = [f for f, own in enumerate(levels) if not len(own)]
    k, h = len(numbers), sum(holes)
    first_class = len(compact) - c
    ones = compact[first_class:].sum(axis=0)
    full = np.empty((len(compact) + 1, len(compact) + 1))
    full[:-1, :-1], full[-1, :-1], full[:-1, -1] = compact, ones, ones
    full[-1, -1] = ones[first_class:].sum()
    at: list[int] = []
    number, symbol = 0, k
    for own in levels:
        if len(own):
            at += range(symbol, symbol + len(own))
            symbol += len(own)
        else:
            at.append(number)
            number += 1
    hole = iter(range(first_class - h, first_class))
    at += [next(hole) if has else len(compact) for has in holes]
    at += range(first_class, len(compact))
    return full[np.ix_(at, at)]


def products(numbers: list[Array], coded: Coded, weights: Array | None, n: int) -> Array:
    """(k, k) sums over n cases of the products of columns: the numbers, then one binary column a code.

    A feature of ``coded`` has codes 0 .. v - 1, and v where none of its columns is 1.
    """
    wide, features, p = sum(v for _, v in coded), len(coded), len(numbers)
    count = COUNT * (features**2 / 2 + p * features)
    multiply = MULTIPLY * (1.0 if weights is None else 4.0) * (wide**2 + 4 * p * wide)
    out = np.zeros((p + wide, p + wide))
    (_counted if count < multiply else _multiplied)(out, numbers, coded, weights, n)
    out[p:, :p] = out[:p, p:].T
    return out


def _multiplied(out: Array, numbers: list[Array], coded: Coded, weights: Array | None, n: int) -> None:
    """Blocks of binary columns; products of 0 and 1 add up exactly in single precision up to 2^24 cases a block."""
    p, wide = len(numbers), sum(v for _, v in coded)
    rows = max(64, min(n, BLOCK_BYTES // (4 * max(1, wide))))
    starts = np.cumsum([0, *(v for _, v in coded)])
    for start in range(0, n, rows):
        stop = min(n, start + rows)
        block = np.zeros((stop - start, wide + 1), dtype=np.float32)
        case = np.arange(stop - start)
        for (codes, v), first in zip(coded, starts, strict=False):
            part = codes[start:stop]
            block[case, np.where(part < v, first + part, wide)] = 1.0  # the last column takes what has none
        binary = np.ascontiguousarray(block[:, :wide])
        held = np.empty((stop - start, p))
        for column, values in zip(held.T, numbers, strict=True):
            column[:] = values[start:stop]
        if weights is None:
            out[p:, p:] += binary.T @ binary
            weighted = held
        else:
            double = binary.astype(np.float64)
            out[p:, p:] += product(double.T, double * weights[start:stop, None])
            weighted = held * weights[start:stop, None]
        if p:
            out[:p, :p] += product(weighted.T, held)
            out[:p, p:] += product(weighted.T, binary)


def _counted(out: Array, numbers: list[Array], coded: Coded, weights: Array | None, n: int) -> None:
    """Pairs of codes counted, numbers summed by code."""
    p = len(numbers)
    starts = np.cumsum([p, *(v for _, v in coded)])
    for start in range(0, n, CHUNK):
        rows = slice(start, min(n, start + CHUNK))
        weigh = None if weights is None else weights[rows]
        held = [values[rows] if weigh is None else values[rows] * weigh for values in numbers]
        for a, one in enumerate(held):
            for b, other in enumerate(numbers):
                out[a, b] += float(dot(one, other[rows]))
        for f, (codes, v) in enumerate(coded):
            mine, own = codes[rows], slice(starts[f], starts[f + 1])
            for a, one in enumerate(held):
                out[a, own] += np.bincount(mine, weights=one, minlength=v + 1)[:v]
            diagonal = np.bincount(mine, weights=weigh, minlength=v + 1)[:v]
            out[own, own][np.arange(v), np.arange(v)] += diagonal
            for g in range(f + 1, len(coded)):
                theirs, u = coded[g]
                flat = mine.astype(np.int64) * (u + 1) + theirs[rows]
                found = np.bincount(flat, weights=weigh, minlength=(v + 1) * (u + 1)).reshape(v + 1, u + 1)[:v, :u]
                out[own, starts[g] : starts[g + 1]] += found
                out[starts[g] : starts[g + 1], own] += found.T
