"""What the parsers of large CSV files share: the types they are asked for, and the columns that are made of theirs.

A column is that of the exact reader, or None where that must look.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.coded import CodedTexts
from nearwise.cases.frames import RawColumn
from nearwise.cases.integers import EXACT
from nearwise.cases.kinds import Cyclic, Kind, Numeric
from nearwise.cases.readers.files import AtLine
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.notation import hint_at
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.cases.readers.usual_texts import DifferentTexts, notation_of, numbers_of, times_of
from nearwise.errors import NearwiseError
from nearwise.native import core

__all__ = [
    "first_types", "fitted", "number_column", "streamed_column", "takes_streams", "text_column", "tokens",
]  # fmt: skip

_SAMPLE = 200_000
"""bytes from which the types of columns are guessed"""
_RETRIES = 8
"""how many columns may turn out to be of another type than their first rows"""


def first_types(data: bytes, kinds: list[Kind | None], layout: Layout, named: bool) -> list[str] | None:
    """What the first rows of each column look like: int64, float64 or text."""
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


def fitted(parse: Callable[[], list[Any] | int | None], types: list[str], layout: Layout) -> list[Any] | None:
    """The columns that ``parse`` finds; one that does not fit its type, told by its place, gets the next one."""
    for _ in range(_RETRIES):
        found = parse()
        if not isinstance(found, int):
            return found
        if found >= len(types) or types[found] == "text":
            return None
        types[found] = "late" if types[found] == "int64" and layout.numbers == "plain" else "text"
    return None


def tokens(layout: Layout) -> list[str]:
    """The texts for no value that a parser may take literally: blanks around a text do not count, but in these."""
    return sorted(text for text in layout.missing if text == text.strip())


def number_column(
    numbers: NDArray[np.float64], gaps: int, whole: bool, guess: str, kind: Kind | None
) -> RawColumn | None:
    """Parsed numbers, NaN in each of the gaps; None where they say too little about how they were written."""
    if gaps and np.count_nonzero(np.isnan(numbers)) != gaps:
        return None  # NaN that was written as a number
    if gaps == len(numbers) and not isinstance(kind, Numeric | Cyclic):
        return RawColumn("symbol", [None] * len(numbers))
    low, high = (np.fmin, np.fmax) if gaps else (np.minimum, np.maximum)
    if not (low.reduce(numbers, initial=0.0) > -EXACT and high.reduce(numbers, initial=0.0) < EXACT):
        return None  # also where NaN was written and nothing is missing
    if guess == "late" and bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all()):
        return None  # it is not known why one of them was no integer for the parser: +5?
    return RawColumn("number", numbers, whole=whole)


def takes_streams(column: type) -> bool:
    """Whether the core can take over columns of this type as they are, through Arrow's C interface."""
    return core() is not None and hasattr(column, "__arrow_c_stream__")


def streamed_column(
    column: Any, as_texts: Callable[[list[str]], DifferentTexts], kind: Kind | None, name: str, layout: Layout,
    where: AtLine,
) -> RawColumn | None:  # fmt: skip
    """A column of texts that the core reads: times at once, others by their different texts."""
    native = core()
    assert native is not None
    times = None if keeps_text(kind) else native.moments(column.__arrow_c_stream__())
    if times is not None:
        numbers, unit, holds = times
        return RawColumn("time", numbers, unit=unit, holds=holds)
    different, codes = native.coded_texts(column.__arrow_c_stream__())
    return text_column(as_texts(different), codes, kind, name, layout, where, in_order=True)


def text_column(
    texts: DifferentTexts, codes: NDArray[Any], kind: Kind | None, name: str, layout: Layout, where: AtLine,
    in_order: bool = False,
) -> RawColumn | None:  # fmt: skip
    """A column of texts, looked at once for each different one; the code behind the last is a missing value."""
    if len(texts) and not keeps_text(kind):
        found = _meaning(texts, layout)
        if found is not None:
            return found.take(codes)
        is_plain = layout.numbers == "plain" and not isinstance(kind, Numeric | Cyclic)
        notation = notation_of(texts, layout.missing) if is_plain else None
        if notation is not None:
            different = texts.listed()
            symbols = CodedTexts.used(different, np.where(codes == len(different), -1, codes))
            return RawColumn("symbol", symbols, remark=hint_at([notation], different))
    try:
        return Texts.coded([*texts.listed(), None], codes, layout, kind, name, where, in_order)
    except NearwiseError:  # the exact reader says the same, and knows more
        return None


def _meaning(texts: DifferentTexts, layout: Layout) -> RawColumn | None:
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
