"""Correlation with the target, against NumPy's and against the definition pair by pair."""

import math
from fractions import Fraction

import numpy as np
import pytest

import nearwise as nw
from nearwise.cases.kinds import Cyclic, Numeric, Set, Symbolic, Text
from nearwise.errors import InputError
from nearwise.weighting.correlation import Correlation, distance_correlation


def learned(X, y, **settings):
    return Correlation().fit(X, y, **settings).feature_importances_


def test_numbers_have_the_correlation_of_numpy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1.0, 1e6, 1e-6]
    y = X[:, 0] - 2e6 * X[:, 2] + rng.normal(size=40)
    expected = [abs(np.corrcoef(x, y)[0, 1]) for x in X.T]
    assert learned(X, y) == pytest.approx(expected, rel=1e-10)


def test_holes_are_left_out_feature_by_feature():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = X.sum(axis=1) + 0.1
    X[:7, 0] = np.nan
    expected = [abs(np.corrcoef(X[7:, 0], y[7:])[0, 1]), abs(np.corrcoef(X[:, 1], y)[0, 1])]
    assert learned(X, y) == pytest.approx(expected, rel=1e-10)


def test_symbols_count_by_smoothed_target_means():
    symbols = ["a", "a", "b", "b", "b", "c"]
    y = np.array([1.5, 2.0, 4.0, 5.0, 3.0, 9.0])
    mean = y.mean()
    means = {s: (sum(v for u, v in zip(symbols, y, strict=True) if u == s) + 3 * mean) / (symbols.count(s) + 3)
             for s in "abc"}  # fmt: skip
    expected = np.corrcoef([means[s] for s in symbols], y)[0, 1]
    assert learned([[s] for s in symbols], y)[0] == pytest.approx(expected, rel=1e-12)


def test_a_case_of_weight_two_counts_as_two_cases():
    rng = np.random.default_rng(2)
    X = [[float(a), s] for a, s in zip(rng.normal(size=20), rng.choice(list("uvw"), 20), strict=True)]
    y, twice = rng.normal(size=20), np.arange(20) % 3
    rows = np.repeat(np.arange(20), twice)
    one = Correlation().fit(X, y, sample_weight=twice.astype(float)).feature_importances_
    assert one == pytest.approx(learned([X[i] for i in rows], y[rows]), rel=1e-9)


def test_two_classes_are_the_numbers_0_and_1():
    rng = np.random.default_rng(3)
    X = [[float(a), s] for a, s in zip(rng.normal(size=50), rng.choice(list("uvw"), 50), strict=True)]
    y = np.array([a[0] + (a[1] == "u") > 0.3 for a in X])
    numbers = nw.KNNRegressor(1, "corr").fit(X, y.astype(float)).feature_weights_.importances
    assert learned(X, np.where(y, "yes", "no")) == pytest.approx(numbers, rel=1e-9)


def test_more_classes_give_numbers_their_correlation_ratio():
    X = [[0.0], [1.0], [4.0], [5.0], [9.0], [11.0]]
    between = 2 * (np.array([0.5, 4.5, 10.0]) - 5) @ (np.array([0.5, 4.5, 10.0]) - 5)
    whole = np.square(np.array(X)[:, 0] - 5).sum()
    assert learned(X, list("aabbcc"))[0] == pytest.approx(np.sqrt(between / whole), rel=1e-12)


def test_numbers_on_a_circle_count_by_both_coordinates():
    hours = np.arange(48) % 24
    X = [{"hour": h, "plain": h} for h in hours.tolist()]
    y = np.sin(2 * np.pi * hours / 24 + 1.0)
    found = learned(X, y, schema={"hour": Cyclic(24), "plain": Numeric()})
    assert found[0] == pytest.approx(1.0, abs=1e-9)
    assert found[1] < 0.9


def test_other_kinds_count_by_their_pairs():
    rng = np.random.default_rng(4)
    size = rng.integers(1, 30, 60)
    X = [{"text": "x" * int(s), "noise": "y" * int(t), "tags": {"big"} if s > 15 else {"small", "tiny"}}
         for s, t in zip(size, rng.integers(1, 30, 60), strict=True)]  # fmt: skip
    schema = {"text": Text(), "noise": Text(), "tags": Set("symbols")}
    text, noise, tags = learned(X, size + 0.5, schema=schema)
    assert text > 0.7
    assert tags > 0.5
    assert noise < 0.3


def test_distance_correlation_is_its_definition():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=9), rng.normal(size=9)
    a, b = np.abs(x[:, None] - x), np.abs(y[:, None] - y)

    def centred(d, i, j):
        n = len(d)
        return d[i, j] - d[i].sum() / (n - 2) - d[j].sum() / (n - 2) + d.sum() / ((n - 1) * (n - 2))

    pairs = [(i, j) for i in range(9) for j in range(9) if i != j]

    def inner(c, d):
        return sum(centred(c, i, j) * centred(d, i, j) for i, j in pairs)

    expected = np.sqrt(max(0.0, inner(a, b) / np.sqrt(inner(a, a) * inner(b, b))))
    assert distance_correlation(a, b) == pytest.approx(expected, abs=1e-9)


def test_constant_features_and_targets_have_no_weight():
    X = [[1.0, 0.1, "a"], [1.0, 0.2, "a"], [1.0, 0.7, "a"]]
    assert learned(X, [0.1, 0.5, 0.2], schema={"x2": Symbolic()})[[0, 2]].tolist() == [0.0, 0.0]
    with pytest.warns(match="weights of all features are 0"):
        nw.KNNRegressor(1, "corr").fit(X, [2.5, 2.5, 2.5])


