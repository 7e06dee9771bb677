"""The obvious engine: loops over queries, cases and features. Slow, and the measure of all the others."""

from __future__ import annotations

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.search.base import Distance, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.fallback.matrix_blocks import cannot_map
from nearwise.search.selection.smallest import empty_levels, empty_neighbours, fill_levels, fill_nearest
from nearwise.search.terms import mapped_terms, terms
from nearwise.weights import Matrix

__all__ = ["ReferenceEngine"]


class ReferenceEngine(Engine):
    name = "reference"
    nanoseconds = 5000.0

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
