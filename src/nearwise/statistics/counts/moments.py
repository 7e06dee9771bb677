"""Sums of products of the columns of a binarised table with one another and with the classes.

A number has one column, a symbol one a level, 1 in the cases that have it. Every mean and variance, within and between
classes, follows from one symmetric matrix of sums, so that is all that is kept. It costs one product of the table
with itself, or a count of pairs of codes where that is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import product

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
    known, then one a class. Numbers are about ``shift`` and times ``factor``, a power of two, so that sums keep their
    digits; see `nearwise.statistics.counts.moment_sums`.
    """

    levels: tuple[tuple[Any, ...], ...]
    """per feature; none for a number"""
    shift: Array
    factor: Array
    n_classes: int
    sums: Array

    @property
    def widths(self) -> list[int]:
        return [max(1, len(own)) for own in self.levels]

    @property
    def numbers(self) -> list[int]:
        """The features that are numbers."""
        return [f for f, own in enumerate(self.levels) if not own]

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


def products(coded: Coded, weights: Array | None, n: int) -> Array:
    """(k, k) sums over n cases of the products of binary columns, one a code.

    A feature of ``coded`` has codes 0 .. v - 1, and v where none of its columns is 1.
    """
    wide = sum(v for _, v in coded)
    multiply = MULTIPLY * (1.0 if weights is None else 4.0) * wide**2
    out = np.zeros((wide, wide))
    (_counted if COUNT * len(coded) ** 2 / 2 < multiply else _multiplied)(out, coded, weights, n)
    return out


def _multiplied(out: Array, coded: Coded, weights: Array | None, n: int) -> None:
    """Blocks of binary columns; products of 0 and 1 add up exactly in single precision up to 2^24 cases a block."""
    wide = len(out)
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
        if weights is None:
            out += binary.T @ binary
        else:
            double = binary.astype(np.float64)
            out += product(double.T, double * weights[start:stop, None])


def _counted(out: Array, coded: Coded, weights: Array | None, n: int) -> None:
    """Pairs of codes counted."""
    starts = np.cumsum([0, *(v for _, v in coded)])
    for start in range(0, n, CHUNK):
        rows = slice(start, min(n, start + CHUNK))
        weigh = None if weights is None else weights[rows]
        for f, (codes, v) in enumerate(coded):
            mine, own = codes[rows], slice(starts[f], starts[f + 1])
            diagonal = np.bincount(mine, weights=weigh, minlength=v + 1)[:v]
            out[own, own][np.arange(v), np.arange(v)] += diagonal
            for g in range(f + 1, len(coded)):
                theirs, u = coded[g]
                flat = mine.astype(np.int64) * (u + 1) + theirs[rows]
                found = np.bincount(flat, weights=weigh, minlength=(v + 1) * (u + 1)).reshape(v + 1, u + 1)[:v, :u]
                out[own, starts[g] : starts[g + 1]] += found
                out[starts[g] : starts[g + 1], own] += found.T
