"""Stored values of a costly feature, ready to be compared with one query value at a time.

Two-stage search asks a costly feature for two things: a lower bound of the raw difference to every stored value, and
the raw differences to the few cases that survive. Every bound here holds for the numbers as computed, not only in
exact arithmetic; the comment at each says why. It uses that rounding keeps order: a <= b gives fl(a) <= fl(b).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Asked", "Prepared", "PreparedLinkage", "PreparedSets", "PreparedStrings", "PreparedVectors"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

PAIRS = 1 << 21
"""pairs of members compared at a time: 16 MB"""
ROUNDING = 1e-9
"""relative error far above that of any sum of fewer than a million numbers"""


@dataclass(frozen=True)
class Asked:
    """One query value before the stored values."""

    some: Callable[[Ints], Floats]
    """raw differences from the stored values in these rows, the same bits as `Fitted.block`"""
    lower: Floats | None = None
    """(n,) numbers from 0 that are at most the raw differences; None where nothing cheap is known"""


class Prepared:
    """The values as they are, and no bound."""

    blocks_gain: float = 1.0
    """how many times cheaper a pair is in a block of many queries than in `Asked.some`"""

    def __init__(self, fitted: Any, values: NDArray[Any]) -> None:
        self.fitted, self.values = fitted, values

    def ask(self, q: NDArray[Any]) -> Asked:
        """``q`` holds one query value."""
        return Asked(lambda rows: np.asarray(self.fitted.block(self.values[rows], q)[0]))


class PreparedStrings(Prepared):
    """Strings with their lengths; ``bound(shorter, longer)`` is a lower bound by lengths, None where there is none."""

    blocks_gain = 3.0  # rapidfuzz compares four queries of up to 64 letters at once: 60 ns a pair instead of 180

    def __init__(self, fitted: Any, values: NDArray[Any], bound: Callable[[Floats, Floats], Floats] | None) -> None:
        super().__init__(fitted, values)
        self.lengths = np.array([len(v) for v in values], dtype=np.float64)
        self.bound = bound

    def ask(self, q: NDArray[Any]) -> Asked:
        from rapidfuzz.process import cdist

        def some(rows: Ints) -> Floats:
            if not len(rows):
                return np.zeros(0)
            held = self.values[rows].tolist()
            return np.asarray(cdist([q[0]], held, scorer=self.fitted.scorer(), dtype=np.float64)[0])

        if self.bound is None:
            return Asked(some)
        length = float(len(q[0]))
        return Asked(some, self.bound(np.minimum(self.lengths, length), np.maximum(self.lengths, length)))


def edit_count_bound(shorter: Floats, longer: Floats) -> Floats:
    """One insertion or deletion changes the length by one, a replacement not at all. Whole numbers are exact."""
    return longer - shorter


def edit_share_bound(shorter: Floats, longer: Floats) -> Floats:
    """The bound of the count over the same divisor, and rounding keeps order."""
    return np.asarray((longer - shorter) / np.maximum(longer, 1.0))


def winkler_bound(shorter: Floats, longer: Floats) -> Floats:
    """At most ``shorter`` letters match, so J <= (2 + shorter / longer) / 3, and the common beginning takes at most
    4/10 of what is left: 1 - J - 4/10 (1 - J) >= 6/10 * (1 - shorter / longer) / 3."""
    return np.asarray((1 - ROUNDING) * 0.2 * (longer - shorter) / np.maximum(longer, 1.0))


class PreparedSets(Prepared):
    """Sets of symbols through the holders of each symbol, which give the differences themselves in one count."""

    def __init__(self, fitted: Any, values: NDArray[Any]) -> None:
        super().__init__(fitted, values)
        self.sizes = np.array([len(v) for v in values], dtype=np.float64)
        holders: dict[Any, list[int]] = {}
        for i, members in enumerate(values):
            for symbol in members:
                holders.setdefault(symbol, []).append(i)
        self.holders = {symbol: np.array(held, dtype=np.int32) for symbol, held in holders.items()}

    def ask(self, q: NDArray[Any]) -> Asked:
        found = [self.holders[symbol] for symbol in q[0] if symbol in self.holders]
        n = len(self.sizes)
        shared = np.bincount(np.concatenate(found), minlength=n) if found else np.zeros(n)
        whole = float(len(q[0])) + self.sizes
        apart = whole - 2 * shared
        if self.fitted.by == "jaccard":
            whole = whole - shared
        # counts are whole numbers, so these are the quotients of SymbolSetsFitted.block to the last bit
        apart /= np.maximum(whole, 1.0)
        return Asked(lambda rows: apart[rows], apart)


class PreparedVectors(Prepared):
    """Vectors with their lengths: | |x| - |q| | <= |x - q|, less what the two lengths may be off by."""

    def __init__(self, fitted: Any, values: NDArray[Any]) -> None:
        super().__init__(fitted, values)
        self.lengths = np.sqrt(np.square(values).sum(axis=1))

    def ask(self, q: NDArray[Any]) -> Asked:
        length = float(np.sqrt(np.square(q[0]).sum()))
        gaps = np.abs(self.lengths - length) - ROUNDING * (self.lengths + length)
        return Asked(super().ask(q).some, np.maximum(gaps, 0.0))


class PreparedLinkage(Prepared):
    """Sets of vectors: all members one below the other, and the box around each set."""

    blocks_gain = 3.0  # whole tiles of members, against picking those of the survivors

    def __init__(self, fitted: Any, values: NDArray[Any]) -> None:
        super().__init__(fitted, values)
        self.sizes = np.array([len(v) for v in values], dtype=np.intp)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.members = np.concatenate(list(values)) if len(values) else np.zeros((0, 1))
        whole = len(values) > 0
        self.low = np.ascontiguousarray(np.minimum.reduceat(self.members, self.starts).T if whole else self.members.T)
        self.high = np.ascontiguousarray(np.maximum.reduceat(self.members, self.starts).T if whole else self.members.T)

    def ask(self, q: NDArray[Any]) -> Asked:
        from nearwise.differences.vectors import squared_gaps

        def some(rows: Ints) -> Floats:
            out = np.empty(len(rows))
            ends = np.cumsum(self.sizes[rows])
            most = max(1, PAIRS // len(q[0]))
            start = 0
            while start < len(rows):
                done = ends[start - 1] if start else 0
                stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
                part = rows[start:stop]
                starts = np.cumsum(self.sizes[part]) - self.sizes[part]
                at = np.repeat(self.starts[part] - starts, self.sizes[part]) + np.arange(ends[stop - 1] - done)
                squares = squared_gaps(self.members[at], q[0])
                out[start:stop] = self.fitted.link(squares, np.zeros(1, dtype=np.intp), starts)[0]
                start = stop
            return out

        if self.fitted.boxes is None:
            return Asked(some)
        low, high = q[0].min(axis=0), q[0].max(axis=0)
        # an average of numbers that are all at least the gap of the boxes may come out below it by its rounding
        return Asked(some, (1 - ROUNDING) * np.sqrt(self.fitted.boxes(self.low, self.high, low, high)))


def box_gaps(low: Floats, high: Floats, q_low: Floats, q_high: Floats) -> Floats:
    """(n,) squared distance of boxes (d, n), (d,). In every dimension the gap of the boxes is at most that of any two
    members, also as computed: x >= low and q <= q_high give fl(low - q_high) <= fl(x - q). Squares, their sums in the
    order of `squared_gaps` and the root keep that order."""
    total = np.zeros(low.shape[1])
    for d in range(len(low)):
        gap = np.maximum(np.maximum(low[d] - q_high[d], q_low[d] - high[d]), 0.0)
        total += gap * gap
    return total


def box_corners(low: Floats, high: Floats, q_low: Floats, q_high: Floats) -> Floats:
    """(n,) largest squared gap between the same sides of two boxes. The member on the outer one of two such sides is at
    least that far from every member of the other set, in that dimension alone; so is the Hausdorff distance."""
    largest = np.zeros(low.shape[1])
    for d in range(len(low)):
        for gap in (low[d] - q_low[d], high[d] - q_high[d]):
            np.maximum(largest, gap * gap, out=largest)
    return largest
