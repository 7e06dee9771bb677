"""A loaded data set: cases, target, kinds, and where all of it comes from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawColumn, RawTable, frame_of
from nearwise.cases.schema import Schema

__all__ = ["Dataset", "digest_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Cases with their target, as every estimator takes them: ``KNNClassifier(schema=d.schema).fit(d.X, d.y)``.

    ``d.X.take(rows)`` are some of the cases, ``d.frame()`` is a data frame.
    """

    name: str
    X: RawTable
    """n cases, as `nearwise.read` gives them"""
    y: NDArray[Any]
    """(n,) classes as texts, or numbers"""
    schema: Schema
    target_name: str
    regression: bool
    """whether the target is a number"""
    citation: str
    license: str
    train_rows: int | None
    """The first so many cases are for training, by the custom of the repository or by the paper; None where there is no
    such custom, or where this copy is not known to have the order."""
    source: str
    """where it was found"""
    digest: str
    """SHA-256 of the parsed content, see `digest_of`"""
    verified: bool
    """whether the content is the known one, by its digest; a generator's is"""

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        what = "a number" if self.regression else f"{len(np.unique(self.y))} classes"
        return f"<Dataset {self.name!r}: {len(self.X)} cases, {len(self.X.names)} features, {what}, from {self.source}>"

    def frame(self) -> Any:
        """A data frame of pandas, polars or pyarrow, whichever is installed, with the target as its last column."""
        columns: dict[str, Any] = {
            name: _plain(column) for name, column in zip(self.X.names, self.X.columns, strict=True)
        }
        columns[self.target_name] = self.y if self.regression else self.y.tolist()
        return frame_of(columns)


def digest_of(X: RawTable, y: NDArray[Any], schema: Schema, target_name: str) -> str:
    """SHA-256 of a content: name, kind and values of each feature, then of the target.

    Numbers go in as eight bytes each, so that 1 and 1.0 are the same; texts with their length before them. What file or
    format they came in makes no difference.

    >>> from nearwise.cases.frames import raw_table
    >>> X, y = raw_table({"age": [1, 2]}), np.array(["a", "b"])
    >>> digest_of(X, y, Schema({"age": "numeric"}), "class")[:8]
    '424127fa'
    """
    content = hashlib.sha256()
    for name, column in zip(X.names, X.columns, strict=True):
        _add_text(content, name)
        _add_text(content, schema[name].name)
        _add_column(content, column)
    _add_text(content, target_name)
    _add_column(content, RawColumn("number" if y.dtype.kind == "f" else "symbol", y))
    return content.hexdigest()


def _plain(column: RawColumn) -> Any:
    """Numbers as an array, of integers where all are; all else as a list with None for missing."""
    numbers = column.numbers
    if numbers is None or column.lost is not None:
        return column.objects()
    return numbers.astype(np.int64) if column.whole and not np.isnan(numbers).any() else numbers


def _add_column(content: Any, column: RawColumn) -> None:
    numbers = column.numbers
    if numbers is not None:
        content.update(_bytes(numbers))
        return
    for value in column.values.tolist() if isinstance(column.values, np.ndarray) else column.values:
        _add_value(content, value)


def _add_value(content: Any, value: Any) -> None:
    if value is None:
        content.update(b"?")
    elif isinstance(value, list | tuple | np.ndarray | frozenset):
        content.update(b"[")
        for member in sorted(value, key=str) if isinstance(value, frozenset) else value:
            _add_value(content, member)
        content.update(b"]")
    elif isinstance(value, float | int) and not isinstance(value, bool):
        content.update(_bytes(np.array([value], dtype=np.float64)))
    else:
        _add_text(content, str(value))


def _add_text(content: Any, text: str) -> None:
    told = text.encode()
    content.update(b"%d:" % len(told) + told)


def _bytes(numbers: NDArray[np.float64]) -> bytes:
    """The same bytes on every machine: little end first, one NaN, one zero."""
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0).astype("<f8").tobytes()
