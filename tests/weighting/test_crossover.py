"""Crossovers never leave the simplex, and CUCO does what the paper works out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.weighting.crossover import CROSSOVERS, continuous_uniform, normalised, strided, upper

every_crossover = pytest.mark.parametrize("crossover", CROSSOVERS.values(), ids=list(CROSSOVERS))


@st.composite
def parents(draw, min_features=1):
    """(x, y), a few pairs of vectors that sum to 1, with zeros, equal weights and weights that differ by a hair."""
    p, q = draw(st.integers(min_features, 6)), draw(st.integers(1, 4))
    weight = st.one_of(st.just(0.0), st.integers(1, 3).map(float), st.floats(0, 1), st.floats(1.0, 1.0 + 1e-14))
    rows = st.lists(st.lists(weight, min_size=p, max_size=p), min_size=q, max_size=q)
    return normalised(np.array(draw(rows))), normalised(np.array(draw(rows)))


def test_the_worked_example_of_the_paper():
    x, y = np.array([[0.4, 0.6]]), np.array([[0.5, 0.5]])
    assert upper(x, y) == pytest.approx([5.0])
    one, two = strided(x, y, np.array([3.0]))
    assert one[0] == pytest.approx([0.2, 0.8])
    assert two[0] == pytest.approx([0.7, 0.3])
    mirrored = strided(x, y, np.array([-2.0]))  # s = -2 is symmetric to s = 3
    assert mirrored[0][0] == pytest.approx([0.7, 0.3])
    assert mirrored[1][0] == pytest.approx([0.2, 0.8])


@every_crossover
@given(pair=parents(), seed=st.integers(0, 2**32 - 1))
def test_children_stay_in_the_simplex(crossover, pair, seed):
    for children in crossover(*pair, np.random.default_rng(seed), 0.5):
        assert children.shape == pair[0].shape
        assert (children >= 0).all()
        assert (children <= 1).all()
        np.testing.assert_allclose(children.sum(axis=1), 1.0, rtol=1e-12)


@given(pair=parents(), seed=st.integers(0, 2**32 - 1))
def test_the_stride_keeps_to_its_legal_range(pair, seed):
    """Children on the line through the parents: outside of them where upper > 1, between them where it is 1."""
    x, y = pair
    for a, b, c in zip(x, y, continuous_uniform(x, y, np.random.default_rng(seed))[0], strict=True):
        gaps = [(b[i], a[i]) for i in range(len(a)) if a[i] != b[i]]
        if not gaps:
            np.testing.assert_allclose(c, a, atol=1e-12)
            continue
        most = min(max(pair) / abs(pair[0] - pair[1]) for pair in gaps)
        i = int(np.abs(a - b).argmax())
        if abs(a[i] - b[i]) < 1e-6:
            continue  # the stride cannot be told from rounding
        s = 1.0 + (c[i] - a[i]) / (a[i] - b[i])
        low, high = (1.0, most) if most > 1 + 1e-12 else (0.5, 1.0)
        assert low - 1e-6 <= s <= high * (1 + 1e-6)


@given(pair=parents(min_features=2), order=st.permutations(range(6)), seed=st.integers(0, 99))
def test_cuco_permutes_with_the_features(pair, order, seed):
    x, y = pair
    order = [i for i in order if i < x.shape[1]]
    plain = continuous_uniform(x, y, np.random.default_rng(seed))
    moved = continuous_uniform(x[:, order], y[:, order], np.random.default_rng(seed))
    for one, two in zip(plain, moved, strict=True):
        close = np.abs(x - y).max(axis=1) > 1e-6  # beyond, rounding decides where the stride leads
        np.testing.assert_allclose(two[close], one[:, order][close], atol=1e-9)


def origins(crossover):
    """Which sides the weights of first children come from, over many draws: 0 the first parent, 1 the second."""
    x, y = np.tile([[1.0, 2.0, 3.0, 4.0]], (500, 1)), np.tile([[5.0, 6.0, 7.0, 8.0]], (500, 1))
    pairs = zip(*crossover(x, y, np.random.default_rng(0), 0.5), strict=True)
    return {tuple((_raw(one, two) > 4).astype(int).tolist()) for one, two in pairs}


def test_one_point_cuts_at_an_inner_site():
    assert origins(CROSSOVERS["one-point"]) == {(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)}


def test_two_point_swaps_one_stretch_that_is_never_empty():
    seen = origins(CROSSOVERS["two-point"])
    assert all(_runs(sides) == 1 for sides in seen)
    assert len(seen) == 10


def test_uniform_swaps_any_weights():
    assert len(origins(CROSSOVERS["uniform"])) == 16


def _raw(one, two):
    """The child before it was divided by its sum: both children together hold 1 .. 8, so the sums are known."""
    for total in range(10, 27):
        raw = one * total
        if np.allclose(raw, np.round(raw)) and np.allclose(two * (36 - total), np.round(two * (36 - total))):
            first, second = np.round(raw), np.round(two * (36 - total))
            if sorted([*first, *second]) == list(range(1, 9)):
                return first
    raise AssertionError("no sum fits")


def _runs(sides):
    return sum(side and not (i and sides[i - 1]) for i, side in enumerate(sides))


def test_a_vector_of_zeros_becomes_uniform():
    assert normalised(np.zeros((1, 4))).tolist() == [[0.25] * 4]
