"""Where things go: data to standard output, talk to standard error, files in one step or not at all.

Data is exact in files and pipes. What a person reads, on a terminal or as talk, shows control characters instead.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearwise.errors import InputError, MissingDependencyError
from nearwise.files import check_output, draft_of, write_file
from nearwise.visible import visible, visible_json, visible_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["check_output", "csv_text", "json_text", "plain", "say", "show", "write", "write_file", "write_rows"]

UNWRITTEN = "Standard output cannot be written: {}."

_PIPE_WIDTH = 1_000
"""columns of a table that is not shown on a terminal: wide enough that nothing is cut"""
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""how a formula begins in a spreadsheet, also in letters of double width"""


def say(message: str) -> None:
    """Talk: one line on standard error."""
    print(visible(message), file=sys.stderr, flush=True)


def write(text: str, now: bool = False) -> None:
    """Data: text on standard output; a terminal is shown the control characters that a pipe is sent."""
    text = visible_lines(text) if sys.stdout.isatty() else text
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        if now:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk behind `> answers.csv`
        raise InputError(UNWRITTEN.format(error.strerror or error)) from error


def show(*views: RenderableType) -> None:
    """Data for a person: tables and bars on standard output, in colour on a terminal, plain lines elsewhere."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    file = sys.stdout if terminal else StringIO()
    console = Console(file=file, width=None if terminal else _PIPE_WIDTH, highlight=False, emoji=False, markup=False)
    for view in views:
        console.print(view)
    if isinstance(file, StringIO):
        write("".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines()))


def plain(value: Any) -> Any:
    """A value as JSON has it: NumPy's numbers as Python's, sets as lists, NaN and infinity as null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(v) for v in value), key=str)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def json_text(found: Any) -> str:
    return visible_json(json.dumps(plain(found), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], guard: bool = False) -> str:
    r"""Rows as CSV. With ``guard``, a text that a spreadsheet would run as a formula gets a ' in front.

    >>> print(csv_text(["row", "prediction"], [(0, "=1+1"), (1, -2.5), (2, "a\rb")], guard=True).replace("\r", "^M"))
    row,prediction
    0,'=1+1
    1,-2.5
    2,"a^Mb"
    <BLANKLINE>
    """
    heads = [header] if header else []  # none where the rows go on after others
    return "".join(",".join(_field(cell, guard) for cell in row) + "\n" for row in (*heads, *rows))


def _field(cell: Any, guard: bool) -> str:
    """One cell. Python's own writer leaves a carriage return without quotes, which reads back as two rows."""
    text = "" if cell is None else str(cell)
    if guard and isinstance(cell, str) and _runs(cell):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text


def _runs(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula: a sign of one in front, and not just a number."""
    if not text.lstrip().startswith(_FORMULA) and not text.startswith(("\t", "\r", "\n")):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same names as .csv, or as .parquet where pyarrow is installed; in one step."""
    names = list(rows[0]) if rows else []
    if path.suffix.lower() != ".parquet":
        write_file(path, csv_text(names, ([row[name] for name in names] for row in rows)))
        return
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingDependencyError.of("pyarrow", f"writing {path.name}", "frames") from None
    with draft_of(path) as draft:
        pq.write_table(pa.table({name: [row[name] for row in rows] for name in names}), draft)
