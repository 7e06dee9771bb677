"""What comes in stays what it was: large integers, masks, the order of categories, dates; or it is refused."""

import datetime as dt
import enum
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise
from nearwise import Cyclic, KNNClassifier, NearestCases, Numeric, Ordinal, Schema, Set, Symbolic, Vector
from nearwise.cases.frames import raw_table
from nearwise.cases.integers import lost_in_array, lost_in_list, lost_in_texts
from nearwise.cases.readers.group import group_rows
from nearwise.cases.table import CaseTable
from nearwise.cases.times import SECONDS, as_time, from_times, in_words
from nearwise.errors import InputError, SchemaError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

BIG = 2**53
IDS = [BIG, BIG + 1, BIG + 2, -BIG - 1]


def values_of(table, **settings):
    cases = CaseTable.of(table, **settings)
    return [cases.value(i, 0) for i in range(len(cases))]


# ------------------------------------------------------------------ integers


def tables_of(integers):
    """The same integers by every way in; holes where the way allows them."""
    with_hole = [*integers, None]
    return {
        "columns": {"a": integers},
        "records": [{"a": v} for v in integers],
        "holes": [{"a": v} for v in with_hole],
        "array": {"a": np.array(integers)},
        "matrix": np.array([[v] for v in integers]),
        "rows": [[v] for v in integers],
        "mixed rows": [[v] for v in integers] + [[0.5]],
        "objects": np.array([[v] for v in integers], dtype=object),
        "pandas": pandas.DataFrame({"a": integers}),
        "nullable": pandas.DataFrame({"a": pandas.array(with_hole, dtype="Int64")}),
        "series": {"a": pandas.Series(integers)},
        "polars": polars.DataFrame({"a": with_hole}),
        "pyarrow": pyarrow.table({"a": with_hole}),
        "decimals": {"a": [Decimal(v) for v in integers]},
    }


def name_of(table):
    return CaseTable.of(table, schema={raw_table(table).names[0]: Symbolic()}).schema.names[0]


@pytest.mark.parametrize("way", list(tables_of([1])))
def test_integers_beyond_2_53_are_exact_as_symbols_and_refused_as_numbers(way):
    table = tables_of(IDS)[way]
    name = name_of(table)
    assert values_of(table, schema={name: Symbolic()})[:4] == IDS
    for settings in ({}, {"schema": {name: Numeric()}}, {"schema": {name: Cyclic(24)}}):
        with pytest.raises(InputError, match=rf"'{name}' holds {BIG + 1} .*2\^53.*Symbolic\(\).*ignore="):
            CaseTable.of(table, **settings)


@pytest.mark.parametrize("way", list(tables_of([1])))
def test_large_integers_that_are_floats_are_taken(way):
    integers = [BIG, 2**60, -(2**62)]
    assert values_of(tables_of(integers)[way])[:3] == [float(v) for v in integers]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arff", "parquet"])
def test_files_with_large_integers(tmp_path, suffix):
    path = tmp_path / f"ids.{suffix}"
    lines = {
        "csv": ["a,b", *(f"{v},x" for v in IDS)],
        "jsonl": [f'{{"a": {v}, "b": "x"}}' for v in IDS],
        "arff": ["@relation r", "@attribute a numeric", "@attribute b {x}", "@data", *(f"{v},x" for v in IDS)],
    }
    if suffix == "parquet":
        polars.DataFrame({"a": IDS, "b": ["x"] * len(IDS)}).write_parquet(path)
    else:
        path.write_text("\n".join(lines[suffix]) + "\n")
    with pytest.raises(InputError, match=f"'a' holds {BIG + 1}"):
        CaseTable.of(nearwise.read(path))
    symbols = CaseTable.of(nearwise.read(path, schema={"a": Symbolic()}), schema={"a": Symbolic()})
    assert sorted(int(level) for level in symbols.columns[0].levels) == sorted(IDS)
    assert CaseTable.of(nearwise.read(path), schema={"a": Symbolic()}).value(1, 0) == BIG + 1
    assert CaseTable.of(nearwise.read(path), ignore=["a"]).schema.names == ("b",)


