"""What is used where nothing was said: the recipe or, with weights of one's own, what 0.1.0 used."""

import itertools

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor, NearestCases
from nearwise.errors import InputError
from nearwise.weighting import InformationGain

from .every_kind import cases_of, schema_of, target_of

OLD = {
    "n_neighbors": "loo",
    "vote": "distance",
    "scale": "range",
    "missing": "max",
    "local_scale": None,
    "answer": "vote",
}


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[rng.random((60, 3)) < 0.05] = np.nan
    return X, np.where(np.nan_to_num(X[:, 0]) + 0.5 * rng.normal(size=60) > 0, "yes", "no")


GIVEN = {
    "an id": "mdw",
    "a weighting": InformationGain(),
    "an array": np.array([1.0, 2.0, 0.5]),
    "a list": [1.0, 2.0, 0.5],
    "a dict": {"x0": 2.0},
    "no weights": "none",
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_named_weights_resolve_everything_else_as_in_0_1_0(given, numbers):
    X, y = numbers
    model = KNNClassifier(feature_weights=given).fit(X, y)
    spelled = KNNClassifier(feature_weights=given, **OLD).fit(X, y)
    assert model.predict_proba(X).tobytes() == spelled.predict_proba(X).tobytes()
    assert model.n_neighbors_ == spelled.n_neighbors_
    assert model.loo_errors_.tolist() == spelled.loo_errors_.tolist()
    assert len(model.loo_errors_) == 50
    assert model.linear_neighbors_ is None
    told = model.describe()
    assert "what was left open is as in the papers" in told
    for line in ("vote: distance", "scale: range", "missing: max", "local_scale: none", "answer: vote"):
        assert line in told


@pytest.mark.parametrize("given", ["none", [1.0, 2.0, 0.5], {"x0": 2.0}], ids=["id", "list", "dict"])
def test_a_regressor_does_so_too(given, numbers):
    X, _ = numbers
    y = np.nan_to_num(X[:, 0])
    model = KNNRegressor(feature_weights=given).fit(X, y)
    spelled = KNNRegressor(feature_weights=given, **OLD).fit(X, y)
    assert model.predict(X).tobytes() == spelled.predict(X).tobytes()
    assert model.n_neighbors_ == spelled.n_neighbors_


def test_the_papers_vote_by_hand():
    # d = 0.25 and 0.75 of the range, so 1/d gives shares of 3/4 and 1/4
    model = KNNClassifier(2, [1.0]).fit([[0.0], [4.0]], ["a", "b"])
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.75, 0.25]])


def test_the_recipe_says_what_it_uses_and_what_was_left_open():
    cases, y = cases_of(60)
    told = KNNClassifier(schema=schema_of()).fit(cases, target_of("classes", y)).describe()
    assert told.startswith("KNNClassifier: the recipe (docs/defaults.md)")
    for line in (
        "feature_weights: gr (left open)", "differences: {'Symbolic': 'shares'}", "scale: sigma (left open)",
        "local_scale: by the distance to neighbour 7 (left open)", "the mean of a vote and a regression on the 30",
        "chosen by leaving", "missing: max, usual, value (left open)", "p: 1",
    ):  # fmt: skip
        assert line in told, line
    told = KNNRegressor(schema=schema_of()).fit(cases, y).describe()
    assert "feature_weights: corr (left open)" in told
    assert "regression on the 30 nearest" in told


def test_what_was_said_stays_as_it_was_said():
    cases, y = cases_of(60)
    model = KNNClassifier(4, scale="range", vote="majority", local_scale=None, missing="max", schema=schema_of())
    told = model.fit(cases, target_of("classes", y)).describe()
    for line in ("n_neighbors: 4\n", "scale: range\n", "local_scale: none\n", "vote: majority\n", "missing: max\n"):
        assert line in told
    assert "feature_weights: gr (left open)" in told
    assert model.get_params()["n_neighbors"] == 4
    assert model.feature_weights is None


def test_few_cases_say_why_there_is_no_regression():
    model = KNNClassifier().fit([[float(i)] for i in range(12)], ["a", "b"] * 6)
    assert model.linear_neighbors_ is None
    assert "vote (both needs more cases, or features that are numbers or symbols)" in model.describe()


