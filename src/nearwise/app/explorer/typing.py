"""Texts of a form as values of a case, and values as texts that a form takes back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.schema import as_kind
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, did_you_mean

__all__ = ["CHOICES", "kind_of", "text_of", "typed_case", "typed_value"]

CHOICES = ("numeric", "symbolic", "text", "ordinal", "cyclic")
"""kinds that a column can be given on the page; a tree of symbols would be a file, so it is not among them"""


def typed_case(table: CaseTable, given: Mapping[str, Any]) -> dict[str, Any]:
    """A case from what a form or a program sent; features that are not named are missing."""
    names = table.schema.names
    for name in given:
        if name not in names:
            raise InputError(f"There is no feature {name!r}. {did_you_mean(name, names)}")
    return {name: typed_value(table, name, given.get(name)) for name in names}


def typed_value(table: CaseTable, name: str, given: Any) -> Any:
    """One value under the kind of its feature; nothing, or an empty text, is a missing one."""
    kind, column = table.schema[name], table.columns[table.schema.names.index(name)]
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if isinstance(kind, Numeric | Cyclic) and kind.holds is None:
        return _number(name, given)
    if isinstance(kind, Symbolic | Ordinal):
        known = {_written(level): level for level in (column.levels or ())}
        return known.get(_written(given), given)
    if isinstance(kind, Set):
        return [each.strip() for each in given.split(",")] if isinstance(given, str) else given
    if isinstance(kind, Vector):
        return _numbers(name, given)
    return str(given) if isinstance(kind, Text) else given


def _number(name: str, given: Any) -> float:
    try:
        found = float(given)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name!r}: expected a number, got {given!r}.") from None
    if not math.isfinite(found):
        raise InputError(f"{name!r}: expected a finite number, got {given!r}.")
    return found


def _numbers(name: str, given: Any) -> list[float]:
    parts = given.replace(",", " ").strip("[] ").split() if isinstance(given, str) else given
    if not isinstance(parts, list):
        raise InputError(f"{name!r}: expected numbers with commas in between, got {given!r}.")
    return [_number(name, part) for part in parts]


def _written(value: Any) -> str:
    return text_of(value).strip()


def text_of(value: Any) -> str:
    """A value as a form shows it and takes it back.

    >>> text_of(None), text_of(7.0), text_of(0.1 + 0.2), text_of(frozenset({"b", "a"})), text_of([1.0, 2.5])
    ('', '7', '0.3', 'a, b', '1, 2.5')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, set | frozenset):
        return ", ".join(sorted(text_of(v) for v in value))
    if isinstance(value, list | tuple):
        return ", ".join(text_of(v) for v in value)
    return str(value)


def kind_of(name: str, text: str) -> Kind:
    """A kind as the page names it: symbolic, ordinal:S:M:L, cyclic:24.

    >>> kind_of("size", "ordinal:S:M:L"), kind_of("hour", "cyclic:24")
    (Ordinal(levels=('S', 'M', 'L')), Cyclic(period=24.0))
    """
    first, *more = text.split(":")
    first = first.strip().lower()
    if first not in CHOICES:
        raise InputError(f"{name!r} cannot be {text!r} here: expected {', '.join(CHOICES)}.")
    if first == "ordinal":
        levels = tuple(level.strip() for level in more)
        if len(levels) < 2:
            raise InputError(f"{name!r} as ordinal needs its levels in order, such as ordinal:low:mid:high.")
        return Ordinal(levels)
    if first == "cyclic":
        if len(more) != 1:
            raise InputError(f"{name!r} as cyclic needs its period, such as cyclic:24.")
        return Cyclic(_number(name, more[0]))
    if more:
        raise InputError(f"{name!r}: {first} takes nothing after a colon, got {json.dumps(text)}.")
    return as_kind(first, name)
