"""Vectors of class shares in one dimension less, for the scans that only propose.

The shares of c classes mostly add up to 1, so differences of them lie in c - 1 dimensions. What they have in the last
one is left out: a sum of squares gets smaller, by no more than the square of the two lengths that `slack` gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.layout.columns import Layout

__all__ = ["BOTH", "DECIDES", "PROPOSES", "Contrasts", "contrasts"]

Floats = NDArray[np.float64]

BOTH, DECIDES, PROPOSES = 0, 1, 2
"""what a column is for"""


@dataclass(frozen=True)
class Contrasts:
    """The columns of a layout, followed by those that stand in for the vectors among them."""

    vectors: tuple[NDArray[np.intp], ...]
    """the columns of each vector"""
    joined: NDArray[np.uint8]

    @classmethod
    def of(cls, layout: Layout) -> Contrasts:
        embedded = [f for f, fitted in enumerate(layout.embedded) if fitted is not None]
        return cls(tuple(np.flatnonzero(layout.feature == f) for f in embedded), layout.joined)

    @property
    def roles(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Which columns are joined, and what each is for."""
        role = np.full(len(self.joined), BOTH)
        role[np.concatenate(self.vectors)] = DECIDES
        short = sum(len(own) - 1 for own in self.vectors)
        joined = np.append(self.joined, np.zeros(short))
        return joined.astype(np.uint8), np.append(role, np.full(short, PROPOSES)).astype(np.uint8)

    def added_to(self, columns: Floats) -> Floats:
        """(columns, n), and below them those that stand in."""
        return np.ascontiguousarray(np.vstack([columns, *(contrasts(len(own)) @ columns[own] for own in self.vectors)]))

    def with_short(self, of_columns: NDArray[np.generic]) -> NDArray[np.generic]:
        """What is said of columns, in the last axis, and the same of those that stand in."""
        parts = [of_columns[..., own[:-1]] for own in self.vectors]
        return np.ascontiguousarray(np.concatenate([of_columns, *parts], axis=-1))

    def slack(self, columns: Floats, coefficients: Floats) -> Floats:
        """(n,) the length of what is left out: of each vector the square of (1 - its sum), over its dimensions."""
        out = np.zeros(columns.shape[1])
        for own in self.vectors:
            lacking = 1.0 - columns[own].sum(axis=0)
            most = coefficients[:, own].max() / len(own)
            out += most * np.where(np.isnan(lacking), 0.0, lacking * lacking)
        # far more than the rounding of the sums, so that it bounds them where nothing is lacking
        return np.asarray(np.sqrt(out) + 1e-12 * np.sqrt(coefficients.max(initial=0.0)))


def contrasts(c: int) -> Floats:
    """(c - 1, c) orthonormal rows, each of which adds up to 0: the mean of the first ones against the next.

    >>> contrasts(3).round(3)
    array([[ 0.707, -0.707,  0.   ],
           [ 0.408,  0.408, -0.816]])
    """
    out = np.zeros((max(0, c - 1), c))
    for row in range(len(out)):
        out[row, : row + 1] = 1.0 / (row + 1)
        out[row, row + 1] = -1.0
        out[row] /= np.sqrt(np.square(out[row]).sum())
    return out
