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
from nearwise.errors import ReadError

__all__ = ["read_arff"]

_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_CELL = re.compile(rf"""\s*(?:{_QUOTED}|((?:[^,'"\\]|\\.)*?))\s*(,|$)""", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_arff(path: Path, kinds: Mapping[str, Kind], encoding: str) -> RawTable:
    """Read an ARFF file; ? is missing, and what a sparse row leaves out is 0 or the first nominal value."""
    at: array[int] = array("q")
    with closing(_lines(path, encoding)) as lines:
        attributes = _header(path, lines)
        for number, line in lines:
            _add(line, attributes, f"{path.name}, line {number}")
            at.append(number)
    if not at:
        raise ReadError(f"{path.name} has no cases: expected at least one row after @data.")
    where = AtLine(path.name, at)
    columns = tuple(attribute.column(kinds.get(attribute.name), where) for attribute in attributes)
    return RawTable(tuple(a.name for a in attributes), columns, len(at), None, named=True, source=where)


def _add(line: str, attributes: list[Attribute], place: str) -> None:
    if line.startswith("{"):
        _add_sparse(line, attributes, place)
        return
    cells = _cells(line, place)
    if len(cells) != len(attributes):
        raise ReadError(
            f"{place}: expected {len(attributes)} values ({attributes[0].name!r} … {attributes[-1].name!r}), got "
            f"{len(cells)}. Write ? for a missing value, and quote a value that holds a comma."
        )
    for attribute, cell in zip(attributes, cells, strict=True):
        attribute.add(cell, place)


def _lines(path: Path, encoding: str) -> Generator[tuple[int, str], None, None]:
    """Lines with their numbers, without blank ones and comments."""
    with closing(text_lines(path, encoding)) as texts:
        for number, raw in enumerate(texts, 1):
            line = raw.strip()
            if line and not line.startswith("%"):
                yield number, line


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> list[Attribute]:
    """The attributes, up to @data."""
    found: list[Attribute] = []
    for number, line in lines:
        place = f"{path.name}, line {number}"
        word, _, rest = re.sub(r"\s+", " ", line, count=1).partition(" ")
        match word.lower():
            case "@relation":
                continue
            case "@attribute":
                name, declared = _name(rest, place)
                if any(name == other.name for other in found):
                    raise ReadError(f"{place}: a second attribute is named {name!r}. Rename one.")
                found.append(_attribute(name, declared, place))
            case "@data":
                if found:
                    return found
                raise ReadError(f"{place}: @data comes before any @attribute. Declare the columns first.")
            case _:
                raise ReadError(
                    f"{place}: expected @relation, @attribute or @data, got {line[:40]!r}. Mend the header."
                )
    raise ReadError(f"{path.name} has no @data: expected @attribute lines, @data, then one row per case.")


def _name(rest: str, place: str) -> tuple[str, str]:
    """The name of an attribute, quoted or one word, and its type."""
    match = re.match(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{'"]+))\s*(.*)$""", rest)
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
    end = 0
    while True:
        match = _CELL.match(line, end)
        if match is None:
            raise ReadError(
                f"{place}, letter {end + 1}: a quote is not closed or stands inside a value. Write \\' for it."
            )
        single, double, plain, comma = match.groups()
        quoted = single if single is not None else double
        cells.append(_unescaped(quoted) if quoted is not None else None if plain == "?" else _unescaped(plain))
        end = match.end()
        if not comma:
            return cells


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text) if "\\" in text else text


def _add_sparse(line: str, attributes: list[Attribute], place: str) -> None:
    """A row {index value, ...}, counted from 0."""
    if not line.endswith("}"):
        raise ReadError(f"{place}: the sparse row is not closed by }}. Write one row per line.")
    given: dict[int, str | None] = {}
    for pair in _split(line[1:-1]):
        index, rest = [*pair.split(maxsplit=1), ""][:2]
        if not index.isdecimal() or int(index) >= len(attributes) or int(index) in given:
            raise ReadError(
                f"{place}: {pair.strip()!r} is not 'index value' with an index from 0 to "
                f"{len(attributes) - 1}, each once."
            )
        (given[int(index)],) = _cells(rest.strip(), place)
    for j, attribute in enumerate(attributes):
        attribute.add(given[j] if j in given else attribute.left_out(place), place)


def _split(body: str) -> list[str]:
    """Parts between commas that are not quoted."""
    return [m[0] for m in re.finditer(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,])+""", body) if m[0].strip()]
