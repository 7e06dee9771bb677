"""How a feature varies together with a target, from exact sums: they merge in any order, and give up cases.

With sums W of weights, X and Y of weighted values and XX, XY, YY of their weighted products, W^2 times a covariance is
W XY - X Y, which is worked out in whole numbers: nothing cancels, wherever the values lie, and a constant feature has
a variance of exactly 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.statistics.counts.exact_sums import ExactSums, exact_sums
from nearwise.statistics.counts.values import ValueCounts, sums_at

__all__ = ["ROUNDING", "ClassSums", "LevelSums", "NumberSums", "TargetSums", "counted_correlation", "target_sums"]

Array = NDArray[np.float64]

ROUNDING = 1e-14
"""a share of variance below it is rounding error"""
FLAT = 1e-20
"""points whose smaller variance is a smaller share of both lie on a line: their roots are 1e-10 apart"""


@dataclass(frozen=True)
class _Sums:
    """Sums by name; those of both are added up name by name."""

    def merge(self, other: Self) -> Self:
        return self._each(other, ExactSums.merge)

    def remove(self, other: Self) -> Self:
        return self._each(other, ExactSums.remove)

    def _each(self, other: Self, join: Any) -> Self:
        held = [name for name, value in vars(self).items() if isinstance(value, ExactSums | tuple)]
        return replace(self, **{name: _joined(getattr(self, name), getattr(other, name), join) for name in held})


def _joined(one: Any, two: Any, join: Any) -> Any:
    if isinstance(one, ExactSums):
        return join(one, two)
    return tuple(_joined(a, b, join) for a, b in zip(one, two, strict=True))


@dataclass(frozen=True)
class TargetSums(_Sums):
    """Numbers to be predicted: what cases weigh, and the sums of numbers and of their squares."""

    w: ExactSums
    y: ExactSums
    yy: ExactSums


def target_sums(y: Array, weights: Array | None) -> TargetSums:
    """``weights`` are None where every case weighs 1."""
    return TargetSums(_weight(len(y), weights), _sum(weights, y), _sum(weights, y, y))


def _weight(n: int, weights: Array | None) -> ExactSums:
    return exact_sums([np.array([float(n)]) if weights is None else weights])


def _weights(codes: NDArray[Any], weights: Array | None, n_groups: int) -> ExactSums:
    """(n_groups,) what the cases with each code weigh; one with a negative code is left out."""
    if weights is not None:
        return exact_sums([weights], codes, n_groups)
    cases = np.bincount(codes[codes >= 0] if codes.min(initial=0) < 0 else codes, minlength=n_groups)
    return exact_sums([cases.astype(np.float64)], np.arange(n_groups), n_groups)


def _sum(weights: Array | None, *factors: Array) -> ExactSums:
    return exact_sums(factors if weights is None else (weights, *factors))


@dataclass(frozen=True)
class NumberSums(_Sums):
    """Points of one or two coordinates, and numbers to be predicted; of the cases where the points are known."""

    target: TargetSums
    x: tuple[ExactSums, ...]
    xy: tuple[ExactSums, ...]
    xx: tuple[ExactSums, ...]
    """of x_0 x_0, and of two coordinates of x_0 x_1 and x_1 x_1"""

    @classmethod
    def of(cls, points: Sequence[Array], y: Array, weights: Array | None, target: TargetSums) -> NumberSums:
        pairs = [(a, points[b]) for at, a in enumerate(points) for b in range(at, len(points))]
        return cls(
            target,
            tuple(_sum(weights, x) for x in points),
            tuple(_sum(weights, x, y) for x in points),
            tuple(_sum(weights, a, b) for a, b in pairs),
        )

    def _each(self, other: Self, join: Any) -> Self:
        return replace(super()._each(other, join), target=self.target._each(other.target, join))

    @property
    def correlation(self) -> float:
        """|r|, of two coordinates the multiple correlation."""
        t = self.target
        of_w = t.w.base
        of_x = _unit([(s, of_w) for s in self.x], [(s, of_w) for s in self.xx])
        of_y = _unit([(t.y, of_w)], [(t.yy, of_w)])
        reached = min((s.base for s in self.xy if s.limbs.shape[1]), default=of_w + of_x + of_y)
        of_y += min(0, reached - of_w - of_x - of_y)
        (w,), (y,), (yy,) = t.w.whole(of_w), t.y.whole(of_w + of_y), t.yy.whole(of_w + 2 * of_y)
        x = [s.whole(of_w + of_x)[0] for s in self.x]
        products = [s.whole(of_w + 2 * of_x)[0] for s in self.xx]
        b = [w * s.whole(of_w + of_x + of_y)[0] - own * y for s, own in zip(self.xy, x, strict=True)]
        total = w * yy - y * y
        a = w * products[0] - x[0] * x[0]
        if len(x) == 1:
            return _root_share(b[0] * b[0], a * total)
        mixed, d = w * products[1] - x[0] * x[1], w * products[2] - x[1] * x[1]
        whole, trace = a * d - mixed * mixed, a + d
        if whole > FLAT * Fraction(trace) ** 2:
            return _root_share(d * b[0] ** 2 - 2 * mixed * b[0] * b[1] + a * b[1] ** 2, whole * total)
        # on a line, along (a, mixed) or (mixed, d), whichever is longer
        along = (a, mixed) if a >= d else (mixed, d)
        up = along[0] * b[0] + along[1] * b[1]
        down = a * along[0] ** 2 + 2 * mixed * along[0] * along[1] + d * along[1] ** 2
        return _root_share(up * up, down * total)


@dataclass(frozen=True)
class ClassSums(_Sums):
    """Points of one or two coordinates by the class of their case."""

    w: ExactSums
    x: tuple[ExactSums, ...]
    """(c,) by class"""
    xx: tuple[ExactSums, ...]
    """of all cases"""

    @classmethod
    def of(cls, points: Sequence[Array], known: NDArray[np.bool_], target: Target) -> ClassSums:
        c, weights = target.n_classes, None if target.weighs_one else target.weights
        w = _weights(target.codes[known], None if weights is None else weights[known], c)
        weigh = [] if weights is None else [weights]
        by_class = tuple(exact_sums([*weigh, x], target.codes, c) for x in points)
        return cls(w, by_class, tuple(_sum(weights, x, x) for x in points))

    @property
    def correlation(self) -> float:
        """The correlation ratio: the root of the variance between classes over all variance."""
        totals = [x.total for x in self.x]
        w = self.w.total
        spreads = [_spread(w, x, xx) for x, xx in zip(totals, self.xx, strict=True)]
        exponent = max((at for _, at in spreads), default=0)
        between = whole = 0.0
        weights = self.w.rounded()
        for by_class, (spread, _) in zip(self.x, spreads, strict=True):
            apart = _deviations(self.w, by_class, exponent)
            between += float(np.sum(np.square(apart) / np.where(weights > 0, weights, 1.0)))
            whole += float(spread / Fraction(2) ** (2 * exponent))
        return _root_share_of(between, whole)


@dataclass(frozen=True)
class LevelSums(_Sums):
    """Symbols, and numbers to be predicted."""

    target: TargetSums
    levels: tuple[Hashable, ...]
    """in any order, which is not seen in the correlation"""
    w: ExactSums
    """(v,) what the cases of each level weigh"""
    y: ExactSums
    """(v,)"""

    @classmethod
    def of(
        cls, codes: NDArray[Any], levels: tuple[Hashable, ...], y: Array, weights: Array | None, target: TargetSums
    ) -> LevelSums:
        v = len(levels)
        weigh = [] if weights is None else [weights]
        return cls(target, levels, _weights(codes, weights, v), exact_sums([*weigh, y], codes, v))

    def _under(self, levels: tuple[Hashable, ...]) -> LevelSums:
        place = {level: at for at, level in enumerate(self.levels)}
        at = np.array([place.get(level, -1) for level in levels], dtype=np.intp)
        return replace(self, levels=levels, w=self.w.take(at), y=self.y.take(at))

    def _each(self, other: LevelSums, join: Any) -> LevelSums:
        known = set(self.levels)
        levels = (*self.levels, *(level for level in other.levels if level not in known))
        one, two = (sums if sums.levels == levels else sums._under(levels) for sums in (self, other))
        target = one.target._each(two.target, join)
        return replace(one, target=target, w=join(one.w, two.w), y=join(one.y, two.y))

    def correlation(self, prior: float) -> float:
        """With the mean target of each level, held towards the mean of all as if ``prior`` more cases had it."""
        t = self.target
        here = np.flatnonzero(self.w.limbs.any(axis=1))
        if len(here) < 2:
            return 0.0
        of_level, sums = self.w, self.y
        if len(here) < len(of_level):
            of_level, sums = of_level.take(here), sums.take(here)
        spread, exponent = _spread(t.w, t.y, t.yy)
        apart = _deviations(of_level, sums, exponent)[:, None]
        whole = float(spread / Fraction(2) ** (2 * exponent))
        return _of_levels(of_level.rounded(), apart, whole, prior)


def counted_correlation(counts: ValueCounts, prior: float) -> float:
    """The same of symbols with classes, as one indicator a class, over all indicators together."""
    n = counts.class_weights
    total = float(n.sum())
    of_level = sums_at(counts.value_at, counts.entry_weights, counts.n_values)
    here = of_level > 0
    if np.count_nonzero(here) < 2:
        return 0.0
    apart = counts.table[here] - of_level[here][:, None] * (n / total)
    return _of_levels(of_level[here], apart, float(np.sum(n * (total - n))) / total, prior)


def _of_levels(weights: Array, apart: Array, whole: float, prior: float) -> float:
    """From the weights (v,) of levels, (v, d) by how much the sums of targets lie apart from what the mean gives, and
    the sum of squares of all targets about their mean."""
    of_means = both = 0.0
    for sums in apart.T:
        means = sums / (weights + prior)
        means = means - _dot(weights, means) / _dot(weights)
        of_means += _dot(weights, means, means)
        both += _dot(means, sums)
    return _root_share_of(both * both, of_means * whole)


def _dot(*factors: Array) -> float:
    """The sum of products, which does not depend on the order of the levels."""
    return float(exact_sums(factors).rounded()[0])


def _spread(w: ExactSums, x: ExactSums, xx: ExactSums) -> tuple[Fraction, int]:
    """The sum of squares about the mean, and the exponent of about its root."""
    (total,), (first,), (second,) = w.exact(), x.exact(), xx.exact()
    if not total:
        return Fraction(0), 0
    spread = second - first * first / total
    return spread, (spread.numerator.bit_length() - spread.denominator.bit_length()) // 2 if spread else 0


def _deviations(weights: ExactSums, sums: ExactSums, exponent: int) -> Array:
    """(g,) by how much each sum differs from its weight times the mean of all, over 2^exponent."""
    (total,), (whole,) = weights.total.exact(), sums.total.exact()
    if not total:
        return np.zeros(len(sums))
    middle = float(whole / total)
    groups = np.arange(len(sums))
    held, rest = weights.rounded(), sums
    parts = [held]
    if not weights.are_whole:  # then a weight takes two doubles
        parts.append(weights.remove(exact_sums([held], groups, len(sums))).rounded())
    for part in parts:
        rest = rest.remove(exact_sums([part, np.full(len(sums), middle)], groups, len(sums)))
    off = float((whole - total * Fraction(middle)) / total / Fraction(2) ** exponent)
    return rest.rounded(exponent) - held * off


def _unit(first: list[tuple[ExactSums, int]], second: list[tuple[ExactSums, int]]) -> int:
    """The largest unit, in limbs, of which values and products of two of them are multiples beside the weights."""
    found = [s.base - of_w for s, of_w in first if s.limbs.shape[1]]
    found += [(s.base - of_w) // 2 for s, of_w in second if s.limbs.shape[1]]
    return min(found, default=0)


def _root_share(part: int, whole: int) -> float:
    """sqrt(part / whole), from 0 to 1, of whole numbers; the ratio is rounded once."""
    return _root_share_of(part / whole, 1.0) if whole > 0 else 0.0


def _root_share_of(part: float, whole: float) -> float:
    """sqrt(part / whole), from 0 to 1; 0 for what rounding leaves."""
    if not whole > 0 or part <= ROUNDING * whole:
        return 0.0
    return float(np.sqrt(min(1.0, part / whole)))
