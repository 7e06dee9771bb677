"""The kd engine beside other exact trees: medians and ratios of interleaved runs, and whether all agree.

    python benchmarks/kd.py [--quick]

Every engine answers the same queries (k = 10, two threads) in turn, so that a busy machine slows all of them; trust the
ratios, not the seconds. The time to build a tree is printed apart.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Metric
from nearwise.engines.base import Distance, Payload
from nearwise.engines.kd import KdEngine
from nearwise.weights import Global, Stored

K, THREADS = 10, 2
Array = Any


def uniform(rng: np.random.Generator, n: int, m: int) -> tuple[Array, Array]:
    return rng.random((n, 4)), rng.random((m, 4))


def one_sheet(rng: np.random.Generator, n: int, m: int) -> tuple[Array, Array]:
    """Clusters in 4 dimensions through one linear map into 16, and a little noise."""
    centres, into = rng.normal(size=(20, 4)) * 3, rng.normal(size=(4, 16))
    return tuple(
        (centres[rng.integers(0, 20, size)] + rng.normal(size=(size, 4))) @ into + 1e-3 * rng.normal(size=(size, 16))
        for size in (n, m)
    )


def many_sheets(rng: np.random.Generator, n: int, m: int) -> tuple[Array, Array]:
    """100 clusters in 16 dimensions, each on a 4-dimensional sheet of its own, with noise."""
    centres, into = rng.normal(size=(100, 16)) * 2, rng.normal(size=(100, 4, 16)) / 2
    made = []
    for size in (n, m):
        own = rng.integers(0, 100, size)
        on_sheet = np.einsum("ij,ijk->ik", rng.normal(size=(size, 4)), into[own])
        made.append(centres[own] + on_sheet + 0.05 * rng.normal(size=(size, 16)))
    return made[0], made[1]


TABLES = {
    "uniform 500k x 4": (uniform, 500_000),
    "one sheet 100k x 16": (one_sheet, 100_000),
    "many sheets 100k x 16": (many_sheets, 100_000),
}


def ours(X: Array) -> Callable[[Array], Array]:
    table = CaseTable.of({f"x{f}": column for f, column in enumerate(X.T)})
    metric = Metric.fit(table, scale="none", p=2)
    distance = Distance(metric, Global(np.ones(X.shape[1]), metric.names), Stored(metric.measure(table)))
    engine = KdEngine(distance, THREADS)
    payload = Payload(np.zeros(len(X), dtype=np.intp), np.ones((len(X), 1)), 1)

    def search(Q: Array) -> Array:
        asked = CaseTable.of({f"x{f}": column for f, column in enumerate(Q.T)}, schema=table.schema)
        return engine.nearest(metric.measure(asked), K, payload).indices

    return search


def scipy_tree(X: Array) -> Callable[[Array], Array]:
    tree = cKDTree(X)
    return lambda Q: tree.query(Q, K, workers=THREADS)[1]


def scikit_learn(algorithm: str) -> Callable[[Array], Callable[[Array], Array]]:
    def made(X: Array) -> Callable[[Array], Array]:
        search = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=THREADS).fit(X)
        return lambda Q: search.kneighbors(Q, return_distance=False)

    return made


PEERS = {
    "nearwise kd": ours,
    "scipy cKDTree": scipy_tree,
    "scikit-learn kd_tree": scikit_learn("kd_tree"),
    "scikit-learn brute": scikit_learn("brute"),
}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def race(name: str, X: Array, Q: Array, rounds: int, brute_queries: int) -> None:
    print(f"{name}, {len(Q)} queries, k = {K}, {THREADS} threads")
    searches, builds, times, found = {}, {}, {peer: [] for peer in PEERS}, {}
    for peer, build in PEERS.items():
        builds[peer], searches[peer] = timed(lambda build=build: build(X))
    for _ in range(rounds):
        for peer, search in searches.items():
            # brute force is linear in the queries, so it answers a few and is scaled
            asked = Q[:brute_queries] if "brute" in peer else Q
            seconds, found[peer] = timed(lambda search=search, asked=asked: search(asked))
            times[peer].append(seconds * len(Q) / len(asked))
    base = np.median(times["nearwise kd"])
    for peer, seconds in times.items():
        same = np.array_equal(found[peer], found["nearwise kd"][: len(found[peer])])
        median = np.median(seconds)
        print(
            f"  {peer:22s} build {builds[peer]:7.3f} s   search {median:7.3f} s   {median / base:6.1f}x   "
            f"{'same neighbours' if same else 'other neighbours'}"
        )


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    print(f"{os.cpu_count()} processors")
    for name, (make, n) in TABLES.items():
        n, m = (n // 50, 500) if quick else (n, 10_000)
        X, Q = make(np.random.default_rng(0), n, m)
        race(name if not quick else f"{name}, a 50th of the cases", X, Q, 2 if quick else 5, 1_000)


if __name__ == "__main__":
    main()
