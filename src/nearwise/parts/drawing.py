"""Cases drawn by their content from all parts, so that neither the order of the cases nor the parts matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.parts.learning import merged
from nearwise.parts.part import Searched
from nearwise.parts.sampling import smallest, words_of
from nearwise.parts.searching import Searches
from nearwise.statistics.draws.words import Words

__all__ = ["Drawing", "Drawn", "draw"]


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
