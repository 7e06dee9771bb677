"""scikit-learn's own checks and tools on members together."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearwise import AutoClassifier, AutoRegressor, Ensemble, KNNClassifier, KNNRegressor, load
from nearwise.errors import InputError, NearwiseWarning, NotFittedError

WEIGHTED = "a case of weight 2 has two votes but fills one of the k places, two equal cases fill two"

pytestmark = pytest.mark.usefixtures("few_trees")


def expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTED,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTED,
    }


@parametrize_with_checks(
    [
        AutoClassifier(random_state=0, n_jobs=1),
        AutoRegressor(random_state=0, n_jobs=1),
        Ensemble([KNNClassifier(n_jobs=1), KNNClassifier(3, "none", n_jobs=1)]),
        Ensemble([KNNRegressor(n_jobs=1), KNNRegressor(3, "none", n_jobs=1)]),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_scikit_learn_accepts_members_together(estimator, check):
    check(estimator)


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 3)), rng.normal(2, 1, (30, 3))])
    return X, np.repeat(["a", "b"], 30)


def test_an_ensemble_is_what_its_members_are(blobs):
    X = blobs[0]
    classifiers, regressors = Ensemble([KNNClassifier()]), Ensemble([KNNRegressor()])
    assert is_classifier(classifiers)
    assert not is_regressor(classifiers)
    assert is_regressor(regressors)
    assert hasattr(classifiers, "predict_proba")
    assert not hasattr(regressors, "predict_proba")
    assert not hasattr(AutoRegressor(), "predict_proba")
    with pytest.raises(AttributeError, match="use predict_interval"):
        regressors.fit(X, X[:, 0]).predict_proba(X)
    with pytest.raises(InputError, match="classes= is for classifiers"):
        regressors.partial_fit(X, X[:, 0], classes=["a"])


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ([], "at least one"), (None, "expected a list"), ([3], "expected a list"), ("knn", "expected a list"),
        ([KNNClassifier(), KNNRegressor()], "all be classifiers or all regressors"),
        ([Ensemble([KNNClassifier()])], "expected a list"), (KNNClassifier(), "expected a list"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_members_is_refused(blobs, members, sentence):
    with pytest.raises(InputError, match=sentence):
        Ensemble(members).fit(*blobs)


def test_members_are_cloned_and_not_changed(blobs):
    X, y = blobs
    member = KNNClassifier(3, "none")
    model = clone(Ensemble([member])).fit(X, y)
    assert not hasattr(member, "classes_")
    assert model.members_[0] is not member
    found = model.predict_proba(X)
    np.testing.assert_array_equal(found, KNNClassifier(3, "none").fit(X, y).predict_proba(X))


def test_pipelines_grids_and_cross_validation_work(blobs):
    X, y = blobs
    pair = Ensemble([KNNClassifier(1, "none"), KNNClassifier(5, "none")])
    pipe = make_pipeline(StandardScaler(), pair)
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.8
    others = [[KNNClassifier(1, "none")], [KNNClassifier(9, "none")]]
    grid = GridSearchCV(pipe, {"ensemble__members": others}, cv=3).fit(X, y)
    assert grid.best_params_["ensemble__members"][0].n_neighbors in (1, 9)


def test_sample_weights_and_classes_are_routed(blobs):
    X, y = blobs
    with config_context(enable_metadata_routing=True):
        for made in (Ensemble([KNNClassifier(3, "none")]), AutoClassifier(random_state=0, n_jobs=1)):
            model = made.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            found = cross_validate(model, X, y, cv=2, params={"sample_weight": np.ones(60)})
            assert len(found["test_score"]) == 2
            made.set_partial_fit_request(classes=True)
        AutoRegressor().set_partial_fit_request(sample_weight=True)


@pytest.mark.parametrize(
    "made", [AutoClassifier(random_state=0, n_jobs=1), Ensemble([KNNClassifier(), KNNClassifier(3)])]
)
def test_classes_may_be_named_in_advance(blobs, made):
    X, y = blobs
    model = clone(made).partial_fit(X, y, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X[:2]).shape == (2, 3)
    with pytest.warns(NearwiseWarning):
        model.partial_fit(X[:3] + 9.0, ["d"] * 3)
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    assert model.predict_proba(X[:2]).shape == (2, 4)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize(
    "made",
    [
        AutoClassifier(random_state=0, n_jobs=1), AutoRegressor(random_state=0, n_jobs=1),
        Ensemble([KNNClassifier(), KNNClassifier(3, "none")]), Ensemble([KNNRegressor(), KNNRegressor(3, "none")]),
    ],
    ids=["AutoClassifier", "AutoRegressor", "classifiers", "regressors"],
)  # fmt: skip
def test_one_case_answers_for_itself(made, tmp_path):
    model = clone(made).fit([[1.0, 2.0]], [5])
    assert model.predict([[3.0, 4.0]]).tolist() == [5]
    assert model.weights_.sum() == pytest.approx(1)
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").predict([[3.0, 4.0]]).tolist() == [5]
    assert model.explain([[3.0, 4.0]])[0].prediction == 5
    if is_regressor(model):
        assert np.isinf(model.predict_interval([[3.0, 4.0]])).all()


def test_what_is_not_fitted_says_so(blobs):
    X, y = blobs
    for made in (AutoClassifier(), AutoRegressor(), Ensemble([KNNClassifier()])):
        for ask in ("predict", "explain"):
            with pytest.raises(NotFittedError):
                getattr(made, ask)(X)
        for ask in ("describe", "score_loo", "left_out_answers"):
            with pytest.raises(NotFittedError):
                getattr(made, ask)()
        for ask in ("case_ids_", "feature_importances_"):
            with pytest.raises(NotFittedError):
                getattr(made, ask)
        with pytest.raises(NotFittedError):
            made.forget([0])
        with pytest.raises(NotFittedError):
            made.score(X, y)
        with pytest.raises(NotFittedError):
            made.save("nowhere/m")


@pytest.mark.parametrize("limit", [0, -1, "long", True, np.nan])
def test_a_time_limit_that_is_no_time_is_refused(blobs, limit):
    with pytest.raises(InputError, match="time_limit="):
        AutoClassifier(time_limit=limit).fit(*blobs)


def test_a_short_time_limit_leaves_the_first_member(blobs):
    with pytest.warns(NearwiseWarning, match="leaves no time for a further member, so 1 of 2 answer"):
        model = AutoClassifier(time_limit=1e-9, random_state=0, n_jobs=1).fit(*blobs)
    assert len(model.members_) == 1
    assert model.weights_.tolist() == [1.0]


def test_a_member_that_fails_leaves_all_members_as_they_were(blobs, monkeypatch):
    X, y = blobs
    model = Ensemble([KNNClassifier(), KNNClassifier(3, "mdw")]).fit(X, y)
    before, weights = model.predict_proba(X), model.members_[1].feature_importances_.tolist()
    whole = KNNClassifier._add

    def failing(self, *given):
        if self.n_neighbors == 3:
            whole(self, *given)
            raise InputError("the second member cannot")
        return whole(self, *given)

    monkeypatch.setattr(KNNClassifier, "_add", failing)
    with pytest.raises(InputError, match="the second member cannot"):
        model.partial_fit(X[:5], y[:5])
    assert [len(member.case_ids_) for member in model.members_] == [60, 60]
    assert model.predict_proba(X).tobytes() == before.tobytes()
    assert model.members_[1].feature_importances_.tolist() == weights
    monkeypatch.undo()
    with pytest.warns(NearwiseWarning, match="stay as they were"):
        model.partial_fit(X[:5], y[:5])
    fresh = KNNClassifier(3, "mdw").fit(np.concatenate([X, X[:5]]), [*y, *y[:5]])
    np.testing.assert_allclose(model.members_[1].feature_importances_, fresh.feature_importances_, rtol=1e-9)


@pytest.mark.parametrize("kind", [AutoClassifier, AutoRegressor])
def test_vote_and_regression_of_a_member_are_weighed_apart(kind, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    y = y if kind is AutoRegressor else np.where(y > 0, "a", "b")
    model = kind(random_state=0, n_jobs=1).fit(X, y)
    _, answers = model.left_out_answers()
    expected = 0
    for weight, member in zip(model.weights_, model.members_, strict=True):
        left, line = member._left_out, member._chosen.line
        said = left.by_line if left.by_vote is None else (1 - line) * left.by_vote + line * left.by_line
        expected = expected + weight * said
    np.testing.assert_allclose(answers, expected, atol=1e-12)
    # 15 steps: each of the answers has a number of them
    taken = [w * s for w, m in zip(model.weights_, model.members_, strict=True) for s in m._chosen.shares]
    np.testing.assert_allclose(np.array(taken) * 15, np.round(np.array(taken) * 15), atol=1e-9)
    assert sum(taken) == pytest.approx(1)
    model.save(tmp_path / "m.nearwise")
    again = load(tmp_path / "m.nearwise")
    assert [m._chosen.line for m in again.members_] == [m._chosen.line for m in model.members_]
    assert again.predict(X).tolist() == model.predict(X).tolist()
    with pytest.warns(NearwiseWarning):
        again.partial_fit(X[:2] + 0.1, y[:2])
    assert [m._chosen.line for m in again.members_] == [m._chosen.line for m in model.members_]
