"""The stored cases in the order in which a scan has them: those of a class together, where weights go by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import Distance, Floats, Ints, Payload
from nearwise.weights import Scaled

__all__ = ["Segments", "row_of_weights", "segment_of", "skipped"]


def row_of_weights(distance: Distance) -> NDArray[np.int32]:
    """(n,) the row of weights that each stored case weighs by: its class where they go by class, else 0."""
    found = segment_of(distance)
    return np.zeros(len(distance.stored), dtype=np.int32) if found is None else found


def segment_of(distance: Distance) -> NDArray[np.int32] | None:
    """The same, None where there is one row for all."""
    if isinstance(distance.weights, Scaled):
        rows = distance.weights.rows
        return None if rows is None else rows.astype(np.int32)
    if distance.weights.shape != "per-class" or distance.stored.classes is None:
        return None
    return distance.stored.classes.astype(np.int32)


def skipped(leave_out: Ints | None, m: int) -> NDArray[np.int64]:
    """(m,) the stored case that each query leaves out, or -1."""
    if leave_out is None:
        return np.full(m, -1, dtype=np.int64)
    return np.maximum(leave_out, -1).astype(np.int64)


@dataclass(frozen=True)
class Segments:
    """One segment for each row of weights."""

    order: NDArray[np.int64]
    """(n,) the case at each place"""
    bounds: NDArray[np.int64]
    """(segments + 1,) where each begins, and the end"""

    @classmethod
    def of(cls, distance: Distance) -> Segments:
        classes, n = distance.stored.classes, len(distance.stored)
        rows = len(getattr(distance.weights, "classes", ()))
        if classes is None or not rows:
            return cls(np.arange(n), np.array([0, n]))
        order = np.argsort(classes, kind="stable").astype(np.int64)
        return cls(order, np.searchsorted(classes[order], np.arange(rows + 1)).astype(np.int64))

    @property
    def is_in_order(self) -> bool:
        """Whether every case is at the place of its number."""
        return bool((self.order[1:] > self.order[:-1]).all())

    def arranged(self, columns: Floats) -> Floats:
        """(columns, n) by place; without a copy where the cases are in order."""
        return np.ascontiguousarray(columns if self.is_in_order else columns[:, self.order])

    def skipped(self, leave_out: Ints | None, m: int) -> NDArray[np.int64]:
        """(m,) the place that each query leaves out, or -1."""
        skip = skipped(leave_out, m)
        place = np.full(len(self.order) + 1, -1, dtype=np.int64)  # the last place is that of -1
        place[self.order] = np.arange(len(self.order))
        return place[skip]

    def payload(self, payload: Payload) -> tuple[NDArray[np.int32], Floats, int]:
        """Codes and values by place, and the number of groups: what the kernels take."""
        return payload.of(self.order).packed
