import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nearwise import differences
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Vector
from nearwise.differences import vectors
from nearwise.differences.base import SAMPLE, FitContext
from nearwise.differences.vectors import VectorDifference
from nearwise.errors import InputError

ELEMENTS = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, -1.0])
ROWS = st.integers(1, 7).flatmap(lambda n: arrays(np.float64, (n, 3), elements=ELEMENTS))
BOTH = ["euclidean", "cosine"]


def fit(by, values, scale="range"):
    column = Column(np.array(values, dtype=np.float64))
    fitted = VectorDifference(by).fit(column, FitContext("place", Vector(), scale=scale))
    return fitted, fitted.encode(column)


def test_euclidean_is_the_length_of_the_gap():
    fitted, (a, b) = fit("euclidean", [[1, 2], [4, 6]])
    assert fitted.pair(a, b) == 5
    assert (fitted.unit, fitted.maximum) == (5, 5)


@pytest.mark.parametrize(
    ("other", "expected"),
    [([2, 0], 0), ([0, 3], 1), ([-5, 0], 2), ([1, 1], 1 - 0.5**0.5), ([-1, 1], 1 + 0.5**0.5)],
)
def test_cosine_is_one_minus_the_cosine_of_the_angle(other, expected):
    fitted, (a, b) = fit("cosine", [[1, 0], other])
    assert fitted.pair(a, b) == pytest.approx(expected, rel=1e-15)


def test_a_zero_vector_has_no_angle():
    fitted, values = fit("cosine", [[0, 0], [0, 0], [1, 2]])
    assert fitted.block(values, values).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@given(arrays(np.float64, 4, elements=st.floats(-1e3, 1e3)), st.floats(1e-3, 1e3))
def test_parallel_vectors_do_not_differ_by_cosine(vector, factor):
    fitted, values = fit("cosine", [vector, vector * factor])
    if vector.any() and np.abs(vector).max() > 1e-300:
        assert fitted.block(values, values).max() == 0


def test_a_small_angle_keeps_its_digits():
    fitted, (a, b) = fit("cosine", [[1, 0], [1, 1e-10]])
    assert fitted.pair(a, b) == pytest.approx(5e-21, rel=1e-5)


@pytest.mark.parametrize("by", BOTH)
@given(X=ROWS, Q=ROWS)
def test_every_block_equals_the_loop_over_pairs(loop, by, X, Q):
    fitted, values = fit(by, X, scale="none")
    queries = fitted.encode(Column(Q))
    assert np.array_equal(fitted.block(values, queries), loop(fitted, values, queries))


@pytest.mark.parametrize("by", BOTH)
def test_a_block_of_many_tiles_equals_the_loop_over_pairs(loop, by, monkeypatch):
    monkeypatch.setattr(vectors, "_TILE", 16)
    fitted, values = fit(by, np.random.default_rng(0).normal(size=(7, 3)))
    assert np.array_equal(fitted.block(values, values), loop(fitted, values, values))


@given(ROWS)
def test_cosine_agrees_with_the_textbook_formula_and_stays_within_two(X):
    X = np.where(np.abs(X) < 1e-6, 0.0, X)
    fitted, values = fit("cosine", X)
    raw = fitted.block(values, values)
    assert ((raw >= 0) & (raw <= 2)).all()
    assert (raw.diagonal() == 0).all()
    for i, x in enumerate(X):
        for j, q in enumerate(X):
            if x.any() and q.any():
                cosine = math.fsum(x * q) / (math.hypot(*x) * math.hypot(*q))
                assert raw[j, i] == pytest.approx(1 - cosine, abs=1e-14)


@given(ROWS)
def test_euclidean_agrees_with_the_exact_length(X):
    fitted, values = fit("euclidean", np.round(X, 3))
    raw = fitted.block(values, values)
    expected = [[math.dist(x, q) for x in values] for q in values]
    np.testing.assert_allclose(raw, expected, rtol=1e-14)
    assert raw.max() == fitted.maximum


def test_a_far_origin_costs_euclidean_no_digits():
    near, values = fit("euclidean", [[0, 0], [3, 4], [0.5, 0.25]])
    far, moved = fit("euclidean", np.array([[0, 0], [3, 4], [0.5, 0.25]]) + 1e12)
    assert np.array_equal(near.block(values, values), far.block(moved, moved))


@pytest.mark.parametrize("by", BOTH)
def test_a_query_of_another_width_is_refused_by_name(by):
    fitted, _ = fit(by, [[1, 2], [3, 4]])
    with pytest.raises(InputError, match="'place' has vectors of 3 numbers: expected 2"):
        fitted.encode(Column(np.ones((1, 3))))


@pytest.mark.parametrize("by", BOTH)
def test_missing_vectors_become_harmless_whatever_their_width(by):
    fitted, values = fit(by, [[1, 2], [np.nan, np.nan], [3, 4]])
    assert values[1].tolist() == [0, 0]
    assert len(fitted.training) == 2
    blank = fitted.encode(Column(np.full((2, 1), np.nan)))
    assert fitted.block(values, blank).shape == (2, 3)


@pytest.mark.parametrize("by", BOTH)
def test_vectors_that_are_always_missing_in_training_can_be_fitted(by):
    fitted, values = fit(by, [[np.nan], [np.nan]])
    queries = fitted.encode(Column(np.ones((1, 3))))
    assert fitted.block(values, queries).shape == (1, 2)
    assert fitted.expected(queries).tolist() == [0]
    assert (fitted.unit, fitted.expected_both) == (np.inf, 0)


def test_the_expected_difference_is_the_mean_over_the_known_training_vectors():
    fitted, _ = fit("euclidean", [[0, 0], [3, 4], [np.nan, np.nan]])
    assert fitted.expected(np.array([[0.0, 0.0], [6.0, 8.0]])).tolist() == [2.5, 7.5]
    assert fitted.expected_both == 2.5


def test_vectors_take_unit_and_maximum_from_training_in_either_difference():
    cosine, _ = fit("cosine", [[1, 0], [0, 1]])
    assert (cosine.unit, cosine.maximum) == (pytest.approx(1), pytest.approx(1))
    unscaled, _ = fit("euclidean", [[0, 0], [3, 4]], scale="none")
    assert (unscaled.unit, unscaled.maximum) == (1, 5)


def test_the_sample_of_vectors_does_not_depend_on_the_order_of_rows():
    values = np.random.default_rng(3).normal(size=(3 * SAMPLE, 2))
    here, there = fit("euclidean", values)[0], fit("euclidean", values[::-1])[0]
    assert np.array_equal(here.training, there.training)
    assert (here.unit, here.expected_both) == (there.unit, there.expected_both)


@pytest.mark.parametrize("value", [1e101, 1e300])
def test_numbers_without_a_square_are_refused(value):
    with pytest.raises(InputError, match=r"'place'.*Divide"):
        fit("euclidean", [[value], [0]])


def test_differences_too_small_to_square_are_refused():
    with pytest.raises(InputError, match=r"'place'.*1e-120.*Multiply"):
        fit("euclidean", [[1e-120], [0]])


@pytest.mark.parametrize("by", BOTH)
def test_a_vector_difference_comes_back_from_its_json(by):
    made = VectorDifference(by)
    assert differences.get(made.to_json()) == made == differences.get(by)
    assert str(made) == by


def test_an_unknown_vector_difference_is_refused():
    with pytest.raises(InputError, match="Did you mean 'cosine'"):
        VectorDifference("cosin")
