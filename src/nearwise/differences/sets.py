"""Sets: of vectors (which members lie near each other) or of symbols (which members are shared)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.distinct import distinct
from nearwise.cases.kinds import Kind, Set
from nearwise.cases.plain import object_array
from nearwise.differences.base import ByWay, FitContext, Fitted, Sampled
from nearwise.differences.prepared import PreparedLinkage, PreparedSets, box_corners, box_gaps
from nearwise.differences.vectors import check_magnitude, squared_gap, squared_gaps
from nearwise.errors import InputError

__all__ = ["Linkage", "SymbolSets", "SymbolSetsFitted", "spread"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_MEMBERS = 2048
"""Members on either side of a tile: their distances take 32 MB."""


@dataclass(frozen=True)
class Linkage(ByWay):
    r"""How near the members of two sets of vectors lie, by Euclidean length ``|x - q|`` (Reading M8).

    .. math::
        min: \min_{x \in X, q \in Q} |x - q| \qquad
        average: \frac{1}{|X||Q|} \sum_{x, q} |x - q| \qquad
        hausdorff: \max\Bigl(\max_x \min_q |x - q|,\; \max_q \min_x |x - q|\Bigr)

    "min" is Howe & Cardie's eq. 6; it is 0 for different sets that share a member. The average linkage of a
    set with itself is 0 only where all its members are equal. There are no empty sets (M9).

    >>> from nearwise.cases.kinds import Set
    >>> pair = object_array([np.array([[0.0], [4.0]]), np.array([[1.0], [5.0], [7.0]])])
    >>> context = FitContext("shape", Set(members="vectors"))
    >>> [Linkage(by).fit(Column(pair), context).pair(*pair) for by in ("min", "hausdorff", "average")]
    [1.0, 3.0, 3.3333333333333335]
    """

    kinds = ("Set",)
    what = "linkage"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {by: {"by": by} for by in ("min", "hausdorff", "average")}
    by: str = "min"

    @classmethod
    def suits(cls, kind: Kind) -> bool:
        return super().suits(kind) and isinstance(kind, Set) and kind.members == "vectors"

    def fit(self, column: Column, context: FitContext) -> Fitted:
        _check_members(context, "vectors", self.by)
        return _LINKAGES[self.by](column, context)


@dataclass(frozen=True)
class SymbolSets(ByWay):
    r"""How many members two sets of symbols do not share.

    .. math::
        jaccard: 1 - \frac{|X \cap Q|}{|X \cup Q|} \qquad
        dice: 1 - \frac{2\,|X \cap Q|}{|X| + |Q|}

    Two empty sets differ by 0. A symbol that no training case has counts as a member that is not shared.

    >>> pair = object_array([frozenset("abc"), frozenset("bcde")])
    >>> context = FitContext("tags", Set())
    >>> [SymbolSets(by).fit(Column(pair), context).pair(*pair) for by in ("jaccard", "dice")]
    [0.6, 0.42857142857142855]
    """

    kinds = ("Set",)
    what = "difference of symbol sets"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {by: {"by": by} for by in ("jaccard", "dice")}
    by: str = "jaccard"

    @classmethod
    def suits(cls, kind: Kind) -> bool:
        return super().suits(kind) and isinstance(kind, Set) and kind.members != "vectors"

    def fit(self, column: Column, context: FitContext) -> Fitted:
        _check_members(context, "symbols", self.by)
        return SymbolSetsFitted(column, context, self.by)


class LinkageFitted(Sampled):
    """(s, d) matrices of members; a missing set is one member of zeros."""

    width: int | None
    """numbers a member has in training; None where no training case has a set"""
    measured_by = (*Sampled.measured_by, "link")
    shortcuts = (*Sampled.shortcuts, "boxes")
    boxes: ClassVar[Any] = None
    """a bound by the boxes around two sets, squared; each linkage declares its own"""

    def _prepare(self, column: Column, context: FitContext) -> None:
        self.width = next((v.shape[1] for v in column.values if v is not None), None)

    def encode(self, column: Column) -> NDArray[Any]:
        blank = np.zeros((1, self.width or 1))
        if self.width is None:  # nothing to compare, so any width will do
            return object_array([blank] * len(column))
        for value in column.values:
            if value is None:
                continue
            if value.shape[1] != self.width:
                raise InputError(
                    f"Feature {self.feature!r} has sets of vectors of {value.shape[1]} numbers: expected "
                    f"{self.width}, as in training."
                )
            check_magnitude(value, self.feature)
        return object_array([blank if v is None else v for v in column.values])

    def key(self, value: Any) -> bytes:
        return b"".join(sorted(np.ascontiguousarray(row + 0.0).tobytes() for row in value))

    def block(self, X: NDArray[Any], Q: NDArray[Any]) -> Floats:
        out = np.empty((len(Q), len(X)))
        stored = [(columns, *_stack(X[columns])) for columns in _runs(X)]
        for rows in _runs(Q):
            queries, q_starts = _stack(Q[rows])
            for columns, members, x_starts in stored:
                out[rows, columns] = self.link(squared_gaps(members, queries), q_starts, x_starts)
        return out

    def prepare(self, values: NDArray[Any]) -> PreparedLinkage:
        return PreparedLinkage(self, values)

    @abstractmethod
    def link(self, squares: Floats, q_starts: Ints, x_starts: Ints) -> Floats:
        """(query sets, stored sets) linkage from the squared distances of all their members."""


class Minimum(LinkageFitted):
    symmetric = True
    boxes = staticmethod(box_gaps)

    def pair(self, x: Any, q: Any) -> float:
        return math.sqrt(min(squared_gap(a, b) for a in x for b in q))

    def link(self, squares: Floats, q_starts: Ints, x_starts: Ints) -> Floats:
        return np.sqrt(np.minimum.reduceat(np.minimum.reduceat(squares, x_starts, axis=1), q_starts, axis=0))


class Hausdorff(LinkageFitted):
    symmetric = True
    boxes = staticmethod(box_corners)

    def pair(self, x: Any, q: Any) -> float:
        there = max(min(squared_gap(a, b) for b in q) for a in x)
        back = max(min(squared_gap(a, b) for a in x) for b in q)
        return math.sqrt(max(there, back))

    def link(self, squares: Floats, q_starts: Ints, x_starts: Ints) -> Floats:
        there = np.maximum.reduceat(np.minimum.reduceat(squares, q_starts, axis=0), x_starts, axis=1)
        back = np.maximum.reduceat(np.minimum.reduceat(squares, x_starts, axis=1), q_starts, axis=0)
        return np.sqrt(np.maximum(there, back))


class Average(LinkageFitted):
    symmetric = True
    boxes = staticmethod(box_gaps)

    def pair(self, x: Any, q: Any) -> float:
        return math.fsum(math.sqrt(squared_gap(a, b)) for a in x for b in q) / (len(x) * len(q))

    def link(self, squares: Floats, q_starts: Ints, x_starts: Ints) -> Floats:
        totals = np.add.reduceat(np.add.reduceat(np.sqrt(squares), x_starts, axis=1), q_starts, axis=0)
        m, n = squares.shape
        return np.asarray(totals / np.outer(np.diff(q_starts, append=m), np.diff(x_starts, append=n)))


_LINKAGES: dict[str, type[LinkageFitted]] = {"min": Minimum, "hausdorff": Hausdorff, "average": Average}


class SymbolSetsFitted(Sampled):
    """Frozen sets; a missing one is empty."""

    bound = 1.0
    symmetric = True

    def __init__(self, column: Column, context: FitContext, by: str) -> None:
        self.by = by
        super().__init__(column, context)

    def encode(self, column: Column) -> NDArray[Any]:
        return object_array([frozenset() if v is None else frozenset(v) for v in column.values])

    def key(self, value: Any) -> bytes:
        return "\0".join(sorted(map(repr, value))).encode("utf-8", "backslashreplace")

    def pair(self, x: Any, q: Any) -> float:
        shared = len(x & q)
        if self.by == "jaccard":
            return (len(x | q) - shared) / len(x | q) if x | q else 0.0
        return (len(x) + len(q) - 2 * shared) / (len(x) + len(q)) if x or q else 0.0

    def block(self, X: NDArray[Any], Q: NDArray[Any]) -> Floats:
        (stored, column), (queries, row) = distinct(X), distinct(Q)
        shared = _shared(stored, queries)
        whole = np.add.outer([float(len(q)) for q in queries], [float(len(x)) for x in stored])
        apart = whole - 2 * shared  # |X| + |Q| - 2|X ∩ Q|, and also |X ∪ Q| - |X ∩ Q|
        if self.by == "jaccard":
            whole -= shared
        apart /= np.maximum(whole, 1.0, out=whole)
        return spread(apart, row, column)

    def prepare(self, values: NDArray[Any]) -> PreparedSets:
        return PreparedSets(self, values)


def _shared(stored: Sequence[frozenset[Any]], queries: Sequence[frozenset[Any]]) -> Floats:
    """(m, n) sizes of the intersections.

    Symbols that many stored sets hold are counted by a product of membership matrices, a few at a time; the
    others through the list of their holders. Both count whole numbers, so they are exact.
    """
    holders: dict[Any, list[int]] = {symbol: [] for query in queries for symbol in query}
    for j, members in enumerate(stored):
        for symbol in members & holders.keys():
            holders[symbol].append(j)
    m, n = len(queries), len(stored)
    out = np.zeros((m, n))
    common = [symbol for symbol, held in holders.items() if len(held) * 32 > n]
    size = max(1, _MEMBERS * _MEMBERS // max(n, m, 1))
    for part in (common[k : k + size] for k in range(0, len(common), size)):
        held = np.zeros((n, len(part)))
        for k, symbol in enumerate(part):
            held[holders[symbol], k] = 1.0
        wanted = np.array([[symbol in query for symbol in part] for query in queries], dtype=np.float64)
        out += wanted @ held.T
    rare = {symbol: np.array(held) for symbol, held in holders.items() if 0 < len(held) * 32 <= n}
    for i, query in enumerate(queries):
        found = [rare[symbol] for symbol in query if symbol in rare]
        if found:
            out[i] += np.bincount(np.concatenate(found), minlength=n)
    return out


def spread(table: Floats, row: NDArray[np.int32], column: NDArray[np.int32]) -> Floats:
    """A table of distinct values back to all values (see `distinct`)."""
    if table.shape == (len(row), len(column)):
        return table
    return np.asarray(table[row][:, column])


def _runs(sets: NDArray[Any]) -> Iterator[slice]:
    """Slices of neighbouring sets with at most `_MEMBERS` members together, or one larger set alone."""
    start = held = 0
    for i, members in enumerate(sets):
        if i > start and held + len(members) > _MEMBERS:
            yield slice(start, i)
            start, held = i, 0
        held += len(members)
    if len(sets):
        yield slice(start, len(sets))


def _stack(sets: NDArray[Any]) -> tuple[Floats, Ints]:
    """All members one below the other, and where each set begins."""
    sizes = np.array([len(members) for members in sets], dtype=np.intp)
    return np.concatenate(list(sets)), np.cumsum(sizes) - sizes


def _check_members(context: FitContext, needed: str, by: str) -> None:
    kind = context.kind
    held = kind.members or "symbols" if isinstance(kind, Set) else None
    if held is not None and held != needed:
        raise InputError(
            f"Feature {context.feature!r} holds sets of {held}, but {by!r} compares sets of {needed}: "
            f"declare Set(difference={by!r}), or choose another difference."
        )
