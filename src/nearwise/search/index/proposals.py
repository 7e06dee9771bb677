"""Asking an index that proposes: queries in chunks, and those that it leaves for a finer precision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.progress import progress
from nearwise.search.base import TIE, Ints, Neighbours, Payload
from nearwise.search.index.base import SLOWER
from nearwise.search.layout.segments import skipped

__all__ = ["LOOSE", "MODULI", "POWERS", "PRODUCT", "SQUARES", "Question", "by_singles", "in_parts"]

PRODUCT, SQUARES, MODULI, POWERS = 0, 1, 2, 3
"""how single precision adds up numbers"""
CHUNK_TERMS = 1_000_000_000
"""feature differences a call and thread: well under 100 ms, so that Ctrl-C answers"""
TOGETHER = 96
"""queries that a thread holds against a block of cases while it is in cache"""
FEWEST = 6
"""queries that share a tile: enough where every difference takes long"""
FIRST = 12
"""queries in the first chunk, which shows whether the bound is tight enough for these cases"""
HOPELESS = 16
"""where a 16th of all cases is kept on average, the rest of the queries go through the plain scan"""
LOOSE = 8
"""where the product keeps this many times k cases on average, its bound is too loose and squares are cheaper"""

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Question:
    """What the native indexes are asked, query by query."""

    asked: NDArray[np.float64]
    skip: NDArray[np.int64]
    k: int
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    n_groups: int
    more: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """arrays by query that only some indexes know: slack, by_query, blur"""

    @classmethod
    def of(
        cls, asked: NDArray[np.float64], k: int, payload: Payload, leave_out: Ints | None, **more: NDArray[np.float64]
    ) -> Question:
        return cls(asked, skipped(leave_out, len(asked)), k, *payload.packed, more)

    def rows(self, rows: Rows) -> tuple[Any, ...]:
        return self.asked[rows], self.skip[rows], self.k, TIE, self.codes, self.values, self.n_groups

    def more_of(self, rows: Rows) -> dict[str, NDArray[np.float64]]:
        return {name: each[rows] for name, each in self.more.items()}


def in_parts(rows: Rows, terms: int, threads: int, least: int = TOGETHER) -> Iterator[Rows]:
    """The queries in chunks, of so many terms each, behind a progress bar; the first one is small."""
    step = max(least * threads, CHUNK_TERMS * threads // max(1, terms))
    starts = [0, *range(FIRST, len(rows), step)] if len(rows) > FIRST else [0]
    for start, end in progress(list(pairwise([*starts, len(rows)])), len(starts), "searching"):
        yield rows[start:end]


def by_singles(index: Any, question: Question, form: int, rows: Rows, out: Neighbours, threads: int) -> Rows:
    """Answers what single precision can; gives the queries that are left."""
    n = len(question.codes)
    served = np.zeros(len(question.asked), dtype=bool)
    terms, is_slow = n * question.asked.shape[1], form == POWERS
    for part in in_parts(rows, terms * (SLOWER if is_slow else 1), threads, FEWEST if is_slow else TOGETHER):
        found = index.nearest(*question.rows(part), form, threads, **question.more_of(part))
        there = found[5] >= 0
        served[part[there]] = True
        out.put(part[there], Neighbours(*(found[:5] if there.all() else (each[there] for each in found[:5]))))
        kept = found[5].mean()
        if form == PRODUCT and kept > LOOSE * question.k + 64:
            form = SQUARES
        elif kept > n / HOPELESS + LOOSE * question.k + 64:
            break  # double precision would rank nearly all cases one by one: the plain scan does that faster
    return rows[~served[rows]]
