"""Rows of one group become one case: its numbers a set of vectors, each symbolic column a set of symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.convert import too_large
from nearwise.cases.frames import RawColumn, RawTable, raw_table
from nearwise.errors import InputError, SchemaError

__all__ = ["group_rows"]

Groups = dict[Any, NDArray[np.intp]]


@dataclass(frozen=True)
class _AtGroup:
    """Where a grouped case stands: where its first row does."""

    table: RawTable
    groups: tuple[tuple[Any, int], ...]

    def __call__(self, case: int) -> str:
        group, first = self.groups[case]
        return f"group {group!r} ({self.table.where(first)})"


def group_rows(table: Any, by: str, keep: Iterable[str] = (), set_name: str | None = None) -> RawTable:
    """One case per value of the column ``by``, in order of first appearance and labelled with that value.

    Columns in ``keep`` must be constant in every group and stay plain features. The other numbers (dates and
    times too) of one row are one vector, and the vectors of a group are one set, named ``set_name`` or
    "first…last"; every other column becomes a set of symbols.

    >>> rows = {"molecule": ["m1", "m1", "m2"], "x": [0.0, 1.0, 5.0], "y": [2, 3, 7], "side": ["l", "r", "l"]}
    >>> cases = group_rows(rows, "molecule", set_name="shapes")
    >>> cases.names, cases.labels
    (('shapes', 'side'), ('m1', 'm2'))
    >>> [vector.tolist() for vector in cases.column("shapes").values[0]]
    [[0.0, 2.0], [1.0, 3.0]]
    """
    table = raw_table(table)
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    there = frozenset(table.names)
    table.check_names([by], "group_by")
    table.check_names(keep, "keep")
    groups = _groups(table, by)
    rest = [name for name in table.names if name != by]
    kept = frozenset(keep)
    numeric = [name for name in rest if name not in kept and table.column(name).sort in ("number", "time")]
    numbers = frozenset(numeric)
    columns: dict[str, RawColumn] = {}
    for name in rest:
        column = table.column(name)
        if name in kept:
            columns[name] = _constant(table, name, groups, by)
        elif name not in numbers:
            columns[name] = _symbol_sets(column, name, groups)
        elif name == numeric[0]:
            title = set_name or (f"{numeric[0]}…{numeric[-1]}" if len(numeric) > 1 else name)
            if title in there and title not in numbers | {by}:
                raise SchemaError(f"The set of vectors and a column are both named {title!r}. Pass another set_name.")
            columns[title] = _vector_sets(table, numeric, groups)
    source = _AtGroup(table, tuple((group, int(rows[0])) for group, rows in groups.items()))
    return RawTable(tuple(columns), tuple(columns.values()), len(groups), tuple(groups), table.named, source=source)


def _groups(table: RawTable, by: str) -> Groups:
    column = table.column(by)
    if column.sort == "object":
        raise SchemaError(f"Column {by!r} holds lists or objects: rows are grouped by a symbol or a number.")
    found: dict[Any, list[int]] = {}
    for i, group in enumerate(column.objects()):
        if group is None:
            raise InputError(
                f"{table.where(i)}, column {by!r}: the group is missing. Name the group of every row, or "
                "leave the row out."
            )
        found.setdefault(group, []).append(i)
    return {group: np.array(rows, dtype=np.intp) for group, rows in found.items()}


def _constant(table: RawTable, name: str, groups: Groups, by: str) -> RawColumn:
    values = table.column(name).objects()
    for group, rows in groups.items():
        for i in rows[1:]:
            if not _same(values[i], values[rows[0]]):
                raise InputError(
                    f"{table.where(i)}, column {name!r}: expected {values[rows[0]]!r} as in the first row of "
                    f"group {group!r} of {by!r}, got {values[i]!r}. Mend the rows; only a column that is the "
                    "same throughout a group can be the target or stand in keep."
                )
    return table.column(name).take(np.array([rows[0] for rows in groups.values()], dtype=np.intp))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


def _symbol_sets(column: RawColumn, name: str, groups: Groups) -> RawColumn:
    """Missing members are left out; a group without any member is missing."""
    if column.sort == "object":
        raise SchemaError(
            f"Column {name!r} holds lists or objects, which cannot be members of a set: leave it out, "
            f"ignore=[{name!r}], or, where it is the same throughout a group, keep=[{name!r}]."
        )
    values = column.objects()
    sets = [frozenset(values[i] for i in rows if values[i] is not None) for rows in groups.values()]
    return RawColumn("object", [members or None for members in sets])


def _vector_sets(table: RawTable, names: list[str], groups: Groups) -> RawColumn:
    matrix = np.column_stack([table.column(name).values for name in names])
    blank = np.argwhere(np.isnan(matrix))
    if len(blank):
        i, j = blank[0]
        raise InputError(
            f"{table.where(i)}, column {names[j]!r}: a number of a member vector is missing. Fill it in, "
            f"leave the row out, or leave the column out: ignore=[{names[j]!r}]."
        )
    for name in names:
        lost = table.column(name).lost
        if lost is not None:
            raise too_large(int(lost.integers[0]), name, table.where(int(lost.rows[0])))
    return RawColumn("object", [list(matrix[rows]) for rows in groups.values()])
