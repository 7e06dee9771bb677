"""Directions of the variance between classes: one answer whatever rounding, units and rotations do."""

import numpy as np
import pytest

from nearwise.statistics.descent.directions import directions


def moments(X, y):
    """T, class means and shares of a table (n, w)."""
    X = X - X.mean(axis=0)
    classes = np.unique(y)
    means = np.array([X[y == c].mean(axis=0) for c in classes])
    return X.T @ X / len(X), means, np.array([(y == c).mean() for c in classes])


def one_hot(codes):
    return np.eye(int(codes.max()) + 1)[codes]


def test_equal_ratios_worked_by_hand():
    # three values that are the three classes: T = B, both ratios are 1, and A'A = 3 (I - J / 3), whose diagonal is 2
    codes = np.repeat([0, 1, 2], 4)
    found = directions(*moments(one_hot(codes), codes))
    assert found.ratios == pytest.approx([1, 1])
    assert found.groups == [slice(0, 2)]
    assert found.takes == pytest.approx(np.sqrt([2, 2, 2]))
    assert found.rows.T @ found.rows == pytest.approx(3 * np.eye(3) - 1)
    assert found.rows[1] == pytest.approx([0, np.sqrt(1.5), -np.sqrt(1.5)], abs=1e-12)  # the first column is placed


@pytest.mark.parametrize("seed", range(8))
def test_rounding_and_the_order_of_columns_and_classes_move_nothing(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2, 3], 6))
    X = np.hstack([one_hot(y), one_hot(rng.integers(0, 5, 24)), rng.normal(size=(24, 2))])
    total, means, shares = moments(X, y)
    found = directions(total, means, shares)
    assert found.groups == [slice(0, 3)]  # the class is among the features
    blur = 1e-15 * rng.standard_normal(total.shape)
    near = directions(total + blur + blur.T, means + 1e-15 * rng.standard_normal(means.shape), shares)
    assert near.takes == pytest.approx(found.takes, rel=1e-8, abs=1e-8)
    columns, classes = rng.permutation(len(total)), rng.permutation(4)
    moved = directions(total[np.ix_(columns, columns)], means[np.ix_(classes, columns)], shares[classes])
    assert moved.takes == pytest.approx(found.takes[columns], rel=1e-8, abs=1e-8)
    empty = directions(total, np.vstack([means, np.zeros(len(total))]), np.append(shares, 0.0))  # a class that has gone
    assert empty.takes == pytest.approx(found.takes, rel=1e-8, abs=1e-8)


def test_ratios_that_differ_by_rounding_are_equal_and_others_are_not():
    shares = np.full(4, 0.25)
    means = np.array([[0.5, 0.3], [-0.5, 0.3], [0.5, -0.3], [-0.5, -0.3]])
    for apart, groups in ((1e-13, 1), (1e-4, 2)):
        found = directions(np.diag([1.0, 0.36 * (1 + apart)]), means, shares)
        assert len(found.groups) == groups
        assert found.takes == pytest.approx([1.0, 1 / 0.6], rel=1e-3)


def test_a_group_of_equal_ratios_is_taken_as_a_whole():
    codes = np.repeat([0, 1, 2, 3], 3)
    rng = np.random.default_rng(0)
    X = np.hstack([one_hot(codes // 2 * 2 + codes % 2 * (codes < 2)), rng.normal(size=(12, 1)) + codes[:, None]])
    total, means, shares = moments(X, codes)
    every = directions(total, means, shares)
    assert [g.stop - g.start for g in every.groups] == [2, 1]
    for most, count in ((1, 2), (2, 2), (3, 3), (9, 3)):
        assert len(directions(total, means, shares, most).rows) == count


def test_what_is_noise_does_not_depend_on_units():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 3)) + y[:, None]
    X = np.hstack([X, X[:, :1] + 1e-6 * rng.normal(size=(100, 1))])  # the first column again, but for the sixth digit
    units = np.array([1.0, 1e-7, 1e7, 1.0])
    total, means, shares = moments(X, y)
    found = directions(total, means, shares)
    other = directions(total * units[:, None] * units, means * units, shares)
    assert other.ratios == pytest.approx(found.ratios, rel=1e-6)
    assert other.rows * units == pytest.approx(found.rows, rel=1e-4, abs=1e-6)
    assert found.rows[0, 0] == pytest.approx(found.rows[0, 3], rel=1e-4)  # both stand for one column and share
    assert np.abs(found.rows).max() < 10  # the noise between them is not blown up