@pytest.mark.parametrize("weights", ["none", None])
@pytest.mark.parametrize("kind", [KNNClassifier, KNNRegressor])
def test_a_range_sets_the_candidates_beyond_50(weights, kind):
    # a class or number that hangs on nothing: the more neighbours, the better
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 2))
    y = (rng.random(160) < 0.3).astype(int) if kind is KNNClassifier else rng.normal(size=160)
    model = kind(range(60, 101), weights, vote="majority", answer="vote").fit(X, y)
    assert 60 <= model.n_neighbors_ <= 100
    for asked in ([77], np.array([77]), (77, 77), range(77, 78)):
        assert kind(asked, weights, vote="majority", answer="vote").fit(X, y).n_neighbors_ == 77
    whole = kind(range(1, 101), weights, vote="majority", answer="vote").fit(X, y)
    if weights == "none":
        assert len(whole.loo_errors_) == 100
        least = whole.loo_errors_.min()
        assert whole.loo_errors_[whole.n_neighbors_ - 1] == pytest.approx(least)
        assert (whole.loo_errors_[: whole.n_neighbors_ - 1] > least).all()  # the smallest k of the best (K5)
    few = kind(range(1, 101), weights, vote="majority", answer="vote").fit(X[:9], np.resize(y[:2], 9))
    assert few.n_neighbors_ <= 8


def test_the_recipe_chooses_among_the_candidates_too():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    assert 60 <= KNNClassifier(range(60, 101)).fit(X, X[:, 0] > 0).n_neighbors_ <= 100
    assert KNNRegressor({70, 80}, answer="both").fit(X, X[:, 0]).n_neighbors_ in (70, 80)


def test_loo_stays_at_50():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 2)), rng.normal(size=120)
    assert len(KNNRegressor("loo", "none").fit(X, y).loo_errors_) == 50


@pytest.mark.parametrize(
    "wrong",
    [
        0,
        -3,
        2.5,
        True,
        "some",
        [],
        [0, 1],
        [1.5],
        range(0),
        {"k": 3},
        None,
        [[1]],
        np.array(3),
        np.array([[1]]),
        range(1, 10**12),
        itertools.count(1),
        iter([1, 2]),
        b"12",
    ],
)
def test_what_is_no_number_of_neighbours_is_refused(wrong):
    for kind in (KNNClassifier, KNNRegressor):
        with pytest.raises(InputError, match="n_neighbors="):
            kind(wrong).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("wrong", ["votes", "", None, 1, ["vote"]])
def test_what_is_no_answer_is_refused(wrong):
    with pytest.raises(InputError, match="answer="):
        KNNClassifier(answer=wrong).fit([[1.0], [2.0]], [0, 1])


def test_n_neighbors_is_the_k_of_the_vote_and_linear_neighbors_that_of_the_regression():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] > 0
    for answer in ("both", "linear"):
        model = KNNClassifier(answer=answer).fit(X, y)
        assert model.linear_neighbors_ in (30, 80)
    assert KNNClassifier(3, answer="both").fit(X, y).n_neighbors_ == 3
    assert KNNClassifier(answer="vote").fit(X, y).linear_neighbors_ is None
    larger = rng.normal(size=(260, 2))
    assert KNNRegressor().fit(larger, larger[:, 0]).linear_neighbors_ in (30, 80, 200)


def test_retrieval_resolves_as_before():
    rng = np.random.default_rng(4)
    model = NearestCases().fit(rng.normal(size=(20, 2)))
    told = model.describe()
    for line in ("feature_weights: none", "n_neighbors: 5", "scale: range", "missing: max", "local_scale: none"):
        assert line in told
    assert "vote" not in told


def test_a_missing_number_is_usual_among_classes_and_far_among_numbers(numbers):
    X, y = numbers
    policies = {m.policy for m in KNNClassifier().fit(X, y).plan_.engine.distance.metric.measures}
    assert policies == {"usual"}
    policies = {m.policy for m in KNNRegressor().fit(X, np.arange(60.0)).plan_.engine.distance.metric.measures}
    assert policies == {"max"}


@pytest.mark.parametrize("answer", ["vote", "linear", "both"])
@pytest.mark.parametrize("given", ["mdw", "none", [1.0, 2.0, 0.5]], ids=str)
@pytest.mark.parametrize("k", ["auto", "loo", 3, range(1, 8)], ids=str)
def test_every_answer_works_under_named_weights(answer, given, k, numbers):
    X, y = numbers
    for model in (
        KNNClassifier(k, given, answer=answer).fit(X, y),
        KNNRegressor(k, given, answer=answer).fit(X, np.nan_to_num(X[:, 0])),
    ):
        assert model.score(X, y if isinstance(model, KNNClassifier) else np.nan_to_num(X[:, 0])) > 0.6
        assert (model.linear_neighbors_ is None) == (answer == "vote")
