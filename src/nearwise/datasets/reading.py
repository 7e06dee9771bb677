"""A file of a known data set becomes cases, target and schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import Set
from nearwise.cases.readers import read
from nearwise.cases.schema import Schema
from nearwise.datasets.registry import Entry
from nearwise.errors import InputError, SchemaError

__all__ = ["Parsed", "check_counts", "joined", "parsed", "read_file"]

_KINDS = ("numeric", "symbolic")
CODE = "="
"""before symbols that look like numbers, in the tables of the regression folder"""
BAGS = "conformations"


@dataclass(frozen=True)
class Parsed:
    """Cases, target and kinds, without a word about where they come from."""

    X: RawTable
    y: NDArray[Any]
    schema: Schema


def read_file(path: Path, entry: Entry, told: Mapping[str, Any], format: str | None = None) -> Parsed:
    """One file; ``told`` is what a manifest or a note says of it: kinds, target, columns that are no features.

    Where nothing is told, the target is the column with the known name, or the last, and kinds go by the known names;
    columns of other names are taken for what they look like. In a file of a manifest only an empty field is missing.
    """
    manifest = "features" in told
    missing = ("",) if manifest else ("", "?", "NA")
    known = dict(told["features"]) if manifest else dict(entry.features)
    group = told.get("group") or ("molecule" if "molecule" in known else None)
    if group is not None or BAGS in known:
        return _bags(path, entry, group or "molecule", told, missing, format)
    names = read(path, format=format, missing=missing).names if not manifest else (*known, entry.target)
    target = told.get("target_column") or (entry.target if entry.target in names else names[-1])
    drop = [name for name in told.get("drop", ()) if name in names and name != target]
    kinds = {name: known[name] for name in names if known.get(name) in _KINDS and name not in (target, *drop)}
    if not kinds and len(uniform := set(entry.kinds)) == 1:
        kinds = {name: kind for name in names if name not in (target, *drop) for kind in uniform}
    if not entry.regression:
        kinds[target] = "symbolic"
    X, y = read(path, target=target, schema=kinds, ignore=drop, missing=missing, format=format)
    return parsed(_without_marks(X), y, {name: kind for name, kind in kinds.items() if name != target}, entry)


def parsed(X: RawTable, y: Sequence[Any], kinds: Mapping[str, Any], entry: Entry) -> Parsed:
    """Cases with all kinds, those given and those that the values show; classes as texts."""
    labels = np.array(y, dtype=np.float64) if entry.regression else np.array([str(label) for label in y])
    return Parsed(X, labels, Schema.infer(X, kinds))


def joined(parts: Sequence[Parsed]) -> Parsed:
    """The cases of several files, one file after the other."""
    first = parts[0]
    if any(part.X.names != first.X.names for part in parts):
        raise SchemaError("The files of a set must have the same columns in the same order.")
    together = zip(*(part.X.columns for part in parts), strict=True)
    columns = tuple(_stacked(columns) for columns in together)
    ends = np.cumsum([len(part.X) for part in parts])

    def where(case: int) -> str:
        at = int(np.searchsorted(ends, case, side="right"))
        return parts[at].X.where(case - int(ends[at]) + len(parts[at].X))

    X = replace(first.X, columns=columns, n=int(ends[-1]), labels=None, source=where)
    return Parsed(X, np.concatenate([part.y for part in parts]), Schema.infer(X, dict(first.schema)))


def check_counts(found: Parsed, entry: Entry, source: str, cases: int | None = None) -> None:
    """Refuse a table that has not the size of the set it is named after."""
    sizes = {"cases": (cases or entry.cases, len(found.y)), "features": (entry.n_features, len(found.X.names))}
    if entry.classes is not None:
        sizes["classes"] = (entry.classes, len(np.unique(found.y)))
    for what, (expected, got) in sizes.items():
        if expected != got:
            raise InputError(
                f"{source} is not the data set {entry.name!r}: expected {expected:,} {what}, got {got:,}. Delete the "
                "file, or give it another name."
            )


def _bags(
    path: Path, entry: Entry, group: str, told: Mapping[str, Any], missing: tuple[str, ...], format: str | None
) -> Parsed:
    """Several rows for each case: their numbers are one set of vectors."""
    drop = told.get("drop", ["conformation"])
    target = told.get("target_column") or entry.target
    X, y = read(
        path, target=target, group_by=group, ignore=drop, set_name=BAGS, missing=missing, format=format,
        schema={target: "symbolic"},
    )  # fmt: skip
    return parsed(X, y, {BAGS: Set(members="vectors")}, entry)


def _stacked(columns: Sequence[RawColumn]) -> RawColumn:
    if all(column.numbers is not None for column in columns):
        values = np.concatenate([column.values for column in columns])
        return replace(columns[0], values=values, whole=all(column.whole for column in columns))
    return RawColumn(columns[0].sort, [value for column in columns for value in column.objects()])


def _without_marks(X: RawTable) -> RawTable:
    """Symbols without the mark that keeps codes from being read as numbers."""
    columns = []
    for column in X.columns:
        known = [v for v in column.objects() if v is not None] if column.sort == "symbol" else []
        if known and all(isinstance(v, str) and v.startswith(CODE) for v in known):
            column = replace(column, values=[None if v is None else v[len(CODE) :] for v in column.objects()])
        columns.append(column)
    return replace(X, columns=tuple(columns))
