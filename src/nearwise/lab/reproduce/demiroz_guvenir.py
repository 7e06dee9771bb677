"""The genetic searches of Demiroz and Guvenir: four crossovers on four data sets, under the paper's protocol."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.datasets import Dataset, load
from nearwise.lab.protocols import folds_of
from nearwise.lab.reproduce.size import Size
from nearwise.lab.workers import Task, done
from nearwise.progress import progress
from nearwise.search.threads import threads
from nearwise.weighting.genetic import GeneticWeights

__all__ = ["CROSSOVERS", "FOLDS", "SETS", "Best", "folds", "repetitions", "search", "searches", "sets"]

SETS = ("iris", "glass", "wine", "liver")
CROSSOVERS = {"1PCO-WNN": "one-point", "2PCO-WNN": "two-point", "UCO-WNN": "uniform", "CUCO-WNN": "cuco"}
"""the paper's name -> the name of the crossover here"""
FOLDS = 5

Array = NDArray[np.float64]
Best = dict[tuple[str, str], Array]
"""(data set, the paper's name) -> (repetitions, generations + 1) the best accuracy so far, on the folds searched by"""


@dataclass(frozen=True)
class Search:
    """What a search is told; all but the crossover and the sizes are the paper's."""

    crossover: str
    population: int
    generations: int
    seed: int

    def weighting(self, folds: NDArray[np.int64] | int = FOLDS) -> GeneticWeights:
        return GeneticWeights(
            crossover=self.crossover, population_size=self.population, generations=self.generations, folds=folds,
            random_state=self.seed, n_jobs=1,
        )  # fmt: skip


def search(size: Size, name: str, repetition: int) -> Search:
    """The search of a column of the table: 100 vectors for 200 generations at full size."""
    seed = 1000 * size.seed + repetition
    return Search(CROSSOVERS[name], size.times(100, 50, 8), generations(size), seed)


def generations(size: Size) -> int:
    """Generations after the first population."""
    return size.times(200, 40, 4)


def repetitions(size: Size) -> int:
    """Searches for each set and crossover, with folds and a first population of their own."""
    return size.times(20, 2, 2)


def sets(size: Size) -> list[str]:
    """All four, or the smallest alone in a test."""
    return size.few(SETS, len(SETS), 1)


def folds(data: Dataset, size: Size, repetition: int) -> NDArray[np.int64]:
    """(n,) the fold of each case, dealt anew for every repetition and the same for all that is compared in it."""
    found = np.empty(len(data), dtype=np.int64)
    for fold, rows in enumerate(folds_of(data.y, FOLDS, np.random.default_rng([size.seed, repetition]))):
        found[rows] = fold
    return found


@functools.lru_cache(maxsize=1)
def searches(size: Size) -> Best:
    """Every search under the paper's protocol; the table and the figure are two views of them."""
    tasks, places = [], []
    for name in sets(size):
        data = load(name)
        X = np.column_stack([column.values for column in data.X.columns]).astype(np.float64)
        for repetition in range(repetitions(size)):
            own = folds(data, size, repetition)
            for column in CROSSOVERS:
                places.append((name, column, repetition))
                tasks.append(Task(__name__, "best_accuracies", (X, data.y, own, search(size, column, repetition))))
    found: Best = {
        (name, column): np.empty((repetitions(size), generations(size) + 1))
        for name in sets(size)
        for column in CROSSOVERS
    }
    for at, history in progress(_done(tasks, size), len(tasks), "breeding"):
        name, column, repetition = places[at]
        found[name, column][repetition] = history
    return found


def best_accuracies(X: Array, y: NDArray[np.str_], folds: NDArray[np.int64], search: Search) -> Array:
    """(generations + 1,) the best accuracy on the folds, from the first population on."""
    made = search.weighting(folds).fit(X, y)
    return np.asarray(made.history_["best_accuracy"])


def _done(tasks: list[Task], size: Size) -> Iterator[tuple[int, Array]]:
    """In processes, since a search gains little by threads; here where one is asked for, or in a test."""
    if threads(size.n_jobs) > 1 and size.name != "tiny":
        yield from done(tasks, size.n_jobs)
    else:
        for at, task in enumerate(tasks):
            yield at, best_accuracies(*task.arguments)
