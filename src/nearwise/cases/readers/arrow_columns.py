"""What pyarrow parses of a CSV file, as typed columns: those of the exact reader, or None where that must look."""

from __future__ import annotations

import csv
import re
from typing import Any

import numpy as np

from nearwise.cases.coded import CodedTexts
from nearwise.cases.frames import RawColumn
from nearwise.cases.integers import EXACT
from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.readers.arrow_texts import notation_of, numbers_of, times_of
from nearwise.cases.readers.files import AtLine
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.notation import hint_at
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import NearwiseError

__all__ = ["first_types", "parsed", "typed"]

_SAMPLE = 200_000
"""bytes from which the types of columns are guessed"""
_RETRIES = 8
"""how many columns may turn out to be of another type than their first rows"""
_AT_COLUMN = re.compile(r"column #(\d+)")


def first_types(data: bytes, kinds: list[Kind | None], layout: Layout, named: bool) -> list[str] | None:
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
    if not rows or any(len(row) != len(kinds) for row in rows):
        return None
    types = []
    for kind, cells in zip(kinds, zip(*rows, strict=True), strict=True):
        texts = Texts(layout.missing, keeps_text(kind))
        texts.add(cells)
        plain = "float64" if layout.numbers == "plain" else "text"
        types.append("text" if texts.as_text else "int64" if texts.whole else plain)
    return types


def parsed(data: bytes, types: list[str], layout: Layout, named: bool) -> Any:
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
            types[j] = "late" if types[j] == "int64" and layout.numbers == "plain" else "text"
        except pa.ArrowException:
            return None
    return None


def typed(chunks: Any, guess: str, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A parsed column; None where the exact reader may make another one of it."""
    if guess == "text":
        return _of_texts(chunks, kind, name, layout, where)
    column = _of_numbers(chunks, kind)
    return None if column is None or (guess == "late" and _all_whole(column)) else column


def _of_numbers(chunks: Any, kind: Kind | None) -> RawColumn | None:
    from pyarrow import types

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


def _of_texts(chunks: Any, kind: Kind | None, name: str, layout: Layout, where: AtLine) -> RawColumn | None:
    """A column of texts, looked at once for each different one."""
    whole = chunks.unify_dictionaries()
    if not whole.num_chunks:
        return None
    texts = whole.chunk(0).dictionary
    codes = np.concatenate([np.asarray(part.indices.fill_null(len(texts))) for part in whole.chunks])
    if len(texts) and not keeps_text(kind):
        found = _meaning(texts, layout)
        if found is not None:
            return found.take(codes)
        is_plain = layout.numbers == "plain" and not isinstance(kind, Numeric | Cyclic)
        notation = notation_of(texts, layout.missing) if is_plain else None
        if notation is not None:
            different = texts.to_numpy(zero_copy_only=False).tolist()
            symbols = CodedTexts.used(different, np.where(codes == len(texts), -1, codes))
            return RawColumn("symbol", symbols, remark=hint_at([notation], different))
    different = [*texts.to_numpy(zero_copy_only=False).tolist(), None]
    try:
        return Texts.coded(different, codes, layout, kind, name, where)
    except NearwiseError:  # the exact reader says the same, and knows more
        return None


def _meaning(texts: Any, layout: Layout) -> RawColumn | None:
    """What different texts mean where that is told without looking at each, and the missing value behind them."""
    if layout.numbers != "plain":
        numbers = numbers_of(texts, layout.numbers)
        if numbers is not None:
            return RawColumn("number", np.append(numbers[0], np.nan), whole=numbers[1])
    times = times_of(texts)
    if times is None:
        return None
    moments, unit, holds = times
    return RawColumn("time", np.append(moments, np.nan), unit=unit, holds=holds)
