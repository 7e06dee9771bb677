"""Which format a file has, and the reader for it; only that one is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.files import NotTextError, encoding_of
from nearwise.cases.readers.layout import Layout
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError, did_you_mean

__all__ = ["DATABASES", "FORMATS", "format_of", "read_as"]

FORMATS: Mapping[str, tuple[str, ...]] = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "arff": (".arff",),
    "timbl": (".train", ".test"),
    "excel": (".xlsx", ".xlsm", ".xls", ".ods"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "duckdb": (".duckdb",),
}
"""format -> the suffixes it is known by; texts also with .gz"""

BINARY = ("parquet", "excel", "sqlite", "duckdb")
"""formats that are no text"""

DATABASES = ("sqlite", "duckdb")
"""formats that are asked by SQL themselves"""

JSON = ("jsonl", "json")
"""formats that are UTF-8 by definition"""


def format_of(path: Path, given: str | None) -> str:
    known = ", ".join(f"{name} ({' '.join(suffixes)})" for name, suffixes in FORMATS.items())
    if given is not None:
        if given.lower() not in FORMATS and not given.lower().startswith("timbl-"):
            raise ReadError(f"format={given!r} is not known: expected one of {known}. {did_you_mean(given, FORMATS)}")
        return given.lower()
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = next(iter(suffixes[-2:-1] if packed else suffixes[-1:]), "")
    for name, theirs in FORMATS.items():
        if suffix in theirs and not (packed and name in BINARY):
            return name
    raise ReadError(
        f"The format of {path.name!r} cannot be told from its name: expected one of {known}, the text "
        "formats also with .gz. Rename the file, or pass format='csv'."
    )


def read_as(
    path: Path, form: str, kinds: Mapping[str, Kind], layout: Layout, limits: Limits, sql: str | None = None
) -> RawTable:
    """Read a file in a format. Text that is not UTF-8 is read as Windows writes it, and that is remarked upon."""
    if form in BINARY:
        return _read_binary(path, form, layout, limits, sql)
    if layout.encoding is not None:
        return _read_text(path, form, kinds, layout, limits)
    encoding = encoding_of(path, limits)
    try:
        return _read_text(path, form, kinds, replace(layout, encoding=encoding), limits)
    except NotTextError as error:
        if encoding != "utf-8" or form in JSON:
            raise
        told = str(error).split(". Save")[0]
    for encoding in ("cp1252", "latin-1"):
        try:
            table = _read_text(path, form, kinds, replace(layout, encoding=encoding), limits)
        except NotTextError:
            continue
        remark = (
            f"{told}, so it was read as {encoding}; if letters look wrong, name its encoding, such as encoding='cp437'"
        )
        return replace(table, remarks=(*table.remarks, remark))
    raise AssertionError("every byte is a letter of latin-1")


def _read_text(path: Path, form: str, kinds: Mapping[str, Kind], layout: Layout, limits: Limits) -> RawTable:
    encoding = layout.encoding or "utf-8"
    if form == "jsonl":
        from nearwise.cases.readers.jsonl import read_jsonl

        return read_jsonl(path, encoding, limits)
    if form == "arff":
        from nearwise.cases.readers.arff import read_arff

        return read_arff(path, kinds, encoding, limits)
    if form == "json":
        from nearwise.cases.readers.json import read_json

        return read_json(path, encoding, limits)
    if form.startswith("timbl"):
        from nearwise.cases.readers.timbl import read_timbl

        return read_timbl(path, form, kinds, layout, limits)
    from nearwise.cases.readers.csv import read_csv

    return read_csv(path, kinds, replace(layout, sep="\t") if form == "tsv" and layout.sep is None else layout, limits)


def _read_binary(path: Path, form: str, layout: Layout, limits: Limits, sql: str | None) -> RawTable:
    if form == "excel":
        from nearwise.cases.readers.excel import read_excel

        return read_excel(path, layout, limits)
    if form in DATABASES:
        from nearwise.cases.readers.sql import read_duckdb, read_sqlite

        return read_sqlite(path, sql, limits) if form == "sqlite" else read_duckdb(path, sql, limits)
    from nearwise.cases.readers.parquet import read_parquet

    return read_parquet(path, limits)
