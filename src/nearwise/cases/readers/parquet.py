"""Parquet, through pyarrow or polars, whichever is installed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawTable, raw_table
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


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; an unnamed index that pandas wrote labels the cases."""
    try:
        frame = _frame(path)
    except MissingDependencyError:
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


def _frame(path: Path) -> Any:
    if find_spec("pyarrow") is not None:
        from pyarrow import parquet

        return parquet.ParquetFile(path).read()
    if find_spec("polars") is not None:
        import polars

        return polars.read_parquet(path)
    raise MissingDependencyError.of("pyarrow or polars", f"Reading {path.name}", extra="frames")
