"""schema, methods, weights and evaluate: what they show, what they write as JSON, what they refuse."""

import json

import pytest

from nearwise import AutoClassifier, KNNClassifier, KNNRegressor, read
from nearwise.errors import InputError
from nearwise.lab.entrants import FEW
from nearwise.weighting import methods


def test_methods_lists_every_method_with_its_place(nearwise):
    done = nearwise("methods", "--json")
    assert done.code == 0
    assert [m["id"] for m in done.json] == list(methods())
    assert {"class", "shape", "bias", "weight_space", "reference", "summary"} <= set(done.json[0])
    shown = nearwise("methods").out
    assert all(m["class"] in shown and m["summary"] in shown and m["caution"] in shown for m in done.json)
    assert {m["id"] for m in done.json if m["caution"]} >= {"pcf", "cdw", "mdw", "forward"}


def test_methods_filters_by_dimension(nearwise):
    found = nearwise("methods", "--generality", "local", "--bias", "preset", "--json").json
    assert "mdw" in [m["id"] for m in found]
    assert {m["generality"] for m in found} == {"local"}
    nothing = nearwise("methods", "--knowledge", "intensive", "--bias", "feedback")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "No method stands there.\n")


def test_methods_offers_the_nearest_value_of_a_dimension(nearwise):
    done = nearwise("methods", "--bias", "presett")
    assert (done.code, done.out) == (2, "")
    assert done.err == "nearwise: --bias presett: expected preset or feedback. Did you mean 'preset'?\n"


def test_schema_shows_kinds_reasons_and_likely_identifiers(nearwise, play):
    done = nearwise("schema", play, "--target", "class", "--kind", "sky=symbolic")
    assert done.code == 0
    assert "guessed: numbers" in done.out
    assert "given" in done.out
    assert "class" not in done.out
    assert "heat: a different value in every case: likely an identifier" in done.err


def test_a_schema_can_be_saved_edited_and_passed_back(nearwise, play, tmp_path):
    found = nearwise("schema", play, "--target", "class", "--json").json
    found["features"]["wind"] = {"kind": "Symbolic"}
    found["ignored"] = ["heat"]
    del found["features"]["heat"]
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(found))
    again = nearwise("schema", play, "--target", "class", "--schema", edited, "--json").json
    assert {name: kind["kind"] for name, kind in again["features"].items()} == {"sky": "Symbolic", "wind": "Symbolic"}
    assert "wind" not in again["guessed"]


def test_kinds_are_given_in_words(nearwise, play):
    done = nearwise("schema", play, "--kind", "wind=ordinal:4:3:2:1:0,heat=cyclic:12", "--kind", "class=text", "--json")
    kinds = done.json["features"]
    assert kinds["wind"] == {"kind": "Ordinal", "levels": ["4", "3", "2", "1", "0"]}
    assert kinds["heat"] == {"kind": "Cyclic", "period": 12.0}
    assert kinds["class"]["kind"] == "Text"


@pytest.mark.parametrize("named", [(), ("--weights", "default")])
def test_weights_are_those_of_the_classifier_that_is_the_default(nearwise, play, named):
    done = nearwise("weights", play, "--target", "class", *named, "--json")
    X, y = read(play, "class", schema={"class": "symbolic"})
    expected = KNNClassifier().fit(X, y).feature_weights_
    assert (done.json["method"], done.json["shape"]) == ("default", "global")
    assert done.json["values"] == expected.values.tolist()


def test_weights_of_a_paper_s_method_are_those_of_the_classifier_with_it(nearwise, play):
    done = nearwise("weights", play, "--target", "class", "--weights", "mdw", "--json")
    X, y = read(play, "class", schema={"class": "symbolic"})
    assert done.json["method"] == "mdw"
    assert done.json["classes"] == ["01", "02"]
    assert done.json["values"] == KNNClassifier(1, "mdw").fit(X, y).feature_weights_.values.tolist()


def test_weights_of_auto_are_the_mean_of_its_members_and_can_be_used_again(nearwise, play, tmp_path):
    out = tmp_path / "w.json"
    done = nearwise("weights", play, "--target", "class", "--weights", "auto", "--json", "--out", out)
    X, y = read(play, "class", schema={"class": "symbolic"})
    expected = AutoClassifier(random_state=0).fit(X, y)
    assert done.json["values"] == expected.feature_importances_.tolist()
    assert "The members of auto have weights of their own" in done.err
    assert (
        nearwise("weights", play, "--target", "class", "--weights", out, "--json").json["values"]
        == (done.json["values"])
    )


def test_weights_are_shown_per_class_the_most_important_first(nearwise, play):
    lines = nearwise("weights", play, "--target", "class", "--weights", "mdw").out.splitlines()
    assert lines[0].split() == ["feature", "01", "02"]
    assert lines[1].startswith("heat")
    assert len(lines) == 4


