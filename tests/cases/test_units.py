"""Intervals of equal width are the same whatever the unit: powers of ten do not move a value over a cut."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from nearwise import KNNClassifier
from nearwise.cases.cuts import find_cuts
from nearwise.weighting import InformationGain

POWERS = st.integers(-9, 9)
DECIMALS = st.lists(st.one_of(st.integers(-9, 49), st.integers(-99_999, 99_999)), min_size=2, max_size=30)
FEW = st.lists(st.integers(0, 36), min_size=4, max_size=30)  # cuts meet values all the time


def in_units(whole, power):
    """Decimals three ways: correctly rounded, by a product and by a quotient, which round differently."""
    whole = np.array(whole, dtype=float)
    read = np.array([float(f"{int(v)}e{power}") for v in whole])
    return [read, whole * 10.0**power, whole / 10.0**-power]


def exact_cells(whole, asked, bins):
    """floor((x - low) * bins / (high - low)) in whole numbers, the maximum in the last bin."""
    low, high = min(whole), max(whole)
    if low == high:
        return [0] * len(asked)
    return [min(max(int(Fraction((v - low) * bins, high - low) // 1), 0), bins - 1) for v in asked]


@example(whole=[1, 4], asked=[3], power=-1, bins=3)
@example(whole=[20, 44], asked=[29, 38, 41], power=-1, bins=8)
@given(whole=st.one_of(FEW, DECIMALS), asked=DECIMALS, power=POWERS, bins=st.integers(1, 20))
def test_equal_width_cells_are_the_exact_ones_in_every_power_of_ten(whole, asked, power, bins):
    asked = [*asked, *range(37)]
    expected = exact_cells(whole, [*whole, *asked], bins)
    for values, queries in zip(in_units(whole, power), in_units(asked, power), strict=True):
        cuts = find_cuts("width", bins, "x", np.sort(values))
        assert cuts.place(np.concatenate([values, queries])).tolist() == expected


@given(whole=st.one_of(FEW, DECIMALS), power=POWERS, seed=st.integers(0, 99))
def test_gain_and_interpolated_differences_do_not_depend_on_the_power_of_ten(whole, power, seed):
    y = np.random.default_rng(seed).choice(["u", "v", "w"], len(whole))
    plain = np.array(whole, dtype=float)[:, None]
    gain = InformationGain(discretise="width").fit(plain, y).feature_importances_
    near = {by: _distances(plain, y, by) for by in ("ivdm", "wvdm")}
    for values in in_units(whole, power):
        found = InformationGain(discretise="width").fit(values[:, None], y).feature_importances_
        assert found.tolist() == gain.tolist()
        for by, expected in near.items():
            np.testing.assert_allclose(_distances(values[:, None], y, by), expected, rtol=0, atol=1e-7)


def _distances(X, y, by):
    model = KNNClassifier(1, "none", differences={"Numeric": by}).fit(X, y)
    order = np.argsort(model.kneighbors(X, len(X))[1], axis=1)
    return np.take_along_axis(model.kneighbors(X, len(X))[0], order, axis=1)


def test_numbers_closer_together_than_rounding_keep_their_order():
    values = 1.7e18 + 256.0 * np.arange(9)  # one unit in the last place apart
    assert find_cuts("width", 4, "x", values).place(values).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    wide = np.array([-1e308, -1e300, 0.0, 1e308])
    assert find_cuts("width", 2, "x", wide).place(wide).tolist() == [0, 0, 1, 1]


def test_iris_has_the_same_gain_and_cells_in_centimetres_and_millimetres():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    ways = [X, X * 10, np.round(X * 10), X / 100]
    cells = [[find_cuts("width", 8, "x", np.sort(c)).place(c).tolist() for c in given.T] for given in ways]
    assert all(one == cells[0] for one in cells)
    gains = [InformationGain(discretise="width").fit(given, y).feature_importances_.tolist() for given in ways]
    assert all(one == gains[0] for one in gains)
