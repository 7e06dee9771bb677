"""Which format a file has, and the reader for it; only that one is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nearwise.cases.frames import RawTable
from nearwise.cases.kinds import Kind
from nearwise.cases.readers.limits import Limits
from nearwise.errors import ReadError, did_you_mean

__all__ = ["FORMATS", "format_of", "read_as"]

FORMATS: Mapping[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson"),
    "arff": (".arff",),
}
"""format -> the suffixes it is known by; all but Parquet also with .gz"""


def format_of(path: Path, given: str | None) -> str:
    known = ", ".join(f"{name} ({' '.join(suffixes)})" for name, suffixes in FORMATS.items())
    if given is not None:
        if given.lower() not in FORMATS:
            raise ReadError(f"format={given!r} is not known: expected one of {known}. {did_you_mean(given, FORMATS)}")
        return given.lower()
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = next(iter(suffixes[-2:-1] if packed else suffixes[-1:]), "")
    for name, theirs in FORMATS.items():
        if suffix in theirs and not (packed and name == "parquet"):
            return name
    raise ReadError(
        f"The format of {path.name!r} cannot be told from its name: expected one of {known}, the text "
        "formats also with .gz. Rename the file, or pass format='csv'."
    )


def read_as(
    path: Path, form: str, kinds: Mapping[str, Kind], missing: frozenset[str], encoding: str, limits: Limits
) -> RawTable:
    if form == "parquet":
        from nearwise.cases.readers.parquet import read_parquet

        return read_parquet(path, limits)
    if form == "jsonl":
        from nearwise.cases.readers.jsonl import read_jsonl

        return read_jsonl(path, encoding, limits)
    if form == "arff":
        from nearwise.cases.readers.arff import read_arff

        return read_arff(path, kinds, encoding, limits)
    from nearwise.cases.readers.csv import read_csv

    return read_csv(path, kinds, missing, encoding, limits, delimiter="\t" if form == "tsv" else ",")
