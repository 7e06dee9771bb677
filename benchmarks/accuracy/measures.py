"""How good the answers of one cell are. Fixed letters: n cases, c classes."""

from __future__ import annotations

from typing import Any

import numpy as np

CLIP = 0.001
"""a class that was held impossible and came costs -log of this, not infinity"""


def of_classes(y: Any, said: Any, shares: Any) -> dict[str, float]:
    """y and said: codes of shape (n,); shares: probabilities (n, c). In points of a hundred, but for log loss, Brier.

    >>> import numpy as np
    >>> shares = np.array([[1, 0], [1, 0], [0.5, 0.5], [0, 1]])
    >>> found = of_classes(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), shares)
    >>> {name: round(x, 3) for name, x in found.items()}
    {'accuracy': 75.0, 'balanced': 83.333, 'logloss': 0.173, 'brier': 0.125}
    """
    right = said == y
    own = shares[np.arange(len(y)), y]
    hit = np.zeros_like(shares)
    hit[np.arange(len(y)), y] = 1.0
    return {
        "accuracy": 100 * float(right.mean()),
        "balanced": 100 * float(np.mean([right[y == label].mean() for label in np.unique(y)])),
        "logloss": float(-np.log(np.maximum(own, CLIP)).mean()),
        "brier": float(((shares - hit) ** 2).sum(axis=1).mean()),
    }


def of_numbers(y: Any, said: Any) -> dict[str, float]:
    """R2 over all folds together: the share of the variance that the answers explain.

    >>> import numpy as np
    >>> of_numbers(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    {'r2': 0.5}
    """
    return {"r2": float(1 - ((said - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())}
