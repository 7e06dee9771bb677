"""What polars parses of a CSV file, as typed columns: those of the exact reader, or None where that must look."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import AtLine
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.parsed_columns import fitted, number_column, text_column, tokens
from nearwise.cases.readers.polars_texts import PolarsTexts, coded

__all__ = ["parsed", "typed"]

_AT_COLUMN = re.compile(r"\(column number (\d+)\)$", re.MULTILINE)
_BLOCK = 1 << 18
_DEFLATED = tuple(b"x" + level for level in (b"\x01", b"^", b"\x9c", b"\xda"))
"""how a file begins that polars would unpack first, were it x^2 or not"""


def parsed(data: bytes, types: list[str], layout: Layout, named: bool) -> list[Any] | None:
    """The columns that polars makes of the bytes, None where it cannot; a type that does not fit is mended."""
    import polars as pl

    if data.startswith(_DEFLATED) or not _is_full(data, (layout.sep or ",").encode(), len(types)):
        return None
    known = {"int64": pl.Int64, "float64": pl.Float64, "late": pl.Float64, "text": pl.String}

    def parse() -> list[Any] | int | None:
        try:
            frame = pl.read_csv(
                data, has_header=False, skip_rows=1 if named else 0, separator=layout.sep or ",",
                schema={str(j): known[guess] for j, guess in enumerate(types)},
                null_values=[text for text in tokens(layout) if text],
            )  # fmt: skip
        except pl.exceptions.PolarsError as error:
            found = _AT_COLUMN.search(str(error))
            return int(found[1]) - 1 if found else None
        columns = frame.get_columns()
        is_told = "" in layout.missing or not any(column.null_count() for column in columns)
        return columns if is_told else None  # polars takes an empty value as missing

    return fitted(parse, types, layout)


def _is_full(data: bytes, sep: bytes, width: int) -> bool:
    """Whether every line has as many values: polars fills up one that is too short, and may cut one that is too long.

    >>> [_is_full(text, b",", 2) for text in (b"a,b\\n1,2", b"a,b\\n1", b'a,b\\n1,"2,3"\\n', b'a,b\\n"2,3"\\n')]
    [True, False, True, False]
    """
    if width == 1 and (b"\n\n" in data or b"\n\r\n" in data):
        return False
    start = 0
    while start < len(data):  # in pieces that stay in the cache
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        if not _are_full(data[start:end], sep, width - 1):
            return False
        start = end
    return True


def _are_full(lines: bytes, sep: bytes, most: int) -> bool:
    """Whether so many separators stand outside of quoted values in each of these whole lines."""
    letters = np.frombuffer(lines, dtype=np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    if not lines.endswith(b"\n"):
        ends = np.append(ends, len(lines))
    places = np.flatnonzero(letters == sep[0])
    if b'"' in lines:
        places = places[np.searchsorted(np.flatnonzero(letters == ord('"')), places) % 2 == 0]
    if len(places) != len(ends) * most:
        return False
    rows = places.reshape(len(ends), most)
    return bool((rows < ends[:, None]).all() and (rows[1:] > ends[:-1, None]).all())


def typed(column: Any, guess: str, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A parsed column; None where the exact reader may make another one of it."""
    if guess != "text":
        numbers = np.asarray(column.to_numpy(), dtype=np.float64)
        return number_column(numbers, column.null_count(), guess == "int64", guess, kind)
    different, codes = coded(column)
    return text_column(PolarsTexts(different), codes, kind, name, layout, where)
