"""Separated text: CSV and TSV with a header row, read in chunks, so that numbers never pile up as text."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import ReadError

__all__ = ["read_csv"]

_CHUNK = 4_000


def read_csv(
    path: Path, kinds: Mapping[str, Kind], missing: frozenset[str], encoding: str, delimiter: str = ","
) -> RawTable:
    """Read a CSV file (or TSV, with a tab as ``delimiter``); the first row names the columns."""
    as_text = {name for name, kind in kinds.items() if keeps_text(kind)}
    while True:
        found, lines = _scan(path, as_text, missing, encoding, delimiter)
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
    path: Path, as_text: set[str], missing: frozenset[str], encoding: str, delimiter: str
) -> tuple[dict[str, Texts], array[int]]:
    """Every column, and the line on which every case begins."""
    lines: array[int] = array("q")
    chunk: list[list[str]] = []
    with closing(_rows(path, encoding, delimiter)) as rows:
        _, header = next(rows, (0, []))
        names = _header(path, header, delimiter)
        found = {name: Texts(missing, name in as_text) for name in names}
        for line, row in rows:
            if len(row) != len(names):
                raise ReadError(_ragged(path, line, row, names))
            lines.append(line)
            chunk.append(row)
            if len(chunk) == _CHUNK:
                _add(chunk, found)
                chunk.clear()
    _add(chunk, found)
    return found, lines


def _add(chunk: list[list[str]], found: dict[str, Texts]) -> None:
    if chunk:
        for texts, cells in zip(found.values(), zip(*chunk, strict=True), strict=True):
            texts.add(cells)


def _rows(path: Path, encoding: str, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """Rows with the line on which each begins (quoted values may span several); blank lines are left out."""
    before = 0
    try:
        with closing(text_lines(path, encoding)) as lines:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            for row in reader:
                if row:
                    yield before + 1, row
                before = reader.line_num
    except csv.Error as error:
        raise ReadError(
            f"{path.name}, line {before + 1}: the row that begins here cannot be read ({error}). Look for a "
            "quote that is not closed; a quote inside a quoted value is written twice."
        ) from None


def _header(path: Path, names: list[str], delimiter: str) -> list[str]:
    if not names:
        raise ReadError(f"{path.name} is empty: expected a header row with the column names, then one row per case.")
    for j, name in enumerate(names):
        if not name.strip():
            raise ReadError(
                f"{path.name}, line 1: column {j + 1} has no name. Give every column a name in the header row."
            )
        if name in names[:j]:
            raise ReadError(
                f"{path.name}, line 1: columns {names.index(name) + 1} and {j + 1} are both named {name!r}. Rename one."
            )
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
