"""The obvious engine: loops over queries, cases and features. Slow, and the measure of all the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.search.base import Distance, Floats
from nearwise.search.fallback.blocks import needs_own_index
from nearwise.search.fallback.form_blocks import cannot_form
from nearwise.search.fallback.matrix_blocks import cannot_map
from nearwise.search.fallback.rows import RowEngine
from nearwise.search.selection.rows import Row
from nearwise.search.terms import terms

__all__ = ["ReferenceEngine"]


class ReferenceEngine(RowEngine):
    """The terms of every pair, added up in the order of features."""

    name = "reference"
    nanoseconds = 5000.0

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        can = {"matrix": cannot_map, "forms": cannot_form}.get(distance.weights.served_by)
        if distance.weights.served_by and can is None:
            return needs_own_index(distance)
        return can(distance) if can is not None else ""

    def _sums(self, queries: Measured, j: int) -> Floats:
        out = np.empty(len(self.distance.stored))
        for i in range(len(out)):
            found, factor = terms(self.distance, i, queries, j)
            total = 0.0
            for term in found:
                total = total + term if self.distance.metric.adds else max(total, term)
            out[i] = total * factor
        return out

    def rows(self, queries: Measured) -> Iterator[Row]:
        return ((j, self._sums(queries, j), None) for j in range(len(queries)))

    def sums(self, queries: Measured) -> Floats:
        rows = [sums for _, sums, _ in self.rows(queries)]
        return np.array(rows).reshape(len(queries), len(self.distance.stored))
