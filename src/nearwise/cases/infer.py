"""Which kind a column most likely is, and why. A guess is always told and can always be overridden."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.times import SECONDS
from nearwise.errors import SchemaError

__all__ = ["Guess", "infer_kind", "of_symbols", "remark_of", "timed"]

GUESSED_BOOLEAN = "true or false"
"""the reason given for a column of booleans; readers look for it, to read the next file the same way"""

_IDENTIFIER_FROM = 10
"""with fewer cases than this, all-different values say nothing"""
_SENTENCE = 4
"""words from which a text is no name any more"""


@dataclass(frozen=True)
class Guess:
    kind: Kind
    why: str = ""
    remark: str = ""


def infer_kind(column: RawColumn, name: str, given: Kind | None = None) -> Guess:
    """The kind of a raw column; a given kind wins and is only completed."""
    if given is not None:
        if isinstance(given, Set) and given.members is None:
            found = _members([v for v in column.values if v is not None])
            return Guess(given.with_(members=found or "symbols"))
        if isinstance(given, Numeric | Cyclic):
            return Guess(timed(given, column))
        return Guess(given)
    guess = _guess(column, name)
    return Guess(guess.kind, guess.why, column.remark if isinstance(guess.kind, Text) else _remark(column))


def timed(given: Numeric | Cyclic, column: Any) -> Kind:
    """The unit of the column where none is given, so that later tables are read in the same; and what times were."""
    unit = column.unit if given.unit is None else given.unit
    holds = column.holds if given.holds is None and unit in SECONDS else given.holds
    return given.with_(unit=unit, holds=holds)


def _guess(column: RawColumn, name: str) -> Guess:
    if column.kind is not None:
        return Guess(column.kind, "part of a date")
    if column.sort == "number":
        return Guess(Numeric(), "numbers")
    if column.sort == "time":
        return Guess(Numeric(unit=column.unit, holds=column.holds), f"dates or times, in {column.unit}")
    if column.sort == "boolean":
        return Guess(Symbolic(), GUESSED_BOOLEAN)
    if len(column.levels) > 1:
        return Guess(Ordinal(column.levels), "categories with an order")
    if column.sort == "symbol":
        return of_symbols([value for value in column.distinct()[0] if value is not None], len(column.values))
    known = [v for v in column.values if v is not None]
    if not known:
        return Guess(Symbolic(), "no value at all")
    if all(isinstance(v, list | tuple | set | frozenset | np.ndarray) for v in known):
        if _is_vectors(known):
            return Guess(Vector(), f"lists of {len(known[0])} numbers")
        members = _members(known)
        if members == "symbols":
            _refuse_unknown((m for v in known for m in v), name, "lists of ")
        return Guess(Set(members=members), f"lists of {members}")
    _refuse_unknown(known, name)
    return Guess(Symbolic(), "values of several types")


def of_symbols(different: list[Any], n: int) -> Guess:
    """What n cases with these different symbols are: sentences, where there are many, else symbols."""
    if (words := _words(different)) and 2 * len(different) >= n:
        return Guess(Text(), f"sentences, {words} words in the middle one: declare it symbolic if they are names")
    told = ("no value at all", "strings or categories", "strings and numbers mixed")
    return Guess(Symbolic(), told[len({isinstance(v, str) for v in different})])


def _words(different: list[Any]) -> int:
    """The words of the text in the middle by length, 0 where these are too few texts or too short for sentences.

    >>> _words([f"the car number {i} has a scratch" for i in range(10)]), _words(["new york"] * 10)
    (7, 0)
    """
    if len(different) < _IDENTIFIER_FROM or not all(isinstance(value, str) for value in different):
        return 0
    lengths = sorted(len(value.split()) for value in different)
    middle = lengths[len(lengths) // 2]
    return middle if middle >= _SENTENCE else 0


_SYMBOLS = (str, bytes, bool, int, float, Decimal, Fraction, dt.date, dt.time, dt.timedelta)
"""types whose values are equal or not in a way that anyone would expect"""


def _is_symbol(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_symbol(part) for part in value)
    return value is None or isinstance(value, _SYMBOLS)


def _refuse_unknown(values: Iterable[Any], name: str, lists: str = "") -> None:
    """Refuse objects: whether two of them are equal may say no more than whether they are one object."""
    for value in values:
        if not _is_symbol(value):
            raise SchemaError(
                f"Column {name!r} holds {lists}{type(value).__name__} values, for which there is no difference: make "
                f"them text or numbers, give the column a kind, schema={{{name!r}: Custom(function)}}, or leave it "
                f"out, ignore=[{name!r}]."
            )


def _is_vectors(known: list[Any]) -> bool:
    lengths = {len(v) for v in known}
    ordered = all(not isinstance(v, set | frozenset) for v in known)
    return ordered and len(lengths) == 1 and lengths != {0} and all(_all_numbers(v) for v in known)


def _all_numbers(values: Iterable[Any]) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and values.dtype.kind in "fiu"
    return all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values)


def _members(known: list[Any]) -> str:
    """ "vectors" where every member of every list is itself a list of numbers, else "symbols"."""
    inner = [m for v in known if hasattr(v, "__iter__") and not isinstance(v, str | bytes) for m in v]
    is_vectors = bool(inner) and all(isinstance(m, list | tuple | np.ndarray) and _all_numbers(m) for m in inner)
    return "vectors" if is_vectors else "symbols"


def _remark(column: RawColumn) -> str:
    """What a person should know: what the reader noticed, a likely identifier, or a column that is empty."""
    if column.remark:
        return column.remark
    values, numbers = column.values, column.numbers
    different = 0
    if numbers is not None:
        known = int(np.count_nonzero(~np.isnan(numbers)))
        if column.lost is not None:
            different = sum(value is not None for value in column.distinct()[0])
        elif column.whole:
            different = len(np.unique(numbers[~np.isnan(numbers)]))
    elif column.sort == "symbol":
        kept, codes = column.distinct()
        present = np.array([value is not None for value in kept], dtype=bool)
        known, different = int(present[codes].sum()), int(present.sum())
    else:
        known = sum(v is not None for v in values)
    return remark_of(known, different, len(values))


def remark_of(known: int, different: int, n: int) -> str:
    """What a person should know of a column of n cases with so many known and so many different values."""
    if not known:
        return "no value at all: it cannot help"
    if different == n >= _IDENTIFIER_FROM:
        return "a different value in every case: likely an identifier, ignore it"
    return ""
