"""The metrics of Wilson & Martinez (1997) for tables of numbers and symbols: what each does to one feature.

An unknown value differs by 1 from every other (Reading W6), and a number that is constant in training differs by 0
from an equal one and by 1 from any other (W7). They are summed as squares, with the root over the sum (p = 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import Coding
from nearwise.differences.interpolated import Interpolated, interpolated_points, windowed_points
from nearwise.differences.numeric import Line, ranks
from nearwise.differences.profiles import Profiles, Rooted, class_target_of, memberships
from nearwise.differences.symbolic import OverlapFitted
from nearwise.errors import InputError, check_whole_or_none

__all__ = ["HEOM", "HVDM", "IVDM", "WVDM"]

KINDS = ("Numeric", "Cyclic", "Symbolic", "Ordinal")
"""what each of them compares"""


@dataclass(frozen=True)
class HEOM(Difference):
    r"""Overlap for symbols, :math:`|x - q| / (\max - \min)` for numbers, levels apart for ordered symbols."""

    name = "heom"
    kinds = KINDS
    p: ClassVar[float | None] = 2

    def fit(self, column: Column, context: FitContext) -> Fitted:
        if column.levels is not None and context.kind.name != "Ordinal":
            return OverlapFitted(column, Coding(column.levels))
        return _line(column, context, "range")

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        if summary.levels is not None and context.kind.name != "Ordinal":
            return OverlapFitted(None, Coding(summary.levels), summary.level_counts)
        if summary.levels is None and not self.reads_values(context.kind, context.policy):
            return _line(Column(summary.extremes), context, "range")
        return _line(_all_values(summary, context), context, "range")

    def reads_values(self, kind: Kind, policy: str) -> bool:
        return policy in ("usual", "mean")


@dataclass(frozen=True)
class _ValueDifference(Difference):
    kinds = KINDS
    needs_classes: ClassVar[bool] = True
    p: ClassVar[float | None] = 2
    threshold: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int) or self.threshold < 1:
            raise InputError(f"threshold of a value difference counts cases, from 1; got {self.threshold!r}.")

    def _symbols(self, column: Column, context: FitContext) -> Fitted:
        return Rooted(Profiles.of(column, context, Coding(column.levels or ()), self.threshold))


@dataclass(frozen=True)
class HVDM(_ValueDifference):
    r"""Numbers by their standard deviation, symbols by the classes they occur with.

    .. math:: \delta(x, q) = \frac{|x - q|}{4\sigma}, \qquad
              \delta(u, v) = \sqrt{\sum_c (P(c \mid u) - P(c \mid v))^2}

    Wilson & Martinez sect. 3, with the second of their ways to compare symbols (Reading W1) and the standard deviation
    over n (W2). The ranks of ordered symbols are numbers. A symbol that was not seen, or in fewer than ``threshold``
    cases, is compared by overlap, at 1.
    """

    name = "hvdm"

    def fit(self, column: Column, context: FitContext) -> Fitted:
        class_target_of(context)
        if column.levels is not None and context.kind.name != "Ordinal":
            return self._symbols(column, context)
        return _line(column, context, "sigma")

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        if summary.levels is not None and context.kind.name != "Ordinal":
            return self.fit_entries(summary, context)
        class_target_of(context)
        return _line(_all_values(summary, context), context, "sigma")

    def reads_values(self, kind: Kind, policy: str) -> bool:
        return True


@dataclass(frozen=True)
class _Interpolating(_ValueDifference):
    bins: int | None = None
    sampled_at: ClassVar[Callable[..., tuple[NDArray[np.float64], NDArray[np.float64]]]]
    """at which numbers the shares of the classes are taken, and the shares"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole_or_none("bins", self.bins, 1, ", or None for max(5, classes)")

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        if summary.levels is None and context.policy == "mean":
            return super().fit_summary(summary, context)  # a mean over all cases, in their order
        return self.fit_entries(summary, context)

    def reads_classes(self, kind: Kind) -> bool:
        return True

    def fit(self, column: Column, context: FitContext) -> Fitted:
        target = memberships(class_target_of(context))
        if column.levels is not None:
            return self._symbols(column, context)
        period = context.kind.period if isinstance(context.kind, Cyclic) else None
        values = column.values if period is None else np.mod(column.values, period)
        known = ~column.missing
        if _is_constant(values[known]) and period is None:
            return _constant(column)
        bins = max(5, target.n_classes) if self.bins is None else self.bins
        rows, classes, weights = target.of(known)
        points, shares = self.sampled_at(values[rows], classes, weights, target.n_classes, bins, period)
        absent = None
        if context.policy == "value":
            _, classes, weights = target.of(~known)
            counts = np.bincount(classes, weights, target.n_classes)
            absent = counts / counts.sum() if counts.sum() > 0 else np.full(target.n_classes, np.nan)
        return Interpolated(column, points, shares, period, absent)


