"""One door for tables: whatever they come as, the kinds and values are the same."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

import nearwise
from nearwise import Custom, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.frames import raw_table
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, SchemaError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

COLUMNS = {
    "number": [1.5, None, 3.0],
    "whole": [1, 2, 3],
    "holes": [1, None, 3],
    "flag": [True, None, False],
    "word": ["a", None, "b"],
    "day": [dt.date(2024, 1, 1), None, dt.date(2024, 1, 3)],
    "moment": [dt.datetime(2024, 1, 1, 12), None, dt.datetime(2024, 1, 2)],
    "vector": [[1.0, 2.0], None, [3.0, 4.0]],
    "tags": [["a", "b"], [], None],
    "shapes": [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], None],
}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
KINDS = {
    "number": Numeric(),
    "whole": Numeric(),
    "holes": Numeric(),
    "flag": Symbolic(),
    "word": Symbolic(),
    "day": Numeric(unit="days"),
    "moment": Numeric(unit="seconds"),
    "vector": Vector(),
    "tags": Set(members="symbols"),
    "shapes": Set(members="vectors"),
}


def plain(cases):
    """Values by name, with lists for arrays."""
    found = {}
    for j, name in enumerate(cases.schema.names):
        values = [cases.value(i, j) for i in range(len(cases))]
        found[name] = [v.tolist() if isinstance(v, np.ndarray) else v for v in values]
    return found


def one(frame):
    """The values of a table with one column, and its kind."""
    cases = CaseTable.of(frame)
    (name,) = cases.schema.names
    return plain(cases)[name], cases.schema[name]


@pytest.mark.parametrize(
    "make",
    [
        lambda: COLUMNS,
        lambda: RECORDS,
        lambda: pandas.DataFrame(COLUMNS),
        lambda: polars.DataFrame(COLUMNS),
        lambda: pyarrow.table(COLUMNS),
        lambda: pandas.DataFrame(COLUMNS).convert_dtypes(),
        lambda: raw_table(RECORDS),
    ],
    ids=["columns", "records", "pandas", "polars", "pyarrow", "nullable", "raw"],
)
def test_every_library_gives_the_same_kinds_and_values(make):
    cases = CaseTable.of(make())
    assert dict(cases.schema) == KINDS
    assert plain(cases) == {
        "number": [1.5, None, 3.0],
        "whole": [1.0, 2.0, 3.0],
        "holes": [1.0, None, 3.0],
        "flag": [True, None, False],
        "word": ["a", None, "b"],
        "day": [19723.0, None, 19725.0],
        "moment": [1704110400.0, None, 1704153600.0],
        "vector": [[1.0, 2.0], None, [3.0, 4.0]],
        "tags": [{"a", "b"}, set(), None],
        "shapes": [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], None],
    }
    assert set(cases.schema.guessed) == set(KINDS)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (lambda: pandas.array([1, None, 3], dtype="Int64"), [1.0, None, 3.0]),
        (lambda: pandas.array([1, 2], dtype="UInt8"), [1.0, 2.0]),
        (lambda: pandas.array([1.5, None], dtype="Float64"), [1.5, None]),
        (lambda: pandas.array([True, None], dtype="boolean"), [True, None]),
        (lambda: pandas.array(["a", None], dtype="string"), ["a", None]),
        (lambda: pandas.array([1, None], dtype="int64[pyarrow]"), [1.0, None]),
        (lambda: pandas.Categorical(["x", None, "y"], categories=["y", "x"]), ["x", None, "y"]),
        (lambda: pandas.Categorical([3, None, 1]), [3, None, 1]),
        (lambda: pandas.Categorical([2**53 + 1, None]), [2**53 + 1, None]),
        (lambda: pandas.cut([1.0, 5.0, np.nan], [0, 2, 9]), ["(0, 2]", "(2, 9]", None]),
        (lambda: np.array([pandas.NA, "q", np.nan, None], dtype=object), [None, "q", None, None]),
        (lambda: np.array([Decimal("1.5"), None], dtype=object), [1.5, None]),
    ],
)
def test_nullable_and_categorical_columns_of_pandas(values, expected):
    assert one(pandas.DataFrame({"a": values()}))[0] == expected


def test_times_of_pandas_with_and_without_a_zone_and_with_nat():
    stamps = pandas.to_datetime(["2024-01-01", None, "2024-01-02"])
    assert one(pandas.DataFrame({"a": stamps})) == (
        [1704067200.0, None, 1704153600.0],
        Numeric(unit="seconds"),
    )
    zoned = pandas.DataFrame({"a": stamps.tz_localize("Europe/Paris")})
    assert one(zoned)[0] == [1704063600.0, None, 1704150000.0]
    spans = pandas.DataFrame({"a": pandas.to_timedelta(["1h", None])})
    assert one(spans) == ([3600.0, None], Numeric(unit="seconds"))


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (
            lambda: polars.Series([[1, 2], None], dtype=polars.Array(polars.Int64, 2)),
            ([[1.0, 2.0], None], Vector()),
        ),
        (lambda: polars.Series(["a", None], dtype=polars.Categorical), (["a", None], Symbolic())),
        (lambda: polars.Series(["a", None], dtype=polars.Enum(["b", "a"])), (["a", None], Ordinal(("b", "a")))),
        (lambda: polars.Series([float("nan"), 1.0]), ([None, 1.0], Numeric())),
        (lambda: polars.Series([dt.time(1), None]), ([3600.0, None], Numeric(unit="seconds"))),
        (
            lambda: polars.Series([dt.datetime(2024, 1, 1), None]).dt.replace_time_zone("Europe/Paris"),
            ([1704063600.0, None], Numeric(unit="seconds")),
        ),
        (lambda: polars.Series([["a", None], ["b"]]), ([{"a"}, {"b"}], Set(members="symbols"))),
    ],
)
def test_columns_of_polars(series, expected):
    assert one(polars.DataFrame({"a": series()})) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (lambda: pyarrow.array(["a", None, "b"]).dictionary_encode(), (["a", None, "b"], Symbolic())),
        (lambda: pyarrow.array([[1, 2], None]), ([[1.0, 2.0], None], Vector())),
        (
            lambda: pyarrow.array([[1, 2], None], pyarrow.list_(pyarrow.float32(), 2)),
            ([[1.0, 2.0], None], Vector()),
        ),
        (lambda: pyarrow.array([1, None], pyarrow.uint64()), ([1.0, None], Numeric())),
        (lambda: pyarrow.array([0, None], pyarrow.date32()), ([0.0, None], Numeric(unit="days"))),
        (
            lambda: pyarrow.array([10**9, None], pyarrow.timestamp("ns", tz="UTC")),
            ([1.0, None], Numeric(unit="seconds")),
        ),
    ],
)
def test_columns_of_pyarrow(array, expected):
    assert one(pyarrow.table({"a": array()})) == expected


def test_arrays_of_numpy():
    cases = CaseTable.of(np.array([[1, 2], [3, 4]]))
    assert (cases.schema.names, plain(cases)) == (("x0", "x1"), {"x0": [1.0, 3.0], "x1": [2.0, 4.0]})
    assert one(np.array([[True], [False]])) == ([True, False], Symbolic())
    assert one(np.array([["a"], ["b"]])) == (["a", "b"], Symbolic())
    assert one(np.array([["2024-01-01"], ["NaT"]], dtype="M8[D]")) == ([19723.0, None], Numeric(unit="days"))
    assert one(np.array([["2024-01-01"]], dtype="M8[ms]")) == ([1704067200.0], Numeric(unit="seconds"))
    assert one({"a": np.array([3600, "NaT"], dtype="m8[s]")}) == ([3600.0, None], Numeric(unit="seconds"))
    mixed = CaseTable.of(np.array([[1, "a"], [2.5, None]], dtype=object))
    assert plain(mixed) == {"x0": [1.0, 2.5], "x1": ["a", None]}
    structured = CaseTable.of(np.array([(1, "a")], dtype=[("n", int), ("s", "U1")]))
    assert plain(structured) == {"n": [1.0], "s": ["a"]}
    assert one({"a": np.eye(2)}) == ([[1.0, 0.0], [0.0, 1.0]], Vector())


def test_a_number_column_with_few_values_stays_numeric():
    assert one({"a": [0, 1] * 50})[1] == Numeric()
    assert one(pandas.DataFrame({"a": [0.0, 1.0] * 50}))[1] == Numeric()


def test_booleans_strings_and_categories_are_symbolic():
    for values in ([True, False], ["a", "b"], [True, 2], ["a", 1]):
        assert one({"a": values})[1] == Symbolic()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[1, 2], [3, 4]], Vector()),
        ([(1, 2), (3, 4)], Vector()),
        ([[1, 2], [3]], Set(members="symbols")),
        ([[1, "a"], [3, 4]], Set(members="symbols")),
        ([{1, 2}, {3, 4}], Set(members="symbols")),
        ([[True, False], [False, True]], Set(members="symbols")),
        ([[[1, 2]], [[3, 4], [5, 6]]], Set(members="vectors")),
        ([[], []], Set(members="symbols")),
    ],
)
def test_lists_are_vectors_or_sets_by_their_members(values, kind):
    assert one([{"a": v} for v in values])[1] == kind


def test_missing_members_are_no_members():
    assert one([{"a": ["x", None, float("nan")]}, {"a": []}])[0] == [{"x"}, set()]


def test_objects_without_a_difference_need_a_custom_kind():
    table = [{"a": {"k": 1}}, {"a": {"k": 2}}]
    with pytest.raises(SchemaError, match=r"Custom\(function\).*ignore=\['a'\]"):
        CaseTable.of(table)
    cases = CaseTable.of(table, schema={"a": Custom(lambda a, b: abs(a["k"] - b["k"]))})
    assert cases.value(1, 0) == {"k": 2}


def test_a_column_that_differs_in_every_case_is_reported():
    table = {
        "id": [f"r{i}" for i in range(12)],
        "key": range(12),
        "x": [i / 7 for i in range(12)],
        "s": ["a"] * 12,
    }
    assert set(CaseTable.of(table).schema.remarks) == {"id", "key"}
    assert not CaseTable.of({"id": ["a", "b", "c"]}).schema.remarks


def test_ignored_columns_are_left_out_and_told():
    cases = CaseTable.of(COLUMNS, ignore=["shapes", "tags"])
    assert cases.schema.ignored == ("shapes", "tags")
    assert "tags" not in cases.schema.names
    with pytest.raises(SchemaError, match="Did you mean 'word'"):
        CaseTable.of(COLUMNS, ignore=["wrd"])


def test_the_index_of_the_frame_labels_the_cases():
    frame = pandas.DataFrame({"a": [1, 2, 3]}, index=["p", "q", "r"])
    assert [CaseTable.of(frame).label(i) for i in range(3)] == ["p", "q", "r"]
    assert CaseTable.of(frame.reset_index(drop=True)).labels is None
    assert CaseTable.of(frame.reset_index(drop=True).iloc[1:]).labels == (1, 2)
    assert raw_table(frame).take([2, 0]).labels == ("r", "p")
    with pytest.raises(InputError, match="case 'q'"):
        CaseTable.of(frame.assign(a=[1, np.inf, 2]))


def test_names_that_are_no_strings_count_as_positions():
    table = raw_table(pandas.DataFrame([[1, 2]]))
    assert (table.names, table.named) == (("x0", "x1"), False)
    with pytest.raises(TypeError, match="string"):
        raw_table(pandas.DataFrame([[1, 2]], columns=["a", 1]))


def test_what_is_no_dense_table_is_refused_with_the_way_out():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        CaseTable.of(sparse.csr_matrix(np.eye(2)))
    for given, told in (
        ("cars.csv", r"nearwise\.read"),
        (polars.DataFrame({"a": [1]}).lazy(), r"collect\(\)"),
        (pandas.Series([1, 2]), r"to_frame\(\)"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "same name"),
        ({"a": [1], "b": [1, 2]}, "different lengths"),
        ({"a": [1], 1: [2], "1": [3]}, "same name"),
        ([{"a": 1}, [2]], "Case 1"),
        ([[1, 2], [3]], "ragged"),
        (np.zeros(3), "2D"),
    ):
        with pytest.raises(InputError, match=told):
            CaseTable.of(given)
    with pytest.raises(ValueError, match="Complex"):
        CaseTable.of([{"a": 1j}])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"], Numeric()),
        ([1.0, float("inf")], Numeric()),
        ([1, 10**400], Numeric()),
        (["1", 10**400], Numeric()),
        ([[1], [2]], Numeric()),
        ([dt.date(2024, 1, 1), "x"], Numeric()),
        ([1.0, 2.0], Vector()),
        ([[1, 2], [1]], Vector()),
        ([[1, 2], [1, "x"]], Vector()),
        ([[[1, 2], [3]], [1]], Vector()),
        ([[1, float("inf")]], Vector()),
        ([1.0, 2.0], Set()),
        (["ab", "c"], Set()),
        ([[["a"]], []], Set(members="symbols")),
        ([["a"], ["b"]], Set(members="vectors")),
        ([[[1, 2]], []], Set(members="vectors")),
        ([[[1, 2]], [[1]]], Set(members="vectors")),
        ([[[1, 2], [3]]], Set(members="vectors")),
        ([[[1, float("nan")]]], Set(members="vectors")),
        ([[1], [2]], Symbolic()),
        (["low", "mid"], Ordinal(levels=("low", "high"))),
        ([dt.date(2024, 1, 1)], Numeric(unit="fortnights")),
    ],
)
def test_a_value_that_does_not_fit_its_kind_is_named(values, kind):
    with pytest.raises(InputError, match="'a'"):
        CaseTable.of([{"a": v} for v in values], schema={"a": kind})


def test_given_kinds_win():
    table = {"zip": [1, 2, 1], "grade": ["lo", "hi", None], "note": ["x", 5, None], "when": COLUMNS["moment"]}
    schema = {
        "zip": "symbolic",
        "grade": Ordinal(levels=("lo", "hi")),
        "note": Text(),
        "when": Numeric(unit="hours"),
    }
    cases = CaseTable.of(table, schema=schema)
    assert cases.columns[0].levels == (1, 2)
    assert cases.columns[1].values.tolist() == [0, 1, -1]
    assert cases.columns[2].values.tolist() == ["x", "5", None]
    assert cases.value(0, 3) == 1704110400 / 3600
    assert not cases.schema.guessed


def test_times_keep_their_unit_in_later_tables():
    cases = CaseTable.of({"when": [dt.date(2024, 1, 1)]}, schema={"when": Numeric(missing="ignore")})
    assert cases.schema["when"] == Numeric(unit="days", missing="ignore")
    later = CaseTable.like({"when": [dt.datetime(2024, 1, 2, 12)]}, cases.schema)
    assert later.value(0, 0) == 19724.5


def test_queries_are_found_by_name_and_may_hold_more():
    cases = CaseTable.of({"a": [1, 2], "s": ["x", "y"]})
    queries = CaseTable.like({"extra": [1], "s": ["z"], "a": [3]}, cases.schema)
    assert plain(queries) == {"a": [3.0], "s": ["z"]}
    with pytest.raises(SchemaError, match="column 's' is missing"):
        CaseTable.like({"a": [3]}, cases.schema)
    both = cases.append(queries)
    assert plain(both) == {"a": [1.0, 2.0, 3.0], "s": ["x", "y", "z"]}


def test_raw_tables_drop_and_find_columns():
    table = raw_table(COLUMNS)
    assert table.drop(["word"]).shape == (3, len(COLUMNS) - 1)
    assert table.take(np.array([True, False, True])).column("whole").objects() == [1, 3]
    assert table.take([2, 0]).column("word").objects() == ["b", "a"]
    with pytest.raises(SchemaError, match="Did you mean 'word'"):
        table.column("wort")


def test_neither_pandas_nor_polars_is_required():
    program = (
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('pandas', 'polars', 'sklearn'): raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
        "import pyarrow\n"
        "from nearwise import Schema\n"
        "print(Schema.infer([{'a': 1, 's': 'x'}])['s'], Schema.infer(pyarrow.table({'a': [1, None]}))['a'])\n"
        "import numpy\n"
        "print(Schema.infer(numpy.eye(2)).names)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["Symbolic() Numeric()", "('x0', 'x1')"]


def test_plain_tables_do_not_even_load_narwhals():
    program = (
        "import sys, nearwise\n"
        "nearwise.Schema.infer({'a': [1, 2]})\n"
        "print([name for name in ('narwhals', 'pandas', 'polars', 'sklearn') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert nearwise.Schema.infer({"a": [1, 2]}).names == ("a",)


@pytest.mark.parametrize("order", ["C", "F"])
def test_writing_into_an_array_later_does_not_change_the_table(order):
    given = np.array([[1.0, 2.0], [3.0, 4.0]], order=order)
    table = raw_table(given)
    given[:] = 0
    assert [column.numbers.tolist() for column in table.columns] == [[1.0, 3.0], [2.0, 4.0]]
