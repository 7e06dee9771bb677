import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import differences
from nearwise.cases.columns import symbol_column
from nearwise.cases.kinds import Symbolic
from nearwise.cases.target import Target
from nearwise.differences.base import FitContext
from nearwise.differences.symbolic import Overlap, ValueDifference
from nearwise.errors import InputError

SYMBOLS = st.lists(st.sampled_from(["red", "green", "blue", None]), min_size=1, max_size=15)
QUERIES = st.lists(st.sampled_from(["red", "blue", "never seen", "strange"]), min_size=1, max_size=6)


def target(y, weights=None):
    classes, codes = np.unique(np.array(y), return_inverse=True)
    return Target(codes, classes, np.ones(len(y)) if weights is None else np.array(weights, dtype=np.float64))


def fit(made, values, y=None, weights=None, policy="max"):
    column = symbol_column(values)
    context = FitContext("colour", Symbolic(), None if y is None else target(y, weights), policy=policy)
    fitted = made.fit(column, context)
    return fitted, fitted.encode(column)


def coded(fitted, *values):
    return fitted.encode(symbol_column(values))


def test_overlap_tells_equal_from_different():
    fitted, values = fit(Overlap(), ["a", "b", "a"])
    assert fitted.block(values, values).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert fitted.maximum / fitted.unit == 1


def test_overlap_takes_a_symbol_never_seen_for_different_from_all():
    fitted, values = fit(Overlap(), ["a", "b"])
    assert fitted.block(values, coded(fitted, "z", "a")).tolist() == [[1, 1], [0, 1]]


def test_overlap_expects_the_share_of_other_symbols():
    fitted, _ = fit(Overlap(), ["a", "a", "a", "b", None])
    assert fitted.expected(coded(fitted, "a", "b", "z")).tolist() == [0.25, 0.75, 1.0]
    assert fitted.expected_both == 1 - 0.75**2 - 0.25**2


def test_overlap_ranks_whatever_the_order_of_levels_in_a_query_table():
    fitted, values = fit(Overlap(), ["b", "c"])
    assert fitted.block(values, coded(fitted, "a", "c")).tolist() == [[1, 1], [1, 0]]


def test_payne_and_edwards_worked_example_gives_038():
    """P(c|X) = (0.7, 0, 0.3) and P(c|Y) = (0.4, 0.5, 0.1): 0.09 + 0.25 + 0.04."""
    values = ["X"] * 10 + ["Y"] * 10
    y = ["c1"] * 7 + ["c3"] * 3 + ["c1"] * 4 + ["c2"] * 5 + ["c3"]
    fitted, codes = fit(ValueDifference(), values, y)
    assert fitted.pair(codes[0], codes[10]) / fitted.unit == pytest.approx(0.38, rel=1e-14)
    assert fitted.block(codes, codes)[0, 10] == fitted.pair(codes[0], codes[10])


def test_power_one_adds_the_plain_gaps():
    y = ["c1"] * 7 + ["c3"] * 3 + ["c1"] * 4 + ["c2"] * 5 + ["c3"]
    fitted, codes = fit(ValueDifference(power=1), ["X"] * 10 + ["Y"] * 10, y)
    assert fitted.pair(codes[0], codes[10]) == pytest.approx(0.3 + 0.5 + 0.2, rel=1e-14)


@pytest.mark.parametrize("power", [1, 2])
def test_symbols_of_different_pure_classes_are_at_the_largest_difference(power):
    fitted, codes = fit(ValueDifference(power=power), ["a", "b"], [0, 1])
    assert fitted.pair(codes[0], codes[1]) == fitted.maximum == 2


def test_an_unseen_symbol_is_at_the_largest_difference_from_every_symbol():
    fitted, codes = fit(ValueDifference(), ["a", "b"], [0, 0])
    assert fitted.block(codes, coded(fitted, "z", "a")).tolist() == [[2, 2], [0, 0]]


def test_a_symbol_below_the_threshold_is_compared_by_overlap():
    values, y = ["a", "a", "b", "b", "c"], [0, 1, 0, 1, 0]
    fitted, codes = fit(ValueDifference(threshold=2), values, y)
    assert fitted.block(codes, codes[[0, 4]]).tolist() == [[0, 0, 0, 0, 2], [2, 2, 2, 2, 0]]
    everything, _ = fit(ValueDifference(threshold=1), values, y)
    assert everything.pair(codes[0], codes[4]) == 0.5


