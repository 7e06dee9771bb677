"""Texts of parsed columns: what the core makes of them against Python, text by text."""

from datetime import UTC, datetime
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearwise.cases.times import from_times, moment


def in_pyarrow(texts, cut):
    import pyarrow as pa

    parts = [texts[:cut], texts[cut:]]
    yield pa.chunked_array([pa.array(part, pa.string()) for part in parts])
    yield pa.chunked_array([pa.array(part, pa.large_string()) for part in parts])
    yield pa.chunked_array([pa.array([*part, "behind"], pa.string()).slice(0, len(part)) for part in parts])
    yield pa.chunked_array([pa.array(["before", None, *part], pa.string()).slice(2) for part in parts])
    if hasattr(pa, "string_view"):
        yield pa.chunked_array([pa.array(part, pa.string_view()) for part in parts])


def in_polars(texts, cut):
    import polars as pl

    yield pl.Series(texts, dtype=pl.String)
    yield pl.concat([pl.Series(part, dtype=pl.String) for part in (texts[:cut], texts[cut:])], rechunk=False)
    yield pl.Series(["before", *texts], dtype=pl.String)[1:]


by_each_package = pytest.mark.parametrize(
    "columns",
    [
        pytest.param(
            columns, id=package, marks=pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not there")
        )
        for package, columns in (("pyarrow", in_pyarrow), ("polars", in_polars))
    ],
)

words = st.text(st.sampled_from("ab é\U0001f600"), max_size=20) | st.sampled_from(["twelve bytes", "thirteen bytes"])


def coded(texts):
    different = list(dict.fromkeys(text for text in texts if text is not None))
    return different, [len(different) if text is None else different.index(text) for text in texts]


@by_each_package
@given(texts=st.lists(st.none() | words, max_size=30), cut=st.integers(0, 30))
@example(texts=[f"w{i}" for i in range(3000)] * 2, cut=2999)
@example(texts=[None, None], cut=1)
def test_texts_are_coded_in_the_order_in_which_they_appear(core, columns, texts, cut):
    for column in columns(texts, cut):
        different, codes = core.coded_texts(column.__arrow_c_stream__())
        assert (different, codes.tolist()) == coded(texts)
        assert codes.dtype == np.int32


OUTER = [
    "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-04-31",
    "0999-01-01", "1000-01-01", "9999-12-31", "2024-1-1", "2024-01-01 ", " 2024-01-01", "20240101", "+024-01-01",
    "٢024-01-01", "", "x", "2024-01-01T", "2024-01-01T10", "2024-01-01T10:00", "2024-01-01 10:00:00",
    "2024-01-01t10:00", "2024-01-01T24:00", "2024-01-01T23:60", "2024-01-01T23:59:60", "2024-01-01T1000",
    "2024-01-01T10:00.5", "2024-01-01T10:00:00.", "2024-01-01T10:00:00.1234567", "1969-12-31T23:59:59.999999",
    "9999-12-31T23:59:59.999999", "1000-01-01T00:00:00.000001", "2024-01-01T10:00Z", "2024-01-01T10:00z",
    "2024-01-01T10:00:00.25+05:30", "2024-01-01T10:00-0530", "2024-01-01T10:00+24:00", "2024-01-01T10:00+05:60",
    "2024-01-01T10:00+05", "2024-01-01T10:00Z ", "9999-12-31T23:59-23:59", "1000-01-01T00:00+23:59",
]  # fmt: skip
written = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)).flatmap(
    lambda when: st.sampled_from(
        [
            when.date().isoformat(),
            when.isoformat(),
            when.isoformat(" ", "minutes"),
            when.replace(tzinfo=UTC).isoformat(),
        ]
    )
)


@by_each_package
@given(texts=st.lists(st.none() | written | st.sampled_from(OUTER), max_size=4) | st.lists(written, max_size=2))
@example(texts=["9999-12-31"])
def test_moments_are_those_of_python_or_left_to_it(core, columns, texts):
    for column in columns(texts, 1):
        found = core.moments(column.__arrow_c_stream__())
        expected = from_times([None if text is None else moment(text) for text in texts])
        if found is not None:
            assert all(text is None or moment(text) is not None for text in texts)
            numbers, unit, holds = expected
            assert found[0].tobytes() == numbers.tobytes()
            assert found[1:] == (unit, holds)


@by_each_package
@pytest.mark.parametrize(
    ("texts", "holds"),
    [
        (["2024-02-29", None, "1969-12-31"], "date"),
        (["2024-02-29T12:30", "2024-02-29 12:30:01.5"], "datetime"),
        (["2024-02-29T12:30Z", "2024-02-29T12:30:00-05:30"], "datetime with zone"),
        (["2024-02-29", "2024-02-29T12:30"], None),
        (["2024-02-29T12:30", "2024-02-29T12:30Z"], None),
        (["2024-02-30"], None),
        ([None], None),
        ([], None),
    ],
)
def test_moments_of_one_sort_are_read(core, columns, texts, holds):
    for column in columns(texts, 1):
        found = core.moments(column.__arrow_c_stream__())
        assert (found and found[2]) == holds


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not there")
def test_what_holds_no_texts_is_refused(core):
    import pyarrow as pa

    for column in (pa.chunked_array([[1, 2]]), pa.chunked_array([pa.array(["a"]).dictionary_encode()])):
        with pytest.raises(ValueError, match="must hold texts"):
            core.coded_texts(column.__arrow_c_stream__())
    stream = pa.chunked_array([["a"]]).__arrow_c_stream__()
    core.coded_texts(stream)
    with pytest.raises(ValueError, match="taken already"):
        core.coded_texts(stream)