def test_integers_of_all_sizes_of_numpy_and_beyond():
    for values, kind in (([2**64 - 1, 2**64 - 2], np.uint64), ([2**63 - 1, -(2**63) + 1], np.int64)):
        assert values_of({"a": np.array(values, dtype=kind)}, schema={"a": Symbolic()}) == values
        assert values_of(np.array([[v] for v in values], dtype=kind), schema={"x0": Symbolic()}) == values
    for values in ([2**63, -1, BIG + 1], [10**30, 10**30 + 1], [10**400, 10**400 + 1]):
        assert values_of([[v] for v in values], schema={"x0": Symbolic()}) == values
    assert lost_in_array(np.array([2**31 - 1], dtype=np.int32), np.array([2.0**31 - 1])) is None


def test_queries_and_further_cases_beyond_2_53_are_refused_too():
    fitted = NearestCases(1).fit([[BIG], [0]])
    with pytest.raises(InputError, match=str(BIG + 1)):
        fitted.kneighbors([[BIG + 1]])
    exact = NearestCases(1, schema={"x0": Symbolic()}).fit([[BIG], [BIG + 1]])
    assert exact.kneighbors([[BIG + 1]])[1].tolist() == [[1]]
    assert exact.kneighbors(np.array([[BIG + 1]]))[0].tolist() == [[0.0]]


def test_rows_of_a_table_keep_their_exact_integers():
    table = raw_table({"a": [1, BIG + 1, 3, BIG + 3]})
    assert table.take([3, 0, 1, 1]).columns[0].objects() == [BIG + 3, 1, BIG + 1, BIG + 1]
    assert table.take([2, 0]).columns[0].lost is None


def test_vectors_and_sets_of_vectors_refuse_such_integers():
    for kind, value in ((Vector(), [1, BIG + 1]), (Set(members="vectors"), [[1, BIG + 1]])):
        for made in (value, np.array(value)):
            with pytest.raises(InputError, match=str(BIG + 1)):
                CaseTable.of([{"a": made}], schema={"a": kind})
    groups = raw_table({"g": ["u", "u"], "a": [1, BIG + 1]})
    with pytest.raises(InputError, match=str(BIG + 1)):
        group_rows(groups, "g")
    assert values_of([{"a": [BIG + 1]}], schema={"a": Set(members="symbols")}) == [{BIG + 1}]


def test_a_column_of_large_identifiers_can_be_ignored_and_is_remarked():
    ids = [BIG + i for i in range(12)]
    table = {"id": ids, "x": [i % 3 for i in range(12)]}
    assert CaseTable.of(table, ignore=["id"]).schema.names == ("x",)
    assert "identifier" in CaseTable.of({"a": [str(i) for i in ids]}).schema.remarks["a"]


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=6))
def test_what_is_lost_is_what_python_finds_unequal(integers):
    numbers = np.array([float(v) for v in integers])
    expected = [i for i, v in enumerate(integers) if v != float(v)]
    texts = [str(v) for v in integers]
    for lost in (lost_in_list(integers, numbers), lost_in_texts(texts, numbers)):
        assert ([] if lost is None else lost.rows.tolist()) == expected
        assert ([] if lost is None else lost.integers.tolist()) == [integers[i] for i in expected]
    small = [v for v in integers if -(2**63) <= v < 2**63]
    held = lost_in_array(np.array(small, dtype=np.int64), np.array([float(v) for v in small]))
    assert ([] if held is None else held.integers.tolist()) == [v for v in small if v != float(v)]


