r"""The local linear answer: a weighted ridge regression on the nearest cases, read at the query.

.. math:: \hat y(q) = \bar y + \sum_f \beta_f (z_f(q) - \bar z_f), \qquad
          \beta = \Big(\sum_i w_i (z_i - \bar z)(z_i - \bar z)^\top + \tfrac{r}{k} I\Big)^{-1}
          \sum_i w_i (z_i - \bar z)(y_i - \bar y)

over the k nearest cases with weights w_i = max(0, 1 - d_i / d_{k+1}) that add up to 1, one y for each class (1 or 0),
or the number. Cases tied with the next one after the k-th weigh nothing, so the answer does not depend on the order of
rows. The same answer is a weighted sum of the neighbours' y, whose weights may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.native import core
from nearwise.search.base import Floats, Ints

__all__ = ["Fit", "Voters", "local_linear", "one_fit"]

BLOCK_CELLS = 4_000_000
"""numbers of neighbours that are held at a time where there is no core"""


@dataclass(frozen=True)
class Voters:
    """What stored cases answer: ``amounts`` (n,) into the group ``codes`` (n,), each with a weight."""

    codes: NDArray[np.int32]
    amounts: Floats
    weights: Floats
    n_groups: int

    def of(self, cases: Ints | None) -> Voters:
        """Those of some cases; of all where None."""
        if cases is None:
            return self
        return Voters(self.codes[cases], self.amounts[cases], self.weights[cases], self.n_groups)

    def answers(self, cases: Ints) -> Floats:
        """(k, g) what these cases answer."""
        out = np.zeros((len(cases), self.n_groups))
        out[np.arange(len(out)), self.codes[cases]] = self.amounts[cases]
        return out


@dataclass(frozen=True)
class Fit:
    """One local regression, taken apart."""

    mean: Floats
    """(g,) y-bar"""
    weights: Floats
    """(k,) of the neighbours, which add up to 1"""
    parts: Floats
    """(d, g) what each column of the design adds"""

    @property
    def answer(self) -> Floats:
        return np.asarray(self.mean + self.parts.sum(axis=0))


def kernel(distances: Floats, reach: float, case_weights: Floats) -> Floats:
    """(k,) weights that add up to 1; zeros where no neighbour has a weight."""
    shape = np.maximum(0.0, 1.0 - distances / reach) if reach > 0 else np.ones(len(distances))
    weights = case_weights * shape
    if not weights.sum() > 0:
        weights = case_weights
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else np.zeros(len(weights)))


def one_fit(
    design: Floats, asked: Floats, distances: Floats, indices: Ints, voters: Voters, k: int, ridge: float
) -> Fit:
    """The regression of one query with k neighbours; the obvious version of `local_linear`, and what explains it.

    ``distances`` and ``indices`` list at least k + 1 neighbours.
    """
    near = indices[:k]
    weights = kernel(distances[:k], float(distances[k]), voters.weights[near])
    z, y = design[near], voters.answers(near)
    middle, mean = weights @ z, weights @ y
    gaps = z - middle
    matrix = gaps.T @ (weights[:, None] * gaps) + ridge / k * np.eye(z.shape[1])
    slopes = np.linalg.solve(matrix, gaps.T @ (weights[:, None] * (y - mean)))
    return Fit(mean, weights, (asked - middle)[:, None] * slopes)


def local_linear(
    design: Floats, asked: Floats, distances: Floats, indices: Ints, voters: Voters,
    sizes: tuple[int, ...], ridges: tuple[float, ...], *, threads: int = 1, is_flag: NDArray[np.bool_] | None = None,
) -> Floats:  # fmt: skip
    """(m, sizes, ridges, g) answers of every query for each k in ``sizes`` and each ridge.

    ``is_flag`` (d,) says which columns of the stored cases hold nothing but 0 and 1, which the core makes use of.
    """
    native = core()
    if native is None:
        return _by_blocks(design, asked, distances, indices, voters, sizes, ridges)
    answers: Floats = native.local_linear(
        np.ascontiguousarray(design),
        np.zeros(design.shape[1], dtype=np.uint8) if is_flag is None else is_flag.astype(np.uint8),
        np.ascontiguousarray(asked),
        np.ascontiguousarray(distances),
        np.ascontiguousarray(indices, dtype=np.int64),
        np.ascontiguousarray(voters.weights),
        np.ascontiguousarray(voters.codes, dtype=np.int32),
        np.ascontiguousarray(voters.amounts),
        voters.n_groups,
        np.array(sizes, dtype=np.int64),
        np.array(ridges, dtype=np.float64),
        threads,
    )
    return answers


def _by_blocks(
    design: Floats, asked: Floats, distances: Floats, indices: Ints, voters: Voters, sizes: tuple[int, ...],
    ridges: tuple[float, ...],
) -> Floats:  # fmt: skip
    """`local_linear` without the core: the regressions of many queries at a time, equal to it to rounding."""
    out = np.zeros((len(asked), len(sizes), len(ridges), voters.n_groups))
    step = max(1, BLOCK_CELLS // max(1, max(sizes, default=1) * max(1, design.shape[1])))
    for start in range(0, len(asked), step):
        rows = slice(start, start + step)
        for s, k in enumerate(sizes):
            near = indices[rows, :k]
            weights = _kernels(distances[rows, :k], distances[rows, k], voters.weights[near])
            z = design[near]
            middle = np.matmul(weights[:, None, :], z)
            gaps = z - middle
            answers = np.zeros((*near.shape, voters.n_groups))
            np.put_along_axis(
                answers, voters.codes[near][:, :, None].astype(np.intp), voters.amounts[near][:, :, None], 2
            )
            gram = np.matmul(np.swapaxes(gaps * weights[:, :, None], 1, 2), gaps)
            away = np.swapaxes(asked[rows, None, :] - middle, 1, 2)
            for r, ridge in enumerate(ridges):
                solved = np.linalg.solve(gram + ridge / k * np.eye(design.shape[1]), away)
                shares = weights * (1.0 + np.matmul(gaps, solved)[:, :, 0])
                out[rows, s, r] = np.matmul(shares[:, None, :], answers)[:, 0]
    return out


def _kernels(distances: Floats, reach: Floats, case_weights: Floats) -> Floats:
    """(m, k) `kernel` of many queries."""
    far = np.where(reach > 0, reach, 1.0)[:, None]
    shape = np.where(reach[:, None] > 0, np.maximum(0.0, 1.0 - distances / far), 1.0)
    weights = case_weights * shape
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, case_weights)
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1.0))
