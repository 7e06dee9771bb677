"""Axes that a forest has stretched: a number is compared by its height along the axis, a symbol by a row of heights.

What was learned is in the difference itself, so that a stored model needs no forest.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import Coding
from nearwise.differences.numeric import Line, ranks
from nearwise.differences.rows import RowsFitted
from nearwise.errors import InputError

__all__ = ["BentNumber", "BentSymbol"]

Floats = NDArray[np.float64]


def _numbers(given: Any, what: str) -> tuple[float, ...]:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InputError(f"{what} of a bent axis must be finite numbers.")
    return tuple(found.tolist())


@dataclass(frozen=True)
class BentNumber(Difference):
    r"""The difference of two heights along an axis: \|b(x) - b(q)\|.

    b climbs by ``gains`` at ``steps`` (where trees split, by how much that gained) and along straight lines through
    ``heights`` at ``knots``. Beyond the outermost knots it stays level.
    """

    name = "bent-number"
    converts = ("Numeric", "Cyclic", "Ordinal")
    needs_classes: ClassVar[bool] = True
    p: ClassVar[float | None] = 1
    steps: Sequence[float] | Floats = ()
    gains: Sequence[float] | Floats = ()
    knots: Sequence[float] | Floats = (0.0,)
    heights: Sequence[float] | Floats = (0.0,)

    def __post_init__(self) -> None:
        for field in ("steps", "gains", "knots", "heights"):
            object.__setattr__(self, field, _numbers(getattr(self, field), field))
        sizes = len(self.steps) == len(self.gains) and len(self.knots) == len(self.heights) > 0
        if not sizes or (np.diff(self.steps) < 0).any() or (np.diff(self.knots) < 0).any():
            raise InputError(
                "A bent axis needs as many gains as steps and as many heights as knots, in ascending order."
            )

    def height(self, values: Floats) -> Floats:
        """(n,) b of each number; 0 where it is missing."""
        known = np.nan_to_num(values)
        climbed = np.concatenate([[0.0], np.cumsum(self.gains)])
        stepped = climbed[np.searchsorted(np.array(self.steps), known, side="left")]
        return np.asarray(stepped + np.interp(known, self.knots, self.heights))

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return BentLine(self, column)

    def __str__(self) -> str:
        return f"bent at {len(self.steps)} places"


class BentLine(Line):
    """Heights on a line; a missing number is as far as the heights of the stored cases reach."""

    def __init__(self, bent: BentNumber, column: Column) -> None:
        self.bent = bent
        heights = np.where(column.missing, np.nan, self._heights(column))
        super().__init__(heights, "none", None)
        known = heights[~column.missing]
        self.maximum = float(known.max() - known.min()) if len(known) else 0.0
        self.unit = 1.0

    def _heights(self, column: Column) -> Floats:
        return self.bent.height(column.values if column.levels is None else ranks(column))

    def encode(self, column: Column) -> Floats:
        return self._heights(column)


@dataclass(frozen=True)
class BentSymbol(Difference):
    """The sum of the moduli between the rows of two symbols; rows are those of the levels, a missing and a new one."""

    name = "bent-symbol"
    converts = ("Symbolic",)
    needs_classes: ClassVar[bool] = True
    p: ClassVar[float | None] = 1
    levels: tuple[Hashable, ...] = ()
    rows: Sequence[Sequence[float]] | Floats = ((0.0,), (0.0,))

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "rows", tuple(_numbers(row, "rows") for row in self.rows))
        if len(self.rows) != len(self.levels) + 2 or len({len(row) for row in self.rows}) != 1 or not len(self.rows[0]):
            raise InputError(
                "A bent symbol needs one row for each level, one for a missing value and one for a new one."
            )

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return BentRows(self, column)

    def __str__(self) -> str:
        return f"bent, {len(self.levels)} values"


class BentRows(RowsFitted):
    codes_missing = True

    def __init__(self, bent: BentSymbol, column: Column) -> None:
        self.coding = Coding(bent.levels)
        self.levels = bent.levels
        self.rows = np.array(bent.rows, dtype=np.float64)
        counts = np.bincount(self.encode(column), minlength=len(self.rows)).astype(np.float64)
        self.shares = counts / max(1.0, counts.sum())
        gaps = self.table(np.arange(len(self.rows), dtype=np.int32))
        self.maximum = float(gaps.max(initial=0.0))
