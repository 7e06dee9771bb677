"""A matrix of weights: distance in a transformed space."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Weights

__all__ = ["Matrix"]


class Matrix(Weights):
    """A linear map A of numeric features: d(x, q) = \\|A (x - q)\\|, with x and q in units of their scale.

    Entries may be negative. Works with p = 2 and features on a line (numbers, ranks); a missing value is taken at
    the training mean.
    """

    shape = "matrix"

    def _checked(self, values: Any) -> Array:
        array = np.array(values, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(self.features) or not np.isfinite(array).all():
            raise WeightShapeError(
                f"A matrix of weights has finite entries and one column per feature ({len(self.features)}), got shape "
                f"{array.shape}."
            )
        array.setflags(write=False)
        return array

    @property
    def importances(self) -> Array:
        return np.asarray(np.square(self.values).sum(axis=0))

    def columns(self) -> dict[str, list[Any]]:
        return {
            "feature": list(self.features) * len(self.values),
            "new_feature": [f"z{i}" for i in range(len(self.values)) for _ in self.features],
            "weight": self.values.ravel().tolist(),
        }
