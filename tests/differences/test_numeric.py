import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import NearestCases, differences
from nearwise.cases.columns import Column, symbol_column
from nearwise.cases.kinds import Cyclic, Numeric, Ordinal, Symbolic
from nearwise.differences.base import FitContext
from nearwise.differences.numeric import Rank, Scaled, _reach
from nearwise.errors import InputError

NUMBERS = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, 1.0]), min_size=1, max_size=12)
HOLES = st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1, max_size=12)


def fit(values, by="range", period=None):
    kind = Numeric() if period is None else Cyclic(period=period)
    column = Column(np.array(values, dtype=np.float64))
    fitted = Scaled(by).fit(column, FitContext("age", kind))
    return fitted, fitted.encode(column)


def delta(fitted, x, q):
    """The difference proper of two raw numbers."""
    x, q = fitted.encode(Column(np.array([x, q], dtype=np.float64)))
    return fitted.pair(x, q) / fitted.unit


def test_a_number_is_compared_over_the_training_range():
    fitted, _ = fit([20, 30, 60])
    assert delta(fitted, 20, 30) == 0.25
    assert fitted.maximum / fitted.unit == 1


def test_a_query_outside_the_training_range_is_not_clipped():
    fitted, _ = fit([0, 10])
    assert delta(fitted, 0, 35) == 3.5


def test_sigma_divides_by_four_standard_deviations():
    fitted, _ = fit([2, 4, 4, 4, 5, 5, 7, 9], by="sigma")  # their standard deviation is 2
    assert delta(fitted, 2, 9) == pytest.approx(7 / 8, rel=1e-15)
    assert fitted.maximum / fitted.unit == pytest.approx(7 / 8, rel=1e-15)


def test_none_leaves_the_number_as_it_is():
    fitted, values = fit([3, 10], by="none")
    assert delta(fitted, 3, 10) == 7
    assert list(values) == [3, 10]


def test_hours_are_compared_around_the_clock():
    fitted, _ = fit([23, 1, 12], period=24)
    assert fitted.form == "circle"
    assert delta(fitted, 23, 1) == pytest.approx(2 / 12, rel=1e-15)
    assert delta(fitted, 0, 12) == 1
    assert delta(fitted, 1, 25) == 0
    assert delta(fitted, -1, 23) == 0
    assert fitted.maximum / fitted.unit == 1


def test_an_unscaled_circle_counts_in_its_own_unit():
    fitted, _ = fit([23, 1], by="none", period=24)
    assert delta(fitted, 23, 1) == 2
    assert fitted.maximum == 12


@pytest.mark.parametrize(("values", "period"), [([1e-310, 0.0, 2e-310], 24.0), ([1e300, -1e300, 3.0], 1e-3)])
def test_a_circle_bears_any_magnitude_of_values(values, period):
    fitted, encoded = fit(values, period=period)
    gaps = fitted.block(encoded, encoded) / fitted.unit
    assert np.isfinite(gaps).all()
    assert gaps.max() <= 1


def test_levels_are_compared_by_their_steps():
    levels = ("low", "mid", "high", "top")
    column = symbol_column(["mid", "top", None, "low"], levels)
    fitted = Rank().fit(column, FitContext("grade", Ordinal(levels=levels)))
    encoded = fitted.encode(column)
    assert fitted.pair(encoded[0], encoded[1]) / fitted.unit == pytest.approx(2 / 3, rel=1e-15)
    assert fitted.maximum / fitted.unit == 1
    assert np.isnan(encoded[2])


def test_steps_are_those_of_all_levels_even_where_training_saw_few():
    levels = ("a", "b", "c", "d", "e")
    column = symbol_column(["a", "b"], levels)
    fitted = Rank().fit(column, FitContext("grade", Ordinal(levels=levels)))
    far = fitted.encode(symbol_column(["e"], levels))
    assert fitted.block(fitted.encode(column), far).tolist() == [[4 * fitted.unit / 4, 3 * fitted.unit / 4]]


@pytest.mark.parametrize("by", ["range", "sigma", "none"])
def test_a_constant_feature_contributes_nothing(by):
    fitted, _ = fit([7, 7, np.nan, 7], by=by)
    assert fitted.unit == np.inf
    assert delta(fitted, 7, 1000) == 0


