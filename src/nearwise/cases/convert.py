"""Raw values into the storage of a kind, or an error that names the feature, the place and the value."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column, coded_column
from nearwise.cases.distinct import is_hashable
from nearwise.cases.frames import RawColumn
from nearwise.cases.integers import lost_in_list
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Set
from nearwise.cases.plain import object_array
from nearwise.cases.times import SECONDS
from nearwise.errors import InputError, SchemaError

__all__ = ["to_column", "too_large"]

Where = Callable[[int], str]


def to_column(raw: RawColumn, kind: Kind, name: str, where: Where) -> Column:
    """Type one column."""
    if raw.written is not None and (kind.storage == "symbol" or kind.name == "Text"):
        raw = RawColumn("symbol", raw.written)  # dates that are meant as they are written
    if kind.storage == "number":
        return Column(_numbers(raw, kind, name, where))
    if kind.storage == "symbol":
        return _symbols(raw, kind, name, where)
    values = raw.objects()
    if kind.storage == "vector":
        return Column(_vectors(values, name, where))
    if isinstance(kind, Set):
        values = [_as_set(v, kind, name, where(i)) for i, v in enumerate(values)]
        if kind.members == "vectors":
            _equal_widths(values, name, where)
    elif kind.name == "Text":
        values = [None if v is None else str(v) for v in values]
    return Column(object_array(values))


def _numbers(raw: RawColumn, kind: Kind, name: str, where: Where) -> NDArray[np.float64]:
    values = raw.numbers
    if values is None:
        values = np.array([_number(v, name, where, i) for i, v in enumerate(raw.objects())], dtype=np.float64)
    infinite = np.isinf(values)
    if infinite.any():
        at = int(np.flatnonzero(infinite)[0])
        raise InputError(
            f"Feature {name!r} holds infinity ({where(at)}): expected finite numbers. Use NaN for unknown values."
        )
    if raw.lost is not None:
        raise too_large(int(raw.lost.integers[0]), name, where(int(raw.lost.rows[0])))
    unit = kind.unit if isinstance(kind, Numeric | Cyclic) else None
    if raw.unit is not None and unit is not None and unit != raw.unit:
        if unit not in SECONDS:
            raise SchemaError(
                f"Feature {name!r} has times in {raw.unit}; unit={unit!r} is not one of {', '.join(SECONDS)}."
            )
        values = values * (SECONDS[raw.unit] / SECONDS[unit])
    return np.asarray(values, dtype=np.float64)


def too_large(integer: int, name: str, place: str) -> InputError:
    """For a whole number that float64 would round to another one."""
    return InputError(
        f"Feature {name!r} holds {integer} ({place}), and beyond 2^53 = {2**53} numbers of 53 bits do not tell all "
        f"whole numbers apart: declare it symbolic, schema={{{name!r}: Symbolic()}}, leave it out, ignore=[{name!r}], "
        "or subtract a constant."
    )


def _number(value: Any, name: str, where: Where, at: int) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        raise InputError(f"Feature {name!r} mixes dates with other values ({where(at)}: {value!r}).")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"Feature {name!r} is numeric, but {where(at)} holds {value!r}. Mend the value, or declare the feature "
            f"symbolic: schema={{{name!r}: Symbolic()}}."
        ) from None


def _symbols(raw: RawColumn, kind: Kind, name: str, where: Where) -> Column:
    try:
        different, codes = raw.distinct()
    except TypeError:
        at, value = next((i, v) for i, v in enumerate(raw.objects()) if not is_hashable(v))
        raise InputError(
            f"Feature {name!r} is {kind.name}, but {where(at)} holds a {type(value).__name__}, which is not a symbol."
        ) from None
    if not isinstance(kind, Ordinal):
        return coded_column(different, codes)
    for code, value in enumerate(different):
        if value is not None and value == value and value not in kind.levels:
            place = where(int(np.flatnonzero(codes == code)[0]))
            raise InputError(
                f"Feature {name!r} is ordinal, but {place} holds {value!r}, not one of its levels {kind.levels}."
            )
    return coded_column(different, codes, kind.levels)


def _vectors(values: list[Any], name: str, where: Where) -> NDArray[np.float64]:
    width = next((len(v) for v in values if isinstance(v, list | tuple | np.ndarray) and np.shape(v[:1]) == (1,)), 1)
    rows = np.full((len(values), width), np.nan)
    for i, value in enumerate(values):
        if value is None:
            continue
        rows[i] = _vector(value, width, name, where(i))
    return rows


def _vector(value: Any, width: int, name: str, place: str) -> NDArray[np.float64]:
    """(width,) the numbers; a masked one is missing."""
    try:
        vector = np.asarray(value, dtype=np.float64)
        if isinstance(value, np.ma.MaskedArray):
            vector = np.where(np.ma.getmaskarray(value), np.nan, vector)
    except (TypeError, ValueError):
        raise InputError(f"Feature {name!r} holds vectors, but {place} holds {value!r}.") from None
    if vector.shape != (width,):
        raise InputError(f"Feature {name!r}: {place} has a vector of shape {vector.shape}, expected {width} numbers.")
    if np.isinf(vector).any():
        raise InputError(f"Feature {name!r} holds infinity ({place}): expected finite numbers.")
    lost = lost_in_list(value.tolist() if isinstance(value, np.ndarray) else list(value), vector)
    if lost is not None:
        raise too_large(int(lost.integers[0]), name, place)
    return vector


def _as_set(value: Any, kind: Set, name: str, place: str) -> Any:
    """A frozenset of symbols, or an (s, d) array of member vectors; an empty set of vectors is an error (M9)."""
    if value is None:
        return None
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise InputError(f"Feature {name!r} holds sets, but {place} holds {value!r}: expected a list or a set.")
    if kind.members != "vectors":
        try:
            return frozenset(m for m in value if m is not None and not (isinstance(m, float) and m != m))
        except TypeError:
            raise InputError(f"Feature {name!r}: {place} has a set member that is not a symbol.") from None
    members = [m if hasattr(m, "__len__") else [m] for m in value]
    if not members:
        raise InputError(
            f"Feature {name!r}: {place} has an empty set of vectors, which is at no distance from anything. "
            "Use a missing value, or Set(members='symbols')."
        )
    width = len(members[0])
    stacked = np.array([_vector(m, width, name, place) for m in members])
    if np.isnan(stacked).any():
        raise InputError(f"Feature {name!r}: {place} has a set member with a missing number.")
    return stacked


def _equal_widths(values: list[Any], name: str, where: Where) -> None:
    width = next((v.shape[1] for v in values if v is not None), None)
    for i, value in enumerate(values):
        if value is not None and value.shape[1] != width:
            raise InputError(
                f"Feature {name!r}: the members of {where(i)} have {value.shape[1]} numbers, those before {width}."
            )
