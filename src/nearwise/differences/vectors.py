"""Vectors of equally many numbers, compared as a whole: Euclidean length or the angle between them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.differences.base import ByWay, FitContext, Fitted, Sampled
from nearwise.differences.prepared import Prepared, PreparedVectors
from nearwise.errors import InputError
from nearwise.native import core

__all__ = ["VectorDifference", "check_magnitude", "squared_gap", "squared_gaps"]

LARGEST = 1e100
"""Numbers far beyond it have no square in double precision."""

_TILE = 1 << 16
"""Pairs worked on at a time: half a megabyte, which stays in the cache while the dimensions go by."""


@dataclass(frozen=True)
class VectorDifference(ByWay):
    r"""Euclidean length of the gap, or one minus the cosine of the angle.

    .. math:: \delta(x, q) = \sqrt{\textstyle\sum_j (x_j - q_j)^2}
              \quad\text{or}\quad
              1 - \frac{x \cdot q}{|x|\,|q|}

    The cosine of a zero vector has no meaning: it differs by 0 from another zero vector and by 1 from any
    other. Gaps below 1e-160, whose squares are 0 in double precision, count as none.

    >>> from nearwise.cases.columns import Column
    >>> from nearwise.cases.kinds import Vector
    >>> points = Column(np.array([[0.0, 0.0], [3.0, 4.0]]))
    >>> VectorDifference().fit(points, FitContext("place", Vector())).maximum
    5.0
    """

    kinds = ("Vector",)
    what = "vector difference"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {by: {"by": by} for by in ("euclidean", "cosine")}
    by: str = "euclidean"

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return Lengths(column, context) if self.by == "euclidean" else Angles(column, context)


class Lengths(Sampled):
    """Rows of a matrix; a missing one is a row of zeros."""

    symmetric = True
    width: int | None
    """numbers a vector has in training; None where no training case has one"""

    def _prepare(self, column: Column, context: FitContext) -> None:
        self.width = None if column.missing.all() else column.values.shape[1]

    def encode(self, column: Column) -> NDArray[np.float64]:
        width = column.values.shape[1]
        if self.width is None or column.missing.all():  # nothing to compare, so any width will do
            return np.zeros((len(column), self.width or 1))
        if width != self.width:
            raise InputError(
                f"Feature {self.feature!r} has vectors of {width} numbers: expected {self.width}, as in training."
            )
        known = np.where(column.missing[:, None], 0.0, column.values)
        check_magnitude(known, self.feature)
        return known

    def key(self, value: Any) -> bytes:
        return bytes((value + 0.0).tobytes())  # adding 0.0 makes one zero of 0.0 and -0.0

    def pair(self, x: Any, q: Any) -> float:
        return math.sqrt(squared_gap(x, q))

    def block(self, X: NDArray[np.float64], Q: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sqrt(squared_gaps(X, Q))

    def prepare(self, values: NDArray[Any]) -> Prepared:
        return PreparedVectors(self, values)


class Angles(Lengths):
    r"""Vectors of length 1, for which :math:`1 - \cos = |u - v|^2 / 2`.

    That form is never negative and stays precise for small angles, where one minus a cosine loses every
    digit. Parallel vectors of different length round to gaps of up to 1e-31, which count as 0. All have length 1, so
    lengths bound nothing.
    """

    symmetric = True

    def encode(self, column: Column) -> NDArray[np.float64]:
        vectors = super().encode(column)
        largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
        vectors = vectors / np.where(largest > 0, largest, 1.0)  # first, so that tiny numbers have squares
        lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))

    def pair(self, x: Any, q: Any) -> float:
        if not np.any(x) or not np.any(q):
            return 0.0 if not np.any(x) and not np.any(q) else 1.0
        half = squared_gap(x, q) / 2
        return 0.0 if half < 1e-30 else min(half, 2.0)

    def block(self, X: NDArray[np.float64], Q: NDArray[np.float64]) -> NDArray[np.float64]:
        out = squared_gaps(X, Q) / 2
        out[out < 1e-30] = 0.0
        np.minimum(out, 2.0, out=out)
        out[np.not_equal.outer(Q.any(axis=1), X.any(axis=1))] = 1.0
        return out


def squared_gap(x: Any, q: Any) -> float:
    """Sum of squared gaps of two vectors: the obvious twin of `squared_gaps`."""
    total = 0.0
    for a, b in zip(x, q, strict=True):
        gap = float(a) - float(b)
        total += gap * gap
    return total


def squared_gaps(X: NDArray[np.float64], Q: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, n) sums of squared gaps of the rows of Q (m, d) and X (n, d).

    Added dimension by dimension, in the order of `squared_gap`, so that equal vectors are at exactly 0 and a
    far origin costs no digits; the usual expansion x² - 2xq + q² has neither.
    """
    m, n = len(Q), len(X)
    native = core()
    if native is not None:
        found = native.squared_gaps(
            np.ascontiguousarray(Q, dtype=np.float64), np.ascontiguousarray(X.T, dtype=np.float64)
        )
        return np.asarray(found)
    out = np.zeros((m, n))
    if not m or not n:
        return out
    rows = max(1, _TILE // n)
    stored = np.ascontiguousarray(X.T)
    space = np.empty((min(rows, m), n))
    for start in range(0, m, rows):
        part = out[start : start + rows]
        gaps = space[: len(part)]
        for x, q in zip(stored, Q[start : start + rows].T, strict=True):
            np.subtract(q[:, None], x, out=gaps)
            np.multiply(gaps, gaps, out=gaps)
            part += gaps
    return out


def check_magnitude(values: NDArray[np.float64], feature: str) -> None:
    """Refuse numbers whose squares overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    if not largest <= LARGEST:
        raise InputError(
            f"Feature {feature!r} holds vectors with numbers up to {largest:g}: expected at most "
            f"{LARGEST:g}, which has a square. Divide the feature by a constant."
        )
