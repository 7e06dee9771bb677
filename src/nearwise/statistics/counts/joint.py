"""How often two codes occur together: one pass over the cases, in the native core where it is there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearwise.native import core

__all__ = ["Cells", "cells_of"]

Array = NDArray[np.float64]


class Cells(NamedTuple):
    """The pairs of codes that occur, ordered by row, then column; (e,) each."""

    row_at: NDArray[Any]
    column_at: NDArray[Any]
    cases: NDArray[np.int64]
    weights: Array | None
    """None where every case weighs 1"""


def cells_of(
    rows: NDArray[Any], columns: NDArray[Any], n_rows: int, n_columns: int, weights: Array | None = None
) -> Cells:
    """Count two codes (n,) of each case; one with a negative code is left out.

    >>> cells_of(np.array([0, 1, 1, -1]), np.array([1, 0, 0, 0]), 2, 2).cases.tolist()
    [1, 2]
    """
    size = n_rows * n_columns
    native = core()
    sums: Any
    if native is not None and size <= 4 * len(rows) + 1024:
        one, two = (np.ascontiguousarray(codes, dtype=np.int32) for codes in (rows, columns))
        found = native.count_codes(one, two, n_rows, n_columns, weights)
        cases, sums = found[0].ravel(), None if found[1] is None else found[1].ravel()
        at = np.flatnonzero(cases)
        return _cells(at, n_columns, cases[at], None if sums is None else sums[at])
    known = (rows >= 0) & (columns >= 0)
    flat = rows.astype(np.int64) * n_columns + columns
    if not known.all():
        flat, weights = flat[known], None if weights is None else weights[known]
    if size <= 4 * len(flat) + 1024:
        cases = np.bincount(flat, minlength=size)
        at = np.flatnonzero(cases)
        cases = cases[at]
        sums = None if weights is None else np.bincount(flat, weights=weights, minlength=size)[at]
    else:  # an identifier: most cells of the whole table would be empty
        at, inverse, cases = np.unique(flat, return_inverse=True, return_counts=True)
        sums = None if weights is None else np.bincount(inverse, weights=weights, minlength=len(at))
    return _cells(at, n_columns, cases, sums)


def _cells(at: NDArray[Any], n_columns: int, cases: NDArray[Any], sums: Array | None) -> Cells:
    return Cells(at // max(n_columns, 1), at % max(n_columns, 1), cases.astype(np.int64, copy=False), sums)
