"""Numbers and symbols in one table, with weights per class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

K, NUMBERS, SYMBOLS, VALUES, CLASSES = 10, 10, 10, 10, 5


@dataclass(frozen=True)
class Mixed:
    """Numbers in 0 .. 1, codes of symbols, classes, and weights (c, p)."""

    X: Any
    S: Any
    y: Any
    QX: Any
    QS: Any
    W: Any

    @property
    def queries(self) -> int:
        return len(self.QX)

    @property
    def input_mb(self) -> float:
        return (self.X.nbytes + self.S.nbytes + self.QX.nbytes + self.QS.nbytes) / 2**20

    @cached_property
    def rows(self) -> list[Any]:
        """the cases of each class"""
        return [np.flatnonzero(self.y == c) for c in range(CLASSES)]


def table(X: Any, S: Any) -> dict[str, Any]:
    """As a user has it: a dict of columns, symbols as strings."""
    letters = np.array([chr(ord("a") + v) for v in range(VALUES)])
    return {**{f"n{j}": x for j, x in enumerate(X.T)}, **{f"s{j}": letters[s] for j, s in enumerate(S.T)}}


def draw(tiny: bool, n: int = 100_000, m: int = 10_000) -> Mixed:
    n, m = (min(n, 2_000), 100) if tiny else (n, m)
    rng = np.random.default_rng(0)
    X, S, y = rng.random((n, NUMBERS)), rng.integers(0, VALUES, (n, SYMBOLS)), rng.integers(0, CLASSES, n)
    QX, QS = rng.random((m, NUMBERS)), rng.integers(0, VALUES, (m, SYMBOLS))
    return Mixed(X, S, y, QX, QS, rng.random((CLASSES, NUMBERS + SYMBOLS)) + 0.1)


def nearwise(data: Mixed) -> Ready:
    from nearwise import KNNClassifier
    from nearwise.weights import PerClass

    cases = table(data.X, data.S)
    weights = PerClass(data.W, list(cases), list(range(CLASSES)), np.bincount(data.y) / len(data.y))
    model = KNNClassifier(n_neighbors=K, feature_weights=weights, scale="none", p=2).fit(cases, data.y)
    asked = table(data.QX, data.QS)
    return Ready(lambda m: model.kneighbors({f: c[:m] for f, c in asked.items()})[0], note=ours.engine_of(model))


def embedded(X: Any, S: Any, w: Any) -> Any:
    """One-hot, so that the squared Euclidean distance is the weighted sum."""
    hot = (S[:, :, None] == np.arange(VALUES)).reshape(len(S), -1)
    return np.hstack([X * np.sqrt(w[:NUMBERS]), hot * np.repeat(np.sqrt(w[NUMBERS:] / 2), VALUES)])


def one_hot(data: Mixed) -> Ready:
    """One index a class, because each class has its own weights, and the nearest of all."""
    from sklearn.neighbors import NearestNeighbors

    indexes = [
        NearestNeighbors(n_neighbors=K, algorithm="brute").fit(embedded(data.X[rows], data.S[rows], w))
        for rows, w in zip(data.rows, data.W, strict=True)
    ]

    def ask(m: int) -> Any:
        found = [i.kneighbors(embedded(data.QX[:m], data.QS[:m], w))[0] for i, w in zip(indexes, data.W, strict=True)]
        return np.sort(np.hstack(found), axis=1)[:, :K]

    return Ready(ask, note="one index a class")


def one_hot_global(data: Mixed) -> Ready:
    from sklearn.neighbors import NearestNeighbors

    w = data.W.mean(axis=0)
    index = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(embedded(data.X, data.S, w))
    return Ready(lambda m: index.kneighbors(embedded(data.QX[:m], data.QS[:m], w))[0], note="easier work")


def gower_matrix(data: Mixed) -> Ready:
    """The matrix alone, without looking for the nearest; one weight a feature."""
    import gower

    def objects(X: Any, S: Any) -> Any:
        out = np.empty((len(X), NUMBERS + SYMBOLS), dtype=object)
        out[:, :NUMBERS], out[:, NUMBERS:] = X, S.astype(str)
        return out

    stored, asked = objects(data.X, data.S), objects(data.QX, data.QS)
    symbols, w = [False] * NUMBERS + [True] * SYMBOLS, data.W.mean(axis=0)
    return Ready(
        lambda m: gower.gower_matrix(asked[:m], stored, weight=w, cat_features=symbols), note="matrix only, easier work"
    )


def python_callable(data: Mixed) -> Ready:
    from sklearn.neighbors import NearestNeighbors

    w = data.W.mean(axis=0)

    def distance(a: Any, b: Any) -> float:
        gaps = (a[:NUMBERS] - b[:NUMBERS]) ** 2
        return float(np.sqrt((w[:NUMBERS] * gaps).sum() + (w[NUMBERS:] * (a[NUMBERS:] != b[NUMBERS:])).sum()))

    index = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=distance).fit(np.hstack([data.X, data.S]))
    asked = np.hstack([data.QX, data.QS])
    return Ready(lambda m: index.kneighbors(asked[:m])[0], note="easier work")


SKLEARN = ("sklearn.neighbors",)
WORKS = (
    Work(
        "mixed", "100,000 x (10 numbers + 10 symbols of 10 values), weights for each of 5 classes, 10,000 queries",
        draw,
        (
            Contender(ours.NAME, nearwise, ours=True),
            Contender("one-hot + scikit-learn brute", one_hot, SKLEARN),
            Contender("one-hot + scikit-learn brute, one weight a feature", one_hot_global, SKLEARN, compared=False),
            Contender("gower", gower_matrix, ("gower",), compared=False),
            Contender("scikit-learn, Python callable", python_callable, SKLEARN, compared=False),
        ),
    ),
)  # fmt: skip
