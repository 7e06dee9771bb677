"""Numbers and symbols by proposal and decision: single precision scans, double precision ranks what may be nearest.

The native index keeps every case whose single precision value allows it to be among the nearest, by a proven bound,
and ranks those in double precision, so the answer is that of the plain scan to the last bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

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
DECIDES, PROPOSES = 1, 2
"""what a column is for, where it is not for both"""
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
        slack = None
        if any(self._layout.embedded):
            vectors = self._layout.packed(stored.cases)
            columns, slack = list(self._shortened(vectors)), self._slack(vectors)
        else:  # the columns themselves: a large table is not copied
            for column, symbol in zip(stored.cases.columns, self._is_symbol, strict=True):
                values = np.ascontiguousarray(column.values, dtype=np.float64)
                if symbol and column.missing is not None:
                    values = np.where(column.missing, np.nan, values)
                columns.append(values)
        self._index = native.DenseIndex(
            columns, self._with_short(self._is_symbol), segment, self._with_short(self._coefficients),
            self._with_short(self._one), self._with_short(self._both), int(distance.metric.p),
            *self._roles(), slack,
        )  # fmt: skip
        if not self._index.is_usable:
            self.note = "single precision cannot hold these numbers, so double precision scans"
        self._numbers = self._is_symbol == 0
        # two missing numbers are equal under "value": single precision has one answer for both kinds of hole
        own = self._numbers & (self._both != self._one)
        holes = np.array([c.missing is not None for c in stored.cases.columns])[self._layout.feature]
        self._unequal_holes = np.flatnonzero(own & holes)

    def _shortened(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """(columns, n) and, for single precision, each vector in one dimension less.

        The shares of c classes mostly add up to 1, so differences of them lie in c - 1 dimensions. What they have in
        the last one is left out; `_slack` says how much that may be.
        """
        short = []
        for f, fitted in enumerate(self._layout.embedded):
            if fitted is not None:
                short.append(
                    contrasts(int(np.count_nonzero(self._layout.feature == f))) @ columns[self._layout.feature == f]
                )
        return np.ascontiguousarray(np.vstack([columns, *short]))

    def _slack(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) the length of what is left out: of each vector the square of (1 - its sum), over its dimensions."""
        out = np.zeros(columns.shape[1])
        for f, fitted in enumerate(self._layout.embedded):
            if fitted is not None:
                own = self._layout.feature == f
                lacking = 1.0 - columns[own].sum(axis=0)
                most = self._coefficients[:, own].max() / np.count_nonzero(own)
                out += most * np.where(np.isnan(lacking), 0.0, lacking * lacking)
        # far more than the rounding of the sums, so that it bounds them where nothing is lacking
        return np.asarray(np.sqrt(out) + 1e-12 * np.sqrt(self._coefficients.max(initial=0.0)))

    def _with_short(self, of_columns: NDArray[Any]) -> NDArray[Any]:
        """What is said of columns, and the same of those that stand in for them."""
        embedded = np.array([fitted is not None for fitted in self._layout.embedded])[self._layout.feature]
        last = np.append(self._layout.joined[1:], 0) == 0
        return np.concatenate([of_columns, of_columns[..., embedded & ~last]], axis=-1)

    def _roles(self) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
        """Which columns are joined, and what each is for; None where no feature is a vector."""
        if not any(self._layout.embedded):
            return None, None
        embedded = np.array([fitted is not None for fitted in self._layout.embedded])[self._layout.feature]
        short = len(self._with_short(self._one)) - len(self._one)
        joined = np.concatenate([self._layout.joined, np.zeros(short)])
        return joined.astype(np.uint8), np.concatenate([embedded * DECIDES, np.full(short, PROPOSES)]).astype(np.uint8)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if len(queries) == 0 or not self._index.is_usable or self._unequal_holes.size:
            return super().nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        asked, slack = self._layout.packed(queries), None
        if any(self._layout.embedded):
            asked, slack = self._shortened(asked), self._slack(asked)
        asked = np.ascontiguousarray(asked.T)
        skip = np.full(len(queries), -1) if leave_out is None else leave_out
        skip = np.ascontiguousarray(skip, dtype=np.int64)
        codes = np.ascontiguousarray(payload.codes, dtype=np.int32)
        values = np.ascontiguousarray(payload.values, dtype=np.float64)
        form, n = self._form(asked), len(self.distance.stored)
        proposed = np.full(len(queries), -1, dtype=np.int64)
        step = max(96 * self.threads, CHUNK_TERMS * self.threads // max(1, n * asked.shape[1]))
        # the first chunk is small: it shows whether the bound is tight enough for these cases
        starts = [0, *range(FIRST, len(queries), step)] if len(queries) > FIRST else [0]
        for start, end in progress(list(pairwise([*starts, len(queries)])), len(starts), "searching"):
            rows = slice(start, end)
            found = self._index.nearest(
                asked[rows], skip[rows], k, TIE, codes, values, payload.n_groups, form, self.threads,
                None if slack is None else slack[rows],
            )  # fmt: skip
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
        holes = self._index.has_holes or np.isnan(asked[:, : len(self._numbers)][:, self._numbers]).any()
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


def contrasts(c: int) -> NDArray[np.float64]:
    """(c - 1, c) orthonormal rows, each of which adds up to 0: the mean of the first ones against the next.

    >>> contrasts(3).round(3)
    array([[ 0.707, -0.707,  0.   ],
           [ 0.408,  0.408, -0.816]])
    """
    out = np.zeros((max(0, c - 1), c))
    for row in range(len(out)):
        out[row, : row + 1] = 1.0 / (row + 1)
        out[row, row + 1] = -1.0
        out[row] /= np.sqrt(np.square(out[row]).sum())
    return out
