"""Local weights from the risk of a finite sample: how fast the classes change along each feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.weights.base import Array, Stored
from nearwise.weights.discriminant import ROUNDING, near_amounts
from nearwise.weights.forms import gaps_near
from nearwise.weights.local import Near

__all__ = ["slopes"]


def slopes(stored: Stored, queries: Measured, near: Near, labels: NDArray[np.int64], amounts: Array) -> Array:
    r"""(m, p) :math:`\sum_c \pi_c^2 (M_{cf} - M_f)^2 / V_f^2` over the stored cases near each query.

    :math:`\pi_c` is the share of class c among them, :math:`M_c` its mean difference from the query, M that of all, V
    their variance; each counts by the tricube of its distance.
    :math:`\pi_c (M_c - M) / V` is the slope of the share of class c along a feature by least squares.
    A feature that does not vary among them, or along which no share changes, has 0.
    """
    cases = np.maximum(near.cases, 0)
    own = near_amounts(near, amounts)
    total = own.sum(axis=1, keepdims=True)
    shares = own / np.where(total > 0, total, 1.0)
    gaps = gaps_near(stored, queries, cases)
    centred = gaps - (shares[:, :, None] * gaps).sum(axis=1, keepdims=True)
    spread = (shares[:, :, None] * np.square(centred)).sum(axis=1)
    sizes = (shares[:, :, None] * np.square(gaps)).sum(axis=1)
    out = np.zeros(spread.shape)
    for code in np.unique(labels[cases]).tolist():
        out += np.square(((shares * (labels[cases] == code))[:, :, None] * centred).sum(axis=1))
    changes = (spread > ROUNDING * sizes) & (out > ROUNDING * spread)
    return np.where(changes, out / np.square(np.where(changes, spread, 1.0)), 0.0)
