"""Waveforms: mixtures of two out of three waves under noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.datasets.draws import below, normal, random_rows, uniform
from nearwise.errors import InputError, check_whole

__all__ = ["WAVES", "make_waveform"]

POINTS = 21
WAVES = np.array([[max(6 - abs(i - peak), 0) for i in range(1, POINTS + 1)] for peak in (7, 15, 11)], dtype=np.float64)
"""(3, 21) triangles of height 6 around 7, 15 and 11 (Reading N3)"""
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])
"""the waves that each class mixes"""


def make_waveform(features: int = 21, n: int = 300, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    r"""(n, features) mixed waves and (n,) which two waves were mixed: "0", "1" or "2", all equally likely.

    .. math:: x_i = u\,h_a(i) + (1 - u)\,h_b(i) + \varepsilon_i, \qquad u \sim U(0, 1), \quad
       \varepsilon_i \sim N(0, 1)

    With 40 features the last 19 are noise alone. No classifier is right more often than in 86% of the cases. The same
    seed gives the same waves.

    References: breiman1984, sect. 2.6; wettschereck1997, table 3 (Waveform-21, Waveform-40).

    >>> X, y = make_waveform(40, n=3)
    >>> X.shape, X[0, 10:13].round(3).tolist(), y.tolist()
    ((3, 40), [5.99, 2.09, 3.533], ['1', '1', '1'])
    """
    if check_whole("features", features, 1) not in (21, 40):
        raise InputError(f"features={features!r}: expected 21, or 40 of which the last 19 are noise.")
    bits = random_rows(seed, n, 2 + features)
    classes, share = below(3, bits[:, 0]), uniform(bits[:, 1:2])
    first, second = WAVES[PAIRS[classes, 0]], WAVES[PAIRS[classes, 1]]
    X = normal(bits[:, 2:])
    X[:, :POINTS] += share * first + (1.0 - share) * second
    return X, classes.astype(str)
