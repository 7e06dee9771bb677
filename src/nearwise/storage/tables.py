"""Cases and targets as JSON and arrays, and back.

Numbers, codes and vectors are arrays as they are; texts and sets are laid one behind the other with the place where
each ends; values of a Custom feature are JSON or arrays. What comes back is checked as if a stranger had written it,
since codes outside of their levels would lead the engines astray.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any

import numpy as np

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind, Ordinal, Set, Text
from nearwise.cases.plain import object_array
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, ModelFileError
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.storage.values import ALLOWED, NotPlainError, listed

__all__ = ["pack_table", "pack_target", "unpack_table", "unpack_target"]


# ---------------------------------------------------------------------- packing


def pack_table(pack: SettingsPacker, table: CaseTable) -> dict[str, Any]:
    columns = []
    for (name, kind), column in zip(table.schema.items(), table.columns, strict=True):
        try:
            columns.append(_pack_column(pack, kind, column))
        except (NotPlainError, RecursionError) as error:
            raise InputError(_unsavable(pack, table, name, kind, column)) from error
    labels = None if table.labels is None else pack.sequence([_label(pack, label) for label in table.labels])
    return {"n": table.n, "schema": _schema(pack, table), "columns": columns, "labels": labels}


def _schema(pack: SettingsPacker, table: CaseTable) -> Any:
    try:
        return pack.value(table.schema)
    except NotPlainError as error:
        raise InputError(f"The schema cannot be saved: it holds {error}, which is not a part of nearwise.") from error


def _pack_column(pack: SettingsPacker, kind: Kind, column: Column) -> dict[str, Any]:
    if column.levels is not None:
        return {"codes": pack.array(column.values), "levels": pack.sequence(column.levels)}
    if column.values.dtype != object:
        return {"numbers": pack.array(column.values)}
    values = column.values.tolist()
    if isinstance(kind, Text):
        return {"texts": pack.texts(values)}
    if not isinstance(kind, Set):
        return {"values": [pack.value(v) for v in values]}
    missing = pack.array(column.missing)
    known = [v for v in values if v is not None]
    if kind.members == "vectors":
        members = np.concatenate(known) if known else np.empty((0, 1))
        return {"members": pack.array(members), "ends": pack.ends(len(v) for v in known), "missing": missing}
    place: dict[tuple[type, Hashable], int] = {}  # by type too: 1 and True are equal but not the same
    ordered = [sorted(v, key=lambda member: (type(member).__name__, repr(member))) for v in known]
    codes = [place.setdefault((type(member), member), len(place)) for v in ordered for member in v]
    symbols = pack.sequence([member for _, member in place])
    held = {"codes": pack.array(np.array(codes, dtype=np.int64)), "ends": pack.ends(len(v) for v in known)}
    return {"symbols": symbols, **held, "missing": missing}


def _unsavable(pack: SettingsPacker, table: CaseTable, name: str, kind: Kind, column: Column) -> str:
    """Which value of the feature cannot be saved, and what can."""
    for i in range(len(column)):
        try:
            pack.value(column.value(i))
        except (NotPlainError, RecursionError) as error:
            what = str(error) if isinstance(error, NotPlainError) else "a value nested too deeply"
            return (
                f"Feature {name!r} ({kind.name}) holds {what} in case {table.label(i)!r}, which cannot be saved "
                f"without pickle: values may be {ALLOWED}. Convert the feature before fit."
            )
    return f"Feature {name!r} ({kind.name}) has a level that cannot be saved: levels may be {ALLOWED}."


def _label(pack: SettingsPacker, label: Any) -> Any:
    """The label, or its text where it is a timestamp or another object."""
    try:
        pack.value(label)
    except (NotPlainError, RecursionError):
        return str(label)
    return label


def pack_target(pack: SettingsPacker, target: Target) -> dict[str, Any]:
    try:
        classes = None if target.classes is None else pack.value(target.classes)
    except NotPlainError as error:
        raise InputError(
            f"The classes cannot be saved: there is {error} among them. Use strings, numbers or booleans as classes."
        ) from error
    return {"values": pack.array(target.values), "classes": classes, "weights": pack.array(target.weights)}


# -------------------------------------------------------------------- unpacking


def unpack_table(unpack: SettingsUnpacker, found: Any) -> CaseTable:
    if not isinstance(found, dict):
        raise ModelFileError("the cases are not described")
    n = found.get("n")
    schema = unpack.value(found.get("schema"))
    columns = listed(found.get("columns"), len(schema))
    if type(n) is not int or n < 1 or not columns:
        raise ModelFileError("there are no cases")
    made = tuple(_unpack_column(unpack, kind, column, n) for kind, column in zip(schema.values(), columns, strict=True))
    labels = None if found.get("labels") is None else tuple(unpack.sequence(found["labels"]))
    if labels is not None and len(labels) != n:
        raise ModelFileError("the cases and their labels differ in number")
    return CaseTable(schema, made, n, labels)


def _unpack_column(unpack: SettingsUnpacker, kind: Kind, found: Any, n: int) -> Column:
    if not isinstance(found, dict):
        raise ModelFileError("a column is not described")
    if kind.storage == "object":
        column = Column(object_array(_read_objects(unpack, kind, found, n)))
    elif kind.storage == "symbol":
        column = _read_symbols(unpack, kind, found)
    else:
        numbers = unpack.array(found.get("numbers"), "f", axes=2 if kind.storage == "vector" else 1)
        if numbers.dtype != np.float64 or np.isinf(numbers).any() or 0 in numbers.shape:
            raise ModelFileError("a column holds impossible numbers")
        column = Column(numbers)
    if len(column) != n:
        raise ModelFileError("a column has another number of cases")
    return column


def _read_symbols(unpack: SettingsUnpacker, kind: Kind, found: dict[str, Any]) -> Column:
    codes = unpack.array(found.get("codes"), "i", axes=1)
    levels = tuple(unpack.sequence(found.get("levels")))
    if not all(is_symbol(level) for level in levels) or len(set(levels)) != len(levels):
        raise ModelFileError("the levels of a column are not distinct")
    if isinstance(kind, Ordinal) and levels != kind.levels:
        raise ModelFileError("the levels of an ordinal column are not those of its kind")
    if len(codes) and not (codes.min() >= -1 and codes.max() < len(levels)):
        raise ModelFileError("a column has codes outside of its levels")
    return Column(codes.astype(np.int32, copy=False), levels)


def is_symbol(value: Any) -> bool:
    """Whether a value can be a level or a class: a plain one that equals itself."""
    if isinstance(value, tuple | frozenset):
        return all(is_symbol(v) or v is None for v in value)
    return isinstance(value, str | bytes | int | float | np.generic) and bool(value == value)


def _read_objects(unpack: SettingsUnpacker, kind: Kind, found: dict[str, Any], n: int) -> list[Any]:
    if isinstance(kind, Text):
        return list(unpack.texts(found.get("texts")))
    if not isinstance(kind, Set):
        return unpack.members(found.get("values"))
    missing = unpack.array(found.get("missing"), "b", axes=1)
    if kind.members == "vectors":
        rows = unpack.array(found.get("members"), "f", axes=2)
        if rows.dtype != np.float64 or not np.isfinite(rows).all() or rows.shape[1] < 1:
            raise ModelFileError("a set of vectors holds impossible numbers")
        known = _runs(unpack, found, len(rows), lambda a, b: rows[a:b].copy())
        if any(len(v) == 0 for v in known):
            raise ModelFileError("a set of vectors is empty")
    else:
        symbols = unpack.sequence(found.get("symbols"))
        codes = unpack.array(found.get("codes"), "i", axes=1)
        if len(codes) and not (codes.min() >= 0 and codes.max() < len(symbols)):
            raise ModelFileError("a set has codes outside of its symbols")
        named = [symbols[code] for code in codes.tolist()]
        known = _runs(unpack, found, len(codes), lambda a, b: frozenset(named[a:b]))
    if len(missing) != n or n - int(missing.sum()) != len(known):
        raise ModelFileError("the sets and the cases differ in number")
    there = iter(known)
    return [None if gone else next(there) for gone in missing.tolist()]


def _runs(unpack: SettingsUnpacker, found: dict[str, Any], size: int, cut: Callable[[int, int], Any]) -> list[Any]:
    starts = unpack.starts(found.get("ends"), size)
    return [cut(a, b) for a, b in pairwise(starts)]


def unpack_target(unpack: SettingsUnpacker, found: Any, n: int, *, has_classes: bool) -> Target:
    if not isinstance(found, dict) or (found.get("classes") is not None) != has_classes:
        raise ModelFileError("the target is not described")
    values = unpack.array(found.get("values"), "i" if has_classes else "f", axes=1)
    weights = unpack.array(found.get("weights"), "f", axes=1).astype(np.float64, copy=False)
    if len(values) != n or len(weights) != n or not np.isfinite(weights).all() or (weights < 0).any():
        raise ModelFileError("the target has another number of cases, or impossible weights")
    if not has_classes:
        if not np.isfinite(values).all():
            raise ModelFileError("the target holds impossible numbers")
        return Target(values.astype(np.float64, copy=False), None, weights)
    classes = unpack.value(found["classes"])
    if isinstance(classes, np.ndarray) and classes.dtype == object and not all(map(is_symbol, classes)):
        raise ModelFileError("a class is no text, number or boolean")
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not np.array_equal(np.unique(classes), classes):
        raise ModelFileError("the classes are not distinct and in order")
    if values.min() < 0 or values.max() >= len(classes):
        raise ModelFileError("the target has codes outside of its classes")
    return Target(values.astype(np.intp, copy=False), classes, weights)
