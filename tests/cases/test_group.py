"""Grouping: rows of one group become one case with set-valued features."""

import pytest

import nearwise
from nearwise.cases.frames import raw_table
from nearwise.cases.readers import group_rows
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, ReadError, SchemaError

ROWS = """molecule,x,y,side,chiral,weight,class
m2,0,1,left,true,5,musk
m1,2,3.5,left,false,7,other
m2,4,5,right,,5,musk
m2,6,7,left,true,5,musk
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


def vectors(column, case):
    return [vector.tolist() for vector in column.values[case]]


def test_rows_of_one_group_become_one_case_in_order_of_appearance(path):
    X, y = nearwise.read(path, "class", group_by="molecule", keep=["weight"], set_name="shapes")
    assert X.labels == ("m2", "m1")
    assert y == ["musk", "other"]
    assert X.names == ("shapes", "side", "chiral", "weight")
    assert vectors(X.column("shapes"), 0) == [[0, 1], [4, 5], [6, 7]]
    assert vectors(X.column("shapes"), 1) == [[2, 3.5]]
    assert X.column("side").objects() == [{"left", "right"}, {"left"}]
    assert X.column("chiral").objects() == [{True}, {False}]
    assert X.column("weight").objects() == [5, 7]
    assert X.where(1) == "group 'm1' (rows.csv, line 3)"
    kinds = [repr(kind) for kind in CaseTable.of(X).schema.values()]
    assert kinds == [
        "Set(members='vectors')",
        "Set(members='symbols')",
        "Set(members='symbols')",
        "Numeric()",
    ]


def test_the_set_of_vectors_is_named_after_its_first_and_last_column(path):
    assert nearwise.read(path, "class", group_by="molecule")[0].names[0] == "x…weight"
    alone = nearwise.read(path, group_by="molecule", ignore=["y", "weight"])
    assert alone.names == ("x", "side", "chiral", "class")
    assert vectors(alone.column("x"), 0) == [[0], [4], [6]]


def test_frames_are_grouped_the_same_way(path):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    ours = nearwise.read(path, group_by="molecule", keep="class")
    for frame in (pandas.read_csv(path), polars.read_csv(path), pandas.read_csv(path).to_dict("list")):
        theirs = group_rows(frame, "molecule", keep="class")
        assert (theirs.names, theirs.labels) == (ours.names, ours.labels)
        assert vectors(theirs.column("x…weight"), 0) == vectors(ours.column("x…weight"), 0)
        assert theirs.column("side").objects() == ours.column("side").objects()
        assert theirs.column("class").objects() == ours.column("class").objects()


def test_numbers_that_the_schema_calls_symbols_become_a_set_of_symbols(path, tmp_path):
    schema = {"weight": "symbolic"}
    X = nearwise.read(path, group_by="molecule", schema=schema)
    assert X.column("weight").objects() == [{"5"}, {"7"}]
    lines = tmp_path / "rows.jsonl"
    lines.write_text('{"g": 1, "a": 1, "b": 2}\n{"g": 1, "a": 3, "b": 4}\n')
    X = nearwise.read(lines, group_by="g", schema={"b": "symbolic", "all": "Set"}, set_name="all")
    assert X.names == ("all", "b")
    assert X.column("b").objects() == [{2, 4}]
    assert X.labels == (1,)


def test_group_names_of_csv_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("g,a\n007,1\n7,2\n")
    assert nearwise.read(path, group_by="g").labels == ("007", "7")


def test_a_group_without_any_symbol_is_missing():
    table = group_rows({"g": [1, 1, 2], "a": [None, None, "x"]}, "g")
    assert table.column("a").objects() == [None, {"x"}]


def test_a_target_or_kept_column_that_varies_names_line_and_group(path):
    path.write_text(ROWS.replace("right,,5,musk", "right,,6,other"))
    with pytest.raises(InputError, match=r"rows\.csv, line 4, column 'class': expected 'musk' .* group 'm2'"):
        nearwise.read(path, "class", group_by="molecule")
    with pytest.raises(InputError, match=r"rows\.csv, line 4, column 'weight': expected 5 .* group 'm2' .* got 6"):
        nearwise.read(path, group_by="molecule", keep=["weight"])


def test_a_missing_number_in_a_member_vector_names_its_line(path):
    path.write_text(ROWS.replace("2,3.5", "2,"))
    with pytest.raises(InputError, match=r"rows\.csv, line 3, column 'y'"):
        nearwise.read(path, group_by="molecule")
    assert nearwise.read(path, group_by="molecule", ignore=["y"]).n == 2


def test_a_missing_group_or_target_names_its_line(path):
    path.write_text(ROWS.replace("m1,", "?,"))
    with pytest.raises(InputError, match=r"rows\.csv, line 3, column 'molecule'"):
        nearwise.read(path, group_by="molecule")
    path.write_text(ROWS.replace("other", ""))
    with pytest.raises(ReadError, match=r"rows\.csv, line 3, column 'class'"):
        nearwise.read(path, "class", group_by="molecule")


def test_what_cannot_be_grouped_says_the_way_out():
    table = {"g": [1, 1], "v": [[1, 2], [1, 2]], "x": [1.0, 2.0], "s": ["a", "b"]}
    with pytest.raises(SchemaError, match=r"ignore=\['v'\]"):
        group_rows(table, "g")
    assert group_rows(table, "g", keep=["v"]).column("v").objects() == [[1, 2]]
    with pytest.raises(SchemaError, match="'v' holds lists"):
        group_rows(table, "v")
    with pytest.raises(SchemaError, match="set_name"):
        group_rows(table, "g", keep=["v"], set_name="s")
    with pytest.raises(SchemaError, match="group_by names 'h'"):
        group_rows(table, "h")
    with pytest.raises(SchemaError, match="keep names 'w'"):
        group_rows(table, "g", keep=["w"])


def test_kept_vectors_of_numpy_are_compared_as_a_whole():
    import numpy as np

    table = raw_table({"g": [1, 1], "v": np.array([[1.0, 2.0], [1.0, 2.0]])})
    assert group_rows(table, "g", keep=["v"]).n == 1
    table = raw_table({"g": [1, 1], "v": np.array([[1.0, 2.0], [1.0, 3.0]])})
    with pytest.raises(InputError, match="group 1"):
        group_rows(table, "g", keep=["v"])


def test_musk_has_92_molecules(data_dir):
    X, y = nearwise.read(
        data_dir / "musk1.csv.gz",
        "class",
        group_by="molecule",
        ignore=["conformation"],
        set_name="conformations",
    )
    assert (X.shape, X.labels[0]) == ((92, 1), "MUSK-188")
    assert (y.count("musk"), y.count("non-musk")) == (47, 45)
    cases = CaseTable.of(X)
    assert repr(cases.schema["conformations"]) == "Set(members='vectors')"
    assert sum(len(cases.value(i, 0)) for i in range(92)) == 476
    assert {cases.value(i, 0).shape[1] for i in range(92)} == {166}
