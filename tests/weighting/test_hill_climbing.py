"""Random mutation hill climbing and GA-WKNN: searches over subsets and over free weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.errors import InputError, NearwiseWarning
from nearwise.statistics.trials.classes import Evaluator
from nearwise.weighting import HybridGenetic, RandomMutation
from nearwise.weighting.hybrid_genetic import OPERATORS, bred
from tests.examples import examples

from .tables import problem_of

FEW = {"population_size": 10, "children": 6, "rounds": 5}


def table(n=60, p=5, seed=0):
    X = np.random.default_rng(seed).random((n, p))
    return X, np.where(X[:, 1] + X[:, 2] > 1.0, "high", "low")


def loo(X, y, bits, k=1):
    problem = problem_of(X.tolist(), y)
    return float(Evaluator(problem.metric, problem.cases, problem.target).accuracies([np.array(bits, float)], k)[0])


@settings(max_examples=examples(8))
@given(seed=st.integers(0, 1000), accept_equal=st.booleans(), patience=st.integers(1, 25))
def test_the_climb_equals_one_flip_at_a_time(seed, accept_equal, patience):
    X, y = table(30, 4, seed)
    X = X[:, problem_of(X.tolist(), y).in_canonical_order().order]  # flips are drawn by place in this order
    found = RandomMutation(patience, 60, accept_equal, random_state=seed).fit(X, y)
    rng = np.random.default_rng([seed, 0])
    bits = rng.random(4) < 0.5
    if not bits.any():
        bits[rng.integers(4)] = True
    history, waited, flips = [loo(X, y, bits)], 0, []
    while waited < patience and len(history) <= 60:
        flips = flips or rng.integers(0, 4, 16).tolist()
        trial = bits.copy()
        f = flips.pop(0)
        trial[f] = ~trial[f]
        accuracy = loo(X, y, trial) if trial.any() else -1.0
        waited = 0 if accuracy > history[-1] else waited + 1
        if accuracy > history[-1] or (accept_equal and accuracy == history[-1]):
            bits = trial
        history.append(max(history[-1], accuracy))
    assert found.weights_.values.tolist() == bits.astype(float).tolist()
    np.testing.assert_allclose(found.history_, history)
    assert found.stopped_ == ("patience" if waited >= patience and len(history) <= 60 else "")


def test_a_single_feature_that_decides_is_found_from_any_start():
    X = np.random.default_rng(0).random((80, 5))
    y = np.where(X[:, 3] > 0.5, "high", "low")
    alone = [loo(X, y, np.eye(5)[f]) for f in range(5)]
    for seed in range(5):
        found = RandomMutation(random_state=seed).fit(X, y)
        assert found.weights_.values[3] == 1.0
        assert found.accuracy_ >= alone[3]


def test_no_single_flip_betters_what_patience_left():
    X, y = table()
    found = RandomMutation(patience=200).fit(X, y)
    for f in range(5):
        bits = found.weights_.values.astype(bool)
        bits[f] = ~bits[f]
        assert not bits.any() or loo(X, y, bits) <= found.accuracy_
    assert set(found.weights_.values.tolist()) <= {0.0, 1.0}
    assert found.weights_.values.any()


@pytest.mark.parametrize("method", [RandomMutation(), HybridGenetic(**FEW)], ids=lambda m: m.id)
def test_the_number_of_threads_changes_nothing_and_the_seed_does_something(method):
    X, y = table()
    made = [type(method)(**{**method.get_params(), "n_jobs": jobs}).fit(X, y) for jobs in (1, 2)]
    np.testing.assert_array_equal(made[0].weights_.values, made[1].weights_.values)
    seeds = [type(method)(**{**method.get_params(), "random_state": s}).fit(X, y) for s in range(6)]
    assert len({m.weights_.values.tobytes() for m in seeds}) > 1


def test_children_come_by_the_five_operators():
    """Every child of two known parents is explained by one of the operators, and each of them occurs."""
    parents = np.array([[0.2, 0.4, 0.6], [0.9, 0.5, 0.1]])
    seen = set()
    for child in bred(parents, 600, np.random.default_rng(0)):
        assert ((child >= 0) & (child <= 1)).all()
        if all(child[i] in parents[:, i] for i in range(3)):
            seen.add("uniform crossover")
        elif np.allclose(child, parents.mean(axis=0)):
            seen.add("average crossover")
        else:
            steps = np.abs(child - parents).max(axis=1).min()
            seen.add("little creep" if steps <= 0.05 else "big creep" if steps <= 0.25 else "mutation")
    assert seen == set(OPERATORS)


def test_better_parents_are_drawn_more_often():
    parents = np.eye(4)
    children = bred(parents, 4000, np.random.default_rng(0))
    assert (np.diff(children.sum(axis=0)) < 0).all()  # the weight that a parent alone has


def test_fewer_errors_then_the_newer_come_first():
    X, y = table(40, 3)
    found = HybridGenetic(**FEW).fit(X, y)
    assert (np.diff(found.accuracies_) <= 0).all()
    assert found.accuracy_ == found.accuracies_[0]
    assert (np.diff(found.history_["best_accuracy"]) >= 0).all()
    assert found.accuracy_ == pytest.approx(loo(X, y, found.weights_.values, 5))
    same = HybridGenetic(population_size=4, children=3, rounds=1).fit(np.tile(X[:, :1], 2), y)  # weights change nothing
    first = 1.0 - np.random.default_rng([0, 0]).random((4, 2))
    assert not any(sorted(same.population_[0]) == sorted(row) for row in first)  # equally good, so a child is in front


def test_patience_and_time_end_the_search():
    X, y = table()
    assert HybridGenetic(**{**FEW, "rounds": 500}, patience=2).fit(X, y).stopped_ == "patience"
    assert HybridGenetic(**{**FEW, "rounds": 10**7}, max_time=0.05).fit(X, y).stopped_ == "time"
    stopped = RandomMutation(patience=10**7, max_iterations=10**7, max_time=0.05).fit(X, y)
    assert stopped.stopped_ == "time"
    assert RandomMutation(max_iterations=3).fit(X, y).stopped_ == ""


@pytest.mark.parametrize("id_", ["rmhc", "ga-wknn"])
def test_it_works_by_its_id_and_survives_saving(id_, tmp_path):
    from nearwise import load

    X, y = table(30, 3)
    clf = KNNClassifier(1, id_).fit(X, y)
    clf.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), clf.predict(X))
    assert clf.score(X, y) == 1.0


@pytest.mark.parametrize("method", [RandomMutation(), HybridGenetic(**FEW)], ids=lambda m: m.id)
def test_where_nothing_can_be_learned_all_features_count_the_same(method):
    with pytest.warns(NearwiseWarning, match="one class only"):
        weights = method.fit([[1.0, 2.0], [2.0, 1.0]], ["a", "a"]).weights_.values
    assert weights[0] == weights[1] > 0


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (RandomMutation(patience=0), "patience=0"),
        (RandomMutation(accept_equal="yes"), "accept_equal='yes'"),
        (RandomMutation(folds=1), "folds=1"),
        (HybridGenetic(children=0), "children=0"),
        (HybridGenetic(rounds=-1), "rounds=-1"),
    ],
)
def test_wrong_parameters_are_told(method, message):
    with pytest.raises(InputError, match=message):
        method.fit(*table())
