"""Adding and forgetting cases: the engine built before and a scan of the rest equal one built anew."""

import pickle

import numpy as np
import pytest

from nearwise import KNNClassifier, NearestCases
from nearwise.native import core
from nearwise.search.index.added import MOST_FORGOTTEN, AddedIndex

pytestmark = pytest.mark.skipif(core() is None, reason="without the core there is no engine that is slow to build")


def numbers(n, d=6, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = np.round(X) if ties else X
    X[0], X[1] = 9, -9  # the range does not change
    return X


def settings(**more):
    return {"feature_weights": "none", "n_neighbors": 5, "engine": "dense", **more}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_answers_equal_those_of_a_fit_on_what_is_there(ties, k):
    X, y = numbers(900, ties=ties), np.random.default_rng(1).integers(0, 3, 900)
    clf = KNNClassifier(**settings(n_neighbors=k)).fit(X[:850], y[:850])
    clf.partial_fit(X[850:870], y[850:870]).forget([5, 7, 853])
    clf.partial_fit(X[870:], y[870:]).forget([300, 860])
    assert isinstance(clf.plan_.engine, AddedIndex)
    assert len(clf.plan_.engine.recent_at) == 48
    assert clf.plan_.engine.forgotten == 3
    kept = np.setdiff1d(np.arange(900), [5, 7, 853, 300, 860])
    again = KNNClassifier(**settings(n_neighbors=k)).fit(X[kept], y[kept])
    asked = np.vstack([X[:60], numbers(40, seed=2, ties=ties)])
    for mine, wanted in zip(clf.kneighbors(asked), again.kneighbors(asked), strict=True):
        np.testing.assert_array_equal(mine, wanted)
    np.testing.assert_allclose(clf.predict_proba(asked), again.predict_proba(asked), rtol=1e-12)
    np.testing.assert_array_equal(clf.kneighbors()[1], again.kneighbors()[1])
    np.testing.assert_allclose(clf.predict_proba(), again.predict_proba(), rtol=1e-12)


def test_weights_per_class_grow_too():
    X, y = numbers(500), np.random.default_rng(1).integers(0, 2, 500)
    from nearwise.weights import PerClass

    weights = PerClass(np.random.default_rng(2).random((2, 6)), [f"x{j}" for j in range(6)], [0, 1], [0.5, 0.5])
    clf = KNNClassifier(**settings(feature_weights=weights)).fit(X[:480], y[:480]).partial_fit(X[480:], y[480:])
    assert isinstance(clf.plan_.engine, AddedIndex)
    again = KNNClassifier(**settings(feature_weights=weights)).fit(X, y)
    np.testing.assert_array_equal(clf.kneighbors(X)[1], again.kneighbors(X)[1])


@pytest.mark.parametrize(
    ("more", "why"),
    [(numbers(2) * 2, "range"), (numbers(80), "many")],
)
def test_it_is_built_anew_where_the_range_changes_or_many_cases_came(more, why):
    near = NearestCases(n_neighbors=3, engine="dense").fit(numbers(400))
    near.partial_fit(more)
    assert not isinstance(near.plan_.engine, AddedIndex), why


def test_it_is_built_anew_where_many_cases_went():
    near = NearestCases(n_neighbors=3, engine="dense").fit(numbers(400))
    near.forget(range(10, 10 + MOST_FORGOTTEN))
    assert near.plan_.engine.forgotten == MOST_FORGOTTEN
    near.forget([100])
    assert not isinstance(near.plan_.engine, AddedIndex)


def test_learned_weights_that_change_build_it_anew():
    X, y = numbers(400), np.random.default_rng(1).integers(0, 2, 400)
    clf = KNNClassifier(**settings(feature_weights="ig")).fit(X[:390], y[:390]).partial_fit(X[390:], y[390:])
    assert not isinstance(clf.plan_.engine, AddedIndex)


def test_the_plan_tells_and_a_pickle_is_built_anew():
    near = NearestCases(n_neighbors=3, engine="dense").fit(numbers(400)).partial_fit(numbers(5, seed=3) / 9)
    assert "built before 5 cases were added and 0 forgotten" in near.plan_.describe()
    again = pickle.loads(pickle.dumps(near))
    assert not isinstance(again.plan_.engine, AddedIndex)
    np.testing.assert_array_equal(again.kneighbors(numbers(9))[1], near.kneighbors(numbers(9))[1])