@dataclass(frozen=True)
class IVDM(_Interpolating):
    r"""Numbers and symbols by the classes they occur with, interpolated between intervals.

    .. math:: \delta(x, q) = \sqrt{\sum_c (p_c(x) - p_c(q))^2}

    The range of a number is cut into ``bins`` intervals of equal width, s = max(5, classes) where it is None (W4).
    p_c is the share of class c in an interval at its midpoint, and a straight line between midpoints; half an interval
    beyond the range it is 0 (W5). An interval without cases has 0 of every class. On a circle the intervals go all
    around. Symbols, ordered or not, have the p_c of their own cases, as in `HVDM`. The roots are those of the authors'
    erratum (W3): the distance is the root of the sum over features and classes.
    """

    name = "ivdm"
    sampled_at = staticmethod(interpolated_points)


@dataclass(frozen=True)
class WVDM(_Interpolating):
    r"""As `IVDM`, with the share of each class sampled around every training value instead of at midpoints.

    .. math:: p_c(x) = \frac{\text{cases of class } c \text{ in } [x - w/2,\; x + w/2]}{\text{cases in it}},
              \quad w = (\max - \min) / s

    at every value x of the training cases, and a straight line between them; half a window beyond the range it is 0.
    """

    name = "wvdm"
    sampled_at = staticmethod(windowed_points)


def _all_values(summary: ColumnSummary, context: FitContext) -> Column:
    """The known values, or ranks, of all cases in ascending order."""
    if summary.levels is None:
        return Column(summary.sorted_values(context.feature))
    return Column(summary.sorted_ranks.astype(np.int32), summary.levels)


def _line(column: Column, context: FitContext, by: str) -> Fitted:
    """|x - q| over its unit, a missing value at one unit."""
    values = column.values if column.levels is None else ranks(column)
    if isinstance(context.kind, Cyclic):
        line = Line(values, by, context.kind.period)
    elif _is_constant(values[~column.missing]):
        return _constant(column)
    else:
        steps = len(column.levels) - 1 if column.levels is not None and by == "range" else 0
        line = Line(values, by, None, steps=steps, ranked=column.levels is not None)
    line.levels = column.levels
    if not np.isinf(line.unit):
        line.maximum = line.unit
    return line


def _is_constant(known: NDArray[np.float64]) -> bool:
    return not len(known) or bool(known.min() == known.max())


def _constant(column: Column) -> Fitted:
    known = column.values[~column.missing]
    return OverlapFitted(column, SameNumber(tuple(known[:1].tolist()) if column.levels is None else column.levels))


@dataclass(frozen=True)
class SameNumber(Coding):
    """Numbers of a feature that is constant in training: the one that was seen, and any other."""

    def codes(self, column: Column) -> NDArray[np.int32]:
        if column.levels is not None:
            return super().codes(column)
        if not self.levels:
            return np.where(column.missing, -1, 0).astype(np.int32)
        return np.where(column.missing, -1, column.values != self.levels[0]).astype(np.int32)
