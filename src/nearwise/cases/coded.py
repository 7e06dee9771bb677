"""Texts that come as codes, as Arrow and Parquet have them: each different one is looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import raw_table
from nearwise.cases.raw import RawColumn, RawTable
from nearwise.cases.times import moment

__all__ = ["CodedColumn", "raw_arrow"]


@dataclass(frozen=True)
class CodedColumn(RawColumn):
    """A column of symbols whose ``values`` are codes into ``different``; the last of these is None."""

    different: Sequence[Any] = (None,)

    def take(self, rows: NDArray[np.intp]) -> RawColumn:
        return CodedColumn("symbol", self.values[rows], different=self.different)

    def objects(self) -> list[Any]:
        return [self.different[code] for code in self.values.tolist()]

    def distinct(self) -> tuple[list[Any], NDArray[np.int32]]:
        """The different ones that occur, in order of appearance, and the place of each case's value among them."""
        n, codes = len(self.values), self.values
        first = np.full(len(self.different), n)
        first[codes[::-1]] = np.arange(n - 1, -1, -1)  # the last that is written is the first that occurs
        used = np.argsort(first, kind="stable")[: np.count_nonzero(first < n)]
        place = np.zeros(len(self.different), dtype=np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        return [self.different[code] for code in used.tolist()], place[codes]


def raw_arrow(table: Any) -> RawTable:
    """An Arrow table taken apart as `raw_table` does it; columns of texts go by their codes.

    >>> import pyarrow as pa
    >>> raw_arrow(pa.table({"job": ["cook", None, "judge", "cook"]})).columns[0].distinct()
    (['cook', None, 'judge'], array([0, 1, 2, 0], dtype=int32))
    """
    from dataclasses import replace

    import pyarrow as pa

    texts = {name: _coded(table.column(name)) for name in table.column_names}
    known = {name: column for name, column in texts.items() if column is not None}
    rest = table.select([name for name in table.column_names if name not in known])
    if not known:
        return raw_table(table)
    names = tuple(table.column_names)
    others: dict[str, RawColumn] = {}
    if rest.num_columns:
        found = raw_table(rest)
        others = dict(zip(found.names, found.columns, strict=True))
    made = raw_table(pa.table({name: pa.nulls(0) for name in names}))
    return replace(made, columns=tuple(known.get(name) or others[name] for name in names), n=table.num_rows)


def _coded(chunks: Any) -> CodedColumn | None:
    """A column of plain texts by its codes; None for another, and for texts that may be dates."""
    from pyarrow import types

    kind = chunks.type.value_type if types.is_dictionary(chunks.type) else chunks.type
    if not (types.is_string(kind) or types.is_large_string(kind)) or getattr(chunks.type, "ordered", False):
        return None
    whole = (chunks if types.is_dictionary(chunks.type) else chunks.dictionary_encode()).unify_dictionaries()
    if not whole.num_chunks:
        return CodedColumn("symbol", np.zeros(0, dtype=np.int32))
    different = [*whole.chunk(0).dictionary.to_pylist(), None]
    codes = np.concatenate([np.asarray(part.indices.fill_null(len(different) - 1)) for part in whole.chunks])
    first = next((text for text in different if text is not None), None)
    if types.is_dictionary(chunks.type) or first is None or moment(first) is None:
        return CodedColumn("symbol", codes.astype(np.int32), different=different)
    return None
