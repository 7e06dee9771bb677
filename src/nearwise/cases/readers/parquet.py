"""Parquet, through pyarrow or polars, whichever is installed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawTable, raw_table
from nearwise.cases.readers.limits import Limits
from nearwise.errors import MissingDependencyError, ReadError
from nearwise.visible import visible

__all__ = ["read_parquet"]

_INDEX = "__index_level_0__"
"""the name under which pandas writes an index that has no name"""


@dataclass(frozen=True)
class AtRow:
    """Where a case stands in a file without lines: its row, counted from 1."""

    name: str

    def __call__(self, case: int) -> str:
        return f"{visible(self.name)}, row {case + 1}"


def read_parquet(path: Path, limits: Limits) -> RawTable:
    """Read a Parquet file; an unnamed index that pandas wrote labels the cases."""
    try:
        frame = _frame(path, limits)
    except (MissingDependencyError, ReadError):
        raise
    except Exception as error:  # each library has its own family of errors, and OSError besides
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ReadError(f"{path.name} cannot be read as Parquet ({told}). Fetch it again, or write it anew.") from None
    table = replace(raw_table(frame), source=AtRow(path.name))
    if not table.n:
        raise ReadError(f"{path.name} has no cases: expected at least one row.")
    if _INDEX in table.names:
        table = replace(table.drop([_INDEX]), labels=tuple(table.column(_INDEX).objects()))
    return table


def _frame(path: Path, limits: Limits) -> Any:
    if find_spec("pyarrow") is not None:
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            told = file.metadata
            declared = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
            _check(path, len(file.schema_arrow), told.num_rows, declared, limits)
            return file.read()
    if find_spec("polars") is not None:
        import polars

        lazy = polars.scan_parquet(path)
        _check(path, len(lazy.collect_schema()), lazy.select(polars.len()).collect().item(), 0, limits)
        return polars.read_parquet(path)
    raise MissingDependencyError.of("pyarrow or polars", f"Reading {path.name}", extra="frames")


def _check(path: Path, columns: int, rows: int, declared: int, limits: Limits) -> None:
    """Refuse what the file says of itself before it is unpacked: a column of equal values takes next to no room."""
    if columns > limits.max_columns:
        raise limits.met("max_columns", f"{path.name}: there are {columns:,} columns")
    if max(declared, 8 * rows * columns) > limits.max_size:
        told = f"{path.name} unpacks to {max(declared, 8 * rows * columns):,} bytes ({rows:,} rows of {columns:,})"
        raise limits.met("max_size", told)
