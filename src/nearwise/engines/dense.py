"""Numbers and symbols by proposal and decision: single precision scans, double precision ranks what may be nearest.

The native index keeps every case whose single precision value allows it to be among the nearest, by a proven bound,
and ranks those in double precision, so the answer is that of the plain scan to the last bit.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.engines.base import TIE, Distance, Ints, Neighbours, Payload
from nearwise.engines.native import NativeEngine, core
from nearwise.engines.select import empty_neighbours
from nearwise.errors import InputError
from nearwise.progress import progress
from nearwise.weights import PerClass

__all__ = ["DenseEngine"]

CHUNK_TERMS = 1_000_000_000
"""feature differences a call and thread: well under 100 ms, so that Ctrl-C answers"""
PRODUCT, SQUARES, MODULI = 0, 1, 2
FIRST = 12
"""queries in the first chunk"""
HOPELESS = 16
"""where a 16th of all cases is kept on average, the rest of the queries go through the plain scan"""
LOOSE = 8
"""where the product keeps this many times k cases on average, its bound is too loose and squares are cheaper"""


class DenseEngine(NativeEngine):
    """Numbers on a line and symbols by overlap, p = 1 or 2, one weight a feature or a feature and class."""

    name = "dense"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        stored, weights, native = distance.stored, distance.weights, core()
        if native is None:
            raise InputError("The dense engine needs the C++ core, which is not built (or NEARWISE_NATIVE=0).")
        segment = np.zeros(len(stored), dtype=np.int32)
        if isinstance(weights, PerClass) and stored.classes is not None:
            segment = stored.classes.astype(np.int32)
        columns: list[NDArray[np.float64]] = []
        for column, fitted, measure in zip(stored.cases.columns, self._layout.embedded, distance.metric.measures):
            if fitted is not None:
                vectors = fitted.embed(column.values)
                if column.missing is not None:
                    vectors[column.missing] = np.nan
                columns += [np.ascontiguousarray(part) for part in vectors.T]
                continue
            values = np.ascontiguousarray(column.values, dtype=np.float64)
            if measure.fitted.form == "overlap" and column.missing is not None:
                values = np.where(column.missing, np.nan, values)
            columns.append(values)
        self._index = native.DenseIndex(
            columns, self._is_symbol, segment, self._coefficients, self._one, self._both, int(distance.metric.p),
            self._layout.joined,
        )  # fmt: skip
        if not self._index.is_usable:
            self.note = "single precision cannot hold these numbers, so double precision scans"
        self._numbers = self._is_symbol == 0
        # two missing numbers are equal under "value": single precision has one answer for both kinds of hole
        own = self._numbers & (self._both != self._one)
        holes = np.array([c.missing is not None for c in stored.cases.columns])[self._layout.feature]
        self._unequal_holes = np.flatnonzero(own & holes)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if len(queries) == 0 or not self._index.is_usable or self._unequal_holes.size:
            return super().nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        asked = np.ascontiguousarray(self._layout.packed(queries).T)
        skip = np.full(len(queries), -1) if leave_out is None else leave_out
        skip = np.ascontiguousarray(skip, dtype=np.int64)
        codes = np.ascontiguousarray(payload.codes, dtype=np.int32)
        values = np.ascontiguousarray(payload.values, dtype=np.float64)
        form, n = self._form(asked), len(self.distance.stored)
        proposed = np.full(len(queries), -1, dtype=np.int64)
        step = max(96 * self.threads, CHUNK_TERMS * self.threads // max(1, n * len(self._is_symbol)))
        # the first chunk is small: it shows whether the bound is tight enough for these cases
        starts = [0, *range(FIRST, len(queries), step)] if len(queries) > FIRST else [0]
        for start, end in progress(list(pairwise([*starts, len(queries)])), len(starts), "searching"):
            rows = slice(start, end)
            found = self._index.nearest(
                asked[rows], skip[rows], k, TIE, codes, values, payload.n_groups, form, self.threads
            )
            out.sums[rows], out.indices[rows], out.inside[rows], out.tied[rows], out.tie_sums[rows] = found[:5]
            proposed[rows] = found[5]
            kept = found[5].mean()
            if form == PRODUCT and kept > LOOSE * k + 64:
                form = SQUARES
            elif kept > n / HOPELESS + LOOSE * k + 64:
                break  # double precision would rank nearly all cases one by one: the plain scan does that faster
        self._rest(out, proposed < 0, queries, k, payload, leave_out)
        return out

    def _form(self, asked: NDArray[np.float64]) -> int:
        if self.distance.metric.p == 1:
            return MODULI
        holes = self._index.has_holes or np.isnan(asked[:, self._numbers]).any()
        return SQUARES if holes else PRODUCT

    def _rest(
        self,
        out: Neighbours,
        rows: NDArray[np.bool_],
        queries: Measured,
        k: int,
        payload: Payload,
        leave_out: Ints | None,
    ) -> None:
        """Queries that single precision did not serve go through the plain scan."""
        at = np.flatnonzero(rows)
        if not at.size:
            return
        found = super().nearest(queries.take(at), k, payload, None if leave_out is None else leave_out[at])
        out.sums[at], out.indices[at], out.inside[at] = found.sums, found.indices, found.inside
        out.tied[at], out.tie_sums[at] = found.tied, found.tie_sums
