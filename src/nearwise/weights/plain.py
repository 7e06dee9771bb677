"""One number a feature, for all, per class, per stored case, per query, or per side of the stored value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, WeightShapeError
from nearwise.weights.base import Array, Stored, Weights, as_numbers
from nearwise.weights.labels import by_query, is_frame

__all__ = ["Directed", "Global", "PerCase", "PerClass", "PerQuery", "Scaled"]


class Global(Weights):
    """One weight per feature.

    >>> Global([2, 1], ["age", "job"]).importances
    array([2., 1.])
    """

    shape = "global"
    is_plain = True
    axes = 1

    @property
    def importances(self) -> Array:
        return np.asarray(self.values)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        return self.values[f]

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        return float(self.values[f])

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        return Scaled(self.values, factors, self.features)

    def columns(self) -> dict[str, list[Any]]:
        return {"feature": list(self.features), "weight": self.values.tolist()}


class PerClass(Weights):
    """One weight per feature and class of the stored case."""

    shape = "per-class"
    is_plain = True

    def __init__(self, values: Any, features: Sequence[str], classes: Sequence[Any], priors: Any) -> None:
        super().__init__(values, features)
        self.classes = tuple(classes)
        self.priors = np.array(priors, dtype=np.float64)
        if len(self.values) != len(self.classes) or len(self.priors) != len(self.classes):
            raise WeightShapeError(f"Expected one row per class ({len(self.classes)}), got {len(self.values)}.")

    @property
    def importances(self) -> Array:
        return np.asarray(dot(self.priors, self.values))

    def aligned(self, classes: Sequence[Any] | None, levels: Sequence[Sequence[Any] | None]) -> Weights:
        if classes is None or tuple(classes) == self.classes:
            return self
        for label in classes:
            if label not in self.classes:
                known = ", ".join(map(repr, self.classes))
                raise WeightShapeError(f"There are no weights for class {label!r}: these weights are for {known}.")
        rows = [self.classes.index(label) for label in classes]
        return PerClass(self.values[rows], self.features, classes, self.priors[rows])

    def _moved(self, places: list[int]) -> Weights:
        return PerClass(self.values[:, places], [self.features[f] for f in places], self.classes, self.priors)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        return self.values[stored.codes, f][None, :]

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        return float(self.values[stored.codes[i], f])

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        if classes is None:
            raise InputError("Weights per class need stored cases with classes.")
        return Scaled(self.values, factors, self.features, classes)

    def columns(self) -> dict[str, list[Any]]:
        return self._by_row("class", self.classes)

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "classes": list(self.classes), "priors": self.priors.tolist()}


class PerCase(Weights):
    """One weight per feature and stored case."""

    shape = "per-case"
    is_by_case = True

    @property
    def importances(self) -> Array:
        return np.asarray(self.values.mean(axis=0)) if len(self.values) else np.zeros(len(self.features))

    @property
    def n_cases(self) -> int | None:
        return len(self.values)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        self._check_count(stored)
        return self.values[:, f][None, :]

    def _check_count(self, stored: Stored) -> None:
        if self.n_cases != len(stored):
            raise WeightShapeError(f"Weights per case are given for {self.n_cases} cases, stored are {len(stored)}.")

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        return float(self.values[i, f])

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        return type(self)(self.values[rows], self.features)

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        return PerCase(factors[:, None] * self.values, self.features)

    def columns(self) -> dict[str, list[Any]]:
        return self._by_row("case", range(len(self.values)))


class Scaled(PerCase):
    """Weights that cases share, one row for all or one for those of a class, times a factor of every case.

    ``common`` (p,) or (c, p), ``factors`` (n,), and ``rows`` (n,) which row of ``common`` each case has where there is
    more than one. They are n numbers where weights per case are n * p; ``values`` multiplies them out.

    >>> Scaled([2, 1], [1.0, 0.5], ["age", "job"]).values
    array([[2. , 1. ],
           [1. , 0.5]])
    """

    def __init__(
        self, common: Any, factors: Any, features: Sequence[str], rows: NDArray[np.intp] | None = None
    ) -> None:
        self.features = tuple(features)
        self.common, self.factors, self.rows = self._checked(np.atleast_2d(common)), as_numbers(factors), rows
        least = np.full(len(self.features), self.factors.min(initial=0.0))
        self._checked([least, self.largest])  # where these are not wrong, none is

    @property
    def largest(self) -> Array:
        """(p,) the largest weight of each feature."""
        of_rows = [self.factors if self.rows is None else self.factors[self.rows == r] for r in range(len(self.common))]
        with np.errstate(invalid="ignore", over="ignore"):
            found = [factors.max(initial=0.0) * own for factors, own in zip(of_rows, self.common, strict=True)]
        return np.asarray(np.max(found, axis=0))

    @property
    def values(self) -> Array:
        """(n, p)"""
        own: Array = self.factors[:, None] * (self.common[0] if self.rows is None else self.common[self.rows])
        own.setflags(write=False)
        return own

    @property
    def n_cases(self) -> int | None:
        return len(self.factors)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        self._check_count(stored)
        return (self.factors * (self.common[0, f] if self.rows is None else self.common[self.rows, f]))[None, :]

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        return float(self.factors[i] * self.common[0 if self.rows is None else self.rows[i], f])

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        own = None if self.rows is None else self.rows[rows]
        return Scaled(self.common, self.factors[rows], self.features, own)

    def _moved(self, places: list[int]) -> Weights:
        return Scaled(self.common[:, places], self.factors, [self.features[f] for f in places], self.rows)


class PerQuery(PerCase):
    """One weight per feature and query, given with the queries; one row serves every query."""

    shape = "per-query"
    is_by_case = False
    is_by_query = True

    def _in_order(self, values: Any) -> Array:
        """Rows of numbers, or a data frame with one row per query and one column per feature, found by its name."""
        return as_numbers(by_query(values, self.features) if is_frame(values) else values)

    @property
    def n_cases(self) -> int | None:
        return None

    def of_cases(self, rows: NDArray[np.intp]) -> Weights:
        return self

    def times(self, factors: Array, classes: NDArray[np.intp] | None) -> Weights:
        return Weights.times(self, factors, classes)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        return self.values[:, f][:, None]

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        return float(self.values[j if len(self.values) > 1 else 0, f])

    def of_queries(self, rows: slice | NDArray[np.intp], m: int) -> Weights:
        if len(self.values) not in (1, m):
            raise WeightShapeError(
                f"Weights per query are given for {len(self.values)} queries, asked are {m}: give one row per query, "
                "or one row for all."
            )
        return self if len(self.values) == 1 else PerQuery(self.values[rows], self.features)


class Directed(Weights):
    """Two weights per numeric feature: row 0 where the query lies below the stored value, row 1 where above."""

    shape = "directed"

    def _checked(self, values: Any) -> Array:
        array = super()._checked(values)
        if len(array) != 2:
            raise WeightShapeError(f"Directed weights have two rows, below and above; got {len(array)}.")
        return array

    @property
    def importances(self) -> Array:
        return np.asarray(self.values.mean(axis=0))

    def _numbers(self, f: int, measured: Measured) -> NDArray[Any]:
        values = measured.columns[f].values
        if values.dtype.kind != "f" or values.ndim != 1:
            raise WeightShapeError(f"Directed weights need numbers; feature {self.features[f]!r} is not numeric.")
        return values

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        x, q = self._numbers(f, stored.cases), self._numbers(f, queries)
        return np.where(q[:, None] < x[None, :], self.values[0, f], self.values[1, f])

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        below = self._numbers(f, queries)[j] < self._numbers(f, stored.cases)[i]
        return float(self.values[0 if below else 1, f])

    def columns(self) -> dict[str, list[Any]]:
        return self._by_row("side", ("below", "above"))
