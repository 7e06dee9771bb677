"""A matrix of weights: distance in a transformed space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearwise.arithmetic import dot
from nearwise.errors import WeightShapeError
from nearwise.weights.base import Array, Stored, Weights
from nearwise.weights.values import counted, symbols

__all__ = ["Matrix"]


class Matrix(Weights):
    """A linear map A: d(x, q) = \\|A (x - q)\\|, with x and q in units of their scale.

    A feature on a line (numbers, ranks) has one column; a feature with ``levels`` has one a level, for x is then 1 at
    its own level and 0 at the others. A last level None stands for the missing value where it counts as a value; any
    other missing value is taken at the mean of the stored cases. A symbol never seen is 0 at every level. Entries may
    be negative.

    The terms are squares whatever p: with p = 2 the distance is the root of their sum, with p = 1 the sum.
    """

    shape = "matrix"
    is_mapped = True
    served_by = "matrix"

    def __init__(self, values: Any, features: Sequence[str], levels: Sequence[Sequence[Any]] | None = None) -> None:
        self.levels = tuple(tuple(level) for level in levels) if levels is not None else ((),) * len(features)
        super().__init__(values, features)

    def _checked(self, values: Any) -> Array:
        array = np.array(values, dtype=np.float64, order="C")  # one order in memory, so that a loaded model sums alike
        if len(self.levels) != len(self.features):
            raise WeightShapeError(
                f"Expected the levels of {len(self.features)} features (none for a number), got {len(self.levels)}."
            )
        wide = sum(max(1, len(level)) for level in self.levels)
        if array.ndim != 2 or array.shape[1] != wide or not np.isfinite(array).all():
            raise WeightShapeError(
                f"A matrix of weights has finite entries and one column per feature ({len(self.features)}), or one per "
                f"level of a feature that has levels: expected {wide} columns, got shape {array.shape}."
            )
        array.setflags(write=False)
        return array

    @property
    def blocks(self) -> list[Array]:
        """One (new features, columns) array a feature."""
        widths = [max(1, len(level)) for level in self.levels]
        return np.split(self.values, np.cumsum(widths)[:-1], axis=1) if widths else []

    @property
    def importances(self) -> Array:
        """The squared length of one unit of a number, or of the mean step between two levels."""
        found = [
            2.0 * np.var(block, axis=1).sum() if level else np.square(block).sum()
            for block, level in zip(self.blocks, self.levels, strict=True)
        ]
        return np.array(found, dtype=np.float64)

    def aligned(self, classes: Sequence[Any] | None, levels: Sequence[Sequence[Any] | None]) -> Weights:
        """By the table's levels: a level that the matrix has no column for is 0 at every new feature."""
        wanted = [
            own if not own or known is None else (*known, *own[symbols(own) :])
            for own, known in zip(self.levels, levels, strict=True)
        ]
        if tuple(wanted) == self.levels:
            return self
        nowhere, blocks = np.zeros((len(self.values), 1)), []
        for own, asked, block in zip(self.levels, wanted, self.blocks, strict=True):
            place = {level: at for at, level in enumerate(own)}
            at = [place.get(level, len(own)) for level in asked] or [len(own)]
            blocks.append(np.hstack([block, nowhere])[:, at] if own else block)
        return Matrix(np.hstack(blocks), self.features, wanted)

    def _moved(self, places: list[int]) -> Weights:
        values = np.hstack([self.blocks[f] for f in places])
        return Matrix(values, [self.features[f] for f in places], [self.levels[f] for f in places])

    def table(self, f: int, stored: Stored) -> Array:
        """(new features, v + 2) where each level of feature f lands, then a missing value, then a symbol never seen."""
        block, v = self.blocks[f], symbols(self.levels[f])
        nowhere = np.zeros((len(block), 1))
        if v < len(self.levels[f]):
            return np.hstack([block, nowhere])
        counts = counted(stored.cases.columns[f], v) if stored.means is None else stored.means[f]
        mean = dot(counts, block.T) / max(1.0, counts.sum())
        return np.hstack([block, mean[:, None], nowhere])

    def columns(self) -> dict[str, list[Any]]:
        named = [
            (name, level)
            for name, levels in zip(self.features, self.levels, strict=True)
            for level in levels or (None,)
        ]
        out = {
            "feature": [name for name, _ in named] * len(self.values),
            "new_feature": [f"z{i}" for i in range(len(self.values)) for _ in named],
            "weight": self.values.ravel().tolist(),
        }
        return {**out, "value": [level for _, level in named] * len(self.values)} if any(self.levels) else out

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "levels": [list(level) for level in self.levels]}
