"""JSON in one piece and the formats of TiMBL."""

import json

import pytest

import nearwise

from .reading import refused


def contents(table):
    return {name: column.objects() for name, column in zip(table.names, table.columns, strict=True)}


# ------------------------------------------------------------------------------------------------------- JSON

CARS = {"age": [31, None, 7], "job": ["cook", "judge", None], "tags": [["a"], [], ["b", "c"]]}


@pytest.mark.parametrize(
    "written",
    [
        CARS,
        [dict(zip(CARS, row, strict=True)) for row in zip(*CARS.values(), strict=True)],
        {name: {str(i): value for i, value in enumerate(values)} for name, values in CARS.items()},
    ],
    ids=["columns", "objects", "by-row"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_arrays_of_objects_and_columns_are_the_same_table(file, written, indent):
    table = nearwise.read(file("t.json", json.dumps(written, indent=indent)))
    assert contents(table) == CARS
    assert table.where(1) == "t.json, case 2"


def test_an_absent_key_is_missing_as_in_json_lines(file):
    assert contents(nearwise.read(file("t.json", '[{"a": 1}, {"b": "x"}]'))) == {"a": [1, None], "b": [None, "x"]}


@pytest.mark.parametrize("form", ["t.json", "t.jsonl"])
@pytest.mark.parametrize(
    "values", [[None, "2024-01-31", None, "2024-02-01"], [None, 2**53 + 1, None, 7], [None, "x", "y", None]]
)
@pytest.mark.parametrize("kinds", [{}, {"b": nearwise.Symbolic()}])
def test_an_absent_key_is_what_null_is(file, form, values, kinds):
    cases = [{"a": i, "b": value} for i, value in enumerate(values)]
    absent = [{name: value for name, value in case.items() if value is not None} for case in cases]
    tables = []
    for name, written in (("null", cases), ("absent", absent)):
        lines = "\n".join(map(json.dumps, written)) if form == "t.jsonl" else json.dumps(written)
        tables.append(nearwise.read(file(f"{name}.{form}", lines), schema=kinds))
    null, found = tables
    assert contents(found) == contents(null)
    assert [column.written for column in found.columns] == [column.written for column in null.columns]
    if kinds:
        assert contents(found)["b"] == values


def test_one_long_line_is_no_limit_for_json(file):
    path = file("t.json", json.dumps([{"a": i} for i in range(100)]))
    assert nearwise.read(path, max_line=50).n == 100


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "t.json is empty"),
        ("[]", "expected [{"),
        ("7", "got '7'"),
        ("[1]", "t.json, case 1: expected an object, got '1'"),
        ('[{"a": 1},\n {"a": }]', "t.json, line 2, letter 8: not JSON"),
        ('{"a": 1}\n{"a": 2}', "format='jsonl'"),
        ('[{"a": 1, "a": 2}]', "the key 'a' stands twice"),
        ("[{}]", "without a single key"),
        ('{"a": 1}', "column 'a'"),
        ('{"a": [1, 2], "b": [3]}', "column 'b': expected 2 values as in the others, got 1"),
        ('{"a": []}', "no cases"),
        ("{}", "no cases"),
        ('[{"a": "\\ud800"}]', "half of a letter"),
        ("[" * 100_000, "cannot be read"),
        (b'[{"a": "\xe9"}]', "not utf-8"),
    ],
)
def test_json_that_is_no_table_is_refused(file, text, told):
    message = refused(file("t.json", text))
    assert message.startswith("t.json")
    assert told in message


def test_the_limits_hold_for_json(file):
    many = [{f"k{i}": 1} for i in range(20)]
    assert "max_absent" in refused(file("t.json", json.dumps(many)), max_absent=50)
    assert "max_columns" in refused(file("t.json", json.dumps(many)), max_columns=5)
    assert "max_columns" in refused(file("t.json", json.dumps(CARS)), max_columns=2)
    by_row = {f"c{i}": {str(i): 1} for i in range(20)}
    assert "max_absent" in refused(file("t.json", json.dumps(by_row)), max_absent=50)


# ------------------------------------------------------------------------------------------------------- TiMBL

