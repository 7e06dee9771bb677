"""GA-WKNN: continuous weights bred with five operators, judged by errors and recency (Kelly & Davis)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import check_whole, check_whole_or_none
from nearwise.progress import stage
from nearwise.statistics.trials.classes import Evaluator
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import FEWER
from nearwise.weighting.wrapping import Wrapper

__all__ = ["OPERATORS", "HybridGenetic"]

Array = NDArray[np.float64]

OPERATORS = ("uniform crossover", "average crossover", "mutation", "big creep", "little creep")
CREEPS = {"big creep": 0.25, "little creep": 0.05}
"""the largest step of a creeping weight"""


@with_parameters
class HybridGenetic(Wrapper):
    r"""Weights in [0, 1] bred with five operators for few errors of k-NN, the newer of equals first.

    .. math:: w \prec v \iff (errors(w), -birth(w)) < (errors(v), -birth(v))

    errors(w) are the training cases that weighted k-NN gets wrong, each classified by all others. Each round draws
    parents by rank (the best of m has m chances, the worst one), makes ``children`` new vectors, each with one
    operator drawn at random, and keeps the best m of old and new. The operators are

    - uniform crossover: each weight from either parent;
    - average crossover: the mean of both parents;
    - mutation: weights drawn anew, each with probability 1/p;
    - big creep and little creep: weights moved by up to 0.25 or 0.05, each with probability 1/2.

    Where the target is a number, the squared errors count, and R squared stands for the accuracy.

    Reading: the review says "five genetic operators and a fitness function based on both the number of misclassified
    training instances and recency", and no more. Ours are the five of Davis's handbook for real-valued strings, and
    recency decides between vectors with equally many errors. Sizes, rates and k = 5 are ours, too.

    Parameters
    ----------
    n_neighbors : int
    population_size, children, rounds : int
    folds : int, array or None
        None leaves one out; a number of folds is for large tables.
    patience : int or None
        Stop after so many rounds without fewer errors.
    max_time : float or None
        Seconds after which the search stops with the best so far.
    random_state : int or None
        Seed; None is a fixed seed.
    n_jobs : int or None
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content and the seed. None
        learns from all.

    Attributes
    ----------
    weights_ : Global
    accuracy_ : float
        Of the weights, on the cases that chose them: a kind figure.
    population_, accuracies_ : array
        (population_size, p) and (population_size,), the best first.
    history_ : dict
        "best_accuracy" and "mean_accuracy" of the population, at the start and after each round.
    seed_ : int
    stopped_ : str
        "patience", "time", "interrupt", or empty.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" that their accuracy keeps to with the "confidence".

    Notes
    -----
    References: kelly1991; wettschereck1997, sect. 3.1.1; davis1991.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 3))
    >>> ga = HybridGenetic(rounds=20).fit(X, X[:, 1] > 0.5)
    >>> int(ga.feature_importances_.argmax())
    1
    """

    id = "ga-wknn"
    reference = "kelly1991, wettschereck1997, davis1991"
    check_parameters = {"population_size": 12, "children": 8, "rounds": 8}  # noqa: RUF012 - a constant of the class

    n_neighbors: int = 5
    population_size: int = 50
    children: int = 20
    rounds: int = 100
    folds: Any = None
    patience: int | None = None
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        for name, least in (("n_neighbors", 1), ("population_size", 2), ("children", 1), ("rounds", 0)):
            check_whole(name, getattr(self, name), least)
        check_whole_or_none("patience", self.patience, 1)

    def _search(self, scorer: Evaluator, problem: Problem) -> Array:
        rng, p = np.random.default_rng([self.seed_, 0]), len(problem.features)
        # in (0, 1]: a vector of zeros would tell no cases apart
        held = _Ranked(1.0 - rng.random((self.population_size, p)), scorer, self.n_neighbors)
        history: dict[str, list[float]] = {"best_accuracy": [], "mean_accuracy": []}
        first = self.population_size / self.children  # rounds that the first population costs as much as
        with Budget("GA-WKNN", self.max_time, way_out=FEWER, how="about") as budget:
            with stage(first, first + self.rounds):
                held.rank(budget)
            self._keep(held, history)
            for step in budget.rounds(self.rounds, before=first):
                best = history["best_accuracy"]
                if self.patience is not None and step - best.index(best[-1]) >= self.patience:
                    budget.stopped = "patience"
                    break
                rng = np.random.default_rng([self.seed_, step + 1])
                held.add(bred(held.vectors, self.children, rng), budget, self.population_size)
                self._keep(held, history)
        if not history["best_accuracy"]:  # interrupted before every vector was tried
            held.drop_untried()
            self._keep(held, history)
        self.stopped_ = budget.stopped
        return np.asarray(self.population_[0])

    def _keep(self, held: _Ranked, history: dict[str, list[float]]) -> None:
        self.population_, self.accuracies_ = held.vectors, held.accuracies
        self.accuracy_ = float(held.accuracies[0])
        history["best_accuracy"].append(self.accuracy_)
        history["mean_accuracy"].append(float(held.accuracies.mean()))
        self.history_ = {name: np.array(values) for name, values in history.items()}


class _Ranked:
    """Vectors, best first: fewer errors, then the newer."""

    def __init__(self, vectors: Array, scorer: Evaluator, k: int) -> None:
        self.vectors, self.scorer, self.k = vectors, scorer, k
        self.accuracies = np.full(len(vectors), np.nan)
        self.births = np.arange(len(vectors))

    def rank(self, budget: Budget) -> None:
        """Try what was not tried, drop what there is no time for, and sort."""
        for rows, found in self.scorer.in_turns(
            self.vectors[(todo := np.flatnonzero(np.isnan(self.accuracies)))], self.k
        ):
            self.accuracies[todo[rows]] = found
            budget.has_result = True
            if budget.is_over:
                break
        self.drop_untried()

    def drop_untried(self) -> None:
        self._take(np.flatnonzero(~np.isnan(self.accuracies)))
        self._take(np.lexsort((-self.births, -self.accuracies)))

    def add(self, vectors: Array, budget: Budget, size: int) -> None:
        """New vectors, without those that are there already, and the best ``size`` of all."""
        seen = {v.tobytes() for v in self.vectors}
        new = [v for v in {v.tobytes(): v for v in vectors}.values() if v.tobytes() not in seen]
        if not new:
            return
        births = self.births.max() + 1 + np.arange(len(new))
        self.vectors = np.concatenate([self.vectors, new])
        self.accuracies = np.concatenate([self.accuracies, np.full(len(new), np.nan)])
        self.births = np.concatenate([self.births, births])
        self.rank(budget)
        self._take(np.arange(min(size, len(self.vectors))))

    def _take(self, rows: NDArray[np.intp]) -> None:
        self.vectors, self.accuracies, self.births = self.vectors[rows], self.accuracies[rows], self.births[rows]


def bred(ranked: Array, children: int, rng: np.random.Generator) -> Array:
    """(children, p) new vectors of parents drawn by rank, each by one of `OPERATORS`; none is all 0."""
    m, p = ranked.shape
    chances = np.arange(m, 0, -1) / (m * (m + 1) / 2)
    x, y = ranked[rng.choice(m, size=(2, children), p=chances)]
    operator = rng.integers(0, len(OPERATORS), children)
    drawn, moved, chance = rng.random((children, p)), 2.0 * rng.random((children, p)) - 1.0, rng.random((children, p))
    made = {
        "uniform crossover": np.where(chance < 0.5, x, y),
        "average crossover": (x + y) / 2.0,
        "mutation": np.where(chance < 1.0 / p, drawn, x),
    }
    for name, largest in CREEPS.items():
        made[name] = np.where(chance < 0.5, np.clip(x + largest * moved, 0.0, 1.0), x)
    out = np.choose(operator[:, None], [made[name] for name in OPERATORS])
    return np.asarray(np.where(out.any(axis=1, keepdims=True), out, x))