@pytest.mark.parametrize(("method", "suffix"), [("mdw", "json"), ("ig", "json"), ("ig", "csv")])
def test_written_weights_can_be_used_again(nearwise, play, tmp_path, method, suffix):
    out = tmp_path / f"weights.{suffix}"
    first = nearwise("weights", play, "--target", "class", "--weights", method, "--out", out, "--json")
    assert first.err == f"wrote {out}\n"
    again = nearwise("weights", play, "--target", "class", "--weights", out, "--json")
    assert again.json["values"] == first.json["values"]


def test_weights_by_hand_may_name_some_features_only(nearwise, play, tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text('{"sky": 0}')
    assert nearwise("weights", play, "--target", "class", "--weights", mine, "--json").json["values"] == [1, 0, 1]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("w.json", "{", "it is not JSON"),
        ("w.json", "[1]", "expected an object"),
        ("w.json", '{"shape": "round"}', "not weights written by nearwise"),
        ("w.json", '{"skyy": 1}', "Did you mean 'sky'?"),
        ("w.csv", "a,b\n1,2\n", "expected columns 'feature' and 'weight'"),
        ("w.csv", "feature,weight\nsky,much\n", "a weight is not a number"),
        ("w.csv", "feature,class,weight\nsky,01,1\n", "only one weight per feature"),
        ("w.csv", "feature,weight\nsky,1\nheat,2\nsky,3\n", "names 'sky' twice"),
        ("w.json", '{"sky": 1, "sky": 2}', "names 'sky' twice"),
        ("w.json", "[" * 100_000, "it is not JSON"),
    ],
)
def test_a_file_that_holds_no_weights_is_refused(nearwise, play, tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    done = nearwise("weights", play, "--target", "class", "--weights", name)
    assert done.code == 2
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_evaluate_tells_accuracy_spread_and_what_differences_are_worth(nearwise, play):
    done = nearwise("evaluate", play, "--target", "class", "--weights", "none,mdw,ig", "--cv", "4")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[:5]] == ["method", "majority", "none", "mdw", "ig"]
    assert "4-fold stratified cross-validation on 16 cases" in done.err
    assert "corrected resampled t-test" in done.err


def test_evaluate_as_json(nearwise, play):
    found = nearwise("evaluate", play, "--target", "class", "--weights", "none,ig", "--cv", "4", "--json").json
    assert [m["method"] for m in found["methods"]] == ["none", "ig"]
    assert len(found["methods"][0]["scores"]) == len(found["methods"][0]["k"]) == 4
    assert found["differences"][0]["against"] == "none"
    assert found["baseline"]["mean"] == 0.5


def test_evaluate_says_which_method_cannot_work_and_why(nearwise, garage):
    path, schema = garage
    done = nearwise("evaluate", path, "--target", "price_band", "--schema", schema, "--weights", "none,ig", "--cv", "3")
    assert done.code == 0
    assert "ig: not applicable: " in done.out
    assert "'title'" in done.out


def test_evaluate_says_so_when_k_or_weights_were_given(nearwise, play, tmp_path):
    (tmp_path / "mine.json").write_text('{"sky": 0}')
    told = nearwise("evaluate", play, "--target", "class", "--weights", "none,mine.json", "--cv", "3", "--k", "3").err
    assert "with k = 3, weights and ranges were learned" in told
    assert "The weights of mine.json were given" in told


@pytest.mark.filterwarnings("ignore:relief-f")
def test_evaluate_without_names_compares_the_sensible_few_and_says_what_to_take(nearwise, play):
    found = nearwise("evaluate", play, "--target", "class", "--cv", "2", "--json").json
    assert [m["method"] for m in found["methods"]] == list(FEW[False])
    assert found["baseline"]["method"] == "majority class"
    assert found["take"]["method"] in FEW[False]
    assert found["take"]["why"].startswith(f"Take {found['take']['method']}, which is right in ")


def test_evaluate_shows_balanced_accuracy_and_ends_with_what_to_take(nearwise, play):
    done = nearwise("evaluate", play, "--target", "class", "--weights", "default,none", "--cv", "4")
    lines = done.out.splitlines()
    assert lines[0].split() == ["method", "accuracy", "±", "spread", "pooled", "balanced", "k", "seconds"]
    assert lines[-1].startswith("Take ")


def test_evaluate_mixes_names_ids_and_files(nearwise, play, tmp_path):
    (tmp_path / "mine.json").write_text('{"sky": 0}')
    names = ["gr", "default", "mine.json", "auto"]
    found = nearwise("evaluate", play, "--target", "class", "--weights", ",".join(names), "--cv", "2", "--json").json
    assert [m["method"] for m in found["methods"]] == names
    assert [m["k"] == [] for m in found["methods"]] == [False, False, False, True]


def test_evaluate_all_stands_for_every_method(nearwise, play, monkeypatch):
    asked = {}

    def compared(*given, **more):
        asked.update(given[2])
        raise InputError("enough")

    monkeypatch.setattr("nearwise.app.report.compare", compared)
    nearwise("evaluate", play, "--target", "class", "--weights", "gr,all")
    assert list(asked) == ["gr", "default", "auto", *(m for m in methods() if m not in ("user", "ebl", "gr"))]
    asked.clear()
    nearwise("evaluate", play, "--target", "heat", "--regression", "--weights", "all")
    assert {"default", "auto", "corr"} < set(asked)
    assert not [name for name in asked if name in methods() and methods()[name].needs_classes]


