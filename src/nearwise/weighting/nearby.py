"""How often a random near neighbour is right, by the weights of the features: what 'nca-diagonal' climbs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, exp, log, power, product, weighted
from nearwise.errors import InputError
from nearwise.progress import counted
from nearwise.weighting.base import Problem

__all__ = ["NumberSoftmax", "Softmax"]

Array = NDArray[np.float64]

KEPT_BYTES = 256 * 2**20
"""of differences that are measured once and kept"""
BLOCK_BYTES = 32 * 2**20
"""of differences measured at a time"""


class Softmax:
    """The objective of `NeighbourhoodWeights` and its gradient, a block of queries at a time.

    It takes weights u of differences that are scaled to a mean of 1: w = u * ``units``.
    """

    def __init__(self, problem: Problem, penalty: float) -> None:
        if not problem.metric.adds:
            raise InputError(
                "Under p=inf the largest difference counts, which has no slope for the other features: this weighting "
                "needs a sum. Leave p out, or learn the weights first and pass them as feature_weights."
            )
        self.problem, self.penalty = problem, penalty
        self.n, self.p = len(problem.table), len(problem.features)
        v = problem.target.weights
        self.share = v / v.sum() if v.sum() > 0 else np.full(self.n, 1.0 / self.n)
        self.heavy = log(np.where(v > 0, v, 1.0))
        self.heavy[v <= 0] = -np.inf
        self.step = max(1, min(self.n, BLOCK_BYTES // (8 * self.n * self.p)))
        self.kept: dict[int, Array] = {}
        self.keeps = 8 * self.p * self.n**2 <= KEPT_BYTES
        self.units = np.ones(self.p)
        means = sum(self.terms(start).sum(axis=(1, 2)) for start in self._starts()) / self.n**2
        self.units = np.where(means > 0, 1.0 / np.where(means > 0, means, 1.0), 0.0)
        for block in self.kept.values():
            block *= self.units[:, None, None]

    def _starts(self) -> Iterator[int]:
        """Where the blocks of queries begin."""
        return counted(range(0, self.n, self.step), -(-self.n // self.step))

    def terms(self, start: int) -> Array:
        """(p, r, n) delta^p in units of the scale."""
        if start in self.kept:
            return self.kept[start]
        rows = slice(start, start + self.step)
        metric, columns = self.problem.metric, self.problem.cases.columns
        blocks = [
            weighted(unit * m.scale(metric.p), power(m.block(column, column.take(rows)), metric.p))
            for m, column, unit in zip(metric.measures, columns, self.units, strict=True)
        ]
        out = np.stack(blocks)
        if self.keeps:
            self.kept[start] = out
        return out

    def __call__(self, u: Array) -> tuple[float, Array]:
        value, gradient = -self.penalty * float(u.sum()), np.full(self.p, -self.penalty)
        for start in self._starts():
            terms = self.terms(start)
            rows = np.arange(start, start + terms.shape[1])
            logits = self.heavy[None, :] - product(u[None, :], terms.reshape(self.p, -1)).reshape(terms.shape[1:])
            logits[np.arange(len(rows)), rows] = -np.inf
            top = logits.max(axis=1, keepdims=True)
            near = exp(logits - np.where(np.isfinite(top), top, 0.0))
            total = near.sum(axis=1, keepdims=True)
            near /= np.where(total > 0, total, 1.0)
            right, pull = self._pulled(near, rows)
            value += float(dot(self.share[rows], right))
            gradient += np.array([dot(each.ravel(), pull.ravel()) for each in terms])
        return value, gradient

    def _pulled(self, near: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
        """(r,) how right the cases ``rows`` are by the probabilities (r, n) of their neighbours, and (r, n) what each
        difference adds to the gradient of their sum."""
        y = self.problem.target.values
        same = y[rows][:, None] == y[None, :]
        right = (near * same).sum(axis=1)
        return right, near * (right[:, None] - same) * self.share[rows][:, None]


class NumberSoftmax(Softmax):
    """The same for a number as target: right by 1 - (y - mean of the neighbours)^2 / variance."""

    def _pulled(self, near: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
        target = self.problem.target
        answers = dot(target.values, near.T)
        gaps, variance = target.values[rows] - answers, target.variance or 1.0
        factor = 2.0 * gaps / variance * self.share[rows]
        return 1.0 - np.square(gaps) / variance, near * (answers[:, None] - target.values) * factor[:, None]
