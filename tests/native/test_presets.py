"""Coding, sorting, counting and cutting in the core against what NumPy gives, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=True),
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2.0**-52, 1.0 - 2.0**-53, 5e-324, -5e-324, 1.7e308]),
)


def expected_order(values, codes):
    kept = [(v + 0.0, c) for v, c in zip(values, codes, strict=True) if not np.isnan(v)]
    return sorted(kept, key=lambda pair: pair[0])  # stable


@given(values=st.lists(numbers, max_size=60))
def test_pairs_are_sorted_by_number_and_equals_keep_their_order(core, values):
    codes = np.arange(len(values), dtype=np.int32)
    ordered, carried = core.sort_pairs(np.array(values, dtype=float), codes)
    expected = expected_order(values, codes.tolist())
    assert list(zip(ordered.tolist(), carried.tolist(), strict=True)) == expected
    assert not np.signbit(ordered[ordered == 0]).any()


@pytest.mark.parametrize("spread", ["wide", "narrow", "far outlier", "equal"])
def test_many_pairs_are_sorted_whatever_their_spread(core, spread):
    rng = np.random.default_rng(0)
    values = rng.standard_normal(5000)
    if spread == "narrow":  # differ in the last bits only
        values = 1e9 + rng.integers(0, 4000, 5000) * 2.0**-23
    elif spread == "far outlier":  # the first 33 bits that differ are the same in all others
        values = 1.0 + rng.integers(0, 2000, 5000) * 2.0**-52
        values[17] = -1e300
    elif spread == "equal":
        values = np.full(5000, 0.1)
    codes = rng.integers(0, 9, 5000).astype(np.int32)
    ordered, carried = core.sort_pairs(values, codes)
    order = np.argsort(values, kind="stable")
    np.testing.assert_array_equal(ordered, values[order])
    np.testing.assert_array_equal(carried, codes[order])


@given(
    cases=st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 2), st.sampled_from([0.0, 0.5, 2.0])), max_size=40),
    many=st.booleans(),
)
def test_codes_are_counted_as_a_loop_does(core, cases, many):
    v, c = (900, 5) if many else (5, 3)  # the larger table is not kept in copies
    rows, columns, weights = (np.array([case[k] for case in cases], dtype=t) for k, t in enumerate("iid"))
    expected, sums = np.zeros((v, c)), np.zeros((v, c))
    for row, column, weight in cases:
        if row >= 0 and column >= 0:
            expected[row, column] += 1
            sums[row, column] += weight
    counted, none = core.count_codes(rows, columns, v, c)
    assert none is None
    np.testing.assert_array_equal(counted, expected)
    counted, weighed = core.count_codes(rows, columns, v, c, weights)
    np.testing.assert_array_equal(counted, expected)
    np.testing.assert_array_equal(weighed, sums)


CODES = np.array([0, 1], dtype=np.int32)
NUMBERS = np.array([1.0, 2.0])
TABLE = np.zeros(4, dtype=np.int64)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda core: core.distinct(CODES), "rows must be an array of uint8"),
        (lambda core: core.distinct(np.zeros(3, dtype=np.uint8)), "rows must have 2 dimension"),
        (lambda core: core.sort_pairs(NUMBERS, CODES[:1]), "codes must have shape"),
        (lambda core: core.sort_pairs(NUMBERS.astype(np.float32), CODES), "values must be an array of float64"),
        (lambda core: core.count_codes(CODES, CODES, 1, 2), "rows must be below n_rows"),
        (lambda core: core.count_codes(CODES, CODES, 2, 1), "columns below n_columns"),
        (lambda core: core.count_codes(CODES, CODES, -1, 2), "n_rows and n_columns"),
        (lambda core: core.count_codes(CODES, CODES, 2, 2, NUMBERS[:1]), "weights must have shape"),
        (lambda core: core.mdl_cuts(NUMBERS[::-1].copy(), CODES, None, np.zeros(3), TABLE, 1.0), "must ascend"),
        (lambda core: core.mdl_cuts(NUMBERS, CODES, None, np.zeros(2), TABLE, 1.0), "classes be in"),
        (lambda core: core.mdl_cuts(NUMBERS, CODES, TABLE[:2], np.zeros(3), TABLE, 1.0), "cases be positive"),
        (lambda core: core.mdl_cuts(NUMBERS, CODES, None, np.zeros(3), TABLE[:1], 1.0), "table must begin"),
        (lambda core: core.mdl_cuts(np.array([1.0, np.nan]), CODES, None, np.zeros(3), TABLE, 1.0), "must ascend"),
    ],
)
def test_what_does_not_fit_is_refused_at_the_border(core, call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(core)
