"""Values of NumPy and the frame libraries as Python's own: one None for every spelling of missing."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_plain", "as_float", "category_names", "is_number", "object_array", "ordered_levels", "plain"]

_PLAIN = {str, int, bool, type(None)}
"""types whose values are never missing and Python's own"""


def all_plain(values: list[Any]) -> list[Any]:
    types = set(map(type, values))
    if types <= _PLAIN:
        return values
    if types <= _PLAIN | {float}:
        return [v if v == v else None for v in values]
    return [plain(v) for v in values]


def plain(value: Any) -> Any:
    """None for every spelling of missing; NumPy scalars as Python's own."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if value is np.ma.masked:
        return None
    if isinstance(value, np.generic):
        value = _python(value)
    elif isinstance(value, UUID):
        return str(value)
    elif type(value).__name__ == "Period":
        return _first_day(value)
    return None if isinstance(value, float) and value != value else value


def _python(value: np.generic) -> Any:
    """A NumPy scalar as Python's own; its finer times would become integers, its longer numbers stay."""
    if isinstance(value, np.datetime64 | np.timedelta64) and np.datetime_data(value)[0] in ("ns", "ps", "fs", "as"):
        return value.astype(f"{value.dtype.kind}8[us]").item()
    return float(value) if isinstance(value, np.floating) else value.item()


def _first_day(period: Any) -> Any:
    """When a period of pandas begins: a date, or a date with a time where it is shorter than a day."""
    start = period.start_time.to_pydatetime()
    return start.date() if (period.end_time - period.start_time).total_seconds() > 86_399 else start


def is_number(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal | Fraction) and kind is not bool


def as_float(value: Any) -> float:
    """A number beyond the range of float64 is infinite, which is refused later, with its place."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def object_array(values: Iterable[Any]) -> NDArray[Any]:
    """(n,) the values as they are; np.array would make a matrix of lists that are equally long.

    >>> object_array([[1, 2], [3, 4]])
    array([list([1, 2]), list([3, 4])], dtype=object)
    """
    return np.fromiter(values, dtype=object)


def _named(category: Any) -> Any:
    """A category as a symbol: an interval or a period of pandas, say, by its text."""
    found = plain(category)
    return found if found is None or isinstance(found, str | bytes | bool | int | float) else str(found)


def category_names(series: Any) -> list[Any]:
    """The categories of the cases of a narwhals series, None for missing."""
    native = series.to_native()
    if not hasattr(native, "cat") or not hasattr(native.cat, "codes"):
        return [_named(v) for v in series.to_list()]
    names = [
        *map(_named, native.cat.categories),
        None,
    ]  # by their codes, for pandas makes floats of integers with holes
    return [names[code] for code in native.cat.codes.tolist()]


def ordered_levels(series: Any) -> list[Any]:
    """The categories of a narwhals series from lowest to highest; none where they have no order."""
    return [_named(level) for level in _in_order(series)]


def _in_order(series: Any) -> list[Any]:
    native = series.to_native()
    dtype: Any = getattr(native, "type", None)  # of pyarrow, whose order narwhals does not tell
    if getattr(dtype, "ordered", False):
        whole = native.unify_dictionaries() if hasattr(native, "unify_dictionaries") else native
        chunks = getattr(whole, "chunks", [whole])
        return list(chunks[0].dictionary.to_pylist()) if chunks else []
    dtype = getattr(native, "dtype", None)  # of pandas and its like
    if getattr(dtype, "ordered", False):
        return list(dtype.categories)
    return list(getattr(series.dtype, "categories", None) or ())  # an Enum of polars
