"""Neighbours on one feature by a pass over the sorted values equal those of a search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.cases.kinds import Cyclic, Numeric, Symbolic
from nearwise.native import core
from nearwise.statistics.trials.classes import Evaluator
from nearwise.statistics.trials.projection import Labels, by_counts, on_line
from tests.examples import examples

from ..weighting.tables import problem_of

KINDS = {"line": Numeric(), "circle": Cyclic(period=8.0), "overlap": Symbolic()}


@st.composite
def features(draw, form):
    """(problem of one feature, folds): few different values, so that ties abound."""
    n = draw(st.integers(2, 14))
    some = st.sampled_from("abc") if form == "overlap" else st.integers(0, 7).map(float)
    values = draw(st.lists(some, min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.sampled_from("uvw"), min_size=n, max_size=n)))
    w = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n))
    p = draw(st.sampled_from([1, 2, 3, 0.5]))
    problem = problem_of([{"f": v} for v in values], y, w, {"f": KINDS[form]}, p=p)
    folds = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=np.int32)
    return problem, folds


def expected(problem, folds, k):
    """(k,) right weight by a search for each fold; a case without any neighbour has no prediction and is wrong."""
    scorer = Evaluator(problem.metric, problem.cases, problem.target, folds)
    scorer._native = None
    return np.einsum("fk,f->k", scorer.right(np.ones((1, 1)), k)[0], scorer.fold_weights)


def labels_of(problem, folds):
    t = problem.target
    return Labels(folds, 3, t.values.astype(np.int32), t.weights, t.priors)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("form", ["line", "circle"])
@settings(max_examples=examples(60))
@given(data=st.data(), k=st.integers(1, 5))
def test_a_pass_over_sorted_values_equals_a_search(form, native, data, k):
    problem, folds = data.draw(features(form))
    measure, p = problem.metric.measures[0], problem.metric.p
    values = problem.cases.columns[0].values
    found = on_line(values, labels_of(problem, folds), k, measure.scale(p), p, measure.fitted.period or 0.0, native)
    np.testing.assert_allclose(found, expected(problem, folds, k), atol=1e-12)


@given(made=features("overlap"), k=st.integers(1, 5))
def test_counts_of_symbols_equal_a_search(made, k):
    problem, folds = made
    found = by_counts(problem.cases.columns[0].values, labels_of(problem, folds), k)
    np.testing.assert_allclose(found, expected(problem, folds, k), atol=1e-12)


@pytest.mark.skipif(core() is None, reason="the core is not built")
def test_the_kernel_refuses_what_it_cannot_read():
    good = {
        "values": np.array([1.0, 2.0]), "places": np.array([0, 3], np.int32), "n_folds": 2, "weights": np.ones(2),
        "priors": np.ones(2) / 2, "coefficient": 1.0, "power": 2.0, "period": 0.0, "k": 1, "tolerance": 1e-12,
    }  # fmt: skip
    assert core().project(**good).tolist() == [[0.0], [0.0]]
    wrong = {
        "values": np.array([2.0, 1.0]), "places": np.array([0, 4], np.int32), "weights": np.ones(3),
        "priors": np.ones(0), "coefficient": np.nan, "power": 0.0, "period": -1.0, "k": 0, "tolerance": 1.0,
        "n_folds": 0,
    }  # fmt: skip
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name if name != "values" else "sorted"):
            core().project(**{**good, name: value})
    with pytest.raises(ValueError, match="finite"):
        core().project(**{**good, "values": np.array([1.0, np.nan])})


@pytest.mark.skipif(core() is None, reason="the core is not built")
@given(values=st.lists(st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, -1.0]), max_size=60))
def test_the_radix_sort_is_a_stable_sort(values):
    values = np.array(values, dtype=np.float64)
    ranked, labels = core().sort_pairs(values, np.arange(len(values), dtype=np.int32))
    order = np.argsort(values, kind="stable")
    np.testing.assert_array_equal(ranked, values[order])
    np.testing.assert_array_equal(labels, order)


def test_a_long_column_of_real_numbers_gives_the_same_with_and_without_the_core():
    rng = np.random.default_rng(0)
    n = 3000
    values = np.where(rng.random(n) < 0.7, rng.standard_normal(n), rng.integers(0, 9, n) / 4)
    codes = ((values > 0.3) ^ (rng.random(n) < 0.2)).astype(np.int32)
    labels = Labels(rng.integers(0, 10, n).astype(np.int32), 10, codes, np.ones(n), np.bincount(codes) / n)
    for k in (1, 7):
        one, two = (on_line(values, labels, k, 0.5, 2, native=native) for native in (True, False))
        np.testing.assert_array_equal(one, two)


def test_folds_times_classes_beyond_32_bits_are_counted_all_the_same():
    values, codes = np.array([1.0, 2.0, 8.0, 9.0]), np.array([0, 0, 39_999, 39_999], np.int32)
    priors = np.full(40_000, 1 / 40_000)
    few = Labels(np.arange(4, dtype=np.int32), 4, codes, np.ones(4), priors)
    many = Labels(np.array([0, 1, 2, 69_999], np.int32), 70_000, codes, np.ones(4), priors)
    assert on_line(values, many, 1, 1.0, 2).tolist() == on_line(values, few, 1, 1.0, 2).tolist() == [4.0]
