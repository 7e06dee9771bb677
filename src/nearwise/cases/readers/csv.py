"""Separated text: CSV and TSV, read in chunks, so that numbers never pile up as text."""

from __future__ import annotations

import csv
import threading
from array import array
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.fast_csv import fast_columns
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.header import column_names, finished, values_of
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.notation import in_agreement
from nearwise.cases.readers.sniff import first_lines, may_be_blanks, separator_name, separator_of, zeros_in_front
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import ReadError

__all__ = ["read_csv"]

_CHUNK = 4_000
_CHUNK_CELLS = 4_000_000
"""of a wide table fewer rows are kept as text: 100,000 columns of 4,000 rows would take 20 GB"""


def read_csv(path: Path, kinds: Mapping[str, Kind], layout: Layout, limits: Limits) -> RawTable:
    """Read separated text; the first row names the columns unless ``layout.header`` is False."""
    told: tuple[str, ...] = ()
    if layout.sep is None:
        lines = first_lines(path, layout.encoding or "utf-8", layout.comment, limits)
        sep = separator_of(lines)
        layout = replace(layout, sep=sep)
        if may_be_blanks(lines, sep):
            told = (f"{path.name} has one column; sep='space' takes the blanks in it as separators",)
        if sep != ",":
            told = (f"the columns of {path.name} are separated by {separator_name(sep)}; sep=',' takes commas",)
    quick = fast_columns(path, kinds, layout, limits)
    at, columns, where = quick if quick is not None else _exact_columns(path, kinds, layout, limits)
    n = len(where.lines)
    lines = first_lines(path, layout.encoding or "utf-8", layout.comment, limits)
    for name, example in zeros_in_front(lines, columns, layout).items():
        if name not in kinds:
            hint = f"has zeros in front of numbers, such as {example!r}: schema={{{name!r}: Symbolic()}} keeps them"
            columns[name] = replace(columns[name], remark=hint)
    for name, hint in in_agreement({name: column.remark for name, column in columns.items() if column.remark}).items():
        columns[name] = replace(columns[name], remark=hint)
    if layout.comment is None and next(iter(columns)).startswith("#"):
        told = (*told, f"{path.name} begins with '#': if such lines are comments, comment='#' leaves them out")
    table = RawTable(tuple(columns), tuple(columns.values()), n, None, named=True, source=where, remarks=told)
    return finished(table, f"{path.name}, line {at}", layout)


def _exact_columns(
    path: Path, kinds: Mapping[str, Kind], layout: Layout, limits: Limits
) -> tuple[int, dict[str, RawColumn], AtLine]:
    """The line of the first row, the columns, and the places of the cases."""
    as_text = {name for name, kind in kinds.items() if keeps_text(kind)}
    while True:
        at, found, lines = _scan(path, as_text, layout, limits)
        torn = {name for name, texts in found.items() if texts.torn}
        if not torn:
            break
        as_text |= torn  # numbers for a whole chunk, then a word: the words are wanted from the start
    if not lines:
        raise ReadError(f"{path.name} has a header row and no cases: expected at least one row below it.")
    where = AtLine(path.name, lines)
    return at, {name: texts.column(kinds.get(name), name, where) for name, texts in found.items()}, where


def _scan(path: Path, as_text: set[str], layout: Layout, limits: Limits) -> tuple[int, dict[str, Texts], array[int]]:
    """The line of the first row, every column, and the line on which every case begins."""
    lines: array[int] = array("q")
    chunk: list[list[str]] = []
    with closing(_rows(path, layout, limits)) as rows:
        at, first = next(rows, (0, []))
        names = column_names(f"{path.name}, line {at}", first, layout, limits)
        rows_at_once = max(1, min(_CHUNK, _CHUNK_CELLS // len(names)))
        found = {name: Texts(layout.missing, name in as_text, layout.numbers) for name in names}
        if layout.header is False:
            lines.append(at)
            chunk.append(first)
        for line, row in rows:
            if len(row) != len(names):
                raise ReadError(_ragged(path, line, row, names, layout))
            lines.append(line)
            chunk.append(row)
            if len(chunk) >= rows_at_once:
                _add(chunk, found)
                chunk.clear()
    _add(chunk, found)
    return at, found, lines


def _add(chunk: list[list[str]], found: dict[str, Texts]) -> None:
    if chunk:
        for texts, cells in zip(found.values(), zip(*chunk, strict=True), strict=True):
            texts.add(cells)


def _rows(path: Path, layout: Layout, limits: Limits) -> Generator[tuple[int, list[str]], None, None]:
    """Rows with the line on which each begins (quoted values may span several), without blank lines and comments."""
    before = at = letters = 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal at, letters, before
        for line in lines:
            at += 1
            if layout.comment is not None and not letters and line.startswith(layout.comment):
                before = at
                continue
            letters += len(line)
            if letters > limits.max_line + 2:  # the end of the line does not count
                what = f"{path.name}, line {before + 1}: the row that begins here goes on for too many letters"
                raise limits.met("max_line", f"{what} (is a quote not closed?)")
            yield line

    try:
        encoding = layout.encoding or "utf-8"
        with _long_values(limits.max_line), closing(text_lines(path, encoding, limits)) as lines:
            for row in csv.reader(counted(lines), delimiter=layout.sep or ",", strict=True):
                if row:
                    yield before + 1, row
                before, letters = at, 0
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


def _ragged(path: Path, line: int, row: list[str], names: list[str], layout: Layout) -> str:
    place = f"{path.name}, line {line}"
    message = f"{place}: expected {values_of(names)}, got {len(row)}"
    if layout.comment is None and any(text.startswith(("#", "%")) for text in (names[0], row[0])):
        mark = names[0][0] if names[0].startswith(("#", "%")) else row[0][0]
        return f"{message}. If lines that begin with {mark} are comments, pass comment={mark!r}."
    if len(row) < len(names):
        return f"{message}: there is none for column {names[len(row)]!r}. Leave the place empty for a missing value."
    return f"{message}: {row[len(names)]!r} is one too many. Put a value that holds a separator in double quotes."
