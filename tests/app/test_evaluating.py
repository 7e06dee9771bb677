"""evaluate: protocols, measures, baselines, tests, the cache, and what it writes."""

import csv

import pytest

from nearwise.app import splitting
from nearwise.lab.baselines import BASELINES
from nearwise.lab.significance import TESTS


@pytest.fixture
def evaluated(nearwise, play):
    """Run evaluate on sixteen cases as JSON."""

    def run(*arguments, weights="none,ig", file=play):
        return nearwise("evaluate", file, "--target", "class", "--weights", weights, *arguments, "--json")

    return run


@pytest.mark.parametrize(
    ("arguments", "splits", "told"),
    [
        (("--cv", "4"), 4, "4-fold stratified cross-validation"),
        (("--cv", "4", "--repeats", "2"), 8, "4-fold stratified cross-validation, 2 times"),
        (("--protocol", "random"), 25, "25 random splits (a third to test)"),
        (("--protocol", "random", "--repeats", "3", "--test-size", "4"), 3, "3 random splits (4 to test)"),
        (("--protocol", "random", "--repeats", "2", "--test-size", "0.25", "--train-size", "0.5"), 2,
         "2 random splits (0.5 to learn from, 0.25 to test)"),
        (("--protocol", "leave-one-out"), 16, "leave-one-out"),
        (("--cv", "3", "--fold-size", "5"), 3, "3 folds of 5 cases, left-over cases unused"),
    ],
)  # fmt: skip
def test_protocols(evaluated, arguments, splits, told):
    found = evaluated(*arguments).json
    assert found["protocol"] == told
    assert [len(m["scores"]) for m in found["methods"]] == [splits, splits]
    assert f"{told[:1].upper()}{told[1:]} on 16 cases" in found["how"]


