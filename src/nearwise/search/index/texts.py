"""Two-stage search in the C++ core, where the costly features are texts of up to 255 letters compared by edits."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.distinct import distinct
from nearwise.differences.metric import Encoded, Measure, Measured
from nearwise.differences.text import Strings
from nearwise.native import core
from nearwise.progress import progress
from nearwise.search.base import TIE, Distance, Floats, Ints, Neighbours, Payload
from nearwise.search.layout.columns import packed
from nearwise.search.layout.segments import row_of_weights, skipped
from nearwise.search.layout.serves import Serves
from nearwise.search.selection.smallest import empty_neighbours

__all__ = ["TextStages"]

SERVES = Serves(forms=("line", "overlap", "pair"), powers=(1, 2))
LETTERS, COUNTS = 255, 32
"""letters of a text at most, and counts of letters, in native/index/two_stage/two_stage.hpp"""
CHUNK_LETTERS = 150_000_000
"""letters of stored texts a call and thread: under 100 ms even where all are compared, so that Ctrl-C answers"""
PACKED = 1 << 22
"""letters packed at a time: 16 MB of code points"""

Bytes = NDArray[np.uint8]


class Packed(NamedTuple):
    """Texts for the kernel: (n, width) codes of letters, (n, 32) how many have each code modulo 32, (n,) lengths."""

    letters: Bytes
    counts: Bytes
    lengths: NDArray[np.int16]
    """-1 where a text is missing"""


class TextStages:
    """The stored cases packed for the kernel, each different text once."""

    def __init__(self, distance: Distance, threads: int) -> None:
        native = core()
        assert native is not None  # refused otherwise
        self.threads = threads or len(os.sched_getaffinity(0))
        measures, scales = distance.metric.measures, distance.metric.scales()
        cases = distance.stored.cases
        self.cheap = [f for f, m in enumerate(measures) if not _is_text(m)]
        self.texts = [f for f, m in enumerate(measures) if _is_text(m)]
        self.n = len(cases)
        coefficients = np.atleast_2d(distance.weights.values * scales)
        one, both = distance.metric.one, distance.metric.both
        shares = np.array([float(_edits(measures[f]) == "share") for f in self.texts])
        terms = np.stack([np.array(self.texts, float), shares, one[self.texts], both[self.texts]], axis=1)
        columns = [cases.columns[f] for f in self.texts]
        self.alphabets = [_alphabet(column.values) for column in columns]
        different, text_of = zip(*(distinct(_texts(column)) for column in columns), strict=True)
        starts = np.cumsum([0, *map(len, different)])[:-1]
        self.width = max((len(v) for column in columns for v in column.values), default=0)
        parts = [_packed(d, a, self.width, True) for d, a in zip(different, self.alphabets, strict=True)]
        self.index = native.TextIndex(
            self._cheap(cases), distance.metric.is_overlap[self.cheap],
            row_of_weights(distance), np.ascontiguousarray(coefficients[:, self.cheap]), one[self.cheap],
            both[self.cheap], int(distance.metric.p), *map(np.concatenate, zip(*parts, strict=True)),
            np.stack([of + start for of, start in zip(text_of, starts, strict=True)]).astype(np.int32), terms,
            np.ascontiguousarray(coefficients[:, self.texts]),
        )  # fmt: skip

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        """Why the kernel cannot serve a distance; empty where it can."""
        why = SERVES.refuses(distance)
        if why:
            return why
        if not len(distance.stored):
            return "there are no cases"
        if not np.isfinite(np.asarray(distance.weights.values) * distance.metric.scales()).all():
            return "a weight over the unit of its feature is not a finite number"
        for measure, column in zip(distance.metric.measures, distance.stored.cases.columns, strict=True):
            if measure.fitted.form == "pair" and not _is_text(measure):
                return f"it does not compare feature {measure.name!r} ({measure.difference})"
            if _is_text(measure) and max(map(len, column.values), default=0) > LETTERS:
                return f"feature {measure.name!r} has texts of more than {LETTERS} letters"
            if _is_text(measure) and len(set().union(*column.values)) >= 256:
                return f"feature {measure.name!r} has more than 255 different letters"
        return ""

    def fits(self, queries: Measured) -> NDArray[np.bool_]:
        """(m,) queries whose texts are short enough."""
        fit = np.ones(len(queries), dtype=bool)
        for f in self.texts:
            fit &= np.array([len(v) <= LETTERS for v in queries.columns[f].values], dtype=bool)
        return fit

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        if not len(queries):
            return out
        asked = np.ascontiguousarray(self._cheap(queries).T)
        columns = [queries.columns[f] for f in self.texts]
        width = max((len(v) for column in columns for v in column.values), default=0)
        texts = [_packed(_texts(c), a, width, False) for c, a in zip(columns, self.alphabets, strict=True)]
        letters, counts, lengths = (np.ascontiguousarray(np.stack(part, axis=1)) for part in zip(*texts, strict=True))
        skip, packed_payload = skipped(leave_out, len(queries)), payload.packed
        work = len(self.texts) * self.n * max(40, self.width) * (1 + width // 64)
        step = max(self.threads, CHUNK_LETTERS * self.threads // work)
        starts = range(0, len(queries), step)
        for start in progress(starts, len(starts), "searching"):
            rows = slice(start, start + step)
            found = self.index.nearest(
                asked[rows],
                letters[rows],
                counts[rows],
                lengths[rows],
                skip[rows],
                k,
                TIE,
                *packed_payload,
                self.threads,
            )
            out.put(rows, Neighbours(*found))
        return out

    def _cheap(self, cases: Measured) -> Floats:
        """(numbers and symbols, n) as doubles, NaN where missing."""
        return packed(Measured(tuple(cases.columns[f] for f in self.cheap), len(cases)))


def _edits(measure: Measure) -> str | None:
    """What the kernel measures of two texts, None where it does not know the difference."""
    return measure.fitted.edits if isinstance(measure.fitted, Strings) else None


def _is_text(measure: Measure) -> bool:
    return _edits(measure) is not None


def _alphabet(texts: NDArray[np.object_]) -> NDArray[np.uint32]:
    return np.array(sorted({ord(letter) for text in texts for letter in set(text)}), dtype=np.uint32)


def _texts(column: Encoded) -> list[str | None]:
    texts: list[str | None] = column.values.tolist()
    if column.missing is not None:
        for i in np.flatnonzero(column.missing):
            texts[i] = None
    return texts


def _packed(texts: list[str | None], alphabet: NDArray[np.uint32], width: int, at_end: bool) -> Packed:
    """Letters get codes from 1 by the alphabet, 0 where it lacks them; each row is filled from its end or beginning."""
    n = len(texts)
    lengths = np.array([-1 if text is None else len(text) for text in texts], dtype=np.int16)
    out = Packed(np.zeros((n, width), dtype=np.uint8), np.zeros((n, COUNTS), dtype=np.uint8), lengths)
    if width == 0 or not len(alphabet):
        return out
    columns, step = np.arange(width), max(1, PACKED // width)
    for start in range(0, n, step):
        rows = slice(start, min(n, start + step))
        points = np.array([text or "" for text in texts[rows]], dtype=f"U{width}").view(np.uint32).reshape(-1, width)
        place = np.minimum(np.searchsorted(alphabet, points), len(alphabet) - 1)
        codes = np.where(alphabet[place] == points, place + 1, 0)
        length = lengths[rows, None]
        held = columns < length
        out.letters[rows][columns >= width - length if at_end else held] = codes[held]
        known = held & (codes > 0)
        buckets = (np.arange(len(codes))[:, None] * COUNTS + codes % COUNTS)[known]
        out.counts[rows] = np.bincount(buckets, minlength=len(codes) * COUNTS).reshape(-1, COUNTS)
    return out
