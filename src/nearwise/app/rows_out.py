"""Rows that are written as they come: CSV or JSON to standard output or a file, Parquet to a file, in one step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nearwise.app.output import check_output, csv_text, json_text, write
from nearwise.errors import InputError, MissingDependencyError
from nearwise.files import draft_of, writing

__all__ = ["check_rows_out", "rows_out"]

Heads = Sequence[str]
Rows = Sequence[Sequence[Any]]
_PROMISED = {".csv": "CSV", ".json": "JSON", ".parquet": "Parquet"} | dict.fromkeys(
    (".jsonl", ".ndjson", ".arff", ".feather", ".arrow", ".ipc", ".xlsx", ".xls", ".ods", ".sqlite", ".db", ".duckdb")
)
"""endings that promise a format -> its name, if it is written"""


def check_rows_out(out: Path | None, as_json: bool) -> None:
    """Refuse an output that cannot be written, or whose name promises another format than it would have."""
    check_output(out)
    if out is None or out.suffix.lower() not in _PROMISED:
        return
    promised = _PROMISED[out.suffix.lower()]
    if promised is None:
        raise InputError(
            f"--out {out}: expected a name that ends in .csv, .parquet or .json; `nearwise convert` makes other files "
            "of these."
        )
    if as_json != (promised == "JSON"):
        raise InputError(f"--out {out}: a {promised} file {'takes no --json' if as_json else 'takes --json, too'}.")


@contextlib.contextmanager
def rows_out(out: Path | None, as_json: bool = False, guard: bool = False) -> Iterator[Callable[[Heads, Rows], None]]:
    """What takes heads and the next rows. Standard output has them at once, a file all of them or none."""
    if out is not None and out.suffix.lower() == ".parquet":
        with draft_of(out) as draft, _parquet(draft, out) as told:
            yield told
        return
    with _text(out) as put:
        if not as_json:
            begun = False

            def tell(heads: Heads, rows: Rows) -> None:
                nonlocal begun
                put(csv_text(() if begun else heads, rows, guard))
                begun = True

            yield tell
            return
        kept: list[dict[str, Any]] = []
        yield lambda heads, rows: kept.extend(dict(zip(heads, row, strict=True)) for row in rows)
        put(json_text(kept))


@contextlib.contextmanager
def _text(out: Path | None) -> Iterator[Callable[[str], Any]]:
    if out is None:
        yield lambda text: write(text, now=True)
        return
    with writing(out) as put:
        yield put


@contextlib.contextmanager
def _parquet(draft: Path, out: Path) -> Iterator[Callable[[Heads, Rows], None]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError.of("pyarrow", f"writing {out.name}", "frames") from None
    with contextlib.ExitStack() as closing:
        held: list[Any] = []

        def tell(heads: Heads, rows: Rows) -> None:
            columns = {head: [row[j] for row in rows] for j, head in enumerate(heads)}
            try:
                table = pa.table(columns, held[0].schema if held else None)
                if not held:
                    held.append(closing.enter_context(parquet.ParquetWriter(draft, table.schema)))
                held[0].write_table(table)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                raise InputError(
                    f"--out {out}: a column holds values of several types, which Parquet does not take: name a .csv."
                ) from None

        yield tell
