"""Stored cases that ask without their own labels, for the index in single precision.

Values that are compared by the target (`Shares`) ask under rows that their own label is not in, but do not differ from
the stored cases of their own value. The index proposes as if they did, and is told by how much a sum may be off at the
most; the decision knows the levels.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.differences.shares import SharesFitted
from nearwise.search.base import Distance
from nearwise.weights import Scaled

__all__ = ["LeftOut"]


class LeftOut:
    """The levels of stored cases and of queries, column by column of the core."""

    def __init__(self, distance: Distance, layout: Any) -> None:
        self.distance, self.layout = distance, layout
        self.shares = [f if isinstance(f, SharesFitted) else None for f in layout.embedded]

    @property
    def is_needed(self) -> bool:
        return any(self.shares)

    @cached_property
    def stored_levels(self) -> list[NDArray[np.int32]]:
        """For each column (n,) levels; empty where it has none."""
        columns = self.distance.stored.cases.columns
        none = np.zeros(0, dtype=np.int32)
        return [
            none if self.shares[f] is None else np.ascontiguousarray(columns[f].values, dtype=np.int32)
            for f in self.layout.feature
        ]

    @cached_property
    def _largest(self) -> NDArray[np.float64]:
        """(p,) the largest coefficient of each feature."""
        weights = self.distance.weights
        values = weights.largest if isinstance(weights, Scaled) else np.asarray(weights.values, dtype=np.float64)
        if values.ndim == 2:
            values = values.max(axis=0, initial=0.0)
        return np.asarray(values * self.distance.metric.scales())

    def more_of(self, queries: Measured) -> dict[str, NDArray[Any]]:
        """The levels of the queries, and by how much the sums that are proposed may be off."""
        levels = np.full((len(queries), len(self.layout.feature)), -1, dtype=np.int32)
        blur = np.zeros(len(queries))
        for f, fitted in enumerate(self.shares):
            if fitted is None:
                continue
            codes = queries.columns[f].values
            own = fitted.level_of(codes)
            levels[:, self.layout.feature == f] = own[:, None]
            gaps = np.abs(fitted.embed(codes) - fitted.rows[own]).sum(axis=1)
            blur += self._largest[f] * np.where(own >= 0, gaps, 0.0)
        return {"levels": levels, "blur": blur * (1 + 1e-9)}
