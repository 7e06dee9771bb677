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

__all__ = ["Fit", "Voters", "local_linear", "one_fit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Voters:
    """What stored cases answer: ``amounts`` (n,) into the group ``codes`` (n,), each with a weight."""

    codes: NDArray[np.int32]
    amounts: Floats
    weights: Floats
    n_groups: int

    def answers(self, cases: Ints) -> Floats:
        """(k, g) what these cases answer."""
        out = np.zeros((len(cases), self.n_groups))
        out[np.arange(len(out)), self.codes[cases]] = self.amounts[cases]
        return out

    def answers_of(self, cases: Ints, group: int) -> Floats:
        """(k,) what these cases answer into one group."""
        return np.where(self.codes[cases] == group, self.amounts[cases], 0.0)


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
    sizes: tuple[int, ...], ridges: tuple[float, ...], threads: int = 1,
) -> Floats:  # fmt: skip
    """(m, sizes, ridges, g) answers of every query for each k in ``sizes`` and each ridge."""
    native = core()
    if native is None:
        out = np.zeros((len(asked), len(sizes), len(ridges), voters.n_groups))
        for j, s, r in np.ndindex(out.shape[:3]):
            out[j, s, r] = one_fit(design, asked[j], distances[j], indices[j], voters, sizes[s], ridges[r]).answer
        return out
    answers: Floats = native.local_linear(
        np.ascontiguousarray(design),
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
