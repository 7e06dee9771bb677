"""Weights that depend on the value a feature has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.errors import InputError, WeightShapeError
from nearwise.weights.base import Array, Stored, Weights

__all__ = ["PerValue"]


class PerValue(Weights):
    """One weight per value of each feature, by the query's value or by the stored one (Reading V1).

    ``values`` holds one array a feature: (v,) in the order of ``levels``, or (c, v) where the weight also depends on
    the class of the stored case. ``unseen`` (p,) serves a symbol never seen and a missing one (V5). A feature
    without levels has one value. ``frequencies`` weigh the values in ``importances``.
    """

    shape = "per-value"

    def __init__(
        self,
        values: Sequence[Any],
        features: Sequence[str],
        levels: Sequence[Sequence[Any]],
        *,
        by: str = "query",
        unseen: Any = None,
        frequencies: Sequence[Any] | None = None,
        classes: Sequence[Any] = (),
        priors: Any = (),
    ) -> None:
        if by not in ("query", "stored"):
            raise WeightShapeError(
                f"by={by!r}: the value that chooses the weight is the 'query' one or the 'stored' one."
            )
        self.by, self.classes = by, tuple(classes)
        self.priors = np.array(priors, dtype=np.float64)
        self.levels = tuple(tuple(level) for level in levels)
        super().__init__(values, features)
        self.unseen = np.ones(len(self.features)) if unseen is None else np.array(unseen, dtype=np.float64)
        even = [np.full(a.shape[-1], 1.0 / max(1, a.shape[-1])) for a in self.values]
        self.frequencies = tuple(np.array(f, dtype=np.float64) for f in (even if frequencies is None else frequencies))

    def _checked(self, values: Any) -> Any:
        if len(values) != len(self.features) or len(self.levels) != len(self.features):
            raise WeightShapeError(
                f"Expected one array of values per feature ({len(self.features)}), got {len(values)}."
            )
        checked = []
        for name, levels, given in zip(self.features, self.levels, values, strict=True):
            array = np.array(given, dtype=np.float64)
            rows = len(self.classes)
            expected = (rows, max(1, len(levels))) if rows else (max(1, len(levels)),)
            if array.shape != expected or not np.isfinite(array).all() or (array < 0).any():
                raise WeightShapeError(
                    f"The value weights of feature {name!r} must be finite, not negative and of shape {expected}, "
                    f"got shape {array.shape}."
                )
            array.setflags(write=False)
            checked.append(array)
        return tuple(checked)

    @property
    def importances(self) -> Array:
        mean = [(self.priors @ a if a.ndim == 2 else a) @ f for a, f in zip(self.values, self.frequencies, strict=True)]
        return np.array(mean, dtype=np.float64)

    def aligned(self, classes: Sequence[Any] | None, levels: Sequence[Sequence[Any] | None]) -> Weights:
        """By the table's levels: a level that has no weight gets the one for unseen symbols."""
        rows = list(range(len(self.classes)))
        if self.classes and classes is not None:
            absent = [label for label in classes if label not in self.classes]
            if absent:
                raise WeightShapeError(f"There are no value weights for class {absent[0]!r}.")
            rows = [self.classes.index(label) for label in classes]
        values, shares = [], []
        for f, own in enumerate(self.levels):
            table = self._table(f)[rows] if rows else self._table(f)
            share = np.append(self.frequencies[f], 0.0)
            wanted = tuple(levels[f] or ()) if own else ()
            at = [own.index(level) if level in own else len(own) for level in wanted] if own else [0]
            values.append(table[..., at])
            shares.append(share[at])
        kept = [tuple(levels[f] or ()) if own else () for f, own in enumerate(self.levels)]
        return PerValue(
            values,
            self.features,
            kept,
            by=self.by,
            unseen=self.unseen,
            frequencies=shares,
            classes=[self.classes[r] for r in rows],
            priors=self.priors[rows] if rows else (),
        )

    def _place(self, f: int, values: NDArray[Any]) -> NDArray[np.intp]:
        """Column of each value in the table of feature f, the last one standing for unseen and missing."""
        v = len(self.levels[f])
        if v == 0:
            return np.zeros(len(values), dtype=np.intp)
        return np.where((values < 0) | (values >= v), v, values).astype(np.intp)

    def _table(self, f: int) -> Array:
        values = self.values[f]
        return np.concatenate([values, np.full((*values.shape[:-1], 1), self.unseen[f])], axis=-1)

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        table, by_query = self._table(f), self.by == "query"
        place = self._place(f, (queries if by_query else stored.cases).columns[f].values)
        if table.ndim == 1:
            return table[place][:, None] if by_query else table[place][None, :]
        codes = stored.classes
        if codes is None:
            raise InputError("Weights per class and value need stored cases with classes.")
        return table[codes[None, :], place[:, None] if by_query else place[None, :]]

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        value = queries.columns[f].values[j] if self.by == "query" else stored.cases.columns[f].values[i]
        table, v = self.values[f], len(self.levels[f])
        at = 0 if v == 0 else int(value)
        if v and not 0 <= at < v:
            return float(self.unseen[f])
        if table.ndim == 1:
            return float(table[at])
        return float(table[int(stored.classes[i]), at]) if stored.classes is not None else 0.0

    def columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {"feature": [], "value": [], "weight": []}
        if self.classes:
            out["class"] = []
        for name, levels, array in zip(self.features, self.levels, self.values, strict=True):
            for row, weights in enumerate(np.atleast_2d(array)):
                for level, weight in zip(levels or (None,), weights.tolist(), strict=True):
                    out["feature"].append(name)
                    out["value"].append(level)
                    out["weight"].append(weight)
                    if self.classes:
                        out["class"].append(self.classes[row])
        return out

    def to_json(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "features": list(self.features),
            "values": [a.tolist() for a in self.values],
            "levels": [list(levels) for levels in self.levels],
            "by": self.by,
            "unseen": self.unseen.tolist(),
            "frequencies": [f.tolist() for f in self.frequencies],
            "classes": list(self.classes),
            "priors": self.priors.tolist(),
        }
