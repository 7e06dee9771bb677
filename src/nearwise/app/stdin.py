"""Standard input in the place of a file, by the name "-"."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from nearwise.cases.readers.formats import FORMATS
from nearwise.errors import InputError

__all__ = ["STDIN", "file_or_stdin"]

STDIN = Path("-")
_SUFFIXES = frozenset(suffix for suffixes in FORMATS.values() for suffix in suffixes)
_PACKED = b"\x1f\x8b"
_STARTS = ((b"PAR1", ".parquet"), (b"PK", ".xlsx"), (b"{", ".jsonl"), (b"[", ".json"), (b"@relation", ".arff"))
"""how formats begin that cannot be anything else"""


@contextmanager
def file_or_stdin(file: Path, form: str | None) -> Iterator[tuple[Path, str | None]]:
    """The file and its format; what comes from standard input is kept in a file for as long as it is read."""
    if file != STDIN:
        _refuse_model(file, form)
        yield file, form
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- is standard input, and nothing is piped into it: name a file, or write `... | nearwise`.")
    with TemporaryDirectory(prefix="nearwise-") as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        with path.open("rb") as copy:
            start = copy.read(64)
        if start.startswith(_PACKED):
            path = path.rename(path.with_name("stdin.gz"))
        yield path, form or _format(start)


def _refuse_model(file: Path, form: str | None) -> None:
    """A model in the place of a table is told before its format is looked for."""
    if form is not None or file.suffix.lower() in _SUFFIXES or not file.is_file():
        return
    from nearwise.storage.container import MAGIC

    with file.open("rb") as start:
        if start.read(len(MAGIC)) == MAGIC:
            raise InputError(f"{str(file)!r} is a model, where a table is expected: name the file of cases here.")


def _format(start: bytes) -> str:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    suffix = next((suffix for mark, suffix in _STARTS if text.startswith(mark.lower())), ".csv")
    return suffix[1:]
