"""The different values of a column, and which of them each case has: what typing symbols comes down to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.native import core

__all__ = ["distinct", "first_places", "is_hashable"]


def distinct(values: list[Any] | NDArray[Any]) -> tuple[list[Any], NDArray[np.int32]]:
    """The different values in the order in which they appear, and (n,) the place of each case's value among them.

    ``values`` are hashable objects, or an array of these, of texts or of numbers. Equal is what Python calls equal: 1
    is 1.0.

    >>> distinct(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0], dtype=int32))
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        codes, first = _of_array(values)
        return values[first].tolist(), codes
    place = dict.fromkeys(values)
    for code, value in enumerate(place):
        place[value] = code
    return list(place), np.fromiter(map(place.__getitem__, values), dtype=np.int32, count=len(values))


def first_places(keys: list[Any]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The case that has each of the different keys first, in order, and (n,) the place of each case's key.

    >>> first_places(["b", "a", "b"])
    (array([0, 1]), array([0, 1, 0], dtype=int32))
    """
    codes = distinct(keys)[1]
    return np.unique(codes, return_index=True)[1], codes


def _of_array(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """(n,) codes and the first case of each."""
    if values.dtype.kind == "f":
        values = values + 0.0  # -0.0 and 0.0 are equal and have different bytes
    native = core()
    if native is None:
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(first), dtype=np.int32)
        place[order] = np.arange(len(first), dtype=np.int32)
        return place[inverse], first[order].astype(np.int64)
    rows = np.ascontiguousarray(values)
    width = rows.dtype.itemsize
    found: tuple[NDArray[np.int32], NDArray[np.int64]] = native.distinct(
        rows.view(np.uint8).reshape(len(rows), width) if width else np.empty((len(rows), 0), dtype=np.uint8)
    )
    return found


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
