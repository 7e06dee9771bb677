"""Sums of numbers and of their products without rounding, so that they merge, and give up cases, in any order.

A double is a whole number times a power of two, and so is a product of doubles. Sums are numbers of *limbs*: limb l
counts 2^(32 (base + l)), where base depends on the numbers alone. Adding and merging is the addition of integers, so no
order is better than another. A sum is rounded once, when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError
from nearwise.native import core

__all__ = ["ExactSums", "exact_sums"]

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

LIMB = 32
"""bits of a limb"""
PIECE = 18
"""bits of the pieces that mantissas are multiplied by where there is no core: three of them make 54"""
CHUNK = 1 << 20
"""cases that are added up at a time where there is no core; their limbs have a sum below 2^53"""
MOST = 1 << 30
"""cases that the core adds up at a time"""


@dataclass(frozen=True)
class ExactSums:
    """The sums of g groups; see `exact_sums`.

    ``limbs`` (g, l) may have signs and be larger than a limb; 64 bits have room for them.

    >>> numbers = np.array([1e16, 1.0, -1e16])
    >>> exact_sums([numbers]).rounded().tolist(), float(numbers.sum())
    ([1.0], 0.0)
    """

    limbs: Whole
    base: int

    @classmethod
    def nothing(cls, groups: int) -> ExactSums:
        return cls(np.zeros((groups, 0), dtype=np.int64), 0)

    @property
    def carried(self) -> ExactSums:
        """The same sums with limbs from 0 to 2^32 - 1, but for the last of each group, which has the sign."""
        limbs = _carried(np.concatenate([self.limbs, np.zeros((len(self), 1), dtype=np.int64)], axis=1))
        while limbs.shape[1] > 1 and not ((limbs[:, -1] != 0) & (limbs[:, -1] != -1)).any():
            limbs[:, -2] += limbs[:, -1] << LIMB  # no more than a sign
            limbs = limbs[:, :-1]
        used = np.flatnonzero(limbs.any(axis=0))
        if not len(used):
            return ExactSums.nothing(len(limbs))
        return ExactSums(np.ascontiguousarray(limbs[:, used[0] :]), self.base + int(used[0]))

    @property
    def total(self) -> ExactSums:
        """(1,) the sum of all groups."""
        own = self.carried
        return ExactSums(own.limbs.sum(axis=0, keepdims=True), own.base)

    @property
    def are_whole(self) -> bool:
        """Whether all sums are whole numbers."""
        own = self.carried
        return own.base >= 0 or not own.limbs[:, : -own.base].any()

    def __len__(self) -> int:
        """How many groups."""
        return len(self.limbs)

    def merge(self, other: ExactSums) -> ExactSums:
        return self._joined(other, 1)

    def remove(self, other: ExactSums) -> ExactSums:
        """The sums without the numbers of others, which leave nothing behind."""
        return self._joined(other, -1)

    def _joined(self, other: ExactSums, sign: int) -> ExactSums:
        self, other = self.carried, other.carried
        if not other.limbs.shape[1]:
            return self
        base = min(self.base, other.base) if self.limbs.shape[1] else other.base
        top = max(self.base + self.limbs.shape[1], other.base + other.limbs.shape[1])
        limbs = np.zeros((len(self), top - base), dtype=np.int64)
        for one, times in ((self, 1), (other, sign)):
            start = one.base - base if one.limbs.shape[1] else 0
            limbs[:, start : start + one.limbs.shape[1]] += times * one.limbs
        return ExactSums(limbs, base).carried

    def take(self, groups: NDArray[Any]) -> ExactSums:
        """The sums of these groups, in this order; a negative one has nothing."""
        limbs = self.limbs[groups] if len(self) else np.zeros((len(groups), 0), dtype=np.int64)
        if len(groups) and groups.min() < 0:
            limbs[groups < 0] = 0
        return ExactSums(limbs, self.base)

    def exact(self) -> list[Fraction]:
        """(g,) the sums as they are."""
        return [whole * Fraction(2) ** (LIMB * self.base) for whole in self.whole(self.base)]

    def whole(self, base: int) -> list[int]:
        """(g,) the sums as multiples of 2^(32 base), which must not be above the base of their own."""
        up = LIMB * (self.base - base) if self.limbs.shape[1] else 0
        return [sum((limb << (LIMB * k + up) for k, limb in enumerate(row)), 0) for row in self.limbs.tolist()]

    def rounded(self, exponent: int | NDArray[np.int64] = 0) -> Array:
        """(g,) the doubles nearest to the sums over 2^exponent, one for all or one a group.

        What is too large for a double becomes infinite.
        """
        return _nearest(self.limbs, np.broadcast_to(LIMB * self.base - np.asarray(exponent), len(self)))

    @classmethod
    def stacked(cls, several: Sequence[ExactSums]) -> ExactSums:
        """The groups of several sums, one after the other."""
        held = [sums for sums in several if sums.limbs.shape[1]]
        base = min((sums.base for sums in held), default=0)
        top = max((sums.base + sums.limbs.shape[1] for sums in held), default=0)
        limbs = np.zeros((sum(map(len, several)), top - base), dtype=np.int64)
        start = 0
        for sums in several:
            at = sums.base - base if sums.limbs.shape[1] else 0
            limbs[start : start + len(sums), at : at + sums.limbs.shape[1]] = sums.limbs
            start += len(sums)
        return cls(limbs, base)


def exact_sums(factors: Sequence[Array], groups: NDArray[Any] | None = None, n_groups: int = 1) -> ExactSums:
    """(n_groups,) sums over cases of the product of their factors, one to three arrays (n,), by the group of the case.

    A case with a missing factor (NaN), or a negative group, is left out.

    >>> exact_sums([np.array([0.1, 0.2, 4.0]), np.array([3.0, 1.0, np.nan])], np.array([1, 0, 0]), 2).rounded().tolist()
    [0.2, 0.30000000000000004]
    """
    columns = [np.ascontiguousarray(column, dtype=np.float64) for column in factors]
    codes = None if groups is None else np.ascontiguousarray(groups, dtype=np.int32)
    native = core()
    size = MOST if native is not None else CHUNK
    total: ExactSums | None = None
    for start in range(0, len(columns[0]), size):
        rows = slice(start, start + size)
        some, own = [column[rows] for column in columns], None if codes is None else codes[rows]
        found = ExactSums(*(_limbs(some, own, n_groups) if native is None else native.exact_sums(some, own, n_groups)))
        total = found if total is None else total.merge(found)
    return ExactSums.nothing(n_groups) if total is None else total


def _limbs(factors: list[Array], groups: NDArray[Any] | None, n_groups: int) -> tuple[Whole, int]:
    """The twin of native/statistics/exact: the limbs of the sums, and the place of the first."""
    if any(np.isinf(column).any() for column in factors):
        raise InputError("Numbers that are added up must be finite, or NaN where they are missing.")
    there = np.ones(len(factors[0]), dtype=bool) if groups is None else groups >= 0
    for column in factors:
        there &= np.isfinite(column) & (column != 0)
    rows = np.flatnonzero(there)
    if not len(rows):
        return np.zeros((n_groups, 0), dtype=np.int64), 0
    at = np.zeros(len(rows), dtype=np.int64) if groups is None else groups[rows].astype(np.int64)
    sign, places, pieces = np.ones(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64), []
    for column in factors:
        share, exponent = np.frexp(column[rows])
        whole = np.ldexp(np.abs(share), 53).astype(np.int64)
        pieces.append([(whole >> (PIECE * i)) & ((1 << PIECE) - 1) for i in range(3)])
        sign *= np.where(share < 0, -1, 1)
        places += exponent - 53
    product = pieces[0]
    for more in pieces[1:]:
        product = [
            sum((product[i] * more[j - i] for i in range(max(0, j - 2), min(j + 1, len(product)))), np.int64(0) * sign)
            for j in range(len(product) + 2)
        ]
    base = int(places.min()) // LIMB
    size = (int(places.max()) + PIECE * len(product)) // LIMB - base + 3
    sums = np.zeros(n_groups * size, dtype=np.int64)
    for i, piece in enumerate(product):
        limb, shift = np.divmod(places + PIECE * i - LIMB * base, LIMB)
        low, high = (piece & ((1 << LIMB) - 1)) << shift, (piece >> LIMB) << shift
        for up, part in enumerate([low & ((1 << LIMB) - 1), (low >> LIMB) + (high & ((1 << LIMB) - 1)), high >> LIMB]):
            found = np.bincount(at * size + limb + up, weights=sign * part, minlength=len(sums))
            sums += found.astype(np.int64)
    return sums.reshape(n_groups, size), base


def _carried(limbs: Whole) -> Whole:
    """The same array with what is beyond a limb carried to the next, but for the last."""
    for place in range(limbs.shape[1] - 1):
        limbs[:, place + 1] += limbs[:, place] >> LIMB
        limbs[:, place] &= (1 << LIMB) - 1
    return limbs


def _nearest(limbs: Whole, exponent: NDArray[Any]) -> Array:
    """(g,) the doubles nearest to whole numbers of limbs, times 2^exponent.

    The first 64 bits decide, the last of them set where anything is left beyond: rounding these to 53 bits
    is rounding the whole.
    """
    g, count = limbs.shape
    out = np.zeros(g)
    if not g or not count:
        return out
    held = _carried(np.pad(limbs, ((0, 0), (3, 1))))
    negative = held[:, -1] < 0
    held[negative] = _carried(-held[negative])
    some = np.flatnonzero(held.any(axis=1))
    held = held[some]
    top = held.shape[1] - 1 - np.argmax(held[:, ::-1] != 0, axis=1)
    rows = np.arange(len(held))
    first, second, third = (held[rows, top - k].astype(np.uint64) for k in range(3))
    upto = np.cumsum(held != 0, axis=1)
    beyond = upto[rows, top - 3] > 0
    empty = (LIMB - np.frexp(first.astype(np.float64))[1]).astype(np.uint64)  # bits of the first limb that are 0
    bits = (first << (empty + np.uint64(LIMB))) | (second << empty)
    bits |= np.where(empty > 0, third >> (np.uint64(LIMB) - empty), np.uint64(0))
    left = np.where(empty > 0, third & ((np.uint64(1) << (np.uint64(LIMB) - empty)) - np.uint64(1)), third)
    bits |= ((left != 0) | beyond).astype(np.uint64)
    power = exponent[some] + LIMB * (top - 3) - LIMB - empty.astype(np.int64)
    out[some] = _scaled(bits, power)
    out[negative] *= -1
    return out


def _scaled(bits: NDArray[np.uint64], power: NDArray[np.int64]) -> Array:
    """The doubles nearest to bits * 2^power, a tie to the even one; bits are from 2^63 on."""
    gone = np.maximum(11, -1074 - power)  # 53 are left, or fewer where the number is so small that a double has fewer
    by = np.minimum(gone, 63).astype(np.uint64)
    kept, left = bits >> by, bits & ((np.uint64(1) << by) - np.uint64(1))
    half = np.uint64(1) << (by - np.uint64(1))
    kept = kept + ((left > half) | ((left == half) & (kept % np.uint64(2) == 1))).astype(np.uint64)
    kept = np.where(gone == 64, bits > np.uint64(1 << 63), np.where(gone > 64, 0, kept))
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(kept.astype(np.float64), power + gone))
