"""ARFF, the format of Weka: attributes with declared types, then rows, dense or sparse."""

from __future__ import annotations

import re
from array import array
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.arff_types import Attribute
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.header import values_of
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError

__all__ = ["read_arff"]

# possessive (*+): what was matched is never given back, so no line takes more than one look at every letter
_QUOTED = r"""'((?:[^'\\]++|\\.)*+)'|"((?:[^"\\]++|\\.)*+)\""""
_CELL = re.compile(rf"""\s*+(?:{_QUOTED}|((?:[^,'"\\]++|\\.)*+))\s*+(,|\Z)""", re.DOTALL)
_NAME = re.compile(rf"""\s*+(?:{_QUOTED}|([^\s{{'"]++))\s*+(.*+)""", re.DOTALL)
_INDEX = re.compile(r"[\s,]*+([^\s,]*+)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_arff(path: Path, kinds: Mapping[str, Kind], encoding: str, limits: Limits) -> RawTable:
    """Read an ARFF file; ? is missing, and what a sparse row leaves out is 0 or the first nominal value."""
    at: array[int] = array("q")
    absent = 0
    with closing(_lines(path, encoding, limits)) as lines:
        attributes = _header(path, lines, limits)
        needed = [attribute for attribute in attributes if attribute.zero is None]
        for number, line in lines:
            place = f"{path.name}, line {number}"
            if line.startswith("{"):
                absent += _add_sparse(line, attributes, needed, len(at), place)
            else:
                _add(line, attributes, len(at) if absent else 0, place)
            at.append(number)
            if absent > limits.max_absent:
                raise limits.met("max_absent", f"{place}: the sparse rows so far leave out {absent:,} values")
    if not at:
        raise ReadError(f"{path.name} has no cases: expected at least one row after @data.")
    where = AtLine(path.name, at)
    for attribute in attributes:
        attribute.fill(len(at))
    columns = tuple(attribute.column(kinds.get(attribute.name), where) for attribute in attributes)
    return RawTable(tuple(a.name for a in attributes), columns, len(at), None, named=True, source=where)


def _add(line: str, attributes: list[Attribute], before: int, place: str) -> None:
    """Give every attribute its cell of a row, and first the cells that sparse rows among those before left out."""
    cells = _cells(line, place)
    if len(cells) != len(attributes):
        raise ReadError(
            f"{place}: expected {values_of([each.name for each in attributes])}, got {len(cells)}. Write ? for a "
            "missing value, and quote a value that holds a comma."
        )
    for attribute, cell in zip(attributes, cells, strict=True):
        if before:
            attribute.fill(before)
        attribute.add(cell, place)


def _lines(path: Path, encoding: str, limits: Limits) -> Generator[tuple[int, str], None, None]:
    """Lines with their numbers, without blank ones and comments."""
    with closing(text_lines(path, encoding, limits)) as texts:
        for number, raw in enumerate(texts, 1):
            line = raw.strip()
            if line and not line.startswith("%"):
                yield number, line


def _header(path: Path, lines: Iterator[tuple[int, str]], limits: Limits) -> list[Attribute]:
    """The attributes, up to @data."""
    found: dict[str, Attribute] = {}
    for number, line in lines:
        place = f"{path.name}, line {number}"
        word, rest = [*line.split(maxsplit=1), ""][:2]
        match word.lower():
            case "@relation":
                continue
            case "@attribute":
                name, declared = _name(rest, place)
                if name in found:
                    raise ReadError(f"{place}: a second attribute is named {name!r}. Rename one.")
                found[name] = _attribute(name, declared, place)
                if len(found) > limits.max_columns:
                    raise limits.met("max_columns", f"{place}: this is attribute number {len(found):,}")
            case "@data":
                if found:
                    return list(found.values())
                raise ReadError(f"{place}: @data comes before any @attribute. Declare the columns first.")
            case _:
                raise ReadError(
                    f"{place}: expected @relation, @attribute or @data, got {line[:40]!r}. Mend the header."
                )
    raise ReadError(f"{path.name} has no @data: expected @attribute lines, @data, then one row per case.")


def _name(rest: str, place: str) -> tuple[str, str]:
    """The name of an attribute, quoted or one word, and its type."""
    match = _NAME.match(rest)
    if match is None or not match[4]:
        raise ReadError(f"{place}: expected '@attribute name type', got '@attribute {rest}'. Give both.")
    quoted = match[1] if match[1] is not None else match[2]
    return (match[3] if quoted is None else _unescaped(quoted)), match[4]


def _attribute(name: str, declared: str, place: str) -> Attribute:
    if not declared.startswith("{"):
        return Attribute.of(name, declared, place)
    if not declared.endswith("}"):
        raise ReadError(f"{place}: the values of {name!r} are not closed by }}. Write them on one line: {{a, b}}.")
    values = [cell for cell in _cells(declared[1:-1], place) if cell]
    return Attribute(name, "nominal", levels=tuple(values))


def _cells(line: str, place: str) -> list[str | None]:
    """The values of a row; None for an unquoted ?."""
    if not any(mark in line for mark in "'\"\\"):
        return [None if cell == "?" else cell for cell in map(str.strip, line.split(","))]
    cells: list[str | None] = []
    at, more = 0, True
    while more:
        cell, at, more = _next_cell(line, at, len(line), place)
        cells.append(cell)
    return cells


def _next_cell(line: str, at: int, end: int, place: str) -> tuple[str | None, int, bool]:
    """The cell that begins at a letter, where the next one does, and whether there is a next one before ``end``."""
    match = _CELL.match(line, at, end)
    if match is None:
        raise ReadError(f"{place}, letter {at + 1}: a quote is not closed or stands inside a value. Write \\' for it.")
    single, double, plain, comma = match.groups()
    quoted = single if single is not None else double
    if quoted is not None:
        return _unescaped(quoted), match.end(), bool(comma)
    plain = _trimmed(plain)
    return None if plain == "?" else _unescaped(plain), match.end(), bool(comma)


def _trimmed(plain: str) -> str:
    """A value without the blanks that follow it; one that is escaped is part of it.

    >>> _trimmed("a  "), _trimmed("a" + chr(92) + "  ")
    ('a', 'a\\\\ ')
    """
    found = plain.rstrip()
    escapes = len(found) - len(found.rstrip("\\"))
    return plain[: len(found) + escapes % 2]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text) if "\\" in text else text


