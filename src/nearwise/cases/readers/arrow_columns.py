"""What pyarrow parses of a CSV file, as typed columns: those of the exact reader, or None where that must look."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from nearwise.cases.frames import RawColumn
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.arrow_texts import ArrowTexts
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

__all__ = ["parsed", "threads", "typed"]

_AT_COLUMN = re.compile(r"column #(\d+)")


def threads() -> int:
    """How many threads pyarrow takes."""
    import pyarrow as pa

    found: int = pa.cpu_count()
    return found


def parsed(data: bytes, types: list[str], layout: Layout, named: bool) -> list[Any] | None:
    """The columns that pyarrow makes of the bytes, None where it cannot; a type that does not fit is mended."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = [str(j) for j in range(len(types))]
    known = {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "late": pa.float64(),
        "text": pa.string() if takes_streams(pa.ChunkedArray) else pa.dictionary(pa.int32(), pa.string()),
    }
    reading = arrow.ReadOptions(column_names=names, skip_rows=1 if named else 0, block_size=1 << 22)
    parsing = arrow.ParseOptions(delimiter=layout.sep or ",")

    def parse() -> list[Any] | int | None:
        converting = arrow.ConvertOptions(
            column_types=dict(zip(names, (known[t] for t in types), strict=True)), null_values=tokens(layout),
            strings_can_be_null=True, quoted_strings_can_be_null=True,
        )  # fmt: skip
        try:
            with ThreadPoolExecutor(1) as other:  # in the main thread pyarrow hears Ctrl-C itself, and may lose it
                pool = pa.system_memory_pool()
                table = other.submit(arrow.read_csv, pa.BufferReader(data), reading, parsing, converting, pool).result()
        except pa.ArrowInvalid as error:
            found = _AT_COLUMN.search(str(error))
            return int(found[1]) if found else None
        except pa.ArrowException:
            return None
        return list(table.columns)

    return fitted(parse, types, layout)


def typed(chunks: Any, guess: str, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A parsed column; None where the exact reader may make another one of it."""
    if guess != "text":
        numbers = np.asarray(chunks.to_numpy(), dtype=np.float64)
        return number_column(numbers, chunks.null_count, guess == "int64", guess, kind)
    if takes_streams(type(chunks)):
        return streamed_column(chunks, ArrowTexts.of, kind, name, layout, where)
    whole = chunks.unify_dictionaries()
    if not whole.num_chunks:
        return None
    texts = whole.chunk(0).dictionary
    codes = np.concatenate([np.asarray(part.indices.fill_null(len(texts))) for part in whole.chunks])
    return text_column(ArrowTexts(texts), codes, kind, name, layout, where)
