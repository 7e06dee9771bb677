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
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Kind
from nearwise.cases.readers import arrow_columns, polars_columns
from nearwise.cases.readers.files import AtLine, file_bytes, is_packed
from nearwise.cases.readers.header import column_names
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.parsed_columns import first_types
from nearwise.cases.readers.plain_rows import plain_rows
from nearwise.errors import NearwiseError
from nearwise.native import core

__all__ = ["fast_columns"]

_FROM, _TO = 2_000_000, 4_000_000_000
"""bytes of a file: a smaller one is read before a parser is loaded, a larger one is better read in pieces"""

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
    sep, threads = (layout.sep or ",").encode(), parser.threads()
    try:
        data, at = _without_comments(_as_utf8(path, layout, limits, threads), layout.comment)
        head = data[: limits.max_line].partition(b"\n")[0]
        first = next(csv.reader([head.decode()], delimiter=sep.decode(), strict=True), [])
        names = column_names(f"{path.name}, line {at}", first, layout, limits)
    except (NearwiseError, OSError, EOFError, LookupError, ValueError, csv.Error):
        return None
    named = layout.header is not False
    lines = plain_rows(data, sep, len(names), limits.max_line, threads)
    if lines is None or lines == named:
        return None
    rows = lines - named
    types = first_types(data, [kinds.get(name) for name in names], layout, named)
    parts = None if types is None else parser.parsed(data, types, layout, named)
    del data  # not to be held beside two copies of the numbers
    if types is None or parts is None or any(len(part) != rows for part in parts):
        return None
    where = AtLine(path.name, _counted(at + 1 if named else at, rows))

    def typed(j: int) -> RawColumn | None:
        part, parts[j] = parts[j], None  # the texts of a column go when its codes are there
        column: RawColumn | None = parser.typed(part, types[j], kinds.get(names[j]), names[j], layout, where)
        return column

    with ThreadPoolExecutor(min(threads, len(names))) as pool:
        columns = list(pool.map(typed, range(len(names))))
    found = {name: column for name, column in zip(names, columns, strict=True) if column is not None}
    return (at, found, where) if len(found) == len(names) else None


def _counted(first: int, n: int) -> array[int]:
    """The numbers of so many lines."""
    lines: array[int] = array("q")
    lines.frombytes(np.arange(first, first + n, dtype=np.int64).tobytes())
    return lines


def _as_utf8(path: Path, layout: Layout, limits: Limits, threads: int) -> bytes:
    codec, native = codecs.lookup(layout.encoding or "utf-8").name, core()
    data = None if native is None or is_packed(path) else native.file_bytes(path, threads)
    if data is None:
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
