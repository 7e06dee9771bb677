"""JSON in one piece: an array of objects, or an object of columns."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawTable, _from_list
from nearwise.cases.readers.files import text_lines
from nearwise.cases.readers.jsonl import TwiceError, Written, check_width, checked_object, is_whole_text
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError
from nearwise.visible import visible

__all__ = ["read_json"]

_SHAPES = 'expected [{"column": value, ...}, ...] or {"column": [values], ...}'


@dataclass(frozen=True)
class AtObject:
    """Where a case stands in an array: its place, counted from 1."""

    name: str

    def __call__(self, case: int) -> str:
        return f"{visible(self.name)}, case {case + 1}"


def read_json(path: Path, encoding: str, limits: Limits) -> RawTable:
    """Read a JSON file; null and an absent key are missing.

    Columns may also be objects by row (``{"age": {"0": 31}}``), as pandas writes them.
    """
    with closing(text_lines(path, encoding, replace(limits, max_line=sys.maxsize))) as lines:
        text = "".join(lines)
    if not text.strip():
        raise ReadError(f"{path.name} is empty: {_SHAPES}.")
    found = _loaded(path, text)
    if isinstance(found, dict):
        return _from_columns(path, found, limits)
    if not isinstance(found, list) or not found:
        raise ReadError(f"{path.name}: {_SHAPES}, got {text.strip()[:40]!r}.")
    columns: dict[str, Written] = {}
    written = 0
    for i, record in enumerate(found):
        if not isinstance(record, dict):
            told = json.dumps(record)[:40]
            raise ReadError(
                f'{path.name}, case {i + 1}: expected an object, got {told!r}. Write {{"column": value, ...}}.'
            )
        for name, value in record.items():
            (columns.get(name) or columns.setdefault(name, Written())).add(i, value)
        written += len(record)
        check_width(i + 1, len(columns), written, limits, f"{path.name}, case {i + 1}")
    if not columns:
        raise ReadError(f'{path.name} has objects without a single key: expected {{"column": value, ...}}.')
    raw = tuple(column.column(len(found)) for column in columns.values())
    return RawTable(tuple(columns), raw, len(found), None, named=True, match="records", source=AtObject(path.name))


def _loaded(path: Path, text: str) -> Any:
    try:
        found = json.loads(text, object_pairs_hook=checked_object)
    except json.JSONDecodeError as error:
        place = f"{path.name}, line {error.lineno}, letter {error.colno}"
        if error.msg == "Extra data":
            raise ReadError(
                f"{place}: there is more after the first value. Is it JSON lines? Pass format='jsonl'."
            ) from None
        raise ReadError(f"{place}: not JSON ({error.msg}). Mend the file: {_SHAPES}.") from None
    except TwiceError as error:
        raise ReadError(f"{path.name}: the key {str(error)!r} stands twice in one object. Keep one of them.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists thousands deep
        raise ReadError(f"{path.name}: cannot be read ({error}). Shorten the value.") from None
    if "\\u" in text and not is_whole_text(found):
        raise ReadError(
            f"{path.name}: a text holds half of a letter (\\ud800 to \\udfff alone). Write the whole letter."
        )
    return found


def _from_columns(path: Path, found: dict[str, Any], limits: Limits) -> RawTable:
    if len(found) > limits.max_columns:
        raise limits.met("max_columns", f"{path.name}: there are {len(found):,} columns")
    if found and all(isinstance(values, dict) for values in found.values()):
        rows = list(dict.fromkeys(row for values in found.values() for row in values))
        absent = len(rows) * len(found) - sum(map(len, found.values()))
        if absent > limits.max_absent:
            raise limits.met("max_absent", f"{path.name}: {absent:,} values of columns by row are absent")
        found = {name: [values.get(row) for row in rows] for name, values in found.items()}
    for name, values in found.items():
        if not isinstance(values, list):
            raise ReadError(f"{path.name}, column {name!r}: {_SHAPES}, got {json.dumps(values)[:40]!r}.")
    lengths = Counter(map(len, found.values()))
    if len(lengths) > 1:
        usual = lengths.most_common(1)[0][0]
        name = next(name for name, values in found.items() if len(values) != usual)
        raise ReadError(
            f"{path.name}, column {name!r}: expected {usual} values as in the others, got {len(found[name])}."
        )
    if not lengths or lengths == {0: len(found)}:
        raise ReadError(f"{path.name} has no cases: {_SHAPES}.")
    columns = tuple(_from_list(values) for values in found.values())
    return RawTable(tuple(found), columns, next(iter(lengths)), None, named=True, source=AtObject(path.name))
