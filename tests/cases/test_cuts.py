"""Cuts against Fayyad & Irani's criterion written out as a recursion over cases."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases import mdl as module
from nearwise.cases.cuts import Cuts, equal_frequency, equal_width, find_cuts, mdl
from nearwise.cases.mdl import sorted_pairs
from nearwise.errors import InputError


def entropy(cases):
    total = sum(w for _, _, w in cases)
    out = 0.0
    for label in {c for _, c, _ in cases}:
        share = sum(w for _, c, w in cases if c == label) / total
        out -= share * math.log2(share)
    return out


def slow_mdl(cases):
    """Every cut between different values is tried, not only boundary points; cases are (value, class, weight)."""
    cases = sorted(case for case in cases if case[2] > 0)
    n = sum(w for _, _, w in cases)
    best, least = None, math.inf
    for i in range(1, len(cases)):
        if cases[i - 1][0] == cases[i][0]:
            continue
        left, right = cases[:i], cases[i:]
        n_left = sum(w for _, _, w in left)
        left_out = n_left / n * entropy(left) + (n - n_left) / n * entropy(right)
        if left_out < least - 1e-11:
            best, least = i, left_out
    if best is None:
        return []
    left, right = cases[:best], cases[best:]
    k, k1, k2 = (len({c for _, c, _ in part}) for part in (cases, left, right))
    delta = math.log2(3**k - 2) - (k * entropy(cases) - k1 * entropy(left) - k2 * entropy(right))
    if not entropy(cases) - least > (math.log2(max(n - 1, 1)) + delta) / n:
        return []
    return [*slow_mdl(left), (cases[best - 1][0] + cases[best][0]) / 2, *slow_mdl(right)]


def both_ways(monkeypatch_native, *arguments):
    """The cuts of the core, which must be those of NumPy."""
    one = mdl(*arguments)
    monkeypatch_native.setenv("NEARWISE_NATIVE", "0")
    two = mdl(*arguments)
    monkeypatch_native.delenv("NEARWISE_NATIVE", raising=False)
    assert one.tolist() == two.tolist()
    return one.tolist()


def drawn(seed, weights):
    """Up to 60 cases of up to 4 classes whose values depend on the class more or less."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    classes = rng.integers(0, c, n)
    values = np.round(classes * rng.choice([0.0, 1.0, 3.0]) + rng.standard_normal(n), int(rng.integers(0, 3)))
    return values, classes, rng.choice(weights, n)


@pytest.mark.parametrize("weights", [[1.0], [0.0, 1.0, 3.0], [0.5, 1.25, 2.0]], ids=["cases", "whole", "weights"])
def test_mdl_equals_the_recursion_over_every_cut(weights, monkeypatch):
    cut = 0
    for seed in range(150):
        values, classes, weighs = drawn(seed, weights)
        order = np.argsort(values, kind="stable")
        given_weights = None if weights == [1.0] else weighs[order]
        found = both_ways(monkeypatch, values[order], classes[order], given_weights)
        assert found == pytest.approx(slow_mdl(list(zip(values, classes, weighs, strict=True)))), seed
        cut += len(found)
    assert cut > 50  # or the criterion was never tried


def test_a_cut_worked_by_hand():
    # 1 1 1 | 2 2 2: gain 1 bit; log2(5)/6 + (log2(7) - 2)/6 = 0.387 + 0.135
    assert mdl(np.arange(6.0), np.array([0, 0, 0, 1, 1, 1])).tolist() == [2.5]
    # two cases: log2(1) + log2(7) - 2 = 0.807 < 2 * 1 bit, so even two cases are cut
    assert mdl(np.array([0.0, 1.0]), np.array([0, 1])).tolist() == [0.5]
    # u v u v: the best cut gains 0.311 bits, and a cut needs (log2(3) + log2(7) - ...)/4 = 0.7
    assert mdl(np.arange(4.0), np.array([0, 1, 0, 1])).tolist() == []


def test_of_equal_cuts_the_lowest_is_taken():
    # u v v v u and its mirror image: cutting off either u is equally good; both cuts are made in the end, or none
    classes = np.repeat([0, 1, 0], 30)
    assert mdl(np.arange(90.0), classes).tolist() == [29.5, 59.5]


