"""Parquet, through pyarrow or polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawTable, as_texts, raw_table
from nearwise.cases.readers.limits import Limits
from nearwise.errors import MissingDependencyError, ReadError
from nearwise.visible import visible

__all__ = ["read_parquet", "text_columns"]

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
        frame, texts = _frame(path, limits)
    except (MissingDependencyError, ReadError):
        raise
    except Exception as error:  # each library has its own family of errors, and OSError besides
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ReadError(f"{path.name} cannot be read as Parquet ({told}). Fetch it again, or write it anew.") from None
    table = replace(as_texts(raw_table(frame), texts), source=AtRow(path.name))
    if not table.n:
        raise ReadError(f"{path.name} has no cases: expected at least one row.")
    if _INDEX in table.names:
        table = replace(table.drop([_INDEX]), labels=tuple(table.column(_INDEX).objects()))
    return table


def _frame(path: Path, limits: Limits) -> tuple[Any, Sequence[str]]:
    """The table, and the names of the columns that are texts which were read as codes."""
    if find_spec("pyarrow") is not None:
        return _by_pyarrow(path, limits)
    if find_spec("polars") is not None:
        return _by_polars(path, limits), ()
    raise MissingDependencyError.of("pyarrow or polars", f"Reading {path.name}", extra="frames")


def _by_pyarrow(path: Path, limits: Limits) -> tuple[Any, Sequence[str]]:
    """Texts are read as codes, as Parquet has them: a long one that every row repeats takes room only once."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        told, schema = file.metadata, file.schema_arrow
        declared = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
        _check(path, len(schema), told.num_rows, declared, limits)
    texts = text_columns(schema)
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        table = file.read()
    _check_texts(path, sum(_letters(column) for column in table.columns), limits)
    return table, texts


def text_columns(schema: Any) -> list[str]:
    """The columns of an Arrow schema that are texts, and can be read as codes."""
    return [field.name for field in schema if _is_text(field.type)]


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _letters(column: Any) -> int:
    """The bytes of all texts of a coded column; 0 for another."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return 0
    pieces = (compute.take(compute.binary_length(part.dictionary), part.indices) for part in column.chunks)
    return sum(compute.sum(compute.cast(lengths, "int64")).as_py() or 0 for lengths in pieces)


def _by_polars(path: Path, limits: Limits) -> Any:
    import polars

    lazy = polars.scan_parquet(path)
    _check(path, len(lazy.collect_schema()), lazy.select(polars.len()).collect().item(), 0, limits)
    frame = polars.read_parquet(path)
    lengths = frame.select(polars.col(polars.String).str.len_bytes().cast(polars.Int64).sum())
    _check_texts(path, sum(lengths.row(0)) if lengths.width else 0, limits)
    return frame


def _check(path: Path, columns: int, rows: int, declared: int, limits: Limits) -> None:
    """Refuse what the file says of itself before it is unpacked: a column of equal values takes next to no room."""
    if columns > limits.max_columns:
        raise limits.met("max_columns", f"{path.name}: there are {columns:,} columns")
    if max(declared, 8 * rows * columns) > limits.max_size:
        told = f"{path.name} unpacks to {max(declared, 8 * rows * columns):,} bytes ({rows:,} rows of {columns:,})"
        raise limits.met("max_size", told)


def _check_texts(path: Path, letters: int, limits: Limits) -> None:
    if letters > limits.max_size:
        raise limits.met("max_size", f"{path.name} unpacks to {letters:,} bytes of text")
