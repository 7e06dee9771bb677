"""Spreadsheets: .xlsx, .xls and .ods, through python-calamine. Cells have types, so nothing is guessed from texts."""

from __future__ import annotations

import zipfile
from array import array
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nearwise.cases.frames import RawColumn, RawTable, _from_list
from nearwise.cases.readers.header import column_names, finished
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.errors import MissingDependencyError, ReadError, did_you_mean
from nearwise.visible import visible

__all__ = ["read_excel"]


@dataclass(frozen=True)
class AtSheetRow:
    """Where a case stands: the row of the sheet, counted from 1."""

    name: str
    rows: array[int]

    def __call__(self, case: int) -> str:
        return f"{visible(self.name)}, row {self.rows[case]}"


def read_excel(path: Path, layout: Layout, limits: Limits) -> RawTable:
    """Read a sheet of a spreadsheet, the first unless ``layout.sheet`` names one; empty rows are passed over."""
    if find_spec("python_calamine") is None:
        raise MissingDependencyError.of("python-calamine", f"Reading {path.name}", extra="excel")
    _check_size(path, limits)
    sheet, cells, told = _sheet(path, layout.sheet)
    rows = [(i, row) for i, row in enumerate(cells, 1) if any(value != "" for value in row)]
    if not rows:
        raise ReadError(
            f"{path.name}, sheet {sheet!r}, is empty: expected a row with the column names, then the cases."
        )
    width = max(j + 1 for _, row in rows for j, value in enumerate(row) if value != "")
    at, first = rows[0]
    place = f"{path.name}, row {at}"
    names = column_names(place, [_name(value) for value in first[:width]], layout, limits)
    if layout.header is not False:
        rows = rows[1:]
    if not rows:
        raise ReadError(f"{path.name} has a row of names and no cases: expected at least one row below it.")
    columns = tuple(_column([row[j] for _, row in rows], layout.missing) for j in range(width))
    where = AtSheetRow(path.name, array("q", [i for i, _ in rows]))
    table = RawTable(tuple(names), columns, len(rows), None, named=True, source=where, remarks=told)
    return finished(table, place, layout)


def _check_size(path: Path, limits: Limits) -> None:
    """Refuse what the parts of a packed file unpack to before they are unpacked."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as packed:
        declared = sum(part.file_size for part in packed.infolist())
    if declared > limits.max_size:
        raise limits.met("max_size", f"{path.name} unpacks to {declared:,} bytes")


def _sheet(path: Path, asked: str | None) -> tuple[str, list[list[Any]], tuple[str, ...]]:
    """The name and the cells of a sheet, and what to say about the others."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
        names = list(book.sheet_names)
        name = names[0] if asked is None and names else asked
        if name not in names:
            raise ReadError(f"{path.name} has no sheet {name!r}. {did_you_mean(str(name), names)}")
        cells = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        told = " ".join(str(error).split()) or type(error).__name__
        raise ReadError(
            f"{path.name} cannot be read as a spreadsheet ({told}). Save it again, or save it as CSV."
        ) from None
    if asked is None and len(names) > 1:
        told = (
            f"{path.name} has {len(names)} sheets and the first, {name!r}, was read; sheet={names[1]!r} reads the next"
        )
        return str(name), cells, (told,)
    return str(name), cells, ()


def _name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _column(values: list[Any], missing: frozenset[str]) -> RawColumn:
    """Cells without a value are missing; a spreadsheet has no whole numbers, so 7.0 is 7 where all are whole."""
    known = [None if isinstance(v, str) and v.strip() in missing | {""} else v for v in values]
    numbers = [v for v in known if isinstance(v, float)]
    if numbers and all(v.is_integer() and abs(v) < 2**53 for v in numbers):
        known = [int(v) if isinstance(v, float) else v for v in known]
    return _from_list(known)
