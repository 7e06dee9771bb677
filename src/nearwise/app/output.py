"""Where things go: data to standard output, talk to standard error, files in one step or not at all."""

from __future__ import annotations

import contextlib
import csv
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearwise.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["check_output", "csv_text", "json_text", "plain", "say", "show", "write", "write_file"]

_PIPE_WIDTH = 1_000
"""columns of a table that is not shown on a terminal: wide enough that nothing is cut"""


def say(message: str) -> None:
    """Talk: one line on standard error."""
    print(message, file=sys.stderr, flush=True)


def write(text: str) -> None:
    """Data: text on standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


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
    return json.dumps(plain(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def check_output(path: Path | None) -> None:
    """Refuse an output that cannot be written before the work begins, not after it."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {folder} is not writable.")


def write_file(path: Path, text: str) -> None:
    """Write a file in one step: it holds all of the text or is as it was before."""
    check_output(path)
    path = Path(os.path.realpath(path))  # a link stays a link
    if path.exists() and not path.is_file():  # /dev/stdout and pipes cannot be replaced
        path.write_text(text, encoding="utf-8")
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        os.replace(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
