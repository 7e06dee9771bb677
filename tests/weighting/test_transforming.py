"""Weightings as transformers: new numbers whose plain distances are the weighted ones, or fewer features."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline

from nearwise import KNNClassifier, NearestCases
from nearwise.errors import InputError, NearwiseWarning, NotFittedError
from nearwise.weighting import (
    Forward,
    InformationGain,
    MeanDifference,
    ReliefF,
    Uniform,
    get,
)

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 4)) * [1, 10, 0.1, 3]
Y = np.where(X[:, 0] + X[:, 1] / 10 > 0, "a", "b")
MIXED = [{"sky": "sr"[i % 2], "wind": [2, 3, 9, 8][i % 4], "noise": i % 3} for i in range(16)]
OUT = ["go", "go", "no", "no"] * 4


def test_a_number_is_multiplied_by_the_root_of_its_weight_over_its_range():
    weighting = InformationGain().fit([[1.0, 5.0], [2.0, 9.0], [8.0, 5.0], [9.0, 9.0]], ["a", "a", "b", "b"])
    # the first tells the classes apart (gain 1 bit, range 8), the second not at all
    np.testing.assert_allclose(weighting.transform([[9.0, 7.0], [1.0, 5.0]]), [[9 / 8, 0], [1 / 8, 0]])


@pytest.mark.parametrize("method", ["ig", "relief-f", "none", "corr", "sd"])
def test_plain_distances_are_the_weighted_ones(method):
    weighting = get(method).fit(X, Y)
    near = NearestCases(5, weighting.weights_, p=weighting.p, scale=weighting.scale).fit(X)
    plain = NearestNeighbors(n_neighbors=5, p=weighting.p, algorithm="brute").fit(weighting.transform(X))
    queries = X[:7] + 0.01
    distances, indices = plain.kneighbors(weighting.transform(queries))
    expected = near.kneighbors(queries)
    np.testing.assert_allclose(distances, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(indices, expected[1])


def test_a_pipeline_answers_as_the_estimator_does():
    ours = KNNClassifier(3, "relief-f", vote="majority", p=2).fit(X, Y)
    theirs = make_pipeline(ReliefF(), KNeighborsClassifier(3)).fit(X, Y)
    queries = RNG.normal(size=(40, 4)) * [1, 10, 0.1, 3]
    np.testing.assert_array_equal(theirs.predict(queries), ours.predict(queries))
    names = make_pipeline(ReliefF()).fit(X, Y).get_feature_names_out(list("abcd"))
    assert names.tolist() == list("abcd")


def test_selected_features_stay_as_they_are():
    weighting = Forward().fit(MIXED, OUT)
    assert weighting.get_feature_names_out().tolist() == ["wind"]
    assert weighting.transform(MIXED[:2]) == [{"wind": 2}, {"wind": 3}]
    frame = pd.DataFrame(MIXED, index=list("abcdefghijklmnop"))
    pd.testing.assert_frame_equal(Forward().fit_transform(frame, OUT), frame[["wind"]])
    again = Forward().fit(pl.DataFrame(MIXED), OUT).transform(pl.DataFrame(MIXED))
    assert again.columns == ["wind"]
    numbers = Forward().fit(X, Y)
    kept = np.flatnonzero(numbers.weights_.values)
    np.testing.assert_array_equal(numbers.transform(X), X[:, kept])
    assert make_pipeline(Forward(), KNNClassifier(1)).fit(frame, OUT).predict(frame).tolist() == OUT


def test_output_comes_as_it_was_asked_for():
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(100, 160))
    for weighting in (ReliefF(), Forward()):
        told = weighting.set_output(transform="pandas").fit(frame, Y).transform(frame)
        assert list(told.columns) == list(weighting.get_feature_names_out())
        assert list(told.index) == list(frame.index)
    assert isinstance(ReliefF().set_output(transform="polars").fit(X, Y).transform(X), pl.DataFrame)


def test_missing_numbers_stay_missing_and_ignored_columns_go():
    holes = X.copy()
    holes[3, 0] = np.nan
    out = InformationGain().fit(holes, Y, ignore=["x2"]).transform(holes)
    assert out.shape == (60, 3)
    assert np.isnan(out[3, 0])
    assert np.isfinite(np.delete(out, 3, axis=0)).all()


def test_other_shapes_are_refused_with_the_reason():
    weighting = MeanDifference().fit(X, Y)
    with pytest.raises(ValueError, match=r"shape 'per-class', .* nothing to multiply .* per_class=False"):
        weighting.transform(X)
    assert not hasattr(weighting, "transform")  # so scikit-learn leaves it alone
    assert MeanDifference(per_class=False).fit(X, Y).transform(X).shape == X.shape
    with pytest.raises(AttributeError, match="shape 'matrix'"):
        get("nca").fit(X, Y).transform(X)


def test_features_that_are_no_numbers_are_refused_by_name():
    with pytest.raises(InputError, match=r"'sky' is Symbolic, compared by .*, and only numbers on a line"):
        InformationGain().fit(MIXED, OUT).transform(MIXED)
    with pytest.raises(NotFittedError):
        InformationGain().transform(X)
    with pytest.raises(InputError, match="learned inside an estimator"):
        KNNClassifier(1, "ig").fit(X, Y).weighting_.transform(X)


def test_weights_that_are_all_0_count_alike():
    weighting = InformationGain().fit(np.ones((4, 2)), ["a", "b", "a", "b"])
    with pytest.warns(NearwiseWarning, match="weights of all features are 0"):
        weighting.transform(np.ones((1, 2)))


def test_what_was_merged_is_what_transforms():
    first = InformationGain().fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    np.testing.assert_allclose(first.transform(X), InformationGain().fit(X, Y).transform(X))
    assert Uniform().fit_transform(X).shape == X.shape
