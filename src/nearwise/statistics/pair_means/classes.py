r"""Mean differences between the cases of a class, and between them and all other cases, for one feature.

.. math:: \bar\Delta(S, T) = \frac{1}{|S||T|} \sum_{s \in S} \sum_{t \in T} \delta(s, t)

(Howe & Cardie eq. 1), without looking at every pair where the kind of the feature allows it:

======== ============================================================ =================
form     how                                                          cost
======== ============================================================ =================
line     running sums over the sorted values                          n log n
circle   the same over half turns                                     n log n
overlap  pairs of different symbols, from the counts                  values x classes
table    every pair of different symbols                              values²
pair     every pair of different values, or a sample of the pairs     values²
======== ============================================================ =================
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, product
from nearwise.cases.columns import Column
from nearwise.cases.digits import ALL_BITS
from nearwise.cases.kinds import Ordinal
from nearwise.cases.target import Target
from nearwise.differences.metric import Measure
from nearwise.progress import progress
from nearwise.statistics.counts.values import ValueCounts, count_values, sums_at

__all__ = ["FeaturePairs", "PairMeans", "class_pair_sums", "gaps_between", "reach", "reach_around"]

Array = NDArray[np.float64]

BLOCK = 1 << 20
"""differences measured at a time, 8 MB of them"""


@dataclass(frozen=True)
class PairMeans:
    """Mean raw differences of one feature by class; 0 where a class has no pair."""

    weights: Array
    """(c,) weight of the cases of each class whose value counts"""
    within: Array
    """(c,) over all ordered pairs of cases of the class, a case with itself included"""
    outside: Array
    """(c,) over all pairs of a case of the class and a case of another class"""
    bound: float = 0.0
    """how far a sampled mean may be off at the stated confidence; 0 where every pair was counted"""

    @property
    def overall(self) -> float:
        """Over all ordered pairs of cases, a case with itself included."""
        total = float(self.weights.sum())
        if total <= 0:
            return 0.0
        share, rest = self.weights / total, (total - self.weights) / total
        return float(dot(share, share * self.within + rest * self.outside))

    def distinct(self, own: Array) -> PairMeans:
        """The means without the pairs of a case with itself, which differ by ``own`` (c,) on average."""
        n = self.weights
        left = np.maximum(self.within * n - own, 0.0)
        return replace(self, within=np.where(n > 1, left / np.where(n > 1, n - 1, 1.0), 0.0))

    def overall_distinct(self, own: Array) -> float:
        """`overall` without the pairs of a case with itself."""
        total = float(self.weights.sum())
        if total <= 1:
            return 0.0
        return max(0.0, self.overall * total - float(dot(self.weights, own)) / total) / (total - 1)


@dataclass(frozen=True)
class FeaturePairs:
    """What the mean differences of one feature are worked out from; merges, and gives up cases, exactly.

    Counts of values are enough for every form but "pair", whose differences depend on the two values alone and are
    costly: there the class-pair sums (c, c) are kept as well, so that adding b cases to n measures b * n pairs.
    """

    counts: ValueCounts
    measure: Measure
    limit: float
    """pairs of different values up to which every pair is measured"""
    sums: Array | None = None
    largest: Array | None = None
    """(c, c) the largest that each sum has been: rounding errors are relative to it"""

    @classmethod
    def of(cls, column: Column, target: Target, measure: Measure, limit: float) -> FeaturePairs:
        return cls(count_values(column, target, measure.as_value), measure, limit)._summed()

    @property
    def is_exact(self) -> bool:
        """Whether every pair is measured. Symbols in a table are cheap: a hundred times as many pairs."""
        fitted, values = self.measure.fitted, self.counts.n_values
        if fitted.form == "table" and fitted.levels is not None:
            values = min(values, len(fitted.levels))
        generous = 100.0 if fitted.form == "table" else 1.0
        return fitted.form not in ("pair", "table", "profile") or values**2 <= generous * self.limit

    def merge(self, other: FeaturePairs) -> FeaturePairs:
        merged = FeaturePairs(self.counts.merge(other.counts), other.measure, self.limit)
        if self.sums is None or other.sums is None or not merged.is_exact:
            return merged._summed()
        between = class_pair_sums(self.counts, other.counts, other.measure)
        back = class_pair_sums(other.counts, self.counts, other.measure)
        sums = self.sums + other.sums + between + back
        return replace(merged, sums=sums, largest=np.maximum(sums, _or_zero(self.largest)))

    def bounded(self, name: str) -> FeaturePairs:
        """The same with no more different numbers than can be held."""
        return replace(self, counts=self.counts.bounded(name))

    def remove(self, other: FeaturePairs) -> FeaturePairs:
        left = FeaturePairs(self.counts.remove(other.counts), self.measure, self.limit)
        if self.sums is None or other.sums is None or not left.is_exact:
            return left._summed()
        between = class_pair_sums(left.counts, other.counts, self.measure)
        back = class_pair_sums(other.counts, left.counts, self.measure)
        sums = self.sums - other.sums - between - back
        # where little is left of a large sum, the rounding error shows: measure the pairs that are left again
        if (sums < 1e-6 * _or_zero(self.largest)).any():
            return left._summed()
        return replace(left, sums=sums, largest=self.largest)

    def _summed(self) -> FeaturePairs:
        if self.measure.fitted.form != "pair" or not self.is_exact:
            return self
        sums = class_pair_sums(self.counts, self.counts, self.measure)
        return replace(self, sums=sums, largest=sums)

    def means(self, measure: Measure, budget: int = 4_000_000, confidence: float = 0.95, seed: Any = None) -> PairMeans:
        """The mean raw differences under ``measure``, which is fitted to the cases that are there now.

        Where not every pair is measured, about ``budget`` pairs are drawn; see `sampled_means`.
        """
        form, counts = measure.fitted.form, self.counts
        if counts.storage == "number" and measure.fitted.levels is not None:  # numbers compared by their intervals
            counts = counts.coded(measure.fitted.encode(counts.column()), measure.fitted.levels)
        if form in ("line", "circle"):
            means = _line_means(counts, measure)
        elif form == "overlap":
            means = _overlap_means(counts)
        elif not self.is_exact:
            from nearwise.statistics.pair_means.sampling import sampled_means

            means = sampled_means(counts, measure, budget, confidence, seed)
        else:
            sums = self.sums if self.sums is not None else class_pair_sums(counts, counts, measure)
            means = _sum_means(table_weights(counts, measure), sums)
        return means if measure.fitted.codes_missing else _with_missing(means, counts, measure.fitted.maximum)

    def off_by(self, measure: Measure) -> float:
        """How far the means may be off where numbers are counted with fewer digits; 0 where they are as they came."""
        if not self.counts.left_out or measure.fitted.form not in ("line", "circle"):
            return 0.0
        largest = float(np.abs(encoded(self.counts, measure)).max(initial=0.0))
        return 2.0 * math.ldexp(largest, self.counts.left_out - ALL_BITS)

    def own(self, measure: Measure) -> Array:
        """(c,) mean difference of a case from itself: 0 but for some linkages and some functions."""
        counts = self.counts
        if measure.fitted.form != "pair" or not counts.n_values:
            return np.zeros(counts.n_classes)
        own = np.array([measure.fitted.pair(x, x) for x in encoded(counts, measure)])
        total = counts.class_weights + counts.missing
        sums = sums_at(counts.class_at, counts.entry_weights * own[counts.value_at], counts.n_classes)
        return _over(sums, total)


def encoded(counts: ValueCounts, measure: Measure) -> NDArray[Any]:
    """The different values, encoded; last of all the missing one where the difference codes it."""
    column = counts.column(tuple(measure.kind.levels) if isinstance(measure.kind, Ordinal) else None)
    if measure.fitted.codes_missing:
        absent = np.nan if column.levels is None else np.int32(-1)
        column = Column(np.append(column.values, absent), column.levels)
    return measure.fitted.encode(column)


def table_weights(counts: ValueCounts, measure: Measure) -> Array:
    """(c,) the weight of the values that `encoded` gives."""
    return counts.class_weights + (counts.missing if measure.fitted.codes_missing else 0.0)


def class_pair_sums(stored: ValueCounts, queries: ValueCounts, measure: Measure) -> Array:
    """(c, c) sums of delta(x, q) over the pairs of a stored x of the row's class and a q of the column's (M10)."""
    c = stored.n_classes
    X, Q = encoded(stored, measure), encoded(queries, measure)
    sums = np.zeros((c, c))
    if not len(X) or not len(Q):
        return sums
    wide = min(len(X), BLOCK)
    high = max(1, BLOCK // wide)
    tiles = [(i, j) for i in range(0, len(Q), high) for j in range(0, len(X), wide)]
    for i, j in progress(tiles, len(tiles), f"differences of {measure.name}"):
        block = measure.fitted.block(X[j : j + wide], Q[i : i + high])
        by_class = product(block, _rows(stored, j, j + block.shape[1]))
        sums += product(_rows(queries, i, i + len(block)).T, by_class).T
    return sums


def _rows(counts: ValueCounts, start: int, stop: int) -> Array:
    """Rows of the table of counts, with a last one for the missing value where it is asked for."""
    known = counts.rows(start, min(stop, counts.n_values))
    return known if stop <= counts.n_values else np.vstack([known, counts.missing])


def _line_means(counts: ValueCounts, measure: Measure) -> PairMeans:
    values, period = encoded(counts, measure), getattr(measure.fitted, "period", None)
    exponent = math.frexp(float(max(values.max(initial=0.0), -values.min(initial=0.0))))[1]
    if abs(exponent) < 300:
        exponent = 0
    else:  # an exact change of unit keeps the sums far from overflow
        values = np.ldexp(values, -exponent)
    w, classes = counts.entry_weights, counts.class_at
    if period is not None:
        period = math.ldexp(period, -exponent)
        values = np.mod(values, period)
        values[values >= period] = 0.0
    x = values if len(w) == len(values) else values[counts.value_at]
    if counts.storage != "number" or period is not None:
        order = np.argsort(x, kind="stable")
        x, w, classes = x[order], w[order], classes[order]
    n = counts.class_weights
    within, outside = _class_sums(x, w, classes, n, period)
    with np.errstate(over="ignore"):
        within = np.ldexp(_over(within, n * n), exponent)
        outside = np.ldexp(_over(outside, n * (n.sum() - n)), exponent)
    most = np.finfo(np.float64).max
    return PairMeans(n, np.minimum(within, most), np.minimum(outside, most))


def _class_sums(x: Array, w: Array, classes: NDArray[Any], n: Array, period: float | None) -> tuple[Array, Array]:
    """(c,) sums over the pairs within each class, and over the pairs of the class with the others; x is sorted."""

    def all_pairs(rows: NDArray[Any]) -> float:
        if period is None:
            return gaps_between(x[rows], w[rows])
        return float(dot(w[rows], reach_around(x[rows], w[rows], period)))

    if not len(x):
        return np.zeros(len(n)), np.zeros(len(n))
    to_all = reach(x, w) if period is None else reach_around(x, w, period)
    to_all *= w
    against = sums_at(classes, to_all, len(n))
    within = np.array([all_pairs(rows) for rows in _rows_of_classes(classes, len(n))])
    outside = np.maximum(against - within, 0.0)
    most = int(np.argmax(n))
    if n[most] > n.sum() / 2:  # a large sum less a large one: count the few pairs from the other side instead
        others = float(np.delete(against, most).sum())
        outside[most] = max(0.0, others - all_pairs(np.flatnonzero(classes != most)))
    return within, outside


def _rows_of_classes(classes: NDArray[Any], c: int) -> list[NDArray[Any]]:
    """The entries of each class in their order."""
    if c <= 16:
        return [np.flatnonzero(classes == k) for k in range(c)]
    ends = np.cumsum(np.bincount(classes, minlength=c))
    return np.split(np.argsort(classes, kind="stable"), ends[:-1])


def gaps_between(x: Array, w: Array) -> float:
    r""":math:`\sum_{i,j} w_i w_j |x_i - x_j|` for sorted x: each gap, times the weight on either side, both ways.

    >>> gaps_between(np.array([0.0, 1.0, 3.0]), np.ones(3))
    12.0
    """
    if len(x) < 2:
        return 0.0
    behind = np.cumsum(w)
    crossings = behind[:-1] * (behind[-1] - behind[:-1])
    return 2.0 * float(dot(np.diff(x), crossings))


def reach(x: Array, w: Array) -> Array:
    r"""(n,) :math:`\sum_j w_j |x_i - x_j|` for sorted x.

    Going one gap further adds gap times the weight behind it. Every term is positive, so no digits are lost, and
    equal values are at exactly 0.

    >>> reach(np.array([0.0, 1.0, 3.0]), np.ones(3))
    array([4., 3., 5.])
    """
    if len(x) < 2:
        return np.zeros(len(x))
    gap, weight = np.diff(x), np.cumsum(w)
    out = np.zeros(len(x))
    np.multiply(gap, weight[:-1], out=out[1:])  # in place: new memory would cost more than the sums
    np.cumsum(out[1:], out=out[1:])
    np.subtract(weight[-1], weight, out=weight)
    gap *= weight[:-1]
    np.cumsum(gap[::-1], out=gap[::-1])
    out[:-1] += gap
    return out


def reach_around(x: Array, w: Array, period: float) -> Array:
    r"""(n,) :math:`\sum_j w_j \min(|x_i - x_j|, P - |x_i - x_j|)` for sorted x in [0, P).

    The circle is cut in its widest gap. Values that then lie within half a turn lie on a line. Otherwise the
    values up to half a turn ahead of each x are summed going ahead, the others going back, from running sums over
    two turns.

    >>> reach_around(np.array([1.0, 12.0, 23.0]), np.ones(3), 24.0)
    array([13., 22., 13.])
    """
    n = len(x)
    if n < 2:
        return np.zeros(n)
    first = int(np.argmax(np.diff(x, prepend=x[-1] - period)))
    cut = np.roll(np.arange(n), -first)
    u, w = np.mod(x[cut] - x[first], period), w[cut]
    out = np.empty(n)
    if u[-1] <= period / 2:
        out[cut] = reach(u, w)
        return out
    twice, weight = np.concatenate([u, u + period]), np.concatenate([w, w])
    count = np.concatenate([[0.0], np.cumsum(weight)])
    total = np.concatenate([[0.0], np.cumsum(weight * twice)])
    here = np.arange(n)
    half = np.searchsorted(twice, u + period / 2, side="right")
    ahead = total[half] - total[here] - u * (count[half] - count[here])
    back = (period + u) * (count[here + n] - count[half]) - (total[here + n] - total[half])
    out[cut] = np.maximum(ahead, 0.0) + np.maximum(back, 0.0)
    return out


def _overlap_means(counts: ValueCounts) -> PairMeans:
    r"""Pairs of different symbols: :math:`\sum_v n_{cv} (n_c - n_{cv})` of them within class c."""
    n, at, w, classes = counts.class_weights, counts.value_at, counts.entry_weights, counts.class_at
    of_value = sums_at(at, w, counts.n_values)
    total = of_value.sum()
    differ = w * np.maximum(n[classes] - w, 0.0)
    others = w * np.maximum((total - n)[classes] - (of_value[at] - w), 0.0)
    within = sums_at(classes, differ, counts.n_classes)
    outside = sums_at(classes, others, counts.n_classes)
    return PairMeans(n, _over(within, n * n), _over(outside, n * (total - n)))


def _sum_means(n: Array, sums: Array) -> PairMeans:
    within = np.diag(sums)
    outside = (sums - np.diag(within)).sum(axis=1)
    return PairMeans(n, _over(within, n * n), _over(outside, n * (n.sum() - n)))


def _with_missing(means: PairMeans, counts: ValueCounts, maximum: float) -> PairMeans:
    """Add the missing value as one of its own, at the maximum from every other."""
    m = counts.missing
    if not counts.missing_cases.any():
        return means
    known, n = means.weights, means.weights + m
    others, known_others, m_others = n.sum() - n, known.sum() - known, m.sum() - m
    shares = [_over(known, n), _over(m, n), _over(known_others, others), _over(m_others, others)]
    k, g, k_other, g_other = shares
    within = k * k * means.within + 2 * k * g * maximum
    outside = k * k_other * means.outside + (k * g_other + g * k_other) * maximum
    return PairMeans(n, within, outside, means.bound)


def _over(sums: Array, divisor: Array) -> Array:
    """sums / divisor, 0 where there is nothing to divide by."""
    return np.asarray(np.where(divisor > 0, sums / np.where(divisor > 0, divisor, 1.0), 0.0))


def _or_zero(sums: Array | None) -> Any:
    return 0.0 if sums is None else sums
