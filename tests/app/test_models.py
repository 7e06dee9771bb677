"""fit, predict and explain: from files to answers, with columns found by name."""

import csv
import json
import re
from io import StringIO

import pytest

from nearwise import AutoClassifier, AutoRegressor, KNNClassifier, load, read


@pytest.fixture
def model(nearwise, play, tmp_path):
    path = tmp_path / "play.nearwise"
    assert nearwise("fit", play, "--target", "class", "--out", path).code == 0
    return path


def rows(done):
    return list(csv.DictReader(StringIO(done.out)))


def test_a_mixed_table_goes_through_fit_predict_and_explain(nearwise, garage, tmp_path):
    path, schema = garage
    model = tmp_path / "cars.nearwise"
    done = nearwise("fit", path, "--target", "price_band", "--schema", schema, "--out", model)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(f": wrote {model}\n")

    answers = nearwise("predict", model, path, "--proba")
    assert answers.code == 0
    assert re.fullmatch(r"score: \d+ of 60 are right by column 'price_band', accuracy .*\n", answers.err)
    table = [json.loads(line) for line in path.read_text().splitlines()]
    bands = [car.pop("price_band") for car in table]
    known = json.loads(schema.read_text())["features"]
    expected = KNNClassifier(schema=known, random_state=0).fit(table, bands)
    assert [row["prediction"] for row in rows(answers)] == expected.predict(table).tolist()
    assert [float(row["p(budget)"]) for row in rows(answers)] == expected.predict_proba(table)[:, 0].tolist()

    why = nearwise("explain", model, path, "--rows", "2,5-6", "--json", "--html", tmp_path / "why.html").json
    assert [w["query"] for w in why] == [2, 5, 6]
    for told in why:
        for n in told["neighbours"]:
            assert sum(n["contributions"].values()) == pytest.approx(n["distance"] ** told["p"])
    assert (tmp_path / "why.html").read_text().count("class=card") == 3


@pytest.mark.parametrize("target", ["class", "heat"])
def test_an_auto_model_is_fitted_asked_and_explained(nearwise, play, target):
    numbers = () if target == "class" else ("--regression",)
    done = nearwise("fit", play, "--target", target, "--weights", "auto", *numbers, "--out", "m.nearwise")
    assert (done.code, done.out) == (0, "")
    assert "weights auto, a member of weight " in done.err
    X, y = read(play, target, schema={"class": "symbolic"})
    make = AutoRegressor if numbers else AutoClassifier
    expected = make(random_state=0).fit(X, y)
    answers = rows(nearwise("predict", "m.nearwise", play, *(() if numbers else ("--proba",))))
    assert [row["prediction"] for row in answers] == [str(v) for v in expected.predict(X).tolist()]
    if not numbers:
        assert [float(row["p(02)"]) for row in answers] == expected.predict_proba(X)[:, 1].tolist()

    why = nearwise("explain", "m.nearwise", play, "--rows", "3-4", "--json", "--html", "why.html").json
    for told, row in zip(why, (3, 4), strict=True):
        answer = told["distribution"].get(told["prediction"], told["prediction"])
        assert sum(told["parts"].values()) == pytest.approx(answer)
        assert str(told["prediction"]) == answers[row]["prediction"]
        assert sum(member["weight"] for member in told["members"]) == pytest.approx(1)
    assert nearwise("explain", "m.nearwise", play, "--rows", "3", "--k", "2").out.startswith("query 3 → ")


def test_fit_as_json_tells_what_was_chosen(nearwise, play):
    def told(method):
        return nearwise("fit", play, "--target", "class", "--weights", method, "--out", "m.nearwise", "--json").json

    X, y = read(play, "class", schema={"class": "symbolic"})
    assert (told("default")["weights"], told("default")["k"]) == ("default", KNNClassifier().fit(X, y).n_neighbors_)
    auto = told("auto")
    assert auto["k"] is None
    assert sum(member["weight"] for member in auto["members"]) == pytest.approx(1)


def test_explain_tells_what_an_answer_is_made_of(nearwise, garage):
    path, schema = garage
    nearwise("fit", path, "--target", "price_band", "--schema", schema, "--out", "m.nearwise")
    shown = nearwise("explain", "m.nearwise", path, "--rows", "0", "--html", "why.html").out
    assert "similar cases, the nearest is case" in shown.splitlines()[1]
    assert "adds up to" in (path.parent / "why.html").read_text()


def test_classes_are_text_exactly_as_in_the_file(nearwise, model, play):
    assert load(model).classes_.tolist() == ["01", "02"]
    assert {row["prediction"] for row in rows(nearwise("predict", model, play))} == {"01", "02"}


def test_columns_are_found_by_name_and_others_are_left_out(nearwise, model, play, tmp_path):
    asked = tmp_path / "asked.csv"
    asked.write_text("sky,note,class,wind,heat\nsun,x,,2,3\nrain,y,,1,12\n")
    done = nearwise("predict", model, asked)
    assert done.err == "not used: note\nNo row has a value in column 'class': nothing to score.\n"
    assert [row["prediction"] for row in rows(done)] == ["01", "02"]


