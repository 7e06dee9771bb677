"""Numbers and symbols by proposal and decision: bytes or single precision propose, double precision decides.

The native indexes keep every case whose coarse value allows it to be among the nearest, by a proven bound, and rank
those in double precision, so the answer is that of the plain scan to the last bit. Bytes are tried first; where they
keep too many cases (clusters far apart), or a number is missing, single precision goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.engines.base import TIE, Distance, Ints, Neighbours, Payload
from nearwise.engines.native import NativeEngine, columns_of, core
from nearwise.engines.select import empty_neighbours
from nearwise.engines.shortened import Shortened
from nearwise.errors import InputError
from nearwise.progress import progress
from nearwise.weights import PerClass

__all__ = ["DenseEngine"]

CHUNK_TERMS = 1_000_000_000
"""feature differences a call and thread: well under 100 ms, so that Ctrl-C answers"""
PRODUCT, SQUARES, MODULI = 0, 1, 2
FIRST = 12
"""queries in the first chunk, which shows whether the bound is tight enough for these cases"""
HOPELESS = 16
"""where a 16th of all cases is kept on average, the rest of the queries go through the plain scan"""
LOOSE = 8
"""where the product keeps this many times k cases on average, its bound is too loose and squares are cheaper"""
PAYS = 1_000
"""bytes save the time of this many feature differences for each case that they must leave to single precision"""
FEW = 32
"""packing the cases anew takes the time in which the plain scan answers about this many queries"""


class DenseEngine(NativeEngine):
    """Numbers on a line and symbols by overlap, p = 1 or 2, one weight a feature or a feature and class."""

    name = "dense"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        native = core()
        if native is None:
            raise InputError("The dense engine needs the C++ core, which is not built (or NEARWISE_NATIVE=0).")
        self._short = Shortened.of(self._layout) if any(self._layout.embedded) else None
        self._numbers = self._is_symbol == 0
        self._bytes = native.CoarseIndex(*self._arguments()) if native.instruction_set() != "baseline" else None
        if self._bytes is not None and not self._bytes.is_usable:
            self._bytes = None
        if self._bytes is None and not self._singles.is_usable:
            self.note = "single precision cannot hold these numbers, so double precision scans"
        # two missing numbers are equal under "value": single precision has one answer for both kinds of hole
        own = self._numbers & (self._both != self._one)
        holes = np.array([c.missing is not None for c in distance.stored.cases.columns])[self._layout.feature]
        self._unequal_holes = np.flatnonzero(own & holes)

    def _arguments(self) -> tuple[Any, ...]:
        stored, weights = self.distance.stored, self.distance.weights
        segment = np.zeros(len(stored), dtype=np.int32)
        if isinstance(weights, PerClass) and stored.classes is not None:
            segment = stored.classes.astype(np.int32)
        power = int(self.distance.metric.p)
        if self._short is not None:
            vectors = self._layout.packed(stored.cases)
            symbols, coefficients, one, both = (
                self._short.with_short(each) for each in (self._is_symbol, self._coefficients, self._one, self._both)
            )
            columns = [
                np.where(np.isnan(row), -1, row).astype(np.int32) if symbol else row
                for row, symbol in zip(self._short.added_to(vectors), symbols, strict=True)
            ]
            return columns, symbols, segment, coefficients, one, both, power, *self._short.roles, self._slack(vectors)
        columns = columns_of(stored.cases, self._is_symbol)
        return columns, self._is_symbol, segment, self._coefficients, self._one, self._both, power

    def _slack(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._short is not None
        return self._short.slack(columns, self._coefficients)

    @cached_property
    def _singles(self) -> Any:
        """The index in single precision, packed when bytes cannot serve."""
        native = core()
        assert native is not None  # the engine was made with it
        return native.DenseIndex(*self._arguments())

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        asked, slack = self._layout.packed(queries), None
        if self._short is not None:
            asked, slack = self._short.added_to(asked), self._slack(asked)
        asked = np.ascontiguousarray(asked.T)
        skip = np.full(len(queries), -1) if leave_out is None else leave_out
        question = _Question(
            asked,
            np.ascontiguousarray(skip, dtype=np.int64),
            k,
            np.ascontiguousarray(payload.codes, dtype=np.int32),
            np.ascontiguousarray(payload.values, dtype=np.float64),
            payload.n_groups,
            slack,
        )
        left = np.arange(len(queries))
        if self._bytes is not None:
            left = self._ask_bytes(self._bytes, question, left, out)
        if len(left) > FEW or (len(left) and self._bytes is None):
            left = self._ask_singles(question, left, out)
        if len(left):
            found = super().nearest(queries.take(left), k, payload, None if leave_out is None else leave_out[left])
            out.put(left, found)
        return out

    def _ask_bytes(self, index: Any, question: _Question, rows: NDArray[np.intp], out: Neighbours) -> NDArray[np.intp]:
        """Answers what bytes can; gives the queries that are left."""
        n, p = len(self.distance.stored), question.asked.shape[1]
        served = np.zeros(len(question.asked), dtype=bool)
        for part in self._parts(rows):
            found = index.nearest(*question.of(part), self.threads, question.slack_of(part))
            kept = found[5]
            there = kept >= 0
            served[part[there]] = True
            out.put(part[there], Neighbours(*(each[there] for each in found[:5])))
            if there.any() and kept[there].mean() > n * p / PAYS + LOOSE * question.k + 64:
                break
        return rows[~served[rows]]

    def _ask_singles(self, question: _Question, rows: NDArray[np.intp], out: Neighbours) -> NDArray[np.intp]:
        """Answers what single precision can; gives the queries that are left."""
        if not self._singles.is_usable or self._unequal_holes.size:
            return rows
        form, n = self._form(question.asked[rows]), len(self.distance.stored)
        served = np.zeros(len(question.asked), dtype=bool)
        for part in self._parts(rows):
            found = self._singles.nearest(*question.of(part), form, self.threads, question.slack_of(part))
            there = found[5] >= 0
            served[part[there]] = True
            out.put(part[there], Neighbours(*(each[there] for each in found[:5])))
            kept = found[5].mean()
            if form == PRODUCT and kept > LOOSE * question.k + 64:
                form = SQUARES
            elif kept > n / HOPELESS + LOOSE * question.k + 64:
                break  # double precision would rank nearly all cases one by one: the plain scan does that faster
        return rows[~served[rows]]

    def _parts(self, rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """The queries in chunks, behind a progress bar; the first one is small."""
        terms = len(self.distance.stored) * len(self._is_symbol)
        step = max(96 * self.threads, CHUNK_TERMS * self.threads // max(1, terms))
        starts = [0, *range(FIRST, len(rows), step)] if len(rows) > FIRST else [0]
        for start, end in progress(list(pairwise([*starts, len(rows)])), len(starts), "searching"):
            yield rows[start:end]

    def _form(self, asked: NDArray[np.float64]) -> int:
        if self.distance.metric.p == 1:
            return MODULI
        holes = self._singles.has_holes or np.isnan(asked[:, : len(self._numbers)][:, self._numbers]).any()
        return SQUARES if holes else PRODUCT


@dataclass(frozen=True)
class _Question:
    """What the native indexes are asked, query by query."""

    asked: NDArray[np.float64]
    skip: NDArray[np.int64]
    k: int
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    n_groups: int
    slack: NDArray[np.float64] | None
    """(m,) what columns that stand in for others may lack"""

    def slack_of(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        return None if self.slack is None else self.slack[rows]

    def of(self, rows: NDArray[np.intp]) -> tuple[Any, ...]:
        return self.asked[rows], self.skip[rows], self.k, TIE, self.codes, self.values, self.n_groups
