"""Directions that hold as much of the variance between classes as they can, as one answer where several would do."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Directions", "directions"]

Array = NDArray[np.float64]

NOISE = 1e-8
"""a combination of columns whose variance is this share of the largest, all columns taken at variance 1, is constant
but for rounding: columns that depend on one another leave about 1e-16, columns recorded to four digits 1e-8"""
NOTHING = 1e-10
"""a share of variance between classes below it is none"""
EQUAL = 1e-6
"""ratios this close are equal: closer ones let rounding turn their directions into one another"""


@dataclass(frozen=True)
class Directions:
    """New features, in groups of equal ratios; within a group any rotation of the directions is as good."""

    rows: Array
    """(new, w) directions a with a'Ta = 1"""
    ratios: Array
    """(new,) a'Ba / a'Ta, descending"""
    groups: list[slice]
    """rows of equal ratio"""

    @property
    def takes(self) -> Array:
        """(w,) how much the new features take from each column: the sum over groups of the length within the group.

        A direction with a ratio of its own adds the modulus of its component. Directions of equal ratio span a space
        without axes of its own, so the length of the components counts, which no rotation changes (Reading Q9).
        """
        lengths = [np.sqrt(np.square(self.rows[rows]).sum(axis=0)) for rows in self.groups]
        return np.sum(lengths, axis=0) if lengths else np.zeros(self.rows.shape[1])


def directions(
    total: Array, means: Array, shares: Array, most: int | None = None, binary: NDArray[np.bool_] | None = None
) -> Directions:
    """The directions a of largest a'Ba / a'Ta, and no fewer than the ``most`` best.

    ``total`` (w, w) is T, ``means`` (c, w) are those of the classes from the mean of all, ``shares`` (c,) their sizes:
    B = sum of share * mean mean'. A group of equal ratios is never split: ``most`` takes it as a whole (Reading Q9).

    Where T is singular, many a do equally well, and the shortest is taken, as a pseudo-inverse does (Q6). ``binary``
    (w,) says which columns are levels and counted as they are; all others are numbers and counted in standard
    deviations. What is singular is decided with every column at variance 1. So nothing depends on units.

    >>> found = directions(np.eye(2), np.array([[0.6, 0.0], [-0.6, 0.0]]), np.array([0.5, 0.5]))
    >>> found.rows.tolist(), found.ratios.round(2).tolist()
    ([[1.0, 0.0]], [0.36])
    """
    sizes = np.sqrt(np.diag(total))
    varies = np.flatnonzero(sizes > 0)
    rows = np.zeros((0, len(total)))
    if not len(varies):
        return Directions(rows, np.zeros(0), [])
    unit = sizes[varies]
    values, vectors = np.linalg.eigh(total[np.ix_(varies, varies)] / unit[:, None] / unit)
    noise = values <= NOISE * values[-1]
    white = vectors[:, ~noise] / np.sqrt(values[~noise])  # columns whose a'Ta is 1, for columns of variance 1
    between = np.sqrt(shares)[:, None] * means[:, varies] / unit @ white
    _, roots, right = np.linalg.svd(between, full_matrices=False)
    ratios = np.square(roots)
    ratios = ratios[: int(min((ratios > NOTHING).sum(), max(0, (shares > 0).sum() - 1)))]
    groups = _equal(ratios)
    if most is not None:
        groups = [rows for rows in groups if rows.start < most]
    count = groups[-1].stop if groups else 0
    counted = unit if binary is None else np.where(binary[varies], 1.0, unit)
    found = (
        _shortest(right[:count] @ white.T * (counted / unit), vectors[:, noise] * (counted / unit)[:, None]) / counted
    )
    for group in groups:
        found[group] = _turned(found[group])
    rows = np.zeros((count, len(total)))
    rows[:, varies] = found
    return Directions(rows, ratios[:count], groups)


def _equal(ratios: Array) -> list[slice]:
    """Runs of descending ratios that equal their first to within `EQUAL`."""
    starts: list[int] = []
    for i, ratio in enumerate(ratios):
        if not starts or ratios[starts[-1]] - ratio > EQUAL:
            starts.append(i)
    return [slice(a, b) for a, b in pairwise([*starts, len(ratios)])]


def _shortest(found: Array, nothing: Array) -> Array:
    """The shortest rows that differ from these by combinations of the columns of ``nothing``, which do not vary."""
    basis, _ = np.linalg.qr(nothing)
    return np.asarray(found - found @ basis @ basis.T)


def _turned(group: Array) -> Array:
    """One of the rotations of a group: each row points along the column that the rows not yet placed take most from.

    That component is positive (Reading Q5) and 0 in the rows after it; of equal columns the first is taken.
    """
    left, out = group.copy(), np.zeros_like(group)
    for i in range(len(group)):
        lengths = np.square(left).sum(axis=0)
        column = int(np.flatnonzero(lengths >= (1 - 1e-9) * lengths.max())[0])
        along = left[:, column] / np.sqrt(lengths[column])
        out[i] = along @ left
        left = left - np.outer(along, out[i])
    return out
