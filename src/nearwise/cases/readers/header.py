"""The first row of separated text: names of the columns, or a case, or names with the index that pandas writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError

__all__ = ["column_names", "finished", "values_of"]

_BEHIND = "\n"
"""stands above what comes after the last name; no header can hold it, for names have no blanks at their ends"""

_INDEX = ("", "Unnamed: 0")
"""what stands above the index of a data frame that was written by pandas once, and once more"""


def values_of(names: Sequence[str]) -> str:
    """How many values a row must have, and which.

    >>> values_of(["a"]), values_of(["a", "b", "c"])
    ("1 value ('a')", "3 values ('a' … 'c')")
    """
    return f"1 value ({names[0]!r})" if len(names) == 1 else f"{len(names)} values ({names[0]!r} … {names[-1]!r})"


def column_names(place: str, first: list[str], layout: Layout, limits: Limits) -> list[str]:
    """The names of the columns; f1, f2, … where the file has no header row.

    A first column without a name may be an index, so it is let through as "": see `finished`.
    """
    if not first:
        raise ReadError(
            f"{place.split(', line')[0]} is empty: expected a header row with the column names, then one row per case."
        )
    if len(first) > limits.max_columns:
        raise limits.met("max_columns", f"{place}: there are {len(first):,} columns")
    if layout.header is False:
        return [f"f{j}" for j in range(1, len(first) + 1)]
    first = [name.strip() for name in first]
    if len(first) > 2 and not first[-1]:  # a separator at the end of each row: see `finished`
        first = [*first[:-1], _BEHIND]
    way_out = "." if layout.header else ", or pass header=False if this row is a case."
    before: dict[str, int] = {}
    for j, name in enumerate(first, 1):
        if not name and (j > 1 or len(first) == 1):
            told = "Give every column a name in the header row"
            raise ReadError(f"{place}: column {j} has no name. {told}{way_out}")
        if before.setdefault(name, j) != j:
            raise ReadError(f"{place}: columns {before[name]} and {j} are both named {name!r}. Rename one{way_out}")
    return first


def finished(table: RawTable, place: str, layout: Layout) -> RawTable:
    """The table without an index, refused where its names look like the values of a case."""
    if layout.header is False:
        return table
    if table.names[-1] == _BEHIND:
        table = _without_empty(table, place)
    if layout.header is None:
        _refuse_data(table, place)
    return _without_index(table, place) if table.names[0] in _INDEX else table


def _without_empty(table: RawTable, place: str) -> RawTable:
    """The table without a last column that has neither a name nor a value."""
    if any(value is not None for value in table.columns[-1].objects()):
        raise ReadError(
            f"{place}: column {len(table.names)} has no name. Give every column a name in the header row, or pass "
            "header=False if this row is a case."
        )
    told = f"{place}: rows end with a separator, and nothing stands behind it: the last column is left out"
    return replace(table.drop([_BEHIND]), remarks=(*table.remarks, told))


def _refuse_data(table: RawTable, place: str) -> None:
    for name, column in zip(table.names, table.columns, strict=True):
        if column.sort == "number" and _is_number(name):
            raise ReadError(
                f"{place}: {name!r} stands above a column of numbers, so the first row looks like a case. "
                "Pass header=False if it is one, header=True if it names the columns."
            )


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text) and "_" not in text
    except ValueError:
        return False


def _without_index(table: RawTable, place: str) -> RawTable:
    """The first column, which has no name, left out where it counts the rows, else as labels of the cases."""
    index = table.columns[0]
    rest = table.drop([table.names[0]])
    if _counts(index):
        told = f"{place}: the first column has no name and counts the rows: it is left out"
        return replace(rest, remarks=(*table.remarks, told))
    labels = index.objects()
    if None in labels or len(set(labels)) < len(labels):
        if table.names[0]:  # somebody's own column of this name
            return table
        raise ReadError(
            f"{place}: column 1 has no name and is no index, for values are missing or stand there twice. Give every "
            "column a name in the header row."
        )
    told = f"{place}: the first column has no name: it names the cases and is no feature"
    return replace(rest, labels=tuple(labels), remarks=(*table.remarks, told))


def _counts(column: RawColumn) -> bool:
    numbers = column.numbers
    if numbers is None or not column.whole or np.isnan(numbers).any():
        return False
    return bool((np.diff(numbers) == 1).all()) and numbers[0] in (0, 1)
