"""The fast way through large CSV files: pyarrow parses, and the table is the one that the exact reader gives.

pyarrow is asked only for what both read alike: UTF-8, values that are quoted as a whole or not at all and do not span
lines, no blank lines in between. Whatever is in doubt (a conversion that fails, a number beyond 2^53, a row of another
length) is left to the exact reader, which also knows the place of every error.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.integers import EXACT
from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.readers.files import AtLine, file_bytes
from nearwise.cases.readers.header import column_names
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import NearwiseError

__all__ = ["fast_columns", "is_well_quoted"]

_FROM, _TO = 2_000_000, 4_000_000_000
"""bytes of a file: a smaller one is read before pyarrow is loaded, a larger one is better read in pieces"""
_SAMPLE = 200_000
"""bytes from which the types of columns are guessed"""
_RETRIES = 8
"""how many columns may turn out to be of another type than their first rows"""
_BLOCK = 1 << 18
_AT_COLUMN = re.compile(r"column #(\d+)")

Columns = tuple[dict[str, RawColumn], AtLine]


def fast_columns(path: Path, kinds: Mapping[str, Kind], layout: Layout, limits: Limits) -> Columns | None:
    """The columns of a CSV file and the places of its cases; None where the exact reader must look."""
    if layout.comment is not None or layout.numbers != "plain" or layout.encoding not in (None, "utf-8"):
        return None
    if not _FROM <= path.stat().st_size <= _TO or find_spec("pyarrow") is None or any(map(_is_number, layout.missing)):
        return None
    sep = (layout.sep or ",").encode()
    try:
        with file_bytes(path, limits) as stream:
            data = stream.read().removeprefix(b"\xef\xbb\xbf")
        if not _is_plain(data, sep, limits):
            return None
        head = data[: data.find(b"\n")] if b"\n" in data else data
        first = next(csv.reader([head.decode()], delimiter=sep.decode(), strict=True), [])
        names = column_names(f"{path.name}, line 1", first, layout, limits)
    except (NearwiseError, OSError, EOFError, ValueError, csv.Error):
        return None
    named = layout.header is not False
    rows = data.count(b"\n") + (not data.endswith(b"\n")) - named
    if rows < 1:
        return None
    types = _types(data, names, kinds, layout, named)
    parsed = None if types is None else _parsed(data, types, layout, named)
    del data  # not to be held beside two copies of the numbers
    if parsed is None or parsed.num_rows != rows:
        return None
    start = 2 if named else 1
    where = AtLine(path.name, array("q", range(start, start + rows)))
    found = {}
    for name, chunks, guess in zip(names, parsed.columns, types or (), strict=True):
        column = _column(chunks, kinds.get(name), name, layout, where)
        if column is None or (guess == "late" and _all_whole(column)):
            return None
        found[name] = column
    return found, where


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
    quotes = data[: data.rfind(b'"') + 2]  # often in the header alone
    return not quotes.strip() or is_well_quoted(quotes, sep)


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
    letters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2:
        return False
    opens, closes = quotes[::2], quotes[1::2]
    begins, ends = np.isin(letters[opens - 1], [*b'\n"', sep[0]]), np.isin(letters[closes + 1], [*b'\r\n"', sep[0]])
    if not (begins.all() and ends.all()):
        return False
    lines = np.flatnonzero(letters == ord("\n"))
    return bool((np.searchsorted(lines, opens) == np.searchsorted(lines, closes)).all())


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


def _types(data: bytes, names: list[str], kinds: Mapping[str, Kind], layout: Layout, named: bool) -> list[str] | None:
    """What the first rows of each column look like."""
    text = data[:_SAMPLE]
    if len(data) > _SAMPLE:
        text = text[: text.rfind(b"\n") + 1]
    try:
        rows = list(csv.reader(text.decode().splitlines(), delimiter=layout.sep or ",", strict=True))[
            1 if named else 0 :
        ]
    except (UnicodeDecodeError, csv.Error):
        return None
    if not rows or any(len(row) != len(names) for row in rows):
        return None
    types = []
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        texts = Texts(layout.missing, keeps_text(kinds.get(name)))
        texts.add(cells)
        types.append("text" if texts.as_text else "int64" if texts.whole else "float64")
    return types


def _parsed(data: bytes, types: list[str], layout: Layout, named: bool) -> Any:
    """What pyarrow makes of the bytes, None where it cannot; a column that does not fit its type gets the next one."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = [str(j) for j in range(len(types))]
    known = {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "late": pa.float64(),
        "text": pa.dictionary(pa.int32(), pa.string()),
    }
    reading = arrow.ReadOptions(column_names=names, skip_rows=1 if named else 0, block_size=1 << 22)
    parsing = arrow.ParseOptions(delimiter=layout.sep or ",")
    for _ in range(_RETRIES):
        converting = arrow.ConvertOptions(
            column_types=dict(zip(names, (known[t] for t in types), strict=True)), null_values=sorted(layout.missing),
            strings_can_be_null=True, quoted_strings_can_be_null=True,
        )  # fmt: skip
        try:
            return arrow.read_csv(pa.BufferReader(data), reading, parsing, converting, pa.system_memory_pool())
        except pa.ArrowInvalid as error:
            found = _AT_COLUMN.search(str(error))
            j = int(found[1]) if found else len(types)
            if j >= len(types) or types[j] == "text":
                return None
            types[j] = "late" if types[j] == "int64" else "text"
        except pa.ArrowException:
            return None
    return None


def _column(chunks: Any, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    from pyarrow import types

    if types.is_dictionary(chunks.type):
        return _coded(chunks, kind, name, layout, where)
    numbers = np.asarray(chunks.to_numpy(), dtype=np.float64)
    if chunks.null_count and np.count_nonzero(np.isnan(numbers)) != chunks.null_count:
        return None  # NaN that was written as a number
    if chunks.null_count == len(numbers) and not isinstance(kind, Numeric | Cyclic):
        return RawColumn("symbol", [None] * len(numbers))
    low, high = (np.fmin, np.fmax) if chunks.null_count else (np.minimum, np.maximum)
    if not (low.reduce(numbers, initial=0.0) > -EXACT and high.reduce(numbers, initial=0.0) < EXACT):
        return None  # also where NaN was written and nothing is missing
    return RawColumn("number", numbers, whole=types.is_integer(chunks.type))


def _all_whole(column: RawColumn) -> bool:
    """Whether no number has a fraction, so that it is not known why one of them was no integer for pyarrow: +5?"""
    numbers = column.numbers
    return numbers is not None and bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all())


def _coded(chunks: Any, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A column of texts, looked at once for each different one."""
    whole = chunks.unify_dictionaries()
    if not whole.num_chunks:
        return None
    different = [*whole.chunk(0).dictionary.to_pylist(), None]
    codes = np.concatenate([np.asarray(part.indices.fill_null(len(different) - 1)) for part in whole.chunks])
    try:
        return Texts.coded(different, codes, layout.missing, kind, name, where)
    except NearwiseError:  # the exact reader says the same, and knows more
        return None
