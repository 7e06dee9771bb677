"""Texts of Parquet stay codes from the file on, and mean what plain texts mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.cases.coded import CodedTexts
from nearwise.cases.frames import raw_table
from nearwise.cases.readers import read
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.parts.streamed import ParquetPieces

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

WORDS = st.sampled_from(["red", "blue", "", "2024-01-01", "2024-02-03", "ä", "1", None])


def same(one, two) -> None:
    """Two raw tables with the same columns, kinds and codes."""
    assert one.names == two.names
    assert [column.sort for column in one.columns] == [column.sort for column in two.columns]
    assert Schema.infer(one) == Schema.infer(two)
    a, b = CaseTable.of(one), CaseTable.of(two)
    for mine, other in zip(a.columns, b.columns, strict=True):
        assert mine.levels == other.levels
        np.testing.assert_array_equal(mine.values, other.values)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=30), st.sampled_from([True, False, ["a"]]))
def test_coded_texts_are_typed_as_plain_ones(tmp_path_factory, rows, coded) -> None:
    table = pa.table({name: pa.array(list(values), pa.string()) for name, values in zip("ab", zip(*rows), strict=True)})
    path = tmp_path_factory.mktemp("texts") / "t.parquet"
    parquet.write_table(table, path, row_group_size=7, use_dictionary=coded)
    same(read(path), raw_table(table))
    pieces = ParquetPieces([path], None, 10**9)
    same(pieces.read(pieces.pieces[0]).raw, raw_table(table))


def test_texts_never_become_a_list(tmp_path: Path) -> None:
    words = ["red", "blue", None, "green"] * 50
    codes = pa.array(words).dictionary_encode()
    parquet.write_table(pa.table({"plain": words, "coded": codes, "y": ["u", "v"] * 100}), tmp_path / "t.parquet")
    pieces = ParquetPieces([tmp_path / "t.parquet"], "y", 10**9)
    for raw in (read(tmp_path / "t.parquet").drop(["y"]), pieces.read(pieces.pieces[0]).raw):
        assert all(isinstance(column.values, CodedTexts) for column in raw.columns)
        assert [column.values.different for column in raw.columns] == [["red", "blue", "green"]] * 2


def test_a_dictionary_in_the_file_stays_symbols(tmp_path: Path) -> None:
    """A column that was written as a category is not read as dates, as before."""
    days = pa.array(["2024-01-01", "2024-02-03"] * 5)
    parquet.write_table(pa.table({"a": days, "b": days.dictionary_encode()}), tmp_path / "t.parquet")
    found = read(tmp_path / "t.parquet")
    assert [column.sort for column in found.columns] == ["time", "symbol"]