# --------------------------------------------------------------------- masks


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), [1.0, None, 3.0]),
        (np.ma.array([1, 2, BIG + 1], mask=[0, 0, 1]), [1.0, 2.0, None]),
        (np.ma.array([True, False, True], mask=[0, 1, 0]), [True, None, True]),
        (np.ma.array(["a", "b", "c"], mask=[0, 1, 0]), ["a", None, "c"]),
        (np.ma.array(["a", 2, "c"], mask=[0, 1, 0], dtype=object), ["a", None, "c"]),
        (np.ma.array(["2024-01-01"] * 3, mask=[0, 1, 0], dtype="M8[D]"), [19723.0, None, 19723.0]),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0], dtype="m8[s]"), [1.0, None, 3.0]),
        (np.ma.array([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
    ],
)
def test_masked_values_are_missing(array, expected):
    assert values_of({"a": array}) == expected
    assert values_of(array[:, None]) == expected
    assert values_of([{"a": v} for v in array]) == expected
    structured = np.ma.zeros(3, dtype=[("a", array.dtype)])
    structured["a"] = array
    assert values_of(structured) == expected


def test_masked_rows_and_vectors():
    rows = [np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.array([3.0, 4.0])]
    for given_rows in (rows, tuple(rows)):
        cases = CaseTable.of(given_rows)
        assert [[cases.value(i, j) for j in (0, 1)] for i in (0, 1)] == [[1.0, None], [3.0, 4.0]]
    cases = CaseTable.of({"v": rows})
    assert cases.schema["v"] == Vector()
    assert (cases.value(0, 0), cases.value(1, 0).tolist()) == (None, [3.0, 4.0])
    stacked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    assert CaseTable.of({"v": stacked}).columns[0].missing.tolist() == [True, False]


def test_a_masked_case_is_one_with_a_hole():
    X = np.ma.array([[0.0, 1.0], [4.0, 2.0], [9.0, 3.0]], mask=[[0, 0], [1, 0], [0, 0]])
    holes = np.where(np.ma.getmaskarray(X), np.nan, X.data)
    masked, plain = (KNNClassifier(1, "none").fit(table, list("aab")) for table in (X, holes))
    assert np.array_equal(masked.kneighbors(X)[0], plain.kneighbors(holes)[0])


# -------------------------------------------------------------------- orders


ORDER = ["low", "mid", "high"]


@pytest.mark.parametrize(
    "make",
    [
        lambda v: pandas.DataFrame({"a": pandas.Categorical(v, ORDER, ordered=True)}),
        lambda v: {"a": pandas.Categorical(v, ORDER, ordered=True)},
        lambda v: {"a": pandas.Series(pandas.Categorical(v, ORDER, ordered=True))},
        lambda v: polars.DataFrame({"a": polars.Series(v, dtype=polars.Enum(ORDER))}),
        lambda v: {"a": polars.Series(v, dtype=polars.Enum(ORDER))},
        lambda v: pyarrow.table({"a": dictionary(v, ordered=True)}),
    ],
    ids=["pandas", "categorical", "series", "polars", "polars-series", "pyarrow"],
)
def test_categories_with_an_order_are_ordinal(make):
    cases = CaseTable.of(make(["high", None, "low"]))
    assert cases.schema["a"] == Ordinal(levels=tuple(ORDER))
    assert cases.schema.guessed["a"] == "categories with an order"
    assert [cases.value(i, 0) for i in range(3)] == ["high", None, "low"]
    near = NearestCases(3).fit(make(["low", "high", "mid"]))
    assert near.kneighbors(make(["low"]))[0].tolist() == [[0.0, 0.5, 1.0]]
    assert near.kneighbors([{"a": "low"}])[1].tolist() == [[0, 2, 1]]


def dictionary(values, ordered):
    codes = pyarrow.array([None if v is None else ORDER.index(v) for v in values], pyarrow.int8())
    return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(ORDER), ordered=ordered)


def test_categories_without_an_order_stay_symbolic():
    for table in (
        pandas.DataFrame({"a": pandas.Categorical(["b", "a"])}),
        polars.DataFrame({"a": polars.Series(["b", "a"], dtype=polars.Categorical)}),
        pyarrow.table({"a": dictionary(["low", "high"], ordered=False)}),
        pandas.DataFrame({"a": pandas.Categorical(["a", "a"], ordered=True)}),
    ):
        assert CaseTable.of(table).schema["a"] == Symbolic()
    ordered = pandas.DataFrame({"a": pandas.Categorical(["a", "b"], ["b", "a"], ordered=True)})
    assert CaseTable.of(ordered, schema={"a": Symbolic()}).schema["a"] == Symbolic()


