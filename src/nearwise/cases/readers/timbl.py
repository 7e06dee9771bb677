"""The formats of TiMBL: rows without a header, the class last, nothing missing.

==============  ===============================================================
timbl-c4.5      values with commas: ``a,b,c,X``, a full stop at the end is no value
timbl-columns   values with blanks: ``a b c X``
timbl-tabbed    values with tabs, which may hold blanks
timbl-sparse    pairs of a feature's number and its value, others are 0: ``(1,a)(3,b)X``
timbl-binary    the numbers of the features that are 1, others are 0: ``1,3,X``
timbl-compact   values of one letter without anything in between: ``abcX``; ``timbl-compact:2`` of two
==============  ===============================================================

``timbl`` looks at the first line, and takes the first five apart from each other but for binary, which looks like C4.5.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import AtLine, text_lines
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.cases.readers.texts import Texts, keeps_text
from nearwise.errors import ReadError

__all__ = ["CLASS", "PREFIX", "read_timbl"]

PREFIX = "timbl"
CLASS = "class"
"""the name of the last column"""
_FORMS = ("c4.5", "columns", "tabbed", "sparse", "binary", "compact")
_ABSENT = "0"
_PAIR = re.compile(r"\((\d{1,9}),([^()]*+)\)")
_SPARSE = re.compile(r"(?:\(\d{1,9},[^()]*+\))++,?[^(),]++\.?", re.ASCII)


def _is_sparse(form: str) -> bool:
    """Whether a file of this format may leave its last features out."""
    return form.endswith(("-sparse", "-binary"))


def read_timbl(path: Path, form: str, kinds: Mapping[str, Kind], layout: Layout, limits: Limits) -> RawTable:
    """Read a file of TiMBL; the features are named f1, f2, … and the last column "class"."""
    rows, at = _Rows(path, {}, [], limits), array("q")
    with closing(text_lines(path, layout.encoding or "utf-8", limits)) as lines:
        values: Callable[[str, str], list[str]] | None = None
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            if not line.strip():
                continue
            place = f"{path.name}, line {number}"
            if values is None:
                form = f"{PREFIX}-{_detected(line)}" if form == PREFIX else form
                values = _values(form)
            if _is_sparse(form):
                rows.add_sparse(values(line, place), place)
            else:
                rows.add(values(line, place), place)
            at.append(number)
    if not at:
        raise ReadError(f"{path.name} is empty: expected one case on each line, its class last.")
    where = AtLine(path.name, at)
    columns = {}
    for name, cells in rows.columns():
        texts = Texts(layout.missing, keeps_text(kinds.get(name)))
        texts.add(cells)
        columns[name] = texts.column(kinds.get(name), name, where)
    told = (f"{path.name} was read as {form}",) if form != f"{PREFIX}-c4.5" else ()
    match = "sparse" if _is_sparse(form) else "names"
    held = tuple(columns.values())
    return RawTable(tuple(columns), held, len(at), None, named=True, match=match, source=where, remarks=told)


@dataclass
class _Rows:
    """Values by row: whole rows, or those of a sparse row by the numbers of their features, and its class."""

    path: Path
    sparse: dict[int, dict[int, str]]
    dense: list[list[str]]
    limits: Limits
    width: int = 0
    written: int = 0

    def add(self, row: list[str], place: str) -> None:
        if self.dense and len(row) != len(self.dense[0]):
            raise ReadError(
                f"{place}: expected {len(self.dense[0])} values as in the first line, got {len(row)}. Mend the line, "
                "or name its format, such as format='timbl-tabbed'."
            )
        if len(row) < 2:
            raise ReadError(
                f"{place}: expected values and a class, got {row[0]!r}. Name a format, such as format='csv'."
            )
        if len(row) > self.limits.max_columns:
            raise self.limits.met("max_columns", f"{place}: there are {len(row):,} columns")
        self.dense.append(row)

    def add_sparse(self, row: list[str], place: str) -> None:
        """``row`` is feature, value, feature, value, …, class."""
        i = len(self.dense)
        for feature, value in zip(row[:-1:2], row[1::2], strict=True):
            j = int(feature)
            if j < 1:
                raise ReadError(f"{place}: there is a feature {j}, expected numbers from 1.")
            cells = self.sparse.setdefault(j, {})
            if i in cells:
                raise ReadError(f"{place}: feature {j} stands there twice. Keep one of its values.")
            cells[i] = value
            self.width = max(self.width, j)
        if self.width > self.limits.max_columns:
            raise self.limits.met("max_columns", f"{place}: there is a feature {self.width:,}")
        self.dense.append(row[-1:])
        self.written += len(row) // 2
        if (absent := self.width * len(self.dense) - self.written) > self.limits.max_absent:
            raise self.limits.met("max_absent", f"{place}: the sparse rows so far leave out {absent:,} values")

    def columns(self) -> Iterator[tuple[str, list[str]]]:
        for j in range(1, self.width + 1):
            cells = [_ABSENT] * len(self.dense)
            for i, value in self.sparse.get(j, {}).items():
                cells[i] = value
            yield f"f{j}", cells
        names = [f"f{j}" for j in range(1, len(self.dense[0]))]
        yield from zip([*names, CLASS], map(list, zip(*self.dense, strict=True)), strict=True)


def _detected(line: str) -> str:
    """The format that a line is written in.

    >>> [_detected(line) for line in ("a,b,X", "a b X", "a\\tb c\\tX", "(1,a)(7,b)X", "abX")]
    ['c4.5', 'columns', 'tabbed', 'sparse', 'compact']
    """
    if _SPARSE.fullmatch(line.strip()):
        return "sparse"
    return "c4.5" if "," in line else "tabbed" if "\t" in line else "columns" if " " in line.strip() else "compact"


def _values(form: str) -> Callable[[str, str], list[str]]:
    """What takes a line of a format apart; of the sparse ones, into feature, value, feature, value, …, class."""
    name, _, width = form.removeprefix(f"{PREFIX}-").partition(":")
    if name not in _FORMS or (width and (name != "compact" or not width.isdecimal() or int(width) < 1)):
        known = ", ".join(f"{PREFIX}-{name}" for name in _FORMS)
        raise ReadError(f"There is no format {form!r}: expected {PREFIX}, {known} or timbl-compact:2.")
    if name == "sparse":
        return _sparse
    if name == "binary":
        return _binary
    if name == "compact":
        return lambda line, place: _compact(line, int(width or 1), place)
    if name == "columns":
        return lambda line, place: _without_stop(line.split())
    sep = "," if name == "c4.5" else "\t"
    return lambda line, place: _without_stop([value.strip() for value in line.split(sep)])


def _without_stop(row: list[str]) -> list[str]:
    return [*row[:-1], row[-1].removesuffix(".")] if len(row[-1]) > 1 else row


def _compact(line: str, width: int, place: str) -> list[str]:
    if len(line) % width:
        raise ReadError(f"{place}: expected values of {width} letters each, got {len(line)} letters.")
    return [line[i : i + width] for i in range(0, len(line), width)]


def _sparse(line: str, place: str) -> list[str]:
    line = line.strip()
    if not _SPARSE.fullmatch(line):
        raise ReadError(f"{place}: expected pairs and a class, such as (1,a)(7,b)X, got {line[:40]!r}.")
    found = [part for pair in _PAIR.findall(line) for part in pair]
    return [*found, *_without_stop([line[line.rindex(")") + 1 :].removeprefix(",")])]


def _binary(line: str, place: str) -> list[str]:
    *features, label = _without_stop([part.strip() for part in line.split(",")])
    for feature in features:
        if not feature.isdecimal():
            raise ReadError(f"{place}: expected numbers of features and a class, such as 1,3,X, got {feature!r}.")
    return [*(part for feature in features for part in (feature, "1")), label]
