"""Who takes part in a comparison: every way to name a method, and what is none."""

import numpy as np
import pytest

import nearwise
from nearwise import KNNClassifier, KNNRegressor, metrics
from nearwise.errors import InputError
from nearwise.lab.baselines import BASELINES
from nearwise.lab.comparing import compare
from nearwise.weighting import get

X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]
NUMBERS = np.array([[i, i * 7 % 11] for i in range(30)], dtype=float)


def scores(methods, table=X, **settings):
    return {r.method: r.scores for r in compare(table, Y, methods, 3, **settings).results}


def test_an_id_a_weighting_and_settings_are_the_same_method():
    found = scores({"id": "gr", "weighting": get("gr"), "settings": {"feature_weights": "gr"},
                    "estimator": KNNClassifier(feature_weights="gr", random_state=0)})  # fmt: skip
    assert len(set(found.values())) == 1


def test_methods_without_names_of_their_own_are_called_by_what_they_are():
    names = list(scores(["none", get("gr"), get("relief-f", n_neighbors=3), metrics.OM, KNNClassifier(3)]))
    assert names[:2] == ["none", "gr"]
    assert "relief" in names[2].lower()
    assert "n_neighbors=3" in names[2]
    assert names[3] == "om"
    assert names[4].startswith("KNNClassifier(")


def test_named_settings_of_metrics_and_estimators_stand_beside_each_other():
    mine = KNNClassifier(1, feature_weights="none")
    found = compare(X, Y, {"OM": metrics.OM(), "mine": mine, "same": {"n_neighbors": 1, "feature_weights": "none"}}, 3)
    assert [r.method for r in found.results] == ["OM", "mine", "same"]
    assert set(found["mine"].k) == {1}
    assert found["mine"].scores == found["same"].scores
    assert not hasattr(mine, "classes_")  # the object that was given is not fitted


def test_a_mapping_is_weights_where_it_names_features():
    found = compare([{"p": i, "n": -i} for i in range(30)], Y, {"mine": {"p": 1.0, "n": 0.0}}, 3)
    assert found.results[0].applicable


def test_estimators_of_scikit_learn_and_pipelines_take_part():
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(random_state=0)
    pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline(
        pytest.importorskip("sklearn.preprocessing").StandardScaler(), tree
    )
    found = compare(NUMBERS, Y, {"tree": tree, "pipeline": pipeline, "none": "none"}, 4, seed=3)
    by_hand = []
    for test in found.tests:
        train = np.setdiff1d(np.arange(30), test)
        model = type(tree)(random_state=0).fit(NUMBERS[train], np.array(Y)[train])
        by_hand.append(model.score(NUMBERS[test], np.array(Y)[test]))
    assert found["tree"].scores == found["pipeline"].scores == tuple(by_hand)
    assert found["tree"].k == ()


def test_others_get_a_data_frame_where_there_are_symbols():
    seen = []

    class Watching:
        def fit(self, X, y):
            seen.append((type(X).__name__, list(X.columns), len(X)))
            return self

        def predict(self, X):
            return np.full(len(X), "big")

    assert compare(X, Y, {"w": Watching()}, 3)["w"].mean == 0.5
    assert seen == [("DataFrame", ["size", "hue"], 20)] * 3


def test_a_stranger_that_fails_is_reported_and_the_others_go_on():
    class Failing:
        def fit(self, X, y):
            raise ZeroDivisionError("no\nway")

        def predict(self, X):
            return X

    class Lying(Failing):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), "purple")

    found = compare(X, Y, {"failing": Failing(), "lying": Lying(), "none": "none"}, 3)
    assert found["failing"].reason == "ZeroDivisionError: no way"
    assert "'purple'" in found["lying"].reason
    assert found["none"].applicable


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ([KNNClassifier], r"KNNClassifier is a class: give an object of it, KNNClassifier\(\)"),
        (["none", "none"], "Two methods are called 'none'"),
        ({1: "none", "1": "gr"}, "Two methods are called '1'"),
        ([], "There is no method to compare"),
        ([None], "None is no method"),
        (["nonee"], "Did you mean 'none'"),
        ({"a": {"feature_weights": "gr", "pp": 2}}, "There is no parameter 'pp'"),
        ({"a": KNNRegressor()}, "a KNNRegressor was given, and classes are to be predicted"),
        ([3], "weights are one number per feature"),
    ],
)
def test_what_is_no_method_is_refused_in_a_sentence(methods, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(X, Y, methods, 3)


def test_what_cannot_predict_is_refused():
    scaler = pytest.importorskip("sklearn.preprocessing").StandardScaler()
    with pytest.raises(InputError, match="StandardScaler has no predict"):
        compare(X, Y, [scaler], 3)


MIXED = [
    {"a": None if i % 5 == 0 else float(i), "b": None if i % 4 == 0 else "xyz"[i % 3], "t": f"word {i}"}
    for i in range(40)
]  # fmt: skip


@pytest.mark.parametrize("regression", [False, True])
def test_baselines_take_mixed_tables_with_holes_and_say_what_they_leave_out(regression):
    pytest.importorskip("sklearn")
    y = [float(i) for i in range(40)] if regression else ["small" if i < 20 else "big" for i in range(40)]
    with pytest.warns(UserWarning, match=r"leaves out t \(Text\)") as told:
        found = compare(MIXED, y, ["none"], 2, baselines=True, regression=regression, schema={"t": nearwise.Text()})
    assert [r.method for r in found.results] == ["none", *BASELINES]
    assert all(r.applicable and np.isfinite(r.scores).all() for r in found.results)
    (warned,) = [str(each.message) for each in told if "leaves out" in str(each.message)]
    assert all(name in warned for name in BASELINES)  # one warning, with the names of all that give it
    forest = found["random-forest"]
    assert found.less_is_better == regression
    assert found.merit(forest) > found.merit(found.baseline)


def test_a_baseline_that_few_cases_are_too_few_for_is_not_applicable():
    pytest.importorskip("sklearn")
    found = compare(X[12:18], Y[12:18], ["none", "one-hot-knn"], 3)
    assert found["one-hot-knn"].reason.startswith("one-hot-knn refuses these cases: ")
    assert found["none"].applicable


def test_a_baseline_needs_numbers_or_symbols():
    pytest.importorskip("sklearn")
    words = [{"t": f"word {i}"} for i in range(30)]
    found = compare(words, Y, ["none", "logistic"], 3, schema={"t": nearwise.Text()})
    assert "uses numbers and symbols only, and there are none of these" in found["logistic"].reason