@pytest.mark.parametrize("size", [0, 1])
def test_no_case_and_one_case_have_no_cut(size):
    assert mdl(np.arange(float(size)), np.zeros(size, dtype=int)).tolist() == []


def test_many_cases_cut_the_same_natively_and_not(monkeypatch):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 7, 20_000)
    for values in (rng.standard_normal(20_000) + classes, np.round(rng.standard_normal(20_000) + classes, 1)):
        ordered, carried = sorted_pairs(values, classes)
        assert len(both_ways(monkeypatch, ordered, carried, None)) > 5


def test_counts_beyond_the_table_are_computed(monkeypatch):
    values, classes = np.array([0.0, 1.0, 2.0]), np.array([0, 1, 1])
    many = np.array([10**7, 10**7, 3 * 10**7])
    expected = both_ways(monkeypatch, values, classes, many)
    monkeypatch.setattr(module, "LOOKED_UP", 50)
    module._kept.cache_clear()
    assert both_ways(monkeypatch, values, classes, many) == expected == [0.5]
    values, classes, weights = drawn(3, [1.0, 20.0])
    order = np.argsort(values, kind="stable")
    few = both_ways(monkeypatch, values[order], classes[order], weights[order])
    monkeypatch.undo()
    module._kept.cache_clear()
    assert few == mdl(values[order], classes[order], weights[order]).tolist()


@given(values=st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=True)), max_size=30))
def test_sorting_pairs_without_the_core_gives_the_same(values):
    codes = np.arange(len(values))
    with pytest.MonkeyPatch.context() as patch:
        one = sorted_pairs(np.array(values, dtype=float), codes)
        patch.setenv("NEARWISE_NATIVE", "0")
        two = sorted_pairs(np.array(values, dtype=float), codes)
    for a, b in zip(one, two, strict=True):
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist()
        assert np.signbit(a).tolist() == np.signbit(b).tolist()


@given(
    values=st.lists(st.one_of(st.integers(0, 5).map(float), st.floats(-9, 9)), min_size=1, max_size=40),
    bins=st.integers(1, 6),
)
def test_equal_frequency_puts_each_cut_next_to_its_share(values, bins):
    values = np.sort(np.array(values) + 0.0)
    found = equal_frequency(values, bins)
    cuts = [(a, b) for a, b in pairwise(values) if a != b]
    wanted = set()
    for k in range(1, bins):
        share = len(values) * k / bins
        nearest = min(cuts, key=lambda ab: abs(np.count_nonzero(values <= ab[0]) - share), default=None)
        wanted |= {nearest} - {None}
    assert len(found) == len(wanted)
    for point, (a, b) in zip(found, sorted(wanted), strict=True):
        assert a <= point < b


def test_ways_to_cut_are_told_apart_and_wrong_ones_refused():
    values, classes = np.arange(6.0), np.array([0, 0, 0, 1, 1, 1])
    assert find_cuts("width", 2, "x", values).points.tolist() == [2.5]
    assert find_cuts("frequency", 3, "x", values).points.tolist() == [1.5, 3.5]
    assert find_cuts({"x": [1, 4]}, 2, "x", values).points.tolist() == [1.0, 4.0]
    assert find_cuts({"z": [1, 4]}, 2, "x", values, classes).points.tolist() == [2.5]
    for wrong, sentence in (("widht", "'width'"), ([2, 1], "ascending"), (3, "ascending"), ("mdl", "looks at classes")):
        with pytest.raises(InputError, match=sentence):
            find_cuts(wrong, 2, "x", values)
    with pytest.raises(InputError, match="expected a whole number from 1"):
        find_cuts("frequency", 0, "x", values)


def test_a_value_at_a_cut_goes_where_the_cuts_say():
    assert Cuts(np.array([1.0])).place(np.array([0.5, 1.0, 2.0])).tolist() == [0, 1, 1]
    assert Cuts(np.array([1.0]), "right").place(np.array([0.5, 1.0, 2.0])).tolist() == [0, 0, 1]
    assert equal_width(np.array([5.0, 5.0]), 3).tolist() == []
