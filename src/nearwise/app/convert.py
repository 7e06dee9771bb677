"""``nearwise convert``: a table from any format that can be read into one that others read, in one step."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.options import File, GuardFormulas, Reading, with_options
from nearwise.app.output import check_output, csv_text, plain, say, write_file
from nearwise.errors import InputError, MissingDependencyError
from nearwise.files import draft_of

if TYPE_CHECKING:
    from nearwise.cases.frames import RawColumn, RawTable

__all__ = ["convert"]

Columns = dict[str, list[Any]]
"""name -> Python's values, None for missing"""


@with_options
def convert(
    file: File,
    reading: Reading,
    new: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="The file to write: .csv, .tsv, .jsonl, .json or .parquet.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The same, said as in other commands.")] = None,
    guard_formulas: GuardFormulas = False,
) -> None:
    """Write a table in another format.

    Numbers, dates, symbols, lists and missing values stay what they are where the new format can hold them; CSV cannot
    hold lists. What the other commands say about reading holds here: --sep, --numbers, --ignore, --group-by, --sql.
    """
    from nearwise.app.tables import read_cases

    out = _one(new, out)
    check_output(out)
    suffix = out.suffix.lower()
    if suffix != ".parquet" and suffix not in TEXTS:
        raise InputError(f"{out}: expected a name that ends in .csv, .tsv, .jsonl, .json or .parquet.")
    cases = read_cases(file, reading)
    columns = _columns(cases.table, reading.label or reading.group_by)
    if suffix == ".parquet":
        _parquet(out, columns)
    else:
        write_file(out, TEXTS[suffix](columns, guard_formulas))
    say(f"wrote {out}: {len(cases.table)} rows, {len(columns)} columns")


def _one(new: Path | None, out: Path | None) -> Path:
    if new is not None and out is not None:
        raise InputError(f"{new} and --out {out} both name the file to write: leave one out.")
    chosen = new or out
    if chosen is None:
        raise InputError("No file to write is named: write `nearwise convert FILE OUT`, or --out OUT.")
    return chosen


def _columns(table: RawTable, label: str | None) -> Columns:
    found: Columns = {}
    if table.labels is not None:
        found[label or "label"] = list(table.labels)
    for name, column in zip(table.names, table.columns, strict=True):
        found[name] = column.written if column.written is not None else _as_read(column)
    return found


def _as_read(column: RawColumn) -> list[Any]:
    """Python's values, dates and times as such."""
    from nearwise.cases.times import as_time

    if column.sort != "time" or column.numbers is None:
        return column.objects()
    unit, holds = column.unit or "seconds", column.holds or "datetime"
    return [None if v != v else as_time(v, unit, holds) for v in column.numbers.tolist()]


def _comma(columns: Columns, guard: bool) -> str:
    _refuse_lists(columns)
    return csv_text(list(columns), zip(*columns.values(), strict=True), guard)


def _tab(columns: Columns, guard: bool) -> str:
    rows = csv.reader(io.StringIO(_comma(columns, guard), newline=""))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(rows)
    return out.getvalue()


def _lines(columns: Columns, _: bool) -> str:
    return "".join(f"{each}\n" for each in _records(columns))


def _array(columns: Columns, _: bool) -> str:
    return "[\n" + ",\n".join(_records(columns)) + "\n]\n"


TEXTS: dict[str, Callable[[Columns, bool], str]] = {
    ".csv": _comma,
    ".tsv": _tab,
    ".jsonl": _lines,
    ".ndjson": _lines,
    ".json": _array,
}
"""suffix -> the whole text of a file"""


def _refuse_lists(columns: Columns) -> None:
    for name, values in columns.items():
        if any(isinstance(v, list | tuple | set | frozenset | dict) or hasattr(v, "tolist") for v in values):
            raise InputError(f"Column {name!r} holds lists, which CSV cannot hold: write .jsonl or .parquet.")


def _records(columns: Columns) -> Iterator[str]:
    for row in zip(*columns.values(), strict=True):
        yield json.dumps(plain(dict(zip(columns, row, strict=True))), ensure_ascii=False, allow_nan=False)


def _parquet(out: Path, columns: Columns) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError.of("pyarrow", f"writing {out.name}", "frames") from None
    made = {}
    for name, values in columns.items():
        values = [sorted(v, key=str) if isinstance(v, set | frozenset) else v for v in values]
        values = [v.tolist() if hasattr(v, "tolist") else v for v in values]
        try:
            made[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # several types in one column
            made[name] = pa.array([None if v is None else str(v) for v in values])
    with draft_of(out) as draft:
        parquet.write_table(pa.table(made), draft)
