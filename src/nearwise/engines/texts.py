"""Two-stage search in the C++ core, where the costly features are texts of up to 64 letters compared by edits."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure, Measured
from nearwise.differences.text import EditCount, EditShare
from nearwise.engines.base import TIE, Distance, Floats, Ints, Neighbours, Payload
from nearwise.engines.native import core
from nearwise.engines.select import empty_neighbours
from nearwise.progress import progress
from nearwise.weights import Global, PerClass

__all__ = ["TextStages"]

LETTERS, COUNTS, RECORD, NO_TEXT = 64, 32, 128, 255
"""the layout of a text in native/staged.hpp"""
CHUNK_TEXTS = 1_000_000
"""texts a call and thread: under 100 ms even where all are compared, so that Ctrl-C answers"""
PACKED = 1 << 15
"""texts packed at a time: 16 MB of letters"""

Bytes = NDArray[np.uint8]


class TextStages:
    """The stored cases packed for the kernel, class by class where the weights are per class."""

    def __init__(self, distance: Distance, threads: int) -> None:
        self.distance = distance
        self.threads = threads or len(os.sched_getaffinity(0))
        measures, scales = distance.metric.measures, distance.metric.scales()
        cases, weights, classes = distance.stored.cases, distance.weights, distance.stored.classes
        self.cheap = [f for f, m in enumerate(measures) if not _is_text(m)]
        self.texts = [f for f, m in enumerate(measures) if _is_text(m)]
        if isinstance(weights, PerClass) and classes is not None:
            self.index = np.argsort(classes, kind="stable").astype(np.int64)
            bounds = np.searchsorted(classes[self.index], np.arange(len(weights.values) + 1))
            coefficients = weights.values * scales
        else:
            self.index = np.arange(len(cases), dtype=np.int64)
            bounds = np.array([0, len(cases)])
            coefficients = (np.asarray(weights.values) * scales)[None, :]
        self.segments = bounds.astype(np.int64)
        self.coefficients = np.ascontiguousarray(coefficients[:, self.cheap])
        self.text_coefficients = np.ascontiguousarray(coefficients[:, self.texts])
        self.position = np.empty(len(cases), dtype=np.int64)
        self.position[self.index] = np.arange(len(cases))
        self.columns = np.ascontiguousarray(self._numbers(cases)[:, self.index])
        self.is_symbol = np.array([measures[f].fitted.form == "overlap" for f in self.cheap], dtype=np.uint8)
        one = np.array([m.fitted.maximum for m in measures])
        both = np.where([m.policy == "value" for m in measures], 0.0, one)
        self.one, self.both = one[self.cheap], both[self.cheap]
        shares = [float(isinstance(measures[f].fitted, EditShare)) for f in self.texts]
        self.terms = np.stack(
            [np.array(self.texts, float), np.array(shares), one[self.texts], both[self.texts]], axis=1
        )
        self.alphabets = [_alphabet(cases.columns[f].values) for f in self.texts]
        self.stored = np.stack(
            [_packed(cases.columns[f], a)[self.index] for f, a in zip(self.texts, self.alphabets, strict=True)]
        )

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        """Why the kernel cannot serve a distance; empty where it can."""
        if core() is None:
            return "the C++ core is not built (or NEARWISE_NATIVE=0)"
        if not isinstance(distance.weights, Global | PerClass):
            return f"{distance.weights.shape} weights are not in the core"
        if distance.metric.p not in (1, 2):
            return f"p={distance.metric.p:g} is not in the core"
        for measure, column in zip(distance.metric.measures, distance.stored.cases.columns, strict=True):
            if measure.fitted.form not in ("line", "overlap") and not _is_text(measure):
                return f"feature {measure.name!r} ({measure.difference}) is not in the core"
            if measure.policy not in ("max", "value", "error"):
                return f"feature {measure.name!r} has the missing policy {measure.policy!r}"
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
        native = core()
        out = empty_neighbours(len(queries), k, payload)
        if native is None or not len(queries) or not len(self.index):
            return out
        asked = np.ascontiguousarray(self._numbers(queries).T)
        texts = [_packed(queries.columns[f], a) for f, a in zip(self.texts, self.alphabets, strict=True)]
        text = np.ascontiguousarray(np.stack(texts, axis=1))
        skip = np.full(len(queries), -1, dtype=np.int64)
        if leave_out is not None:
            skip = np.where(leave_out < 0, -1, self.position[leave_out])
        codes = np.ascontiguousarray(payload.codes[self.index], dtype=np.int32)
        values = np.ascontiguousarray(payload.values[self.index], dtype=np.float64)
        step = max(self.threads, CHUNK_TEXTS * self.threads // (len(self.texts) * len(self.index)))
        starts = range(0, len(queries), step)
        for start in progress(starts, len(starts), "searching"):
            rows = slice(start, start + step)
            found = native.staged(
                self.columns, self.is_symbol, self.segments, self.coefficients, self.one, self.both,
                int(self.distance.metric.p), asked[rows], skip[rows], self.index, k, TIE, codes, values,
                payload.n_groups, self.threads, self.stored, text[rows], self.terms, self.text_coefficients,
            )  # fmt: skip
            out.sums[rows], out.indices[rows], out.inside[rows], out.tied[rows], out.tie_sums[rows] = found
        return out

    def _numbers(self, cases: Measured) -> Floats:
        """(numbers and symbols, n) as doubles, NaN where missing."""
        out = np.empty((len(self.cheap), len(cases)))
        for row, f in zip(out, self.cheap, strict=True):
            column = cases.columns[f]
            row[:] = column.values
            if column.missing is not None:
                row[column.missing] = np.nan
        return out


def _is_text(measure: Measure) -> bool:
    return isinstance(measure.fitted, EditCount | EditShare)


def _points(texts: list[str]) -> NDArray[np.uint32]:
    """(n, 64) code points, 0 after the end."""
    return np.array(texts, dtype=f"U{LETTERS}").view(np.uint32).reshape(len(texts), LETTERS)


def _alphabet(texts: NDArray[np.object_]) -> NDArray[np.uint32]:
    return np.array(sorted({ord(letter) for text in texts for letter in set(text)}), dtype=np.uint32)


def _packed(column: Encoded, alphabet: NDArray[np.uint32]) -> Bytes:
    """(n, 128) records: codes of the letters, how many letters have each code modulo 32, the length."""
    n = len(column.values)
    out = np.zeros((n, RECORD), dtype=np.uint8)
    for start in range(0, n, PACKED):
        texts = column.values[start : start + PACKED].tolist()
        part, lengths = out[start : start + PACKED], np.array([len(text) for text in texts])
        points = _points(texts)
        codes = np.zeros(points.shape, dtype=np.intp)
        if len(alphabet):
            place = np.minimum(np.searchsorted(alphabet, points), len(alphabet) - 1)
            codes = np.where(alphabet[place] == points, place + 1, 0)
        held = np.arange(LETTERS) < lengths[:, None]
        part[:, :LETTERS] = np.where(held, codes, 0)
        buckets = (np.arange(len(texts))[:, None] * COUNTS + codes % COUNTS)[held]
        counts = np.bincount(buckets, minlength=len(texts) * COUNTS).reshape(-1, COUNTS)
        part[:, LETTERS : LETTERS + COUNTS] = counts
        part[:, LETTERS + COUNTS] = lengths
    if column.missing is not None:
        out[column.missing] = 0
        out[column.missing, LETTERS + COUNTS] = NO_TEXT
    return out
