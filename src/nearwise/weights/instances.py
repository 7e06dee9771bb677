"""Weights that belong to a stored case and to where the query lies from it: blended, or one for each side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measured
from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Stored, Weights, as_numbers

__all__ = ["Blended", "DirectedCases"]


class Blended(Weights):
    r"""The weight of the stored case where the query is like it, the common one where it is not.

    .. math:: w_f(x, q) = w_f(x)\,s_f + w_f\,(1 - s_f), \qquad s_f = \sqrt{\max(0,\, 1 - \delta_f(x, q))}

    ``values`` (n, p) are those of the cases, ``common`` (p,) those of all; (n, p) where distances of cases are
    multiplied by factors. The difference is in its unit and follows the missing policy; beyond 1 only the common weight
    counts (Reading G1).
    """

    shape = "blended"

    def __init__(self, values: Any, features: Sequence[str], common: Any) -> None:
        super().__init__(values, features)
        self.common = as_numbers(common)
        p = len(self.features)
        if self.common.shape not in ((p,), self.values.shape):
            raise WeightShapeError(
                f"The common weights must be one per feature ({p}), or one per case and feature, got shape "
                f"{self.common.shape}."
            )
        if not np.isfinite(self.common).all() or (self.common < 0).any():
            raise WeightShapeError("The common weights are finite and not negative (Reading K9).")
        self.common.setflags(write=False)

    @property
    def importances(self) -> Array:
        """The common weights."""
        return self.common if self.common.ndim == 1 else np.asarray(self.common.mean(axis=0))

    @property
    def n_cases(self) -> int | None:
        return len(self.values)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        _check_count(len(self.values), stored)
        measure = stored.compared.measures[f]
        gaps = measure.block(stored.cases.columns[f], queries.columns[f]) * measure.scale(1)
        share = np.sqrt(np.maximum(1.0 - gaps, 0.0))
        return self.values[:, f] * share + self.common[..., f] * (1.0 - share)

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        measure = stored.compared.measures[f]
        raw = measure.pair(stored.cases.columns[f], i, queries.columns[f], j)
        gap = 0.0 if raw is None else float(raw) * measure.scale(1)
        share = float(np.sqrt(max(1.0 - gap, 0.0)))
        common = float(self.common[f] if self.common.ndim == 1 else self.common[i, f])
        return float(self.values[i, f]) * share + common * (1.0 - share)

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        return Blended(self.values[rows], self.features, self.common if self.common.ndim == 1 else self.common[rows])

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        return Blended(factors[:, None] * self.values, self.features, factors[:, None] * self.common)

    def _moved(self, places: list[int]) -> Weights:
        return Blended(self.values[:, places], [self.features[f] for f in places], self.common[..., places])

    def columns(self) -> dict[str, list[Any]]:
        """Those of the cases, then the common ones, which have no case."""
        n = len(self.values)
        return {
            "feature": list(self.features) * (n + 1),
            "case": [*(i for i in range(n) for _ in self.features), *(None for _ in self.features)],
            "weight": [*self.values.ravel().tolist(), *self.importances.tolist()],
        }

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "common": self.common.tolist()}


class DirectedCases(Weights):
    """Two weights per feature and stored case: ``values`` (2, n, p), row 0 where the query lies below, row 1 above.

    Values that are on no line, and missing ones, have no side: the mean of both weights counts.
    """

    shape = "directed-cases"
    axes = 3

    def _checked(self, values: Any) -> Array:
        array = super()._checked(values)
        if len(array) != 2:
            raise WeightShapeError(f"Directed weights have two rows, below and above; got {len(array)}.")
        return array

    @property
    def importances(self) -> Array:
        return np.asarray(self.values.mean(axis=(0, 1))) if self.values.size else np.zeros(len(self.features))

    @property
    def n_cases(self) -> int | None:
        return int(self.values.shape[1])

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        _check_count(self.values.shape[1], stored)
        below, above = self.values[0, :, f], self.values[1, :, f]
        middle = (below + above) / 2
        if stored.compared.measures[f].fitted.form != "line":
            return middle[None, :]
        x, q = _known(stored.cases.columns[f])[None, :], _known(queries.columns[f])[:, None]
        return np.where(q < x, below, np.where(q >= x, above, middle))

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        below, above = float(self.values[0, i, f]), float(self.values[1, i, f])
        if stored.compared.measures[f].fitted.form == "line":
            x, q = float(_known(stored.cases.columns[f])[i]), float(_known(queries.columns[f])[j])
            if q < x:
                return below
            if q >= x:
                return above
        return (below + above) / 2

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        return DirectedCases(self.values[:, rows], self.features)

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        return DirectedCases(factors[None, :, None] * self.values, self.features)

    def columns(self) -> dict[str, list[Any]]:
        _, n, p = self.values.shape
        return {
            "feature": list(self.features) * (2 * n),
            "case": [i for _ in range(2) for i in range(n) for _ in range(p)],
            "side": ["below"] * (n * p) + ["above"] * (n * p),
            "weight": self.values.ravel().tolist(),
        }


def _known(column: Encoded) -> Array:
    """(n,) the numbers, NaN where missing."""
    return np.asarray(column.values if column.missing is None else np.where(column.missing, np.nan, column.values))


def _check_count(rows: int, stored: Stored) -> None:
    if rows != len(stored):
        raise WeightShapeError(f"Weights per case are given for {rows} cases, stored are {len(stored)}.")
