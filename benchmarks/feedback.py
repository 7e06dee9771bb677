"""What learning asks of search: every k by leaving one out, many weight vectors, near hits and misses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.timing import Contender, Ready, Work

LARGEST = 50


@dataclass(frozen=True)
class Labelled:
    X: Any
    y: Any
    queries: int = 1
    W: Any = None
    folds: Any = None

    @property
    def input_mb(self) -> float:
        return float(self.X.nbytes / 2**20)


# ---------------------------------------------------------------------------------------------- leave one out


def blobs(tiny: bool) -> Labelled:
    n, d, classes = (600 if tiny else 20_000), 20, 5
    rng = np.random.default_rng(0)
    centres, y = rng.standard_normal((classes, d)), rng.integers(0, classes, n)
    return Labelled(centres[y] + rng.standard_normal((n, d)) * 1.5, y)


def nearwise_loo(data: Labelled) -> Ready:
    from nearwise import KNNClassifier

    def ask(_: int) -> Any:
        model = KNNClassifier(n_neighbors="loo", feature_weights="none", vote="majority", scale="none", p=2)
        return 1 - model.fit(data.X, data.y).loo_errors_

    small = KNNClassifier(n_neighbors=1, feature_weights="none", scale="none", p=2).fit(data.X, data.y)
    return Ready(ask, note=f"{ours.engine_of(small)}, fit and choice of k")


def sklearn_loo(data: Labelled) -> Ready:
    """One search for all k, then counting; neighbours of the training cases leave the case itself out."""
    from sklearn.neighbors import NearestNeighbors

    n, classes = len(data.y), int(data.y.max()) + 1

    def ask(_: int, by_nearest: bool = False) -> Any:
        model = NearestNeighbors(n_neighbors=LARGEST, algorithm="brute").fit(data.X)
        said = data.y[model.kneighbors(return_distance=False)]
        votes, right, cases = np.zeros((n, classes)), [], np.arange(n)
        for k in range(LARGEST):
            new = votes[cases, said[:, k]] == 0
            votes[cases, said[:, k]] += 1
            if by_nearest:
                votes[cases[new], said[new, k]] -= k / 1000
            right.append((votes.argmax(axis=1) == data.y).mean())
        return np.array(right)

    # timed as people write it, where a tied vote goes to the first class; compared with our rule, where it goes to the
    # class of the nearest case
    return Ready(ask, lambda m: ask(m, by_nearest=True))


# ------------------------------------------------------------------------------------------ many weight vectors


def weighted(n: int, d: int, tiny: bool) -> Labelled:
    n, vectors = (min(n, 200), 10) if tiny else (n, 100)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + X[:, 1] * 0.5 + rng.standard_normal(n) * 0.5 > 0).astype(np.int64)
    folds = np.arange(n) * 5 // n
    return Labelled(X, y, vectors, rng.random((vectors, d)), folds)


def nearwise_weights(data: Labelled) -> Ready:
    return ours.evaluator(data)


def sklearn_weights(data: Labelled) -> Ready:
    from sklearn.model_selection import PredefinedSplit, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    split = PredefinedSplit(data.folds)
    sizes = np.bincount(data.folds)

    def ask(m: int) -> Any:
        scores = [cross_val_score(KNeighborsClassifier(1), data.X * np.sqrt(w), data.y, cv=split) for w in data.W[:m]]
        return np.array([s @ sizes / sizes.sum() for s in scores])

    return Ready(ask)


# ------------------------------------------------------------------------------------ one generation of the search


def nearwise_generation(data: Labelled) -> Ready:
    """Selection, crossover and the accuracies of the children, as in a search: copies are not tried again."""
    from nearwise.weighting.budget import Budget
    from nearwise.weighting.crossover import CROSSOVERS, normalised
    from nearwise.weighting.genetic import Scored, next_generation

    scorer = ours.scorer(data)
    population = normalised(data.W)
    parents = Scored(population, scorer.accuracies(population))

    def ask(m: int) -> Any:
        known = Scored(parents.population[:m], parents.accuracies[:m])
        rng = np.random.default_rng(0)
        children = Scored(next_generation(known.population, known.fitness, CROSSOVERS["cuco"], 0.8, 0.5, rng))
        children.fill(scorer, 1, Budget("a generation"), known)
        return children.accuracies

    return Ready(ask, lambda m: scorer.accuracies(data.W[:m]), note="selection, crossover and evaluator")


# --------------------------------------------------------------------------------------- single-feature accuracy


def columns(tiny: bool) -> Labelled:
    n, d = (2_000, 4) if tiny else (1_000_000, 20)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return Labelled(X, (X[:, 0] + rng.standard_normal(n) > 0).astype(np.int64))


def nearwise_sfa(data: Labelled) -> Ready:
    from nearwise.weighting import SingleFeatureAccuracy

    problem = ours.problem(data)
    return Ready(lambda _: SingleFeatureAccuracy().learn(problem).values, note="folds, sorts and passes")


def sorted_columns(data: Labelled) -> Ready:
    held = [np.ascontiguousarray(column) for column in data.X.T]
    return Ready(lambda _: [np.argsort(column) for column in held])


# ------------------------------------------------------------------------------------------------------- Relief


def relief_cases(tiny: bool) -> Labelled:
    n, d = (200, 10) if tiny else (5_000, 100)
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    return Labelled(X, (X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(n) > 1).astype(np.int64))


def nearwise_relief(data: Labelled) -> Ready:
    from nearwise import weighting

    method = weighting.get("relieff")
    return Ready(lambda _: method.fit(data.X, data.y).feature_importances_)


def fast_select_relief(data: Labelled) -> Ready:
    from fast_select import ReliefF

    def ask(_: int) -> Any:
        ReliefF(n_features_to_select=2, n_neighbors=10, backend="cpu", n_jobs=peers.cores()).fit(data.X, data.y)

    return Ready(ask)


def skrebate_relief(data: Labelled) -> Ready:
    from skrebate import ReliefF

    def ask(_: int) -> Any:
        ReliefF(n_neighbors=10, n_features_to_select=2, n_jobs=peers.cores()).fit(data.X, data.y)

    return Ready(ask)


def has_relief() -> bool:
    from nearwise import weighting

    return "relieff" in weighting.methods()


SKLEARN = ("sklearn.neighbors",)


def _weights(n: int, d: int) -> Work:
    return Work(
        f"weights-{n}", f"100 weight vectors, 5-fold 1-NN, {n:,} x {d} numbers", partial(weighted, n, d),
        (
            Contender(ours.NAME, nearwise_weights, ours=True),
            # a nearest case by a hair may differ between the two ways to write a sum of squares
            Contender("scikit-learn loop", sklearn_weights, SKLEARN, tolerance=1e-6),
        ),
    )  # fmt: skip


def _generation(n: int, d: int) -> Work:
    return Work(
        f"generation-{n}", f"one generation of 100 weight vectors, 5-fold 1-NN, {n:,} x {d} numbers",
        partial(weighted, n, d),
        (
            Contender(ours.NAME, nearwise_generation, ours=True),
            Contender("scikit-learn loop", sklearn_weights, SKLEARN, tolerance=1e-6),
        ),
    )  # fmt: skip


WORKS = (
    Work(
        "leave-one-out", "leave-one-out, every k from 1 to 50, 20,000 x 20 numbers", blobs,
        (
            Contender(ours.NAME, nearwise_loo, ours=True),
            Contender("scikit-learn kneighbors + NumPy votes", sklearn_loo, SKLEARN),
        ),
    ),
    _weights(345, 6),
    _weights(2000, 20),
    _generation(345, 6),
    _generation(2000, 20),
    Work(
        "sfa", "ten-fold single-feature accuracy, 1,000,000 x 20 numbers", columns,
        (
            Contender(ours.NAME, nearwise_sfa, ours=True),
            Contender("argsort of the columns", sorted_columns, compared=False),
        ),
        repeats=3,
    ),
    Work(
        "relief", "ReliefF, 10 neighbours, 5,000 x 100 numbers", relief_cases,
        (
            *((Contender(ours.NAME, nearwise_relief, ours=True),) if has_relief() else ()),
            Contender("fast-select", fast_select_relief, ("fast_select",), compared=False),
            Contender("scikit-rebate", skrebate_relief, ("skrebate",), compared=False),
        ),
        repeats=3,
    ),
)  # fmt: skip
