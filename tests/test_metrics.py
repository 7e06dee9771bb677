"""The named metrics: one-line configurations, and what each of them measures."""

import math

import numpy as np
import pytest

import nearwise as nw
from nearwise import metrics
from nearwise.errors import InputError
from nearwise.weighting import methods

CASES = [{"age": 20.0, "job": "cook"}, {"age": 40.0, "job": "judge"}, {"age": None, "job": "cook"}]
KNOWN = [m for m in metrics.METRICS.values() if not isinstance(m.settings["feature_weights"], str)]
KNOWN += [m for m in metrics.METRICS.values() if m.settings["feature_weights"] in methods()]


@pytest.mark.parametrize("metric", KNOWN, ids=lambda m: m.name)
def test_every_metric_is_a_classifier_in_one_line(metric, tmp_path):
    rng = np.random.default_rng(0)
    y = ["pq"[i % 2] for i in range(30)]
    cases = {"age": rng.normal(size=30) + np.arange(30) % 2, "job": np.array(list("abc"))[rng.integers(0, 3, 30)]}
    clf = nw.KNNClassifier(3, **metric()).fit(cases, y)
    assert set(clf.predict(cases)) <= {"p", "q"}
    clf.save(tmp_path / "model")
    np.testing.assert_array_equal(nw.load(tmp_path / "model").kneighbors(cases)[0], clf.kneighbors(cases)[0])


def test_settings_can_be_changed_and_others_added():
    assert metrics.HVDM(feature_weights="mdw", n_neighbors=5) == {
        "feature_weights": "mdw", "differences": "hvdm", "p": 2, "n_neighbors": 5,
    }  # fmt: skip
    assert metrics.HVDM.settings["feature_weights"] == "none"


def test_a_metric_is_found_by_name_in_any_case_and_a_wrong_name_gets_a_hint():
    assert metrics.get("HVDM") is metrics.get("hvdm") is metrics.HVDM
    assert nw.metrics.OMVW is metrics.METRICS["omvw"]
    with pytest.raises(InputError, match="Did you mean 'hvdm'"):
        metrics.get("hvmd")


def test_gower_is_the_mean_over_what_is_known():
    """Age 30 is half the range from 20 and from 40: 1/2 over two features; without an age only the job counts."""
    near = nw.NearestCases(3, **metrics.Gower()).fit(CASES)
    found, indices = near.kneighbors([{"age": 30.0, "job": "cook"}], 3)
    assert dict(zip(indices[0].tolist(), found[0].tolist())) == {0: 0.25, 1: 0.75, 2: 0.0}


def test_heom_is_the_root_of_squares_with_unknown_values_at_one():
    near = nw.NearestCases(3, **metrics.HEOM()).fit(CASES)
    found, indices = near.kneighbors([{"age": 30.0, "job": "cook"}], 3)
    distances = dict(zip(indices[0].tolist(), found[0].tolist()))
    assert distances == {0: 0.5, 1: math.sqrt(1.25), 2: 1.0}


def test_om_counts_the_values_that_differ_and_mvdm_sums_without_a_root():
    cases, y = [{"a": "u", "b": "x"}, {"a": "v", "b": "x"}, {"a": "v", "b": "z"}], ["p", "q", "q"]
    om = nw.KNNClassifier(1, **metrics.OM()).fit(cases, y)
    assert om.kneighbors([{"a": "u", "b": "z"}], 3)[0].tolist() == [[1.0, 1.0, 2.0]]
    mvdm = nw.KNNClassifier(1, **metrics.MVDM()).fit(cases, y)
    assert mvdm.kneighbors([{"a": "u", "b": "x"}], 3)[0].tolist() == [[0.0, 2.0, 2.5]]


@pytest.mark.parametrize("name", ["hvdm", "heom", "ivdm"])
def test_the_command_line_knows_the_names(name, tmp_path):
    from typer.testing import CliRunner

    from nearwise.app.main import app

    rows = "\n".join(f"{i % 7}.5,{'abc'[i % 3]},{'pq'[i % 2]}" for i in range(40))
    (tmp_path / "cases.csv").write_text(f"age,job,says\n{rows}\n")
    model = str(tmp_path / "model")
    asked = ["fit", str(tmp_path / "cases.csv"), "--target", "says", "--differences", name, "--out", model]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert [m.difference.name for m in nw.load(model)._model.problem.metric.measures] == [name, name]
