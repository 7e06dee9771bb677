"""Measures against scikit-learn's and by hand."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.errors import InputError
from nearwise.lab.comparing import compare
from nearwise.lab.measures import MEASURES, NUMBERS, auc, of_classes, of_numbers

metrics = pytest.importorskip("sklearn.metrics")


def answers(seed, n=60, c=3):
    """Codes, answers and shares, with ties among the shares."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(c), rng.integers(0, c, n - c)])
    shares = rng.integers(1, 5, (n, c)).astype(float)
    shares /= shares.sum(axis=1, keepdims=True)
    return truth, shares.argmax(axis=1), shares


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("c", [2, 3, 5])
def test_measures_of_classes_are_those_of_scikit_learn(seed, c):
    truth, said, shares = answers(seed, c=c)
    found = of_classes(truth, said, shares)
    labels = range(c)
    theirs = {
        "accuracy": metrics.accuracy_score(truth, said),
        "balanced": metrics.balanced_accuracy_score(truth, said),
        "log-loss": metrics.log_loss(truth, shares, labels=list(labels)),
        "brier": sum(metrics.brier_score_loss(truth == j, shares[:, j]) for j in labels),
        "auc": np.mean([metrics.roc_auc_score(truth == j, shares[:, j]) for j in labels]),
    }
    assert dict(found) == pytest.approx(theirs)
    assert tuple(found) == MEASURES


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=2, max_size=30))
def test_measures_of_numbers_are_those_of_scikit_learn(pairs):
    truth, said = (np.array(column) for column in zip(*pairs, strict=True))
    found = of_numbers(truth, said)
    assert tuple(found) == NUMBERS
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(truth, said))
    assert found["rmse"] == pytest.approx(metrics.mean_squared_error(truth, said) ** 0.5)
    if np.ptp(truth) > 1e-3:
        assert found["r2"] == pytest.approx(metrics.r2_score(truth, said))


def test_what_has_no_value_is_nan():
    one = np.zeros(3, dtype=int)
    assert np.isnan(auc(one, np.ones((3, 2))))
    assert np.isnan(of_numbers(np.ones(3), np.ones(3))["r2"])
    bare = of_classes(one, one, None)
    assert (bare["accuracy"], np.isnan(bare["brier"]), np.isnan(bare["auc"])) == (1.0, True, True)


def test_a_class_held_impossible_costs_as_much_as_one_in_a_thousand():
    found = of_classes(np.array([0]), np.array([1]), np.array([[0.0, 1.0]]))
    assert found["log-loss"] == pytest.approx(np.log(1000))
    assert found["brier"] == 2.0


X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]


@pytest.mark.parametrize("measure", MEASURES)
def test_methods_are_compared_by_the_measure_that_is_asked_for(measure):
    found = compare(X, Y, ["none", "ig"], 3, measure=measure)
    assert found.measure == measure
    for result in found.results:
        assert result.scores == result.measures[measure]
        assert tuple(result.measures) == MEASURES
    assert found.best is max(found.results, key=lambda r: -r.mean if measure in ("log-loss", "brier") else r.mean)


@pytest.mark.parametrize("measure", NUMBERS)
def test_numbers_have_measures_of_their_own(measure):
    found = compare(X, [float(i % 7) for i in range(30)], ["none", "sd"], 3, regression=True, measure=measure)
    result = found.results[0]
    said, truth = np.concatenate(result.predicted), np.concatenate(found.truth)
    assert result.overall == dict(of_numbers(truth, said))
    assert result.scores == tuple(of_numbers(t, s)[measure] for t, s in zip(found.truth, result.predicted, strict=True))


@pytest.mark.parametrize(
    ("measure", "regression"), [("accurcy", False), ("mae", False), ("accuracy", True), ("cost", False)]
)
def test_measures_that_are_not_there_are_refused(measure, regression):
    with pytest.raises(InputError, match=f"There is no measure '{measure}' here"):
        compare(X, range(30) if regression else Y, ["none"], 3, measure=measure, regression=regression)


def test_a_method_without_shares_is_not_compared_by_what_needs_them():
    svm = pytest.importorskip("sklearn.svm")
    numbers = [[float(i), float(i % 4)] for i in range(30)]
    found = compare(numbers, Y, {"none": "none", "svc": svm.LinearSVC()}, 3, measure="auc")
    assert not found["svc"].applicable
    assert "gives no shares of the classes, which auc needs" in found["svc"].reason
    assert found.best.method == "none"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compare(numbers, Y, {"svc": svm.LinearSVC()}, 3)["svc"].applicable


@pytest.mark.parametrize(("measure", "regression"), [("auc", False), ("r2", True)])
def test_a_measure_without_a_value_in_a_split_is_refused(measure, regression):
    with pytest.raises(InputError, match=f"{measure} has no value in split 0, whose test part has one"):
        compare(X, range(30) if regression else Y, ["none"], "loo", measure=measure, regression=regression)


def test_costs_are_the_measure_where_they_are_given_unless_another_is_asked_for():
    costs = [[0.0, 5.0], [1.0, 0.0]]  # rows are the true class: big, small
    dear = compare(X, Y, ["none"], 3, cost_matrix=costs)
    truth, said = np.concatenate(dear.truth), np.concatenate(dear.results[0].predicted)
    by_hand = np.where(truth == said, 0, np.where(truth == "big", 5, 1)).mean()
    assert (dear.measure, dear.results[0].overall["cost"]) == ("cost", by_hand)
    assert dear.baseline.method == "cheapest class"
    assert dear.baseline.mean == 0.5  # saying "big" costs 1 in half of the cases
    right = compare(X, Y, ["none"], 3, cost_matrix=costs, measure="accuracy")
    assert (right.baseline.method, right.baseline.mean, right.measure) == ("majority class", 0.5, "accuracy")
    assert compare(X, Y, ["none"], 3, cost_matrix=costs, measure="cost").results[0].scores == dear.results[0].scores


def test_the_blind_answer_to_numbers_is_the_mean_of_the_training_part():
    found = compare([[i] for i in range(6)], [0.0, 0, 0, 3, 3, 3], ["none"], [([0, 1, 3], [5])], regression=True)
    assert found.baseline.predicted[0].tolist() == [1.0]
    assert found.baseline.scores == (2.0,)
