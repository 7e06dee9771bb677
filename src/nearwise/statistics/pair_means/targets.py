"""Mean differences of a feature where two cases have unlike numbers as target, and where they have like ones.

Two cases are unlike by t = |y_i - y_j| over the range of the target, and alike by 1 - t. Numbers take a sort
(n log n merges), symbols one sort a value, any other kind all pairs, or those of a sample of cases with all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded, Measure
from nearwise.statistics.draws.seeds import generator
from nearwise.statistics.pair_means.beside_numbers import BesideNumbers
from nearwise.statistics.pair_means.classes import gaps_between

__all__ = ["COUNTED", "TargetPairs", "counted_pairs", "product_of_gaps", "target_pairs", "with_missing"]

Array = NDArray[np.float64]

COUNTED = ("line", "overlap")
"""forms of differences whose pairs follow from counts; those of others are measured"""
BLOCK = 1 << 20
"""pairs measured at a time"""


@dataclass(frozen=True)
class TargetPairs:
    """Sums over all ordered pairs of cases, a case with itself included, each pair by the product of its weights."""

    weight: float
    """of all pairs"""
    unlike: float
    """sum of t"""
    difference: float
    """sum of raw differences"""
    both: float
    """sum of raw difference times t"""
    own: float = 0.0
    """weight of the pairs of a case with itself"""
    bound: float = 0.0
    """how far a sampled mean may be off at the stated confidence; 0 where every pair was counted"""

    def means(self, distinct: bool = False) -> tuple[float, float, float]:
        """Over all pairs, over alike ones, over unlike ones; ``distinct`` leaves out a case with itself."""
        weight = self.weight - (self.own if distinct else 0.0)
        alike, apart = weight - self.unlike, max(0.0, self.difference - self.both)
        return _over(self.difference, weight), _over(apart, alike), _over(self.both, self.unlike)


def counted_pairs(beside: BesideNumbers) -> TargetPairs:
    """The pairs of one feature whose values are on a line, or equal or not; the same over any parts."""
    known = beside.known
    x, y, w = known.values, beside.shares(known), known.weights
    total, unlike = float(w.sum()), _sorted_gaps(y, w)
    if beside.is_coded:
        same, same_gaps = _same_values(x, y, w)
        difference, both, largest = total * total - same, unlike - same_gaps, 1.0
    else:
        difference, both = gaps_between(x, w), product_of_gaps(x, y, w)
        largest = float(x[-1] - x[0]) if len(x) else 0.0
    bound = beside.off_by(_over(unlike, total * total), largest)
    return TargetPairs(total * total, unlike, max(0.0, difference), max(0.0, both), known.own, bound)


def with_missing(found: TargetPairs, beside: BesideNumbers, maximum: float) -> TargetPairs:
    """The same with the cases without a value, where that is a value of its own."""
    gone, known = beside.gone, beside.known
    if not len(gone):
        return found
    y, w = beside.shares(gone), gone.weights
    everyone = np.concatenate([beside.shares(known), y]), np.concatenate([known.weights, w])
    return _joined(found, _sorted_gaps(*everyone), _sorted_gaps(y, w), float(w.sum()), gone.own, maximum)


def target_pairs(
    measure: Measure, column: Encoded, missing: NDArray[np.bool_], target: Target, limit: float, confidence: float,
    seed: Any = None,
) -> TargetPairs:  # fmt: skip
    """The pairs of one feature; cases that miss it are left out unless its policy is "value".

    Kinds that have to be measured pair by pair are, up to ``limit`` pairs; beyond it a sample of cases is compared
    with all others, and scaled up.
    """
    if measure.fitted.form in COUNTED:
        beside = BesideNumbers.of(measure, column, missing, target)
        return with_missing(counted_pairs(beside), beside, measure.fitted.maximum)
    as_value = measure.as_value
    known = np.arange(len(target)) if as_value and measure.fitted.codes_missing else np.flatnonzero(~missing)
    y, w = target.shares[known], target.weights[known]
    total, own = float(w.sum()), float(dot(w, w))
    difference, both, bound = _measured(measure, column.values[known], y, w, limit, confidence, seed)
    found = TargetPairs(total * total, _sorted_gaps(y, w), max(0.0, difference), max(0.0, both), own, bound)
    if as_value and not measure.fitted.codes_missing and missing.any():
        w, shares = target.weights[missing], target.shares
        everyone, gone = _sorted_gaps(shares, target.weights), _sorted_gaps(shares[missing], w)
        return _joined(found, everyone, gone, float(w.sum()), float(dot(w, w)), measure.fitted.maximum)
    return found


def _joined(known: TargetPairs, unlike: float, gone: float, away: float, own: float, maximum: float) -> TargetPairs:
    """Cases without a value too: they are at the maximum from every value, and at 0 from each other."""
    here = math.sqrt(known.weight)
    across = unlike - known.unlike - gone
    return TargetPairs(
        (here + away) ** 2, unlike, known.difference + 2 * here * away * maximum, known.both + across * maximum,
        known.own + own, known.bound,
    )  # fmt: skip


def _sorted_gaps(y: Array, w: Array) -> float:
    order = np.argsort(y, kind="stable")
    return gaps_between(y[order], w[order])


def _same_values(codes: Array, y: Array, w: Array) -> tuple[float, float]:
    """The weight of the pairs with equal symbols, and the sum of their t; ordered by symbol, then number."""
    weight = gaps = 0.0
    for rows in np.split(np.arange(len(codes)), np.flatnonzero(np.diff(codes)) + 1):
        weight += float(w[rows].sum()) ** 2
        gaps += gaps_between(y[rows], w[rows])
    return weight, gaps


def _measured(
    measure: Measure, values: NDArray[Any], y: Array, w: Array, limit: float, confidence: float, seed: Any
) -> tuple[float, float, float]:
    """Sums of difference and of difference times t by measuring pairs, and Hoeffding's bound of a sampled mean."""
    n = len(values)
    rows = np.arange(n)
    if n * n > limit:
        seeded = generator(0 if seed is None else seed)
        rows = np.sort(seeded.choice(n, max(1, min(n, int(limit // n))), replace=False))
    difference = both = largest = 0.0
    step = max(1, BLOCK // max(1, n))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        block = np.asarray(measure.fitted.block(values, values[some]), dtype=np.float64) * w[some][:, None]
        difference += float(dot(w, block.T).sum())
        both += float(dot(w, (block * np.abs(y[some][:, None] - y[None, :])).T).sum())
        largest = max(largest, float(block.max(initial=0.0)))
    if len(rows) == n:
        return difference, both, 0.0
    scale = _over(float(w.sum()), float(w[rows].sum()))
    bound = largest * math.sqrt(math.log(2.0 / (1.0 - confidence)) / (2.0 * len(rows)))
    return scale * difference, scale * both, bound


def product_of_gaps(x: Array, y: Array, w: Array) -> float:
    r""":math:`\sum_{i,j} w_i w_j |x_i - x_j| |y_i - y_j|` in n log n steps of merging.

    In the order of x, a pair i < j adds (x_j - x_i)(y_j - y_i) if y rises and the negative of it if y falls; the sum
    over all pairs is known, so those that rise are enough. They are counted as a merge sort by y counts inversions.

    >>> product_of_gaps(np.array([0.0, 1.0, 3.0]), np.array([5.0, 1.0, 2.0]), np.ones(3))
    30.0
    """
    n = len(x)
    if n < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    total = float(w.sum())
    x, y = x - float(dot(w, x)) / max(total, 1e-300), y - float(dot(w, y)) / max(total, 1e-300)
    order = np.argsort(x, kind="stable")
    x, y, w = x[order], y[order], w[order]
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(y, kind="stable")] = np.arange(n)
    parts = np.stack([w, w * x, w * y, w * x * y])
    held = np.zeros((4, n))  # for each j the sums of `parts` over the i before it that are not above it
    place = np.arange(n)
    size = 1
    while size < n:
        place = place[np.argsort((place // (2 * size)) * n + rank[place], kind="stable")]
        left = (place // size) % 2 == 0
        upto = np.concatenate([np.zeros((4, 1)), np.cumsum(np.where(left, parts[:, place], 0.0), axis=1)], axis=1)
        right = np.flatnonzero(~left)
        first = right // (2 * size) * (2 * size)
        held[:, place[right]] += upto[:, right] - upto[:, first]
        size *= 2
    count, of_x, of_y, of_xy = held
    rising = float(dot(w, x * y * count - x * of_y - y * of_x + of_xy))
    everything = total * float(dot(w, x * y)) - float(dot(w, x)) * float(dot(w, y))
    return max(0.0, 2.0 * (2.0 * rising - everything))


def _over(total: float, divisor: float) -> float:
    return total / divisor if divisor > 0 else 0.0
