"""Tables as they came: columns with what their source said about them, before any kind is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.coded import CodedTexts
from nearwise.cases.distinct import distinct
from nearwise.cases.integers import Lost
from nearwise.cases.kinds import Kind
from nearwise.errors import SchemaError, did_you_mean

__all__ = ["RawColumn", "RawTable", "places"]


@dataclass(frozen=True)
class RawColumn:
    """Values as they came, with what the source said about them.

    ``sort`` is "number" (float64 array), "boolean", "symbol" or "object" (lists, None for missing; symbols may be an
    array of texts, or `CodedTexts`), or "time" (float64 array in ``unit``).
    """

    sort: str
    values: Any
    unit: str | None = None
    whole: bool = False
    """all numbers came as integers"""
    lost: Lost | None = None
    """integers that the numbers are not, for float64 cannot hold them"""
    levels: tuple[Any, ...] = ()
    """the symbols from lowest to highest, where the source gives them an order"""
    holds: str | None = None
    """what times were: one of `nearwise.cases.times.HOLDS`"""
    remark: str = ""
    """what a person should know about the column"""
    written: list[str | None] | None = None
    """the texts that times were read from, where the source had texts and may mean symbols"""
    kind: Kind | None = None
    """what the source knows the values to be, where it knows more than their sort: the month of a date is cyclic"""

    def take(self, rows: NDArray[np.intp]) -> RawColumn:
        if isinstance(self.values, np.ndarray):
            lost = None if self.lost is None else self.lost.take(rows, len(self.values))
            written = None if self.written is None else [self.written[i] for i in rows]
            return replace(self, values=self.values[rows], lost=lost, written=written)
        if isinstance(self.values, CodedTexts):
            return replace(self, values=self.values.take(rows))
        return replace(self, values=[self.values[i] for i in rows])

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """(n,) where the source had numbers or times, else None."""
        held = self.values
        return held if isinstance(held, np.ndarray) and held.dtype.kind == "f" else None

    def objects(self) -> list[Any]:
        """Python values with None for missing; whole numbers as integers, so that 1 and 1.0 read the same."""
        told = self._told(self.values.tolist() if isinstance(self.values, np.ndarray) else list(self.values))
        return told if self.lost is None else self.lost.put(told)

    def distinct(self) -> tuple[list[Any], NDArray[np.int32]]:
        """The different ones of `objects`, and (n,) which of them each case has."""
        if self.lost is not None:
            return distinct(self.objects())
        if isinstance(self.values, CodedTexts):
            return self.values.distinct()
        different, codes = distinct(self.values)
        return self._told(different), codes

    def _told(self, values: list[Any]) -> list[Any]:
        if self.numbers is None:
            return values
        return [None if v != v else int(v) if self.whole else v for v in values]


_SHOWN = 8
"""columns that a table names when it is printed"""


@dataclass(frozen=True, repr=False)
class RawTable:
    names: tuple[str, ...]
    columns: tuple[RawColumn, ...]
    n: int
    labels: tuple[Any, ...] | None
    named: bool
    """whether the names came from the user (a frame) and not from positions"""
    match: str = "names"
    """how queries are put under the training columns: by "names" in any order, by names in the same "order" (a data
    frame, as scikit-learn asks), or as "records", where an absent name is missing, or "sparse", where it is 0"""
    source: Callable[[int], str] | None = None
    """where a case stands, for errors: "cars.csv, line 7" """
    remarks: tuple[str, ...] = ()
    """what the reader found out by itself and a person should know: the separator, the encoding, columns left out"""

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        """What was read, in a line: a table of a million cases is not printed at the prompt."""
        first = zip(self.names[:_SHOWN], self.columns[:_SHOWN], strict=True)
        shown = ", ".join(f"{name} ({column.sort})" for name, column in first)
        more = f", and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
        return f"<{self.n} cases of {len(self.names)} columns: {shown}{more}>"

    @property
    def shape(self) -> tuple[int, int]:
        return self.n, len(self.names)

    def take(self, rows: Any) -> RawTable:
        """Some of the cases, in the order given; they keep their labels and places."""
        at = places(rows)
        columns = tuple(c.take(at) for c in self.columns)
        labels = None if self.labels is None else tuple(self.labels[i] for i in at)
        told = self.source
        source = None if told is None else lambda case: told(int(at[case]))
        return replace(self, columns=columns, n=len(at), labels=labels, source=source)

    def drop(self, names: Iterable[str]) -> RawTable:
        """The same cases without some columns."""
        gone = set(names)
        kept = [j for j, name in enumerate(self.names) if name not in gone]
        columns = tuple(self.columns[j] for j in kept)
        return replace(self, names=tuple(self.names[j] for j in kept), columns=columns)

    @cached_property
    def _at(self) -> dict[str, int]:
        """Where each column stands; looking through the names of a wide table for each of them takes too long."""
        return {name: j for j, name in enumerate(self.names)}

    def column(self, name: str) -> RawColumn:
        if name not in self._at:
            raise SchemaError(f"There is no column {name!r}. {did_you_mean(name, self.names)}")
        return self.columns[self._at[name]]

    def check_names(self, names: Iterable[str], parameter: str) -> None:
        """Refuse names that a parameter gives and no column has."""
        for name in names:
            if name not in self._at:
                raise SchemaError(
                    f"{parameter} names {name!r}, which is not a column. {did_you_mean(name, self.names)}"
                )

    def where(self, case: int) -> str:
        if self.source is not None:
            return self.source(case)
        return f"case {case}" if self.labels is None else f"case {self.labels[case]!r}"


def places(rows: Any) -> NDArray[np.intp]:
    """Places among cases, from these or from one truth value per case."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
