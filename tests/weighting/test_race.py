"""What a race rejects, and what it saves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.statistics.trials.changes import Changes
from nearwise.weighting import Race
from nearwise.weighting.selecting import Scorer, case_order
from tests.examples import examples
from tests.weighting import slow
from tests.weighting.tables import problem_of


def banded(n=400, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return X, np.where(X[:, 2] > 0.5, "up", "down")


def scorer_of(problem):
    return Scorer(problem, 1, None, "majority", 0, 1)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7))
def test_the_best_set_is_never_rejected_with_delta_0(seed, block):
    rng = np.random.default_rng(seed)
    problem = problem_of(
        rng.integers(0, 3, (8, 3)).astype(float).tolist(), rng.choice(["u", "v"], 8), rng.random(8) + 0.1
    )
    changes = Changes.of(np.zeros(3), np.arange(3), 1.0)
    order = case_order(problem, seed)
    assert sorted(order.tolist()) == list(range(8))
    outcome = Race(delta=0.0, block=block).race(scorer_of(problem), changes, order, problem.target.weights)
    assert outcome.left.tolist() == [0, 1, 2]
    assert (outcome.cases, outcome.asked) == (8, 24)
    errors = [1 - slow.score(problem, {f}) for f in range(3)]
    assert errors[outcome.winner] == pytest.approx(min(errors), abs=1e-11)
    assert outcome.score == pytest.approx(1 - min(errors), abs=1e-11)


@pytest.mark.parametrize("bound", ["normal", "hoeffding"])
def test_sets_that_are_surely_worse_drop_out_before_all_cases_are_asked(bound):
    X, y = banded()
    problem = problem_of(X.tolist(), y)
    changes = Changes.of(np.zeros(6), np.arange(6), 1.0)
    outcome = Race(bound=bound).race(scorer_of(problem), changes, case_order(problem, 0), problem.target.weights)
    assert outcome.winner == 2
    assert outcome.left.tolist() == [2]
    assert outcome.cases < 400
    assert outcome.asked < 6 * 400


def test_the_half_width_is_hoeffdings():
    # 2 sets, 10 cases in blocks of 5: two looks, so delta' = 0.1 / 4; h = 2 sqrt(ln 40 / (2 * 5))
    gaps = np.array([[0, 0, 0, 0, 0], [1, 0, 1, 1, 1.0]])
    found = Race(bound="hoeffding")._half_width(gaps, 0.1 / 4, 1.0)
    assert found == pytest.approx(2 * math.sqrt(math.log(40) / 10))


def test_the_normal_half_width_follows_the_spread_of_the_paired_differences():
    gaps = np.array([[0.0] * 36, [1.0, -1.0] * 18])
    same, differs = Race()._half_width(gaps, 0.025, 1.0)
    assert same == 0
    assert differs == pytest.approx(1.959964 * math.sqrt(36 / 35) / 6, rel=1e-6)
    assert np.isinf(Race()._half_width(gaps[:, :29], 0.025, 1.0)).all()


def test_a_race_asks_fewer_cases_and_finds_the_same_set():
    X, y = banded()
    race, climb = Race().fit(X, y), Race(delta=0.0).fit(X, y)
    assert race.weights_.values.tolist() == climb.weights_.values.tolist()
    assert race.n_classified_ < 0.7 * climb.n_classified_
    assert race.history_[0]["cases"] < 400 == climb.history_[0]["cases"]


def test_indifference_ends_races_between_equals_early():
    X, y = banded()
    twice = np.column_stack([X, X])  # every set has its double, and no bound tells them apart
    patient, quick = Race(delta=0.05, max_features=1), Race(delta=0.05, indifference=0.05, max_features=1)
    assert quick.fit(twice, y).weights_.values.tolist() == patient.fit(twice, y).weights_.values.tolist()
    assert quick.n_classified_ < patient.n_classified_
