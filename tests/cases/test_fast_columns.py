"""Columns of one sort each, as real files have them: the fast reader gives what the exact reader gives."""

from importlib.util import find_spec

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import nearwise
from nearwise import Numeric, Symbolic
from nearwise.cases.readers import fast_csv, parsed_columns
from nearwise.errors import NearwiseError

COLUMNS = {
    "decimals": ["1.5", "-2.25", "0.001", "1e3", "-2.5E-3", "1e-300", "123456789.125", "0.1", "00.5", "-0.5"],
    "whole numbers": ["1", "0", "7", "-12", "123456", "9007199254740991"],
    "codes": ["00501", "10001", "007"],
    "quoted numbers": ['"1.5"', '"2"', "3.25"],
    "words": ["a", "b c", "é", " d", "e ", "10x", "1920x1080", "0001-x", "nanny", "infix", "-", "+"],
    "quoted words": ['"a,b"', '"say ""hi"""', '"\'"', "c", '"d "'],
    "long words": ["w" * 12, "w" * 13, "é" * 40, "w" * 200, '"' + "," * 70 + '"'],
    "days": ["2024-02-29", "1969-12-31", "1000-01-01", "9999-12-31", '"2000-01-01"'],
    "times": ["2024-02-29T12:30", "1969-12-31 23:59:59.999999", "2000-01-01T00:00:01"],
    "times with a zone": ["2024-02-29T12:30Z", "2024-02-29 12:30:01.25+05:30", "1970-01-01T00:00:00-0100"],
    "days and times": ["2024-02-29", "2024-02-29T12:30"],
    "no days": ["2024-02-30", "2024-02-29", "2024-1-1", " 2024-01-01", "2024-01-01T24:00", "2024-01-01 10"],
    "true and false": ["true", "False", "TRUE"],
    "decimal commas": ['"1,5"', '"-2,25"', '"1.234,5"'],
    "nothing": ["", "NA"],
}
DOUBTED = {
    "signs": ["+5", "1", "-0", "+.5"],
    "no numbers": ["nan", "NaN", "1.5", "NAN", "-nan"],
    "too large": ["inf", "1", "-Infinity", "1e400", "1e-400", "9007199254740993", "99999999999999999999"],
    "blanks": [" 3", "4 ", "\t5", "\u00a06", " NA "],
    "as programs write": ["1_000", '"0x"', "0x10", "-0x10", "1.", ".5", "٣"],
}
GAPS = ["", "NA", "?", "nan", '""', '"NA"']
by_each_package = pytest.mark.parametrize(
    "package",
    [
        pytest.param(
            package, marks=pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")
        )
        for package in fast_csv._PARSERS
    ],
)


def told(path, **settings):
    table = nearwise.read(path, **settings)
    columns = [(c.sort, c.unit, c.holds, c.whole, c.remark, list(map(repr, c.objects()))) for c in table.columns]
    return table.names, columns, table.labels, table.remarks, [table.where(i) for i in range(table.n)]


def column_of(sorts):
    return st.sampled_from(sorted(sorts)).flatmap(
        lambda sort: st.tuples(
            st.lists(st.sampled_from(sorts[sort]), min_size=12, max_size=12), st.sampled_from([0, 0, 3, 9])
        )
    )


def written(columns, gaps, mark, end, last):
    """The text of a file in which a column has a gap at every so many rows."""
    rows = [
        ",".join(gaps[(i + j) % len(gaps)] if every and i % every == 1 else values[i] for j, (values, every) in columns)
        for i in range(12)
    ]
    return mark + end.join([",".join("abc"), *rows]) + (end if last else "")


def tables(sorts):
    return st.builds(
        written,
        st.lists(column_of(sorts), min_size=3, max_size=3).map(lambda columns: list(enumerate(columns))),
        st.permutations(GAPS), st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"]), st.booleans(),
    )  # fmt: skip


settings_of_files = st.sampled_from([{}, {"schema": {"b": Symbolic()}}, {"sep": ","}])


@by_each_package
@given(text=tables(COLUMNS), settings=settings_of_files, native=st.booleans())
@example(text="a,b,c\n" + "1920x1080,2024-01-01,\n" * 2, settings={}, native=True)
def test_columns_of_one_sort_are_read_fast_and_alike(tmp_path_factory, package, text, settings, native):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(fast_csv, "_FROM", 1 << 60)
        exact = told(path, **settings)
        monkeypatch.setattr(fast_csv, "_FROM", 0)
        monkeypatch.setattr(fast_csv, "_PARSERS", {package: fast_csv._PARSERS[package]})
        monkeypatch.setattr("nearwise.cases.readers.csv._exact_columns", None)  # not to be called
        if not native:
            monkeypatch.setenv("NEARWISE_NATIVE", "0")
        assert told(path, **settings) == exact


@by_each_package
@given(
    text=tables(COLUMNS | DOUBTED), settings=settings_of_files | st.just({"schema": {"a": Numeric()}}),
    native=st.booleans(), sample=st.sampled_from([40, parsed_columns._SAMPLE]),
    blank=st.sampled_from([0, 0, 9]),
)  # fmt: skip
def test_whatever_stands_in_columns_is_read_alike(tmp_path_factory, package, text, settings, native, sample, blank):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    lines = text.splitlines(keepends=True)
    path.write_text("".join([*lines[:blank], *["\n"] * (blank > 0), *lines[blank:]]), encoding="utf-8", newline="")
    found = []
    for least in (0, 1 << 60):
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setattr(fast_csv, "_FROM", least)
            monkeypatch.setattr(fast_csv, "_PARSERS", {package: fast_csv._PARSERS[package]})
            monkeypatch.setattr(parsed_columns, "_SAMPLE", sample)
            if not native:
                monkeypatch.setenv("NEARWISE_NATIVE", "0")
            try:
                found.append(told(path, **settings))
            except NearwiseError as error:
                found.append(str(error))
    assert found[0] == found[1]
