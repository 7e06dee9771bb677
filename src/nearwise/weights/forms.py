"""A quadratic form for every query: differences are mapped before they are squared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure, Measured
from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Stored, Weights

__all__ = ["Forms", "gaps_near", "signed_gap", "signed_gaps"]


class Forms(Weights):
    r"""A linear map for every query: :math:`s(x, q) = \lVert A_q\, u(x, q) \rVert^2`.

    :math:`u_f` is the difference of x and q in its unit: with its sign for numbers and ranks, without one for every
    other kind and where a value is missing, which differs by what its policy says (by 0 under "ignore"). So each
    feature has one column, whatever its kind. ``values`` (m, rows, p), or (1, rows, p) for every query, may be
    negative.

    The terms are squares whatever p: with p = 2 the distance is the root of their sum, with p = 1 the sum.
    """

    shape = "forms"
    axes = 3
    served_by = "forms"

    def _checked(self, values: Any) -> Array:
        array = np.array(values, dtype=np.float64, order="C")
        if array.ndim != 3 or array.shape[2] != len(self.features) or not np.isfinite(array).all():
            raise WeightShapeError(
                f"Quadratic forms have finite entries and the shape (queries, rows, {len(self.features)}): got "
                f"{array.shape}."
            )
        array.setflags(write=False)
        return array

    @property
    def importances(self) -> Array:
        """The squared length of one unit of a feature, the mean over queries."""
        return np.asarray(np.square(self.values).sum(axis=1).mean(axis=0))

    def of_queries(self, rows: slice | NDArray[np.intp], m: int) -> Weights:
        if len(self.values) not in (1, m):
            raise WeightShapeError(f"Quadratic forms are given for {len(self.values)} queries, asked are {m}.")
        return self if len(self.values) == 1 else Forms(self.values[rows], self.features)

    def of_query(self, j: int) -> Array:
        """(rows, p) the map of one query."""
        return np.asarray(self.values[j if len(self.values) > 1 else 0])

    def columns(self) -> dict[str, list[Any]]:
        m, rows, p = self.values.shape
        return {
            "feature": list(self.features) * (m * rows),
            "case": [j for j in range(m) for _ in range(rows * p)],
            "new_feature": [f"z{row}" for _ in range(m) for row in range(rows) for _ in range(p)],
            "weight": self.values.ravel().tolist(),
        }


def signed_gaps(stored: Stored, queries: Measured) -> Iterator[Array]:
    """For each feature (m, n): u of the stored cases as seen from the queries."""
    for measure, x, q in zip(stored.compared.measures, stored.cases.columns, queries.columns, strict=True):
        yield _block(measure, x, q)


def signed_gap(measure: Measure, x: Encoded, i: int, q: Encoded, j: int) -> float:
    """The same of one pair."""
    raw = measure.pair(x, i, q, j)
    gap = 0.0 if raw is None else float(raw) * measure.scale(1)
    return -gap if measure.fitted.form == "line" and _known(x)[i] < _known(q)[j] else gap


def gaps_near(stored: Stored, queries: Measured, near: NDArray[np.intp]) -> Array:
    """(m, k, p) u of the stored cases ``near`` (m, k) as seen from each query."""
    out = np.empty((*near.shape, len(queries.columns)))
    columns = zip(stored.compared.measures, stored.cases.columns, queries.columns, strict=True)
    for f, (measure, x, q) in enumerate(columns):
        whole = x.missing is None and q.missing is None
        if whole and measure.fitted.form == "line":
            out[..., f] = x.values[near] - q.values[:, None]
        elif whole and measure.fitted.form == "overlap":
            out[..., f] = x.values[near] != q.values[:, None]
        else:
            for j, rows in enumerate(near):
                out[j, :, f] = _block(measure, x.take(rows), q.take(slice(j, j + 1)))[0]
            continue
        out[..., f] *= measure.scale(1)
    return out


def _block(measure: Measure, x: Encoded, q: Encoded) -> Array:
    """(m, n) differences in their unit, with a sign where the feature is on a line."""
    gaps = np.asarray(measure.block(x, q) * measure.scale(1))
    if measure.fitted.form == "line":
        gaps = np.where(_known(x)[None, :] < _known(q)[:, None], -gaps, gaps)
    return gaps


def _known(column: Encoded) -> Array:
    """(n,) the numbers, NaN where missing."""
    return np.asarray(column.values if column.missing is None else np.where(column.missing, np.nan, column.values))
