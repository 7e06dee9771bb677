"""The fast way through large CSV files: pyarrow or polars parses, and the table is the one that the exact reader gives.

They are asked only for what all read alike: values that are quoted as a whole or not at all and do not span lines,
no blank lines and no comments in between. Whatever is in doubt (a conversion that fails, a number beyond 2^53, a row of
another length) is left to the exact reader, which also knows the place of every error.
"""

from __future__ import annotations

import codecs
import csv
from array import array
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Kind
from nearwise.cases.readers import arrow_columns, polars_columns
from nearwise.cases.readers.files import AtLine, file_bytes
from nearwise.cases.readers.header import column_names
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.parsed_columns import first_types
from nearwise.errors import NearwiseError
from nearwise.native import core

__all__ = ["fast_columns", "is_well_quoted"]

_FROM, _TO = 2_000_000, 4_000_000_000
"""bytes of a file: a smaller one is read before a parser is loaded, a larger one is better read in pieces"""
_BLOCK = 1 << 18

_PARSERS = {"pyarrow": arrow_columns, "polars": polars_columns}
"""by package; the first that is installed is asked"""

Columns = tuple[int, dict[str, RawColumn], AtLine]
"""the line of the first row, the columns, and the places of the cases"""


def fast_columns(path: Path, kinds: Mapping[str, Kind], layout: Layout, limits: Limits) -> Columns | None:
    """The columns of a CSV file and the places of its cases; None where the exact reader must look."""
    if not _FROM <= path.stat().st_size <= _TO or any(map(_is_number, layout.missing)):
        return None
    parser = next((parser for package, parser in _PARSERS.items() if find_spec(package) is not None), None)
    if parser is None:
        return None
    sep = (layout.sep or ",").encode()
    try:
        data, at = _without_comments(_as_utf8(path, layout, limits), layout.comment)
        if not _is_plain(data, sep, limits):
            return None
        head = data[: data.find(b"\n")] if b"\n" in data else data
        first = next(csv.reader([head.decode()], delimiter=sep.decode(), strict=True), [])
        names = column_names(f"{path.name}, line {at}", first, layout, limits)
    except (NearwiseError, OSError, EOFError, LookupError, ValueError, csv.Error):
        return None
    named = layout.header is not False
    rows = data.count(b"\n") + (not data.endswith(b"\n")) - named
    if rows < 1:
        return None
    types = first_types(data, [kinds.get(name) for name in names], layout, named)
    parts = None if types is None else parser.parsed(data, types, layout, named)
    del data  # not to be held beside two copies of the numbers
    if parts is None or any(len(part) != rows for part in parts):
        return None
    start = at + 1 if named else at
    where = AtLine(path.name, array("q", range(start, start + rows)))
    found = {}
    for name, part, guess in zip(names, parts, types or (), strict=True):
        column = parser.typed(part, guess, kinds.get(name), name, layout, where)
        if column is None:
            return None
        found[name] = column
    return at, found, where


def _as_utf8(path: Path, layout: Layout, limits: Limits) -> bytes:
    codec = codecs.lookup(layout.encoding or "utf-8").name
    with file_bytes(path, limits) as stream:
        data = stream.read()
    return data.removeprefix(codecs.BOM_UTF8) if codec == "utf-8" else data.decode(codec).encode()


def _without_comments(data: bytes, comment: str | None) -> tuple[bytes, int]:
    """What comes behind the comments at the top, and its line; others are refused."""
    at, start = 1, 0
    mark = None if comment is None else comment.encode()
    while mark is not None and data.startswith(mark, start) and b"\n" in data[start:]:
        start = data.index(b"\n", start) + 1
        at += 1
    rest = data[start:] if start else data
    if mark is not None and (rest.startswith(mark) or b"\n" + mark in rest):
        raise ValueError("a comment between the rows")
    return rest, at


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _is_plain(data: bytes, sep: bytes, limits: Limits) -> bool:
    """Whether both readers take these bytes apart in the same way."""
    if len(sep) != 1 or b"\0" in data or data[:1] in (b"\r", b"\n") or _may_be_hexadecimal(data):
        return False
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    if _has_long_line(data, limits.max_line):
        return False
    last = data.rfind(b'"')  # quotes are often in the header alone
    return last < 0 or is_well_quoted(data[: last + 2], sep)


def _has_long_line(data: bytes, most: int) -> bool:
    """Whether a line has more bytes than this, found in jumps from the last line end that is near enough."""
    start = 0
    while len(data) - start > most:
        start = data.rfind(b"\n", start, start + most + 1) + 1
        if not start:
            return True
    return False


def is_well_quoted(data: bytes, sep: bytes) -> bool:
    """Whether every quoted value is quoted as a whole, on one line, with quotes inside written twice.

    Quotes open and close in turn. One that opens begins a value, or is the second of two; one that closes ends a value,
    or is the first of two.

    >>> [is_well_quoted(text.replace(b"'", b'"'), b",") for text in (b"'a,b','c ''d'' e'", b"a'b'", b"'a'b", b"'a")]
    [True, False, False, False]
    """
    native = core()
    if native is not None:
        found: bool = native.is_well_quoted(np.frombuffer(data, dtype=np.uint8), sep[0])
        return found
    letters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2:
        return False
    before, behind = np.zeros((2, 256), dtype=bool)
    before[[*b'\n"', sep[0]]] = True
    behind[[*b'\r\n"', sep[0]]] = True
    if not (before[letters[quotes[::2] - 1]].all() and behind[letters[quotes[1::2] + 1]].all()):
        return False
    lines = np.flatnonzero(letters == ord("\n"))
    return not bool((np.searchsorted(quotes, lines) % 2).any())  # no line ends in a value


def _may_be_hexadecimal(data: bytes) -> bool:
    """Whether 0x stands anywhere: pyarrow would read 0x10 as 16."""
    if b"x" not in data and b"X" not in data:
        return False
    letters = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(letters), _BLOCK):  # in pieces that stay in the cache
        block = letters[start : start + _BLOCK + 1]
        at = np.flatnonzero((block[1:] | 0x20) == ord("x"))
        if (block[at] == ord("0")).any():
            return True
    return False