@pytest.mark.parametrize("by", ["range", "sigma", "none"])
@pytest.mark.parametrize("period", [None, 24])
def test_a_feature_that_is_always_missing_contributes_nothing(by, period):
    fitted, values = fit([np.nan, np.nan], by=by, period=period)
    assert fitted.unit == np.inf
    assert np.isnan(values).all()
    assert fitted.expected(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert fitted.expected_both == 0


@pytest.mark.parametrize("by", ["range", "sigma"])
@pytest.mark.parametrize("size", [1e300, 1e-310, 1e308, 1.0])
def test_extreme_magnitudes_have_finite_squares(by, size):
    fitted, values = fit([-size, 0.0, size / 2, size], by=by)
    raw = fitted.block(values, values)
    shares = raw * raw * (1 / (fitted.unit * fitted.unit))
    assert np.isfinite(shares).all()
    expected = [0, 0.25, 0.5625, 1] if by == "range" else np.array([0, 1, 2.25, 4]) / (16 * 0.546875)
    np.testing.assert_allclose(shares[0], expected, rtol=1e-12)


def test_a_query_far_beyond_tiny_training_values_is_far_and_finite():
    fitted, _ = fit([1e-310, 2e-310])
    far = fitted.encode(Column(np.array([1e300, -1e300, np.nan])))
    raw = fitted.block(np.array([0.5]), far[:2])
    assert np.isfinite(raw * raw).all()
    assert np.isnan(far[2])


@given(NUMBERS, NUMBERS, st.sampled_from(["range", "sigma", "none"]), st.sampled_from([None, 7.0, 24.0]))
def test_every_block_equals_the_loop_over_pairs(loop, X, Q, by, period):
    fitted, values = fit(X, by, period)
    queries = fitted.encode(Column(np.array(Q)))
    assert np.array_equal(fitted.block(values, queries), loop(fitted, values, queries))


@given(NUMBERS, st.sampled_from(["range", "sigma"]), st.sampled_from([None, 7.0]))
def test_equal_numbers_differ_by_nothing_and_training_stays_within_its_maximum(X, by, period):
    fitted, values = fit(X, by, period)
    raw = fitted.block(values, values)
    assert (raw.diagonal() == 0).all()
    assert (raw == raw.T).all()
    assert raw.max() <= fitted.maximum


@given(HOLES, NUMBERS, st.sampled_from([None, 7.0]))
def test_the_expected_difference_is_the_mean_over_the_known_training_values(X, Q, period):
    fitted, values = fit(X, period=period)
    known = values[~np.isnan(values)]
    queries = fitted.encode(Column(np.array(Q)))
    if not len(known):
        assert fitted.expected_both == 0
        return
    mean = [math.fsum(row) / len(known) for row in fitted.block(known, queries)]
    np.testing.assert_allclose(fitted.expected(queries), mean, rtol=1e-12, atol=1e-15)
    both = fitted.block(known, known).mean()
    assert fitted.expected_both == pytest.approx(both, rel=1e-12, abs=1e-15)


def test_the_expected_difference_keeps_its_digits_far_from_zero():
    values = 1e12 + np.arange(1000.0)
    fitted, encoded = fit(values)
    expected = np.abs(values[:, None] - values).mean(axis=1) / 999
    np.testing.assert_allclose(fitted.expected(encoded) / fitted.unit, expected, rtol=1e-12)


def test_an_unknown_scale_is_refused_by_name():
    with pytest.raises(InputError, match="Did you mean 'sigma'"):
        Scaled("sigm")


@pytest.mark.parametrize("made", [Scaled(), Scaled("sigma"), Scaled("none"), Rank()])
def test_a_numeric_difference_comes_back_from_its_json(made):
    assert differences.get(made.to_json()) == made
    assert str(made) == made.name


def test_a_missing_number_is_as_far_as_numbers_usually_are():
    clf = NearestCases(3, missing="usual", p=1).fit([[0.0], [1.0], [2.0], [7.0], [np.nan]])
    # median 1.5, so 1.5, 0.5, 0.5 and 5.5 away from it: 2 on average, of a range of 7
    distances, _ = clf.kneighbors([[np.nan]], n_neighbors=5)
    np.testing.assert_allclose(distances, 2 / 7)
    assert clf.kneighbors([[1.0]], n_neighbors=5)[0][0].tolist() == pytest.approx([0, 1 / 7, 1 / 7, 2 / 7, 6 / 7])


@pytest.mark.parametrize(("kind", "values", "expected"), [
    (Cyclic(24), [0.0, 6.0, 12.0, None], 0.5), (Ordinal(["a", "b", "c"]), ["a", "b", "c", None], 1 / 3),
    (Symbolic(), ["a", "b", "c", None], 1.0),
])  # fmt: skip
def test_what_is_usual_depends_on_the_kind(kind, values, expected):
    found = NearestCases(4, missing="usual", schema={"f": kind}, p=1).fit([{"f": v} for v in values])
    np.testing.assert_allclose(found.kneighbors([{"f": None}])[0], expected)


@pytest.mark.parametrize("by", ["range", "sigma", "none"])
@pytest.mark.parametrize("policy", ["max", "usual", "value", "ignore", "mean"])
def test_what_a_model_file_kept_is_not_measured_again(by, policy):
    column, kind = Column(np.array([3.0, np.nan, 1.0, 7.5])), Numeric()
    fitted = Scaled(by).fit(column, FitContext("x", kind, policy=policy))
    fitted.settle(policy)
    kept = Scaled(by).fit(column, FitContext("x", kind, policy=policy, known=fitted.bounds))
    kept.settle(policy)
    kept.restore(*fitted.bounds)
    assert "sorted" not in vars(kept)
    assert (kept.unit, kept.maximum, kept.reach) == (fitted.unit, fitted.maximum, fitted.reach)
    assert kept.expected_both == fitted.expected_both


@pytest.mark.parametrize("policy", ["max", "usual", "mean"])
def test_values_are_kept_in_order_only_where_queries_ask_for_them(policy):
    fitted = Scaled("sigma").fit(Column(np.array([3.0, 1.0, 7.5])), FitContext("x", Numeric(), policy=policy))
    fitted.settle(policy)
    assert ("sorted" in vars(fitted)) == (policy == "mean")


@pytest.mark.parametrize("values", [[], [np.nan], [-3.0, 2.0], [2.0**501, np.nan], [np.nan, -(2.0**501)], [-0.0]])
def test_the_reach_is_the_largest_modulus_of_what_is_known(values):
    values = np.array(values)
    assert _reach(values) == np.abs(values[~np.isnan(values)]).max(initial=0.0)
