"""Fayyad & Irani's cuts: as many as pay for their own description.

Only boundary points are looked at, between values of different classes: a best cut is one of them. Whole cases are
counted in whole numbers: n log2 n is looked up in units so small that their sums are exact, so that a running sum
over a million cases does not drift, equal cuts are equal, and the native core decides as this file does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import log2
from nearwise.native import core

__all__ = ["mdl", "midpoints", "sorted_pairs"]

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

LOOKED_UP = 2**22
"""numbers of cases whose n log2 n is kept in a table"""
MOST_CASES = 2**40
"""more weight than this is not counted in whole cases"""


def mdl(values: Array, classes: NDArray[Any], weights: NDArray[Any] | None = None) -> Array:
    r"""Cuts where they pay for their own description (Fayyad & Irani 1993); ``values`` ascend.

    The cut of least class entropy is accepted, and both sides are cut further, while

    .. math:: Gain > \frac{\log_2(N - 1)}{N} + \frac{\log_2(3^k - 2) - [k H(S) - k_1 H(S_1) - k_2 H(S_2)]}{N}

    with k, k1, k2 classes in the whole and its sides. Readings I7 (midpoints), I8 (the lowest of equal cuts), I10
    (strictly greater).

    >>> mdl(np.arange(20.0), np.repeat([0, 1], 10))
    array([9.5])
    """
    values, classes = np.asarray(values, dtype=np.float64), np.asarray(classes)
    if weights is not None and (weights <= 0).any():
        there = weights > 0
        values, classes, weights = values[there], classes[there], weights[there]
    if not len(values):
        return np.empty(0)
    cases = _whole(weights)
    if weights is not None and cases is None:
        at = _recursion(*_blocks(values, classes, weights), _cost_of_weights)
    else:
        at = _cuts_of_cases(values, classes, cases)
    return midpoints(values[at - 1], values[at])


def midpoints(low: Array, high: Array) -> Array:
    """Halfway between, without overflow, and never equal to the higher value (I7)."""
    middle = low / 2 + high / 2
    return np.where(middle < high, middle, low)


def sorted_pairs(values: Array, codes: NDArray[Any]) -> tuple[Array, NDArray[np.int32]]:
    """The numbers in ascending order without the missing ones, and the code that came with each.

    >>> sorted_pairs(np.array([2.0, np.nan, 1.0]), np.array([7, 8, 9]))
    (array([1., 2.]), array([9, 7], dtype=int32))
    """
    native = core()
    if native is not None and len(values) < 2**31:
        ordered, carried = native.sort_pairs(np.ascontiguousarray(values), np.ascontiguousarray(codes, dtype=np.int32))
        return ordered, carried
    order = np.argsort(values, kind="stable")[: len(values) - np.count_nonzero(np.isnan(values))]
    return values[order] + 0.0, np.asarray(codes, dtype=np.int32)[order]  # + 0.0 makes one zero of 0.0 and -0.0


def _whole(weights: NDArray[Any] | None) -> Whole | None:
    """Weights as numbers of cases, where they are."""
    if weights is None or (weights.dtype.kind == "f" and (weights != np.floor(weights)).any()):
        return None
    return weights.astype(np.int64) if float(weights.sum()) < MOST_CASES else None


def _cuts_of_cases(values: Array, classes: NDArray[Any], cases: Whole | None) -> NDArray[np.intp]:
    """The entries before which whole cases are cut."""
    total = len(values) if cases is None else int(cases.sum())
    units = _Units.of(total)
    c = int(classes.max()) + 1
    native = core()
    if native is not None and total < 2**31:
        at = native.mdl_cuts(
            np.ascontiguousarray(values),
            np.ascontiguousarray(classes, dtype=np.int32),
            None if cases is None else np.ascontiguousarray(cases),
            _alphabet(c),
            units.table,
            units.scale,
        )
        return np.asarray(at, dtype=np.intp)
    return _recursion(*_blocks(values, classes, cases), lambda upto, low, high: _cost_of_cases(upto, low, high, units))


@lru_cache(maxsize=4)
def _alphabet(c: int) -> Array:
    """(c + 1,) log2(3^k - 2) for k classes."""
    return np.array([0.0, *(k * math.log2(3.0) + math.log2(1.0 - 2.0 * 3.0**-k) for k in range(1, c + 1))])


class _Units:
    """n log2 n in whole units of 1 / scale, small enough that sums of them stay exact in a double."""

    def __init__(self, size: int, scale: float) -> None:
        self.scale = scale
        self.table = self._computed(np.arange(size, dtype=np.int64))

    @classmethod
    def of(cls, total: int) -> _Units:
        """Units for so many cases; kept for the next feature, which has about as many."""
        above = 1 << max(4, total.bit_length())
        exponent = min(40, 52 - math.ceil(math.log2(above * math.log2(above))))
        return _kept(min(above, LOOKED_UP) + 1, 2.0**exponent)

    def __call__(self, counts: Whole) -> Whole:
        inside = counts < len(self.table)
        found = self.table[np.where(inside, counts, 0)]
        return found if inside.all() else np.where(inside, found, self._computed(counts))

    def _computed(self, counts: Whole) -> Whole:
        return np.asarray(np.rint(counts * log2(np.maximum(counts, 1)) * self.scale), dtype=np.int64)


@lru_cache(maxsize=2)
def _kept(size: int, scale: float) -> _Units:
    return _Units(size, scale)


def _blocks(
    values: Array, classes: NDArray[Any], weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """First entry and running class weights of each run of values between boundary points."""
    new = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    low, high = np.minimum.reduceat(classes, new), np.maximum.reduceat(classes, new)
    pure = np.where(low == high, low, -1)
    first = new[np.concatenate([[True], (pure[1:] != pure[:-1]) | (pure[1:] < 0)])]
    c = int(classes.max()) + 1
    block = np.zeros(len(values), dtype=np.int64)
    block[first[1:]] = 1
    counts = np.bincount(np.cumsum(block) * c + classes, weights=weights, minlength=len(first) * c)
    if weights is None or weights.dtype.kind == "i":
        counts = counts.astype(np.int64)
    counts = counts.reshape(len(first), c)
    return first, np.vstack([np.zeros((1, c), dtype=counts.dtype), np.cumsum(counts, axis=0)])


def _recursion(first: NDArray[np.intp], upto: NDArray[Any], best_cut: Any) -> NDArray[np.intp]:
    """The entries before which the blocks are cut, ascending."""
    found: list[int] = []
    waiting = [(0, len(first))]
    while waiting:
        low, high = waiting.pop()
        cut = best_cut(upto, low, high) if high - low > 1 else None
        if cut is not None:
            found.append(cut)
            waiting += [(low, cut), (cut, high)]
    return first[np.array(sorted(found), dtype=np.intp)]


def _sides(upto: NDArray[Any], low: int, high: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Class weights left and right of every cut between blocks low .. high - 1, and of the whole."""
    inner = upto[low + 1 : high]
    return inner - upto[low], upto[high] - inner, (upto[high] - upto[low])[None, :]


