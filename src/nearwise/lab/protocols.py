"""How well methods do on cases they have not seen: cross-validation, with all learning in the training part.

Each method learns its weights, the ranges of numbers and k from the training part of a fold and is asked about the
rest. Every method sees the same folds, so differences between methods are differences of pairs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawTable, raw_table
from nearwise.cases.schema import Schema
from nearwise.errors import InputError, NearwiseWarning, warn
from nearwise.estimators.by_name import AUTO, DEFAULT, by_name
from nearwise.progress import progress
from nearwise.vote import costs_of

__all__ = ["FEW", "Comparison", "Result", "balanced_accuracy", "compare", "folds_of"]

BASELINES = {False: "majority class", True: "mean of the training part"}
"""what a method must beat, by whether numbers are predicted"""

FEW = {
    False: (DEFAULT, AUTO, "none", "gr", "relief-f"),
    True: (DEFAULT, AUTO, "none", "corr", "rrelief-f"),
}
"""the methods that are compared where none are named, by whether numbers are predicted: what a person should use,
the most accurate, plain nearest neighbours, and two of the papers' methods"""

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Result:
    """What one method did, fold by fold."""

    method: str
    scores: tuple[float, ...]
    """accuracy of each fold, or the mean absolute error where numbers are predicted, or the mean cost under costs"""
    k: tuple[int, ...]
    """neighbours used in each fold; empty for the baseline, and for "auto", whose members have each their own"""
    pooled: float
    """accuracy over all predictions together, or R squared where numbers are predicted"""
    seconds: float
    reason: str = ""
    """why the method cannot work on this table; empty where it can"""
    balanced: float = float("nan")
    """the mean over the classes of the share of their cases that are right, over all predictions; NaN for numbers"""

    @property
    def applicable(self) -> bool:
        return not self.reason

    @property
    def learned(self) -> bool:
        """Whether anything was learned; the baseline takes no time."""
        return self.seconds > 0

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores)) if self.scores else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation over the folds."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else float("nan")

    def to_json(self) -> dict[str, Any]:
        if not self.applicable:
            return {"method": self.method, "applicable": False, "reason": self.reason}
        return {
            "method": self.method, "applicable": True, "mean": self.mean, "spread": self.spread, "pooled": self.pooled,
            "balanced": self.balanced, "scores": list(self.scores), "k": list(self.k), "seconds": self.seconds,
        }  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Methods on the same folds."""

    results: tuple[Result, ...]
    baseline: Result
    n: int
    folds: int
    repeats: int
    seed: int
    regression: bool = False
    by_cost: bool = False
    """whether scores are mean costs, and not shares of right answers"""

    @property
    def measure(self) -> str:
        return "mean absolute error" if self.regression else "mean cost" if self.by_cost else "accuracy"

    @property
    def less_is_better(self) -> bool:
        return self.regression or self.by_cost

    @property
    def applicable(self) -> list[Result]:
        return [r for r in self.results if r.applicable]

    def merit(self, result: Result) -> float:
        """More is better: the mean accuracy, or the mean error or cost with its sign changed."""
        return -result.mean if self.less_is_better else result.mean

    @property
    def best(self) -> Result:
        """The method with the best mean; the earlier one where two are equal."""
        return max(self.applicable, key=self.merit)

    @property
    def test_share(self) -> float:
        """Cases tested over cases learned from, in one fold: what the corrected t-test needs."""
        return 1 / (self.folds - 1)

    def to_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure, "cases": self.n, "folds": self.folds, "repeats": self.repeats, "seed": self.seed,
            "baseline": self.baseline.to_json(), "methods": [r.to_json() for r in self.results],
        }  # fmt: skip


def folds_of(labels: Sequence[Any] | NDArray[Any], folds: int, rng: np.random.Generator) -> list[Rows]:
    """The test cases of each fold: every case once, every class dealt out evenly.

    The cases of each class are shuffled and dealt like cards; the next class goes on where the last one stopped, so
    fold sizes differ by one at the most.

    >>> parts = folds_of(["a", "a", "b", "b"], 2, np.random.default_rng(0))
    >>> [["aabb"[i] for i in rows] for rows in parts]
    [['a', 'b'], ['a', 'b']]
    """
    _, codes = np.unique(np.asarray(labels), return_inverse=True)
    dealt = [rng.permutation(np.flatnonzero(codes == code)) for code in range(codes.max() + 1)]
    deck = np.concatenate(dealt)
    return [np.sort(deck[fold::folds]) for fold in range(folds)]


def compare(
    X: Any,
    y: Sequence[Any],
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    *,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 0,
    regression: bool = False,
    schema: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Comparison:
    """Cross-validate methods: names, or a mapping from a name to anything that `by_name` takes.

    A name is "default", "auto" or the id of a weighting; None compares the `FEW`. ``settings`` go to the estimator;
    with a ``cost_matrix`` the score is the mean cost. A method that refuses the table is reported with its reason; when
    every one does, that is an error.

    >>> X = [[i % 7, i // 6] for i in range(12)]
    >>> found = compare(X, ["low"] * 6 + ["high"] * 6, ["none"], folds=3)
    >>> found.results[0].mean > found.baseline.mean == 0.5
    True
    """
    table = raw_table(X)
    target = np.asarray(y, dtype=np.float64 if regression else None)
    _check(table, target, folds, repeats)
    rng = np.random.default_rng(seed)
    strata = np.zeros(len(target)) if regression else target
    parts = [rows for _ in range(repeats) for rows in folds_of(strata, folds, rng)]
    asked = FEW[regression] if methods is None else methods
    named = dict(asked) if isinstance(asked, Mapping) else {m: m for m in asked}
    # kinds are read off the values once, so that every fold has the same features; everything else is learned inside
    kinds = Schema.infer(table, schema)
    steps = progress(((name, rows) for name in named for rows in parts), len(named) * len(parts), "cross-validating")
    given = settings.get("cost_matrix")
    costs = None if given is None or regression else _Costs(given, np.unique(target))
    runs = {name: _Run(regression, costs) for name in named}
    for name, rows in steps:
        if not runs[name].reason:
            model = by_name(named[name], regression, schema=kinds, random_state=seed, **settings)
            runs[name].fold(model, table, target, rows)
    for name, run in runs.items():
        if run.note:
            warn(f"{name}: {run.note}")
    results = [run.result(name) for name, run in runs.items()]
    if not any(r.applicable for r in results):
        raise InputError(results[0].reason)
    baseline = _Run(regression, costs)
    for rows in parts:
        train = np.delete(target, rows)
        blind = _typical(train, len(rows), regression) if costs is None else costs.cheapest(train, len(rows))
        baseline.add(target[rows], blind, None)
    told = BASELINES[regression] if costs is None else "cheapest class"
    return Comparison(
        tuple(results), baseline.result(told), len(target), folds, repeats, seed, regression, costs is not None
    )


class _Costs:
    """What answers cost, by label."""

    def __init__(self, given: Any, classes: NDArray[Any]) -> None:
        found = costs_of(given, classes)
        assert found is not None
        self.classes, self.costs = classes, found

    def of(self, truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
        """(m,) what each answer costs."""
        return np.asarray(self.costs[np.searchsorted(self.classes, truth), np.searchsorted(self.classes, predicted)])

    def cheapest(self, train: NDArray[Any], m: int) -> NDArray[Any]:
        """(m,) the one answer that costs least on the training part; of equally cheap ones the first."""
        total = [float(self.of(train, np.full(len(train), label)).sum()) for label in self.classes]
        return np.full(m, self.classes[int(np.argmin(total))])


class _Run:
    """One method on its way through the folds."""

    def __init__(self, regression: bool, costs: _Costs | None = None) -> None:
        self.regression, self.costs = regression, costs
        self.scores: list[float] = []
        self.k: list[int] = []
        self.truth: list[NDArray[Any]] = []
        self.predicted: list[NDArray[Any]] = []
        self.seconds = 0.0
        self.reason = ""
        self.note = ""
        """the first warning; those of other folds are like it"""

    def fold(self, model: Any, table: RawTable, target: NDArray[Any], rows: Rows) -> None:
        started = time.perf_counter()
        train = np.setdiff1d(np.arange(len(target)), rows)
        try:
            with self._noting():
                model.fit(table.take(train), target[train])
                predicted = model.predict(table.take(rows))
        except InputError as error:
            self.reason = str(error)
            return
        self.seconds += time.perf_counter() - started
        self.add(target[rows], predicted, getattr(model, "n_neighbors_", None))

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Keep the first of our own warnings, to be told once with the name of the method; pass on all others."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            yield
        for each in told:
            if not issubclass(each.category, NearwiseWarning):
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
            elif not self.note:
                self.note = str(each.message)

    def add(self, truth: NDArray[Any], predicted: NDArray[Any], k: int | None) -> None:
        if self.costs is not None:
            scores = self.costs.of(truth, predicted)
        else:
            scores = np.abs(truth - predicted) if self.regression else truth == predicted
        self.scores.append(float(np.mean(scores)))
        self.truth.append(truth)
        self.predicted.append(predicted)
        if k is not None:
            self.k.append(k)

    def result(self, name: str) -> Result:
        if self.reason:
            return Result(name, (), (), float("nan"), self.seconds, self.reason)
        truth, predicted = np.concatenate(self.truth), np.concatenate(self.predicted)
        pooled = _r_squared(truth, predicted) if self.regression else float(np.mean(truth == predicted))
        balanced = float("nan") if self.regression else balanced_accuracy(truth, predicted)
        return Result(name, tuple(self.scores), tuple(self.k), pooled, self.seconds, balanced=balanced)


def _check(table: RawTable, target: NDArray[Any], folds: int, repeats: int) -> None:
    if len(target) != len(table):
        raise InputError(f"Expected one target value per case: {len(table)} cases, {len(target)} values.")
    if not 2 <= folds <= len(target):
        raise InputError(f"folds={folds}: expected at least 2 and at most one per case ({len(target)}).")
    if repeats < 1:
        raise InputError(f"repeats={repeats}: expected at least 1.")


def _typical(train: NDArray[Any], m: int, regression: bool) -> NDArray[Any]:
    if regression:
        return np.full(m, train.mean())
    labels, counts = np.unique(train, return_counts=True)
    return np.full(m, labels[counts.argmax()])


def balanced_accuracy(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    """The mean over the classes of the share of their cases that are right: a rare class counts as much as any.

    >>> balanced_accuracy(np.array(["a", "a", "a", "b"]), np.array(["a", "a", "a", "a"]))
    0.5
    """
    right = truth == predicted
    return float(np.mean([right[truth == label].mean() for label in np.unique(truth)]))


def _r_squared(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    total = float(np.square(truth - truth.mean()).sum())
    return 1.0 - float(np.square(truth - predicted).sum()) / total if total > 0 else float("nan")
