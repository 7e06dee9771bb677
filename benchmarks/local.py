"""Weights that are worked out for each query: DANN against a loop over queries in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

K, METRIC, CLASSES = 5, 50, 3


@dataclass(frozen=True)
class Local:
    """Numbers with their classes, and queries."""

    X: Any
    y: Any
    asked: Any

    @property
    def queries(self) -> int:
        return len(self.asked)

    @property
    def input_mb(self) -> float:
        return float(self.X.nbytes / 2**20)


def table(tiny: bool) -> Local:
    n, m = (2_000, 20) if tiny else (50_000, 500)
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n)
    X = rng.standard_normal((n, 10))
    X[:, :3] += y[:, None] * [1.0, 0.5, 0.3]
    return Local(X, y, rng.standard_normal((m, 10)) + 0.5)


def nearwise_dann(data: Local) -> Ready:
    """The five steps for all queries; storing the cases is not timed."""
    from nearwise import KNNClassifier
    from nearwise.weighting import DiscriminantNeighbours

    model = KNNClassifier(K, DiscriminantNeighbours(n_metric=METRIC)).fit(data.X, data.y)
    model.kneighbors(data.asked[:1])
    return Ready(lambda m: model.kneighbors(data.asked[:m])[1], note="storing the cases is not timed")


def loop(data: Local) -> Ready:
    """The five steps one query after the other, each in NumPy and BLAS."""
    unit = np.ptp(data.X, axis=0)
    cases, asked = data.X / unit, data.asked / unit
    return Ready(lambda m: np.array([_one(cases, data.y, q) for q in asked[:m]]))


def _one(cases: Any, y: Any, q: Any) -> Any:
    u = cases - q
    away = np.square(u).sum(axis=1)
    near = np.argpartition(away, METRIC)[:METRIC]
    root = np.sqrt(away[near])
    weights = (1 - (root / root.max()) ** 3) ** 3
    weights /= weights.sum()
    own, labels = u[near], y[near]
    mean = weights @ own
    within, between = np.zeros((2, len(q), len(q)))
    for label in np.unique(labels):
        members = labels == label
        mass = weights[members].sum()
        if mass <= 0:
            continue
        centre = weights[members] @ own[members] / mass
        inside = own[members] - centre
        within += (inside * weights[members, None]).T @ inside
        between += mass * np.outer(centre - mean, centre - mean)
    sizes, vectors = np.linalg.eigh(within)
    white = (vectors / np.sqrt(sizes)) @ vectors.T
    form = white @ (white @ between @ white + np.eye(len(q))) @ white
    sums = np.einsum("ij,ij->i", u @ form, u)
    found = np.argpartition(sums, K)[:K]
    return found[np.argsort(sums[found])]


WORKS = (
    Work(
        "dann", "DANN, 50,000 cases of 10 numbers, 500 queries, 50 cases for each metric", table,
        (
            Contender(ours.NAME, nearwise_dann, ours=True),
            Contender("NumPy, query by query", loop),
        ),
    ),
)  # fmt: skip
