"""Mean differences by the difference of the targets, against all pairs one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Cyclic, Symbolic, Text
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.statistics.pair_means.targets import product_of_gaps, target_pairs
from nearwise.weighting.base import Problem

SCHEMA = {"hour": Cyclic(24), "hue": Symbolic(), "word": Text()}


def problem_of(n=30, missing="max", seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        {"size": float(rng.integers(0, 9)), "hour": float(rng.integers(0, 24)), "hue": str(rng.choice(list("abc"))),
         "word": "x" * int(rng.integers(0, 6))}
        for _ in range(n)
    ]  # fmt: skip
    for i, name in ((0, "size"), (3, "size"), (4, "hue"), (5, "hour"), (6, "word"), (7, "hue")):
        rows[i][name] = None
    table = CaseTable.of(rows, schema=SCHEMA)
    target = Target(rng.normal(size=n).round(1), None, rng.integers(1, 4, n).astype(float))
    return Problem.of(table, target, missing=missing)


def slow(problem, f):
    """Sums over every ordered pair: weight, t, difference, difference times t."""
    measure, column = problem.metric.measures[f], problem.cases.columns[f]
    gone = problem.table.columns[f].missing
    y, w = problem.target.values, problem.target.weights
    known = np.arange(len(y)) if measure.policy == "value" else np.flatnonzero(~gone)
    sums = np.zeros(4)
    for i in known:
        for j in known:
            if gone[i] or gone[j]:
                delta = 0.0 if gone[i] and gone[j] else measure.fitted.maximum
            else:
                delta = measure.fitted.pair(column.values[i], column.values[j])
            t = abs(y[i] - y[j]) / (y.max() - y.min())
            sums += w[i] * w[j] * np.array([1.0, t, delta, delta * t])
    return sums


@pytest.mark.parametrize("missing", ["max", "value"])
def test_every_kind_equals_all_pairs_one_by_one(missing):
    problem = problem_of(missing=missing)
    for f, measure in enumerate(problem.metric.measures):
        found = target_pairs(
            measure, problem.cases.columns[f], problem.table.columns[f].missing, problem.target, 1e9, 0.95
        )
        sums = [found.weight, found.unlike, found.difference, found.both]
        assert sums == pytest.approx(slow(problem, f), rel=1e-9), measure.name
        assert found.bound == 0


def test_a_sample_of_cases_is_close_and_says_how_close():
    problem = problem_of(200)
    f = problem.features.index("word")
    column, gone = problem.cases.columns[f], problem.table.columns[f].missing
    exact = target_pairs(problem.metric.measures[f], column, gone, problem.target, 1e9, 0.95)
    drawn = target_pairs(problem.metric.measures[f], column, gone, problem.target, 20_000, 0.95)
    assert drawn.bound > 0
    assert drawn.means() == pytest.approx(exact.means(), rel=0.15)


@given(st.lists(st.tuples(*[st.integers(-5, 5)] * 2, st.integers(0, 3)), min_size=1, max_size=40))
def test_products_of_gaps_equal_the_double_sum(rows):
    x, y, w = np.array(rows, dtype=np.float64).T
    expected = np.sum(np.outer(w, w) * np.abs(x[:, None] - x) * np.abs(y[:, None] - y))
    assert product_of_gaps(x, y, w) == pytest.approx(expected, abs=1e-9)
