"""JSON lines: one object per case, the format for sets and vectors. null and an absent key are missing."""

from __future__ import annotations

import json
from array import array
from contextlib import closing
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawTable, _from_list
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.errors import ReadError

__all__ = ["read_jsonl"]


def read_jsonl(path: Path, encoding: str) -> RawTable:
    """Read one JSON object per line; blank lines are passed over."""
    records: list[dict[str, Any]] = []
    lines: array[int] = array("q")
    with closing(text_lines(path, encoding)) as texts:
        for number, line in enumerate(texts, 1):
            if not line.isspace():
                records.append(_record(line, f"{path.name}, line {number}"))
                lines.append(number)
    if not records:
        raise ReadError(f'{path.name} is empty: expected one JSON object per line, such as {{"age": 31}}.')
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise ReadError(f'{path.name} has objects without a single key: expected {{"column": value, ...}}.')
    columns = tuple(_from_list([record.get(name) for record in records]) for name in names)
    return RawTable(
        tuple(names), columns, len(records), None, named=True, match="records", source=AtLine(path.name, lines)
    )


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{place}, letter {error.colno}: not JSON ({error.msg}). Write one whole object per line."
        ) from None
    except _TwiceError as error:
        raise ReadError(f"{place}: the key {str(error)!r} stands twice in one object. Keep one of them.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists thousands deep
        raise ReadError(f"{place}: cannot be read ({error}). Shorten the value.") from None
    if not isinstance(found, dict):
        raise ReadError(f'{place}: expected a JSON object, got {line.strip()[:40]!r}. Write {{"column": value, ...}}.')
    return found


class _TwiceError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found
