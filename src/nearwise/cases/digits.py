"""Numbers with fewer digits: what is counted of a feature with more different numbers than can be held.

The last bits of every number are left out, as few as leave so many different ones. How few depends on the numbers
alone, so parts may be merged in any order: what several merges have left out together, one would have. A number keeps
its sign and its size, and moves towards 0 by less than 2^(bits - 52) of itself. Whole numbers and others of few digits
stay as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError

__all__ = ["ALL_BITS", "MOST_DISTINCT", "beginnings", "bits_to_leave_out", "shortened", "told_of_digits", "too_many"]

Floats = NDArray[np.float64]

MOST_DISTINCT = 4_000_000
"""different numbers of a feature that are counted one by one"""
ALL_BITS = 52
"""bits of a number behind its first"""


def shortened(values: Floats, bits: int) -> Floats:
    """The numbers without so many of their last bits.

    >>> shortened(np.array([1.0, 1.2, -1.7, 6.9]), 51).tolist()
    [1.0, 1.0, -1.5, 6.0]
    """
    if not bits:
        return values
    whole = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return (whole & ~np.int64((1 << bits) - 1)).view(np.float64) + 0.0  # one zero of 0.0 and -0.0


def bits_to_leave_out(values: Floats, most: int | None = None, bits: int = 0) -> int:
    """The fewest bits, from ``bits`` on, without which no more than ``most`` different numbers are left.

    The numbers ascend. ``most`` is `MOST_DISTINCT` where nothing is said. More than `ALL_BITS` says that there is no
    such number of bits.

    >>> bits_to_leave_out(np.array([1.0, 1.1, 1.2, 1.3]), 2)
    50
    """
    most = MOST_DISTINCT if most is None else most
    if len(values) <= most:
        return bits
    low, high = bits, ALL_BITS + 1
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(beginnings(shortened(values, middle))) <= most:
            high = middle
        else:
            low = middle + 1
    return low


def beginnings(ascending: Floats) -> NDArray[np.bool_]:
    """(n,) where another number begins.

    >>> beginnings(np.array([1.0, 1.0, 2.0])).tolist()
    [True, False, True]
    """
    new = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return new


def too_many(feature: str) -> InputError:
    return InputError(
        f"Feature {feature!r} has more than {MOST_DISTINCT:,} different numbers in every reading of them: take "
        "scale='range', missing='max' and weights that cut by discretise='width', which need no list of them."
    )


def told_of_digits(feature: str, bits: int) -> str:
    """What a user is told of numbers that were shortened."""
    return (
        f"{feature!r} has more than {MOST_DISTINCT:,} different numbers, which parts count with fewer digits: each is "
        f"off by less than 1 part in {1 << (ALL_BITS - bits):,}, and so is a cut between them"
    )
