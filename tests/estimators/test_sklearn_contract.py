"""scikit-learn's own checks, and the tools of scikit-learn that users put estimators into."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearwise import (
    FeaturePartitioning,
    KNNClassifier,
    KNNRegressor,
    NearestCases,
    OneR,
    ProjectionClassifier,
    ProjectionRegressor,
)
from nearwise.weighting import InformationGain, MeanDifference

WEIGHTED = "a case of weight 2 has two votes but fills one of the k places, two equal cases fill two"
NOT_AMONG = "however heavy a class, it cannot win where none of the few neighbours has it"

NOISE = "the check rounds its blobs, so that classes share points, and IB2 stores just the cases it gets wrong"


def expected_failures(estimator):
    if isinstance(estimator, NearestCases | OneR | FeaturePartitioning):
        return {}
    stores = getattr(estimator, "cases", "all")
    few = stores != "all" or getattr(estimator, "case_weights", None) is not None
    expected = {"check_class_weight_classifiers": NOT_AMONG} if few else {}
    expected |= {"check_classifiers_train": NOISE} if stores == "ib2" else {}
    return expected | {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTED,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTED,
    }


@parametrize_with_checks(
    [
        KNNClassifier(n_neighbors=3),
        KNNClassifier(feature_weights="none", vote="majority"),
        KNNClassifier(n_neighbors=3, case_weights="pebls"),
        KNNClassifier(feature_weights="none", cases="ib2"),
        KNNClassifier(feature_weights="none", cases="ib3"),
        KNNRegressor(n_neighbors=3),
        NearestCases(n_neighbors=1),
        ProjectionClassifier(n_neighbors=3),
        ProjectionClassifier(ties="index"),
        ProjectionRegressor(n_neighbors=3),
        OneR(),
        FeaturePartitioning(),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings(
    "ignore::nearwise.errors.NearwiseWarning"
)  # one class, one case: we warn, scikit-learn asks
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 3)), rng.normal(2, 1, (30, 3))])
    return X, np.repeat(["a", "b"], 30)


def test_estimators_clone_print_and_take_parameters():
    clf = KNNClassifier(feature_weights=MeanDifference(pairs="distinct"), n_neighbors=7)
    again = clone(clf).set_params(feature_weights__pairs="all")
    assert again.feature_weights.pairs == "all"
    assert clf.feature_weights.pairs == "distinct"
    assert repr(clf) == "KNNClassifier(feature_weights=MeanDifference(pairs='distinct'), n_neighbors=7)"
    with pytest.raises(ValueError, match="Did you mean 'n_neighbors'"):
        clf.set_params(n_neighbor=3)


def test_pipelines_grids_and_cross_validation_work(blobs):
    X, y = blobs
    pipe = make_pipeline(StandardScaler(), KNNClassifier(feature_weights="none")).set_output(transform="pandas")
    grid = GridSearchCV(
        pipe, {"knnclassifier__n_neighbors": [1, 5], "knnclassifier__feature_weights": ["mdw", "ig"]}, cv=3
    )
    grid.fit(X, y)
    assert grid.best_score_ == cross_val_score(grid.best_estimator_, X, y, cv=3).mean()


def test_a_weighting_selects_features_for_another_model(blobs):
    X, y = blobs
    noise = np.random.default_rng(1).normal(size=(60, 2))
    names = ["good", "better", "best", "noise", "more noise"]
    frame = pd.DataFrame(np.concatenate([X, noise], axis=1), columns=names)
    selector = SelectFromModel(InformationGain(), max_features=3, threshold=-np.inf).set_output(transform="pandas")
    assert set(selector.fit_transform(frame, y).columns) == {"good", "better", "best"}


def test_sample_weights_are_routed(blobs):
    X, y = blobs
    with config_context(enable_metadata_routing=True):
        clf = KNNClassifier(n_neighbors=3).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(clf, X, y, cv=3, params={"sample_weight": np.ones(60)})
        assert len(found["test_score"]) == 3
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(KNNClassifier(n_neighbors=3), X, y, cv=3, params={"sample_weight": np.ones(60)})
    with pytest.raises(TypeError, match="Unexpected args"):
        clf.set_fit_request(groups=True)


def test_the_score_counts_right_answers(blobs):
    X, y = blobs
    clf = KNNClassifier(n_neighbors=3).fit(X, y)
    assert clf.score(X, y) == pytest.approx(np.mean(clf.predict(X) == y))
    numbers = X[:, 0] * 2
    model = KNNRegressor(n_neighbors=3).fit(X, numbers)
    assert model.score(X, numbers) == pytest.approx(r2_score(numbers, model.predict(X)))


def test_predictions_equal_scikit_learns_where_both_can_say_it(blobs):
    X, y = blobs
    scaled = MinMaxScaler().fit_transform(X)
    queries = scaled[::3] + 0.01
    for k in (1, 4, 7):
        theirs = KNeighborsClassifier(k, weights="distance").fit(scaled, y)
        ours = KNNClassifier(k, feature_weights="none").fit(scaled, y)
        np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-9)
        for one, other in zip(ours.kneighbors(queries), theirs.kneighbors(queries), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
        np.testing.assert_array_equal(
            ours.kneighbors_graph(queries).toarray(), theirs.kneighbors_graph(queries).toarray()
        )
        np.testing.assert_allclose(
            ours.radius_neighbors_graph(queries, 0.2, "distance").toarray(),
            radius_neighbors_graph_of(theirs, queries, 0.2), atol=1e-9,
        )  # fmt: skip


def radius_neighbors_graph_of(fitted, queries, radius):
    finder = NearestNeighbors(radius=radius).fit(fitted._fit_X)
    return finder.radius_neighbors_graph(queries, mode="distance").toarray()
