"""The values of a feature beside a number as target, counted: what mean differences over pairs are worked out from.

Every different pair of a value and a number is held once, in order, with what its cases weigh. So nothing depends on
the order of the cases, and parts merge to what all cases give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases import digits
from nearwise.cases.digits import ALL_BITS, shortened
from nearwise.cases.target import Target, shares_of
from nearwise.differences.metric import Encoded, Measure
from nearwise.errors import InputError

__all__ = ["BesideNumbers", "Entries"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Entries:
    """Different pairs of a value and a number, by value, then number."""

    values: Array
    numbers: Array
    weights: Array
    own: float
    """the sum of the squares of the weights of the cases"""

    @classmethod
    def of(cls, values: Array, numbers: Array, weights: Array, own: float | None = None) -> Entries:
        order = np.lexsort((weights, numbers, values))
        values, numbers, weights = values[order], numbers[order], weights[order]
        if own is None:
            own = float(dot(weights, weights))
        new = np.ones(len(values), dtype=bool)
        new[1:] = (values[1:] != values[:-1]) | (numbers[1:] != numbers[:-1])
        starts = np.flatnonzero(new)
        if len(starts) < len(values):
            weights = np.add.reduceat(weights, starts)
        return cls(values[starts], numbers[starts], weights, own)

    def merge(self, other: Entries) -> Entries:
        return Entries.of(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.weights, other.weights]),
            self.own + other.own,
        )

    def without(self, bits: int, is_coded: bool) -> Entries:
        """The same without so many of the last bits; codes stay as they are."""
        values = self.values if is_coded else shortened(self.values, bits)
        return Entries.of(values, shortened(self.numbers, bits), self.weights, self.own)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class BesideNumbers:
    """One feature; merges."""

    known: Entries
    gone: Entries
    """cases without a value, where that is a value of its own"""
    extremes: tuple[float, float]
    """the smallest and the largest number of all cases"""
    is_coded: bool
    """whether values are codes of symbols or intervals"""
    left_out: int = 0
    """how many of their last bits numbers are counted without, see `nearwise.cases.digits`"""

    @classmethod
    def of(cls, measure: Measure, column: Encoded, missing: NDArray[np.bool_], target: Target) -> BesideNumbers:
        as_value, codes_missing = measure.as_value, measure.fitted.codes_missing
        there = np.ones(len(target), dtype=bool) if as_value and codes_missing else ~missing
        values = np.where(there, column.values, 0).astype(np.float64) + 0.0  # one zero of 0.0 and -0.0
        numbers = np.asarray(target.values, dtype=np.float64) + 0.0
        gone = ~there if as_value else np.zeros(len(target), dtype=bool)
        known, absent = (Entries.of(values[rows], numbers[rows], target.weights[rows]) for rows in (there, gone))
        extremes = float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf))
        return cls(known, absent, extremes, measure.fitted.form == "overlap")

    def merge(self, other: BesideNumbers) -> BesideNumbers:
        bits = max(self.left_out, other.left_out)
        one, two = self._without(bits), other._without(bits)
        low, high = zip(one.extremes, two.extremes, strict=True)
        return replace(
            one, known=one.known.merge(two.known), gone=one.gone.merge(two.gone), extremes=(min(low), max(high))
        )

    def _without(self, bits: int) -> BesideNumbers:
        if bits == self.left_out:
            return self
        known, gone = (held.without(bits, self.is_coded) for held in (self.known, self.gone))
        return replace(self, known=known, gone=gone, left_out=bits)

    def bounded(self, name: str) -> BesideNumbers:
        """The same with no more different pairs than can be held, with fewer digits where there are more."""
        most = digits.MOST_DISTINCT
        if len(self.known) <= most:
            return self
        low, high = self.left_out + 1, ALL_BITS + 1
        while low < high:
            middle = (low + high) // 2
            if len(self.known.without(middle, self.is_coded)) <= most:
                high = middle
            else:
                low = middle + 1
        if low > ALL_BITS:
            raise InputError(
                f"Feature {name!r} and the target have more than {most:,} different pairs in every reading of them: "
                "take feature_weights='corr', which needs no list of them."
            )
        return self._without(low)

    def shares(self, entries: Entries) -> Array:
        """(e,) the numbers as shares of the range of all."""
        return shares_of(entries.numbers, *self.extremes)

    def off_by(self, unlike: float, largest: float) -> float:
        """How far a mean difference may be off for the digits that are left out.

        ``unlike`` is the mean of t over all pairs, ``largest`` the largest difference. A mean of t times difference
        over a mean of t is off by what the difference is, and twice by what t is, in proportion to the mean of t.
        """
        if not self.left_out:
            return 0.0
        low, high = self.extremes
        step = math.ldexp(2.0, self.left_out - ALL_BITS)
        of_value = 0.0 if self.is_coded else step * float(np.abs(self.known.values).max(initial=0.0))
        of_share = step * max(abs(low), abs(high)) / (high - low) if high > low else 0.0
        part = min(unlike, 1.0 - unlike)
        return of_value + (2.0 * of_share * (largest + of_value) / part if part > 0 else 0.0)
