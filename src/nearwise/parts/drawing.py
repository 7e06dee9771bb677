"""Cases drawn by their content from all parts, so that neither the order of the cases nor the parts matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.parts.learning import merged
from nearwise.parts.part import Searched
from nearwise.parts.searching import Searches
from nearwise.statistics.draws.words import Words, case_blocks, mixed, salt, target_words

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
        order = np.lexsort((self.places, self.words))[: self.size]
        return Drawn(self.words[order], self.places[order], self.size)


@dataclass(frozen=True)
class Drawing:
    """What each part offers, as a function that can be sent to it."""

    size: int

    def __call__(self, part: Searched) -> Drawn:
        problem = part.problem
        words = target_words(problem.target)
        names = np.array([salt(name) for name in problem.features], dtype=np.uint64)
        for rows, values in case_blocks(problem.metric, problem.cases):
            for some, own in values:  # a sum does not depend on the order of features
                words[rows] += mixed(own ^ names[some, None]).sum(axis=0)
        places = np.arange(part.start, part.start + len(part), dtype=np.int64)
        return Drawn(mixed(words), places, self.size).smallest()


def draw(searches: Searches, drawing: Drawing) -> NDArray[np.int64]:
    """The places of the cases drawn, in ascending order."""
    found: Drawn = searches.ask(drawing, merged)
    return np.sort(found.places)
