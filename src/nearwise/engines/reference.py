"""The obvious engine: loops over queries, cases and features. Slow, and the measure of all the others."""

from __future__ import annotations

import numpy as np

from nearwise.differences.metric import Measured, power
from nearwise.engines.base import Distance, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.engines.select import empty_levels, empty_neighbours, fill_levels, fill_nearest
from nearwise.weights import Matrix

__all__ = ["ReferenceEngine", "terms"]


def terms(distance: Distance, i: int, queries: Measured, j: int) -> tuple[list[float], float]:
    """The terms w_f * delta_f^p of stored case i and query j, and the factor that "ignore" rescales them by.

    The sum before the root is ``factor * sum(terms)``. Where every feature is left out, each counts with its largest
    difference and the factor is 1.
    """
    metric, stored = distance.metric, distance.stored
    out: list[float] = []
    known = total = 0.0
    left_out = False
    for f, measure in enumerate(metric.measures):
        weight = distance.weights.one(f, stored, i, queries, j)
        term = measure.term(stored.cases.columns[f], i, queries.columns[f], j, metric.p)
        total += weight
        if term is None:
            left_out = True
            out.append(0.0)
            continue
        known += weight
        out.append(weight * measure.scale(metric.p) * term)
    if not left_out:
        return out, 1.0
    if known > 0:
        return out, total / known
    worst = [
        distance.weights.one(f, stored, i, queries, j) * m.scale(metric.p) * float(power(m.fitted.maximum, metric.p))
        for f, m in enumerate(metric.measures)
    ]
    return worst, 1.0


class ReferenceEngine(Engine):
    name = "reference"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return "a matrix of weights has no terms per feature" if isinstance(distance.weights, Matrix) else ""

    def _sums(self, queries: Measured, j: int) -> Floats:
        out = np.empty(len(self.distance.stored))
        for i in range(len(out)):
            found, factor = terms(self.distance, i, queries, j)
            total = 0.0
            for term in found:
                total += term
            out[i] = total * factor
        return out

    def sums(self, queries: Measured) -> Floats:
        rows = [self._sums(queries, j) for j in range(len(queries))]
        return np.array(rows).reshape(len(queries), len(self.distance.stored))

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        for j in range(len(queries)):
            fill_nearest(out, j, self._sums(queries, j), -1 if leave_out is None else int(leave_out[j]), payload)
        return out

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        out = empty_levels(len(queries), k, payload)
        for j in range(len(queries)):
            fill_levels(out, j, self._sums(queries, j), -1 if leave_out is None else int(leave_out[j]), payload)
        return out

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        found = []
        for j in range(len(queries)):
            sums = self._sums(queries, j)
            if leave_out is not None and leave_out[j] >= 0:
                sums[leave_out[j]] = np.inf
            near = np.flatnonzero(sums <= limits[j])
            near = near[np.argsort(sums[near], kind="stable")]
            found.append((sums[near], near))
        return found
