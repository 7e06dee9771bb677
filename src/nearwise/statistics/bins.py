"""Numbers into bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["equal_width", "placed"]

Array = NDArray[np.float64]


def equal_width(values: Array, bins: int) -> Array:
    r"""(bins - 1,) cuts that divide the observed range into bins of equal width (Reading I2).

    .. math:: cut_k = \min + k\,(\max - \min) / bins

    One value, or none, needs no cut.

    >>> equal_width(np.array([0.0, 3.0, 8.0]), 4)
    array([2., 4., 6.])
    """
    if not len(values):
        return np.empty(0)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.empty(0)
    steps = np.arange(1, bins)
    if np.isinf(high - low):
        return np.asarray(low * (1 - steps / bins) + high * (steps / bins))
    return np.asarray(low + (high - low) / bins * steps)


def placed(values: Array, cuts: Array) -> NDArray[Any]:
    """(n,) the bin of each value: bins are half open, [low, high), and the maximum is in the last one (I3).

    >>> placed(np.array([0.0, 2.0, 8.0]), np.array([2.0, 4.0, 6.0]))
    array([0, 1, 3])
    """
    return np.searchsorted(cuts, values, side="right")
