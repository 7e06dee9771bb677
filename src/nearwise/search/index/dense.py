"""Numbers and symbols by proposal and decision: bytes or single precision propose, double precision decides.

The native indexes keep every case whose coarse value allows it to be among the nearest, by a proven bound, and rank
those in double precision, so the answer is that of the plain scan to the last bit. Bytes are tried first; where they
keep too many cases (clusters far apart), or a number is missing, single precision goes on. Powers other than 1 and 2,
and weights of queries or cases, begin in single precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.search.base import Distance, Engine, Floats, Ints, Neighbours, Payload
from nearwise.search.index.base import Index
from nearwise.search.index.first_few import FEATURES, FirstFew, features_that_count
from nearwise.search.index.proposals import LOOSE, MODULI, POWERS, PRODUCT, SQUARES, Question, by_singles, in_parts
from nearwise.search.index.scan import ScanIndex
from nearwise.search.layout.columns import Layout, asks_left_out, typed
from nearwise.search.layout.contrasts import Contrasts
from nearwise.search.layout.left_out import LeftOut
from nearwise.search.layout.segments import segment_of
from nearwise.search.layout.serves import IN_SINGLES
from nearwise.search.orders import Order, made_by
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Scaled, Weights

__all__ = ["DenseIndex"]

PAYS = 1_000
"""bytes save the time of this many feature differences for each case that they must leave to single precision"""
FEW = 32
"""packing the cases anew takes the time in which the plain scan answers about this many queries"""


BYTES, SINGLES = "bytes", "singles"
"""the names of its indexes"""


class DenseIndex(Index):
    """Numbers on a line and symbols by overlap; one weight a feature, or a feature and class, case or query."""

    name = "dense"
    serves = IN_SINGLES
    nanoseconds = 0.05

    def __init__(self, distance: Distance, threads: int = 1, orders: Mapping[str, Order] | None = None) -> None:
        super().__init__(distance, threads)
        self._orders = orders or {}
        native = core()
        assert native is not None  # refused otherwise
        layout = self._layout = Layout.of(distance.metric)
        self._by_query = distance.weights.shape == "per-query"
        self._by_case = distance.weights.shape == "per-case"
        plain = not self._by_query and not self._by_case  # otherwise weights come with cases and queries
        self._coefficients = layout.coefficients(_packed_weights(distance.weights, len(layout.embedded)))
        self._short = Contrasts.of(layout) if layout.joins and distance.metric.p == 2 else None
        self._numbers = layout.is_symbol == 0
        in_bytes = plain and distance.metric.p in (1, 2) and native.instruction_set() != "baseline"
        self._bytes: Any = self._packed(native.CoarseIndex, BYTES) if in_bytes else None
        if self._bytes is not None and not self._bytes.is_usable:
            self._bytes = None
        if self._bytes is None and not self._by_query and not self._singles.is_usable:
            self.note = "single precision cannot hold these numbers, so double precision scans"
        # two missing numbers are equal under "value": single precision has one answer for both kinds of hole
        own = self._numbers & (layout.both != layout.one)
        holes = np.array([c.missing is not None for c in distance.stored.cases.columns])[layout.feature]
        self._unequal_holes = np.flatnonzero(own & holes)

    @classmethod
    def by(cls, distance: Distance, threads: int, orders: Mapping[str, Order]) -> Self:
        return cls(distance, threads, orders)

    def orders(self) -> dict[str, Order]:
        made = {BYTES: self._bytes, SINGLES: vars(self).get("_singles")}  # single precision where it was asked so far
        return {name: index.order() for name, index in made.items() if index is not None and index.is_usable}

    def _packed(self, made: Any, name: str, **more: Any) -> Any:
        """The cases in an index of the core."""
        cases = self._arguments()
        return made_by(lambda order: made(*cases, **more, order=order), self._orders.get(name))

    def _arguments(self) -> tuple[Any, ...]:
        stored, layout, segment = self.distance.stored, self._layout, segment_of(self.distance)
        power = float(self.distance.metric.p)
        said = layout.is_symbol, self._coefficients, layout.one, layout.both
        if self._short is not None:
            vectors = layout.packed(stored.cases)
            symbols, coefficients, one, both = (self._short.with_short(each) for each in said)
            columns = typed(self._short.added_to(vectors), symbols)
            return columns, symbols, segment, coefficients, one, both, power, *self._short.roles, self._slack(vectors)
        joined = (layout.joined,) if layout.joins else ()
        return layout.columns(stored.cases), said[0], segment, *said[1:], power, *joined

    def _slack(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._short is not None
        return self._short.slack(columns, self._coefficients)

    @cached_property
    def _singles(self) -> Any:
        """The index in single precision, packed when bytes cannot serve."""
        native = core()
        assert native is not None  # the engine was made with it
        levels = self._left_out.stored_levels if self._left_out.is_needed else None
        return self._packed(native.DenseIndex, SINGLES, **self._of_cases(), by_query=self._by_query, levels=levels)

    def _of_cases(self) -> dict[str, Any]:
        """What the core takes of weights of cases."""
        stored, weights, feature = self.distance.stored, self.distance.weights, self._layout.feature
        if not self._by_case:
            return {}
        weights.pairs(0, stored, stored.cases)  # refuses weights of another number of cases
        if isinstance(weights, Scaled):
            scales = np.ascontiguousarray(self.distance.metric.scales()[feature])
            shared = np.ascontiguousarray(weights.common[:, feature])
            return {"case_factors": weights.factors, "shared": shared, "scales": scales}
        own = weights.values
        as_they_are = len(feature) == own.shape[1] and not self._layout.joins  # large tables are not copied
        return {"by_case": np.ascontiguousarray(own if as_they_are else own[:, feature])}

    def under(self, weights: Weights) -> Engine:
        if not self._by_query or weights.shape != "per-query":
            return super().under(weights)
        self._singles, self._by_rows  # noqa: B018 - packed now, so that both share it
        return self._sharing(weights)

    @cached_property
    def _by_rows(self) -> ScanIndex:
        """What scans in double precision, where weights come with the queries."""
        return ScanIndex(self.distance, self.threads)

    @cached_property
    def _left_out(self) -> LeftOut:
        """What stored cases need that ask without their own labels."""
        return LeftOut(self.distance, self._layout)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if FirstFew.pays(self.distance, len(queries), k) and self._few_count:
            return self.nearest_up_to(queries, k, payload, self._few.reach(queries, k, leave_out), leave_out)
        return self._nearest(queries, k, payload, leave_out, {})

    def nearest_up_to(
        self, queries: Measured, k: int, payload: Payload, reach: Floats, leave_out: Ints | None = None
    ) -> Neighbours:
        return self._nearest(queries, k, payload, leave_out, {"reach": reach})

    def _nearest(
        self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None, more: dict[str, NDArray[Any]]
    ) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        asked = self._layout.packed(queries)
        if self._short is not None:
            asked, more = self._short.added_to(asked), {**more, "slack": self._slack(asked)}
        if self._by_query:
            own = self.distance.weights.of_queries(slice(0, len(queries)), len(queries)).values
            more = {
                **more,
                "by_query": np.ascontiguousarray(np.broadcast_to(own, (len(queries), len(queries.columns)))),
            }
        asks = asks_left_out(self.distance.metric, queries)
        if asks:
            more = {**more, **self._left_out.more_of(queries)}
        question = Question.of(np.ascontiguousarray(asked.T), k, payload, leave_out, **more)
        left = np.arange(len(queries))
        if self._bytes is not None and not asks:
            left = self._ask_bytes(self._bytes, question, left, out)
        # weights of queries come with a call, and so does the packing
        if len(left) > (0 if (self._bytes is None or asks) and not self._by_query else FEW):
            left = self._ask_singles(question, left, out)
        if len(left):
            out.put(left, self._scan(queries, left, k, payload, leave_out))
        return out

    def _scan(
        self, queries: Measured, rows: NDArray[np.intp], k: int, payload: Payload, leave_out: Ints | None
    ) -> Neighbours:
        """Some queries in double precision alone."""
        engine, skip = None if self._by_query else self._plain, None if leave_out is None else leave_out[rows]
        if engine is None:
            own = self.distance.weights.of_queries(rows, len(queries))
            engine = self._by_rows.under(own)
        return engine.nearest(queries.take(rows), k, payload, skip)

    @cached_property
    def _few_count(self) -> bool:
        """Whether few features make most of the sums."""
        return features_that_count(self.distance) <= FEATURES

    @cached_property
    def _few(self) -> FirstFew:
        return FirstFew(type(self), self.distance, self.threads)

    @cached_property
    def _plain(self) -> Engine:
        """What scans in double precision, where weights do not come with the queries."""
        return ScanIndex(self.distance, self.threads)

    def _ask_bytes(self, index: Any, question: Question, rows: NDArray[np.intp], out: Neighbours) -> NDArray[np.intp]:
        """Answers what bytes can; gives the queries that are left."""
        n, p = len(self.distance.stored), question.asked.shape[1]
        served = np.zeros(len(question.asked), dtype=bool)
        for part in in_parts(rows, n * len(self._layout.feature), self.threads):
            found = index.nearest(*question.rows(part), self.threads, **question.more_of(part))
            kept = found[5]
            there = kept >= 0
            served[part[there]] = True
            out.put(part[there], Neighbours(*(found[:5] if there.all() else (each[there] for each in found[:5]))))
            if there.any() and kept[there].mean() > n * p / PAYS + LOOSE * question.k + 64:
                break
        return rows[~served[rows]]

    def _ask_singles(self, question: Question, rows: NDArray[np.intp], out: Neighbours) -> NDArray[np.intp]:
        """Answers what single precision can; gives the queries that are left."""
        if not self._singles.is_usable or self._unequal_holes.size:
            return rows
        return by_singles(self._singles, question, self._form(question.asked[rows]), rows, out, self.threads)

    def _form(self, asked: NDArray[np.float64]) -> int:
        if self.distance.metric.p != 2:
            return MODULI if self.distance.metric.p == 1 else POWERS
        holes = self._singles.has_holes or np.isnan(asked[:, : len(self._numbers)][:, self._numbers]).any()
        return SQUARES if holes or self._by_query or self._by_case else PRODUCT


def _packed_weights(weights: Weights, p: int) -> Floats:
    """(rows, p) the weights that are packed with the cases; 1 each where they come with cases and queries."""
    if isinstance(weights, Scaled):
        return weights.common
    return np.ones((1, p)) if weights.shape in ("per-query", "per-case") else np.atleast_2d(weights.values)
