"""Weights that are worked out for each query from the stored cases: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.errors import InputError, WeightShapeError
from nearwise.weights.base import Array, Stored, Weights, as_numbers
from nearwise.weights.forms import Forms
from nearwise.weights.plain import PerQuery

__all__ = ["Local", "Near"]


@dataclass(frozen=True)
class Near:
    """The nearest stored cases of m queries, and which case each query leaves out."""

    cases: NDArray[np.intp]
    """(m, k), -1 where there is none"""
    distances: Array
    """(m, k)"""
    leave_out: NDArray[np.intp] | None = None
    """(m,)"""


class Local(Weights):
    """What weights for any query are worked out from: the stored cases' classes, as codes, and their sample weights.

    ``values`` (p,) are the mean over the training cases, which nothing is measured by: a search asks `worked_out` for
    weights per query, or for quadratic forms. A subclass is one method, with its settings as further arguments.
    """

    axes = 1
    served_by = "local"
    gives: ClassVar[str] = "per-query"
    """the shape of what is worked out: "per-query" or "forms\""""
    power: ClassVar[float | None] = None
    """the p of the distance by which neighbours are found first; None for that of the model"""
    asks: int = 0
    """how many neighbours under equal weights a query is worked out from; 0 where all cases are looked at"""
    rounds: int = 1
    """how often neighbours are found and weights worked out, each time under the weights before"""

    def __init__(self, values: Any, features: Sequence[str], labels: Any, amounts: Any) -> None:
        super().__init__(values, features)
        self.labels, self.amounts = np.array(labels, dtype=np.int64), as_numbers(amounts)
        if self.labels.ndim != 1 or self.labels.shape != self.amounts.shape:
            raise WeightShapeError("Local weights need one class and one sample weight for each stored case.")
        if not np.isfinite(self.amounts).all() or (self.amounts < 0).any():
            raise WeightShapeError("The sample weights of local weights are finite and not negative.")

    @abstractmethod
    def worked_out(self, stored: Stored, queries: Measured, near: Near) -> Weights:
        """The weights of each query."""

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the method."""
        return {}

    def _with(self, values: Any, features: Sequence[str], labels: Any, amounts: Any) -> Weights:
        made: Any = type(self)
        found: Weights = made(values, features, labels, amounts, **self.settings)
        return found

    def with_mean(self, values: Any) -> Weights:
        """The same with another mean over the training cases."""
        return self._with(values, self.features, self.labels, self.amounts)

    @property
    def even(self) -> Weights:
        """Weights of the shape that is given, the same for every feature."""
        p = len(self.features)
        return (
            Forms(np.eye(p)[None], self.features) if self.gives == "forms" else PerQuery(np.ones((1, p)), self.features)
        )

    @property
    def importances(self) -> Array:
        return np.asarray(self.values)

    @property
    def n_cases(self) -> int | None:
        return len(self.labels)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        raise InputError("Local weights are worked out for each query: ask an engine for them.")

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        raise InputError("Local weights are worked out for each query: ask an engine for them.")

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        return self._with(self.values, self.features, self.labels[rows], self.amounts[rows])

    def _moved(self, places: list[int]) -> Weights:
        return self._with(self.values[places], [self.features[f] for f in places], self.labels, self.amounts)

    def columns(self) -> dict[str, list[Any]]:
        """The mean over the training cases."""
        return {"feature": list(self.features), "weight": self.values.tolist()}

    def to_json(self) -> dict[str, Any]:
        held = {"labels": self.labels.tolist(), "amounts": self.amounts.tolist()}
        return {**super().to_json(), **held, **self.settings}