WORDS = {"f1": ["a", "b", "a"], "f2": ["b", "NA", "d"], "f3": ["=", "?", "c"], "class": ["X", "Y", "X"]}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("timbl-c4.5", "a,b,=,X\nb,NA,?,Y.\n\na,d,c,X\n"),
        ("timbl-columns", "a b  = X\nb NA ? Y\na d c X\n"),
        ("timbl-tabbed", "a\tb\t=\tX\nb\tNA\t?\tY\na\td\tc\tX\n"),
        ("timbl-sparse", "(1,a)(2,b)(3,=)X\n(1,b)(2,NA)(3,?),Y\n(3,c)(1,a)(2,d)X.\n"),
    ],
)
def test_a_format_of_timbl_is_found_and_nothing_is_missing_in_it(file, form, text):
    path = file("words.train", text)
    table = nearwise.read(path)
    assert contents(table) == WORDS
    assert contents(nearwise.read(path, format=form)) == WORDS
    assert table.remarks == (() if form == "timbl-c4.5" else (f"words.train was read as {form}",))
    assert nearwise.read(path, "class")[1] == ["X", "Y", "X"]
    assert nearwise.read(path, missing=["?"]).column("f3").objects() == ["=", None, "c"]


def test_compact_values_have_a_width(file):
    assert contents(nearwise.read(file("t.train", "abX\ncdY\n"))) == {
        "f1": ["a", "c"], "f2": ["b", "d"], "class": ["X", "Y"],
    }  # fmt: skip
    two = nearwise.read(file("t.train", "aabbXX\nccddYY\n"), format="timbl-compact:2")
    assert contents(two) == {"f1": ["aa", "cc"], "f2": ["bb", "dd"], "class": ["XX", "YY"]}
    assert "values of 2 letters" in refused(file("t.train", "aab\n"), format="timbl-compact:2")


def test_what_sparse_and_binary_rows_leave_out_is_zero(file):
    assert contents(nearwise.read(file("t.train", "(2,a)X\n(1,7)(4,b)Y\n"))) == {
        "f1": [0, 7], "f2": ["a", "0"], "f3": [0, 0], "f4": ["0", "b"], "class": ["X", "Y"],
    }  # fmt: skip
    binary = nearwise.read(file("t.train", "1,3,X\n2,Y\n"), format="timbl-binary")
    assert contents(binary) == {"f1": [1, 0], "f2": [0, 1], "f3": [1, 0], "class": ["X", "Y"]}


@pytest.mark.parametrize(
    ("text", "form", "told"),
    [
        ("", "timbl", "is empty"),
        ("a,b,X\na,X\n", "timbl", "line 2: expected 3 values as in the first line, got 2"),
        ("a\n", "timbl-c4.5", "expected values and a class"),
        ("(1,a)X\n(1,a)\n", "timbl", "line 2: expected pairs and a class"),
        ("(1,a)(1,b)X\n", "timbl", "feature 1 stands there twice"),
        ("(0,a)X\n", "timbl", "there is a feature 0"),
        ("(900000,a)X\n", "timbl", "max_columns"),
        ("1,x,X\n", "timbl-binary", "got 'x'"),
        ("a,X\n", "timbl-nothing", "timbl-compact"),
        ("aX\n", "timbl-compact:0", "timbl-compact"),
    ],
)
def test_what_timbl_could_not_read_either_is_refused_with_its_line(file, text, form, told):
    assert told in refused(file("t.train", text), format=form)


def test_sparse_rows_meet_the_limit_of_what_they_leave_out(file):
    assert "max_absent" in refused(file("t.train", "".join(f"({i},a)X\n" for i in range(1, 40))), max_absent=100)


# ------------------------------------------------------------------------------------------------------- sheets


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.csv", "a\n1\n", "sheet='A': t.csv is read as csv, which has no sheets. Leave that out, or name a"),
        ("t.jsonl", '{"a": 1}\n', "t.jsonl is read as jsonl, which has no sheets"),
        (
            "t.sqlite",
            "",
            "t.sqlite is read as sqlite, which has no sheets. Leave that out, or ask for one of its tables",
        ),
    ],
)
def test_a_sheet_of_what_has_none_is_refused(file, name, text, told):
    assert told in refused(file(name, text), sheet="A")
