"""The obvious engine: loops over queries, cases and features. Slow, and the measure of all the others."""

from __future__ import annotations

import numpy as np

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Encoded, Measured
from nearwise.engines.base import Distance, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.engines.mapped import cannot_map, mean_of
from nearwise.engines.select import empty_levels, empty_neighbours, fill_levels, fill_nearest
from nearwise.weights import Matrix
from nearwise.weights.values import places, symbols

__all__ = ["ReferenceEngine", "mapped_terms", "terms"]


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
        out.append(float(weighted(weight * measure.scale(metric.p), term)))
    if not left_out:
        return out, 1.0
    if known > 0:
        return out, total / known
    worst = [
        float(
            weighted(
                distance.weights.one(f, stored, i, queries, j) * m.scale(metric.p), power(m.fitted.maximum, metric.p)
            )
        )
        for f, m in enumerate(metric.measures)
    ]
    return worst, 1.0


def mapped_terms(distance: Distance, i: int, queries: Measured, j: int) -> list[float]:
    """Under a matrix A: the terms (A (x - q))^2, one a new feature."""
    weights, columns = distance.weights, distance.stored.cases.columns
    assert isinstance(weights, Matrix)

    def number(f: int, column: Encoded, row: int) -> float:
        value = float(column.values[row])
        return value if np.isfinite(value) else mean_of(columns[f])

    def landing(row: list[float], f: int, column: Encoded, at: int) -> float:
        """Where a level of feature f lands in a new feature, which has this row of the matrix for its levels."""
        code, v = int(column.values[at]), symbols(weights.levels[f])
        missing = code < 0 or code == v or (column.missing is not None and bool(column.missing[at]))
        if not missing:
            return row[code] if code < v else 0.0
        if v < len(row):
            return row[v]
        stored = places(columns[f], v)
        counts = [int((stored == level).sum()) for level in range(v)]
        return sum(c * w for c, w in zip(counts, row, strict=True)) / max(1, sum(counts))

    out = []
    for new in range(len(weights.values)):
        gap = 0.0
        for f, (x, q) in enumerate(zip(columns, queries.columns, strict=True)):
            row = weights.blocks[f][new].tolist()
            if weights.levels[f]:
                gap += landing(row, f, x, i) - landing(row, f, q, j)
            elif row[0] and distance.metric.measures[f].scale(1):
                gap += row[0] * ((number(f, x, i) - number(f, q, j)) * distance.metric.measures[f].scale(1))
        out.append(gap * gap)
    return out


class ReferenceEngine(Engine):
    name = "reference"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return cannot_map(distance) if isinstance(distance.weights, Matrix) else ""

    def _sums(self, queries: Measured, j: int) -> Floats:
        out = np.empty(len(self.distance.stored))
        is_mapped = isinstance(self.distance.weights, Matrix)
        for i in range(len(out)):
            if is_mapped:
                out[i] = sum(mapped_terms(self.distance, i, queries, j))
                continue
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
            near = np.flatnonzero(sums <= limits[j])
            near = near if leave_out is None else near[near != leave_out[j]]  # also where the limit is infinite
            near = near[np.argsort(sums[near], kind="stable")]
            found.append((sums[near], near))
        return found
