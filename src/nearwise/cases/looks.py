"""A first look at a part of a table, that merges with those at other parts: enough to tell the kind of every column.

What the looks at all parts say, in whatever order they are merged, is what `Schema.infer` says of the whole table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.infer import GUESSED_BOOLEAN, Guess, of_symbols, remark_of, timed
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Text
from nearwise.cases.raw import RawColumn, RawTable
from nearwise.cases.schema import Schema, as_kinds
from nearwise.errors import InputError, SchemaError, did_you_mean

__all__ = ["MOST_LEVELS", "Look", "TableLook"]

MOST_LEVELS = 1_000_000
"""different symbols of a feature of a table that is read in parts"""
MOST_NUMBERED = 1 << 24
"""whole numbers among which an identifier is looked for, 128 MB of them"""


@dataclass(frozen=True)
class Look:
    """What a column of some of the cases looks like."""

    n: int
    known: int
    sort: str
    """that of a `RawColumn`, or "" where nothing is known and nothing says what it would be"""
    unit: str | None = None
    whole: bool = False
    holds: str | None = None
    levels: tuple[Any, ...] = ()
    remark: str = ""
    kind: Kind | None = None
    symbols: frozenset[Any] | None = None
    """the different symbols; of times, the texts that they were read from"""
    numbered: NDArray[np.float64] | None = None
    """the whole numbers in ascending order, as long as no case lacks one and no two are equal"""

    @classmethod
    def of(cls, column: RawColumn, name: str, given: Kind | None = None) -> Look:
        """Look at one column; symbols of a column whose kind is given are not gathered."""
        told = {key: getattr(column, key) for key in ("unit", "whole", "holds", "levels", "remark", "kind")}
        n, numbers = len(column.values), column.numbers
        if numbers is not None:
            known = int(np.count_nonzero(~np.isnan(numbers)))
            found = cls(n, known, column.sort, **told)
            if given is not None:
                return found
            if column.written is not None:
                return replace(found, symbols=_held({v for v in column.written if v is not None}, name))
            return replace(found, numbered=_numbered(numbers) if column.whole and known == n else None)
        if column.sort == "object" and given is None:
            raise SchemaError(
                f"Column {name!r} holds lists, or values of several types, and a table in parts has no kind for these: "
                f"leave it out, ignore=[{name!r}], or write it as numbers or texts."
            )
        if column.sort == "object":
            return cls(n, sum(v is not None for v in column.values), column.sort, **told)
        kept, codes = column.distinct()
        present = np.array([value is not None for value in kept], dtype=bool)
        known = int(present[codes].sum()) if n else 0
        sort = column.sort if known or column.levels or column.sort == "boolean" else ""
        symbols = _held({v for v in kept if v is not None}, name) if given is None and column.sort == "symbol" else None
        return cls(n, known, sort, symbols=symbols, **told)

    def merged(self, other: Look, name: str) -> Look:
        """The look at the cases of both parts."""
        if not other.sort or not self.sort:
            one, two = (self, other) if self.sort else (other, self)
            both = _union(one.symbols, two.symbols, name) if one.symbols is not None else None
            numbered = None if two.n else one.numbered
            return replace(one, n=one.n + two.n, known=one.known + two.known, symbols=both, numbered=numbered)
        one, two = self, other
        if {one.sort, two.sort} == {"time", "symbol"} and one.symbols is not None and two.symbols is not None:
            # texts that were all dates so far
            one, two = (replace(look, sort="symbol", unit=None, holds=None) for look in (one, two))
        alike = ("sort", "unit", "levels", "kind")
        if any(getattr(one, key) != getattr(two, key) for key in alike):
            raise SchemaError(
                f"Column {name!r} holds {_told(one)} in one part of the table and {_told(two)} in another: make the "
                f"parts alike, or leave the column out, ignore=[{name!r}]."
            )
        return replace(
            one,
            n=one.n + two.n,
            known=one.known + two.known,
            whole=one.whole and two.whole,
            holds=one.holds if one.holds == two.holds else "datetime",
            remark=one.remark or two.remark,
            symbols=None if one.symbols is None or two.symbols is None else _union(one.symbols, two.symbols, name),
            numbered=_joined(one.numbered, two.numbered),
        )

    def guess(self, name: str, given: Kind | None = None) -> Guess:
        """The kind of the column, as `nearwise.cases.infer.infer_kind` has it for a whole one."""
        if given is not None:
            return Guess(timed(given, self) if isinstance(given, Numeric | Cyclic) else given)
        found = self._guess()
        if isinstance(found.kind, Text) or self.remark:
            return replace(found, remark=self.remark)
        different = len(self.symbols) if self.sort == "symbol" and self.symbols is not None else 0
        if self.numbered is not None:
            different = len(self.numbered)
        return replace(found, remark=remark_of(self.known, different, self.n))

    def _guess(self) -> Guess:
        if self.kind is not None:
            return Guess(self.kind, "part of a date")
        if self.sort == "number":
            return Guess(Numeric(), "numbers")
        if self.sort == "time":
            return Guess(Numeric(unit=self.unit, holds=self.holds), f"dates or times, in {self.unit}")
        if self.sort == "boolean":
            return Guess(of_symbols([], 0).kind, GUESSED_BOOLEAN)
        if len(self.levels) > 1:
            return Guess(Ordinal(self.levels), "categories with an order")
        return of_symbols(list(self.symbols or ()), self.n)


@dataclass(frozen=True)
class TableLook:
    """The looks at all columns of a part, by name."""

    looks: Mapping[str, Look]
    n: int

    @classmethod
    def of(cls, raw: RawTable, schema: Any = None, ignore: Iterable[str] = ()) -> TableLook:
        given, left_out = as_kinds(schema), frozenset(ignore)
        raw.check_names(given, "The schema")
        raw.check_names(left_out, "ignore")
        columns = zip(raw.names, raw.columns, strict=True)
        return cls({name: Look.of(c, name, given.get(name)) for name, c in columns if name not in left_out}, raw.n)

    def merged(self, other: TableLook) -> TableLook:
        absent = [name for name in (*self.looks, *other.looks) if name not in self.looks or name not in other.looks]
        if absent:
            raise SchemaError(
                f"Some parts have a column {absent[0]!r} and some have not: give all parts the same columns. "
                f"{did_you_mean(absent[0], self.looks)}"
            )
        looks = {name: look.merged(other.looks[name], name) for name, look in self.looks.items()}
        return TableLook(looks, self.n + other.n)

    def schema(self, schema: Any = None, ignore: Iterable[str] = ()) -> Schema:
        """The schema that `fit` would use for all the cases."""
        given = as_kinds(schema)
        kinds: dict[str, Kind] = {}
        guessed: dict[str, str] = dict(getattr(schema, "guessed", {}))
        remarks: dict[str, str] = {}
        for name, look in self.looks.items():
            found = look.guess(name, given.get(name))
            kinds[name] = found.kind
            if found.why:
                guessed[name] = found.why
            if found.remark:
                remarks[name] = found.remark
        return Schema(kinds, guessed, tuple(ignore), remarks)


def _told(look: Look) -> str:
    return {"number": "numbers", "time": f"times in {look.unit}", "boolean": "booleans"}.get(look.sort, "symbols")


def _held(symbols: set[Any], name: str) -> frozenset[Any]:
    if len(symbols) > MOST_LEVELS:
        raise InputError(
            f"Column {name!r} has more than {MOST_LEVELS:,} different symbols, too many for a table that is read in "
            f"parts: leave it out, ignore=[{name!r}], or write fewer different ones."
        )
    return frozenset(symbols)


def _union(one: frozenset[Any], two: frozenset[Any] | None, name: str) -> frozenset[Any]:
    return one if not two or two <= one else _held({*one, *two}, name)


def _numbered(numbers: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The numbers in order if they are all different and not too many, else None."""
    if len(numbers) > MOST_NUMBERED:
        return None
    ordered = np.sort(numbers)
    return None if (ordered[1:] == ordered[:-1]).any() else ordered


def _joined(one: NDArray[np.float64] | None, two: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if one is None or two is None else _numbered(np.concatenate([one, two]))
