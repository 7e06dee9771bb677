"""The search under quadratic forms, one for each query: a scan of all cases in the C++ core.

Single precision, with a bound for its error, proposes the cases that may be near; double precision decides, in the
order of the NumPy blocks: the same sums to the last bit. A form is added up row by row and no term is negative, so
cases that a few rows put beyond the k-th nearest so far are left.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Engine, Floats, Ints, Neighbours, Payload
from nearwise.search.fallback.form_blocks import FormBlocks, cannot_form
from nearwise.search.index.base import Index, in_chunks
from nearwise.search.layout.columns import packed
from nearwise.search.layout.serves import Serves
from nearwise.weights import Weights

__all__ = ["FormsIndex"]

IN_CORE = Serves(("forms",))
"""numbers and symbols by overlap, whose missing values are constants"""


class FormsIndex(Index):
    """Maps the differences of every case; kinds that the core does not know go to the blocks."""

    name = "forms"
    nanoseconds = 1.0
    rest_made = FormBlocks

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self.note = IN_CORE.refuses(distance) and f"in NumPy: {IN_CORE.refuses(distance)}"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return cannot_form(distance)

    def under(self, weights: Weights) -> Engine:
        self._cases  # noqa: B018 - packed now, so that both share them
        return self._sharing(weights)

    @cached_property
    def _cases(self) -> Any:
        """The stored cases in the core; None where it cannot take them."""
        native = core()
        if self.note or native is None:
            return None
        metric = self.distance.metric
        scales = np.array([m.scale(1) for m in metric.measures])
        return native.Forms(packed(self.distance.stored.cases), metric.is_overlap, scales, metric.one, metric.both)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        m, cases = len(queries), self._cases
        if cases is None or m == 0:
            return self.rest.nearest(queries, k, payload, leave_out)
        forms: Floats = self.distance.weights.of_queries(slice(0, m), m).values
        forms = np.ascontiguousarray(np.broadcast_to(forms, (m, *forms.shape[1:])))
        asked = np.ascontiguousarray(packed(queries).T)
        skip = np.full(m, -1, dtype=np.int64) if leave_out is None else np.ascontiguousarray(leave_out, dtype=np.int64)

        def ask(rows: slice) -> tuple[Any, ...]:
            found: tuple[Any, ...] = cases.nearest(
                asked[rows], forms[rows], skip[rows], k, TIE, *payload.packed, self.threads
            )
            return found

        return in_chunks(self, m, k, payload, len(self.distance.stored) * forms.shape[2] * 4, ask)
