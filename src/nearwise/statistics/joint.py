"""How often two symbols occur together, case by case."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.statistics.contingency import Contingency

__all__ = ["count_pairs"]


def count_pairs(
    rows: NDArray[np.int32], columns: NDArray[Any], n_rows: int, n_columns: int, weights: Any = None
) -> Contingency:
    """The table of two codes (n,); a case with a negative code in either is left out.

    >>> count_pairs(np.array([0, 1, 1, -1]), np.array([1, 0, 0, 0]), 2, 2).weights
    array([1., 2.])
    """
    known = (rows >= 0) & (columns >= 0)
    flat = rows.astype(np.int64) * n_columns + columns
    if not known.all():
        flat = flat[known]
        weights = None if weights is None else weights[known]
    size = n_rows * n_columns
    if size <= 4 * len(flat) + 1024:
        table = np.bincount(flat, weights=weights, minlength=size).astype(np.float64)
        return Contingency.of_table(table.reshape(n_rows, n_columns))
    found, at = np.unique(flat, return_inverse=True)
    totals = np.bincount(at, weights=weights, minlength=len(found)).astype(np.float64)
    return Contingency.of(found // n_columns, found % n_columns, totals, n_rows, n_columns)
