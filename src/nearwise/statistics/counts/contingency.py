"""A table of two symbols that keeps only the cells that occur: an identifier has n rows, and n cells, not n times c."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.statistics.counts.joint import cells_of
from nearwise.statistics.counts.values import sums_at

__all__ = ["Contingency"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contingency:
    """Cell e says that row ``row_at[e]`` (a value) and column ``column_at[e]`` (a class) share ``weights[e]`` > 0.

    >>> table = Contingency.of_table(np.array([[2.0, 0.0], [1.0, 3.0]]))
    >>> table.weights, table.of_row, table.of_column, table.total
    (array([2., 1., 3.]), array([2., 4.]), array([3., 3.]), 6.0)
    """

    row_at: NDArray[Any]
    column_at: NDArray[Any]
    weights: Array
    rows: int
    columns: int

    @classmethod
    def of(cls, row_at: NDArray[Any], column_at: NDArray[Any], weights: Array, rows: int, columns: int) -> Self:
        """From cells of which some may be empty."""
        there = weights > 0
        if not there.all():
            row_at, column_at, weights = row_at[there], column_at[there], weights[there]
        return cls(row_at, column_at, weights, rows, columns)

    @classmethod
    def of_table(cls, table: Array) -> Self:
        """From all cells, (rows, columns)."""
        row_at, column_at = np.nonzero(table > 0)
        return cls(row_at, column_at, np.asarray(table, dtype=np.float64)[row_at, column_at], *table.shape)

    @classmethod
    def of_codes(
        cls, rows: NDArray[Any], columns: NDArray[Any], n_rows: int, n_columns: int, weights: Array | None = None
    ) -> Self:
        """From two codes (n,) of each case; one with a negative code is left out."""
        cells = cells_of(rows, columns, n_rows, n_columns, weights)
        weighs = cells.cases.astype(np.float64) if cells.weights is None else cells.weights
        return cls.of(cells.row_at, cells.column_at, weighs, n_rows, n_columns)

    @cached_property
    def of_row(self) -> Array:
        """(rows,) the weight of each row."""
        return sums_at(self.row_at, self.weights, self.rows)

    @cached_property
    def of_column(self) -> Array:
        """(columns,) the weight of each column."""
        return sums_at(self.column_at, self.weights, self.columns)

    @cached_property
    def total(self) -> float:
        return float(self.weights.sum())

    @property
    def n_rows(self) -> int:
        """How many rows occur."""
        return int(np.count_nonzero(self.of_row))

    @property
    def n_columns(self) -> int:
        """How many columns occur."""
        return int(np.count_nonzero(self.of_column))

    @property
    def expected(self) -> Array:
        """(e,) the weight that each cell would have if rows said nothing about columns."""
        return np.asarray(self.of_row[self.row_at] * (self.of_column[self.column_at] / self.total))
