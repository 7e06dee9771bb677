"""Weights that depend on the value a feature has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.differences.metric import Encoded, Measured
from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Stored, Weights

__all__ = ["PerValue", "counted", "places", "symbols"]

BY = ("query", "stored", "both")


def symbols(levels: Sequence[Any]) -> int:
    """How many levels are symbols: a last level None is the missing value, where it is a value of its own."""
    return len(levels) - (len(levels) > 0 and levels[-1] is None)


def places(column: Encoded, v: int) -> NDArray[np.intp]:
    """(n,) the place of each value among v symbols; v where it is missing, v + 1 for a symbol never seen."""
    codes = column.values
    out = np.where((codes < 0) | (codes == v), v, np.minimum(codes, v + 1)).astype(np.intp)
    if column.missing is not None:
        out[column.missing] = v
    return out


def counted(column: Encoded, v: int) -> Array:
    """(v,) how often each symbol occurs."""
    return np.bincount(places(column, v), minlength=v + 2)[:v].astype(np.float64)


class PerValue(Weights):
    """One weight per value of each feature, by the query's value, by the stored one (Reading V1), or by both.

    By both, a difference weighs w(value of q) + w(value of x): what the two binarised features that a mismatch
    touches add up to (C4). ``by`` is one word for all features, or one a feature.

    ``values`` holds one array a feature: (v,) in the order of ``levels``, or (c, v) where the weight also depends on
    the class of the stored case. A last level None stands for the missing value where it counts as a value. ``unseen``
    (p,) or (c, p) serves a symbol never seen and any other missing value (V5). A feature without levels has one weight,
    which counts once. ``frequencies``, arrays of (v,) or (c, v), weigh the values in ``importances``.
    """

    shape = "per-value"
    is_by_value = True

    def __init__(
        self,
        values: Sequence[Any],
        features: Sequence[str],
        levels: Sequence[Sequence[Any]],
        *,
        by: str | Sequence[str] = "query",
        unseen: Any = None,
        frequencies: Sequence[Any] | None = None,
        classes: Sequence[Any] = (),
        priors: Any = (),
    ) -> None:
        self.by = by if isinstance(by, str) else tuple(by)
        self.classes = tuple(classes)
        self.priors = np.array(priors, dtype=np.float64)
        self.levels = tuple(tuple(level) for level in levels)
        super().__init__(values, features)
        self._by = (self.by,) * len(self.features) if isinstance(self.by, str) else self.by
        if len(self._by) != len(self.features) or any(word not in BY for word in self._by):
            raise WeightShapeError(
                f"by={by!r}: the value that chooses the weight is the 'query' one or the 'stored' one, or 'both': "
                "one word for all features, or one a feature."
            )
        self.unseen = np.ones(len(self.features)) if unseen is None else np.array(unseen, dtype=np.float64)
        self._check_unseen()
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

    def _check_unseen(self) -> None:
        p, c = len(self.features), len(self.classes)
        known = ((p,), (c, p)) if c else ((p,),)
        if self.unseen.shape not in known or not np.isfinite(self.unseen).all() or (self.unseen < 0).any():
            raise WeightShapeError(
                f"The weights of unseen values must be finite, not negative and of shape {known[-1]}, got shape "
                f"{self.unseen.shape}."
            )

    @property
    def importances(self) -> Array:
        means = [
            float(dot(self.priors, (a * f).sum(axis=1))) if a.ndim == 2 else float(dot(a, f))
            for a, f in zip(self.values, self.frequencies, strict=True)
        ]
        return np.array(means, dtype=np.float64)

    def aligned(self, classes: Sequence[Any] | None, levels: Sequence[Sequence[Any] | None]) -> Weights:
        """By the table's levels: a level that has no weight gets the one for unseen symbols."""
        rows = list(range(len(self.classes)))
        if self.classes and classes is not None:
            absent = [label for label in classes if label not in self.classes]
            if absent:
                raise WeightShapeError(f"There are no value weights for class {absent[0]!r}.")
            rows = [self.classes.index(label) for label in classes]
        values, shares, kept = [], [], []
        for f, own in enumerate(self.levels):
            table = self._tables[f][rows] if rows else self._tables[f]
            share, v = self.frequencies[f], symbols(own)
            share = np.concatenate([share, np.zeros((*share.shape[:-1], table.shape[-1] - share.shape[-1]))], axis=-1)
            share = share[rows] if share.ndim == 2 else share
            place = {level: at for at, level in enumerate(own[:v])}
            wanted = (*(levels[f] or ()), *own[v:]) if own else ()
            at = [v if level is None else place.get(level, v + 1) for level in wanted] if own else [0]
            values.append(table[..., at])
            shares.append(share[..., at])
            kept.append(wanted)
        return PerValue(
            values,
            self.features,
            kept,
            by=self.by,
            unseen=self.unseen[rows] if self.unseen.ndim == 2 else self.unseen,
            frequencies=shares,
            classes=[self.classes[r] for r in rows],
            priors=self.priors[rows] if rows else (),
        )

    def _moved(self, places: list[int]) -> Weights:
        return PerValue(
            [self.values[f] for f in places],
            [self.features[f] for f in places],
            [self.levels[f] for f in places],
            by=self.by if isinstance(self.by, str) else [self.by[f] for f in places],
            unseen=self.unseen[..., places],
            frequencies=[self.frequencies[f] for f in places],
            classes=self.classes,
            priors=self.priors,
        )

    @cached_property
    def _tables(self) -> tuple[Array, ...]:
        """One array a feature, (v + 2,) or (c, v + 2): symbols, the missing value, the unseen one; or (1,), (c, 1)."""
        made = []
        for f, (values, levels) in enumerate(zip(self.values, self.levels, strict=True)):
            unseen = np.broadcast_to(self.unseen[..., f], values.shape[:-1])[..., None]
            own = [values] if symbols(levels) < len(levels) else [values, unseen]
            made.append(np.concatenate([*own, unseen], axis=-1) if levels else values)
        return tuple(made)

    def _place(self, f: int, cases: Measured) -> NDArray[np.intp]:
        if not self.levels[f]:
            return np.zeros(len(cases), dtype=np.intp)
        return places(cases.columns[f], symbols(self.levels[f]))

    def pairs(self, f: int, stored: Stored, queries: Measured) -> Any:
        asked, held = self.of_asked(f, queries), self.of_stored(f, stored)
        if asked is not None:
            asked = asked[:, stored.codes] if self._tables[f].ndim == 2 else asked
        if asked is None or held is None:
            return asked if held is None else held[None, :]
        return asked + held[None, :]

    def of_asked(self, f: int, queries: Measured) -> Array | None:
        """(m, c), or (m, 1) without classes: what the query's value adds to the weight; None where it adds nothing."""
        if not self.levels[f] or self._by[f] == "stored":
            return None
        found = self._tables[f][..., self._place(f, queries)]
        return np.asarray(found.T if found.ndim == 2 else found[:, None])

    def of_stored(self, f: int, stored: Stored) -> Array | None:
        """(n,) what the stored value adds to the weight; None where it adds nothing."""
        if self.levels[f] and self._by[f] == "query":
            return None
        table, at = self._tables[f], self._place(f, stored.cases)
        return np.asarray(table[at] if table.ndim == 1 else table[stored.codes, at])

    def one(self, f: int, stored: Stored, i: int, queries: Measured, j: int) -> float:
        if not self.levels[f]:
            return self._weight(f, 0, stored, i)
        by, total = self._by[f], 0.0
        if by in ("query", "both"):
            total += self._weight(f, self._level(f, queries.columns[f], j), stored, i)
        if by in ("stored", "both"):
            total += self._weight(f, self._level(f, stored.cases.columns[f], i), stored, i)
        return total

    def _level(self, f: int, column: Encoded, row: int) -> int | None:
        """Which of the levels a value is; None where it has no weight of its own."""
        v, code = symbols(self.levels[f]), int(column.values[row])
        missing = code < 0 or code == v or (column.missing is not None and bool(column.missing[row]))
        if missing:
            return v if v < len(self.levels[f]) else None
        return code if code < v else None

    def _weight(self, f: int, level: int | None, stored: Stored, i: int) -> float:
        array = self.values[f]
        if array.ndim == 1:
            return float(self.unseen[f] if level is None else array[level])
        row = int(stored.codes[i])
        if level is None:
            return float(self.unseen[f] if self.unseen.ndim == 1 else self.unseen[row, f])
        return float(array[row, level])

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
            "by": self.by if isinstance(self.by, str) else list(self.by),
            "unseen": self.unseen.tolist(),
            "frequencies": [f.tolist() for f in self.frequencies],
            "classes": list(self.classes),
            "priors": self.priors.tolist(),
        }
