"""Numbers counted by intervals that all parts of a table agree on: a few counts, however many numbers there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.cuts import Cuts
from nearwise.cases.kinds import Cyclic, Kind
from nearwise.cases.target import Target
from nearwise.errors import InputError

__all__ = ["IntervalCounts"]

Array = NDArray[np.float64]

STEP = 1 << 16
"""cases that are counted at once: what is worked out on the way takes no memory to speak of"""


@dataclass(frozen=True)
class IntervalCounts:
    """``table`` (v, c) cases of each class in each interval, ``missing`` (c,) those without a value, if they count."""

    storage: ClassVar[str] = "intervals"
    cuts: Cuts
    table: Array
    missing: Array

    @classmethod
    def of(cls, column: Column, kind: Kind, cuts: Cuts, target: Target, missing_as_value: bool) -> IntervalCounts:
        c, gone = target.n_classes, column.missing
        table: Array = np.zeros(len(cuts) * c)
        step = STEP if target.weighs_one else max(1, len(column))  # only whole cases add up alike in pieces
        for start in range(0, len(column), step):
            rows = slice(start, start + step)
            values, known, classes = column.values[rows], ~gone[rows], target.values[rows]
            values = np.mod(values, kind.period) if isinstance(kind, Cyclic) else values
            flat = cuts.place(values).astype(np.int64) * c + classes
            table += np.bincount(flat[known], weights=target.weights[rows][known], minlength=len(table))
        missing: Array = np.zeros(c)
        if missing_as_value:
            missing = np.bincount(target.values[gone], weights=target.weights[gone], minlength=c).astype(np.float64)
        return cls(cuts, table.reshape(len(cuts), c), missing)

    def merge(self, other: IntervalCounts) -> IntervalCounts:
        if not np.array_equal(self.cuts.points, other.cuts.points):
            raise InputError("Counts by different intervals cannot be merged: parts must agree on the cuts first.")
        return IntervalCounts(self.cuts, self.table + other.table, self.missing + other.missing)