def test_adding_and_forgetting_numbers_equals_one_fit():
    rng = np.random.default_rng(6)
    X = [{"a": float(a), "s": s} for a, s in zip(rng.normal(size=40), rng.choice(list("uvw"), 40), strict=True)]
    y = [x["a"] + (x["s"] == "u") for x in X]
    model = nw.KNNRegressor(3, "corr").fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert model.feature_weights_ == nw.KNNRegressor(3, "corr").fit(X, y).feature_weights_
    model.forget(np.arange(10))
    assert model.feature_weights_ == nw.KNNRegressor(3, "corr").fit(X[10:], y[10:]).feature_weights_
    assert Correlation().fit(X[:25], y[:25]).partial_fit(X[25:], y[25:]).weights_ == Correlation().fit(X, y).weights_


def test_further_numbers_may_all_be_whole():
    X = np.random.default_rng(7).normal(size=(8, 2))
    y = np.array([0.5, 1.0, 2.0, 3.0, 1.0, 2.0, 4.0, 0.0])
    for name in ("corr", "ig", "mdw", "sd"):
        method = nw.weighting.methods()[name]
        added = method().fit(X[:4], y[:4]).partial_fit(X[4:], y[4:])
        assert added.feature_importances_ == pytest.approx(method().fit(X, y).feature_importances_, rel=1e-9)


def test_parameters_are_checked():
    with pytest.raises(InputError, match="prior=-1: expected a number from 0"):
        Correlation(prior=-1).fit([[1.0], [2.0]], [0.5, 1.5])
    with pytest.raises(InputError, match="n_pairs=1: expected a whole number from 4"):
        Correlation(n_pairs=1).fit([[1.0], [2.0]], [0.5, 1.5])


def exact_correlation(x, y):
    """By fractions, which round nowhere but at the end."""
    x, y = [Fraction(float(v)) for v in x], [Fraction(float(v)) for v in y]
    n, sx, sy = len(x), sum(x), sum(y)
    xx, yy = n * sum(v * v for v in x) - sx * sx, n * sum(v * v for v in y) - sy * sy
    xy = n * sum(a * b for a, b in zip(x, y, strict=True)) - sx * sy
    return math.sqrt(xy * xy / (xx * yy))


@pytest.mark.parametrize("scale", [1.0, 1e290, 1e-300, 5e-324])
def test_numbers_of_any_size_far_from_0_keep_their_digits(scale):
    rng = np.random.default_rng(8)
    x, y = rng.integers(-99, 99, 60) * scale, rng.normal(size=60) * 1e-3 + 1e9
    assert learned(x[:, None], y)[0] == pytest.approx(exact_correlation(x, y), rel=1e-15)
    far = x + 2.0**40 * scale
    assert learned(far[:, None], y)[0] == pytest.approx(exact_correlation(far, y), rel=1e-15)


def test_symbols_of_targets_far_from_0_keep_their_digits():
    rng = np.random.default_rng(9)
    symbols, near = rng.choice(list("abc"), 50), rng.integers(-9, 9, 50) / 64 + 0.1
    X = [[str(s)] for s in symbols]
    whole = np.round(near * 1024) / 1024
    assert learned(X, whole + 2.0**30)[0] == pytest.approx(learned(X, whole)[0], rel=1e-12)
    assert learned(X, whole * 1e-300)[0] == pytest.approx(learned(X, whole)[0], rel=1e-12)


def test_no_order_of_the_cases_changes_a_bit():
    rng = np.random.default_rng(10)
    X = [{"a": float(a), "s": str(s), "h": float(h)} for a, s, h in
         zip(rng.normal(size=90), rng.choice(list("uvwx"), 90), rng.integers(0, 24, 90), strict=True)]  # fmt: skip
    X[3]["a"] = X[7]["s"] = None
    for y in (rng.normal(size=90) + 1e6, rng.choice(["p", "q", "r"], 90)):
        moved = rng.permutation(90)
        schema = {"h": Cyclic(24)}
        one = Correlation().fit(X, y, schema=schema).feature_importances_
        assert one.tolist() == learned([X[i] for i in moved], y[moved], schema=schema).tolist()
        kept = Correlation().fit(X, y, schema=schema).remove(np.arange(40)).feature_importances_
        assert kept.tolist() == learned(X[40:], y[40:], schema=schema).tolist()


def test_a_circle_of_two_hours_is_a_line():
    X = [{"hour": h} for h in (1.0, 1.0, 7.0, 7.0)]
    y = np.array([0.0, 1.0, 2.0, 4.5])
    flag = np.array([0.0, 0.0, 1.0, 1.0])
    assert learned(X, y, schema={"hour": Cyclic(24)})[0] == pytest.approx(np.corrcoef(flag, y)[0, 1], rel=1e-12)
    rng = np.random.default_rng(11)
    hours, y = rng.uniform(0, 24, 50), rng.normal(size=50)
    angle = hours / 24 * 2 * np.pi
    design = np.stack([np.ones(50), np.cos(angle), np.sin(angle)], axis=1)
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    expected = np.sqrt(1 - np.square(left).sum() / np.square(y - y.mean()).sum())
    assert learned([{"h": h} for h in hours], y, schema={"h": Cyclic(24)})[0] == pytest.approx(expected, rel=1e-9)
