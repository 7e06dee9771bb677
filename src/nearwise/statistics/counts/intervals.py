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
        values = np.mod(column.values, kind.period) if isinstance(kind, Cyclic) else column.values
        flat = cuts.place(values).astype(np.int64) * c + target.values
        weights = target.weights
        table = np.bincount(flat[~gone], weights=weights[~gone], minlength=len(cuts) * c).astype(np.float64)
        missing: Array = np.zeros(c)
        if missing_as_value:
            missing = np.bincount(target.values[gone], weights=weights[gone], minlength=c).astype(np.float64)
        return cls(cuts, table.reshape(len(cuts), c), missing)

    def merge(self, other: IntervalCounts) -> IntervalCounts:
        if not np.array_equal(self.cuts.points, other.cuts.points):
            raise InputError("Counts by different intervals cannot be merged: parts must agree on the cuts first.")
        return IntervalCounts(self.cuts, self.table + other.table, self.missing + other.missing)
