"""The k nearest among several parts of the cases, with the tie group at the k-th place, put together exactly.

The k best of each part are enough for the k best of all. The tie group is not: it is anchored at the k-th sum of all,
and a part whose own k-th sum lies within the tie without being equal to it has counted a group around another anchor.
Such queries are `unsure`; a second round asks every part for what lies around the anchor.

Counts add up in any order. Sums of numbers, and of weights with a fraction, round in the order in which they are added,
which in one fit is that of the cases: `adds_in_order`. A group that is listed is added up in this order from the list;
for a group that goes on behind it the parts are asked one after the other, each adding to what those before it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.search.base import TIE, Floats, Ints, Neighbours, Payload

__all__ = ["Answered", "Brings", "Group"]

FEW = 0.7
"""share of the queries up to which it is faster to merge the answers to these alone"""


@dataclass(frozen=True)
class Group:
    """What lies around the k-th sum of m queries; adds up over parts."""

    inside: Ints
    """(m,) cases nearer than the tie group"""
    tied: Ints
    """(m,) cases in it"""
    votes: Floats
    """(m, g, v) what its cases bring to the vote, as the `Payload` of an engine"""

    def merged(self, other: Group) -> Group:
        return Group(self.inside + other.inside, self.tied + other.tied, self.votes + other.votes)


@dataclass(frozen=True)
class Answered:
    """The k nearest of m queries among some of the cases. Merging is associative and has no order."""

    sums: Floats
    """(m, k) ascending, inf where there is none"""
    cases: NDArray[np.int64]
    """(m, k) places among all cases, -1 where there is none"""
    said: NDArray[Any]
    """(m, k) the class or number of each of them, which travels along so that nobody needs those of all cases"""
    weighs: Floats | None
    """(m, k) how much each of them counts; None where all count 1"""
    group: Group
    unsure: NDArray[np.bool_]
    """(m,) where the group is that of another anchor"""

    @classmethod
    def nothing(cls, m: int, k: int, brings: Brings) -> Answered:
        """The answer of a part without cases."""
        none = np.zeros(m, dtype=np.intp)
        nobody = Group(none, none, np.zeros((m, *brings.shape)))
        cases, said = np.full((m, k), -1, dtype=np.int64), np.zeros((m, k), dtype=brings.said.dtype)
        weighs = None if brings.weighs is None else np.zeros((m, k))
        return cls(np.full((m, k), np.inf), cases, said, weighs, nobody, np.zeros(m, dtype=bool))

    @classmethod
    def of(cls, found: Neighbours, k: int, at: NDArray[np.int64], brings: Brings) -> Answered:
        """What an engine found among cases at these places (n,), who bring this; it may have looked for fewer."""
        m, width = found.sums.shape
        out = cls.nothing(m, k, brings)
        there = found.indices >= 0
        out.sums[:, :width] = np.where(there, found.sums, np.inf)
        out.cases[:, :width] = np.where(there, at[found.indices], -1)
        out.said[:, :width] = np.where(there, brings.said[found.indices], 0)
        if out.weighs is not None and brings.weighs is not None:
            out.weighs[:, :width] = np.where(there, brings.weighs[found.indices], 0.0)
        return replace(out, group=Group(found.inside, found.tied, found.tie_sums))

    @classmethod
    def stacked(cls, parts: Sequence[Answered]) -> Answered:
        """The answers to several batches of queries, one after the other."""
        if len(parts) == 1:
            return parts[0]
        each = zip(*(part._arrays for part in parts), strict=True)
        return cls._made(None if held[0] is None else np.concatenate(held) for held in each)

    def __sizeof__(self) -> int:
        """So that Dask knows what sending it would take."""
        return sum(held.nbytes for held in self._arrays if held is not None)

    @property
    def adds_in_order(self) -> bool:
        """Whether what the cases bring rounds, so that the order matters in which it is added up."""
        return self.weighs is not None or self.said.dtype.kind == "f"

    @property
    def again(self) -> Ints:
        """The queries that take a second round."""
        rows = self.unsure
        if self.adds_in_order:
            rows = rows | (self.group.tied > self.filled - self.group.inside)
        return np.flatnonzero(rows)

    @property
    def reach(self) -> Floats:
        """(m,) the sum at the last place, infinite where no case fills it: no case of all beyond it is wanted."""
        return self.sums[:, -1]

    @property
    def last(self) -> Floats:
        """(m,) the sum at the last place that a case fills; 0 where there is none."""
        filled = self.filled
        return np.where(filled > 0, np.take_along_axis(self.sums, np.maximum(filled - 1, 0)[:, None], 1)[:, 0], 0.0)

    @property
    def filled(self) -> Ints:
        """(m,) how many places a case fills"""
        return np.asarray((self.cases >= 0).sum(axis=1))

    @property
    def around(self) -> tuple[Floats, Floats]:
        """(m,) the smallest and the largest sum that tie with the last."""
        return around(self.last)

    def merged(self, other: Answered) -> Answered:
        """The answer of both parts together."""
        for one, two in ((self, other), (other, self)):
            heard = np.flatnonzero(two.cases[:, 0] >= 0)
            if len(heard) == 0:
                return one
            if len(heard) < len(two.cases) * FEW:  # who lists nobody changes nothing
                return one.put(heard, one.take(heard)._merged(two.take(heard)))
        return self._merged(other)

    def take(self, rows: Ints) -> Answered:
        """The answers to some of the queries."""
        return self._made(None if held is None else held[rows] for held in self._arrays)

    def put(self, rows: Ints, other: Answered) -> Answered:
        """The same with other answers to some of the queries."""
        arrays = [None if held is None else held.copy() for held in self._arrays]
        for held, new in zip(arrays, other._arrays, strict=True):
            if held is not None:
                held[rows] = new
        return self._made(arrays)

    @property
    def _arrays(self) -> tuple[NDArray[Any] | None, ...]:
        group = self.group
        return self.sums, self.cases, self.said, self.weighs, self.unsure, group.inside, group.tied, group.votes

    @classmethod
    def _made(cls, arrays: Iterable[Any]) -> Answered:
        sums, cases, said, weighs, unsure, *group = arrays
        return cls(sums, cases, said, weighs, Group(*group), unsure)

    def _merged(self, other: Answered) -> Answered:
        k = self.sums.shape[1]
        sums, cases = np.hstack([self.sums, other.sums]), np.hstack([self.cases, other.cases])
        said, weighs = np.hstack([self.said, other.said]), None
        behind = np.where(cases < 0, np.iinfo(np.int64).max, cases)
        order = np.lexsort((behind, sums), axis=1)[:, :k]
        sums, cases = np.take_along_axis(sums, order, axis=1), np.take_along_axis(cases, order, axis=1)
        said = np.take_along_axis(said, order, axis=1)
        if self.weighs is not None and other.weighs is not None:
            weighs = np.take_along_axis(np.hstack([self.weighs, other.weighs]), order, axis=1)
        made = Answered(sums, cases, said, weighs, self.group, self.unsure)
        last, (lower, upper) = made.last, made.around
        groups, unsure = [], np.zeros(len(sums), dtype=bool)
        for part in (self, other):
            listed = (part.filled < k) | (part.last > upper)  # all that counts of it is in its list
            same = ~listed & (part.last == last)
            unsure |= ~listed & (~same | part.unsure)
            groups.append(part._group(listed, lower, upper))
        return replace(made, group=groups[0].merged(groups[1]), unsure=unsure)

    def _group(self, listed: NDArray[np.bool_], lower: Floats, upper: Floats) -> Group:
        """What the part adds to the group: from its list where that is complete, else as it was counted."""
        there = self.cases >= 0
        inside = there & (self.sums < lower[:, None])
        tied = there & ~inside & (self.sums <= upper[:, None])
        votes = np.where(listed[:, None, None], 0.0, self.group.votes)
        rows, places = np.nonzero(tied & listed[:, None])
        codes, values = self._brought(rows, places)
        np.add.at(votes, (rows, codes), values)
        return Group(
            np.where(listed, inside.sum(axis=1), self.group.inside),
            np.where(listed, tied.sum(axis=1), self.group.tied),
            votes,
        )

    def _brought(self, rows: Ints, places: Ints) -> tuple[NDArray[Any], Floats]:
        """What these neighbours bring to the vote."""
        weighs = None if self.weighs is None else self.weighs[rows, places]
        brings = Brings(self.said[rows, places], weighs, self.group.votes.shape[1])
        return brings.codes, brings.values

    def settled(self, rows: Ints, group: Group | None) -> Answered:
        """The same with the groups of some queries as a second round found them, and the others added up in order."""
        inside, tied, votes = self.group.inside.copy(), self.group.tied.copy(), self.group.votes.copy()
        unsure = self.unsure.copy()
        if self.adds_in_order:
            self._add_in_order(votes)
        if group is not None:
            inside[rows], tied[rows], votes[rows] = group.inside, group.tied, group.votes
            unsure[rows] = False
        return replace(self, group=Group(inside, tied, votes), unsure=unsure)

    def _add_in_order(self, votes: Floats) -> None:
        """Add up the groups that are listed as a whole, in the order of the cases, as every engine does."""
        place = np.arange(self.sums.shape[1])[None, :]
        rows, places = np.nonzero((place >= self.group.inside[:, None]) & (place < self.filled[:, None]))
        order = np.lexsort((self.cases[rows, places], rows))
        rows, places = rows[order], places[order]
        codes, values = self._brought(rows, places)
        votes[:] = 0.0
        np.add.at(votes, (rows, codes), values)


@dataclass(frozen=True)
class Brings:
    """What cases bring to a vote: their classes or numbers, and how much each of them counts."""

    said: NDArray[Any]
    """(n,) class codes, or numbers that are a mean together"""
    weighs: Floats | None
    """(n,) None where all count 1"""
    groups: int
    """how many classes there are; 1 for numbers"""

    @classmethod
    def of(cls, target: Target, weighted: bool = False, factors: Floats | None = None) -> Brings:
        """What the cases of a part bring.

        ``weighted`` says whether the cases of all parts have weights, ``factors`` (c,) how much each class counts.
        """
        if not target.is_given:
            return cls(np.zeros(len(target), dtype=np.int32), None, 1)
        said = target.values.astype(np.float64) if target.classes is None else target.codes
        weighs = target.weights if weighted or factors is not None else None
        if factors is not None:
            weighs = target.weights * factors[target.values]
        return cls(said, weighs, max(1, target.n_classes))

    @property
    def shape(self) -> tuple[int, int]:
        return self.groups, 1 if self.said.dtype.kind != "f" else 2

    @property
    def codes(self) -> NDArray[Any]:
        """(n,) the row of the vote that each is added to"""
        return self.said if self.said.dtype.kind != "f" else np.zeros(len(self.said), dtype=np.int32)

    @property
    def values(self) -> Floats:
        """(n, v) its weight and, of a number, the number times its weight"""
        weighs = np.ones(len(self.said)) if self.weighs is None else self.weighs
        return weighs[:, None] if self.said.dtype.kind != "f" else np.stack([weighs, weighs * self.said], axis=1)

    @property
    def payload(self) -> Payload:
        return Payload(self.codes, self.values, self.groups)


def around(last: Floats) -> tuple[Floats, Floats]:
    """(m,) bounds of what ties with these sums; an infinite one ties with its like only."""
    margin = np.where(np.isinf(last), 0.0, TIE * np.where(np.isinf(last), 0.0, last))
    return last - margin, last + margin
