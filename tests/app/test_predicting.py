"""predict: answers part by part are those of the whole file, and are scored where the truth is known."""

import pytest

from nearwise import load
from nearwise.app import asking
from nearwise.app.output import csv_text
from nearwise.app.rows_out import rows_out
from nearwise.cases.readers import read
from nearwise.cases.readers.parts import read_parts
from nearwise.errors import InputError
from tests.spreadsheets import package


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of 60 bytes, as if the files were large."""
    small = lambda path, size, **settings: read_parts(path, size=60, **settings)  # noqa: E731
    monkeypatch.setattr(asking, "read_parts", small)


@pytest.fixture
def model(nearwise, play):
    assert nearwise("fit", play, "--target", "class", "--out", "m.nearwise").code == 0
    return "m.nearwise"


def test_parts_have_the_answers_of_the_whole(nearwise, model, play, small_parts, monkeypatch):
    in_parts = nearwise("predict", model, play, "--proba")
    to_file = nearwise("predict", model, play, "--proba", "--out", "a.csv")
    as_json = nearwise("predict", model, play, "--json")
    monkeypatch.undo()
    monkeypatch.chdir(play.parent)
    whole = nearwise("predict", model, play, "--proba")
    assert (in_parts.out, in_parts.err) == (whole.out, whole.err)
    assert in_parts.out.count("prediction") == 1
    assert to_file.out == ""
    assert (play.parent / "a.csv").read_text() == whole.out
    assert as_json.json == nearwise("predict", model, play, "--json").json


def test_the_model_knows_its_target_and_scores_by_it(nearwise, model, play):
    assert load(play.parent / model).target_name_ == "class"
    done = nearwise("predict", model, play)
    truth = read(play, "class")[1]
    answers = [line.split(",")[1] for line in done.out.splitlines()[1:]]
    right = sum(int(a) == t for a, t in zip(answers, truth, strict=True))
    assert done.err.startswith(f"score: {right} of 16 are right by column 'class', accuracy {right / 16:.1%}, balanced")


def test_another_column_can_hold_the_truth(nearwise, model, play):
    play.write_text(play.read_text().replace("class", "really"))
    assert nearwise("predict", model, play).err == "not used: really\n"
    assert "by column 'really'" in nearwise("predict", model, play, "--target", "really").err
    refused = nearwise("predict", model, play, "--target", "other")
    assert refused.code == 2
    assert "play.csv has no such column" in refused.err


def test_numbers_are_scored_by_their_errors(nearwise, play):
    nearwise("fit", play, "--target", "heat", "--regression", "--out", "n.nearwise")
    done = nearwise("predict", "n.nearwise", play)
    assert done.err.startswith("score: MAE ")
    assert "R2 " in done.err


def test_rows_without_the_truth_do_not_count(nearwise, model, play):
    lines = play.read_text().splitlines()
    play.write_text("\n".join([*lines[:3], lines[3].rsplit(",", 1)[0] + ","]) + "\n")
    done = nearwise("predict", model, play)
    assert "of 2 are right" in done.err
    assert "(1 rows have no class)" in done.err


def test_an_error_in_a_later_part_names_the_line_of_the_file(nearwise, model, play, small_parts):
    play.write_text(play.read_text() + "x,sun,1,01\n")
    done = nearwise("predict", model, play, "--out", "answers.csv")
    assert done.code == 2
    assert "play.csv, line 18, column 'heat'" in done.err
    assert not (play.parent / "answers.csv").exists()
    assert not list(play.parent.glob(".answers*"))


# ------------------------------------------------------------------------------------------------- the parts themselves


def same(path, size, **settings):
    """Whether the parts together are the whole; gives their number."""
    whole, parts = read(path, **settings), list(read_parts(path, size=size, **settings))
    for name in whole.names:
        assert [v for part in parts for v in part.column(name).objects()] == whole.column(name).objects()
    places = [part.where(i) for part in parts for i in range(part.n)]
    assert places == [whole.where(i) for i in range(whole.n)]
    return len(parts)


ROWS = [(i, f"word {i}", i / 7) for i in range(50)]


@pytest.mark.parametrize("sep", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_is_cut_at_line_ends(tmp_path, sep, end):
    path = tmp_path / "t.csv"
    lines = [sep.join(["n", "word", "x"]), *(sep.join(map(str, row)) for row in ROWS)]
    path.write_text(end.join(lines) + end, newline="")
    assert same(path, 200) > 4
    assert same(path, 200, header=True, sep=sep) > 4
    path.write_text(end.join(lines[1:]), newline="")
    assert same(path, 200, header=False) > 4


def test_json_lines_and_parquet_are_cut_too(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"n": {n}, "word": "{word}", "x": {x}}}\n' for n, word, x in ROWS))
    assert same(path, 300) > 4
    pa = package("pyarrow")
    parquet = package("pyarrow.parquet")
    table = pa.table({"n": [r[0] for r in ROWS], "word": [r[1] for r in ROWS]})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert same(tmp_path / "t.parquet", 160) == 5


@pytest.mark.parametrize(
    "text",
    [
        'n,word\n1,"a\nb"\n2,c\n3,d\n4,e\n5,f\n',
        'n,word\n1,a"b\n2,"c"\n3,"d\ne"\n4,e\n',
        '"n\nm",word\n1,a\n2,b\n3,c\n',
        "n,word\r1,a\r2,b\r3,c\r",
        "\nn,word\n1,a\n2,b\n3,c\n",
    ],
)
def test_what_is_in_doubt_is_read_as_a_whole(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    assert same(path, 12) <= 2


def test_parquet_holds_the_answers_that_csv_holds(nearwise, model, play, small_parts):
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("a.parquet", "a.csv"):
        assert nearwise("predict", model, play, "--proba", "-o", name).code == 0
    held = parquet.read_table(play.parent / "a.parquet").to_pydict()
    rows = list(zip(*held.values(), strict=True))
    assert csv_text(list(held), rows) == (play.parent / "a.csv").read_text()
    assert nearwise("neighbors", model, play, "-o", "near.parquet").code == 0
    assert parquet.read_table(play.parent / "near.parquet").column_names[:4] == ["row", "rank", "case", "distance"]


def test_what_parquet_does_not_take_is_one_sentence_and_no_file(tmp_path):
    pytest.importorskip("pyarrow")

    def written():
        with rows_out(tmp_path / "a.parquet") as tell:
            tell(["row"], [[1]])
            tell(["row"], [["one"]])

    with pytest.raises(InputError, match=r"a column holds values of several types.*name a \.csv"):
        written()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "name", "more", "told"),
    [
        ("predict", "a.xlsx", (), "expected a name that ends in .csv, .parquet or .json"),
        ("neighbors", "a.ods", (), "expected a name that ends in .csv, .parquet or .json"),
        ("predict", "a.json", (), "a JSON file takes --json, too"),
        ("neighbors", "a.csv", ("--json",), "a CSV file takes no --json"),
    ],
)
def test_a_name_that_promises_another_format_is_refused(nearwise, model, play, command, name, more, told):
    done = nearwise(command, model, play, "-o", name, *more)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not (play.parent / name).exists()
