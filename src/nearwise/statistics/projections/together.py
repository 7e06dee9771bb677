"""All features of a table as projections: what each of them says of a query, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nearwise.differences.metric import Measured, Metric
from nearwise.native import core
from nearwise.search.base import TIE, Floats, Ints, Payload
from nearwise.statistics.projections.axes import Axis, Before, Brought, axis_of, is_axis
from nearwise.statistics.projections.searched import Searched
from nearwise.statistics.projections.walk import Skipped, votes_on

__all__ = ["Projections", "Votes"]


@dataclass(frozen=True)
class Votes:
    """What the features say of m queries, by g groups and v values."""

    total: Floats
    """(m, g, v) the votes of all features, each times its weight"""
    near: Floats
    """(m, g) the smallest difference at which a group has a vote; infinite without one"""
    by_feature: Floats | None
    """(m, p, g, v) the votes of each feature before its weight; None if nobody asked"""


@dataclass(frozen=True)
class Projections:
    """The stored cases on each feature by itself.

    Numbers and symbols are axes, sorted and counted once; all other kinds are searched on their feature alone. Where
    ties are not shared fairly, every feature is searched.
    """

    metric: Metric
    cases: Measured
    payload: Payload
    threads: int
    axes: dict[int, Axis]
    """feature -> its axis"""

    @classmethod
    def of(cls, metric: Metric, cases: Measured, payload: Payload, threads: int = 1) -> Projections:
        brought = Brought.of(payload)
        found = {
            f: axis_of(measure, column, brought)
            for f, (measure, column) in enumerate(zip(metric.measures, cases.columns, strict=True))
            if is_axis(measure)
        }
        return cls(metric, cases, payload, threads, found)

    def changed(self, metric: Metric, cases: Measured, payload: Payload, kept: Ints) -> Projections:
        """After cases were added or forgotten; ``kept`` are the cases that stayed, which come first."""
        brought = Brought.of(payload)
        found = {
            f: axis_of(measure, column, brought, self._before(f, kept))
            for f, (measure, column) in enumerate(zip(metric.measures, cases.columns, strict=True))
            if is_axis(measure)
        }
        return Projections(metric, cases, payload, self.threads, found)

    def _before(self, f: int, kept: Ints) -> Before | None:
        if f not in self.axes:
            return None
        return Before(self.axes[f], self.axes[f].asked(self.metric.measures[f], self.cases.columns[f]), kept)

    @cached_property
    def searched(self) -> tuple[Searched, ...]:
        """Each feature as one that is searched; what that takes is built when it is first asked."""
        pairs = zip(self.metric.measures, self.cases.columns, strict=True)
        return tuple(Searched(measure, column, self.payload, self.threads) for measure, column in pairs)

    @cached_property
    def brought(self) -> Brought:
        """What each case brings to the vote."""
        return Brought.of(self.payload)

    @cached_property
    def held(self) -> Any:
        """The axes in the core; None without it."""
        native = core()
        if native is None or not self.axes:
            return None
        return native.Projections([axis.for_core for axis in self.axes.values()], *self.payload.shape)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "held"}

    def votes(
        self,
        queries: Measured,
        k: int,
        weights: Floats,
        *,
        ties: str = "fair",
        leave_out: Ints | None = None,
        by_feature: bool = False,
        seed: Any = None,
        native: bool = True,
    ) -> Votes:
        """The votes of the k nearest on each feature, times the weights (p,); ``leave_out`` (m,) are cases to skip."""
        m, p, shape = len(queries), len(self.metric.measures), self.payload.shape
        alone = np.zeros((m, p, *shape)) if by_feature else None
        axes = list(self.axes) if ties == "fair" else []
        total, near = self._on_axes(axes, queries, k, weights, leave_out, alone, native)
        rng = np.random.default_rng(seed)
        for f in range(p):
            if f in axes or (weights[f] == 0 and alone is None):
                continue
            votes, away = self.searched[f].votes(queries.columns[f], k, ties, leave_out, rng)
            total += weights[f] * votes
            if weights[f] > 0:
                near = np.minimum(near, away)
            if alone is not None:
                alone[:, f] = votes
        return Votes(total, near, alone)

    def _on_axes(
        self, axes: list[int], queries: Measured, k: int, weights: Floats, leave_out: Ints | None, alone: Floats | None,
        native: bool,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """(m, g, v) votes of the features that are axes and (m, g) differences; ``alone`` is filled in."""
        m, (g, v) = len(queries), self.payload.shape
        if not axes:
            return np.zeros((m, g, v)), np.full((m, g), np.inf)
        values = np.stack([self.axes[f].asked(self.metric.measures[f], queries.columns[f]) for f in axes])
        own = np.full((len(axes), m), -1, dtype=np.int32)
        codes, amounts = np.zeros(m, dtype=np.int32), np.zeros((m, v))
        if leave_out is not None:
            own = np.stack([self.axes[f].run_of_case[leave_out] for f in axes])
            codes, amounts = self.payload.codes[leave_out].astype(np.int32), self.payload.values[leave_out]
        if native and self.held is not None:
            given = (None, None, None) if leave_out is None else (own, codes, np.ascontiguousarray(amounts))
            total, near, found = self.held.vote(
                values, np.ascontiguousarray(weights[axes]), *given, k, TIE, alone is not None, self.threads
            )
            if alone is not None:
                alone[:, axes] = found
            return total, near
        total, near = np.zeros((m, g, v)), np.full((m, g), np.inf)
        for at, f in enumerate(axes):
            votes, away = votes_on(self.axes[f], values[at], k, Skipped(own[at], codes, amounts), (g, v))
            total += weights[f] * votes
            if weights[f] > 0:
                near = np.minimum(near, away)
            if alone is not None:
                alone[:, f] = votes
        return total, near
