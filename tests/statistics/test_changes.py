"""Changes of one weight equal whole weight vectors, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.cases.target import Target
from nearwise.statistics.trials import changes as module
from nearwise.statistics.trials.changes import ChangeEvaluator, Changes
from nearwise.statistics.trials.classes import Evaluator
from tests.examples import examples

from ..search.tables import CORE, VECTORISED, kind_lists, problem, seeds

N = 14


def parts(seed, kinds, alone, by_distance=False, **settings):
    """A random scorer and changes of two bases: features taken in, left out and reweighted."""
    distance, _, payload = problem(seed, kinds, n=N, **settings)
    target = Target(payload.codes, np.array(["p", "q", "r"]), payload.values[:, 0])
    rng = np.random.default_rng(seed)
    folds = None if alone else rng.integers(0, 3, N)
    evaluator = Evaluator(distance.metric, distance.stored.cases, target, folds, by_distance, threads=2)
    p = len(kinds)
    asked = Changes.of(
        rng.integers(0, 3, (2, p)), rng.integers(0, p, 7), rng.integers(0, 3, 7) / 2, rng.integers(0, 2, 7)
    )
    return evaluator, asked


@settings(max_examples=examples(25), deadline=None)
@given(
    seeds, kind_lists(CORE), st.sampled_from([1, 2]), st.sampled_from(["max", "value", "mean"]), st.booleans(),
    st.booleans(), st.integers(1, 5),
)  # fmt: skip
def test_changes_equal_their_weight_vectors(seed, kinds, p, policy, by_distance, alone, k):
    evaluator, asked = parts(seed, kinds, alone, by_distance, p=p, policy=policy)
    found = ChangeEvaluator(evaluator).accuracies(asked, k)
    evaluator._native = None
    present = evaluator.fold_weights > 0
    np.testing.assert_allclose(found, evaluator.right(asked.vectors(), k)[:, present].mean(axis=1), rtol=1e-12)


@settings(max_examples=examples(25), deadline=None)
@given(seeds, kind_lists(VECTORISED), st.sampled_from(["max", "ignore", "mean"]), st.booleans(), st.booleans())
def test_any_kind_gives_the_same_with_and_without_the_core(seed, kinds, policy, alone, small):
    evaluator, asked = parts(seed, kinds, alone, policy=policy)
    rows = np.random.default_rng(seed).permutation(N)[:6]
    fast, slow = ChangeEvaluator(evaluator), ChangeEvaluator(evaluator)
    slow._native = None
    with pytest.MonkeyPatch.context() as patch:
        if small:  # nothing is kept, one row a call
            patch.setattr(module, "KEPT_BYTES", 0)
            patch.setattr(module, "CHUNK_TERMS", 1)
        np.testing.assert_array_equal(fast.right(asked, 3, rows), slow.right(asked, 3, rows))
        np.testing.assert_allclose(fast.accuracies(asked, 3), slow.accuracies(asked, 3), rtol=1e-12)


@settings(max_examples=examples(25), deadline=None)
@given(seeds, kind_lists(VECTORISED), st.booleans())
def test_stand_ins_equal_queries_with_another_value(seed, kinds, alone):
    evaluator, asked = parts(seed, kinds, alone, policy="max")
    rng = np.random.default_rng(seed)
    stand_ins = np.stack([rng.permutation(N) for _ in range(len(asked))])
    fast, slow = ChangeEvaluator(evaluator), ChangeEvaluator(evaluator)
    slow._native = None
    np.testing.assert_allclose(fast.accuracies(asked, 2, stand_ins), slow.accuracies(asked, 2, stand_ins), rtol=1e-12)
    same = np.tile(np.arange(N), (len(asked), 1))
    np.testing.assert_allclose(slow.accuracies(asked, 2, same), slow.accuracies(asked, 2), rtol=1e-12)


def test_threads_and_chunks_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(1)
    model = KNNClassifier(1, "none").fit(rng.random((90, 5)), rng.integers(0, 3, 90))._model.problem
    asked = Changes.of(np.ones((1, 5)), np.arange(5), 0.0)
    scorers = [ChangeEvaluator(Evaluator(model.metric, model.cases, model.target, threads=t)) for t in (1, 2)]
    one, two = (s.accuracies(asked, 4) for s in scorers)
    np.testing.assert_array_equal(one, two)
    monkeypatch.setattr(module, "CHUNK_TERMS", 1)
    np.testing.assert_array_equal(one, scorers[1].accuracies(asked, 4))


def test_nothing_is_right_where_no_case_is_left_to_ask():
    model = KNNClassifier(1, "none").fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])._model.problem
    scorer = ChangeEvaluator(Evaluator(model.metric, model.cases, model.target, [0, 0, 0]))
    asked = Changes.of([1.0], [0], 1.0)
    assert scorer.accuracies(asked).tolist() == [[0.0]]
    scorer._native = None
    assert scorer.accuracies(asked).tolist() == [[0.0]]


def test_a_feature_far_larger_than_the_others_loses_no_digits_when_it_is_left_out():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.random((40, 2)), rng.random(40) * 1e150])
    problem_ = KNNClassifier(1, "none", scale="none").fit(X, X[:, 0] > 0.5)._model.problem
    evaluator = Evaluator(problem_.metric, problem_.cases, problem_.target)
    without = ChangeEvaluator(evaluator).accuracies(Changes.of(np.ones(3), [2], 0.0))
    small = KNNClassifier(1, "none", scale="none").fit(X[:, :2], X[:, 0] > 0.5)
    assert without[0, 0] == pytest.approx(small.score_loo())
