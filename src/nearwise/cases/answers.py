"""How often each value of a feature occurs with each answer: a class, or a number, and what such cases weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.cases import digits
from nearwise.cases.target import Target
from nearwise.errors import InputError

__all__ = ["AnswerCounts"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerCounts:
    """Different triples of a value, an answer and a weight, in this order, and how many cases have each.

    What is made of them does not depend on the order of the cases, and parts merge to what all cases give.
    """

    values: Floats
    """codes of levels, -1 where there is none; or numbers, not a number where there is none"""
    answers: Floats
    """codes of classes, or numbers"""
    masses: Floats
    """what each of the cases weighs"""
    times: Floats

    @classmethod
    def of(cls, values: NDArray[np.generic], target: Target) -> AnswerCounts:
        numbers = np.asarray(values, dtype=np.float64) + 0.0  # one zero of 0.0 and -0.0
        answers = np.asarray(target.values, dtype=np.float64) + 0.0
        return cls(numbers, answers, target.weights, np.ones(len(numbers)))._counted()

    def merged(self, other: AnswerCounts) -> AnswerCounts:
        both = zip(self.arrays, other.arrays, strict=True)
        return AnswerCounts(*(np.concatenate(pair) for pair in both))._counted()

    def under(self, places: NDArray[np.intp]) -> AnswerCounts:
        """The same with other codes: ``places`` (v,) of those here."""
        known = self.values >= 0
        values = self.values.copy()
        values[known] = places[values[known].astype(np.intp)]
        return AnswerCounts(values, self.answers, self.masses, self.times)._counted()

    def coded(self, codes: NDArray[np.int32]) -> AnswerCounts:
        """The same with codes (e,) in place of the values, -1 where there is none."""
        return AnswerCounts(codes.astype(np.float64), self.answers, self.masses, self.times)._counted()

    @property
    def weights(self) -> Floats:
        """(e,) what all cases of each entry weigh."""
        return self.masses * self.times

    def bounded(self, name: str) -> AnswerCounts:
        """The same; refused where there are more than can be held."""
        most = digits.MOST_DISTINCT
        if len(self.values) > most:
            raise InputError(
                f"Feature {name!r} and the target have more than {most:,} different pairs, which shares over parts are "
                "made of: take differences='overlap'."
            )
        return self

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Values, answers, masses and times."""
        return self.values, self.answers, self.masses, self.times

    def _counted(self) -> AnswerCounts:
        weighs_alike = len(self.masses) > 0 and bool((self.masses == self.masses[0]).all())
        order = np.lexsort((self.answers, self.values) if weighs_alike else (self.masses, self.answers, self.values))
        held = [array[order] for array in self.arrays]
        new = np.ones(len(order), dtype=bool)
        if len(order):
            values, answers, masses, _ = held
            both_gone = np.isnan(values[1:]) & np.isnan(values[:-1])
            same = (values[1:] == values[:-1]) | both_gone
            new[1:] = ~(same & (answers[1:] == answers[:-1]) & (masses[1:] == masses[:-1]))
        starts = np.flatnonzero(new)
        values, answers, masses = (array[starts] for array in held[:3])
        return AnswerCounts(values, answers, masses, np.add.reduceat(held[3], starts) if len(starts) else held[3])
