"""A genetic algorithm over weights that sum to 1 (Demiroz & Guvenir)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_choice, check_whole, check_whole_or_none
from nearwise.progress import stage
from nearwise.statistics.trials.classes import Evaluator
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.crossover import CROSSOVERS, normalised
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import FEWER
from nearwise.weighting.wrapping import Wrapper
from nearwise.weights.base import as_numbers

__all__ = ["GeneticWeights", "next_generation"]

Array = NDArray[np.float64]

AT_RANDOM = -1.0
"""R squared of a neighbour drawn at random, which has no fitness where the target is a number"""
HISTORY = ("best_accuracy", "mean_accuracy", "best_fitness", "mean_fitness")


@with_parameters
class GeneticWeights(Wrapper):
    r"""Weights bred by a genetic algorithm for the accuracy of weighted 1-NN.

    .. math:: w_f \ge 0, \quad \sum_f w_f = 1, \qquad
        fitness(w) = \Bigl(\frac{1}{5} \sum_{i=1}^{5} accuracy_i(w)\Bigr)^3

    accuracy_i is that of the nearest neighbour on fold i, with the cases of the other folds stored. A generation is the
    fittest vector of the last one and the children of pairs drawn by roulette, crossed with probability 0.8 and else
    copied. The paper's own crossover ("cuco") steps along the line through both parents by a stride s in its legal
    range, so that the children sum to 1 again and no weight is negative:

    .. math:: x'_f = s\,x_f + (1-s)\,y_f, \quad y'_f = s\,y_f + (1-s)\,x_f, \quad
        1 \le s \le \min_f \frac{\max(x_f, y_f)}{|x_f - y_f|}

    Where the target is a number, R squared stands for the accuracy, and the fitness is ((1 + R squared) / 2)^3: it is 0
    for neighbours drawn at random.

    There is no mutation: the paper leaves it out "to see the ability of several crossover operators alone".

    Reading: train on four folds, test on the fifth (A1); the mean of the five rates (A2); the folds, stratified and
    shuffled by the seed, stay the same (A3); bounds where x > y with the roles swapped (A4), none where x = y (A5),
    s = 1 for identical parents (A6), s uniform on [1, upper], on [0.5, 1] where upper is 1 (A7, A8); the first
    population is uniform numbers over their sum (A9); zeros are legal (A10); the other crossovers divide by the sum
    (A11) and cut as in A12; one elite slot (A13), two independent draws a pair (A14), accuracy as a fraction (A15); the
    best of the last generation is the result (A16). Numbers are scaled to their range and votes have fair ties.

    Parameters
    ----------
    crossover : "cuco", "one-point", "two-point" or "uniform"
    population_size, generations : int
        100 and 200, as in the paper.
    crossover_probability, swap_probability : float
        0.8, and 0.5 for each weight under "uniform".
    folds : int or array
        Their number, or the fold of each case.
    n_neighbors : int
    patience : int or None
        Stop after so many generations without a better vector.
    max_time : float or None
        Seconds after which the search stops with the best so far.
    initial : array or None
        (m, p) weight vectors to start with, normalised; the rest of the population is drawn.
    warm_start : bool
        Go on from ``population_`` until there were ``generations`` in all, as one longer run would.
    random_state : int or None
        Seed; None is a fixed seed.
    n_jobs : int or None
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content and the seed. None
        learns from all.

    Attributes
    ----------
    weights_ : Global
        They sum to 1.
    accuracy_ : float
        Of the weights, on the folds that chose them: a kind figure.
    population_, accuracies_ : array
        (population_size, p) and (population_size,), the last generation, the best first.
    history_ : dict
        "best_accuracy", "mean_accuracy", "best_fitness" and "mean_fitness" of each generation, from the first
        population on (the paper's Figure 1).
    n_generations_ : int
        Generations bred.
    seed_ : int
        The seed in use.
    stopped_ : str
        "patience", "time", "interrupt", or empty.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" that their accuracy keeps to with the "confidence".

    Notes
    -----
    References: demiroz1996, eqs. 1-4 and sects. 3-4.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 3))
    >>> ga = GeneticWeights(population_size=20, generations=10).fit(X, X[:, 1] > 0.5)
    >>> int(ga.feature_importances_.argmax()), round(float(ga.feature_importances_.sum()), 12)
    (1, 1.0)
    """

    id = "ga"
    reference = "demiroz1996"
    check_parameters = {"population_size": 16, "generations": 6}  # noqa: RUF012 - a constant of the class

    crossover: str = "cuco"
    population_size: int = 100
    generations: int = 200
    crossover_probability: float = 0.8
    swap_probability: float = 0.5
    folds: Any = 5
    n_neighbors: int = 1
    patience: int | None = None
    max_time: float | None = None
    initial: Any = None
    warm_start: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    @property
    def _goes_on(self) -> bool:
        """Whether the search starts from an earlier one."""
        return self.warm_start and hasattr(self, "population_")

    def _seed(self) -> int:
        return self.seed_ if self._goes_on else super()._seed()

    def _search(self, scorer: Evaluator, problem: Problem) -> Array:
        lowest = AT_RANDOM if problem.target.classes is None else 0.0
        first = Scored(self.population_ if self._goes_on else self._first(problem), lowest=lowest)
        history = {name: self.history_[name].tolist() if self._goes_on else [] for name in HISTORY}
        with Budget("genetic search", self.max_time, way_out=FEWER, how="about") as budget:
            left = self.generations - (getattr(self, "n_generations_", 0) if history["best_accuracy"] else 0)
            with stage(1.0, 1.0 + max(0, left)):
                first.fill(scorer, self.n_neighbors, budget)
            self._keep(first, history, is_new=not history["best_accuracy"])
            bred = self.n_generations_
            for _ in budget.rounds(max(0, self.generations - bred), before=1.0):
                if self._is_stuck(history):
                    budget.stopped = "patience"
                    break
                rng = np.random.default_rng([self.seed_, self.n_generations_ + 1])
                self._breed(scorer, rng, history, budget, first.lowest)
        if not history["best_accuracy"]:  # interrupted in the first population: the best of those that were tried
            self._keep(first, history)
        self.stopped_ = budget.stopped
        return np.asarray(self.population_[0])

    def _breed(
        self, scorer: Evaluator, rng: np.random.Generator, history: dict[str, list[float]], budget: Budget,
        lowest: float,
    ) -> None:  # fmt: skip
        """One generation; one that time cuts short leaves the last one as it was."""
        before = Scored(self.population_, self.accuracies_, lowest)
        children = Scored(
            next_generation(
                before.population, before.fitness, CROSSOVERS[self.crossover], self.crossover_probability,
                self.swap_probability, rng,
            ),
            lowest=lowest,
        )  # fmt: skip
        children.fill(scorer, self.n_neighbors, budget, before)
        if children.is_complete:
            self._keep(children, history)

    def _keep(self, scored: Scored, history: dict[str, list[float]], is_new: bool = True) -> None:
        scored = scored.tried().best_first()
        self.population_, self.accuracies_ = scored.population, scored.accuracies
        self.accuracy_ = float(scored.accuracies[0])
        if is_new:
            fitness = scored.fitness
            found = (scored.accuracies[0], scored.accuracies.mean(), fitness[0], fitness.mean())
            for name, value in zip(HISTORY, found, strict=True):
                history[name].append(float(value))
        self.history_ = {name: np.array(values) for name, values in history.items()}
        self.n_generations_ = len(history["best_accuracy"]) - 1

    def _is_stuck(self, history: dict[str, list[float]]) -> bool:
        best = history["best_accuracy"]
        return self.patience is not None and len(best) - 1 - best.index(max(best)) >= self.patience

    def _first(self, problem: Problem) -> Array:
        """Uniform numbers over their sum (A9), behind the vectors given."""
        rng = np.random.default_rng([self.seed_, 0])
        drawn = normalised(rng.random((self.population_size, len(problem.features))))
        if self.initial is None:
            return drawn
        given = normalised(problem.from_users(np.asarray(self.initial, dtype=np.float64)))
        return np.concatenate([given, drawn])[: self.population_size]

    def _check(self, problem: Problem) -> None:
        check_choice("crossover", self.crossover, CROSSOVERS)
        check_whole("population_size", self.population_size, 2)
        check_whole("generations", self.generations, 0)
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_whole_or_none("patience", self.patience, 1)
        for name in ("crossover_probability", "swap_probability"):
            given = getattr(self, name)
            if not (isinstance(given, int | float | np.number) and 0 <= given <= 1):
                raise InputError(f"{name}={given!r}: expected a number from 0 to 1.")
        p = len(problem.features)
        if self.initial is not None:
            first = as_numbers(self.initial)
            if first.ndim != 2 or first.shape[1] != p or not len(first):
                raise InputError(f"initial must have one row per vector and {p} columns, got shape {first.shape}.")
            if not np.isfinite(first).all() or (first < 0).any():
                raise InputError("initial must hold finite weights that are not negative.")
        known = getattr(self, "population_", None)
        if self.warm_start and known is not None and known.shape[1] != p:
            raise InputError(
                f"warm_start goes on with weights of {known.shape[1]} features, and there are {p} here: use "
                "warm_start=False."
            )


class Scored:
    """Weight vectors (m, p) and their accuracies (m,), NaN where a vector was not tried."""

    def __init__(self, population: Array, accuracies: Array | None = None, lowest: float = 0.0) -> None:
        self.population = population
        self.accuracies = np.full(len(population), np.nan) if accuracies is None else accuracies
        self.lowest = lowest
        """the accuracy of no fitness"""

    def fill(self, scorer: Evaluator, k: int, budget: Budget, known: Scored | None = None) -> None:
        """Try every vector that is not among the known, while there is time."""
        at: dict[bytes, list[int]] = {}
        for i, vector in enumerate(self.population):
            at.setdefault(vector.tobytes(), []).append(i)
        if known is not None:
            for vector, accuracy in zip(known.population, known.accuracies, strict=True):
                self.accuracies[at.pop(vector.tobytes(), [])] = accuracy
        places = list(at.values())
        for rows, found in scorer.in_turns(self.population[[place[0] for place in places]], k):
            for place, accuracy in zip(places[rows], found, strict=True):
                self.accuracies[place] = accuracy
            budget.has_result = True
            if budget.is_over:
                return

    @property
    def is_complete(self) -> bool:
        return not np.isnan(self.accuracies).any()

    def tried(self) -> Scored:
        done = ~np.isnan(self.accuracies)
        return Scored(self.population[done], self.accuracies[done], self.lowest)

    @property
    def fitness(self) -> Array:
        shares = (self.accuracies - self.lowest) / (1.0 - self.lowest)
        return np.asarray(np.maximum(shares, 0.0) ** 3)

    def best_first(self) -> Scored:
        """The fittest, the first of equals, in front; the others in their order."""
        best = int(self.accuracies.argmax())
        order = [best, *(i for i in range(len(self.accuracies)) if i != best)]
        return Scored(self.population[order], self.accuracies[order], self.lowest)


def next_generation(
    population: Array, fitness: Array, crossover: Any, probability: float, swap: float, rng: np.random.Generator
) -> Array:
    """The fittest, then children of pairs drawn in proportion to fitness, crossed or copied (A13, A14)."""
    m = len(population)
    pairs = m // 2
    wheel = np.cumsum(fitness if fitness.sum() > 0 else np.ones(m))
    drawn = np.searchsorted(wheel, rng.random((pairs, 2)) * wheel[-1], side="right")
    x, y = population[np.minimum(drawn, m - 1)].transpose(1, 0, 2)
    crossed = (rng.random(pairs) < probability)[:, None] & (x != y).any(axis=1, keepdims=True)
    one, two = crossover(x, y, rng, swap)
    children = np.stack([np.where(crossed, one, x), np.where(crossed, two, y)], axis=1).reshape(
        2 * pairs, population.shape[1]
    )
    return np.concatenate([population[[int(fitness.argmax())]], children])[:m]