def _cost_of_cases(upto: Whole, low: int, high: int, units: _Units) -> int | None:
    """The block before which blocks low .. high - 1 are cut, if the cut pays; in whole units."""
    left, right, whole = _sides(upto, low, high)
    bits_left, bits_right, bits = (units(t.sum(axis=1)) - units(t).sum(axis=1) for t in (left, right, whole))
    left_out = bits_left + bits_right
    best = int(np.flatnonzero(left_out <= left_out.min() + 4 * (upto.shape[1] + 1))[0])
    n, n_left, n_right = int(whole.sum()), int(left[best].sum()), int(right[best].sum())
    k, k_left, k_right = (int(np.count_nonzero(t)) for t in (whole, left[best], right[best]))
    inside = k * (float(bits[0]) / units.scale) / n
    sides = k_left * (float(bits_left[best]) / units.scale) / n_left
    sides = sides + k_right * (float(bits_right[best]) / units.scale) / n_right
    choice = float(units(np.array([n - 1]))[0]) / units.scale / (n - 1)
    gain = float(bits[0] - left_out[best]) / units.scale
    return low + 1 + best if gain > choice + (float(_alphabet(upto.shape[1])[k]) - (inside - sides)) else None


def _cost_of_weights(upto: Array, low: int, high: int) -> int | None:
    """The same where cases have weights that are not whole."""
    left, right, whole = _sides(upto, low, high)
    n = float(whole.sum())
    bits_left, bits_right, bits = _bits(left), _bits(right), float(_bits(whole)[0])
    left_out = bits_left + bits_right
    best = int(np.flatnonzero(left_out <= left_out.min() + 1e-12 * n)[0])
    k, k_left, k_right = (np.count_nonzero(t > 0) for t in (whole, left[best], right[best]))
    sides = k_left * bits_left[best] / left[best].sum() + k_right * bits_right[best] / right[best].sum()
    delta = float(_alphabet(upto.shape[1])[k]) - (k * bits / n - sides)
    choice = math.log2(max(1.0, n - 1.0))  # cases that weigh less than two leave no choice to describe
    return low + 1 + best if bits - left_out[best] > choice + delta else None


def _bits(weights: Array) -> Array:
    """(r,) weight times class entropy of each row."""
    total = weights.sum(axis=1)
    inner = (weights * log2(np.where(weights > 0, weights, 1.0))).sum(axis=1)
    return np.asarray(total * log2(np.where(total > 0, total, 1.0)) - inner)