def test_cases_that_weigh_less_than_one_still_make_a_profile():
    values, y = ["a", "a", "b", "b"], [0, 1, 0, 0]
    light, codes = fit(ValueDifference(), values, y, weights=[0.1] * 4)
    whole, _ = fit(ValueDifference(), values, y)
    np.testing.assert_allclose(light.block(codes, codes), whole.block(codes, codes), rtol=1e-14)


def test_a_symbol_whose_cases_all_weigh_nothing_counts_as_unseen():
    fitted, codes = fit(ValueDifference(), ["a", "b"], [0, 0], weights=[1, 0])
    assert fitted.pair(codes[0], codes[1]) == 2


def test_missing_as_a_value_has_a_profile_of_its_own():
    values, y = ["a", "a", None, None, None], [0, 1, 1, 1, 1]
    fitted, codes = fit(ValueDifference(), values, y, policy="value")
    assert fitted.codes_missing
    assert fitted.pair(codes[0], codes[2]) == 0.5
    assert fitted.pair(codes[2], codes[3]) == 0
    shares = np.array([2, 3]) / 5
    assert fitted.expected_both == pytest.approx(2 * shares[0] * shares[1] * 0.5, rel=1e-14)


def test_missing_as_a_value_that_training_never_saw_is_an_unseen_symbol():
    fitted, codes = fit(ValueDifference(), ["a", "b"], [0, 0], policy="value")
    assert fitted.block(codes, coded(fitted, None, "a")).tolist() == [[2, 2], [0, 0]]


def test_missing_values_stay_out_of_the_counts_under_other_policies():
    fitted, codes = fit(ValueDifference(), ["a", "b", None], [0, 1, 0])
    assert not fitted.codes_missing
    assert codes[2] == -1
    assert fitted.expected_both == 1


def test_a_column_that_is_always_missing_can_be_fitted():
    for made in (Overlap(), ValueDifference()):
        fitted, codes = fit(made, [None, None], [0, 1])
        assert fitted.block(codes, coded(fitted, "z")).shape == (1, 2)
        assert np.isfinite(fitted.expected(coded(fitted, "z"))).all()
        assert np.isfinite(fitted.expected_both)


@given(SYMBOLS, QUERIES, st.data(), st.sampled_from([0, 1, 2]), st.sampled_from(["max", "value"]))
def test_every_block_equals_the_loop_over_pairs(loop, values, queries, data, power, policy):
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    made = ValueDifference(power=power, threshold=data.draw(st.integers(1, 3))) if power else Overlap()
    fitted, codes = fit(made, values, y, policy=policy)
    X, Q = codes[codes >= 0], coded(fitted, *queries)
    raw = fitted.block(X, Q)
    assert np.array_equal(raw, loop(fitted, X, Q))
    assert ((raw >= 0) & (raw <= fitted.maximum)).all()
    assert (fitted.block(X, X).diagonal() == 0).all()


@given(SYMBOLS, QUERIES, st.data(), st.sampled_from([0, 1, 2]))
def test_the_expected_difference_is_the_mean_over_the_known_training_values(values, queries, data, power):
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    fitted, codes = fit(ValueDifference(power=power) if power else Overlap(), values, y)
    known, Q = codes[codes >= 0], coded(fitted, *queries)
    if len(known):
        np.testing.assert_allclose(fitted.expected(Q), fitted.block(known, Q).mean(axis=1), atol=1e-14)
        np.testing.assert_allclose(fitted.expected_both, fitted.block(known, known).mean(), atol=1e-14)


@given(SYMBOLS, st.data())
def test_renaming_symbols_changes_no_difference(values, data):
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    names = {"red": "z", "green": "y", "blue": "x", None: None}
    here, codes = fit(ValueDifference(), values, y)
    there, others = fit(ValueDifference(), [names[v] for v in values], y)
    known = codes >= 0
    raw = here.block(codes[known], codes[known])
    assert np.array_equal(raw, there.block(others[known], others[known]))


def test_a_value_difference_without_classes_says_what_to_use_instead():
    with pytest.raises(InputError, match=r"'colour'.*overlap"):
        fit(ValueDifference(), ["a"])


@pytest.mark.parametrize(("settings", "told"), [({"power": 3}, "1 or 2"), ({"threshold": 0}, "from 1")])
def test_settings_out_of_range_are_refused(settings, told):
    with pytest.raises(InputError, match=told):
        ValueDifference(**settings)


@pytest.mark.parametrize("made", [Overlap(), ValueDifference(), ValueDifference(power=1, threshold=3)])
def test_a_symbolic_difference_comes_back_from_its_json(made):
    assert differences.get(made.to_json()) == made
