"""A past case as a neighbour: how far it is, and what each feature adds to its distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.table import CaseTable
from nearwise.cases.times import as_time, in_words
from nearwise.differences.metric import Measure, Measured, power
from nearwise.search.base import Distance, Engine, Neighbours, Payload
from nearwise.search.terms import form_parts, names_of_terms, terms
from nearwise.weights import Forms

__all__ = ["Neighbour", "Query", "case_values", "contributions", "describe_case"]


@dataclass(frozen=True)
class Neighbour:
    """A past case, how far it is, and why."""

    index: int
    """position among the stored cases"""
    label: Any
    """what the table calls it"""
    target: Any
    """its class or number; None in retrieval"""
    distance: float
    contributions: dict[str, float]
    """feature -> its part of distance ** p; under p = infinity the largest is the distance"""
    vote_share: float
    values: dict[str, Any]
    query_values: dict[str, Any]
    factor: float = 1.0
    """what the sum was rescaled by because features were left out (missing="ignore")"""
    notes: dict[str, str] = field(default_factory=dict)
    """feature -> the missing policy that stood in for a value"""
    intervals: dict[str, tuple[str, str]] = field(default_factory=dict)
    """feature -> the intervals of the query's number and of this case's, where numbers are compared by intervals"""
    plain_distance: float | None = None
    """the distance before local scaling; the same where there is none"""
    differences: dict[str, tuple[float, str]] = field(default_factory=dict)
    """feature -> how far its two values are apart, and in which unit, where the feature has one"""
    p: float = 1.0
    """the power of the distance; members of an ensemble may differ"""
    weights: dict[str, float] = field(default_factory=dict)
    """feature -> its weight between this case and the query; under a quadratic form the squared length of its unit,
    under a matrix of new features none"""

    def differing(self, most: int = 3) -> list[str]:
        """The features that add most to the distance."""
        ranked = sorted(self.contributions, key=lambda f: -self.contributions[f])
        return [f for f in ranked[:most] if self.contributions[f] > 0]


@dataclass(frozen=True)
class Query:
    """One of the cases that are asked about."""

    table: CaseTable
    cases: Measured
    row: int
    itself: int = -1
    """the stored case that it is, which is no neighbour of its own; -1 where it is not stored"""
    factor: float = 1.0
    """what its distances are multiplied by, under local scaling"""

    @property
    def label(self) -> Any:
        return self.table.label(self.row)

    def nearest(self, engine: Engine, k: int, payload: Payload) -> Neighbours:
        """The nearest cases of this query alone."""
        leave_out = None if self.itself < 0 else np.array([self.itself])
        return engine.nearest(self.cases.take(np.array([self.row])), k, payload, leave_out)


def contributions(distance: Distance, i: int, queries: Measured, j: int) -> tuple[dict[str, float], float]:
    """Feature -> part of the sum before the root, and the factor by which "ignore" rescaled it."""
    if isinstance(distance.weights, Forms):
        return dict(zip(distance.metric.names, form_parts(distance, i, queries, j), strict=True)), 1.0
    found, factor = terms(distance, i, queries, j)
    return {name: term * factor for name, term in zip(names_of_terms(distance), found, strict=True)}, factor


def describe_case(
    distance: Distance, table: CaseTable, targets: Any, i: int, query: Query, total: float, share: float,
    case_factor: float = 1.0,
) -> Neighbour:  # fmt: skip
    """Stored case i as a neighbour of a query; ``total`` is the sum that the engine found.

    Under local scaling distances are multiplied by ``query.factor``, and ``case_factor`` is in the sum already.
    """
    parts, factor = contributions(distance, i, query.cases, query.row)
    if query.factor != 1.0:
        raised = float(power(query.factor, distance.metric.p))
        parts = {feature: part * raised for feature, part in parts.items()}
    away = float(distance.metric.root(np.array(total)))
    notes = {}
    for f, measure in enumerate(distance.metric.measures):
        if table.columns[f].missing[i] or query.table.columns[f].missing[query.row]:
            notes[measure.name] = measure.policy
    return Neighbour(
        index=i,
        label=table.label(i),
        target=None if targets is None else targets[i : i + 1].tolist()[0],
        distance=away * query.factor,
        contributions=parts,
        vote_share=share,
        values=case_values(table, i),
        query_values=case_values(query.table, query.row),
        factor=factor,
        notes=notes,
        intervals=_intervals(distance, table, i, query),
        plain_distance=away / case_factor,
        differences=_differences(table, i, query),
        p=distance.metric.p,
        weights=_weights(distance, i, query.cases, query.row),
    )


def _weights(distance: Distance, i: int, queries: Measured, j: int) -> dict[str, float]:
    """Feature -> what it weighs in this pair."""
    weights, names = distance.weights, distance.metric.names
    if isinstance(weights, Forms):
        return dict(zip(names, np.square(weights.of_query(j)).sum(axis=0).tolist(), strict=True))
    if weights.served_by:
        return {}
    return {name: weights.one(f, distance.stored, i, queries, j) for f, name in enumerate(names)}


def case_values(table: CaseTable, row: int) -> dict[str, Any]:
    """The values of a case; numbers that stand for dates and times as these."""
    found = {}
    for f, (name, kind) in enumerate(table.schema.items()):
        value = table.value(row, f)
        found[name] = value if value is None else _as_written(kind, value)
    return found


def _as_written(kind: Kind, value: Any) -> Any:
    if isinstance(kind, Numeric | Cyclic) and kind.holds is not None and kind.unit is not None:
        return as_time(value, kind.unit, kind.holds)
    return value


def _differences(table: CaseTable, i: int, query: Query) -> dict[str, tuple[float, str]]:
    found = {}
    for f, (name, kind) in enumerate(table.schema.items()):
        if not isinstance(kind, Numeric | Cyclic) or kind.unit is None:
            continue
        x, q = table.value(i, f), query.table.value(query.row, f)
        if x is not None and q is not None:
            gap = abs(x - q)
            if isinstance(kind, Cyclic):
                gap = min(gap % kind.period, kind.period - gap % kind.period)
            found[name] = (gap, kind.unit)
    return found


def _intervals(distance: Distance, table: CaseTable, i: int, query: Query) -> dict[str, tuple[str, str]]:
    found = {}
    for f, measure in enumerate(distance.metric.measures):
        levels, stored, asked = measure.fitted.levels, table.columns[f], query.table.columns[f]
        if levels is None or stored.levels is not None or stored.missing[i] or asked.missing[query.row]:
            continue
        codes = [int(measure.fitted.encode(c.take([row]))[0]) for c, row in ((asked, query.row), (stored, i))]
        levels = _interval_names(measure) or levels
        found[measure.name] = (str(levels[codes[0]]), str(levels[codes[1]]))
    return found


def _interval_names(measure: Measure) -> tuple[str, ...]:
    """Intervals between dates and times, by these; none where the numbers are no times."""
    cuts = getattr(getattr(measure.fitted, "coding", None), "cuts", None)
    if cuts is None or getattr(measure.kind, "holds", None) is None:
        return ()
    return tuple(cuts.named(lambda x: in_words(_as_written(measure.kind, x)) or f"{x:.6g}"))
