"""A file to learn from and a file to test: one line, as with TiMBL."""

import pytest


def test_timbl_files_are_compared_in_one_line(nearwise, dimin):
    done = nearwise(
        "evaluate", "--train", dimin, "--test", dimin.with_suffix(".test"), "--weights", "gr", "--k", 1, "--json"
    )  # fmt: skip
    assert done.code == 0, done.err
    (gr,) = done.json["methods"]
    assert round(gr["pooled"] * 950) == 918  # TiMBL has 919; docs/timbl.md tells which one and why


@pytest.fixture
def parts(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("on,n,y\ntrue,1,u\nfalse,2,v\ntrue,3,u\nfalse,8,v\n")
    test.write_text("y,n,on\nu,1.5,TRUE\nu,9,False\n")
    return train, test


def test_columns_of_the_test_are_found_by_name_and_read_as_those_learned_from(nearwise, parts):
    asked = ("--weights", '{"on": 1, "n": 0}', "--k", 1, "--json")
    weights = parts[0].with_name("w.json")
    weights.write_text(asked[1])
    done = nearwise(
        "evaluate", "--train", parts[0], "--test", parts[1], "--target", "y", "--weights", weights, *asked[2:]
    )
    assert done.code == 0, done.err
    assert done.json["methods"][0]["pooled"] == 0.5  # on: TRUE is u, which is right; False is v, which is not


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--train", "train.csv"), "--test is missing"),
        ((), "Name one FILE"),
        (("train.csv", "--train", "train.csv", "--test", "test.csv"), "Name one FILE"),
        (("--train", "train.csv", "--test", "test.csv"), "--target is missing"),
        (("--train", "train.csv", "--test", "test.csv", "--target", "y", "--cv", "3"), "leave --cv"),
        (("--train", "train.csv", "--test", "less.csv", "--target", "y"), "less.csv has no column 'n'"),
        (("--train", "train.csv", "--test", "more.csv", "--target", "y"), "--ignore z"),
        (("--train", "train.csv", "--test", "word.csv", "--target", "y"), "word.csv, line 2, column 'n'"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_named(nearwise, parts, asked, told):
    parts[0].with_name("less.csv").write_text("y,on\nu,true\n")
    parts[0].with_name("more.csv").write_text("y,on,n,z\nu,true,1,1\n")
    parts[0].with_name("word.csv").write_text("y,on,n\nu,true,word\n")
    done = nearwise("evaluate", *asked)
    assert done.code == 2
    assert told in done.err


@pytest.mark.parametrize("names", [("a.train", "b.test"), ("b.test", "a.train")])
def test_features_that_only_one_sparse_file_names_are_zero_in_the_other(nearwise, tmp_path, names):
    (tmp_path / "a.train").write_text("(1,1)X\n(2,1)Y\n(1,1)X\n(2,1)Y\n")
    (tmp_path / "b.test").write_text("(2,1)Y\n(1,1)(5,1)X\n")
    done = nearwise("evaluate", "--train", names[0], "--test", names[1], "--weights", "none", "--k", 1, "--json")
    assert done.code == 0, done.err
    assert done.json["methods"][0]["pooled"] == 1.0


def test_a_model_of_sparse_cases_takes_features_that_a_query_leaves_out_as_zero(nearwise, tmp_path):
    (tmp_path / "a.train").write_text("(1,1)X\n(2,1)Y\n(1,1)(3,1)X\n(2,1)Y\n")
    (tmp_path / "b.test").write_text("(1,1)?\n")
    assert nearwise("fit", "a.train", "--target", "class", "--weights", "none", "--out", "m").code == 0
    done = nearwise("predict", "m", "b.test")
    assert done.out == "row,prediction\n0,X\n", done.err
