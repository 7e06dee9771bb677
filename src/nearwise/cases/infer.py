"""Which kind a column most likely is, and why. A guess is always told and can always be overridden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.cases.distinct import is_hashable
from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Set, Symbolic, Vector
from nearwise.errors import SchemaError

__all__ = ["Guess", "infer_kind"]

GUESSED_BOOLEAN = "true or false"
"""the reason given for a column of booleans; readers look for it, to read the next file the same way"""

_IDENTIFIER_FROM = 10
"""with fewer cases than this, all-different values say nothing"""


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
        if isinstance(given, Numeric | Cyclic) and given.unit is None:  # so that later tables are read in the same unit
            return Guess(given.with_(unit=column.unit))
        return Guess(given)
    guess = _guess(column, name)
    return Guess(guess.kind, guess.why, _remark(column))


def _guess(column: RawColumn, name: str) -> Guess:
    if column.sort == "number":
        return Guess(Numeric(), "numbers")
    if column.sort == "time":
        return Guess(Numeric(unit=column.unit), f"dates or times, in {column.unit}")
    if column.sort == "boolean":
        return Guess(Symbolic(), GUESSED_BOOLEAN)
    if column.sort == "symbol":
        told = ("no value at all", "strings or categories", "strings and numbers mixed")
        return Guess(Symbolic(), told[len({isinstance(v, str) for v in column.distinct()[0] if v is not None})])
    known = [v for v in column.values if v is not None]
    if not known:
        return Guess(Symbolic(), "no value at all")
    if all(isinstance(v, list | tuple | set | frozenset | np.ndarray) for v in known):
        if _is_vectors(known):
            return Guess(Vector(), f"lists of {len(known[0])} numbers")
        members = _members(known)
        return Guess(Set(members=members), f"lists of {members}")
    if all(is_hashable(v) for v in known):
        return Guess(Symbolic(), "values of several types")
    raise SchemaError(
        f"Column {name!r} holds {type(known[0]).__name__} values, for which there is no difference: give it a kind, "
        f"schema={{{name!r}: Custom(function)}}, or leave it out, ignore=[{name!r}]."
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
    """What a person should know: a likely identifier, or a column that is empty."""
    values, numbers = column.values, column.numbers
    different = 0
    if numbers is not None:
        known = int(np.count_nonzero(~np.isnan(numbers)))
        if column.whole:
            different = len(np.unique(numbers[~np.isnan(numbers)]))
    elif column.sort == "symbol":
        kept, codes = column.distinct()
        present = np.array([value is not None for value in kept], dtype=bool)
        known, different = int(present[codes].sum()), int(present.sum())
    else:
        known = sum(v is not None for v in values)
    if not known:
        return "no value at all: it cannot help"
    if different == len(values) >= _IDENTIFIER_FROM:
        return "a different value in every case: likely an identifier, ignore it"
    return ""
