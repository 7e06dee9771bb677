"""Texts that stay codes: the same table as from a list of Python's texts, whatever library holds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.coded import CodedTexts, coded_texts
from nearwise.cases.frames import raw_table
from nearwise.cases.table import CaseTable
from tests.spreadsheets import package

TEXTS = st.lists(st.sampled_from(["a", "b", "", "ß", "2020-01-02", "nan", "None"]) | st.none(), min_size=1, max_size=12)


def as_arrow(texts, pa):
    return pa.table({"x": pa.array(texts, pa.string())})


def as_arrow_codes(texts, pa):
    """Codes in two parts whose dictionaries differ, with a text that no case has."""
    half = len(texts) // 2
    parts = []
    for part in (texts[:half], texts[half:]):
        different = [*dict.fromkeys(t for t in part if t is not None), "unused"]
        codes = pa.array([None if t is None else different.index(t) for t in part], pa.uint8())
        parts.append(pa.DictionaryArray.from_arrays(codes, pa.array(different)))
    return pa.table({"x": pa.chunked_array(parts)})


MADE = {
    "pyarrow": [as_arrow, as_arrow_codes],
    "pandas": [
        lambda texts, pd: pd.DataFrame({"x": pd.Series(texts, dtype=object)}),
        lambda texts, pd: pd.DataFrame({"x": pd.Series(texts, dtype="string")}),
        lambda texts, pd: pd.DataFrame({"x": pd.Categorical(texts)}),
    ],
    "polars": [
        lambda texts, pl: pl.DataFrame({"x": pl.Series(texts, dtype=pl.String)}),
        lambda texts, pl: pl.DataFrame({"x": pl.Series(texts, dtype=pl.Categorical)}),
    ],
}


@pytest.mark.parametrize(
    ("library", "at"), [(library, at) for library, made in MADE.items() for at in range(len(made))]
)
@given(texts=TEXTS)
def test_a_column_is_that_of_the_list(library, at, texts):
    module = package(library)
    frame = MADE[library][at](texts, module)
    is_category = (library, at) in (("pyarrow", 1), ("pandas", 2), ("polars", 1))
    plain = {"x": texts}
    found, expected = raw_table(frame).columns[0], raw_table(plain).columns[0]
    if is_category and expected.sort == "time":
        return  # categories that look like dates are meant as categories
    assert found.sort == expected.sort
    assert found.objects() == expected.objects()
    rows = np.arange(len(texts))[::-2]
    assert found.take(rows).objects() == expected.take(rows).objects()
    table, twin = CaseTable.of(frame), CaseTable.of(plain)
    assert table.schema["x"] == twin.schema["x"]
    assert table.columns[0].levels == twin.columns[0].levels
    np.testing.assert_array_equal(table.columns[0].values, twin.columns[0].values)


@pytest.mark.parametrize("values", [["a", 1], [True, "a"], [1.5, None, "b"], [b"a", "b"]])
def test_columns_with_anything_but_texts_are_looked_at_one_by_one(values):
    pandas = package("pandas")
    frame = pandas.DataFrame({"x": pandas.Series(values, dtype=object)})
    assert coded_texts(frame["x"]) is None
    assert raw_table(frame).columns[0].objects() == values


def test_a_dictionary_that_repeats_a_text_is_not_taken_for_codes():
    pa = package("pyarrow")
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "b", "a"]))
    assert coded_texts(column) is None
    assert CaseTable.of(pa.table({"x": column})).columns[0].values.tolist() == [0, 1, 0]


def test_coded_texts_are_a_sequence():
    coded = CodedTexts(["b", "a"], np.array([0, -1, 1], dtype=np.int32))
    assert (len(coded), coded[1], coded[-1], list(coded[:2])) == (3, None, "a", ["b", None])
    assert coded == ["b", None, "a"]
    assert coded.distinct()[0] == ["b", "a", None]
    assert coded.distinct()[1].tolist() == [0, 2, 1]
