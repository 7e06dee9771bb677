"""Which sign separates the columns of a text file, told from its first rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

from nearwise.cases.raw import RawColumn
from nearwise.cases.readers.files import text_lines
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits

__all__ = ["first_lines", "may_be_blanks", "separator_name", "separator_of", "zeros_in_front"]

_CANDIDATES = (",", ";", "\t", "|")
_NAMES = {"\t": "a tab", ";": "';'", "|": "'|'", ",": "','", " ": "a space"}
_ROWS, _LETTERS = 100, 200_000
"""how much of a file is looked at"""
_CODE = re.compile(r"0\d+", re.ASCII)
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")


def separator_name(sep: str) -> str:
    return _NAMES.get(sep, repr(sep))


def first_lines(path: Path, encoding: str, comment: str | None, limits: Limits) -> list[str]:
    """The first lines that say something."""
    with closing(text_lines(path, encoding, limits)) as lines:
        return list(islice(_some(lines, comment), _ROWS))


def _some(lines: Iterator[str], comment: str | None) -> Iterator[str]:
    letters = 0
    for line in lines:
        if line.strip() and not (comment and line.startswith(comment)):
            yield line
        letters += len(line)
        if letters > _LETTERS:
            return


def separator_of(lines: list[str]) -> str:
    """The separator that gives every row as many values as the first; the comma wins where it does.

    Where another one does so too and every comma stands between two digits, the commas are decimal signs.

    >>> separator_of(["a;b", "1,5;2"]), separator_of(["1,5;2,5", "3,5;4,5"]), separator_of(["a,b", "x;y,1"])
    (';', ';', ',')
    """
    counts = {sep: _counts(lines, sep) for sep in _CANDIDATES}
    even = [sep for sep, count in counts.items() if count and count[0] > 1 and len(set(count)) == 1]
    if even == []:
        named = [sep for sep, count in counts.items() if count and count[0] > 1]
        return "," if "," in named or not named else max(named, key=lambda sep: counts[sep][0])
    others = [sep for sep in even if sep != ","]
    if "," in even and not (others and not _DECIMAL.sub("", "".join(lines)).count(",")):
        return ","
    return max(others, key=lambda sep: counts[sep][0])


def may_be_blanks(lines: list[str], sep: str) -> bool:
    """Whether no separator gives more than one column, and blanks would give every row as many.

    >>> may_be_blanks(["a b", "1 2", "3 4"], ","), may_be_blanks(["a b", "1", "2"], ",")
    (True, False)
    """
    blanks = _counts(lines, " ")
    return len(blanks) > 1 and blanks[0] > 1 and len(set(blanks)) == 1 and max(_counts(lines, sep), default=1) == 1


def zeros_in_front(lines: list[str], columns: Mapping[str, RawColumn], layout: Layout) -> dict[str, str]:
    """Columns of whole numbers -> a text such as 00501 among their first ones, which is a code and no number."""
    numbers = {j: name for j, (name, each) in enumerate(columns.items()) if each.sort == "number" and each.whole}
    found: dict[str, str] = {}
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=layout.sep or ","):
            if len(row) == len(columns):
                found |= {numbers[j]: row[j] for j in numbers if _CODE.fullmatch(row[j]) and numbers[j] not in found}
    return found


def _counts(lines: list[str], sep: str) -> list[int]:
    """How many values each row has; the last row is left out, since it may be cut off inside a quoted value."""
    try:
        counts = [len(row) for row in csv.reader(lines, delimiter=sep) if row]
    except csv.Error:
        return []
    return counts[:-1] if len(lines) >= _ROWS and len(counts) > 1 else counts
