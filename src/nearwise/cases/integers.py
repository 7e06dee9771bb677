"""Whole numbers that float64 cannot hold: it tells all of them apart up to 2^53, and beyond it only some.

Two identifiers that round to the same number would be one value. So such integers are kept beside the numbers: as
symbols they stay exact, and as numbers they are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.plain import object_array

__all__ = ["Lost", "lost_in_array", "lost_in_list", "lost_in_texts"]

EXACT = 2.0**53
"""up to here every whole number is a float64"""


@dataclass(frozen=True)
class Lost:
    """The rows whose integers float64 rounds, ascending, and those integers."""

    rows: NDArray[np.intp]
    integers: NDArray[Any]

    def put(self, values: list[Any]) -> list[Any]:
        """The values with the exact integers in their places."""
        for row, integer in zip(self.rows.tolist(), self.integers.tolist(), strict=True):
            values[row] = integer
        return values

    def take(self, rows: NDArray[np.intp], n: int) -> Lost | None:
        place = np.full(n, -1, dtype=np.intp)
        place[self.rows] = np.arange(len(self.rows))
        found = place[rows]
        return _lost(np.flatnonzero(found >= 0), self.integers[found[found >= 0]])

    @staticmethod
    def joined(parts: Sequence[tuple[int, Lost | None]]) -> Lost | None:
        """Of a column that came in parts: (first row, what is lost) of each."""
        found = [(start, part) for start, part in parts if part is not None]
        if not found:
            return None
        rows = np.concatenate([start + part.rows for start, part in found])
        return Lost(rows, np.concatenate([part.integers.astype(object) for _, part in found]))


def _lost(rows: NDArray[np.intp], integers: Any) -> Lost | None:
    if not len(rows):
        return None
    return Lost(rows, integers if isinstance(integers, np.ndarray) else object_array(integers))


def lost_in_array(integers: NDArray[Any], numbers: NDArray[np.float64]) -> Lost | None:
    """Of an array of integers and the same as float64.

    >>> lost_in_array(np.array([2**53, 2**53 + 1]), np.array([2.0**53, 2.0**53])).integers
    array([9007199254740993])
    """
    if integers.dtype.kind not in "iu" or integers.dtype.itemsize < 8:
        return None
    rows = np.flatnonzero(np.abs(numbers) >= EXACT)
    beyond = 2.0**63 if integers.dtype.kind == "i" else 2.0**64  # what no integer of this type can be
    back = np.where(numbers[rows] < beyond, numbers[rows], 0.0).astype(integers.dtype)
    rows = rows[back != integers[rows]]
    return _lost(rows, integers[rows])


def lost_in_list(values: list[Any], numbers: NDArray[np.float64]) -> Lost | None:
    """Of Python's numbers, None for missing, and the same as float64."""
    large = np.flatnonzero(np.abs(numbers) >= EXACT)
    # Python compares an integer with a float exactly, NumPy after rounding it
    rows = [i for i in large if _is_integer(values[i]) and int(values[i]) != float(numbers[i])]
    return _lost(np.array(rows, dtype=np.intp), [int(values[i]) for i in rows])


def _is_integer(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.as_tuple().exponent == 0  # written as an integer: 6.02E+23 is not
    return isinstance(value, int | np.integer)


def lost_in_texts(texts: Sequence[str], numbers: NDArray[np.float64]) -> Lost | None:
    """Of texts that were read as float64; "1e23" is no integer."""
    rows, integers = [], []
    for i in np.flatnonzero(np.abs(numbers) >= EXACT).tolist():
        try:
            integer = int(texts[i])
        except ValueError:  # a point, an exponent, or more digits than Python reads
            continue
        if integer != float(numbers[i]):
            rows.append(i)
            integers.append(integer)
    return _lost(np.array(rows, dtype=np.intp), integers)
