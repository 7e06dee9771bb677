"""The k nearest among several parts of the cases, with the tie group at the k-th place, put together exactly.

The k best of each part are enough for the k best of all. The tie group is not: it is anchored at the k-th sum of all,
and a part whose own k-th sum lies within the tie without being equal to it has counted a group around another anchor.
Such queries are `unsure`; a second round asks every part for what lies around the anchor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import TIE, Floats, Ints, Neighbours

__all__ = ["Answered", "Group"]


@dataclass(frozen=True)
class Group:
    """What lies around the k-th sum of m queries; adds up over parts."""

    inside: Ints
    """(m,) cases nearer than the tie group"""
    tied: Ints
    """(m,) cases in it"""
    votes: Floats
    """(m, g) cases of each class in it"""

    def merged(self, other: Group) -> Group:
        return Group(self.inside + other.inside, self.tied + other.tied, self.votes + other.votes)


@dataclass(frozen=True)
class Answered:
    """The k nearest of m queries among some of the cases. Merging is associative and has no order."""

    sums: Floats
    """(m, k) ascending, inf where there is none"""
    cases: NDArray[np.int64]
    """(m, k) places among all cases, -1 where there is none"""
    said: NDArray[np.int32]
    """(m, k) the class of each of them, which travels along so that nobody needs the classes of all cases"""
    group: Group
    unsure: NDArray[np.bool_]
    """(m,) where the group is that of another anchor"""

    @classmethod
    def nothing(cls, m: int, k: int, groups: int) -> Answered:
        """The answer of a part without cases."""
        none = np.zeros(m, dtype=np.intp)
        nobody = Group(none, none, np.zeros((m, groups)))
        cases, said = np.full((m, k), -1, dtype=np.int64), np.zeros((m, k), dtype=np.int32)
        return cls(np.full((m, k), np.inf), cases, said, nobody, np.zeros(m, dtype=bool))

    @classmethod
    def of(cls, found: Neighbours, k: int, at: NDArray[np.int64], classes: NDArray[np.int32]) -> Answered:
        """What an engine found among cases whose places and classes (n,) these are; it may have looked for fewer."""
        m, width = found.sums.shape
        out = cls.nothing(m, k, found.tie_sums.shape[1])
        there = found.indices >= 0
        out.sums[:, :width] = np.where(there, found.sums, np.inf)
        out.cases[:, :width] = np.where(there, at[found.indices], -1)
        out.said[:, :width] = np.where(there, classes[found.indices], 0)
        return cls(out.sums, out.cases, out.said, Group(found.inside, found.tied, found.tie_sums[:, :, 0]), out.unsure)

    @classmethod
    def stacked(cls, parts: Sequence[Answered]) -> Answered:
        """The answers to several batches of queries, one after the other."""
        if len(parts) == 1:
            return parts[0]
        group = Group(
            *(np.concatenate([getattr(p.group, name) for p in parts]) for name in ("inside", "tied", "votes"))
        )
        sums, cases, said, unsure = (
            np.concatenate([getattr(p, name) for p in parts]) for name in ("sums", "cases", "said", "unsure")
        )
        return cls(sums, cases, said, group, unsure)

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
        k = self.sums.shape[1]
        sums, cases = np.hstack([self.sums, other.sums]), np.hstack([self.cases, other.cases])
        said = np.hstack([self.said, other.said])
        behind = np.where(cases < 0, np.iinfo(np.int64).max, cases)
        order = np.lexsort((behind, sums), axis=1)[:, :k]
        sums, cases = np.take_along_axis(sums, order, axis=1), np.take_along_axis(cases, order, axis=1)
        said = np.take_along_axis(said, order, axis=1)
        made = Answered(sums, cases, said, self.group, self.unsure)
        last, (lower, upper) = made.last, made.around
        groups, unsure = [], np.zeros(len(sums), dtype=bool)
        for part in (self, other):
            listed = (part.filled < k) | (part.last > upper)  # all that counts of it is in its list
            same = ~listed & (part.last == last)
            unsure |= ~listed & (~same | part.unsure)
            groups.append(part._group(listed, lower, upper))
        return Answered(sums, cases, said, groups[0].merged(groups[1]), unsure)

    def _group(self, listed: NDArray[np.bool_], lower: Floats, upper: Floats) -> Group:
        """What the part adds to the group: from its list where that is complete, else as it was counted."""
        there = self.cases >= 0
        inside = there & (self.sums < lower[:, None])
        tied = there & ~inside & (self.sums <= upper[:, None])
        votes = np.where(listed[:, None], 0.0, self.group.votes)
        rows, places = np.nonzero(tied & listed[:, None])
        if votes.shape[1]:
            np.add.at(votes, (rows, self.said[rows, places]), 1.0)
        return Group(
            np.where(listed, inside.sum(axis=1), self.group.inside),
            np.where(listed, tied.sum(axis=1), self.group.tied),
            votes,
        )

    def settled(self, rows: Ints, group: Group) -> Answered:
        """The same with the groups of some queries as a second round found them."""
        inside, tied, votes = self.group.inside.copy(), self.group.tied.copy(), self.group.votes.copy()
        inside[rows], tied[rows], votes[rows] = group.inside, group.tied, group.votes
        unsure = self.unsure.copy()
        unsure[rows] = False
        return Answered(self.sums, self.cases, self.said, Group(inside, tied, votes), unsure)


def around(last: Floats) -> tuple[Floats, Floats]:
    """(m,) bounds of what ties with these sums; an infinite one ties with its like only."""
    margin = np.where(np.isinf(last), 0.0, TIE * np.where(np.isinf(last), 0.0, last))
    return last - margin, last + margin
