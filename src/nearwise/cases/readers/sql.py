"""Databases and queries: SQLite through Python's own module, DuckDB files and SQL over any other file through DuckDB.

Nothing but the named file is read: databases are opened for reading only, and a query may not open files, other
databases or the network.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawColumn, RawTable, _from_list, raw_table
from nearwise.cases.readers.limits import Limits
from nearwise.cases.times import as_time
from nearwise.errors import MissingDependencyError, ReadError
from nearwise.visible import visible

__all__ = ["NAME", "asked_of", "read_duckdb", "read_sqlite"]

NAME = "data"
"""what a query calls the table of the file"""


@dataclass(frozen=True)
class AtResult:
    """Where a case stands in the answer to a query: its row, counted from 1."""

    name: str

    def __call__(self, case: int) -> str:
        return f"{visible(self.name)}, row {case + 1} of the query"


def read_sqlite(path: Path, sql: str | None, limits: Limits) -> RawTable:
    """Read a table or the answer to a query of a SQLite file."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            base.set_authorizer(_reads)
            if sql is None:
                found = base.execute("select name from sqlite_master where type in ('table', 'view') order by name")
                sql = _only(path, [str(name) for (name,) in found])
            cursor = base.execute(sql)
            names = [str(name) for name, *_ in cursor.description or ()]
            rows = cursor.fetchall()
    except sqlite3.Warning as error:
        raise ReadError(f"{path.name}: {_one_line(error)} Write one select.") from None
    except sqlite3.Error as error:
        raise ReadError(
            f"{path.name} cannot be asked this as SQLite: {_one_line(error)}. Mend the query or the file."
        ) from None
    _check(path, names, rows, limits)
    columns = tuple(_from_list(list(values)) for values in zip(*rows, strict=True))
    return RawTable(tuple(names), columns, len(rows), None, named=True, source=AtResult(path.name))


def _reads(action: int, *_: Any) -> int:
    """Allow what reads: SELECT, columns, functions, recursion."""
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def read_duckdb(path: Path, sql: str | None, limits: Limits) -> RawTable:
    """Read a table or the answer to a query of a DuckDB file."""
    duckdb = _duckdb(f"Reading {path.name}")
    try:
        base = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise ReadError(f"{path.name} cannot be opened as DuckDB: {_one_line(error)}. Is it another format?") from None
    with closing(base):
        if sql is None:
            found = base.execute("select table_name from information_schema.tables order by 1").fetchall()
            sql = _only(path, [str(name) for (name,) in found])
        return _answer(duckdb, base, path, sql, limits)


def asked_of(table: RawTable, path: Path, sql: str, limits: Limits) -> RawTable:
    """The answer to a query of a table that was read; the query calls it "data"."""
    duckdb = _duckdb(f"sql= on {path.name}")
    import pyarrow as pa

    arrays = {name: pa.array(_plain(column)) for name, column in zip(table.names, table.columns, strict=True)}
    with closing(duckdb.connect(":memory:")) as base:
        base.register(NAME, pa.table(arrays))
        return replace(_answer(duckdb, base, path, sql, limits), remarks=table.remarks)


def _duckdb(purpose: str) -> Any:
    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        raise MissingDependencyError.of("duckdb and pyarrow", purpose, extra="sql")
    import duckdb

    return duckdb


def _answer(duckdb: Any, base: Any, path: Path, sql: str, limits: Limits) -> RawTable:
    try:
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ReadError(f"sql={sql!r}: expected one select, for nothing else is run.")
        for setting in ("enable_external_access=false", "python_enable_replacements=false", "lock_configuration=true"):
            base.execute(f"set {setting}")
        found = base.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise ReadError(f"{path.name} cannot be asked this: {_one_line(error)}. Mend the query.") from None
    _check(path, found.column_names, range(found.num_rows), limits)
    return replace(raw_table(found), match="names", source=AtResult(path.name))


def _plain(column: RawColumn) -> list[Any]:
    """Values with dates as dates."""
    if column.sort != "time" or column.unit is None or column.holds is None:
        return column.objects()
    return [None if v is None else as_time(v, column.unit, column.holds) for v in column.objects()]


def _only(path: Path, names: list[str]) -> str:
    if len(names) == 1:
        quoted = names[0].replace('"', '""')
        return f'select * from "{quoted}"'
    if not names:
        raise ReadError(f"{path.name} holds no table: expected at least one.")
    raise ReadError(
        f"{path.name} holds {len(names)} tables ({', '.join(names[:10])}): say which cases you want, such as "
        f"sql='select * from {names[0]}'."
    )


def _check(path: Path, names: list[str], rows: Any, limits: Limits) -> None:
    if len(names) > limits.max_columns:
        raise limits.met("max_columns", f"{path.name}: there are {len(names):,} columns")
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ReadError(f"{path.name}: two columns of the query are named {twice!r}. Rename one: select a as b.")
    if not len(rows):
        raise ReadError(f"{path.name}: the query finds no row. Ask for at least one case.")


def _one_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")
