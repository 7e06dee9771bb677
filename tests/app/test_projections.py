"""Estimators in which each feature answers by itself, on the command line."""

import json

import pytest

from nearwise import ProjectionClassifier, load


@pytest.mark.parametrize("method", ["projections", "projections:gr", "cfp", "one-r"])
def test_a_model_is_fitted_asked_and_explained(nearwise, play, tmp_path, method):
    fitted = nearwise("fit", play, "--target", "class", "--weights", method, "--out", "model")
    assert (fitted.code, fitted.out) == (0, "")
    asked = nearwise("predict", "model", play, "--proba", "--json")
    assert asked.code == 0
    assert {"prediction"} < set(asked.json[0])
    why = nearwise("explain", "model", play, "--rows", "0", "--json", "--html", "why.html").json[0]
    assert {f["feature"] for f in why["features"]} == set(load(tmp_path / "model").schema_.names)
    assert "of the answer" in (tmp_path / "why.html").read_text(encoding="utf-8")
    shown = nearwise("explain", "model", play, "--rows", "0")
    assert "of the answer" in shown.out


def test_settings_go_to_the_estimator(nearwise, play, tmp_path):
    options = ("--weights", "projections:none", "--k", 2, "--ties", "index", "--missing", "value")
    done = nearwise("fit", play, "--target", "class", "--out", "model", "--json", *options)
    assert done.json["k"] == 2
    model = load(tmp_path / "model")
    assert isinstance(model, ProjectionClassifier)
    assert (model.feature_weights, model.ties, model.missing) == ("none", "index", "value")


def test_they_are_compared_with_other_methods_and_their_weights_shown(nearwise, play):
    done = nearwise(
        "evaluate", play, "--target", "class", "--cv", 2, "--weights", "none,projections,cfp,one-r", "--json",
        "--report", "report.html",
    )  # fmt: skip
    assert [r["method"] for r in done.json["methods"]] == ["none", "projections", "cfp", "one-r"]
    shown = nearwise("weights", play, "--target", "class", "--weights", "projections", "--json")
    assert json.loads(shown.out)["shape"] == "global"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--weights", "projections", "--vote", "distance"), "'projections' has no vote"),
        (("--weights", "projections:grr"), "There is no weighting 'grr' for projections. Did you mean 'gr'?"),
        (("--weights", "cfp", "--k", "3"), "'cfp' has no n_neighbors"),
        (("--weights", "projection"), "Did you mean 'projections'?"),
        (("--weights", "one-r:gr"), "There is no weighting 'one-r:gr'"),
        (("--weights", "projections", "--k", "loo"), "--k loo"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(nearwise, play, arguments, message):
    done = nearwise("fit", play, "--target", "class", "--out", "model", *arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_there_is_no_plan_where_nothing_is_searched(nearwise, play):
    done = nearwise("doctor", play, "--target", "class", "--weights", "projections")
    assert done.code == 2
    assert "searches no cases" in done.err
