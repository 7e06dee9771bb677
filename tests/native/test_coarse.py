"""Bytes propose, double precision decides: the answers are those of the plain scan to the last bit."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

TIE = 1e-12


def table(rng, n, d, s, shape="normal"):
    """(n, d + s) numbers, then symbols of which some are missing."""
    X = rng.normal(size=(n, d)) * rng.choice([0.01, 1.0, 30.0], d)
    if shape == "outliers":
        X[rng.random(n) < 0.03] *= 1e4
    if shape == "clusters":
        X += rng.choice([0.0, 50.0], (n, 1))
    if shape == "grid":
        X = np.round(X)
    if shape == "equal":
        X = np.ones((n, d))
    codes = rng.integers(0, 4, (n, s)).astype(float)
    codes[rng.random((n, s)) < 0.1] = np.nan
    return np.hstack([X, codes])


def both(core, X, Q, d, *, power=2, segments=1, k=5, leave_out=None, seed=0, threads=1):
    """What the bytes and what the plain scan answer."""
    rng = np.random.default_rng(seed)
    n, p = X.shape
    segment = np.sort(rng.integers(0, segments, n)).astype(np.int32)
    coefficients = rng.random((segments, p)) * (rng.random((segments, p)) < 0.8)
    one = np.where(np.arange(p) < d, 9.0, 1.0)
    both_missing = np.where(rng.random(p) < 0.5, 0.0, one)
    symbol = (np.arange(p) >= d).astype(np.uint8)
    columns = [np.nan_to_num(x, nan=-1).astype(np.int32) if is_one else x.copy() for x, is_one in zip(X.T, symbol)]
    index = core.CoarseIndex(columns, symbol, segment, coefficients, one, both_missing, power)
    skip = np.full(len(Q), -1) if leave_out is None else leave_out
    codes, values = rng.integers(0, 3, n).astype(np.int32), rng.random((n, 1))
    fast = index.nearest(Q, skip, k, TIE, codes, values, 3, threads) if index.is_usable else None
    bounds = np.searchsorted(segment, np.arange(segments + 1)).astype(np.int64)
    plain = core.ScanCases(
        np.ascontiguousarray(X.T), symbol, bounds, coefficients, one, both_missing, power, np.arange(n)
    )
    slow = plain.nearest(Q, skip, k, TIE, codes, values, 3, 1)
    return fast, slow


def agree(fast, slow):
    served = fast[5] >= 0
    for ours, theirs in zip(fast[:4], slow[:4], strict=True):
        np.testing.assert_array_equal(ours[served], theirs[served])
    np.testing.assert_allclose(fast[4][served], slow[4][served], rtol=1e-12)
    return served


@settings(max_examples=examples(100), deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 400),
    st.integers(0, 9),
    st.integers(0, 4),
    st.sampled_from(["normal", "outliers", "clusters", "grid", "equal"]),
    st.sampled_from([1, 2]),
    st.integers(1, 3),
    st.sampled_from([1, 2, 7, 500]),
)
def test_bytes_equal_the_plain_scan(core, seed, n, d, s, shape, power, segments, k):
    if d + s == 0:
        return
    rng = np.random.default_rng(seed)
    X, Q = table(rng, n, d, s, shape), table(rng, 9, d, s, shape)
    fast, slow = both(core, X, Q, d, power=power, segments=segments, k=k, seed=seed)
    assert fast is not None
    agree(fast, slow)
    fast, slow = both(
        core, X, X[:9], d, power=power, segments=segments, k=k, leave_out=np.arange(len(X[:9])), seed=seed
    )
    agree(fast, slow)


def test_most_queries_are_served_also_beside_outliers(core):
    rng = np.random.default_rng(0)
    X, Q = table(rng, 5_000, 8, 2, "outliers"), table(rng, 200, 8, 2, "outliers")
    fast, slow = both(core, X, Q, 8, k=10)
    assert agree(fast, slow).mean() > 0.9


def test_queries_far_away_or_with_missing_numbers_are_left_to_others(core):
    X = table(np.random.default_rng(0), 100, 3, 0)
    Q = np.array([[1e9, 0.0, 0.0], [np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0], [0.0, 0.0, 0.0]])
    fast, slow = both(core, X, Q, 3)
    assert (fast[5] >= 0).tolist() == [False, False, False, True]
    agree(fast, slow)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
def test_numbers_that_bytes_cannot_hold_make_the_index_unusable(core, wrong):
    X = np.ones((4, 2))
    X[1, 1] = wrong
    arguments = ([X[:, 0].copy(), X[:, 1].copy()], np.zeros(2, np.uint8), np.zeros(4, np.int32), np.ones((1, 2)))
    index = core.CoarseIndex(*arguments, np.ones(2), np.ones(2), 2)
    assert not index.is_usable
    with pytest.raises(ValueError, match="bytes cannot hold"):
        index.nearest(X, np.full(4, -1), 1, TIE, np.zeros(4, np.int32), np.zeros((4, 1)), 1, 1)


def test_wide_tables_and_many_symbols(core):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, 700)), rng.normal(size=(6, 700))
    agree(*both(core, X, Q, 700))
    X[:, 350:], Q[:, 350:] = rng.integers(0, 20_000, (300, 350)), rng.integers(0, 40_000, (6, 350))
    agree(*both(core, X, Q, 350))


def test_every_instruction_set_gives_the_same_bits(core, tmp_path):
    """Bytes and single precision; only how many cases they propose may differ."""
    made = """
