"""Cases drawn by their content from all parts, so that neither the order of the cases nor the parts matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measured
from nearwise.parts.learning import merged
from nearwise.parts.part import Searched
from nearwise.parts.sampling import smallest, words_of
from nearwise.parts.searching import Searches
from nearwise.search.base import Floats
from nearwise.statistics.draws.words import Words

__all__ = ["Asked", "Drawing", "Drawn", "as_queries", "draw"]


@dataclass(frozen=True)
class Drawn:
    """The ``size`` cases with the smallest words; of equal words those that come first."""

    words: Words
    places: NDArray[np.int64]
    size: int

    def merged(self, other: Drawn) -> Drawn:
        both = Drawn(np.concatenate([self.words, other.words]), np.concatenate([self.places, other.places]), self.size)
        return both.smallest()

    def smallest(self) -> Drawn:
        if len(self.words) <= self.size:
            return self
        rows = smallest(self.words, self.places, self.size)
        return Drawn(self.words[rows], self.places[rows], self.size)


@dataclass(frozen=True)
class Drawing:
    """What each part offers, as a function that can be sent to it."""

    size: int

    def __call__(self, part: Searched) -> Drawn:
        places = np.arange(part.start, part.start + len(part), dtype=np.int64)
        return Drawn(words_of(part.problem), places, self.size).smallest()


def draw(searches: Searches, drawing: Drawing) -> NDArray[np.int64]:
    """The places of the cases drawn, in ascending order."""
    found: Drawn = searches.ask(drawing, merged)
    return np.sort(found.places)


def as_queries(searches: Searches, drawn: NDArray[np.int64]) -> Asked:
    """Stored cases, by their places among all, as queries without their own label, with their targets and weights."""
    ends = np.append(np.asarray(searches.starts[1:], dtype=np.int64), np.iinfo(np.int64).max)
    part = np.searchsorted(ends, drawn, side="right")
    found = [searches.ask_one(int(i), Asking(drawn[part == i] - searches.starts[int(i)])) for i in np.unique(part)]
    columns = tuple(_joined(same) for same in zip(*(f.queries.columns for f in found), strict=True))
    values, weights = (np.concatenate([getattr(f, name) for f in found]) for name in ("values", "weights"))
    return Asked(Measured(columns, len(drawn)), values, weights)


class Asked(NamedTuple):
    queries: Measured
    values: NDArray[Any]
    weights: Floats


@dataclass(frozen=True)
class Asking:
    """Some cases of a part as queries, as a function that can be sent to it."""

    rows: NDArray[np.int64]

    def __call__(self, part: Searched) -> Asked:
        rows = self.rows.astype(np.intp)
        weighs = part.brings.weighs
        weights = np.ones(len(rows)) if weighs is None else weighs[rows]
        return Asked(part.asking(rows), part.problem.target.values[rows], weights)


def _joined(columns: Sequence[Encoded]) -> Encoded:
    """One feature of the cases of several parts."""
    missing = expected = None
    if any(c.missing is not None for c in columns):
        missing = np.concatenate([np.zeros(len(c.values), bool) if c.missing is None else c.missing for c in columns])
    if columns[0].expected is not None:
        expected = np.concatenate([c.expected for c in columns if c.expected is not None])
    return Encoded(np.concatenate([c.values for c in columns]), missing, expected)
