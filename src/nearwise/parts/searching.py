"""Answers over all parts: the k best of each are merged, and a second round settles tie groups with another anchor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.parts.learning import Learned, Merge, merged
from nearwise.parts.part import Searched, TypedPart
from nearwise.search.selection.answered import Answered, Group

__all__ = ["Searches", "SearchesInMemory", "search"]

T = TypeVar("T")


class Searches(ABC):
    """The parts as they are searched, wherever they are."""

    @abstractmethod
    def ask(self, function: Callable[[Searched], T], merge: Merge) -> T:
        """What a function says of every part, merged."""

    def ask_along(self, function: Callable[[Searched, Any], T], merge: Merge) -> T:
        """What a function says of all parts, each of which is told what was said of those before it, in any order.

        There may be several such chains, whose ends merge.
        """
        return self.ask_in_turn(function)

    @abstractmethod
    def ask_one(self, part: int, function: Callable[[Searched], T]) -> T:
        """What a function says of one part."""

    def ask_in_turn(self, function: Callable[[Searched, Any], T]) -> T:
        """What a function says of the last part, given what it said of the one before, in the order of the cases."""
        said: Any = None
        for part in range(len(self.starts)):
            said = self.ask_one(part, InTurn(function, said))
        return cast(T, said)

    @property
    @abstractmethod
    def starts(self) -> Sequence[int]:
        """The place of the first case of each part among all cases."""


class InTurn:
    """A function of a part and of what the parts before it said, as one of the part alone."""

    def __init__(self, function: Callable[[Searched, Any], Any], before: Any) -> None:
        self.function, self.before = function, before

    def __call__(self, part: Searched) -> Any:
        return self.function(part, self.before)


class SearchesInMemory(Searches):
    """Parts in a list."""

    def __init__(self, parts: Iterable[TypedPart], learned: Learned, engine: str, threads: int) -> None:
        self.parts, self._starts, start = list[Searched](), list[int](), 0
        for part in parts:
            self.parts.append(part.searched(learned, start, engine, threads))
            self._starts.append(start)
            start += len(part.table)

    def ask(self, function: Callable[[Searched], T], merge: Merge) -> T:
        return reduce(merge, map(function, self.parts))

    def ask_one(self, part: int, function: Callable[[Searched], T]) -> T:
        return function(self.parts[part])

    @property
    def starts(self) -> Sequence[int]:
        return self._starts


class Nearest:
    """The k nearest in a part and those before it, as a function that can be sent to it."""

    def __init__(self, queries: Measured, k: int, leave_out: NDArray[np.int64] | None) -> None:
        self.queries, self.k, self.leave_out = queries, k, leave_out

    def __call__(self, part: Searched, before: Answered | None = None) -> Answered:
        return part.nearest(self.queries, self.k, self.leave_out, before)


class Around:
    """What ties with the k-th sums of all cases in a part."""

    def __init__(self, queries: Measured, last: Any, leave_out: NDArray[np.int64] | None) -> None:
        self.queries, self.last, self.leave_out = queries, last, leave_out

    def __call__(self, part: Searched, before: Group | None = None) -> Group:
        return part.around(self.queries, self.last, self.leave_out, before)


def search(
    searches: Searches, queries: Measured, k: int, leave_out: NDArray[np.int64] | None = None
) -> tuple[Answered, int]:
    """The k nearest of each query among all cases, and how many queries took a second round."""
    found: Answered = searches.ask_along(Nearest(queries, k, leave_out), merged)
    rows = found.again
    if not len(rows):
        return (found.settled(rows, None) if found.adds_in_order else found), 0
    skip = None if leave_out is None else leave_out[rows]
    around = Around(queries.take(rows), found.last[rows], skip)
    group: Group = searches.ask_in_turn(around) if found.adds_in_order else searches.ask(around, merged)
    return found.settled(rows, group), len(rows)