def test_intervals_of_pandas_are_ordered_by_name_and_can_be_saved(tmp_path):
    table = pandas.DataFrame({"age": pandas.cut([5, 15, 25, 35], [0, 10, 20, 30, 40])})
    near = NearestCases(2).fit(table)
    assert near.schema_["age"].levels == ("(0, 10]", "(10, 20]", "(20, 30]", "(30, 40]")
    near.save(tmp_path / "m")
    again = nearwise.load(tmp_path / "m")
    assert again.kneighbors(table.iloc[[1]])[0].tolist() == near.kneighbors(table.iloc[[1]])[0].tolist()


# ------------------------------------------------------------------- objects


class Colour(enum.Enum):
    RED = 1


class Word(str):
    pass


UNKNOWN = [object(), Colour.RED, range(3), {"k": 1}]


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: type(value).__name__)
def test_objects_of_unknown_types_are_refused(value):
    for table, told in (([{"a": value}], ""), ([{"a": value}, {"a": "x"}], ""), ([{"a": [value, 1]}], "lists of ")):
        with pytest.raises(SchemaError, match=rf"'a' holds {told}\w+ values.*Custom\(function\).*ignore=\['a'\]"):
            CaseTable.of(table)
    assert CaseTable.of([{"a": value, "b": 1}], ignore=["a"]).schema.names == ("b",)


def test_known_types_may_be_mixed_as_symbols():
    for values in (["x", dt.date(2024, 1, 1)], [b"x", 2], [Word("u"), Word("v")], ["x", ("y", 1)], ["x", Decimal(1)]):
        assert CaseTable.of([{"a": v} for v in values]).schema["a"] == Symbolic()
    assert CaseTable.of([{"a": value} for value in (dt.date(2024, 1, 1), dt.time(3))]).schema["a"] == Symbolic()
    assert CaseTable.of([{"a": [dt.date(2024, 1, 1), "x"]}]).schema["a"] == Set(members="symbols")


def test_numpy_scalars_are_the_numbers_and_times_they_are():
    moment = dt.datetime(2024, 1, 1, 12)
    for unit in ("s", "ms", "us", "ns"):
        assert values_of([{"a": np.datetime64(moment, unit)}, {"a": None}]) == [1704110400.0, None]
        assert values_of({"a": [np.timedelta64(dt.timedelta(hours=1), unit)]}) == [3600.0]
    assert values_of({"a": [np.longdouble(1.5), np.float16(2), np.int8(3)]}) == [1.5, 2.0, 3.0]


# --------------------------------------------------------------------- dates


@pytest.mark.parametrize("unit", list(SECONDS))
@given(
    moment=st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(
        lambda m: m.replace(microsecond=m.microsecond // 1000 * 1000)
    )
)
def test_a_time_comes_back_from_its_number_in_every_unit(unit, moment):
    for value in (moment, moment.date(), moment.time(), moment - dt.datetime(1970, 1, 1)):
        numbers, own, holds = from_times([value])
        assert as_time(float(numbers[0]) * SECONDS[own] / SECONDS[unit], unit, holds) == value


def test_numbers_that_are_no_time_stay_numbers():
    assert as_time(1e300, "days", "date") == 1e300
    assert as_time(-5e6, "days", "datetime") == -5e6
    assert as_time(90000.0, "seconds", "time") == 90000.0
    assert as_time(19723.5, "days", "date") == dt.datetime(2024, 1, 1, 12)
    assert in_words(dt.datetime(2024, 1, 1, 12)) == "2024-01-01 12:00:00"
    assert in_words(19723.5) is None


def test_what_times_were_is_kept_in_the_schema_and_asked_for_by_name(tmp_path):
    schema = Schema.infer({"a": [dt.datetime(2024, 1, 1)], "b": [dt.timedelta(hours=1)], "c": [1]})
    assert [getattr(kind, "holds", None) for kind in schema.values()] == ["datetime", "timedelta", None]
    again = Schema.from_json(schema.to_json())
    assert [getattr(kind, "holds", None) for kind in again.values()] == ["datetime", "timedelta", None]
    assert schema["a"] == Numeric(unit="seconds")
    assert repr(schema["a"]) == "Numeric(unit='seconds')"
    with pytest.raises(SchemaError, match="Did you mean 'date'"):
        Numeric(unit="days", holds="dat")
    with pytest.raises(SchemaError, match="unit 'kg': expected one of seconds"):
        Numeric(unit="kg", holds="date")
