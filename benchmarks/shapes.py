"""Powers other than 1 and 2, and weights that come with the query, the case, or as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import dense, ours, peers
from benchmarks.dense import BRUTE, NEARWISE, K, Numbers
from benchmarks.timing import Contender, Ready, Work

QUERIES = 2_000


@dataclass(frozen=True)
class Weighed(Numbers):
    """Cases with weights: (m, d) by query, (n, d) by case, or a (d, d) matrix."""

    W: Any = None


def weighed(by: str, tiny: bool) -> Weighed:
    plain = dense.independent(100_000, QUERIES, 16, tiny)
    rng = np.random.default_rng(1)
    if by == "matrix":
        return Weighed(plain.X, plain.Q, W=rng.standard_normal((16, 16)))
    return Weighed(plain.X, plain.Q, W=rng.random((len(plain.Q if by == "query" else plain.X), 16)))


def nearwise(by: str, engine: str, data: Weighed) -> Ready:
    """Weights of queries come with the call, which builds the engine for them."""
    from nearwise import NearestCases
    from nearwise.weights import Matrix, PerCase, PerQuery

    names = [f"x{j}" for j in range(data.X.shape[1])]
    stored = None if by == "query" else {"case": PerCase, "matrix": Matrix}[by](data.W, names)
    settings = {} if stored is None else {"feature_weights": stored}
    model = NearestCases(n_neighbors=K, scale="none", p=2, engine=engine, **settings).fit(data.X)

    def ask(m: int) -> Any:
        own = PerQuery(data.W[:m], names) if stored is None else None
        return model.kneighbors(data.Q[:m], feature_weights=own)[0]

    return Ready(ask, note="" if stored is None else ours.engine_of(model))


def numpy_by_query(by: str, data: Weighed) -> Ready:
    """What a user would write: all cases against one query after the other."""

    def ask(m: int) -> Any:
        out = np.empty((m, K))
        for j, q in enumerate(data.Q[:m]):
            gaps = data.X - q
            gaps *= gaps
            sums = gaps @ data.W[j] if by == "query" else np.einsum("ij,ij->i", gaps, data.W)
            out[j] = np.sqrt(np.sort(np.partition(sums, K - 1)[:K]))
        return out

    return Ready(ask)


def mahalanobis(data: Weighed) -> Ready:
    from sklearn.neighbors import NearestNeighbors

    inverse = data.W.T @ data.W
    model = NearestNeighbors(
        n_neighbors=K, algorithm="brute", metric="mahalanobis", metric_params={"VI": inverse}, n_jobs=peers.cores()
    ).fit(data.X)
    return Ready(lambda m: model.kneighbors(data.Q[:m])[0])


def work(by: str, title: str, *others: Contender) -> Work:
    contenders = [Contender(ours.NAME, partial(nearwise, by, "auto"), ours=True), *others]
    if by == "case":
        contenders.insert(1, Contender("engine scan", partial(nearwise, by, "scan"), ours=True))
    title = f"100,000 x 16 numbers, {title}, {QUERIES:,} queries"
    return Work(f"weights-by-{by}", title, partial(weighed, by), contenders, repeats=3)


WORKS = (
    *(
        Work(
            f"minkowski-{p:g}", f"100,000 x 16 numbers, {QUERIES:,} queries, Minkowski of power {p:g}",
            lambda tiny, p=p: dense.independent(100_000, QUERIES, 16, tiny, p=p), (NEARWISE, BRUTE), repeats=3,
        )
        for p in (3, 1.5)
    ),
    work("query", "weights of every query", Contender("NumPy by query", partial(numpy_by_query, "query"))),
    work("case", "weights of every case", Contender("NumPy by query", partial(numpy_by_query, "case"))),
    work(
        "matrix", "a matrix of weights",
        Contender("scikit-learn brute mahalanobis", mahalanobis, ("sklearn.neighbors",)),
    ),
)  # fmt: skip
