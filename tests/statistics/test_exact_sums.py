"""Exact sums against fractions: any magnitude, any order, any split, with the native core and without."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise.errors import InputError
from nearwise.native import core
from nearwise.statistics.counts import exact_sums as module
from nearwise.statistics.counts.exact_sums import ExactSums, exact_sums

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, 2.0**53 - 1, -(2.0**53) + 1, 2.2250738585072014e-308, 0.1]
)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.integers(-1, 3)), max_size=30)


@pytest.fixture(params=["core", "numpy"], autouse=True)
def way(request, monkeypatch):
    """Both ways in turn; that without the core in chunks of a few cases."""
    if request.param == "core" and core() is None:
        pytest.skip("the native core is not built")
    if request.param == "numpy":
        monkeypatch.setenv("NEARWISE_NATIVE", "0")
    monkeypatch.setattr(module, "CHUNK", 7)
    monkeypatch.setattr(module, "MOST", 11)


def slow(columns, groups, n_groups: int) -> list[Fraction]:
    totals = [Fraction(0)] * n_groups
    for row, group in zip(zip(*columns, strict=True), groups, strict=True):
        if group >= 0 and not any(math.isnan(x) for x in row):
            totals[group] += math.prod(map(Fraction, row))
    return totals


def nearest(exact: Fraction) -> float:
    try:
        return float(exact)  # Python rounds a fraction to the nearest double, a tie to the even one
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@settings(deadline=None)
@given(ROWS, st.integers(1, 3), st.integers(-1200, 1200))
def test_sums_of_products_are_those_of_fractions(rows, k: int, exponent: int) -> None:
    columns = [np.array([row[j] for row in rows]) for j in range(k)]
    groups = np.array([row[3] for row in rows], dtype=np.int32)
    found = exact_sums(columns, groups, 4)
    expected = slow(columns, groups, 4)
    assert found.exact() == expected
    assert found.rounded().tolist() == [nearest(x) for x in expected]
    assert found.rounded(exponent).tolist() == [nearest(x / Fraction(2) ** exponent) for x in expected]
    assert exact_sums(columns).exact() == slow(columns, [0] * len(rows), 1)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 30), st.integers(0, 30))
def test_any_split_in_any_order_has_the_same_bits(rows, chance, one: int, two: int) -> None:
    def sums(some) -> ExactSums:
        columns = [np.array([row[j] for row in some]) for j in range(2)]
        return exact_sums(columns, np.array([row[3] for row in some], dtype=np.int32), 4)

    whole = sums(rows)
    ends = sorted(min(end, len(rows)) for end in (one, two))
    parts = [sums(rows[: ends[0]]), sums(rows[ends[0] : ends[1]]), sums(rows[ends[1] :])]
    chance.shuffle(parts)
    merged = parts[0].merge(parts[1]).merge(parts[2])
    assert merged.exact() == whole.exact()
    assert merged.rounded().tobytes() == whole.rounded().tobytes()
    left = merged.remove(parts[1])
    assert left.exact() == parts[0].merge(parts[2]).exact()
    assert not any(whole.remove(merged).exact())


def test_ties_go_to_the_even_double_and_one_bit_beyond_decides() -> None:
    even, odd = 2.0**53, 2.0**53 + 2.0
    assert exact_sums([np.array([even, 1.0])]).rounded()[0] == even
    assert exact_sums([np.array([odd, 1.0])]).rounded()[0] == 2.0**53 + 4.0
    assert exact_sums([np.array([even, 1.0, 5e-324])]).rounded()[0] == 2.0**53 + 2.0
    assert exact_sums([np.array([1e308, 1e308, -1e308, 1.0])]).rounded()[0] == 1e308
    assert exact_sums([np.array([1e308, 1e308])]).rounded().tolist() == [math.inf]


def test_small_numbers_are_rounded_once() -> None:
    rng = np.random.default_rng(0)
    for power in (-1022, -1040, -1060, -1073, -1076, -1090, -1140):
        a, b = (np.ldexp(rng.integers(1, 2**53, 50).astype(float), at) for at in (power + 900, -953))
        found = exact_sums([a, b], np.arange(50), 50)
        assert found.rounded().tolist() == [float(x) for x in found.exact()]


def test_missing_numbers_are_left_out_and_infinite_ones_are_refused() -> None:
    x, y = np.array([1.0, np.nan, 3.0]), np.array([2.0, 5.0, np.nan])
    assert exact_sums([x, y]).rounded().tolist() == [2.0]
    with pytest.raises((InputError, ValueError), match="finite"):
        exact_sums([np.array([1.0, -np.inf])])


def test_groups_move_with_their_sums() -> None:
    sums = exact_sums([np.array([0.1, 0.2, 0.7])], np.array([0, 1, 0]), 2)
    assert sums.take(np.array([1, -1, 0])).rounded().tolist() == [0.2, 0.0, 0.7999999999999999]
    assert ExactSums.nothing(0).take(np.array([-1])).rounded().tolist() == [0.0]


def test_the_core_refuses_what_it_cannot_add_up() -> None:
    native = core()
    if native is None:
        pytest.skip("the native core is switched off")
    one = np.ones(3)
    for told, why in [
        (([], None, 1), "one to three"), (([one, np.ones(2)], None, 1), "shape"), (([one], None, 2), "n_groups"),
        (([one], np.array([0, 1, 2], dtype=np.int32), 2), "below n_groups"), (([one[:, None]], None, 1), "dimension"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=why):
            native.exact_sums(*told)
