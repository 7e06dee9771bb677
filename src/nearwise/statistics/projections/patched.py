"""Projections after a few cases came or went: the axes that were sorted before, and what is different on each.

It answers what projections of the present cases would, to the last bit. Where the measure of a feature changes with
its cases by more than its range (new symbols, cuts between numbers, deviations), there is no patch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nearwise.cases.kinds import Ordinal
from nearwise.differences.metric import Measure, Measured, Metric
from nearwise.differences.numeric import Line
from nearwise.differences.symbolic import OverlapFitted
from nearwise.search.base import TIE, Floats, Ints, Payload
from nearwise.statistics.projections.axes import Axis, Brought
from nearwise.statistics.projections.changes import Changes, Moved, changes_of
from nearwise.statistics.projections.together import Projections, Votes

__all__ = ["Patched", "can_be_patched", "patched"]

LARGEST_SHARE = 32
"""the axes are sorted again when more than one in so many cases came or went since"""
FEW = 64
"""cases that may always come or go"""


@dataclass(frozen=True)
class Patched:
    """Projections of the cases that are there now, over axes of those of before; ties are shared fairly."""

    before: Projections
    metric: Metric
    changes: tuple[Changes, ...]
    """one per feature"""

    @cached_property
    def _held(self) -> Any:
        measures = zip(self.changes, self.metric.measures, strict=True)
        return self.before.held.with_changes(
            [(replace(c.axis, inverse=measure.scale(1)).for_core, c.n) for c, measure in measures]
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_held"}

    def votes(self, queries: Measured, k: int, weights: Floats, by_feature: bool = False) -> Votes:
        """The votes of the k nearest on each feature, times the weights (p,)."""
        pairs = zip(self.before.axes.values(), self.metric.measures, queries.columns, strict=True)
        values = np.stack([axis.asked(measure, column) for axis, measure, column in pairs])
        total, near, alone = self._held.vote(
            values, np.ascontiguousarray(weights), None, None, None, k, TIE, by_feature, self.before.threads
        )
        return Votes(total, near, alone if by_feature else None)


def can_be_patched(before: Projections, moved: int) -> bool:
    """Whether so many cases that came or went are few, and each feature is an axis that the core holds."""
    if moved > max(FEW, len(before.cases) // LARGEST_SHARE) or len(before.axes) < len(before.metric.measures):
        return False
    return before.held is not None and all(_stays_measured(measure) for measure in before.metric.measures)


def patched(before: Projections, gone: Ints, came: Measured, brought_by: Payload) -> Patched | None:
    """Projections without the cases ``gone`` and with those that came; None where the axes must be sorted again.

    ``came`` are measured by the metric of before.
    """
    brought, new = before.brought, Brought.of(brought_by)
    if brought.n_groups != new.n_groups or (brought.values is None and new.values is not None):
        return None
    if brought.values is not None:
        new = replace(new, values=brought_by.values)
    everyone, found, measures = np.arange(len(came)), [], []
    for f, axis in before.axes.items():
        measure, column = before.metric.measures[f], before.cases.columns[f].take(gone)
        left = Moved.of(axis.asked(measure, column), brought, gone)
        added = Moved.of(axis.asked(measure, came.columns[f]), new, everyone)
        changes = changes_of(axis, left, added, brought) if _is_known(measure, added.values) else None
        now = None if changes is None else _measured(measure, axis, changes)
        if changes is None or now is None:
            return None
        found.append(changes)
        measures.append(now)
    return Patched(before, replace(before.metric, measures=tuple(measures)), tuple(found))


def _stays_measured(measure: Measure) -> bool:
    """Whether cases that come or go change nothing of a measure but its range."""
    fitted = measure.fitted
    if type(fitted) is OverlapFitted:
        return fitted.coding.cuts is None
    return type(fitted) is Line and fitted.exponent == 0 and (fitted.by != "sigma" or fitted.period is not None)


def _is_known(measure: Measure, values: Floats) -> bool:
    """Whether all symbols are among those that were seen before."""
    if measure.fitted.form != "overlap":
        return True
    return not len(values) or bool(values.max() < len(measure.fitted.levels or ()) + measure.as_value)


def _measured(measure: Measure, axis: Axis, changes: Changes) -> Measure | None:
    """The measure of the cases that are there now; None where they are measured otherwise."""
    fitted = measure.fitted
    if axis.positions is None:
        assert changes.axis.before is not None
        used = np.diff(changes.axis.before)[: len(fitted.levels or ())] > 0
        return measure if used.all() or isinstance(measure.kind, Ordinal) else None
    assert isinstance(fitted, Line)
    ends = changes.ends
    if axis.period:
        same = np.isfinite(fitted.unit) and ends is not None and ends[0] < ends[1]
        return measure if same else None
    if axis.runs and ends == (axis.positions[0], axis.positions[-1]):
        return measure
    steps = len(fitted.levels or ()) - 1 if fitted.ranked else 0
    now = Line(np.array(ends or ()), fitted.by, None, steps=steps, ranked=fitted.ranked)
    now.levels = fitted.levels
    return replace(measure, fitted=now) if now.exponent == 0 else None
