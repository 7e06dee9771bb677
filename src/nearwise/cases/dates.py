"""Dates by their parts: the year, and what comes round again, the month, the weekday, the hour.

As a number, a date is like those before and after it. Where the season or the day of the week matters, its parts are
features of their own, each with a weight of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import raw_table
from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.raw import RawColumn, RawTable
from nearwise.cases.times import SECONDS, moment
from nearwise.errors import SchemaError, did_you_mean

__all__ = ["PARTS", "date_parts", "named_parts", "part_names", "with_named_parts"]

PARTS: Mapping[str, Kind] = {
    "year": Numeric(),
    "month": Cyclic(12),
    "day": Cyclic(31),
    "weekday": Cyclic(7),
    "yearday": Cyclic(365.25),
    "hour": Cyclic(24),
}
"""part -> its kind. Months, days and days of the year count from 1, weekdays from 1 for Monday, hours from 0"""


def date_parts(X: Any, parts: Mapping[str, Iterable[str]]) -> RawTable:
    """The table with parts in the place of dates: column -> names of `PARTS`. Part p of column c is named "c.p".

    >>> import datetime
    >>> table = date_parts([{"when": datetime.date(2024, 2, 29), "km": 7}], {"when": ["year", "month", "weekday"]})
    >>> {name: column.objects() for name, column in zip(table.names, table.columns)}
    {'when.year': [2024], 'when.month': [2], 'when.weekday': [4], 'km': [7]}
    """
    table = raw_table(X)
    table.check_names(parts, "date_parts")
    columns: dict[str, RawColumn] = {}
    for name, column in zip(table.names, table.columns, strict=True):
        if name not in parts:
            columns[name] = column
            continue
        seconds = _seconds(table, column, name)
        for part in named_parts(name, parts[name]):
            title = f"{name}.{part}"
            if title in table.names:
                raise SchemaError(
                    f"There is a column {title!r} already: rename it, or leave out this part of {name!r}."
                )
            columns[title] = RawColumn("number", _part(seconds, part), whole=True, kind=PARTS[part])
    return replace(table, names=tuple(columns), columns=tuple(columns.values()))


def named_parts(name: str, parts: Iterable[str]) -> list[str]:
    """The parts, refused where there is no such part."""
    asked = [parts] if isinstance(parts, str) else [str(part) for part in parts]
    for part in asked:
        if part not in PARTS:
            raise SchemaError(f"Dates of {name!r} have no part {part!r}. {did_you_mean(part, PARTS)}")
    return asked


def part_names(names: Iterable[str], there: Iterable[str]) -> dict[str, list[str]]:
    """Of names that no column has, those that mean a part of one that is there: column -> parts.

    >>> part_names(["when.month", "km", "a.b"], ["when", "km"])
    {'when': ['month']}
    """
    known = frozenset(there)
    found: dict[str, list[str]] = {}
    for name in names:
        column, dot, part = name.rpartition(".")
        if name not in known and dot and column in known and part in PARTS:
            found.setdefault(column, []).append(part)
    return found


def with_named_parts(table: RawTable, names: Iterable[str]) -> RawTable:
    """The table with the parts of dates that a schema names in the place of the dates."""
    parts = part_names(names, table.names)
    return date_parts(table, parts) if parts else table


def _seconds(table: RawTable, column: RawColumn, name: str) -> NDArray[np.float64]:
    """(n,) seconds since 1970, NaN for missing."""
    numbers = column.numbers
    if column.sort == "time" and numbers is not None and column.holds not in ("time", "timedelta"):
        return numbers * SECONDS[column.unit or "seconds"]
    values = column.objects()
    if all(value is None for value in values):
        return np.full(len(values), np.nan)
    at, value = next((i, v) for i, v in enumerate(values) if v is not None and not _is_date(v))
    raise SchemaError(
        f"{table.where(at)}, column {name!r}: expected a date such as 2024-02-29 to take its year or month from, got "
        f"{value!r}. Mend the value, or leave the parts of {name!r} out."
    )


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and moment(value) is not None


def _part(seconds: NDArray[np.float64], part: str) -> NDArray[np.float64]:
    known = ~np.isnan(seconds)
    moments = np.floor(np.where(known, seconds, 0.0)).astype("datetime64[s]")
    days = moments.astype("datetime64[D]")
    years, months = days.astype("datetime64[Y]"), days.astype("datetime64[M]")
    found: dict[str, NDArray[Any]] = {
        "year": years.astype(int) + 1970,
        "month": months.astype(int) % 12 + 1,
        "day": (days - months).astype(int) + 1,
        "weekday": (days.astype(int) + 3) % 7 + 1,
        "yearday": (days - years).astype(int) + 1,
        "hour": (moments - days).astype("timedelta64[h]").astype(int),
    }
    return np.where(known, found[part].astype(np.float64), np.nan)