def test_a_method_that_compares_every_pair_is_left_out_of_the_few_on_many_cases(nearwise, play, monkeypatch):
    monkeypatch.setattr("nearwise.app.evaluate.MANY", 10)
    done = nearwise("evaluate", play, "--target", "class", "--k", "3", "--cv", "2", "--json")
    assert "relief-f is left out, for it compares every pair of 16 cases" in done.err
    assert [m["method"] for m in done.json["methods"]] == ["default", "none", "gr"]
    named = nearwise("evaluate", play, "--target", "class", "--weights", "none,relief-f", "--cv", "2", "--json")
    assert [m["method"] for m in named.json["methods"]] == ["none", "relief-f"]


def test_auto_takes_no_settings_and_says_so(nearwise, play):
    def told(command, *more):
        return nearwise(command, play, "--target", "class", *more)

    for done in (
        told("evaluate", "--weights", "none,auto", "--k", "3", "--vote", "majority"),
        told("fit", "--weights", "auto", "--k", "3", "--vote", "majority", "--out", "m.nearwise"),
        told("weights", "--weights", "auto", "--k", "3", "--vote", "majority"),
    ):
        assert (done.code, done.out) == (2, "")
        assert "--weights auto chooses by itself what --k, --vote sets: leave that out" in done.err
    done = told("evaluate", "--k", "3", "--cv", "2", "--json")
    assert "auto is left out: it chooses by itself what --k sets." in done.err
    assert [m["method"] for m in done.json["methods"]] == [m for m in FEW[False] if m != "auto"]


def test_names_of_methods_that_are_not_there_are_refused(nearwise, play):
    def told(command, *more):
        return nearwise(command, play, "--target", "class", *more).err

    assert "There is no weighting 'defualt'. Did you mean 'default'?" in told("evaluate", "--weights", "defualt")
    assert "There is no weighting 'atuo'. Did you mean 'auto'?" in told("weights", "--weights", "atuo")
    assert "--weights all: name one method here" in told("fit", "--weights", "all", "--out", "m.nearwise")
    assert "--weights names no method." in told("evaluate", "--weights", ",")


def test_evaluate_predicts_numbers_too(nearwise, play):
    found = nearwise("evaluate", play, "--target", "heat", "--regression", "--cv", "3", "--json").json
    assert found["measure"] == "mean absolute error"
    assert [m["method"] for m in found["methods"]] == list(FEW[True])
    assert "is off by" in found["take"]["why"]
    named = ("--weights", "default,corr")
    shown = nearwise("evaluate", play, "--target", "heat", "--regression", "--cv", "4", *named).out
    assert shown.splitlines()[0].split()[-3] == "R²"


def test_weights_know_regression(nearwise, play):
    X, y = read(play, "heat")
    for method in ("rrelief-f", "none", "sd", "mdw"):
        done = nearwise("weights", play, "--target", "heat", "--regression", "--weights", method, "--json")
        expected = KNNRegressor(1, method).fit(X, y).feature_weights_
        assert (done.code, done.json["values"]) == (0, expected.values.tolist())
    done = nearwise("weights", play, "--target", "heat", "--regression", "--json")
    assert done.json["method"] == "default"
    assert done.json["values"] == KNNRegressor().fit(X, y).feature_weights_.values.tolist()
    refused = nearwise("weights", play, "--target", "heat", "--regression", "--weights", "cdw")
    assert (refused.code, refused.out) == (2, "")
    assert "learns from classes" in refused.err


def test_evaluate_writes_a_report(nearwise, play, tmp_path):
    for names in ("none,default", "auto"):
        named = ("--weights", names, "--report", tmp_path / "r.html")
        done = nearwise("evaluate", play, "--target", "class", "--cv", "3", *named)
        assert done.err.endswith(f"wrote {tmp_path / 'r.html'}\n")
        text = (tmp_path / "r.html").read_text()
        assert "Methods compared" in text
        assert "<b>Take " in text
        assert "Learned by" in text


def test_settings_reach_the_estimator(nearwise, play):
    def weights(*more):
        return nearwise("weights", play, "--target", "class", "--json", *more)

    assert (
        weights("--missing", "wind=ignore", "--vote", "majority", "--ties", "index", "--k", "3", "--p", "2").code == 0
    )
    mdw = ("--weights", "mdw")
    assert weights(*mdw, "--differences", "heat=sigma").json["values"] != weights(*mdw).json["values"]
    assert "Did you mean 'fair'?" in weights("--ties", "fare").err
    assert "Did you mean 'ignore'?" in weights("--missing", "ignored").err
    assert "Did you mean 'mvdm'?" in weights("--differences", "mdvm").err
    assert "--k 0: expected a whole number" in weights("--k", "0").err
    assert "expected name=value" in weights("--missing", "wind=").err
    assert "vote" in weights("--vote", "loud").err
