"""The columns that a local linear answer regresses on: numbers in units of their spread, symbols by what they say.

Numbers and ranks become one column, numbers on a circle two, vectors one for each component. A symbol becomes a column
for each value but the commonest or, where values are many, its shares of the target. Texts, sets and functions have no
column: they count through the distance only. A missing number stands at the middle.

The rows of a small table are kept. Those of a large one would take as much memory as the table, and are made anew for
the neighbours that a regression asks for, a block at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic, Vector
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.base import FitContext
from nearwise.differences.coding import Coding
from nearwise.differences.numeric import ranks
from nearwise.differences.shares import Shares, SharesFitted
from nearwise.search.base import Floats, Ints

__all__ = ["Design"]


class _Numbers:
    """Numbers less their median, in standard deviations."""

    def __init__(self, raw: Floats) -> None:
        self.middle, self.spread = np.zeros(raw.shape[1]), np.ones(raw.shape[1])
        for at, column in enumerate(raw.T):
            known = np.sort(column[np.isfinite(column)])  # sums over sorted numbers do not depend on the order of rows
            if not len(known):
                continue
            largest = float(np.abs(known).max()) or 1.0
            spread = float(np.std(known / largest)) * largest
            self.middle[at], self.spread[at] = np.median(known), spread if spread > 0 else np.inf

    def columns(self, raw: Floats) -> Floats:
        scaled = (np.where(np.isfinite(raw), raw, self.middle) - self.middle) / self.spread
        return np.asarray(np.clip(scaled, -FARTHEST, FARTHEST))


class _Indicators:
    """One column for each value of a symbol but the commonest, 1 where a case has it.

    Where several are equally common, all have one: none of them is left out for what it is called.
    """

    def __init__(self, column: Column, coding: Coding) -> None:
        self.coding = coding
        counts = np.bincount(self._codes(column), minlength=len(coding.levels) + 2)
        counts[len(coding.levels) + 1] = 0  # a symbol never seen has no column
        often = np.flatnonzero(counts >= FEWEST)
        commonest = counts[often] == counts[often].max(initial=0)
        self.values = often[~commonest] if commonest.sum() == 1 else often

    def _codes(self, column: Column) -> NDArray[np.intp]:
        codes = self.coding.codes(column)
        known = len(self.coding.levels)
        return np.where(codes < 0, known, np.where(codes == known, known + 1, codes)).astype(np.intp)

    def columns(self, column: Column) -> Floats:
        return np.asarray(self._codes(column)[:, None] == self.values[None, :], dtype=np.float64)


FEW_VALUES = 12
"""values up to which a symbol has a column for each"""
FEWEST = 3
"""cases that a value needs for a column of its own"""
FARTHEST = 10.0
"""standard deviations from the middle beyond which a number says no more: a line is not drawn far outside the cases"""


def _raw(kind: Kind, column: Column) -> Floats | None:
    """(n, d) numbers of a feature; None where it has none."""
    if isinstance(kind, Cyclic):
        angle = column.values * (2 * np.pi / kind.period)
        return np.column_stack([np.sin(angle), np.cos(angle)])
    if isinstance(kind, Numeric):
        return np.asarray(column.values, dtype=np.float64)[:, None]
    if isinstance(kind, Ordinal):
        return ranks(column)[:, None]
    if isinstance(kind, Vector):
        vectors = np.array(column.values, dtype=np.float64)
        return np.where(column.missing[:, None], np.nan, vectors) if vectors.ndim == 2 else None
    return None


KEPT = 4_000_000
"""numbers of rows that are kept; more are made anew for those that are asked for"""


@dataclass(frozen=True)
class Design:
    """The columns of every feature, fitted to the stored cases."""

    makers: tuple[_Numbers | _Indicators | SharesFitted | None, ...]
    table: CaseTable
    """the stored cases"""
    target: Target

    @classmethod
    def of(cls, table: CaseTable, target: Target) -> Design:
        makers: list[Any] = []
        for (name, kind), column in zip(table.schema.items(), table.columns, strict=True):
            raw = _raw(kind, column)
            if raw is not None:
                makers.append(_Numbers(raw))
            elif isinstance(kind, Symbolic) and len(column.levels or ()) <= max(target.n_classes, FEW_VALUES):
                makers.append(_Indicators(column, Coding(column.levels or ())))
            elif isinstance(kind, Symbolic):
                makers.append(Shares().fit(column, FitContext(name, kind, target, policy="value")))
            else:
                makers.append(None)
        return cls(tuple(makers), table, target)

    @cached_property
    def feature(self) -> Ints:
        """(d,) the feature of each column"""
        return self._columns(self.table, np.arange(min(1, len(self.table))), None)[1]

    @property
    def width(self) -> int:
        """d, how many columns there are"""
        return len(self.feature)

    @cached_property
    def is_flag(self) -> NDArray[np.bool_]:
        """(d,) whether a column holds nothing but 0 and 1."""
        return np.array([isinstance(self.makers[f], _Indicators) for f in self.feature], dtype=bool)

    @property
    def is_kept(self) -> bool:
        """Whether the rows of all stored cases are kept."""
        return len(self.table) * self.width <= KEPT

    def of_queries(self, table: CaseTable) -> Floats:
        """(m, d)"""
        return self._columns(table, None, None)[0]

    def stored(self, cases: Ints) -> Floats:
        """(c, d) the rows of some stored cases"""
        return self._kept[cases] if self.is_kept else self._columns(self.table, cases, None)[0]

    def asking(self, cases: Ints) -> Floats:
        """(c, d) the same as queries, each without its own label"""
        if not any(isinstance(maker, SharesFitted) for maker in self.makers):
            return self.stored(cases)
        return self._columns(self.table, cases, self.target.take(cases))[0]

    def near(self, cases: Ints) -> tuple[Floats, Ints, Ints | None]:
        """Rows that hold those of some stored cases, the places of these cases there, and which case each row is of.

        Where all rows are kept a case has the row of its number, and the last is None.
        """
        if self.is_kept:
            return self._kept, cases, None
        of_rows, places = np.unique(cases, return_inverse=True)
        return self.stored(of_rows), places.reshape(cases.shape), of_rows

    @cached_property
    def _kept(self) -> Floats:
        """(n, d)"""
        return self._columns(self.table, None, None)[0]

    def _columns(self, table: CaseTable, cases: Ints | None, target: Target | None) -> tuple[Floats, Ints]:
        """Rows of these cases, all where None, without the labels that are given; and the feature of each column."""
        n = len(table) if cases is None else len(cases)
        parts, feature = [np.zeros((n, 0))], [np.zeros(0, dtype=np.intp)]
        kinds = table.schema.values()
        for f, (maker, kind, whole) in enumerate(zip(self.makers, kinds, table.columns, strict=True)):
            if maker is None:
                continue
            column = whole if cases is None else whole.take(cases)
            if isinstance(maker, SharesFitted):
                codes = maker.encode(column)
                found = maker.embed(codes if target is None else maker.asking(codes, target))
                found = SHARE * (found if maker.width == 1 else found[:, 1:])
            elif isinstance(maker, _Indicators):
                found = maker.columns(column)
            else:
                raw = _raw(kind, column)
                assert raw is not None
                found = maker.columns(raw)
            parts.append(found)
            feature.append(np.full(found.shape[1], f, dtype=np.intp))
        return np.ascontiguousarray(np.hstack(parts)), np.concatenate(feature)


SHARE = 4.0
"""a share of 0 and one of 1 are as far apart as numbers that lie this many standard deviations from each other"""
