"""Arrow's texts by their codes: the columns that the usual door gives."""

from __future__ import annotations

import numpy as np
import pytest

from nearwise.cases.coded import raw_arrow
from nearwise.cases.frames import raw_table
from nearwise.cases.table import CaseTable

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    "texts",
    [
        ["cook", None, "judge", "cook"], [None, None, None, None], ["2024-01-01", "2024-02-01", None, "2024-01-01"],
        ["2024-01-01", "soon", "2024-01-01", None], ["a", "b", "c", "d"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("coded", [False, True])
def test_codes_are_typed_as_texts_are(texts: list[str | None], coded: bool) -> None:
    column = pa.chunked_array([pa.array(texts[:2], pa.string()), pa.array(texts[2:], pa.string())])
    table = pa.table({"t": column.dictionary_encode() if coded else column, "n": [1, 2, 3, 4]})
    one, two = CaseTable.of(raw_arrow(table)), CaseTable.of(raw_table(table))
    assert one.schema == two.schema
    assert one.schema.guessed == two.schema.guessed
    for a, b in zip(one.columns, two.columns, strict=True):
        assert a.levels == b.levels
        np.testing.assert_array_equal(a.values, b.values)
    rows = np.array([3, 0])
    assert raw_arrow(table).take(rows).columns[0].objects() == raw_table(table).take(rows).columns[0].objects()
