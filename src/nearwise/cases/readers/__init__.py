"""Readers: a file of cases becomes a raw table that knows the line of every case."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from nearwise.cases.dates import with_named_parts
from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.infer import GUESSED_BOOLEAN
from nearwise.cases.kinds import Kind, Symbolic
from nearwise.cases.readers.files import readable
from nearwise.cases.readers.formats import DATABASES, FORMATS, format_of, read_as
from nearwise.cases.readers.group import group_rows
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import LIMITS, Limits
from nearwise.cases.readers.texts import booleans, keeps_text
from nearwise.cases.schema import Schema, as_kinds
from nearwise.errors import ReadError, SchemaError, did_you_mean

__all__ = ["DEFAULT_MISSING", "FORMATS", "group_rows", "read"]

DEFAULT_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")

_URL = re.compile(r"[a-z][a-z0-9+]+:/+", re.IGNORECASE)

Path_ = str | PathLike[str]


class _Settings(TypedDict, total=False):
    """What `read` takes besides path and target, for tools that check types."""

    schema: Mapping[str, Any] | None
    ignore: Iterable[str]
    group_by: str | None
    keep: Iterable[str]
    set_name: str | None
    skip_unlabelled: bool
    missing: Collection[str]
    format: str | None
    sheet: str | None
    sql: str | None
    sep: str | None
    header: bool | None
    comment: str | None
    numbers: str
    encoding: str | None
    max_line: int
    max_columns: int
    max_size: int
    max_absent: int


@overload
def read(path: Path_, target: None = None, **settings: Unpack[_Settings]) -> RawTable: ...
@overload
def read(path: Path_, target: str, **settings: Unpack[_Settings]) -> tuple[RawTable, list[Any]]: ...


def read(
    path: Path_,
    target: str | None = None,
    *,
    schema: Mapping[str, Any] | None = None,
    ignore: Iterable[str] = (),
    group_by: str | None = None,
    keep: Iterable[str] = (),
    set_name: str | None = None,
    skip_unlabelled: bool = False,
    missing: Collection[str] = DEFAULT_MISSING,
    format: str | None = None,
    sheet: str | None = None,
    sql: str | None = None,
    sep: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    numbers: str = "plain",
    encoding: str | None = None,
    max_line: int = LIMITS.max_line,
    max_columns: int = LIMITS.max_columns,
    max_size: int = LIMITS.max_size,
    max_absent: int = LIMITS.max_absent,
) -> RawTable | tuple[RawTable, list[Any]]:
    """Read a file of cases in one of `FORMATS`, known by its suffix or by ``format``.

    With ``target`` the result is a pair: the table without that column, and the list of its values.
    ``schema`` keeps the text of columns that are declared symbolic ("007" stays "007") and makes sure of the
    numbers, and one that names ``when.month`` takes that from the dates of ``when`` (`nearwise.cases.dates.PARTS`);
    ``ignore`` leaves columns out. ``group_by`` turns the rows of one group into one case, see
    `group_rows`. ``missing`` lists the texts that mean "no value" in CSV and TSV.

    Of text with separators, ``sep``, ``header`` (False: the columns are named f1, f2, …) and ``encoding`` are found out
    where they are not given, and what is not usual stands in the ``remarks`` of the table. ``comment`` is the sign that
    comment lines begin with; ``skip_unlabelled`` leaves rows without a target out. ``numbers="english"`` also reads
    1,234.5 and $5 and 5% as numbers, ``"european"`` 1.234,5.

    ``sheet`` names a sheet of a spreadsheet. ``sql`` asks a database, or any other file by the name ``data``: one
    select, which can read nothing else.

    A file beyond a limit is refused by the limit's name, which can be raised: ``max_line`` letters of a line (of a row
    of CSV), ``max_columns``, ``max_size`` bytes that a packed file unpacks to, ``max_absent`` cells that the file
    leaves out and the reader fills in (absent keys of JSON lines, zeros of sparse ARFF).

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cars.csv"
    ...     _ = path.write_text("doors,fuel,price\\n4,petrol,low\\n?,diesel,high\\n")
    ...     X, y = read(path, target="price")
    >>> X.names, X.column("doors").objects(), y, X.where(1)
    (('doors', 'fuel'), [4, None], ['low', 'high'], 'cars.csv, line 3')
    """
    path = _checked_path(path)
    for parameter, given in {
        "target": target,
        "group_by": group_by,
        "set_name": set_name,
        "format": format,
        "sheet": sheet,
        "sql": sql,
    }.items():
        if given is not None and not isinstance(given, str):
            raise ReadError(f"{parameter}={given!r}: expected a text, or None.")
    kinds = as_kinds(schema)
    ignored, kept = _several(ignore, "ignore"), _several(keep, "keep")
    limits = Limits(max_line, max_columns, max_size, max_absent)
    readable(path)
    form = format_of(path, format)
    if sheet is not None and form != "excel":
        raise _no_sheets(path, form, sheet)
    if group_by is not None:  # the name of a group is a name, also where it looks like a number
        kinds.setdefault(group_by, Symbolic())
    if form.startswith("timbl") and missing is DEFAULT_MISSING:
        missing = ()  # in language data NA and null are words
    layout = Layout(sep, header, comment, numbers, encoding, frozenset(_several(missing, "missing")), sheet)
    table = read_as(path, form, kinds, layout, limits, sql)
    if sql is not None and form not in DATABASES:
        from nearwise.cases.readers.sql import asked_of

        table = asked_of(table, path, sql, limits)
    table = with_named_parts(table, [name for name in kinds if name != set_name])
    used = {"target": _several(target, "target"), "group_by": _several(group_by, "group_by"), "keep": kept}
    _check_names(path.name, table, used, ignored, _declared(kinds, table, set_name))
    table = _with_hints(_as_guessed(_as_written(table.drop(ignored), kinds), schema))
    if target is not None:
        table = _labelled_only(table, target, path.name) if skip_unlabelled else _refuse_missing_target(table, target)
    if group_by is not None:
        table = group_rows(_as_declared(table, kinds), group_by, [*kept, *used["target"]], set_name)
    if target is None:
        return table
    return table.drop([target]), table.column(target).objects()


def _no_sheets(path: Path, form: str, sheet: str) -> ReadError:
    instead = "ask for one of its tables with sql" if form in DATABASES else "name a spreadsheet"
    return ReadError(
        f"sheet={sheet!r}: {path.name} is read as {form}, which has no sheets. Leave that out, or {instead}."
    )


def _checked_path(path: Any) -> Path:
    if isinstance(path, str) and _URL.match(path):
        raise ReadError(f"{path!r} is an address: expected a file. Fetch it first, and name the file.")
    try:
        return Path(path)
    except TypeError:
        raise ReadError(f"{path!r} is no path: expected a text or a Path that names a file.") from None


def _several(names: Iterable[str] | None, parameter: str = "") -> list[str]:
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    if not isinstance(names, Iterable):
        raise SchemaError(f"{parameter}={names!r}: expected the name of a column, or a list of names.")
    return [str(name) for name in names]


def _check_names(
    file: str, table: RawTable, used: Mapping[str, list[str]], ignored: list[str], declared: list[str]
) -> None:
    there, left_out = frozenset(table.names), frozenset(ignored)
    for parameter, names in {**used, "ignore": ignored, "schema": declared}.items():
        for name in names:
            if name not in there:
                known = did_you_mean(name, table.names)
                raise SchemaError(f"{file} has no column {name!r}, which {parameter} names. {known}")
            if name in left_out and parameter in used:
                raise SchemaError(f"Column {name!r} is named by {parameter} and by ignore. Take it out of one.")


def _declared(kinds: Mapping[str, Kind], table: RawTable, set_name: str | None) -> list[str]:
    """The columns that the schema says are there; a sparse file may leave them out."""
    return [name for name in kinds if name != set_name and (table.match != "sparse" or name in table.names)]


def _with_hints(table: RawTable) -> RawTable:
    """What was noticed about single columns, among the remarks of the table."""
    hints = (f"column {name!r} {c.remark}" for name, c in zip(table.names, table.columns, strict=True) if c.remark)
    return replace(table, remarks=(*table.remarks, *hints))


def _as_written(table: RawTable, kinds: Mapping[str, Kind]) -> RawTable:
    """Dates that the schema calls symbols, as they were written."""
    columns = [
        RawColumn("symbol", c.written) if c.written is not None and keeps_text(kinds.get(name)) else c
        for name, c in zip(table.names, table.columns, strict=True)
    ]
    return replace(table, columns=tuple(columns))


def _as_guessed(table: RawTable, schema: Mapping[str, Any] | None) -> RawTable:
    """A schema learned from one file knows which symbols were true and false: they are in the next, too."""
    if not isinstance(schema, Schema):
        return table
    columns = [
        booleans(column) if schema.guessed.get(name) == GUESSED_BOOLEAN else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return replace(table, columns=tuple(columns))


def _refuse_missing_target(table: RawTable, target: str) -> RawTable:
    for i, value in enumerate(table.column(target).objects()):
        if value is None:
            raise ReadError(
                f"{table.where(i)}, column {target!r}: no target. Fill it in, or leave such rows out with "
                "skip_unlabelled=True."
            )
    return table


def _labelled_only(table: RawTable, target: str, name: str) -> RawTable:
    """The rows that have a target; how many have none is remarked upon."""
    rows = [i for i, value in enumerate(table.column(target).objects()) if value is not None]
    if len(rows) == table.n:
        return table
    if not rows:
        raise ReadError(f"{name}: no row has a target in column {target!r}. Name another column.")
    told = f"{table.n - len(rows)} of {table.n} rows of {name} have no target {target!r} and are left out"
    return replace(table.take(rows), remarks=(*table.remarks, told))


def _as_declared(table: RawTable, kinds: Mapping[str, Kind]) -> RawTable:
    """Numbers that the schema calls symbols, as symbols, so that they do not become part of a vector."""
    columns = [
        RawColumn("symbol", c.objects()) if keeps_text(kinds.get(name)) and c.sort in ("number", "time") else c
        for name, c in zip(table.names, table.columns, strict=True)
    ]
    return replace(table, columns=tuple(columns))