def test_a_column_names_the_folds_and_is_no_feature(evaluated, tmp_path):
    path = tmp_path / "folded.csv"
    rows = [f"{i},{'-1' if i % 4 == 3 else i % 4},{'a' if i < 8 else 'b'}" for i in range(16)]
    path.write_text("\n".join(["heat,fold,class", *rows]) + "\n")
    found = evaluated("--fold-column", "fold", file=path).json
    assert found["protocol"] == "the given folds"
    assert [len(m["scores"]) for m in found["methods"]] == [3, 3]
    report = tmp_path / "report.html"
    assert evaluated("--fold-column", "fold", "--report", report, file=path).code == 0
    assert "16 cases and 1 features" in report.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--protocol", "leave-one"), "--protocol leave-one: there is none. Did you mean 'leave-one-out'?"),
        (("--fold-column", "flod"), "--fold-column flod: there is no such column"),
        (("--test-size", "4"), "--test-size and --train-size are for --protocol random"),
        (("--cv", "5", "--fold-size", "9"), "5 folds of 9 cases do not fit into 16"),
        (("--protocol", "random", "--test-size", "1.5"), "a number of cases, or a share"),
        (("--measure", "accurcy"), "There is no measure 'accurcy' here. Did you mean 'accuracy'?"),
        (("--measure", "mae"), "There is no measure 'mae' here"),
        (
            ("--significance", "wilcoxen"),
            "--significance wilcoxen: expected one of corrected-t, wilcoxon, mcnemar, three-errors",
        ),
        (("--significance", "mcnemar", "--measure", "auc"), "goes with accuracy, not with auc"),
        (("--scores", "nowhere/scores.csv"), "there is no folder"),
        (("--measure", "auc", "--protocol", "leave-one-out"), "auc has no value in split 0"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(evaluated, arguments, sentence):
    done = evaluated(*arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_measures(evaluated, nearwise, play):
    found = evaluated("--measure", "log-loss", "--cv", "4").json
    assert found["measure"] == "log loss"
    assert found["methods"][0]["mean"] != found["methods"][0]["pooled"]
    assert "has log loss" in found["take"]["why"]
    shown = nearwise("evaluate", play, "--target", "class", "--weights", "none", "--measure", "brier", "--cv", "4").out
    assert shown.splitlines()[0].split()[:2] == ["method", "brier"]
    more = ("--regression", "--weights", "none,sd", "--measure", "rmse", "--cv", "4")
    numbers = nearwise("evaluate", play, "--target", "heat", *more, "--json").json
    assert numbers["measure"] == "rmse"
    assert numbers["methods"][0]["measures"]["mae"] <= numbers["methods"][0]["measures"]["rmse"]


@pytest.mark.parametrize("test", TESTS)
def test_every_test_says_which_it_is(evaluated, nearwise, play, test):
    found = evaluated("--significance", test, "--cv", "4").json
    assert found["differences"][0]["test"] == test
    assert TESTS[test].how in found["how"]
    assert ("cannot find any difference" in found["how"]) == (test == "wilcoxon")
    assert ("Holm" in found["how"]) == TESTS[test].corrected
    shown = nearwise("evaluate", play, "--target", "class", "--weights", "none,ig", "--cv", "4", "--significance", test)
    assert shown.code == 0
    assert ("standard errors" in shown.out) == (test == "three-errors")


def test_names_of_tests_and_protocols_are_in_the_help(nearwise):
    told = "".join(nearwise("evaluate", "--help").out.split())  # lines are broken at hyphens, too
    assert all(name in told for name in (*TESTS, *splitting.NAMES))


def test_baselines_stand_behind_the_methods(evaluated):
    pytest.importorskip("sklearn")
    found = evaluated("--baselines", "--cv", "2", "--jobs", "1", weights="none").json
    assert [m["method"] for m in found["methods"]] == ["none", *BASELINES]


def test_scores_are_written_as_csv_and_parquet(evaluated, tmp_path):
    done = evaluated("--cv", "4", "--scores", tmp_path / "s.csv")
    assert f"wrote {tmp_path / 's.csv'}" in done.err
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["method", "split", "measure", "score"]
    own = [float(r["score"]) for r in rows if (r["method"], r["measure"]) == ("ig", "accuracy")]
    assert own == done.json["methods"][1]["scores"]
    parquet = pytest.importorskip("pyarrow.parquet")
    evaluated("--cv", "4", "--scores", tmp_path / "s.parquet")
    table = parquet.read_table(tmp_path / "s.parquet").to_pydict()
    assert table["score"] == [float(r["score"]) for r in rows]
    assert table["split"] == [int(r["split"]) for r in rows]


def test_a_cache_is_filled_and_used_again(evaluated, tmp_path, monkeypatch):
    first = evaluated("--cv", "4", "--cache", tmp_path / "cells").json
    assert len(list((tmp_path / "cells").iterdir())) == 8

    def never(*_):
        raise AssertionError("a cell was computed again")

    monkeypatch.setattr("nearwise.lab.running.answer", never)
    again = evaluated("--cv", "4", "--cache", tmp_path / "cells").json
    assert again == first


def test_k_is_chosen_from_a_range(evaluated):
    found = evaluated("--cv", "2", "--k", "1-100", weights="none")
    assert found.code == 0
    assert all(1 <= k <= 8 for k in found.json["methods"][0]["k"])
    assert evaluated("--cv", "2", "--k", "2-3", weights="none").json["methods"][0]["k"][0] in (2, 3)
    for wrong in ("5-2", "a-b", "0-3"):
        assert evaluated("--cv", "2", "--k", wrong).code == 2


def test_a_time_limit_that_is_over_keeps_what_is_done_and_is_no_failure(nearwise, play, monkeypatch):
    from nearwise.app import report

    compare = report.compare
    monkeypatch.setattr(report, "compare", lambda *given, time_limit, **more: compare(*given, time_limit=1e-9, **more))
    asked = ("evaluate", play, "--target", "class", "--weights", "none,gr", "--jobs", "1", "--time-limit", "2")
    done = nearwise(*asked, "--report", "r.html")
    assert done.code == 0
    assert "seconds were over" in done.err
    assert "r.html is not written, for the comparison is not whole" in done.err