import sys, numpy as np
import nearwise._core as core
assert core.instruction_set() == sys.argv[2]
rng = np.random.default_rng(0)
found = []
for d in (1, 4, 7, 18):
    X, Q, S = rng.normal(size=(500, d)), rng.normal(size=(20, d + 3)), rng.integers(0, 4, (500, 3)).astype(np.int32)
    Q[:, d:] = rng.integers(0, 4, (20, 3))
    for is_holed, power in ((False, 1), (False, 2), (False, 2.5), (False, 3), (True, 1), (True, 2), (True, 2.5)):
        X[::9, 0] = np.nan if is_holed else 0.5
        columns = [*(X[:, f].copy() for f in range(d)), *(S[:, f].copy() for f in range(3))]
        table = (columns, np.repeat([0, 1], [d, 3]).astype(np.uint8), np.zeros(500, np.int32), np.ones((1, d + 3)),
                 np.ones(d + 3), np.ones(d + 3), power)
        asked = (Q, np.full(20, -1), 9, 1e-12, np.zeros(500, np.int32), np.ones((500, 1)), 1)
        if power <= 2 and not is_holed:
            found += core.CoarseIndex(*table).nearest(*asked, 1)[:-1]
        for form in {1: [2], 2: [1] if is_holed else [0, 1]}.get(power, [3]):
            found += core.DenseIndex(*table).nearest(*asked, form)[:-1]
np.savez(sys.argv[1], *found)
"""
    answers = []
    for wish in core.instruction_sets():
        path = tmp_path / f"{wish}.npz"
        environment = {**os.environ, "NEARWISE_INSTRUCTIONS": wish}
        subprocess.run([sys.executable, "-c", made, str(path), wish], env=environment, check=True)
        with np.load(path) as found:
            answers.append([found[name] for name in found.files])
    for answer in answers[1:]:
        for mine, first in zip(answer, answers[0], strict=True):
            np.testing.assert_array_equal(mine, first)


@pytest.mark.parametrize("power", [1, 2])
def test_cases_nearer_than_16_bits_can_tell_are_told_apart(core, power):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3)) * 1e-6
    X[0] = 1.0  # 16 bits have steps of 3e-5 up to it
    fast, slow = both(core, X, X[:60] + 1e-8, 3, power=power, k=4)
    assert agree(fast, slow).mean() > 0.8


def test_a_feature_without_weight_has_no_say_whatever_it_holds(core):
    rng = np.random.default_rng(4)
    X, Q = rng.normal(size=(200, 2)), rng.normal(size=(20, 2))
    X[::3, 1], Q[::2, 1] = np.nan, np.inf
    columns = [X[:, 0].copy(), X[:, 1].copy()]
    table = (columns, np.zeros(2, np.uint8), np.zeros(200, np.int32), np.array([[1.0, 0.0]]), np.ones(2), np.ones(2), 2)
    asked = (Q, np.full(20, -1), 5, TIE, np.zeros(200, np.int32), np.ones((200, 1)), 1)
    found, single = core.CoarseIndex(*table).nearest(*asked), core.DenseIndex(*table).nearest(*asked, 1)
    expected = np.argsort(np.square(Q[:, :1] - X[:, 0]), axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(found[1], expected)
    np.testing.assert_array_equal(single[1], expected)
    assert (found[5] >= 0).all()


@pytest.mark.parametrize("made", ["CoarseIndex", "DenseIndex"])
def test_one_segment_needs_no_array(core, made):
    X = np.random.default_rng(5).normal(size=(50, 2))
    columns, nothing, ones = [X[:, 0].copy(), X[:, 1].copy()], np.zeros(2, np.uint8), np.ones(2)
    asked = (X, np.full(50, -1), 3, TIE, np.zeros(50, np.int32), np.ones((50, 1)), 1)
    asked = (*asked, 1) if made == "DenseIndex" else asked
    answers = [
        getattr(core, made)(columns, nothing, segment, np.ones((1, 2)), ones, ones, 2).nearest(*asked)
        for segment in (None, np.zeros(50, np.int32))
    ]
    for ours, theirs in zip(*answers, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="segment must be there"):
        getattr(core, made)(columns, nothing, None, np.ones((2, 2)), ones, ones, 2)
