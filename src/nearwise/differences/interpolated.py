"""Numbers through the classes they occur with: shares of the classes at some points, and straight lines between."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.cuts import rounding_slack, width_cuts
from nearwise.differences.base import SAMPLE, Fitted, power, sample_rows
from nearwise.differences.profiles import squared_gaps

__all__ = ["Interpolated", "interpolated_points", "windowed_points"]

Floats = NDArray[np.float64]
Codes = NDArray[Any]


def interpolated_points(
    values: Floats, classes: Codes, weights: Floats, n_classes: int, bins: int, period: float | None
) -> tuple[Floats, Floats]:
    """(t,) midpoints of equal intervals, ascending, with one beyond either end, and (t, c) the class shares there."""
    low, high = (float(values.min()), float(values.max())) if period is None else (0.0, period)
    cuts = width_cuts(np.array([low, high]), bins)
    flat = cuts.place(values).astype(np.int64) * n_classes + classes
    counts = np.bincount(flat, weights, minlength=bins * n_classes).astype(np.float64).reshape(bins, n_classes)
    width = high / bins - low / bins
    middles: Floats = low + width * (np.arange(-1, bins + 1, dtype=np.float64) + 0.5)
    inner = _shares(counts)
    beyond = np.zeros((2, n_classes)) if period is None else inner[[-1, 0]]
    return middles, np.vstack([beyond[:1], inner, beyond[1:]])


def windowed_points(
    values: Floats, classes: Codes, weights: Floats, n_classes: int, bins: int, period: float | None
) -> tuple[Floats, Floats]:
    """(t,) the different values, ascending, with one beyond either end, and (t, c) the class shares around them."""
    low, high = (float(values.min()), float(values.max())) if period is None else (0.0, period)
    half = (high / bins - low / bins) / 2
    reach = half + rounding_slack(low, high, bins)  # a value at the border of a window is in it, in every unit
    at = np.unique(values)
    if period is not None:  # a turn before and a turn after: windows reach over the seam
        values = np.concatenate([values - period, values, values + period])
        classes, weights = np.tile(classes, 3), np.tile(weights, 3)
    order = np.argsort(values, kind="stable")
    values, classes, weights = values[order], classes[order], weights[order]
    first = np.searchsorted(values, at - reach, side="left")
    last = np.searchsorted(values, at + reach, side="right")
    counts = np.empty((len(at), n_classes))
    for c in range(n_classes):
        upto = np.concatenate([[0.0], np.cumsum(np.where(classes == c, weights, 0.0))])
        counts[:, c] = upto[last] - upto[first]
    inner = _shares(np.maximum(counts, 0.0))
    if period is not None:
        ends = np.array([at[-1] - period, at[0] + period]) if len(at) else np.array([0.0, period])
        beyond = inner[[-1, 0]] if len(at) else np.zeros((2, n_classes))
    else:
        ends, beyond = np.array([low - half, high + half]), np.zeros((2, n_classes))
    return np.concatenate([ends[:1], at, ends[1:]]), np.vstack([beyond[:1], inner, beyond[1:]])


def _shares(counts: Floats) -> Floats:
    totals = counts.sum(axis=1)
    return np.asarray(counts / np.where(totals > 0, totals, 1.0)[:, None])


class Interpolated(Fitted):
    """The Euclidean length between the class shares of two numbers; with p = 2 the root is never taken."""

    form = "profile"
    symmetric = True
    embeds = True
    unit = 1.0
    maximum = 1.0

    def __init__(
        self, column: Column, points: Floats, shares: Floats, period: float | None, absent: Floats | None
    ) -> None:
        self.points, self.shares, self.period, self.absent = points, shares, period, absent
        self.codes_missing = absent is not None
        values = self.encode(column)
        self._training = values if self.codes_missing else values[~column.missing]

    def encode(self, column: Column) -> Floats:
        return column.values if self.period is None else np.mod(column.values, self.period)

    def embed(self, values: Floats) -> Floats:
        """(n, c) the class shares at these numbers."""
        at = np.clip(np.searchsorted(self.points, values, side="right"), 1, len(self.points) - 1)
        low, high = self.points[at - 1], self.points[at]
        with np.errstate(over="ignore", invalid="ignore"):
            way = np.clip((values - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
        below = self.shares[at - 1]
        out = below + way[:, None] * (self.shares[at] - below)
        if self.absent is not None:
            out[np.isnan(values)] = self.absent
        return np.asarray(out)

    def pair(self, x: Any, q: Any) -> float:
        return float(np.sqrt(self.term(x, q, 2)))

    def term(self, x: Any, q: Any, p: float) -> float:
        if p != 2:
            return super().term(x, q, p)
        own, other = (self.embed(np.array([v], dtype=np.float64))[0] for v in (x, q))
        total = 0.0
        for a, b in zip(own.tolist(), other.tolist(), strict=True):
            total += (b - a) * (b - a)
        return total if total == total else self.maximum**2

    def block(self, X: Floats, Q: Floats) -> Floats:
        return np.sqrt(self.block_terms(X, Q, 2))

    def block_terms(self, X: Floats, Q: Floats, p: float) -> Floats:
        squares = squared_gaps(self.embed(Q), self.embed(X))
        np.copyto(squares, self.maximum**2, where=np.isnan(squares))
        return squares if p == 2 else np.asarray(power(np.sqrt(squares), p))

    @cached_property
    def _sample(self) -> Floats:
        """The training values, or so many of them that a mean over them is good enough."""
        if len(self._training) <= SAMPLE:
            return self._training
        return self._training[sample_rows([v.tobytes() for v in self._training])]

    def expected(self, values: Floats) -> Floats:
        if not len(self._sample) or not len(values):
            return np.zeros(len(values))
        step = max(1, (1 << 21) // len(self._sample))
        means = [self.block(self._sample, values[i : i + step]).mean(axis=1) for i in range(0, len(values), step)]
        return np.concatenate(means)

    @cached_property
    def expected_both(self) -> float:
        return float(self.expected(self._sample).mean()) if len(self._sample) else 0.0