def test_a_missing_column_is_an_error_with_the_nearest_name(nearwise, model, tmp_path):
    (tmp_path / "asked.csv").write_text("heat,sky,winds\n1,sun,2\n")
    done = nearwise("predict", model, "asked.csv")
    assert (done.code, done.out) == (2, "")
    assert "no column 'wind'" in done.err
    assert "Did you mean 'winds'?" in done.err


def test_symbols_that_look_like_numbers_mean_the_same_in_every_format(nearwise, tmp_path):
    (tmp_path / "cases.jsonl").write_text(
        "".join(f'{{"zip": {i % 3}, "class": "{"abc"[i % 3]}"}}\n' for i in range(12))
    )
    (tmp_path / "asked.csv").write_text("zip\n2\n0\n1\n")
    fitted = nearwise("fit", "cases.jsonl", "--target", "class", "--kind", "zip=symbolic", "--out", "m.nearwise")
    assert fitted.code == 0
    assert [row["prediction"] for row in rows(nearwise("predict", "m.nearwise", "asked.csv"))] == ["c", "a", "b"]


def test_predictions_go_to_a_file_or_to_standard_output(nearwise, model, play, tmp_path):
    done = nearwise("predict", model, play, "--out", "answers.csv")
    assert done.out == ""
    assert done.err.startswith("wrote answers.csv\nscore: ")
    assert (tmp_path / "answers.csv").read_text() == nearwise("predict", model, play).out
    as_json = nearwise("predict", model, play, "--proba", "--json").json
    assert set(as_json[0]) == {"row", "prediction", "p(01)", "p(02)"}


def test_labels_name_the_cases(nearwise, play, tmp_path):
    nearwise("fit", play, "--target", "class", "--label", "heat", "--out", "m.nearwise")
    done = nearwise("predict", "m.nearwise", play, "--label", "heat")
    assert next(iter(rows(done)[3].items())) == ("heat", "3")
    why = nearwise("explain", "m.nearwise", play, "--label", "heat", "--rows", "4", "--json").json[0]
    assert why["query"] == 4
    assert "heat" not in why["neighbours"][0]["contributions"]


def test_explain_shows_the_first_rows_and_says_so(nearwise, model, play):
    done = nearwise("explain", model, play)
    assert done.out.count(" → ") == 5
    assert "The first 5 of 16 rows; --rows all explains every one." in done.err
    assert len(nearwise("explain", model, play, "--rows", "all", "--json").json) == 16
    assert "what differs" in done.out


def test_explain_takes_another_number_of_neighbours(nearwise, model, play):
    why = nearwise("explain", model, play, "--rows", "0", "--k", "2", "--json").json[0]
    assert len(why["neighbours"]) == 2


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("16", "there is no row 16, the file has rows 0 to 15"),
        ("x", "got 'x'"),
        ("1-", "got '1-'"),
        (",", "names no row"),
    ],
)
def test_rows_that_are_not_there_are_refused(nearwise, model, play, rows, sentence):
    done = nearwise("explain", model, play, "--rows", rows)
    assert done.code == 2
    assert sentence in done.err


def test_numbers_are_predicted_on_request(nearwise, play, tmp_path):
    assert nearwise("fit", play, "--target", "heat", "--regression", "--k", "1", "--out", "m.nearwise").code == 0
    assert {float(r["prediction"]) for r in rows(nearwise("predict", "m.nearwise", play))} <= {
        float(i) for i in range(16)
    }
    assert "no shares of classes" in nearwise("predict", "m.nearwise", play, "--proba").err
    assert "query 1 → " in nearwise("explain", "m.nearwise", play, "--rows", "1").out


def test_rows_of_one_group_are_one_case(nearwise, tmp_path):
    lines = [f"m{i // 2},{i // 2 + i % 2},{i // 2},{'ab'[i // 2 % 2]},{'yes' if i < 12 else 'no'}" for i in range(24)]
    (tmp_path / "rows.csv").write_text("\n".join(["molecule,x,y,side,class", *lines]) + "\n")
    grouped = ("--group-by", "molecule")
    assert nearwise("fit", "rows.csv", "--target", "class", *grouped, "--out", "m.nearwise").code == 0
    assert load(tmp_path / "m.nearwise").schema_.names == ("x…y", "side")
    done = nearwise("predict", "m.nearwise", "rows.csv", *grouped)
    assert done.code == 0, done.err
    assert rows(done)[0]["molecule"] == "m0"
    assert len(rows(done)) == 12


def test_fit_as_json_says_what_was_learned(nearwise, play, tmp_path):
    found = nearwise("fit", play, "--target", "class", "--out", "m.nearwise", "--json").json
    assert found["cases"] == 16
    assert found["classes"] == ["01", "02"]
    assert found["k"] == load(tmp_path / "m.nearwise").n_neighbors_


def test_the_model_answers_as_one_that_was_fitted_in_python(nearwise, model, play):
    X, y = read(play, "class", schema={"class": "symbolic"})
    assert [r["prediction"] for r in rows(nearwise("predict", model, play))] == KNNClassifier().fit(X, y).predict(
        X
    ).tolist()
