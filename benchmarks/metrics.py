"""Metrics by value differences: HVDM, IVDM and WVDM beside MVDM on a mixed table, MVDM beside imbalanced-learn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.timing import Contender, Ready, Work

K, CLASSES, VALUES = 10, 3, 10


@dataclass(frozen=True)
class Cases:
    """Columns of numbers and codes of symbols, and classes."""

    X: dict[str, Any]
    y: Any
    Q: dict[str, Any]

    @property
    def queries(self) -> int:
        return len(next(iter(self.Q.values())))

    @property
    def input_mb(self) -> float:
        return float(sum(column.nbytes for part in (self.X, self.Q) for column in part.values()) / 2**20)


def draw(numbers: int, symbols: int, n: int, m: int, tiny: bool) -> Cases:
    """Numbers around a centre of their class, and symbols that often are the one of their class."""
    n, m = (min(n, 1_000), 50) if tiny else (n, m)
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n + m)
    X = rng.normal(size=(CLASSES, numbers))[y] * 0.7 + rng.normal(size=(n + m, numbers))
    own, other = rng.integers(0, VALUES, (CLASSES, symbols))[y], rng.integers(0, VALUES, (n + m, symbols))
    S = np.where(rng.random((n + m, symbols)) < 0.4, own, other)
    columns = {**{f"n{j}": x for j, x in enumerate(X.T)}, **{f"s{j}": s for j, s in enumerate(S.T)}}
    return Cases({f: c[:n] for f, c in columns.items()}, y[:n], {f: c[n:] for f, c in columns.items()})


def named(columns: dict[str, Any]) -> dict[str, Any]:
    """As a user has it: symbols are strings."""
    names = np.array([f"v{v}" for v in range(VALUES)])
    return {f: names[c] if c.dtype.kind == "i" else c for f, c in columns.items()}


def nearwise(name: str, data: Cases) -> Ready:
    """The search alone: the queries are typed and coded beforehand."""
    from nearwise import KNNClassifier, metrics
    from nearwise.search.base import Payload

    model = KNNClassifier(K, **metrics.get(name)()).fit(named(data.X), data.y)
    learned = model._fitted()
    _, queries, _ = model._asked(named(data.Q), learned)
    payload = Payload(learned.target.values, np.ones((len(data.y), 1)), learned.target.n_classes)

    def ask(m: int) -> Any:
        found = learned.engine.nearest(queries.take(slice(0, m)), K, payload)
        return learned.problem.metric.root(found.sums)

    return Ready(ask, note=ours.engine_of(model))


def imblearn(data: Cases) -> Ready:
    """All differences, then the nearest ten of each query; r undoes the root that it takes over classes."""
    from imblearn.metrics.pairwise import ValueDifferenceMetric

    X, Q = (np.stack(list(columns.values()), axis=1) for columns in (data.X, data.Q))
    metric = ValueDifferenceMetric(n_categories=np.full(X.shape[1], VALUES), k=2, r=2).fit(X, data.y)

    def ask(m: int) -> Any:
        found = metric.pairwise(Q[:m], X)
        return np.sort(np.partition(found, K - 1, axis=1)[:, :K], axis=1)

    return Ready(ask)


def beside_mvdm(name: str) -> Work:
    contenders = [
        Contender(f"nearwise, {name.upper()}", partial(nearwise, name), ours=True),
        Contender("nearwise, MVDM", partial(nearwise, "mvdm"), compared=False),
    ]
    title = f"50,000 x (5 numbers and 5 symbols of 10 values), 3 classes, {name.upper()}, k = 10, 5,000 queries"
    return Work(name, title, partial(draw, 5, 5, 50_000, 5_000), contenders)


WORKS = (
    *(beside_mvdm(name) for name in ("hvdm", "ivdm", "wvdm")),
    Work(
        "value-difference",
        "20,000 x 12 symbols of 10 values, 3 classes, MVDM, k = 10, 2,000 queries",
        partial(draw, 0, 12, 20_000, 2_000),
        [
            Contender(ours.NAME, partial(nearwise, "mvdm"), ours=True),
            Contender("imbalanced-learn", imblearn, ("imblearn.metrics.pairwise",)),
        ],
    ),
)
