"""Texts that are kept once each: what Arrow, pandas and polars hold as codes stays codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["CodedTexts", "coded_texts"]


class CodedTexts(Sequence[str | None]):
    """The texts of n cases as the different ones and (n,) which of them each case has, -1 for none.

    >>> list(CodedTexts(["b", "a"], np.array([0, 1, -1, 0], dtype=np.int32)))
    ['b', 'a', None, 'b']
    """

    def __init__(self, different: list[str], codes: NDArray[np.int32]) -> None:
        self.different = different
        self.codes = codes

    @classmethod
    def used(cls, different: list[str], codes: NDArray[Any]) -> CodedTexts:
        """The same without texts that no case has; the others are in the order in which they appear.

        >>> CodedTexts.used(["c", "b", "a"], np.array([-1, 2, 0, 2])).different
        ['a', 'c']
        """
        codes = np.asarray(codes, dtype=np.int32)
        first = np.full(len(different) + 1, len(codes), dtype=np.int64)  # the last one is for -1
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1, dtype=np.int32)
        order = np.argsort(first[:-1], kind="stable")
        order = order[first[order] < len(codes)]
        place = np.full(len(different) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cls([different[i] for i in order], place[codes])

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, at: int) -> str | None: ...

    @overload
    def __getitem__(self, at: slice) -> CodedTexts: ...

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return CodedTexts(self.different, self.codes[at])
        code = self.codes[at]
        return None if code < 0 else self.different[code]

    def __iter__(self) -> Iterator[str | None]:
        told: list[str | None] = [*self.different, None]  # -1 is the last one
        return map(told.__getitem__, self.codes.tolist())

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def take(self, rows: NDArray[np.intp]) -> CodedTexts:
        return CodedTexts.used(self.different, self.codes[rows])

    def distinct(self) -> tuple[list[Any], NDArray[np.int32]]:
        """The different values, None among them where it is missing somewhere, and (n,) which each case has."""
        gone = self.codes < 0
        if not gone.any():
            return list(self.different), self.codes
        return [*self.different, None], np.where(gone, np.int32(len(self.different)), self.codes)


def coded_texts(series: Any) -> CodedTexts | None:
    """The texts of a native column of pyarrow, pandas or polars; None where it may hold anything else."""
    library = type(series).__module__.split(".")[0]
    if library == "pyarrow":
        return _of_arrow(series)
    if library == "pandas":
        return _of_pandas(series)
    if library == "polars" and find_spec("pyarrow") is not None:
        return _of_arrow(series.to_arrow())
    return None


def _of_arrow(column: Any) -> CodedTexts | None:
    import pyarrow as pa

    values = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_view = getattr(pa.types, "is_string_view", lambda _: False)(values)
    if not (pa.types.is_string(values) or pa.types.is_large_string(values) or is_view):
        return None
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if is_view:
        column = column.cast(pa.large_string())
    if column.null_count == len(column):  # no value that could tell what they are
        return None
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries()
    if not whole.num_chunks:
        return None
    different = whole.chunk(0).dictionary.to_pylist()
    if None in different or len(set(different)) < len(different):
        return None
    codes = [np.asarray(part.indices.cast(pa.int32()).fill_null(-1)) for part in whole.chunks]
    return CodedTexts.used(different, codes[0] if len(codes) == 1 else np.concatenate(codes))


def _of_pandas(series: Any) -> CodedTexts | None:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        different, codes = series.cat.categories.tolist(), series.cat.codes.to_numpy()
    elif pd.api.types.infer_dtype(series, skipna=True) == "string":
        codes, held = pd.factorize(series)
        different = list(held)
    else:
        return None
    if not all(type(text) is str for text in different):
        return None
    return CodedTexts.used(different, codes)
