"""Numbers, numbers on a circle, and ranks: the absolute difference over a unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.differences.base import ByWay, Difference, FitContext, Fitted

__all__ = ["Line", "Rank", "Scaled"]

FAR = 2.0**500
"""A query further out than this many times the training values counts as this far, so that it has a square."""


@dataclass(frozen=True)
class Scaled(ByWay):
    r"""Absolute difference of two numbers over the training range, over 4 sigma, or as it is.

    .. math:: \delta(x, q) = |x - q| / u, \quad u \in \{\max - \min,\; 4\sigma,\; 1\}

    Values outside the training range are not clipped (Reading K7). A constant feature contributes 0 (K8). On a
    circle of period P the difference is min(\|x-q\|, P-\|x-q\|) and the range is P/2.
    """

    kinds = ("Numeric", "Cyclic")
    what = "numeric difference"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {by: {"by": by} for by in ("range", "sigma", "none")}
    by: str = "range"

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return Line(column.values, self.by, _period(context.kind), is_known=context.known is not None)

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        asked = self.reads_values(context.kind, context.policy)
        values = summary.sorted_values(context.feature) if asked else summary.extremes
        return Line(values, self.by, _period(context.kind))

    def reads_values(self, kind: Kind, policy: str) -> bool:
        if isinstance(kind, Cyclic):
            return policy == "mean"
        return self.by == "sigma" or policy in ("usual", "mean")


@dataclass(frozen=True)
class Rank(Difference):
    """Distance of two levels in their order, over the number of steps from the lowest to the highest."""

    name = "rank"
    kinds = ("Ordinal",)

    def fit(self, column: Column, context: FitContext) -> Fitted:
        line = Line(ranks(column), "range", None, steps=len(column.levels or ()) - 1, ranked=True)
        line.levels = column.levels
        return line

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        levels = summary.levels or ()
        line = Line(summary.sorted_ranks, "range", None, steps=len(levels) - 1, ranked=True)
        line.levels = levels
        return line


def _period(kind: Kind) -> float | None:
    return kind.period if isinstance(kind, Cyclic) else None


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values themselves where none is missing: a large table is not copied."""
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def _reach(values: NDArray[np.float64]) -> float:
    """The largest modulus of the known values, worked out without a copy of them; 0 where none is known."""
    return max(float(np.fmax.reduce(values, initial=0.0)), -float(np.fmin.reduce(values, initial=0.0)))


def ranks(column: Column) -> NDArray[np.float64]:
    return np.where(column.values < 0, np.nan, column.values.astype(np.float64))


class Line(Fitted):
    """Numbers on a line or a circle.

    Very small and very large values are multiplied by a power of two, which is exact, so that no unit overflows when
    differences are raised to a power. On a circle they are first taken modulo the period, which is exact too.
    """

    form = "line"
    symmetric = True

    def __init__(
        self,
        values: NDArray[np.float64],
        by: str,
        period: float | None,
        steps: int = 0,
        ranked: bool = False,
        is_known: bool = False,
    ) -> None:
        self._training = values
        self.is_known = is_known
        """whether `restore` will tell unit and maximum, so that nothing needs to be measured"""
        known = _known(values)
        self.by, self.ranked = by, ranked
        largest = period or _reach(known)
        plain = by == "none" or largest == 0 or 1e-60 < largest < 1e60
        self.exponent = 0 if plain else -math.frexp(largest)[1]
        self.turn = period
        self.period = None if period is None else math.ldexp(period, self.exponent)
        if self.period is not None and self.form == "line":
            self.form = "circle"  # type: ignore[misc]
        scaled = self._scaled(known)
        spread = float(scaled.max()) - float(scaled.min()) if len(known) else 0.0
        self.maximum = math.ldexp(steps, self.exponent) if steps else spread
        if self.period is not None:
            self.maximum = self.period / 2
        units = {"range": self.maximum, "none": 1.0, "sigma": 0.0}
        if by == "sigma" and len(known) and not is_known:
            units["sigma"] = self.period / 2 if self.period else 4.0 * self._deviation()
        self.unit = units[by] if spread > 0 and units[by] > 0 else np.inf

    def settle(self, policy: str) -> None:
        if self.is_known:
            self.reach = self.maximum if policy == "usual" else self.reach
            return
        super().settle(policy)
        if policy != "mean":  # what is asked of queries; all else was asked by now
            vars(self).pop("sorted", None)

    @cached_property
    def sorted(self) -> NDArray[np.float64]:
        """The known training values in ascending order, so that what is added up over them has one order."""
        return np.sort(self._scaled(_known(self._training)))

    def _deviation(self) -> float:
        """The standard deviation, about a middle value, so that it keeps its digits when the values lie far from 0."""
        return float(np.std(self.sorted - self.sorted[len(self.sorted) // 2]))

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.turn is not None:
            values = np.fmod(values, self.turn)
        if self.by == "none":
            return values
        if self.exponent == 0:  # the values themselves: a large table is not copied
            return values if _reach(values) <= FAR else np.clip(values, -FAR, FAR)
        with np.errstate(over="ignore"):
            scaled = np.ldexp(values, self.exponent)
        return np.clip(scaled, -FAR, FAR)

    @property
    def usual(self) -> float:
        """The mean difference of the training values from their median; on a circle a quarter of it."""
        if self.period is not None:
            return self.period / 4
        known = self.sorted
        return float(np.mean(np.abs(known - np.median(known)))) if len(known) else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        return math.ldexp(self.unit, -self.exponent), math.ldexp(self.maximum, -self.exponent)

    def restore(self, unit: float, maximum: float) -> None:
        self.unit, self.maximum = math.ldexp(unit, self.exponent), math.ldexp(maximum, self.exponent)

    def encode(self, column: Column) -> NDArray[np.float64]:
        return self._scaled(ranks(column) if self.ranked else column.values)

    def pair(self, x: Any, q: Any) -> float:
        gap = abs(float(x) - float(q))
        if self.period is None:
            return gap
        gap = math.fmod(gap, self.period)
        return min(gap, self.period - gap)

    def block(self, X: NDArray[np.float64], Q: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            gaps = np.abs(Q[:, None] - X[None, :])
        if self.period is None:
            return gaps
        gaps = np.fmod(gaps, self.period)
        return np.minimum(gaps, self.period - gaps)

    def expected(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        n = len(self.sorted)
        if n == 0:
            return np.zeros(len(values))
        if self.period is not None:
            return np.array([self.block(self.sorted, values[i : i + 1]).mean() for i in range(len(values))])
        middle = self.sorted[n // 2]  # sums of what remains keep their digits when the values lie far from 0
        with np.errstate(over="ignore", invalid="ignore"):
            before = np.concatenate([[0.0], np.cumsum(self.sorted - middle)])
            below = np.searchsorted(self.sorted, values)
            total = (values - middle) * (2.0 * below - n) + before[-1] - 2.0 * before[below]
        # infinity - infinity: the numbers lie too far apart for a mean
        return np.asarray(np.maximum(np.where(np.isnan(total), np.inf, total), 0.0) / n)

    @property
    def expected_both(self) -> float:
        return float(self.expected(self.sorted).mean()) if len(self.sorted) else 0.0
