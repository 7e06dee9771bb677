"""Predictions that stream: any file of cases in, Parquet or CSV out, a batch of cases at a time."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nearwise.cases.raw import RawTable
from nearwise.cases.readers.parts import read_parts
from nearwise.errors import InputError, MissingDependencyError
from nearwise.files import draft_of
from nearwise.parts.estimators import ClassifierOverParts, VotingOverParts
from nearwise.parts.streamed import ParquetPieces

__all__ = ["PART", "batches_of", "predict_file"]

PART = 32_000_000
"""bytes of text that are asked about at once: many, since indexes that do not fit are built anew for every batch"""
_SUFFIXES = (".parquet", ".csv")


def predict_file(
    model: VotingOverParts, path: Path, out: Path, *, proba: bool = False, memory: int = 1_000_000_000
) -> int:
    """Write the prediction of every case of a file to another; gives how many there were.

    The columns are ``row``, ``prediction`` and, with ``proba``, the share of the votes of each class.
    """
    if proba and not isinstance(model, ClassifierOverParts):
        raise InputError("This model predicts numbers, which have no probabilities: leave --proba (proba=True) out.")
    if out.suffix.lower() not in _SUFFIXES:
        raise InputError(f"{out}: predictions are written to {' and '.join(_SUFFIXES)} files.")
    with draft_of(out) as draft:
        write = _to_parquet if out.suffix.lower() == ".parquet" else _to_csv
        return write(draft, _answers(model, path, proba, memory))


def _answers(model: VotingOverParts, path: Path, proba: bool, memory: int) -> Iterator[dict[str, Any]]:
    """Columns of answers, a batch after the other."""
    start = 0
    for table in batches_of(path, model, memory):
        answers, near = model._answers(table)
        columns = {"row": range(start, start + len(table)), "prediction": model.decided(answers, near).tolist()}
        if proba and isinstance(model, ClassifierOverParts):
            columns |= {f"p({label})": answers[:, c].tolist() for c, label in enumerate(model.classes_.tolist())}
        start += len(table)
        yield {name: list(values) for name, values in columns.items()}


def batches_of(path: Path, model: VotingOverParts, memory: int) -> Iterator[RawTable]:
    """The cases of a file that have features of the model, a batch after the other."""
    known = [str(name) for name in model.feature_names_in_]
    if path.suffix.lower() == ".parquet":
        pieces = ParquetPieces([path], None, memory)
        for piece in pieces.pieces:
            raw = pieces.read(piece).raw
            yield raw.drop([name for name in raw.names if name not in known])
        return
    for raw in read_parts(path, size=PART, schema=model.schema_):
        yield raw.drop([name for name in raw.names if name not in known])


def _to_csv(draft: Path, batches: Iterator[dict[str, Any]]) -> int:
    n = 0
    with draft.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        for columns in batches:
            if not n:
                out.writerow(columns)
            out.writerows(zip(*columns.values(), strict=True))
            n += len(columns["row"])
    return n


def _to_parquet(draft: Path, batches: Iterator[dict[str, Any]]) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError.of("pyarrow", "Writing Parquet", extra="frames") from None
    n, out = 0, None
    try:
        for columns in batches:
            table = pa.table(columns)
            out = out or parquet.ParquetWriter(draft, table.schema)
            out.write_table(table)
            n += table.num_rows
    finally:
        if out is not None:
            out.close()
    return n
