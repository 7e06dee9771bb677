"""Every form that a parameter may have comes back with a saved estimator."""

import numpy as np
import pandas as pd
import pytest

import nearwise
from nearwise import KNNClassifier, Numeric, Schema, Symbolic
from nearwise.differences.symbolic import ValueDifference
from nearwise.differences.text import Levenshtein
from nearwise.errors import InputError
from nearwise.vote import Exponential, Gaussian
from nearwise.weighting import InformationGain, MeanDifference, UserWeights
from nearwise.weights import Directed, Global, Matrix, PerCase, PerClass, PerValue

X = np.array([[1.0, 5.0], [2.0, 5.0], [8.0, 4.0], [9.0, 4.5], [1.5, np.nan], [7.0, 1 / 3]])
Y = np.array(["a", "a", "b", "b", "a", "b"])
Q = np.array([[3.0, 5.0], [np.nan, 4.1], [6.0, 0.0]])


@pytest.mark.parametrize(
    "given",
    [
        "ig", InformationGain(bins=3), MeanDifference(per_class=False, pairs="distinct"), [2, 1], np.array([0.1, 0.7]),
        {"x1": 3}, UserWeights({"x0": 0.5}), Global([1, 2], ["x0", "x1"]),
        PerCase(np.arange(12).reshape(6, 2), ["x0", "x1"]),
        PerClass([[1, 2], [3, 4]], ["x0", "x1"], ["a", "b"], [0.5, 0.5]),
        Directed([[1, 2], [2, 1]], ["x0", "x1"]),
        Matrix([[1, -0.5], [0.5, 1], [0, 1 / 3]], ["x0", "x1"]), UserWeights(Global([1, 1 / 3], ["x0", "x1"])),
        PerValue([[0.5], [[0.1]][0]], ["x0", "x1"], [[], []]),
    ],
    ids=repr,
)  # fmt: skip
def test_every_form_of_feature_weights_comes_back(same, again, given):
    model = KNNClassifier(2, given).fit(X, Y)
    loaded = again(model)
    same(model, loaded, Q)
    assert type(loaded.weighting_) is type(model.weighting_)
    assert repr(loaded.weighting_) == repr(model.weighting_)


@pytest.mark.parametrize(
    "settings",
    [
        {"differences": "mvdm"}, {"differences": {"c": "mvdm-l1", "numeric": "sigma"}},
        {"differences": {"c": ValueDifference(1, threshold=2)}},
        {"differences": Levenshtein(normalised=False), "schema": {"t": nearwise.Text()}},
        {"schema": {"c": "symbolic", "n": Numeric()}}, {"schema": Schema({"c": Symbolic(difference="mvdm")})},
        {"schema": {"c": Symbolic(difference=ValueDifference(threshold=2))}}, {"schema": {"t": nearwise.Text()}},
        {"schema": {"c": Symbolic(difference={"name": "mvdm", "power": 1})}}, {"missing": {"n": "mean", "c": "ignore"}},
        {"ignore": ["t"]}, {"ignore": "t"}, {"vote": "linear"}, {"vote": Exponential(2.0, 0.5)}, {"vote": Gaussian()},
        {"class_weight": {"a": 2, "b": 0.5}}, {"class_weight": "balanced"}, {"p": 1.5}, {"p": np.float64(3)},
        {"scale": "sigma"}, {"scale": "none"}, {"n_neighbors": np.int64(2)}, {"engine": "reference", "n_jobs": 1},
        {"cases": "ib2"}, {"cases": "ib3", "random_state": 3}, {"case_weights": "pebls"},
        {"cases": "ib2", "case_weights": "pebls", "feature_weights": "none", "n_neighbors": "loo"},
    ],
    ids=str,
)  # fmt: skip
def test_every_form_of_a_parameter_comes_back(same, again, settings):
    rows = {"n": X[:, 0], "c": ["u", "v", "u", None, "w", "w"], "t": ["ab", "abc", "x", "ab", "", None]}
    settings = {"n_neighbors": 2, **settings}
    model = KNNClassifier(**settings).fit(rows, Y)
    same(model, again(model), {"n": [3.0], "c": ["q"], "t": ["abd"]})


def test_a_kind_given_as_a_class_comes_back_as_a_kind(again):
    assert again(KNNClassifier(1, schema={"x0": Symbolic}).fit(X, Y)).schema == {"x0": Symbolic()}


def test_what_was_fitted_is_saved_even_if_parameters_changed_since(again):
    model = KNNClassifier(2, "mdw").fit(X, Y)
    before = model.kneighbors(Q)
    model.set_params(scale="sigma", p=3, differences="none", missing="mean", feature_weights="ig")
    loaded = again(model)
    assert np.array_equal(loaded.kneighbors(Q), before)
    assert loaded.scale == "sigma"
    assert type(loaded.weighting_) is MeanDifference


def test_names_and_positions_of_columns_come_back(again):
    frame = pd.DataFrame(X, columns=["u", "v"])
    loaded = again(KNNClassifier(1).fit(frame, Y))
    assert loaded.feature_names_in_.tolist() == ["u", "v"]
    assert loaded.feature_names_in_.dtype == object
    loaded = again(KNNClassifier(1).fit(X, Y))
    assert loaded.n_features_in_ == 2
    assert not hasattr(loaded, "feature_names_in_")
    with pytest.raises(InputError, match="3 features"):
        loaded.predict(np.zeros((1, 3)))
