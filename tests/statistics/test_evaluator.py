"""Many weight vectors at once equal one classifier for each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.cases.kinds import Text
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.statistics.trials.classes import Evaluator
from nearwise.statistics.trials.pairs import PairTrials

from ..search.tables import CORE, KINDS, VECTORISED, kind_lists, problem, seeds


def parts(seed, kinds, **settings):
    """(metric, cases, target, weights) of a random problem."""
    distance, _, payload = problem(seed, kinds, n=14, **settings)
    target = Target(payload.codes, np.array(["p", "q", "r"]), payload.values[:, 0])
    weights = np.random.default_rng(seed).integers(0, 3, (3, len(kinds))).astype(float)
    return distance.metric, distance.stored.cases, target, weights


powers = st.sampled_from([1, 2, 3, 1.5, 0.5, np.inf])


@given(
    seeds, kind_lists(CORE), powers, st.sampled_from(["max", "value"]), st.booleans(),
    st.booleans(), st.integers(1, 5),
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


def many(sort, rng, n=700):
    """(table, classes) large enough for bytes to propose."""
    X = rng.integers(0, 4, (n, 5)).astype(float) if sort == "ties" else rng.standard_normal((n, 5))
    if sort == "outlier":
        X[3] = 1e9
    if sort == "holes":
        X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.standard_normal(n) > 0).astype(int)
    columns = {f"x{f}": column for f, column in enumerate(X.T)}
    if sort == "symbols":
        columns["job"] = rng.choice(["cook", "judge", "nurse"], n)
    return columns, y


@pytest.mark.parametrize("sort", ["plain", "ties", "outlier", "holes", "symbols"])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("alone", [True, False])
def test_many_cases_are_counted_as_by_pairs(sort, p, alone):
    rng = np.random.default_rng(7)
    X, y = many(sort, rng)
    model = KNNClassifier(1, "none", p=p).fit(X, y)._model.problem
    weights = rng.random((8, len(X)))  # each begins where those before it ended
    weights[3] = 0.0
    weights[5, 1:] = 0.0
    folds = None if alone else rng.integers(0, 5, len(y))
    evaluator = Evaluator(model.metric, model.cases, model.target, folds)
    found = evaluator.right(weights, 3)
    np.testing.assert_allclose(
        found, evaluator._by_pairs(weights, 3) / evaluator.fold_weights[None, :, None], rtol=1e-12
    )
    one = np.concatenate([evaluator.right(row[None, :], 3) for row in weights])  # nothing to begin with
    np.testing.assert_array_equal(found, one)


def test_threads_do_not_change_the_counts():
    rng = np.random.default_rng(1)
    model = KNNClassifier(1, "none").fit(rng.random((200, 4)), rng.integers(0, 3, 200))._model.problem
    weights = rng.random((17, 4))
    one, two = (Evaluator(model.metric, model.cases, model.target, threads=t).right(weights, 5) for t in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n", [1, 3])
def test_without_a_case_of_another_fold_nothing_is_right(n):
    model = KNNClassifier(1, "none").fit([[float(i)] for i in range(n)], ["a"] * n)._model.problem
    for native in (True, False):
        evaluator = Evaluator(model.metric, model.cases, model.target, [0] * n)
        evaluator._native = evaluator._native if native else None
        assert evaluator.right([[1.0]], 2).tolist() == [[[0.0, 0.0]]]
    alone = Evaluator(model.metric, model.cases, model.target)
    assert alone.right([[1.0]]).tolist() == [[[0.0 if n == 1 else 1.0]]]


def test_what_cannot_be_evaluated_is_refused():
    model = KNNClassifier(1, "none").fit([[0.0], [1.0]], ["a", "b"])._model.problem
    with pytest.raises(InputError, match="one whole number from 0 per case"):
        Evaluator(model.metric, model.cases, model.target, [0, 1, 2])
    with pytest.raises(InputError, match="1 columns"):
        Evaluator(model.metric, model.cases, model.target).right([[1.0, 2.0]])
    numbers = Target(np.zeros(2), None, np.ones(2))
    with pytest.raises(InputError, match="this target is a number"):
        Evaluator(model.metric, model.cases, numbers)


@given(
    seeds, kind_lists(list(KINDS)), powers, st.sampled_from(["max", "value", "ignore", "mean"]),
    st.booleans(), st.booleans(), st.integers(1, 5),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_known_pairs_give_what_a_search_for_each_weight_vector_gives(seed, kinds, p, policy, by_distance, alone, k):
    metric, cases, target, weights = parts(seed, kinds, p=p, policy=policy)
    folds = None if alone else np.random.default_rng(seed).integers(0, 3, 14)
    evaluator = Evaluator(metric, cases, target, folds, by_distance, threads=2)
    expected = np.stack([evaluator._one(w, k) for w in weights])
    pairs = PairTrials(evaluator)
    for threads in (1, 2):
        np.testing.assert_allclose(pairs.right(weights, k, threads), expected, rtol=1e-12)
    pairs.held.clear()  # as where the memory does not suffice
    np.testing.assert_allclose(pairs.right(weights, k, 1), expected, rtol=1e-12)


@given(seeds, kind_lists(list(KINDS)), st.booleans(), st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_known_pairs_give_the_same_without_the_core(seed, kinds, by_distance, k):
    metric, cases, target, weights = parts(seed, kinds)
    folds = np.random.default_rng(seed).integers(0, 3, 14).astype(np.int32)
    pairs = PairTrials(Evaluator(metric, cases, target, folds, by_distance))
    rows = np.arange(14)
    terms, nothing = [pairs._term(f, rows) for f in range(len(kinds))], [None] * len(kinds)
    found = np.stack([pairs._by_numpy(w, terms, nothing, rows, k) for w in weights])
    np.testing.assert_allclose(found, pairs.right(weights, k, 1), rtol=1e-12)


def test_costly_differences_are_measured_once_for_all_weight_vectors(monkeypatch):
    words = ["apple", "apples", "pear", "bear", "apple", "plum"] * 3
    cases = [{"word": w, "size": i} for i, w in enumerate(words)]
    model = KNNClassifier(1, "none", schema={"word": Text()}).fit(cases, list("aabbac") * 3)._model.problem
    evaluator = Evaluator(model.metric, model.cases, model.target, np.arange(18) % 3)
    fitted, calls = model.metric.measures[0].fitted, []
    block = type(fitted).block
    monkeypatch.setattr(type(fitted), "block", lambda self, X, Q: calls.append((len(X), len(Q))) or block(self, X, Q))
    for _ in range(3):
        evaluator.right(np.random.default_rng(0).random((20, 2)))
    assert calls == [(5, 5)]


def test_a_table_that_is_asked_in_parts_gives_the_same(monkeypatch):
    rng = np.random.default_rng(2)
    model = KNNClassifier(1, "none").fit(rng.random((700, 3)), rng.integers(0, 3, 700))._model.problem
    weights = rng.random((5, 3))
    whole = Evaluator(model.metric, model.cases, model.target, np.arange(700) % 5).right(weights, 3)
    for name in ("TURN_TERMS", "TURN_VECTORS"):
        monkeypatch.setattr(f"nearwise.statistics.trials.classes.{name}", 1)
    parts = Evaluator(model.metric, model.cases, model.target, np.arange(700) % 5, threads=2)
    np.testing.assert_array_equal(parts.right(weights, 3), whole)
    turns = [found for _, found in parts.in_turns(weights, 3)]
    assert len(turns) > 1
    np.testing.assert_array_equal(np.concatenate(turns), parts.accuracies(weights, 3))
