"""JSON lines: one object per case, the format for sets and vectors. null and an absent key are missing."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable, _from_list
from nearwise.cases.integers import Lost
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError

__all__ = ["TwiceError", "Written", "check_width", "checked_object", "is_whole_text", "read_jsonl"]


def read_jsonl(path: Path, encoding: str, limits: Limits) -> RawTable:
    """Read one JSON object per line; blank lines are passed over."""
    found: dict[str, Written] = {}
    lines: array[int] = array("q")
    written = 0
    with closing(text_lines(path, encoding, limits)) as texts:
        for number, line in enumerate(texts, 1):
            if line.isspace():
                continue
            place = f"{path.name}, line {number}"
            record = _record(line, place)
            for name, value in record.items():
                (found.get(name) or found.setdefault(name, Written())).add(len(lines), value)
            lines.append(number)
            written += len(record)
            check_width(len(lines), len(found), written, limits, place)
    if not lines:
        raise ReadError(f'{path.name} is empty: expected one JSON object per line, such as {{"age": 31}}.')
    if not found:
        raise ReadError(f'{path.name} has objects without a single key: expected {{"column": value, ...}}.')
    columns = tuple(column.column(len(lines)) for column in found.values())
    return RawTable(
        tuple(found), columns, len(lines), None, named=True, match="records", source=AtLine(path.name, lines)
    )


class Written:
    """The values of one key, and which of the records have it: where keys are rare, most do not."""

    def __init__(self) -> None:
        self.records: array[int] = array("q")
        self.values: list[Any] = []

    def add(self, record: int, value: Any) -> None:
        self.records.append(record)
        self.values.append(value)

    def column(self, n: int) -> RawColumn:
        """The column of n records; where the key is absent, the value is missing."""
        column = _from_list(self.values)
        if len(self.values) == n:
            return column
        records = np.frombuffer(self.records, dtype=np.int64)
        if not isinstance(column.values, np.ndarray):
            return replace(column, values=_spread(column.values, records, n))
        numbers = np.full(n, np.nan)
        numbers[records] = column.values
        lost = None if column.lost is None else Lost(records[column.lost.rows], column.lost.integers)
        written = None if column.written is None else _spread(column.written, records, n)
        return replace(column, values=numbers, lost=lost, written=written)


def _spread(values: Iterable[Any], records: NDArray[np.int64], n: int) -> list[Any]:
    """A list of n with the values at their records, None elsewhere."""
    found: list[Any] = [None] * n
    for record, value in zip(records.tolist(), values, strict=True):
        found[record] = value
    return found


def check_width(n: int, p: int, written: int, limits: Limits, place: str) -> None:
    """Refuse keys that would make a table far larger than the file: a new one on every line has n * n cells."""
    if p > limits.max_columns:
        raise limits.met("max_columns", f"{place}: with this line there are {p:,} different keys")
    if n * p - written > limits.max_absent:
        told = f"{place}: of {n:,} objects with {p:,} different keys {n * p - written:,} values are absent"
        raise limits.met("max_absent", told)


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=checked_object)
    except json.JSONDecodeError as error:
        letter = min(error.pos, len(line.rstrip("\r\n"))) + 1  # where a line is cut, Python points behind its end
        raise ReadError(f"{place}, letter {letter}: not JSON ({error.msg}). Write one whole object per line.") from None
    except TwiceError as error:
        raise ReadError(f"{place}: the key {str(error)!r} stands twice in one object. Keep one of them.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists thousands deep
        raise ReadError(f"{place}: cannot be read ({error}). Shorten the value.") from None
    if not isinstance(found, dict):
        raise ReadError(f'{place}: expected a JSON object, got {line.strip()[:40]!r}. Write {{"column": value, ...}}.')
    if "\\u" in line and not is_whole_text(found):
        raise ReadError(f"{place}: a text holds half of a letter (\\ud800 to \\udfff alone). Write the whole letter.")
    return found


def is_whole_text(found: Any) -> bool:
    """JSON can name one half of a letter of UTF-16, which no file can hold as text."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class TwiceError(Exception):
    pass


def checked_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(name for name, _ in pairs)
        raise TwiceError(next(name for name in found if times[name] > 1))
    return found
