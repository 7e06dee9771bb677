"""The discretiser as scikit-learn knows transformers, and its cuts against those of the plain functions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearwise import KNNClassifier, MDLDiscretizer
from nearwise.cases.cuts import equal_frequency, equal_width, mdl
from nearwise.errors import InputError
from tests.cases.test_cuts import slow_mdl


@parametrize_with_checks(
    [
        MDLDiscretizer(),
        MDLDiscretizer(discretise="width", bins=3),
        MDLDiscretizer(discretise="frequency"),
        MDLDiscretizer(discretise=[0.0, 1.0]),
    ]
)
def test_scikit_learn_accepts_the_transformer(estimator, check):
    check(estimator)


def cases(n=80, holes=True):
    rng = np.random.default_rng(0)
    y = rng.choice(["u", "v", "w"], n)
    X = rng.standard_normal((n, 3)) + np.array([{"u": 0, "v": 2, "w": 4}[c] for c in y])[:, None] * [1, 2, 0]
    if holes:
        X[rng.random((n, 3)) < 0.1] = np.nan
    return np.round(X, 1), y


def test_cut_points_are_those_of_the_recursion_and_missing_stays_missing():
    X, y = cases()
    made = MDLDiscretizer().fit(X, y)
    out = made.transform(X)
    for f in range(3):
        known = ~np.isnan(X[:, f])
        expected = slow_mdl([(v, c, 1) for v, c in zip(X[known, f], y[known], strict=True)])
        assert made.cut_points_[f] == pytest.approx(expected)
        assert np.isnan(out[:, f]).tolist() == (~known).tolist()
        assert out[known, f].tolist() == [sum(v > cut for cut in expected) for v in X[known, f]]
    assert [len(names) for names in made.intervals_] == [len(points) + 1 for points in made.cut_points_]


def test_other_ways_to_cut():
    X, y = cases(holes=False)
    for how, function in (("width", equal_width), ("frequency", equal_frequency)):
        made = MDLDiscretizer(discretise=how, bins=4).fit(X)
        assert [c.tolist() for c in made.cut_points_] == [function(np.sort(x), 4).tolist() for x in X.T]
    order = np.argsort(X[:, 0], kind="stable")
    by_hand = MDLDiscretizer(discretise={"x1": [0, 3]}).fit(X, y)
    assert by_hand.cut_points_[1].tolist() == [0, 3]
    assert by_hand.cut_points_[0].tolist() == mdl(X[order, 0], np.unique(y, return_inverse=True)[1][order]).tolist()
    assert by_hand.transform([[0, 3, 0]])[0, 1] == 2  # [low, high): the value 3 belongs to the last


def test_a_weight_of_two_is_a_case_that_occurs_twice():
    X, y = cases(30)
    times = np.random.default_rng(1).integers(0, 4, 30)
    for how in ("mdl", "frequency", "width"):
        weighted = MDLDiscretizer(discretise=how).fit(X, y, sample_weight=times)
        repeated = MDLDiscretizer(discretise=how).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        for one, two in zip(weighted.cut_points_, repeated.cut_points_, strict=True):
            assert one == pytest.approx(two)


def test_threads_and_the_lack_of_a_core_change_nothing(monkeypatch):
    X, y = cases(300)
    one = MDLDiscretizer(n_jobs=1).fit(X, y).cut_points_
    two = MDLDiscretizer(n_jobs=2).fit(X, y).cut_points_
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    three = MDLDiscretizer().fit(X, y).cut_points_
    assert [c.tolist() for c in one] == [c.tolist() for c in two] == [c.tolist() for c in three]


def test_frames_keep_their_names_and_come_out_as_asked():
    X, y = cases()
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(80) + 5)
    made = MDLDiscretizer().set_output(transform="pandas").fit(frame, y)
    out = made.transform(frame)
    assert list(out.columns) == ["a", "b", "c"]
    assert out.index.equals(frame.index)
    assert clone(made).fit(frame, y).transform(frame).equals(out)
    assert isinstance(
        made.set_output(transform="polars").transform(pl.DataFrame(X, schema=["a", "b", "c"])), pl.DataFrame
    )
    assert isinstance(made.set_output(transform="default").transform(frame), np.ndarray)
    with config_context(transform_output="pandas"):
        assert isinstance(MDLDiscretizer().fit(frame, y).transform(frame), pd.DataFrame)
    with pytest.raises(ValueError, match="output config must be in"):
        made.set_output(transform="arrow")


def test_it_stands_before_a_classifier():
    X, y = cases(120, holes=False)
    model = make_pipeline(MDLDiscretizer(), KNNClassifier(5, feature_weights="gr")).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model[:-1].get_feature_names_out().tolist() == ["x0", "x1", "x2"]


def test_columns_that_are_no_numbers_and_wrong_parameters_are_told():
    with pytest.raises(InputError, match=r"column 'job' is Symbolic.*schema="):
        MDLDiscretizer().fit([{"age": 1, "job": "cook"}, {"age": 2, "job": "judge"}], ["u", "v"])
    for wrong, sentence in ((["b", "a"], "numbers"), ("mdk", "mdl"), ({"z": [1]}, "not a column")):
        with pytest.raises((InputError, ValueError), match=sentence):
            MDLDiscretizer(discretise=wrong).fit([[1.0], [2.0]], ["u", "v"])
    with pytest.raises(ValueError, match="requires y"):
        MDLDiscretizer().fit([[1.0], [2.0]])
