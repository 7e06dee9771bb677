"""What polars parses of a CSV file, as typed columns: those of the exact reader, or None where that must look."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import AtLine
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.parsed_columns import (
    fitted,
    number_column,
    streamed_column,
    takes_streams,
    text_column,
    tokens,
)
from nearwise.cases.readers.polars_texts import PolarsTexts, coded

__all__ = ["parsed", "threads", "typed"]

_AT_COLUMN = re.compile(r"\(column number (\d+)\)$", re.MULTILINE)
_DEFLATED = tuple(b"x" + level for level in (b"\x01", b"^", b"\x9c", b"\xda"))
"""how a file begins that polars would unpack first, were it x^2 or not"""


def threads() -> int:
    """How many threads polars takes."""
    import polars as pl

    found: int = pl.thread_pool_size()
    return found


def parsed(data: bytes, types: list[str], layout: Layout, named: bool) -> list[Any] | None:
    """The columns that polars makes of the bytes, None where it cannot; a type that does not fit is mended."""
    import polars as pl

    if data.startswith(_DEFLATED):
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


def typed(column: Any, guess: str, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A parsed column; None where the exact reader may make another one of it."""
    if guess != "text":
        numbers = np.asarray(column.to_numpy(), dtype=np.float64)
        return number_column(numbers, column.null_count(), guess == "int64", guess, kind)
    if takes_streams(type(column)):
        return streamed_column(column, PolarsTexts.of, kind, name, layout, where)
    different, codes = coded(column)
    return text_column(PolarsTexts(different), codes, kind, name, layout, where)
