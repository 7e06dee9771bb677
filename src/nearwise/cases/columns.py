"""One feature's values for all cases, typed once and never changed.

Storage by kind: numbers are float64 with NaN for missing; symbols are int32 codes into ``levels`` with -1 for
missing; vectors are the rows of a float64 matrix, a missing one all NaN; anything else is an object array with
None for missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.distinct import distinct

__all__ = ["Column", "coded_column", "level_order", "symbol_column"]


@dataclass(frozen=True)
class Column:
    values: NDArray[Any]
    levels: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """(n,) which cases have no value."""
        if self.values.dtype == object:
            return np.fromiter((v is None for v in self.values), dtype=bool, count=len(self.values))
        blank = np.isnan(self.values) if self.levels is None else self.values < 0
        if blank.ndim == 2:
            blank = blank.any(axis=1)
        return np.asarray(blank) if blank.any() else np.broadcast_to(np.False_, len(blank))  # takes no memory

    def take(self, rows: Any) -> Column:
        return Column(self.values[rows], self.levels)

    def value(self, row: int) -> Any:
        """The value as a person wrote it, None where it is missing."""
        if self.missing[row]:
            return None
        value = self.values[row]
        if self.levels is not None:
            return self.levels[value]
        return value.item() if isinstance(value, np.generic) else value

    def append(self, other: Column) -> Column:
        """Both columns, symbols under one set of levels; levels that are already shared keep their order."""
        if self.levels is not None and other.levels is not None:
            both = self.levels
            if other.levels != both:
                both = tuple(sorted({*self.levels, *other.levels}, key=level_order))
            return Column(np.concatenate([self.recode(both), other.recode(both)]), both)
        first, second = self.values, other.values
        if first.ndim == 2 and first.shape[1] != second.shape[1]:  # a column without any vector has no width of its own
            first, second = _widened(self, second.shape[1]), _widened(other, first.shape[1])
        return Column(np.concatenate([first, second]))

    def without_unused_levels(self) -> Column:
        """The same symbols under the levels that occur."""
        if self.levels is None:
            return self
        used = np.flatnonzero(np.bincount(self.values[self.values >= 0], minlength=len(self.levels)))
        if len(used) == len(self.levels):
            return self
        levels = tuple(self.levels[code] for code in used)
        return Column(self.recode(levels), levels)

    def recode(self, levels: Sequence[Hashable]) -> NDArray[np.int32]:
        """Codes under other levels: -1 stays missing, a symbol that is not there becomes ``len(levels)``."""
        if self.levels is None:
            raise TypeError("only symbols have levels")
        if tuple(levels) == self.levels:
            return self.values
        place = {level: code for code, level in enumerate(levels)}
        table = np.array([place.get(level, len(levels)) for level in self.levels] + [-1], dtype=np.int32)
        return np.asarray(table[self.values])


def _widened(column: Column, width: int) -> NDArray[np.float64]:
    return np.full((len(column), width), np.nan) if column.missing.all() else column.values


def level_order(level: Hashable) -> tuple[str, Any]:
    """Sorts symbols of one type by value and of several types by type, the same in every process."""
    if isinstance(level, bool | np.bool_):
        return ("bool", str(level))
    if isinstance(level, int | float):
        return ("number", level)
    return (type(level).__name__, str(level))


def symbol_column(values: Iterable[Any], levels: Sequence[Hashable] | None = None) -> Column:
    """Code hashable values; None and NaN are missing.

    >>> symbol_column(["b", "a", None, "b"])
    Column(values=array([ 1,  0, -1,  1], dtype=int32), levels=('a', 'b'))
    """
    return coded_column(*distinct(list(values)), levels)


def coded_column(different: list[Any], codes: NDArray[np.int32], levels: Sequence[Hashable] | None = None) -> Column:
    """The symbols ``different[code]`` of every case, under ``levels`` or those that occur."""
    known = [value is not None and value == value for value in different]
    if levels is None:
        levels = sorted(itertools.compress(different, known), key=level_order)
    place = {level: code for code, level in enumerate(levels)}
    table = [place[value] if is_known else -1 for value, is_known in zip(different, known, strict=True)]
    same = table == list(range(len(table))) and codes.dtype == np.int32
    return Column(codes if same else np.array(table, dtype=np.int32)[codes], tuple(levels))
