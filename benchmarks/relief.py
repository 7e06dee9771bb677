"""Relief-like weightings: near hits and misses of every case, and what features differ by there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.timing import Contender, Ready, Work

NEIGHBOURS = 10


@dataclass(frozen=True)
class Labelled:
    X: Any
    y: Any
    schema: Any = None
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return float(self.X.nbytes / 2**20)


def numbers(n: int, d: int, tiny: bool) -> Labelled:
    n, d = (min(n, 200), min(d, 10)) if tiny else (n, d)
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    return Labelled(X, (X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(n) > 1).astype(np.int64))


def mixed(n: int, d: int, tiny: bool) -> Labelled:
    """Every second feature a symbol of ten values, one value in twenty missing."""
    from nearwise.cases.kinds import Symbolic

    data = numbers(n, d, tiny)
    X = data.X.copy()
    symbols = range(1, X.shape[1], 2)
    X[:, symbols] = np.floor(X[:, symbols] * 10)
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    return Labelled(X, data.y, {f"x{f}": Symbolic() for f in symbols})


def nearwise_relief(data: Labelled, name: str = "relief-f") -> Ready:
    from nearwise import weighting

    def ask(_: int) -> Any:
        return weighting.get(name).fit(data.X, data.y, schema=data.schema).scores_

    return Ready(ask, lambda m: ranking(ask(m)))


def plain_relief(data: Labelled) -> Ready:
    """The same number of cases and features, all of them numbers and known."""
    return nearwise_relief(numbers(*data.X.shape, tiny=False))


def fast_select_relief(data: Labelled) -> Ready:
    from fast_select import ReliefF

    def fitted() -> Any:
        model = ReliefF(n_features_to_select=2, n_neighbors=NEIGHBOURS, backend="cpu", n_jobs=peers.cores())
        return model.fit(data.X, data.y)

    return Ready(lambda _: fitted(), lambda _: ranking(fitted().feature_importances_))


def skrebate_relief(data: Labelled) -> Ready:
    from skrebate import ReliefF

    def fitted(X: Any, y: Any) -> Any:
        return ReliefF(n_neighbors=NEIGHBOURS, n_features_to_select=2, n_jobs=peers.cores()).fit(X, y)

    fitted(data.X[:100], data.y[:100])  # starts the workers
    return Ready(lambda _: fitted(data.X, data.y), lambda _: ranking(fitted(data.X, data.y).feature_importances_))


def ranking(scores: Any) -> Any:
    """Scores of the features from 0 to 1: peers count the same neighbours but scale the sum in their own ways."""
    scores = np.asarray(scores, dtype=np.float64)
    return (scores - scores.min()) / max(scores.max() - scores.min(), 1e-300)


def disagreement(mine: Any, theirs: Any) -> float:
    """0 where the scores are the same but for their scale."""
    return float(1.0 - np.corrcoef(mine, theirs)[0, 1])


def _relief(n: int, d: int, *more: Contender) -> Work:
    return Work(
        f"relief-{n}", f"ReliefF, {NEIGHBOURS} neighbours, {n:,} x {d} numbers", partial(numbers, n, d),
        (
            Contender(ours.NAME, nearwise_relief, ours=True),
            Contender("fast-select", fast_select_relief, ("fast_select",), tolerance=1e-3),
            *more,
        ),
        deviation=disagreement, repeats=3,
    )  # fmt: skip


WORKS = (
    _relief(5_000, 100, Contender("scikit-rebate", skrebate_relief, ("skrebate",), tolerance=1e-3)),
    _relief(20_000, 20),
    Work(
        "relief-million", f"ReliefF, {NEIGHBOURS} neighbours, 1,000,000 x 20 numbers, of which 20,000 cases ask",
        partial(numbers, 1_000_000, 20), (Contender(ours.NAME, nearwise_relief, ours=True),), repeats=3,
    ),
    Work(
        "relief-mixed", "ReliefF, 5,000 x (50 numbers + 50 symbols), 5% missing", partial(mixed, 5_000, 100),
        (
            Contender(ours.NAME, nearwise_relief, ours=True),
            Contender("all numbers, all known", plain_relief, compared=False),
        ),
    ),
)  # fmt: skip
