"""kNNFP and WkNNFP: the figures of the paper, votes and explanations, holes, adding, forgetting, saving."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from nearwise import ProjectionClassifier, ProjectionRegressor, Symbolic, load, read
from nearwise.lab.comparing import compare
from nearwise.lab.protocols import folds_of
from nearwise.weighting import SingleFeatureAccuracy, methods
from tests.estimators.every_kind import cases_of, gap, gaps, labels_of, schema_of


def ten_fold(X, y, k, weights, seeds=5, **settings):
    """Accuracy in percent over repeated ten-fold cross-validation."""
    right = []
    for seed in range(seeds):
        for rows in folds_of(y, 10, np.random.default_rng(seed)):
            train = np.setdiff1d(np.arange(len(y)), rows)
            clf = ProjectionClassifier(k, weights, n_jobs=1, random_state=seed, **settings).fit(X[train], y[train])
            right += (clf.predict(X[rows]) == y[rows]).tolist()
    return 100 * np.mean(right)


@pytest.mark.parametrize(
    ("name", "k", "weights", "low", "high"),
    [
        ("iris", 1, "none", 85, 96), ("iris", 9, "none", 93, 97), ("iris", 9, "sfa", 93, 97.5),
        ("wine", 1, "none", 83, 95), ("wine", 5, "none", 92, 97.5), ("wine", 5, "sfa", 93, 98),
    ],
)  # fmt: skip
def test_iris_and_wine_come_out_near_the_paper(name, k, weights, low, high):
    data = {"iris": load_iris, "wine": load_wine}[name]()
    assert low <= ten_fold(data.data, data.target, k, weights, seeds=2) <= high


def test_random_ties_and_the_first_class_give_the_papers_figures():
    data = load_iris()
    found = ten_fold(data.data, data.target, 1, "none", seeds=4, ties="random", vote_ties="first")
    assert found == pytest.approx(86.0, abs=4)


HOUSES = [
    {"rooms": 2, "heating": "oil"}, {"rooms": 3, "heating": "oil"}, {"rooms": 5, "heating": "gas"},
    {"rooms": 6, "heating": "gas"}, {"rooms": 7, "heating": None},
]  # fmt: skip
KIND = ["flat", "flat", "house", "house", "house"]


def test_votes_worked_by_hand():
    clf = ProjectionClassifier(2, {"rooms": 1.0, "heating": 0.5}).fit(HOUSES, KIND)
    query = [{"rooms": 4, "heating": "oil"}]
    # rooms: 3 and 5 tie and fill both places; heating: both cases with oil
    np.testing.assert_array_equal(clf.feature_votes(query), [[[1, 1], [2, 0]]])
    np.testing.assert_allclose(clf.predict_proba(query), [[2 / 3, 1 / 3]])
    assert clf.predict(query)[0] == "flat"
    one = ProjectionClassifier(1, "none").fit(HOUSES, KIND)
    # one place for the two that tie; a symbol never seen is as far from every case: 2 flats and 2 houses share a place
    np.testing.assert_array_equal(one.feature_votes([{"rooms": 4, "heating": "wood"}]), [[[0.5, 0.5], [0.5, 0.5]]])


def test_a_tied_vote_goes_to_the_nearest_value_or_to_the_first_class():
    X, y = [[0.0, 3.0], [10.0, 4.0]], ["z", "a"]
    query = [[1.0, 3.9]]  # z is 0.1 of the range away on the first feature, and so is a on the second, up to rounding
    near = [[0.5, 3.9]]
    assert ProjectionClassifier(1, "none").fit(X, y).predict(near)[0] == "z"
    assert ProjectionClassifier(1, "none", vote_ties="first").fit(X, y).predict(near)[0] == "a"
    assert ProjectionClassifier(1, "none").fit(X, y).predict(query)[0] == "a"


def test_missing_values_have_no_vote_unless_they_are_values():
    clf = ProjectionClassifier(1, "none").fit(HOUSES, KIND)
    nobody = [{"rooms": None, "heating": None}]
    assert not clf.feature_votes(nobody).any()
    assert clf.undetermined([*nobody, HOUSES[0]]).tolist() == [True, False]
    assert clf.predict(nobody)[0] == "house"
    np.testing.assert_allclose(clf.predict_proba(nobody), [[0.4, 0.6]])
    own = ProjectionClassifier(1, "none", missing={"heating": "value"}).fit(HOUSES, KIND)
    np.testing.assert_array_equal(own.feature_votes(nobody), [[[0, 0], [0, 1]]])
    kind = ProjectionClassifier(1, "none", schema={"heating": Symbolic(missing="value")}).fit(HOUSES, KIND)
    np.testing.assert_array_equal(kind.feature_votes(nobody), own.feature_votes(nobody))
    with pytest.raises(ValueError, match="'heating' is missing"):
        ProjectionClassifier(1, "none", missing="error").fit(HOUSES, KIND)


def test_numbers_worked_by_hand():
    model = ProjectionRegressor(1, {"rooms": 3.0, "heating": 1.0}).fit(HOUSES, [1.0, 2.0, 3.0, 5.0, 9.0])
    query = [{"rooms": 6, "heating": "oil"}]
    np.testing.assert_allclose(model.feature_votes(query), [[5.0, 1.5]])
    assert model.predict(query)[0] == pytest.approx((3 * 5 + 1.5) / 4)
    nobody = [{"rooms": None, "heating": None}]
    assert np.isnan(model.feature_votes(nobody)).all()
    assert model.predict(nobody)[0] == pytest.approx(4.0)
    assert model.undetermined(nobody).all()


def test_explanations_tell_each_feature_and_add_up():
    clf = ProjectionClassifier(2, {"rooms": 1.0, "heating": 0.5}).fit(HOUSES, KIND)
    why = clf.explain([{"rooms": 4, "heating": "oil"}])[0]
    assert why.prediction == "flat"
    assert {s.feature: s.votes for s in why.said} == {"rooms": {"flat": 1, "house": 1}, "heating": {"flat": 2}}
    assert sum(why.parts.values()) == pytest.approx(why.distribution["flat"])
    assert "rooms = 4" in str(why)
    assert "heating = oil says flat 2 (weight 0.5, 50% of the answer)" in str(why)
    assert [f["feature"] for f in why.to_json()["features"]] == ["rooms", "heating"]
    assert "<td>rooms</td>" in why.to_html()
    assert len(why.to_frame()) == 2
    model = ProjectionRegressor(1).fit(HOUSES, [1.0, 2.0, 3.0, 5.0, 9.0])
    why = model.explain([{"rooms": 6, "heating": "oil"}])[0]
    assert sum(why.parts.values()) == pytest.approx(why.prediction)
    assert "rooms = 6 says 5" in str(why)
    silent = clf.explain([{"rooms": None, "heating": None}])[0]
    assert "no vote" in str(silent)


def test_leaving_one_out_equals_a_model_without_the_case():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (30, 3)).astype(float), rng.integers(0, 3, 30)
    clf = ProjectionClassifier(3, "none").fit(X, y)
    out = clf.predict_proba()
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        less = ProjectionClassifier(3, "none").fit(X[rest], y[rest])
        np.testing.assert_allclose(out[i], less.predict_proba(X[i : i + 1])[0], atol=1e-12)
    assert clf.score_loo() == pytest.approx(np.mean(clf.predict() == y))
    assert clf.score_loo(strict=True) == pytest.approx(clf.score_loo(), abs=0.1)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_adding_and_forgetting_equal_one_fit():
    cases, y = cases_of(60, function=gap)
    labels, queries = labels_of(y), cases_of(15, seed=3, function=gap)[0]
    settings = {"schema": schema_of(gap), "random_state": 0}
    whole = ProjectionClassifier(3, "none", **settings).fit(cases, labels)
    grown = ProjectionClassifier(3, "none", **settings).partial_fit(cases[:20], labels[:20], classes=np.unique(labels))
    grown.partial_fit(cases[20:50], labels[20:50]).partial_fit(cases[50:], labels[50:])
    np.testing.assert_array_equal(grown.predict_proba(queries), whole.predict_proba(queries))
    np.testing.assert_array_equal(grown.predict_proba(), whole.predict_proba())
    grown.forget(grown.case_ids_[[0, 7, 59]])
    kept = np.setdiff1d(np.arange(60), [0, 7, 59])
    less = ProjectionClassifier(3, "none", **settings).fit([cases[i] for i in kept], labels[kept])
    np.testing.assert_array_equal(grown.predict_proba(queries), less.predict_proba(queries))


def test_weights_that_merge_are_learned_again_and_others_stay_with_a_warning():
    X, y = load_iris(return_X_y=True)
    exact = ProjectionClassifier(3, "gr").fit(X, y)
    grown = ProjectionClassifier(3, "gr").fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    np.testing.assert_allclose(grown.feature_importances_, exact.feature_importances_)
    clf = ProjectionClassifier(3).fit(X[::2], y[::2])
    before = clf.feature_importances_
    with pytest.warns(UserWarning, match="fit again"):
        clf.partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(clf.feature_importances_, before)


@pytest.mark.parametrize("ties", ["fair", "distances", "random", "index"])
@pytest.mark.filterwarnings("ignore:The weights of")
def test_every_kind_of_feature_is_saved_and_loaded(ties, tmp_path):
    cases, y = cases_of(40, function=gaps)
    queries = cases_of(10, seed=3, function=gaps)[0]
    settings = {"schema": schema_of(gaps), "random_state": 0, "ties": ties, "n_jobs": 1}
    for model, target in ((ProjectionClassifier(3, **settings), labels_of(y)), (ProjectionRegressor(3, **settings), y)):
        model.fit(cases, target)
        model.save(tmp_path / "model")
        again = load(tmp_path / "model", functions={"thing": gaps})
        np.testing.assert_array_equal(again.predict(queries), model.predict(queries))
        np.testing.assert_array_equal(again.feature_votes(queries), model.feature_votes(queries))
        assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()
        again.forget(again.case_ids_[:2])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(queries), model.predict(queries))


def test_the_order_of_cases_does_not_count():
    cases, y = cases_of(50)
    labels, queries = labels_of(y), cases_of(10, seed=3)[0]
    order = np.random.default_rng(1).permutation(50)
    weights = np.random.default_rng(2).random(50)
    for make, target in ((ProjectionClassifier, labels), (ProjectionRegressor, y)):
        one = make(4, schema=schema_of()).fit(cases, target, sample_weight=weights)
        other = make(4, schema=schema_of()).fit([cases[i] for i in order], target[order], sample_weight=weights[order])
        np.testing.assert_allclose(one.feature_votes(queries), other.feature_votes(queries), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(
            one.predict(queries), other.predict(queries)
        ) if make is ProjectionClassifier else (
            np.testing.assert_allclose(one.predict(queries), other.predict(queries), rtol=1e-12)
        )


@pytest.mark.parametrize("method", [m for m in methods() if m not in ("user", "ebl")])
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_any_weighting_gives_the_votes_their_weights(method):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40, 3)), 1)
    y = np.where(X[:, 0] + 0.1 * rng.normal(size=40) > 0, "up", "down")
    clf = ProjectionClassifier(3, method, n_jobs=1, random_state=0)
    clf.fit(X, y)
    np.testing.assert_array_equal(clf.feature_importances_.shape, (3,))
    assert clf.score(X, y) > 0.5


def test_single_feature_accuracy_asks_as_many_neighbours():
    X, y = load_iris(return_X_y=True)
    assert ProjectionClassifier(7).fit(X, y).weighting_.n_neighbors == 7
    assert ProjectionClassifier(7, SingleFeatureAccuracy(2)).fit(X, y).weighting_.n_neighbors == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"), ({"n_neighbors": "loo"}, "n_neighbors"), ({"ties": "never"}, "ties"),
        ({"vote_ties": "last"}, "vote_ties"), ({"missing": "perhaps"}, "missing"), ({"feature_weights": "sfaa"}, "sfa"),
        ({"feature_weights": [1.0, -1.0]}, "not negative"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_in_a_sentence(settings, message):
    with pytest.raises(ValueError, match=message):
        ProjectionClassifier(**settings).fit(HOUSES, KIND)


def test_one_case_one_class_and_ten_thousand_symbols():
    one = ProjectionClassifier(feature_weights="none").fit([[1.0, "a"]], ["x"])
    assert one.predict([[2.0, "b"]])[0] == "x"
    with pytest.raises(ValueError, match="one stored case only"):
        one.predict()
    names = [[f"name {i}", i % 7] for i in range(10_000)]
    many = ProjectionClassifier(3, "none", schema={"x0": Symbolic()}).fit(names, [str(i % 3) for i in range(10_000)])
    assert np.isfinite(many.predict_proba(names[:5])).all()


def test_coverage_of_sets_and_intervals():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=300)
    model = ProjectionRegressor(5).fit(X[:200], y[:200])
    ends = model.predict_interval(X[200:], 0.8)
    assert 0.6 < np.mean((ends[:, 0] <= y[200:]) & (y[200:] <= ends[:, 1])) < 0.95
    labels = np.where(y > 0, "up", "down")
    sets = ProjectionClassifier(5).fit(X[:200], labels[:200]).predict_set(X[200:], 0.9)
    assert sets.any(axis=1).all()


def test_it_can_be_compared_with_other_methods():
    X, y = load_iris(return_X_y=True)
    found = compare(X, y, {"projections": "projections", "none": "none"}, folds=5)
    assert found.results[0].mean > 0.88


def test_a_loaded_model_learns_on(tmp_path):
    X, y = load_iris(return_X_y=True)
    ProjectionClassifier(3, "gr").fit(X[::2], y[::2]).save(tmp_path / "model")
    grown = load(tmp_path / "model").partial_fit(X[1::2], y[1::2])
    exact = ProjectionClassifier(3, "gr").fit(X, y)
    np.testing.assert_allclose(grown.feature_importances_, exact.feature_importances_)
    np.testing.assert_allclose(grown.predict_proba(X[:20]), exact.predict_proba(X[:20]))


def test_glass_comes_out_near_the_paper(data_dir):
    table = read(data_dir / "glass.csv.gz")
    y = np.array(table.column(table.names[-1]).objects(), dtype=str)
    X = np.array([table.column(name).objects() for name in table.names[:-1]], dtype=float).T
    assert 48 <= ten_fold(X, y, 1, "none", seeds=2, ties="random", vote_ties="first") <= 56
    assert 56 <= ten_fold(X, y, 1, "none", seeds=2) <= 66
