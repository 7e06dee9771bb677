"""The columns that a local linear answer regresses on: numbers in units of their spread, symbols by what they say.

Numbers and ranks become one column, numbers on a circle two, vectors one for each component. A symbol becomes a column
for each value but the commonest or, where values are many, its shares of the target. Texts, sets and functions have no
column: they count through the distance only. A missing number stands at the middle.
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
from nearwise.search.base import Floats

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


@dataclass(frozen=True)
class Design:
    """The columns of every feature, fitted to the stored cases."""

    makers: tuple[_Numbers | _Indicators | SharesFitted | None, ...]
    kinds: tuple[Kind, ...]
    factor: float
    """what shares are multiplied by"""
    stored: Floats
    """(n, d) the stored cases"""
    asking: Floats
    """(n, d) the same as queries, each without its own label"""
    feature: NDArray[np.intp]
    """(d,) the feature of each column"""

    @cached_property
    def is_flag(self) -> NDArray[np.bool_]:
        """(d,) whether a column holds nothing but 0 and 1."""
        return np.array([isinstance(self.makers[f], _Indicators) for f in self.feature], dtype=bool)

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
        kinds = tuple(kind for _, kind in table.schema.items())
        made = cls(tuple(makers), kinds, SHARE, np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0, dtype=np.intp))
        stored, feature = made._columns(table, None)
        asking = stored
        if any(isinstance(m, SharesFitted) for m in makers):
            asking, _ = made._columns(table, target)
        return cls(made.makers, kinds, SHARE, stored, asking, feature)

    def of_queries(self, table: CaseTable) -> Floats:
        """(m, d)"""
        return self._columns(table, None)[0]

    def _columns(self, table: CaseTable, target: Target | None) -> tuple[Floats, NDArray[np.intp]]:
        parts, feature = [np.zeros((len(table), 0))], [np.zeros(0, dtype=np.intp)]
        for f, (maker, kind, column) in enumerate(zip(self.makers, self.kinds, table.columns, strict=True)):
            if maker is None:
                continue
            if isinstance(maker, SharesFitted):
                codes = maker.encode(column)
                rows = maker.embed(codes if target is None else maker.asking(codes, target))
                found = self.factor * (rows if maker.width == 1 else rows[:, 1:])
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
