"""Searches for feature sets against loops over the reference engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load
from nearwise.errors import InputError, NearwiseWarning
from nearwise.statistics.draws.folds import shuffled_folds
from nearwise.weighting import Backward, Beam, Diet, Forward, Oblivious, Permutation, Race
from tests.examples import examples
from tests.weighting import slow
from tests.weighting.tables import canonical_problem_of, mixed

pytestmark = pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")

KINDS = ["number", "hour", "symbol", "mvdm", "rank", "text", "tags"]
SEARCHES = [Forward, Backward, Beam, Race, Diet, Permutation]
few = settings(max_examples=examples(25), deadline=None)


def cases(weighted=True):
    return mixed(min_cases=5, max_cases=9, features=KINDS, weighted=weighted)


def learnable(problem):
    return len(problem.features) > 1 and (problem.target.class_weights > 0).sum() > 1


def kept(method):
    return set(np.flatnonzero(method.weights_.values).tolist())


@few
@given(cases(), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.1]))
def test_forward_equals_a_loop_over_sets(made, k, patience, tol):
    problem = canonical_problem_of(*made)
    method = Forward(n_neighbors=k, patience=patience, tol=tol)
    method.learn(problem)
    if not learnable(problem):
        assert kept(method) == set(range(len(problem.features)))
        return
    (best, score), path = slow.forward(problem, tol, patience, k=k)
    assert (kept(method), method.score_) == (best, score)
    names = [[problem.features[f] for f in sorted(s)] for s, _ in path]
    assert [step["features"] for step in method.history_] == names
    assert [step["score"] for step in method.history_] == [s for _, s in path]


@few
@given(cases(), st.integers(1, 3), st.integers(1, 3))
def test_backward_equals_a_loop_over_sets(made, k, patience):
    problem = canonical_problem_of(*made)
    method = Backward(n_neighbors=k, patience=patience)
    method.learn(problem)
    if learnable(problem):
        assert (kept(method), method.score_) == slow.backward(problem, patience=patience, k=k)


@few
@given(cases(), st.integers(1, 3))
def test_beam_equals_a_loop_over_sets(made, width):
    problem = canonical_problem_of(*made)
    method = Beam(width=width, patience=2)
    method.learn(problem)
    if learnable(problem):
        assert (kept(method), method.score_) == slow.beam(problem, width, patience=2)


@few
@given(cases(), st.integers(1, 2), st.sampled_from(["normal", "hoeffding"]))
def test_a_race_in_which_nobody_drops_out_is_hill_climbing(made, block, bound):
    problem = canonical_problem_of(*made)
    method = Race(delta=0.0, block=block, bound=bound)
    method.learn(problem)
    if learnable(problem):
        found, score = slow.climb(problem)
        assert kept(method) == found
        assert method.score_ == pytest.approx(score, abs=1e-11)


@few
@given(cases(), st.integers(1, 3))
def test_diet_equals_a_loop_over_weights(made, levels):
    problem = canonical_problem_of(*made)
    method = Diet(levels=levels, search="hill-climbing", folds=3)
    method.learn(problem)
    if learnable(problem):
        folds = shuffled_folds(problem.metric, problem.cases, problem.target, 3, 0)
        weights, score = slow.diet(problem, levels, folds=folds)
        assert method.weights_.values.tolist() == weights.tolist()
        assert method.score_ == score


@few
@given(cases(weighted=False))
def test_oblivion_is_backward_with_the_plain_sum_and_counts_abstract_cases(made):
    problem = canonical_problem_of(*made, p=1)
    method = Oblivious()
    method.learn(problem)
    if learnable(problem):
        found, score = slow.backward(problem)
        assert (kept(method), method.score_) == (found, score)
        values = {tuple(str(problem.table.value(i, f)) for f in sorted(found)) for i in range(len(problem.table))}
        assert method.n_abstract_cases_ <= len(values)


def test_forward_worked_by_hand():
    # x0 alone: cases 2 and 3 (at 4 and 5) are each other's nearest and wrong, so 4 of 6; x1 alone: all right
    X = [[0, 0], [1, 1], [4, 2], [5, 10], [9, 11], [10, 12]]
    method = Forward().fit(X, list("uuuvvv"))
    assert method.weights_.values.tolist() == [0.0, 1.0]
    assert method.history_ == [{"change": "+ x1", "features": ["x1"], "score": 1.0}]
    assert Forward(max_features=1).fit(np.array(X)[:, :1].repeat(2, axis=1), list("uuuvvv")).score_ == round(4 / 6, 12)


def parity(n=48, noise=2):
    rng = np.random.default_rng(0)
    bits = np.array([[i >> b & 1 for b in range(3)] for i in range(n)], dtype=float)
    X = np.column_stack([bits, rng.integers(0, 2, (n, noise))])
    return X, bits.sum(axis=1) % 2 == 1


@pytest.mark.parametrize("method", [Backward(), Oblivious(), Beam(direction="backward"), Race(direction="backward")])
def test_features_that_matter_only_together_are_found_by_leaving_out(method):
    X, y = parity()
    assert method.fit(X, y).weights_.values.tolist() == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("method", [Backward, Forward, Beam])
def test_no_more_features_than_asked_for(method):
    X, y = parity()
    assert method(max_features=2, patience=9).fit(X, y).weights_.values.sum() <= 2


def test_a_beam_of_one_is_stepwise_selection():
    X, y = noisy()
    for direction, same in (("forward", Forward), ("backward", Backward)):
        one = Beam(width=1, direction=direction, patience=3).fit(X, y)
        assert one.weights_.values.tolist() == same(patience=3).fit(X, y).weights_.values.tolist()


def noisy(n=60, p=6, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return X, np.where(X[:, 1] + X[:, 3] + 0.3 * rng.standard_normal(n) > 1, "yes", "no")


@pytest.mark.parametrize("method", [*SEARCHES, Oblivious])
def test_threads_seeds_and_the_order_of_cases(method):
    X, y = noisy()
    extra = {} if method is Oblivious else {"random_state": 5}
    if method in (Forward, Backward, Beam):
        extra["folds"] = 4
    one = method(n_jobs=1, **extra).fit(X, y).weights_.values
    assert np.array_equal(one, method(n_jobs=2, **extra).fit(X, y).weights_.values)
    order = np.random.default_rng(1).permutation(len(y))
    assert np.array_equal(one, method(**extra).fit(X[order], y[order]).weights_.values)


@pytest.mark.parametrize("method", [Forward, Backward, Oblivious, Beam, Race, Permutation])
def test_permuting_features_permutes_weights_where_nothing_ties(method):
    X, y = noisy(n=150, p=4)
    records = [dict(zip("abcd", row, strict=True)) for row in X]
    turned = [{name: row[name] for name in "dbca"} for row in records]
    one, two = method().fit(records, y).weights_, method().fit(turned, y).weights_
    assert dict(zip(two.features, two.values, strict=True)) == dict(zip(one.features, one.values, strict=True))


@pytest.mark.parametrize("method", [*SEARCHES, Oblivious])
def test_a_classifier_takes_it_by_its_id_and_is_saved_with_what_it_learned(method, tmp_path):
    X, y = noisy(n=40, p=4)
    model = KNNClassifier(1, method.id).fit(X, y)
    model.save(tmp_path / "model.nearwise")
    again = load(tmp_path / "model.nearwise")
    assert again.weighting_.history_ == model.weighting_.history_
    assert again.weighting_.score_ == model.weighting_.score_
    assert np.array_equal(again.predict(X), model.predict(X))


def test_the_best_k_of_each_set_counts_where_k_is_open():
    X, y = noisy(n=16, p=4)
    scores = [Forward(n_neighbors=k, max_features=1).fit(X, y).score_ for k in range(1, 16)]
    assert Forward(n_neighbors="loo", max_features=1).fit(X, y).score_ == max(scores)


def test_time_ends_a_search_with_the_best_so_far():
    X, y = noisy()
    for method in (Backward(max_time=1e-9), Diet(max_time=1e-9), Beam(direction="backward", max_time=1e-9)):
        assert method.fit(X, y).stopped_ == "time"
        assert method.weights_.values.tolist() == [1.0] * 6


@pytest.mark.filterwarnings("error::nearwise.errors.NearwiseWarning")
def test_chance_is_warned_of_on_few_cases():
    X, y = noisy(n=20)
    with pytest.warns(NearwiseWarning, match="20 cases for 6 features: 'forward' picks weights"):
        Forward().fit(X, y)
    with pytest.warns(NearwiseWarning, match="one class only, which any weights get right: 'backward' keeps every"):
        assert Backward().fit(X, ["a"] * 20).weights_.values.tolist() == [1.0] * 6


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (Forward(n_neighbors=0), "n_neighbors=0: expected a whole number from 1"),
        (Forward(vote="none"), "vote='none': expected one of majority, distance"),
        (Forward(max_features=0), "max_features=0"),
        (Forward(patience=0), "patience=0"),
        (Backward(tol=-1), "tol=-1: expected a number from 0"),
        (Beam(direction="up"), "direction='up': expected one of forward, backward"),
        (Beam(width=0), "width=0"),
        (Race(delta=1.0), "delta=1.0: expected a probability below 1"),
        (Race(bound="t"), "bound='t'"),
        (Diet(levels=0), "levels=0"),
        (Diet(search="all"), "search='all'"),
        (Diet(folds=1), "folds=1: expected a whole number from 2"),
        (Permutation(repeats=0), "repeats=0"),
        (Forward(max_time=0), "max_time=0"),
        (Forward(random_state=-1), "random_state=-1"),
    ],
)
def test_wrong_parameters_are_named(method, words):
    with pytest.raises(InputError, match=words):
        method.fit(*noisy())


def test_constant_missing_and_unique_features_are_not_chosen():
    y = noisy()[1]
    records = [
        {"good": float(label == "yes"), "constant": 1.0, "id": str(i), "gone": None, "one": i if i == 0 else None}
        for i, label in enumerate(y)
    ]
    schema = {"gone": "Numeric", "id": "Symbolic"}
    for method in (Forward(), Backward(), Oblivious(), Beam(), Race(), Diet(levels=1)):
        weights = method.fit(records, y, schema=schema).weights_.values
        assert weights.tolist() == [1, 0, 0, 0, 0], method
