"""Smoothed shares by hand, and stored cases that ask exactly as in a fit without them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.differences.shares import Shares
from nearwise.errors import InputError
from nearwise.search.base import Distance
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.weighting import Problem
from nearwise.weights import Global

seeds = st.integers(0, 2**32 - 1)


def classes_of(codes, weights=None):
    codes = np.asarray(codes)
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    return Target(codes, np.array([f"class {c}" for c in range(int(codes.max()) + 1)]), weights)


def differences_of(problem, queries):
    """(m, n) sums by the obvious engine, each feature with weight 1."""
    weights = Global(np.ones(len(problem.features)), problem.features)
    return ReferenceEngine(Distance(problem.metric, weights, problem.stored)).sums(queries)


def asked(problem, **columns):
    return problem.metric.measure(CaseTable.of(columns, schema=problem.table.schema))


def test_two_classes_by_hand():
    # P(yes | cook) = (1 + 1/2) / (3 + 1) = 0.375, P(yes | judge) = (2 + 1/2) / (2 + 1) = 5/6, nothing known: 1/2
    table = CaseTable.of({"job": ["cook", "cook", "cook", "judge", "judge"]})
    problem = Problem.of(table, classes_of([0, 0, 1, 1, 1]), differences="shares")
    assert problem.metric.p == 1
    found = differences_of(problem, asked(problem, job=["cook", "judge", "pilot"]))
    np.testing.assert_allclose(found[:, [0, 3]], [[0, 5 / 6 - 0.375], [5 / 6 - 0.375, 0], [0.125, 5 / 6 - 0.5]])


def test_three_classes_and_weights_by_hand():
    # m = 2 spread over three classes; u has weights 1 (class 0) and 0.5 (class 1), v has 2 (class 2)
    table = CaseTable.of({"x": ["u", "u", "v"]})
    problem = Problem.of(table, classes_of([0, 1, 2], [1, 0.5, 2]), differences={"x": Shares(smoothing=2)})
    u = (np.array([1, 0.5, 0]) + 2 / 3) / (1.5 + 2)
    v = (np.array([0, 0, 2]) + 2 / 3) / (2 + 2)
    found = differences_of(problem, asked(problem, x=["u", "v"]))
    np.testing.assert_allclose(found, [[0, 0, np.abs(u - v).sum() / 2], [np.abs(u - v).sum() / 2] * 2 + [0]])


def test_numbers_as_target_by_hand():
    # mean 4, standard deviation sqrt(10); M(u) = (2 + 3*4)/(2 + 3), M(v) = (14 + 12)/(2 + 3)
    table = CaseTable.of({"x": ["u", "u", "v", "v"]})
    y = np.array([0.0, 2.0, 6.0, 8.0])
    problem = Problem.of(table, Target(y, None, np.ones(4)), differences="shares")
    found = differences_of(problem, asked(problem, x=["u", "new"]))
    gap = (26 / 5 - 14 / 5) / (4 * np.sqrt(10))
    np.testing.assert_allclose(found, [[0, 0, gap, gap], [1.2 / (4 * np.sqrt(10))] * 4])


def test_a_case_that_asks_by_hand():
    # without itself the first cook has one "no" beside it: P(no | cook) = (1 + 1/2) / (1 + 1) = 0.75
    table = CaseTable.of({"job": ["cook", "cook", "judge"]})
    problem = Problem.of(table, classes_of([0, 0, 1]), differences="shares")
    found = differences_of(problem, problem.asking)
    judge, alone = 0.25, 0.5  # P(no | judge), and where nothing is known
    np.testing.assert_allclose(found[0], [0, 0, 0.75 - judge])
    np.testing.assert_allclose(found[2], [2.5 / 3 - alone, 2.5 / 3 - alone, 0])


@pytest.mark.parametrize("smoothing", [0, -1, np.inf, np.nan, True, "much"])
def test_smoothing_that_counts_no_cases_is_refused(smoothing):
    with pytest.raises(InputError, match="smoothing of shares"):
        Shares(smoothing=smoothing)


def test_shares_need_a_target():
    with pytest.raises(InputError, match="'x' are those of a target, and there is none"):
        Metric.fit(CaseTable.of({"x": ["u", "v"]}), None, differences="shares")


def random_problem(seed, n_classes, weights, policy, numbers=False):
    """Two symbols with holes and a number by given cuts, compared by shares."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    columns = {
        "a": [None if rng.random() < 0.2 else "uvwx"[rng.integers(4)] for _ in range(n)],
        "b": [None if rng.random() < 0.2 else "xy"[rng.integers(2)] for _ in range(n)],
        "n": [None if rng.random() < 0.2 else float(rng.integers(0, 9)) for _ in range(n)],
    }
    columns["a"][0], columns["b"][0], columns["n"][0] = "u", "x", 1.0
    drawn = {"one": np.ones(n), "fractions": rng.integers(1, 7, n) / 3, "some 0": rng.integers(0, 3, n) * 0.7}[weights]
    if numbers:
        target = Target(rng.normal(size=n), None, drawn)
    else:
        target = Target(rng.integers(0, n_classes, n), np.arange(n_classes), drawn)
    settings = {
        "differences": {"a": "shares", "b": "shares", "n": Shares(discretise=(2.5, 4.0))}, "missing": policy,
    }  # fmt: skip
    table = CaseTable.of(columns, schema={"a": "symbolic", "b": "symbolic", "n": "numeric"})
    return table, target, settings


