"""What a fitted estimator on feature projections holds, and how it changes when cases come or go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.search.base import Floats, Ints, Payload
from nearwise.statistics.projections import Patched, Projections, Votes, can_be_patched, patched
from nearwise.weighting import Problem
from nearwise.weights import Global, Weights

__all__ = ["Cases", "ProjectionModel", "Since"]


@dataclass(frozen=True)
class Cases:
    """The target and the ids of the cases that are there now."""

    target: Target
    ids: NDArray[np.int64]
    next_id: int


@dataclass(frozen=True)
class Since:
    """What happened since the cases of a model were sorted: ``n`` of them then, those ``gone`` now, those that came."""

    n: int
    gone: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """ascending"""
    came: CaseTable | None = None
    """those that are still there, each with its label"""

    @property
    def kept(self) -> Ints:
        """The sorted cases that are still there, which come before those that came."""
        stays = np.ones(self.n, dtype=bool)
        stays[self.gone] = False
        return np.flatnonzero(stays)

    @property
    def moved(self) -> int:
        return len(self.gone) + (0 if self.came is None else len(self.came))

    def added(self, table: CaseTable, before: int) -> Since:
        """After these cases came to so many ``before``."""
        named = table.labels or tuple(range(before, before + len(table)))
        table = replace(table, labels=named)
        return replace(self, came=table if self.came is None else self.came.append(table))

    def without(self, rows: Ints) -> Since:
        """After these cases went, by their ascending places among those there were."""
        left = self.n - len(self.gone)
        first = np.searchsorted(rows, left)
        gone, came = self._sorted_at(rows[:first]), self.came
        if came is not None and first < len(rows):
            stayed = np.delete(np.arange(len(came)), rows[first:] - left)
            came = came.keep(stayed) if len(stayed) else None
        return replace(self, gone=np.union1d(self.gone, gone).astype(np.intp), came=came)

    def _sorted_at(self, places: Ints) -> Ints:
        """Which sorted cases have these places among those that are left: each case gone before them is one more."""
        return places + np.searchsorted(self.gone - np.arange(len(self.gone)), places, side="right")

    def together(self, table: CaseTable) -> CaseTable:
        """The table of the sorted cases, without those that went and with those that came."""
        if len(self.gone):
            table = table.keep(self.kept)
        if self.came is None:
            return table
        together = table.append(self.came)
        return replace(together, labels=None) if together.labels == tuple(range(len(together))) else together


@dataclass(frozen=True)
class ProjectionModel:
    """The stored cases on each feature, the weights, and the ids of the cases; immutable.

    Cases that came or went since all of them were sorted are held apart while they are few, and everything about the
    cases as one table is made when it is first asked for.
    """

    sorted: Problem
    axes: Projections
    """of the sorted cases"""
    weights: Weights
    cases: Cases
    since: Since
    patch: Patched | None = None
    """the axes as they are now, where cases came or went since"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """how features are compared, where cases came or went since"""

    @classmethod
    def of(
        cls, problem: Problem, weights: Weights, ids: NDArray[np.int64], next_id: int, threads: int = 1
    ) -> ProjectionModel:
        """The model of these cases, all of them sorted."""
        axes = Projections.of(problem.metric, problem.cases, payload_of(problem.target, problem.target), threads)
        return cls(problem, axes, weights, Cases(problem.target, ids, next_id), Since(len(ids)))

    @property
    def target(self) -> Target:
        return self.cases.target

    @property
    def ids(self) -> NDArray[np.int64]:
        return self.cases.ids

    @property
    def next_id(self) -> int:
        return self.cases.next_id

    @property
    def schema(self) -> Schema:
        return self.sorted.table.schema

    @property
    def metric(self) -> Metric:
        """How queries are measured."""
        return self.sorted.metric if self.patch is None else self.patch.metric

    @property
    def factors(self) -> Floats:
        """(p,) what a vote of each feature counts."""
        return self.weights.values if isinstance(self.weights, Global) else self.weights.importances

    @cached_property
    def problem(self) -> Problem:
        """All cases, typed and measured."""
        if self.patch is None:
            return self.sorted
        return Problem.of(self.since.together(self.sorted.table), self.target, **self.settings)

    @property
    def table(self) -> CaseTable:
        return self.problem.table

    @cached_property
    def projections(self) -> Projections:
        """All cases on each feature."""
        return self.axes if self.patch is None else self._all_sorted(self.problem, self.since)

    def _all_sorted(self, problem: Problem, since: Since) -> Projections:
        payload = payload_of(problem.target, problem.target)
        return self.axes.changed(problem.metric, problem.cases, payload, since.kept)

    def votes(
        self, queries: Measured, k: int, weights: Floats, *, ties: str, leave_out: Ints | None = None,
        by_feature: bool = False, seed: Any = None,
    ) -> Votes:  # fmt: skip
        """The votes of the k nearest on each feature, times the weights (p,); see `Projections.votes`."""
        if self.patch is not None and ties == "fair" and leave_out is None:
            return self.patch.votes(queries, k, weights, by_feature)
        return self.projections.votes(
            queries, k, weights, ties=ties, leave_out=leave_out, by_feature=by_feature, seed=seed
        )

    def with_changes(self, cases: Cases, since: Since, settings: Mapping[str, Any]) -> ProjectionModel | None:
        """The model of these cases under the same weights, without sorting; None where all must be sorted again."""
        if not can_be_patched(self.axes, since.moved) or not _is_like(self.sorted.target, cases.target):
            return None
        table = self.sorted.table.take(since.gone[:0]) if since.came is None else since.came
        came = self.sorted.metric.measure(table)
        new = cases.target.take(np.arange(len(cases.ids) - len(table), len(cases.ids)))
        patch = patched(self.axes, since.gone, came, payload_of(new, cases.target))
        return None if patch is None else replace(self, cases=cases, since=since, patch=patch, settings=settings)

    def sorted_again(self, problem: Problem, weights: Weights, cases: Cases, since: Since) -> ProjectionModel:
        """The model of the cases that are there now, ``problem``; what was sorted is merged with what came."""
        return ProjectionModel(problem, self._all_sorted(problem, since), weights, cases, Since(len(cases.ids)))


def payload_of(target: Target, every: Target) -> Payload:
    """What a case brings to the vote: its weight into its class; or its weight, and weight * number.

    Numbers are added up about the middle of ``every`` case, so that they keep their digits.
    """
    if target.classes is not None:
        return Payload(target.values, target.weights[:, None], target.n_classes)
    values = np.stack([target.weights, target.weights * (target.values - every.middle)], axis=1)
    return Payload(np.zeros(len(target), dtype=np.intp), values, 1)


def _is_like(before: Target, now: Target) -> bool:
    """Whether the votes of cases stay what they were."""
    if before.classes is None or now.classes is None:
        return before.middle == now.middle
    return np.array_equal(before.classes, now.classes)
