"""Separated text: CSV and TSV with a header row, read in chunks, so that numbers never pile up as text."""

from __future__ import annotations

import csv
import threading
from array import array
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import ReadError

__all__ = ["read_csv"]

_CHUNK = 4_000
_CHUNK_CELLS = 4_000_000
"""of a wide table fewer rows are kept as text: 100,000 columns of 4,000 rows would take 20 GB"""


def read_csv(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: frozenset[str],
    encoding: str,
    limits: Limits,
    delimiter: str = ",",
) -> RawTable:
    """Read a CSV file (or TSV, with a tab as ``delimiter``); the first row names the columns."""
    as_text = {name for name, kind in kinds.items() if keeps_text(kind)}
    while True:
        found, lines = _scan(path, as_text, missing, encoding, limits, delimiter)
        torn = {name for name, texts in found.items() if texts.torn}
        if not torn:
            break
        as_text |= torn  # numbers for a whole chunk, then a word: the words are wanted from the start
    if not lines:
        raise ReadError(f"{path.name} has a header row and no cases: expected at least one row below it.")
    where = AtLine(path.name, lines)
    columns = tuple(texts.column(kinds.get(name), name, where) for name, texts in found.items())
    return RawTable(tuple(found), columns, len(lines), None, named=True, source=where)


def _scan(
    path: Path, as_text: set[str], missing: frozenset[str], encoding: str, limits: Limits, delimiter: str
) -> tuple[dict[str, Texts], array[int]]:
    """Every column, and the line on which every case begins."""
    lines: array[int] = array("q")
    chunk: list[list[str]] = []
    with closing(_rows(path, encoding, limits, delimiter)) as rows:
        _, header = next(rows, (0, []))
        names = _header(path, header, limits, delimiter)
        rows_at_once = max(1, min(_CHUNK, _CHUNK_CELLS // len(names)))
        found = {name: Texts(missing, name in as_text) for name in names}
        for line, row in rows:
            if len(row) != len(names):
                raise ReadError(_ragged(path, line, row, names))
            lines.append(line)
            chunk.append(row)
            if len(chunk) == rows_at_once:
                _add(chunk, found)
                chunk.clear()
    _add(chunk, found)
    return found, lines


def _add(chunk: list[list[str]], found: dict[str, Texts]) -> None:
    if chunk:
        for texts, cells in zip(found.values(), zip(*chunk, strict=True), strict=True):
            texts.add(cells)


def _rows(path: Path, encoding: str, limits: Limits, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """Rows with the line on which each begins (quoted values may span several); blank lines are left out."""
    before = letters = 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal letters
        for line in lines:
            letters += len(line)
            if letters > limits.max_line + 2:  # the end of the line does not count
                what = f"{path.name}, line {before + 1}: the row that begins here goes on for too many letters"
                raise limits.met("max_line", f"{what} (is a quote not closed?)")
            yield line

    try:
        with _long_values(limits.max_line), closing(text_lines(path, encoding, limits)) as lines:
            reader = csv.reader(counted(lines), delimiter=delimiter, strict=True)
            for row in reader:
                if row:
                    yield before + 1, row
                before, letters = reader.line_num, 0
    except csv.Error as error:
        raise ReadError(
            f"{path.name}, line {before + 1}: the row that begins here cannot be read ({error}). Look for a "
            "quote that is not closed; a quote inside a quoted value is written twice."
        ) from None


_lock = threading.Lock()
_reading: list[int] = []
"""what the csv module allowed before the first of the readers at work, once for each of them"""


@contextmanager
def _long_values(letters: int) -> Iterator[None]:
    """Let values be as long as a row. The csv module has one limit for the whole process, so the last puts it back."""
    with _lock:
        allowed = csv.field_size_limit()
        _reading.append(_reading[0] if _reading else allowed)
        csv.field_size_limit(max(allowed, min(letters, 2**31 - 1)))
    try:
        yield
    finally:
        with _lock:
            before = _reading.pop()
            if not _reading:
                csv.field_size_limit(before)


def _header(path: Path, names: list[str], limits: Limits, delimiter: str) -> list[str]:
    if not names:
        raise ReadError(f"{path.name} is empty: expected a header row with the column names, then one row per case.")
    if len(names) > limits.max_columns:
        raise limits.met("max_columns", f"{path.name}, line 1: there are {len(names):,} columns")
    first: dict[str, int] = {}
    for j, name in enumerate(names, 1):
        if not name.strip():
            raise ReadError(f"{path.name}, line 1: column {j} has no name. Give every column a name in the header row.")
        if first.setdefault(name, j) != j:
            raise ReadError(f"{path.name}, line 1: columns {first[name]} and {j} are both named {name!r}. Rename one.")
    if len(names) == 1 and delimiter == "," and any(mark in names[0] for mark in ";\t"):
        mark, way_out = (";", "Save it with commas") if ";" in names[0] else ("a tab", "Pass format='tsv'")
        raise ReadError(f"{path.name}, line 1: the columns are separated by {mark}, expected ','. {way_out}.")
    return names


def _ragged(path: Path, line: int, row: list[str], names: list[str]) -> str:
    place = f"{path.name}, line {line}"
    message = f"{place}: expected {len(names)} values ({names[0]!r} … {names[-1]!r}), got {len(row)}"
    if len(row) < len(names):
        return f"{message}: there is none for column {names[len(row)]!r}. Leave the place empty for a missing value."
    return f"{message}: {row[len(names)]!r} is one too many. Put a value that holds a separator in double quotes."
