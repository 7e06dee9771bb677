"""The index of codes: purely symbolic distances, on deduplicated codes in the C++ core.

Equal cases are stored once and sorted with the heaviest feature first, so that cases which agree in the heavy features
form subtrees. 32 queries walk the tree together, each with a lower bound of one byte; a subtree or case is passed over
only if its bound exceeds the k-th sum found so far and the tolerance of a tie. What is left is summed in double
precision in schema order. Where the tree would branch into single cases it ends and the cases are scanned, so the same
walk is a search of a trie for few symbols and a scan for many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure, Measured, power
from nearwise.differences.profiles import ProfileFitted
from nearwise.differences.symbolic import OverlapFitted
from nearwise.native import core
from nearwise.progress import progress
from nearwise.search.base import TIE, Distance, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.index.base import Index
from nearwise.search.layout.segments import row_of_weights, skipped
from nearwise.search.layout.serves import Serves
from nearwise.search.orders import Order, made_by

__all__ = ["LEAF", "CodesIndex"]

LEAF = 4
"""a range of at most so many cases is scanned"""
TABLE_BYTES = 128 << 20
"""memory for tables of differences; beyond it rows are made for a few queries at a time"""
PIECE_SECONDS = 0.05
"""how long a call of the core may take, so that Ctrl-C answers"""

Codes = NDArray[np.int32]


class CodesIndex(Index):
    """`nearest` and `levels` run in the core."""

    name = "codes"
    serves = Serves(forms=("overlap", "table"))
    nanoseconds = 0.02

    def __init__(self, distance: Distance, threads: int = 1, leaf: int = LEAF, order: Order | None = None) -> None:
        super().__init__(distance, threads)
        native = core()
        assert native is not None  # refused otherwise
        stored = distance.stored
        self._features = [
            _Feature(m, x, distance.metric.p) for m, x in zip(distance.metric.measures, stored.cases.columns)
        ]
        coefficients = np.atleast_2d(np.asarray(distance.weights.values)) * distance.metric.scales()
        codes = np.empty((len(self._features), len(stored)), dtype=np.int32)
        for row, feature, column in zip(codes, self._features, stored.cases.columns, strict=True):
            row[:] = feature.stored(column)
        values = np.array([f.values for f in self._features], dtype=np.int32)
        is_table = np.array([f.is_table for f in self._features], dtype=np.uint8)
        cases = codes, values, is_table, row_of_weights(distance), np.ascontiguousarray(coefficients), leaf
        self._index: Any = made_by(lambda known: native.CodesIndex(*cases, known), order)
        patterns, nodes = self._index.patterns, self._index.nodes
        self.note = f"{patterns} different cases of {len(stored)}, in a tree of {nodes} nodes"
        self._row_bytes = sum(8 * f.values for f in self._features if f.is_table)
        kept = sum(8 * f.values**2 for f in self._features if f.is_table) <= TABLE_BYTES
        self._tables = [_Table(f) for f in self._features] if kept else None

    @classmethod
    def by(cls, distance: Distance, threads: int, orders: Mapping[str, Order]) -> Self:
        return cls(distance, threads, order=orders.get("codes"))

    def orders(self) -> dict[str, Order]:
        return {"codes": self._index.order()}

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if not distance.metric.measures:
            return "there are no features"
        for measure in distance.metric.measures:
            if not isinstance(measure.fitted, OverlapFitted | ProfileFitted):
                return f"it does not compare feature {measure.name!r} ({measure.difference})"
        return super().refuses(distance)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        return self._nearest(queries, k, payload, leave_out, None)

    def nearest_up_to(
        self, queries: Measured, k: int, payload: Payload, reach: Floats, leave_out: Ints | None = None
    ) -> Neighbours:
        return self._nearest(queries, k, payload, leave_out, reach)

    def _nearest(
        self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None, reach: Floats | None
    ) -> Neighbours:
        m, parts = len(queries), self._answers(queries, k, payload, leave_out, False, reach)
        sums, indices, inside, tied, tie_sums = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Neighbours(sums.reshape(m, k), indices.reshape(m, k), inside, tied, tie_sums.reshape(m, *payload.shape))

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        m, parts = len(queries), self._answers(queries, k, payload, leave_out, distinct=True, reach=None)
        sums, counts, _, _, sums_of_payload = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Levels(sums.reshape(m, k), counts.reshape(m, k), sums_of_payload.reshape(m, k, *payload.shape))

    def _answers(
        self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None, distinct: bool, reach: Floats | None
    ) -> list[tuple[NDArray[Any], ...]]:
        m, p = len(queries), len(self._features)
        codes = np.empty((m, p), dtype=np.int32)
        for f, (feature, column) in enumerate(zip(self._features, queries.columns, strict=True)):
            codes[:, f] = feature.asked(column)
        skip = skipped(leave_out, m)
        step = m if self._tables is not None else max(1, TABLE_BYTES // self._row_bytes)
        starts = range(0, max(1, m), max(1, step))
        least = np.full(m, np.inf) if reach is None else np.ascontiguousarray(reach)
        each = [slice(start, start + step) for start in starts]
        return [self._answer(codes[rows], skip[rows], k, payload, distinct, least[rows]) for rows in each]

    def _answer(
        self, codes: Codes, skip: Ints, k: int, payload: Payload, distinct: bool, reach: Floats
    ) -> tuple[NDArray[Any], ...]:
        native = core()
        assert native is not None
        rows = codes
        if self._tables is not None:
            tables = [table.of(codes[:, f]) for f, table in enumerate(self._tables)]
        else:
            rows, tables = np.empty_like(codes), []
            for f, feature in enumerate(self._features):
                wanted, rows[:, f] = np.unique(codes[:, f], return_inverse=True)
                tables.append(feature.terms(wanted))
        search = native.CodesSearch(self._index, codes, rows, tables, skip, *payload.packed, k, TIE, distinct, reach)
        for _ in progress(self._pieces(search, len(codes)), 100, "searching"):
            pass
        found: tuple[NDArray[Any], ...] = search.result()
        return found

    def _pieces(self, search: Any, m: int) -> Iterator[int]:
        """Runs the search; one step a percent."""
        done = shown = 0
        while done < m:
            done = search.run(self.threads, PIECE_SECONDS)
            yield from range(shown, shown := 100 * done // m)


class _Feature:
    """How one feature is coded: stored and query codes in 0 .. values - 1, the last one for missing values."""

    def __init__(self, measure: Measure, column: Encoded, p: float) -> None:
        self.policy, self.p = measure.policy, p
        self.fitted = measure.fitted if isinstance(measure.fitted, ProfileFitted) else None
        highest = int(column.values.max(initial=-1))
        self.values = (highest + 1 if self.fitted is None else len(self.fitted.strange)) + 1

    @property
    def is_table(self) -> bool:
        return self.fitted is not None

    def stored(self, column: Encoded) -> Codes:
        return self._coded(column, self.values - 1)

    def asked(self, column: Encoded) -> Codes:
        """Overlap: the stored code that is equal, or -1. Table: its row."""
        if self.is_table:
            return self._coded(column, self.values - 1)
        known = np.where(column.values < self.values - 1, column.values, -1)
        return self._coded(Encoded(known, column.missing), self.values - 1 if self.policy == "value" else -1)

    @staticmethod
    def _coded(column: Encoded, missing: int) -> Codes:
        return column.values if column.missing is None else np.where(column.missing, missing, column.values)

    def terms(self, codes: NDArray[Any]) -> Floats:
        """(len(codes), values) what these query codes add to a sum before the coefficient; nothing under overlap."""
        if self.fitted is None:
            return np.empty((0, 0))
        known = codes < self.values - 1
        out = np.full((len(codes), self.values), power(self.fitted.maximum, self.p))
        out[known, :-1] = self.fitted.terms(codes[known], self.p)
        return out


class _Table:
    """The rows of a feature's table that were asked for so far; the others are not worked out."""

    def __init__(self, feature: _Feature) -> None:
        self._feature, self._lock = feature, Lock()
        size = feature.values if feature.is_table else 0
        self._terms = np.empty((size, size))
        self._made = np.zeros(size, dtype=bool)

    def of(self, codes: Codes) -> Floats:
        """(values, values) with at least the rows of these codes."""
        if not self._feature.is_table:
            return self._terms
        with self._lock:  # a row is written once and read only after that
            if not self._made[codes].all():
                asked = np.zeros_like(self._made)
                asked[codes] = True
                new = np.flatnonzero(asked & ~self._made)
                self._terms[new] = self._feature.terms(new)
                self._made |= asked
        return self._terms
