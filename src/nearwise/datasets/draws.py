"""Random numbers that are the same on every machine and under every NumPy: from the bits of PCG64, by whole numbers.

NumPy keeps the bits of its generators, and may change how numbers are made of them; logarithms differ in the last bit
from machine to machine. So numbers are made of the bits here, and normal ones looked up in a table.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import check_whole

__all__ = ["below", "normal", "random_rows", "uniform"]

Array = NDArray[np.float64]
Bits = NDArray[np.uint64]

STEPS = 1 << 16
"""quantiles of the normal distribution that are drawn"""


def random_rows(seed: int, n: int, width: int) -> Bits:
    """(n, width) random bits, row by row, so that fewer rows are the first of more."""
    count = check_whole("n", n, 1) * width
    bits = np.random.PCG64(check_whole("seed", seed, 0)).random_raw(count)
    return np.asarray(bits, dtype=np.uint64).reshape(n, width)


def below(limit: int, bits: Bits) -> NDArray[np.intp]:
    """Whole numbers 0 .. limit - 1, equally likely to within limit / 2^32.

    >>> below(10, random_rows(1, 2, 3)).tolist()
    [[5, 9, 1], [9, 3, 4]]
    """
    return ((bits >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32)).astype(np.intp)


def uniform(bits: Bits) -> Array:
    """Numbers from 0 to below 1, in steps of 2^-53.

    >>> uniform(random_rows(1, 1, 3)).round(3).tolist()
    [[0.512, 0.95, 0.144]]
    """
    return np.asarray((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def normal(bits: Bits) -> Array:
    """Numbers of mean 0 and standard deviation 1: one of 65,536 quantiles, to six decimals.

    >>> normal(random_rows(1, 1, 3)).round(3).tolist()
    [[0.03, 1.649, -1.062]]
    """
    return _quantiles()[below(STEPS, bits)]


@cache
def _quantiles() -> Array:
    """(STEPS,) the quantiles at (i + 1/2) / STEPS; six decimals hide the last bit of the machine's logarithm."""
    upper = [round(NormalDist().inv_cdf((i + 0.5) / STEPS), 6) for i in range(STEPS // 2, STEPS)]
    return np.array([-x for x in reversed(upper)] + upper)
