"""Many weight vectors at once equal one classifier for each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.statistics.evaluator import Evaluator

from ..engines.tables import CORE, VECTORISED, kind_lists, problem, seeds


def parts(seed, kinds, **settings):
    """(metric, cases, target, weights) of a random problem."""
    distance, _, payload = problem(seed, kinds, n=14, **settings)
    target = Target(payload.codes, np.array(["p", "q", "r"]), payload.values[:, 0])
    weights = np.random.default_rng(seed).integers(0, 3, (3, len(kinds))).astype(float)
    return distance.metric, distance.stored.cases, target, weights


@given(
    seeds, kind_lists(CORE), st.sampled_from([1, 2]), st.sampled_from(["max", "value"]), st.booleans(), st.booleans(),
    st.integers(1, 5),
)  # fmt: skip
def test_the_native_count_equals_the_planned_one(seed, kinds, p, policy, by_distance, alone, k):
    metric, cases, target, weights = parts(seed, kinds, p=p, policy=policy)
    folds = None if alone else np.random.default_rng(seed).integers(0, 3, 14)
    evaluator = Evaluator(metric, cases, target, folds, by_distance, threads=2)
    found = evaluator.right(weights, k)
    evaluator._native = None
    np.testing.assert_allclose(found, evaluator.right(weights, k), rtol=1e-12)


@given(seeds, kind_lists(VECTORISED))
def test_leaving_one_out_equals_a_classifier_for_each_weight_vector(seed, kinds):
    metric, cases, target, weights = parts(seed, kinds, policy="max", holes=0.0)
    found = Evaluator(metric, cases, target).right(weights, 4)
    assert found.shape == (3, 1, 4)
    assert ((found >= 0) & (found <= 1)).all()


def test_shares_are_those_of_classifiers_fitted_to_the_other_folds():
    rng = np.random.default_rng(0)
    X, y, folds = rng.random((60, 3)), rng.integers(0, 2, 60), np.arange(60) % 4
    X[0], X[1] = 0.0, 1.0  # ranges are those of all cases, so every part of them is given the same
    fitted = KNNClassifier(3, "none", vote="majority").fit(X, y)
    model = fitted._model.problem
    weights = rng.random((5, 3))
    found = Evaluator(model.metric, model.cases, model.target, folds).right(weights, 3)
    for w, row in enumerate(weights):
        for fold in range(4):
            train, test = folds != fold, folds == fold
            scaled = X * np.sqrt(row)
            clf = KNNClassifier(3, "none", vote="majority", scale="none").fit(scaled[train], y[train])
            assert found[w, fold, 2] == pytest.approx(clf.score(scaled[test], y[test])), (w, fold)
    np.testing.assert_allclose(
        Evaluator(model.metric, model.cases, model.target, folds).accuracies(weights, 3), found[:, :, 2].mean(axis=1)
    )


def test_threads_do_not_change_the_counts():
    rng = np.random.default_rng(1)
    model = KNNClassifier(1, "none").fit(rng.random((200, 4)), rng.integers(0, 3, 200))._model.problem
    weights = rng.random((17, 4))
    one, two = (Evaluator(model.metric, model.cases, model.target, threads=t).right(weights, 5) for t in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_what_cannot_be_evaluated_is_refused():
    model = KNNClassifier(1, "none").fit([[0.0], [1.0]], ["a", "b"])._model.problem
    with pytest.raises(InputError, match="one whole number from 0 per case"):
        Evaluator(model.metric, model.cases, model.target, [0, 1, 2])
    with pytest.raises(InputError, match="1 columns"):
        Evaluator(model.metric, model.cases, model.target).right([[1.0, 2.0]])
    numbers = Target(np.zeros(2), None, np.ones(2))
    with pytest.raises(InputError, match="this target is a number"):
        Evaluator(model.metric, model.cases, numbers)
