"""The linear map under which near cases predict a number best: metric learning for kernel regression."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["KernelRegression", "first_map"]

Array = NDArray[np.float64]

BLOCK_BYTES = 32 * 2**20
"""of distances measured at a time"""
SPREAD = 5.0
"""the mean squared distance at the start: near neighbours count e^5 times as much as the average one"""


class KernelRegression:
    r"""Leave-one-out squared error over the variance, and its gradient by the map A (d, p), a block of cases at a time.

    .. math:: E(A) = \frac{1}{n \sigma^2} \sum_i \Bigl(y_i - \sum_{j \ne i} p_{ij} y_j\Bigr)^2, \qquad
              p_{ij} \propto \exp(-\lVert A x_i - A x_j\rVert^2)

    ``X`` (n, p) has no missing values, ``y`` (n,).
    """

    def __init__(self, X: Array, y: Array) -> None:
        self.X, self.y = X, y
        self.variance = float(np.var(y)) or 1.0
        self.step = max(1, BLOCK_BYTES // (8 * len(X)))

    def __call__(self, A: Array) -> tuple[float, Array]:
        """E and dE/dA (d, p)."""
        X, y, n = self.X, self.y, len(self.X)
        mapped = X @ A.T
        lengths = np.square(mapped).sum(axis=1)
        error, pulls = 0.0, np.zeros((A.shape[1], A.shape[1]))
        for start in range(0, n, self.step):
            rows = np.arange(start, min(n, start + self.step))
            logits = 2.0 * mapped[rows] @ mapped.T - lengths[rows][:, None] - lengths[None, :]
            logits[np.arange(len(rows)), rows] = -np.inf
            near = np.exp(logits - logits.max(axis=1, keepdims=True))
            near /= near.sum(axis=1, keepdims=True)
            answers = near @ y
            gaps = (y[rows] - answers) / (n * self.variance)
            error += float((y[rows] - answers) @ gaps)
            # dE/d(squared distance of i and j), and the sum of it times (x_i - x_j)(x_i - x_j)'
            pull = 2.0 * gaps[:, None] * near * (y[None, :] - answers[:, None])
            mixed = X[rows].T @ pull @ X
            own = (X[rows].T * pull.sum(axis=1)) @ X[rows] + (X.T * pull.sum(axis=0)) @ X
            pulls += own - mixed - mixed.T
        return error, np.asarray(2.0 * A @ pulls)


def first_map(X: Array, d: int, how: str, seed: int) -> Array:
    """(d, p) where a search starts: the features themselves, the widest directions, or random ones."""
    p = X.shape[1]
    if how == "auto":
        how = "identity" if d == p else "pca"
    if how == "identity":
        A: Array = np.eye(d, p)
    elif how == "pca":
        A = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:d]
        A = np.vstack([A, np.zeros((d - len(A), p))])
    else:
        A = np.random.default_rng(seed).normal(size=(d, p))
    spread = 2.0 * float(np.var(X @ A.T, axis=0).sum())  # the mean squared distance of two cases
    return A * np.sqrt(SPREAD / spread) if spread > 0 else A
