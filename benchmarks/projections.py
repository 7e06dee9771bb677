"""Feature projections: every feature votes with its own k nearest values, against NumPy and a search of whole cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

K, CLASSES = 5, 5


@dataclass(frozen=True)
class Labelled:
    X: Any
    y: Any
    Q: Any

    @property
    def queries(self) -> int:
        return len(self.Q)

    @property
    def input_mb(self) -> float:
        return float((self.X.nbytes + self.y.nbytes + self.Q.nbytes) / 2**20)


def data(tiny: bool) -> Labelled:
    n, m = (2_000, 200) if tiny else (1_000_000, 10_000)
    rng = np.random.default_rng(0)
    return Labelled(rng.standard_normal((n, 20)), rng.integers(0, CLASSES, n), rng.standard_normal((m, 20)))


def nearwise(given: Labelled) -> Ready:
    from nearwise import ProjectionClassifier

    model = ProjectionClassifier(K, "none").fit(given.X, given.y)
    return Ready(lambda m: model.predict_proba(given.Q[:m]))


def searchsorted(given: Labelled) -> Ready:
    """What a person would write: a place in each sorted column, k values on either side, the k nearest of these."""
    order = np.argsort(given.X, axis=0)
    columns, labels = np.take_along_axis(given.X, order, 0).T.copy(), given.y[order].T.copy()
    n, sides = len(given.X), np.arange(-K, K)

    def ask(m: int) -> Any:
        votes, rows = np.zeros((m, CLASSES)), np.arange(m)
        for column, own, asked in zip(columns, labels, given.Q[:m].T, strict=True):
            around = np.clip(np.searchsorted(column, asked), K, n - K)[:, None] + sides
            near = np.argpartition(np.abs(column[around] - asked[:, None]), K, axis=1)[:, :K]
            said = own[np.take_along_axis(around, near, 1)]
            for place in range(K):
                votes[rows, said[:, place]] += 1
        return votes / votes.sum(axis=1, keepdims=True)

    return Ready(ask)


def sklearn(given: Labelled) -> Ready:
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(K, algorithm="brute").fit(given.X, given.y)
    return Ready(lambda m: model.predict_proba(given.Q[:m]))


WORKS = (
    Work(
        "projections", "votes of single features: 1,000,000 x 20 numbers, 10,000 queries, k = 5", data,
        (
            Contender(ours.NAME, nearwise, ours=True),
            Contender("NumPy searchsorted", searchsorted),
            Contender("scikit-learn brute f64", sklearn, ("sklearn.neighbors",), compared=False),
        ),
    ),
)  # fmt: skip
