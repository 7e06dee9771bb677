"""The plain scan in double precision, in one pass of the C++ core: any shape of weights, any missing policy."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Measured, Metric
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Engine, Floats, Ints, Neighbours, Payload
from nearwise.search.index.base import Index, in_chunks
from nearwise.search.layout.columns import Layout, asks_left_out
from nearwise.search.layout.segments import Segments
from nearwise.search.layout.serves import Serves
from nearwise.weights import PerValue, Weights

__all__ = ["ScanIndex"]


class ScanIndex(Index):
    """Numbers, symbols by overlap and value differences that are lengths; every case is compared with every query."""

    name = "scan"
    serves = Serves(("global", "per-class", "per-case", "per-query", "per-value"), embeds=True, every_policy=True)
    nanoseconds = 0.4

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self._layout, self._segments = Layout.of(distance.metric), Segments.of(distance)
        self._means = np.array([m.takes_means for m in distance.metric.measures], dtype=np.uint8)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        ignored = [m.name for m in distance.metric.measures if m.ignores]
        if ignored and distance.weights.shape not in ("global", "per-class"):
            return f"feature {ignored[0]!r} is left out where it is missing, which wants weights of features"
        return super().refuses(distance)

    @cached_property
    def _cases(self) -> Any:
        """The cases by segment in the core, packed when first searched."""
        native, stored, weights = core(), self.distance.stored, self.distance.weights
        assert native is not None  # refused otherwise
        layout, segments = self._layout, self._segments
        of_features = weights.values if weights.shape in ("global", "per-class") else self._no_weights
        cases = native.ScanCases(
            segments.arranged(layout.packed(stored.cases)), layout.is_symbol, segments.bounds,
            layout.coefficients(of_features), layout.one, layout.both, float(layout.metric.p), segments.order,
        )  # fmt: skip
        if layout.joins:
            cases.join(layout.joined)
        if self._means.any():
            cases.expect(self._means[layout.feature], segments.arranged(self._expected(stored.cases)))
        if any(m.ignores for m in layout.metric.measures):
            own = np.atleast_2d(np.asarray(of_features, dtype=np.float64))
            is_ignored = np.array([m.ignores for m in layout.metric.measures], dtype=np.uint8)[layout.feature]
            counted_once = np.where(layout.joined == 0, own[:, layout.feature], 0.0)
            cases.ignore(is_ignored, np.ascontiguousarray(counted_once), _largest_sums(layout.metric, own))
        if weights.shape in ("per-case", "per-query", "per-value"):
            by_case = self._by_case
            scales = layout.metric.scales()[layout.feature] if weights.shape == "per-value" else None
            arranged = None if by_case is None else segments.arranged(by_case[layout.feature])
            cases.weigh(arranged, scales, weights.shape != "per-case")
        return cases

    def under(self, weights: Weights) -> Engine:
        if self.distance.weights.shape != "per-query" or weights.shape != "per-query":
            return super().under(weights)
        self._cases  # noqa: B018 - packed now, so that both share it
        return self._sharing(weights)

    @property
    def _no_weights(self) -> Floats:
        """(segments, p) zeros, where weights come with cases and queries."""
        return np.zeros((len(self._segments.bounds) - 1, len(self._layout.metric.names)))

    @property
    def _by_case(self) -> Floats | None:
        """(p, n) coefficients of cases, or what values of theirs add to the weight; None where they have none."""
        weights, stored, scales = self.distance.weights, self.distance.stored, self._layout.metric.scales()
        if isinstance(weights, PerValue):
            each = [weights.of_stored(f, stored) for f in range(len(scales))]
            return np.stack([np.zeros(len(stored)) if own is None else own for own in each])
        if weights.shape == "per-query":
            return None
        return np.stack([(weights.pairs(f, stored, stored.cases) * scales[f])[0] for f in range(len(scales))])

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        m, layout = len(queries), self._layout
        if core() is None or m == 0 or asks_left_out(self.distance.metric, queries):
            return self.rest.nearest(queries, k, payload, leave_out)
        asked, skip = self._asked(queries), self._segments.skipped(leave_out, m)
        given = self._segments.payload(payload)

        def ask(rows: slice) -> tuple[Any, ...]:
            found: tuple[Any, ...] = self._cases.nearest(asked[rows], skip[rows], k, TIE, *given, self.threads)
            return found

        return in_chunks(self, m, k, payload, len(self.distance.stored) * len(layout.feature), ask)

    def _asked(self, queries: Measured) -> Floats:
        """(m, columns or more) the values, what is expected where the case has none, and coefficients by query."""
        m, layout = len(queries), self._layout
        weights = self.distance.weights.of_queries(slice(0, m), m)
        parts = [layout.packed(queries).T]
        if self._means.any():
            parts.append(self._expected(queries).T)
        if weights.shape == "per-query":
            own = np.broadcast_to(weights.values * layout.metric.scales(), (m, len(queries.columns)))
            parts.append(own[:, layout.feature])
        if isinstance(weights, PerValue):
            by_class = np.zeros((m, max(1, len(weights.classes)), len(queries.columns)))
            for f in range(len(queries.columns)):
                asked = weights.of_asked(f, queries)
                if asked is not None:
                    by_class[:, :, f] = asked
            parts.append(by_class[:, :, layout.feature].reshape(m, -1))
        return np.ascontiguousarray(np.hstack(parts))

    def _expected(self, cases: Measured) -> Floats:
        """(columns, n) the mean difference of each value from the training values, where the policy asks for it."""
        out = np.zeros((len(cases.columns), len(cases)))
        for row, column in zip(out, cases.columns, strict=True):
            if column.expected is not None:
                row[:] = column.expected
        return out[self._layout.feature]


def _largest_sums(metric: Metric, weights: Floats) -> Floats:
    """(rows,) the sum where no feature is known: each counts with its largest difference, in the order of features."""
    out = np.zeros(len(weights))
    for f, (measure, scale) in enumerate(zip(metric.measures, metric.scales(), strict=True)):
        with np.errstate(over="ignore"):
            out = out + weighted(weights[:, f] * scale, power(measure.fitted.maximum, metric.p))
    return out
