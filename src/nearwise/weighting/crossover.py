"""Crossovers of weight vectors that sum to 1: many pairs of parents at once, two children a pair.

`continuous_uniform` is the operator of Demiroz & Guvenir (1996); the other three swap weights and divide by the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CROSSOVERS", "continuous_uniform", "normalised", "one_point", "strided", "two_point", "uniform", "upper"]

Array = NDArray[np.float64]

FLAT = 1e-12
"""an upper bound of the stride that is larger than 1 by no more than this is 1 (Reading A8)"""


def upper(x: Array, y: Array) -> Array:
    r"""(q,) the largest stride that leaves no weight below 0; infinite for identical parents.

    .. math:: upper = \min_i \frac{\max(x_i, y_i)}{|y_i - x_i|}

    Where x_i > y_i the paper's bound holds with the roles swapped (A4); equal weights give no bound (A5).

    >>> upper(np.array([[0.4, 0.6]]), np.array([[0.5, 0.5]])).round(9)
    array([5.])
    """
    gap = np.abs(y - x)
    bounds = np.full(gap.shape, np.inf)
    with np.errstate(over="ignore"):
        np.divide(np.maximum(x, y), gap, out=bounds, where=gap > 0)
    return np.asarray(bounds.min(axis=1, initial=np.inf))


def strided(x: Array, y: Array, s: Array) -> tuple[Array, Array]:
    r"""The children of a stride.

    .. math:: x'_i = s\,x_i + (1 - s)\,y_i, \qquad y'_i = s\,y_i + (1 - s)\,x_i

    Weights that rounding makes negative at s = upper are 0, and the rest is rescaled (A17).

    >>> one, two = strided(np.array([[0.4, 0.6]]), np.array([[0.5, 0.5]]), np.array([3.0]))
    >>> one.round(9).tolist(), two.round(9).tolist()
    ([[0.2, 0.8]], [[0.7, 0.3]])
    """
    beyond = (s - 1.0)[:, None] * (x - y)  # the same as s x + (1 - s) y, but exact where the parents are close
    return normalised(x + beyond), normalised(y - beyond)


def continuous_uniform(x: Array, y: Array, rng: np.random.Generator, swap: float = 0.5) -> tuple[Array, Array]:
    """CUCO: a stride from [1, upper] goes beyond the parents; where upper is 1, one from [0.5, 1] mixes them (A7)."""
    most = upper(x, y)
    draw = rng.random(len(x))
    beyond = most > 1.0 + FLAT
    most = np.where(np.isfinite(most), most, 1.0)  # identical parents: s = 1 (A6)
    return strided(x, y, np.where(beyond, 1.0 + draw * (most - 1.0), 0.5 + draw * 0.5))


def one_point(x: Array, y: Array, rng: np.random.Generator, swap: float = 0.5) -> tuple[Array, Array]:
    """Everything from a site in 1 .. p - 1 on changes sides (A12); a single weight has no site."""
    p = x.shape[1]
    site = rng.integers(1, p, len(x)) if p > 1 else np.full(len(x), p)
    return _swapped(x, y, np.arange(p) >= site[:, None])


def two_point(x: Array, y: Array, rng: np.random.Generator, swap: float = 0.5) -> tuple[Array, Array]:
    """Everything between two different sites in 0 .. p changes sides (A12)."""
    p = x.shape[1]
    first = rng.integers(0, p + 1, len(x))
    second = (first + rng.integers(1, p + 1, len(x))) % (p + 1)
    low, high = np.minimum(first, second)[:, None], np.maximum(first, second)[:, None]
    return _swapped(x, y, (np.arange(p) >= low) & (np.arange(p) < high))


def uniform(x: Array, y: Array, rng: np.random.Generator, swap: float = 0.5) -> tuple[Array, Array]:
    """Each weight changes sides with probability ``swap``."""
    return _swapped(x, y, rng.random(x.shape) < swap)


def normalised(weights: Array) -> Array:
    """Rows of weights from 0 that sum to 1; a row of zeros becomes uniform (A11).

    >>> normalised(np.array([[2.0, 2.0], [0.0, 0.0], [1.0, -1e-17]])).tolist()
    [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]
    """
    kept = np.maximum(weights, 0.0)
    sums = kept.sum(axis=1, keepdims=True)
    even = np.full(kept.shape, 1.0 / max(1, kept.shape[1]))
    return np.asarray(np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), even))


def _swapped(x: Array, y: Array, side: Any) -> tuple[Array, Array]:
    return normalised(np.where(side, y, x)), normalised(np.where(side, x, y))


CROSSOVERS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "cuco": continuous_uniform,
    "one-point": one_point,
    "two-point": two_point,
    "uniform": uniform,
}
