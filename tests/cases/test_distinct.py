"""The different values of a column against a loop over it, with and without the core."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise
from nearwise.cases.columns import Column, symbol_column
from nearwise.cases.distinct import distinct
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError

texts = st.lists(st.text(max_size=6).map(lambda t: t.rstrip("\0")), max_size=40)  # NumPy drops NUL at the end of a text
numbers = st.lists(st.one_of(st.floats(width=16, allow_nan=False), st.sampled_from([0.0, -0.0, 1.0])), max_size=40)


def by_a_loop(values):
    different, codes = [], []
    for value in values:
        if value not in different:
            different.append(value)
        codes.append(different.index(value))
    return different, codes


def same_as_the_loop(values, array=None):
    different, codes = distinct(values if array is None else array)
    assert (different, codes.tolist()) == by_a_loop(values)
    assert codes.dtype == np.int32


@pytest.fixture(params=["core", "numpy"])
def way(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setenv("NEARWISE_NATIVE", "0")


@given(values=texts)
def test_texts_of_a_list_and_of_an_array(values):
    same_as_the_loop(values)
    same_as_the_loop(values, np.array(values, dtype=str))
    same_as_the_loop(values[::2], np.array(values, dtype=str)[::2])


@given(values=numbers)
def test_numbers_of_a_list_and_of_an_array(values):
    same_as_the_loop(values)
    same_as_the_loop(values, np.array(values, dtype=np.float64))


def test_many_texts(way):
    rng = np.random.default_rng(0)
    values = [f"{v:b}" for v in rng.integers(0, 3000, 5000)]
    same_as_the_loop(values, np.array(values))
    same_as_the_loop(values, np.array(values).astype(">U20"))


def test_zeros_of_both_signs_are_one_value(way):
    different, codes = distinct(np.array([-0.0, 0.0, 2.0, -0.0]))
    assert (different, codes.tolist()) == ([0.0, 2.0], [0, 0, 1, 0])


def test_texts_without_letters(way):
    assert distinct(np.array(["", ""]))[1].tolist() == [0, 0]
    assert distinct(np.array([], dtype=str))[0] == []


def test_one_and_true_are_one_symbol_under_the_name_that_came_first():
    assert symbol_column([True, 1, 1.0, None, float("nan")]).levels == (True,)


@pytest.mark.parametrize("make", [list, np.array, lambda v: np.array(v, dtype=object)], ids=["list", "text", "object"])
def test_a_table_is_the_same_however_its_texts_are_kept(make, way):
    words = ["cook", "judge", "", "cook", "nurse"]
    table = CaseTable.of({"job": make(words)})
    assert table.columns[0].levels == ("", "cook", "judge", "nurse")
    assert [table.value(i, 0) for i in range(5)] == words
    assert table.schema.guessed["job"] == "strings or categories"
    assert CaseTable.of(np.array([words, words[::-1]]).T).columns[1].values.tolist() == [3, 1, 0, 2, 1]


def test_whole_numbers_declared_symbolic_are_integers(way):
    table = CaseTable.of({"code": np.array([3, 1, 3])}, {"code": nearwise.Symbolic()})
    assert table.columns[0].levels == (1, 3)
    assert all(isinstance(level, int) for level in table.columns[0].levels)


def test_numbers_with_holes_declared_symbolic(way):
    column = CaseTable.of({"code": [2.5, None, 1.0]}, {"code": nearwise.Symbolic()}).columns[0]
    assert isinstance(column, Column)
    assert (column.values.tolist(), column.levels) == ([1, -1, 0], (1.0, 2.5))


def test_texts_declared_numeric_name_the_first_that_is_none():
    with pytest.raises(InputError, match="case 1 holds 'two'"):
        CaseTable.of({"size": np.array(["1", "two", "3"])}, {"size": nearwise.Numeric()})


def test_an_identifier_is_remarked_upon(way):
    names = np.array([f"case {i}" for i in range(12)])
    assert "likely an identifier" in CaseTable.of({"name": names}).schema.remarks["name"]


def test_what_cannot_be_a_symbol_is_named():
    with pytest.raises(InputError, match="case 1 holds a list"):
        CaseTable.of({"job": ["cook", ["judge"]]}, {"job": nearwise.Symbolic()})


def test_a_level_that_an_ordinal_lacks_is_named():
    levels = {"size": nearwise.Ordinal(levels=("s", "m"))}
    with pytest.raises(InputError, match="case 2 holds 'xl'"):
        CaseTable.of({"size": np.array(["s", "m", "xl", "xl"])}, levels)