def _add_sparse(line: str, attributes: list[Attribute], needed: list[Attribute], before: int, place: str) -> int:
    """A row {index value, ...}, counted from 0; returns how many values it leaves out, which are filled in later."""
    if not line.endswith("}"):
        raise ReadError(f"{place}: the sparse row is not closed by }}. Write one row per line.")
    given: set[int] = set()
    at, end = 1, len(line) - 1
    while (match := _INDEX.match(line, at, end)) and match[1]:
        index = _index(match[1], len(attributes))
        if index is None or index in given:
            raise ReadError(
                f"{place}: {match[1]!r} is not an index from 0 to {len(attributes) - 1}, each once. Write "
                "{index value, ...}."
            )
        given.add(index)
        cell, at, _ = _next_cell(line, match.end(), end, place)
        attributes[index].fill(before)
        attributes[index].add(cell, place)
    for attribute in needed:
        if len(attribute.cells) <= before:
            raise ReadError(
                f"{place}: the sparse row leaves out {attribute.name!r}, and a {attribute.type} has no zero. Write the "
                "value, or ?."
            )
    return len(attributes) - len(given)


def _index(word: str, n: int) -> int | None:
    """An index below n; Python refuses to read a number of thousands of digits, so its length is looked at first."""
    digits = word.lstrip("0") or "0"
    if not word.isdecimal() or len(digits) > len(str(n)):
        return None
    return int(digits) if int(digits) < n else None
