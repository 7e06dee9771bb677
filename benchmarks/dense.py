"""Numbers, where every case is looked at; and few dimensions, where a tree need not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.timing import Contender, Ready, Timed, Work

K = 10
SINGLE = 2e-4
"""distances of peers in single precision that expand the square"""


@dataclass(frozen=True)
class Numbers:
    X: Any
    Q: Any
    p: float = 2

    @property
    def queries(self) -> int:
        return len(self.Q)

    @property
    def input_mb(self) -> float:
        return (self.X.nbytes + self.Q.nbytes) / 2**20


def independent(n: int, m: int, d: int, tiny: bool, p: float = 2) -> Numbers:
    n, m = (min(n, 2_000), 200) if tiny else (n, m)
    rng = np.random.default_rng(0)
    return Numbers(rng.standard_normal((n, d)), rng.standard_normal((m, d)), p)


def sheets(n: int, m: int, d: int, tiny: bool) -> Numbers:
    """100 clusters, each on a sheet of four dimensions, with a little noise."""
    n, m = (min(n, 4_000), 200) if tiny else (n, m)
    rng = np.random.default_rng(0)
    centres, bases = rng.standard_normal((100, d)) * 2, rng.standard_normal((100, 4, d)) / 2

    def draw(rows: int) -> Any:
        at, z = rng.integers(0, 100, rows), rng.standard_normal((rows, 4))
        noise = 0.05 * rng.standard_normal((rows, d))
        return centres[at] + np.einsum("ij,ijk->ik", z, bases[at]) + noise

    return Numbers(draw(n), draw(m))


def nearwise(data: Numbers) -> Any:
    from nearwise import NearestCases

    return NearestCases(n_neighbors=K, scale="none", p=data.p).fit(data.X)


def sklearn(algorithm: str, dtype: Any, data: Numbers, extended: bool = False) -> Ready:
    if extended:
        from sklearnex.neighbors import NearestNeighbors
    else:
        from sklearn.neighbors import NearestNeighbors
    X, Q = data.X.astype(dtype), data.Q.astype(dtype)
    jobs = None if algorithm == "brute" and data.p == 2 else peers.cores()  # Euclidean brute force has its own threads
    model = NearestNeighbors(n_neighbors=K, algorithm=algorithm, p=data.p, n_jobs=jobs).fit(X)
    return Ready(lambda m: model.kneighbors(Q[:m])[0])


def faiss_flat(data: Numbers) -> Ready:
    """Threads tuned: OpenMP's and BLAS's, one or all, the best of four on some of the queries."""
    import faiss

    X, Q = data.X.astype(np.float32), data.Q.astype(np.float32)
    began = time.perf_counter()
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    fit = time.perf_counter() - began

    def ask(m: int, threads: int, blas: int) -> Any:
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(threads)
        try:
            with peers.limited(blas):
                return np.sqrt(np.maximum(index.search(Q[:m], K)[0], 0))
        finally:
            faiss.omp_set_num_threads(before)

    def seconds(threads: int, blas: int) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            ask(max(64, len(Q) // 20), threads, blas)
            times.append(time.perf_counter() - start)
        return min(times)

    counts = sorted({1, peers.cores()})
    threads, blas = min(((t, b) for t in counts for b in counts), key=lambda pair: seconds(*pair))
    return Ready(lambda m: ask(m, threads, blas), note=f"{threads} OpenMP and {blas} BLAS threads", fit=fit)


def ckdtree(data: Numbers) -> Ready:
    from scipy.spatial import cKDTree

    tree = cKDTree(data.X)
    return Ready(lambda m: tree.query(data.Q[:m], K, workers=peers.cores())[0])


def sgemm(data: Numbers) -> Ready:
    """How long the multiply-adds of all pairs would take at the rate of a large matrix product."""
    product = peers.Sgemm(2048 if len(data.X) > 10_000 else 256)
    flop = 2.0 * data.X.size
    return Ready(lambda m: Timed(flop * m / product.rate()), note=f"{product.rate() / 1e9:.0f} GFLOP/s")


NEARWISE = ours.search(nearwise, K)
BRUTE = Contender("scikit-learn brute f64", partial(sklearn, "brute", np.float64), ("sklearn.neighbors",))
BRUTE_SINGLE = Contender(
    "scikit-learn brute f32", partial(sklearn, "brute", np.float32), ("sklearn.neighbors",), tolerance=SINGLE
)
INTELEX = Contender(
    "scikit-learn-intelex f32",
    partial(sklearn, "brute", np.float32, extended=True),
    ("sklearnex.neighbors",),
    tolerance=SINGLE,
)
FAISS = Contender("faiss flat f32", faiss_flat, ("faiss",), tolerance=SINGLE)
TREE = Contender("scikit-learn kd_tree", partial(sklearn, "kd_tree", np.float64), ("sklearn.neighbors",))
CKDTREE = Contender("scipy cKDTree", ckdtree, ("scipy.spatial",))
SGEMM = Contender("sgemm", sgemm, compared=False)

WORKS = (
    Work(
        "dense-16", "100,000 x 16 numbers, 10,000 queries", lambda tiny: independent(100_000, 10_000, 16, tiny),
        (NEARWISE, BRUTE, BRUTE_SINGLE, INTELEX, FAISS),
    ),
    Work(
        "dense-54", "100,000 x 54 numbers, 10,000 queries", lambda tiny: independent(100_000, 10_000, 54, tiny),
        (NEARWISE, BRUTE, BRUTE_SINGLE, INTELEX, FAISS, SGEMM),
    ),
    Work(
        "dense-small", "10,000 x 20 numbers, 10,000 queries", lambda tiny: independent(10_000, 10_000, 20, tiny),
        (NEARWISE, BRUTE, INTELEX, FAISS),
    ),
    Work(
        "manhattan", "100,000 x 20 numbers, 10,000 queries, Manhattan",
        lambda tiny: independent(100_000, 10_000, 20, tiny, p=1), (NEARWISE, BRUTE),
    ),
    Work(
        "low-4", "500,000 x 4 numbers, 10,000 queries", lambda tiny: independent(500_000, 10_000, 4, tiny),
        (NEARWISE, CKDTREE, TREE),
    ),
    Work(
        "low-clustered", "100,000 x 16 numbers in clusters of 4 dimensions, 10,000 queries",
        lambda tiny: sheets(100_000, 10_000, 16, tiny), (NEARWISE, CKDTREE, TREE, BRUTE),
    ),
)  # fmt: skip