@given(
    seeds,
    st.sampled_from([1, 2, 3, 7]),
    st.sampled_from(["one", "fractions", "some 0"]),
    st.sampled_from(["max", "value", "ignore"]),
)
def test_a_stored_case_asks_as_in_a_fit_without_it(seed, n_classes, weights, policy):
    table, target, settings = random_problem(seed, n_classes, weights, policy)
    whole = Problem.of(table, target, **settings)
    found = differences_of(whole, whole.asking)
    for i in range(len(table)):
        rest = np.delete(np.arange(len(table)), i)
        less = Problem.of(table.take(rest), target.take(rest), **settings)
        expected = differences_of(less, less.metric.measure(table.take(np.array([i]))))[0]
        if weights == "one":
            np.testing.assert_array_equal(found[i, rest], expected)
        else:
            np.testing.assert_allclose(found[i, rest], expected, rtol=0, atol=1e-12)


@given(seeds, st.sampled_from(["one", "fractions"]))
def test_a_number_as_target_is_left_out_but_for_the_overall_mean_and_spread(seed, weights):
    table, target, settings = random_problem(seed, 0, weights, "value", numbers=True)
    whole = Problem.of(table, target, **settings)
    found = differences_of(whole, whole.asking)
    mean = np.average(target.values, weights=target.weights)
    spread = np.sqrt(np.average((target.values - mean) ** 2, weights=target.weights))
    if not spread > 0:
        return

    def level(f, i):
        column = table.columns[f]
        if column.missing[i]:
            return "missing"
        if column.levels is not None:
            return column.levels[column.values[i]]
        return int(np.searchsorted((2.5, 4.0), column.values[i], side="right"))

    def smoothed(f, value, skip):
        rows = [i for i in range(len(table)) if i != skip and level(f, i) == value]
        total = sum(target.weights[i] for i in rows)
        return (sum(target.weights[i] * target.values[i] for i in rows) + 3 * mean) / (total + 3)

    for i in range(len(table)):
        for j in range(len(table)):
            expected = 0.0
            for f in range(3):
                if level(f, i) != level(f, j):
                    expected += abs(smoothed(f, level(f, i), i) - smoothed(f, level(f, j), i)) / (4 * spread)
            if i != j:
                assert found[i, j] == pytest.approx(expected, abs=1e-12)


@given(seeds)
def test_blocks_tables_and_pairs_agree_on_codes_that_ask(seed):
    table, target, settings = random_problem(seed, 3, "fractions", "value")
    problem = Problem.of(table, target, **settings)
    for measure, stored, asking in zip(
        problem.metric.measures, problem.cases.columns, problem.asking.columns, strict=True
    ):
        block = measure.fitted.block(stored.values, asking.values)
        for j, q in enumerate(asking.values):
            np.testing.assert_array_equal(block[j], [measure.fitted.pair(x, q) for x in stored.values])


def test_a_column_of_missing_values_says_nothing():
    table = CaseTable.of({"x": ["u", "v", "u"], "gone": [None, None, None]}, schema={"gone": "symbolic"})
    problem = Problem.of(table, classes_of([0, 1, 1]), differences="shares", missing="value")
    alone = Problem.of(
        CaseTable.of({"x": ["u", "v", "u"]}), classes_of([0, 1, 1]), differences="shares", missing="value"
    )
    np.testing.assert_array_equal(differences_of(problem, problem.asking), differences_of(alone, alone.asking))
