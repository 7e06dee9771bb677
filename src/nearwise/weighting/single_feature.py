"""Single-feature accuracy: a feature counts as much as it gets right alone (Guvenir & Akkus)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.kinds import Ordinal
from nearwise.errors import InputError, check_choice, check_whole, warn
from nearwise.search.base import Payload
from nearwise.search.threads import threads
from nearwise.statistics.draws.folds import given_folds
from nearwise.statistics.draws.seeds import seed_of
from nearwise.statistics.projections.searched import Searched
from nearwise.statistics.trials.classes import Evaluator
from nearwise.statistics.trials.numbers import NumberEvaluator
from nearwise.statistics.trials.projection import Labels, by_counts, on_line
from nearwise.vote import TIES, decide
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weights import Global, Weights

__all__ = ["SingleFeatureAccuracy"]

Array = NDArray[np.float64]


@with_parameters
class SingleFeatureAccuracy(Weighting):
    r"""The accuracy of a classifier that sees this feature alone, by ten-fold cross-validation.

    .. math:: w_f = \frac{\text{cases classified right by feature } f \text{ alone}}{\text{all cases}}

    The classifier is k-NN on the one feature, as in the feature projections of the paper; ``classifier`` takes any
    other with fit and predict. A useless feature does not get 0: with k = 1 it gets about the chance
    that two cases are of the same class.

    Reading: neighbours at the k-th distance share the places left (P1; ``ties`` has other rules) and a tied vote goes
    to the class of the nearest case (P3); cases that miss the value are not stored (P5), get no prediction (P6) and
    count as wrong (P9), unless the feature's policy is "value"; right answers over all cases, not the mean of fold
    rates (P7); folds stratified and shuffled by the seed (P8); weights belong to the training part of an outer
    evaluation, and an estimator in one sees no more than that (P10).

    Where the target is a number, the k neighbours predict their mean, and

    .. math:: w_f = \max\Bigl(0,\; 1 - \frac1n \sum_i \frac{(y_i - \hat y_i)^2}{(1 + 1/k_i)\,\sigma^2}\Bigr)

    with the variance of the target below: 1 for exact answers, 0 for those of cases drawn at random. k_i is k, or as
    many more as tie for the last place, which for symbols are all cases of the value. An estimator given as
    ``classifier``, then a regressor, is held against the variance itself.

    Numbers and levels take a sort and one pass, symbols a count, whatever their number of cases; other kinds compare
    all pairs. Features are worked on by ``n_jobs`` threads.

    Parameters
    ----------
    n_neighbors : int
        Of the built-in classifier.
    ties : "fair", "distances", "random" or "index"
        Which cases vote where several tie at the k-th place. All but "fair" search on each feature, which takes longer.
    folds : int or array
        Their number, or the fold of each case.
    classifier : object or None
        Any estimator with fit and predict, copied for each fold and feature. It gets numbers and levels as one column,
        symbols as one column of 0 and 1 a symbol, vectors as their columns, other values as they are; only cases that
        have the value.
    max_time : float or None
        Seconds; features that there is no time for get the mean of the others, with a warning.
    random_state : int or None
        Seed of the folds and of random ties; None is a fixed seed.
    n_jobs : int or None

    Attributes
    ----------
    weights_ : Global
        Accuracies from 0 to 1.
    seed_ : int
        The seed in use.

    Notes
    -----
    References: guvenir1997, sect. 4.

    >>> cases = [{"size": s, "hue": h} for s, h in zip([1, 2, 3, 7, 8, 9], ["red", "blue"] * 3)]
    >>> SingleFeatureAccuracy(folds=3).fit(cases, list("uuuvvv")).weights_
    Global(2 features; size: 1, hue: 0.5)
    """

    id = "sfa"
    numbers = "own"
    in_canonical_order = False  # each feature for itself
    place = FEEDBACK_GLOBAL
    reference = "guvenir1997"
    check_parameters = {"folds": 5}  # noqa: RUF012 - a constant of the class

    n_neighbors: int = 1
    folds: Any = 10
    classifier: Any = None
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    ties: str = "fair"

    def _learn(self, problem: Problem) -> Weights:
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_choice("ties", self.ties, TIES)
        if self.classifier is not None and not (
            hasattr(self.classifier, "fit") and hasattr(self.classifier, "predict")
        ):
            raise InputError(f"classifier={self.classifier!r}: expected an object with fit and predict, or None.")
        self.seed_ = seed_of(self.random_state)
        p, target = len(problem.features), problem.target
        if len(target) < 2:
            warn("There is 1 case only, and it cannot be classified by others: all features get the same weight.")
            return Global(np.ones(p), problem.features)
        folds = given_folds(self.folds, problem.metric, problem.cases, target, self.seed_)
        if target.classes is None:
            return Global(self._of_numbers(problem, folds), problem.features)
        codes, n_folds = target.values.astype(np.int32), int(folds.max()) + 1
        labels = Labels(folds, n_folds, codes, target.weights.astype(np.float64), target.priors)
        right = self._all(p, lambda f: self._one(problem, labels, f))
        total = float(target.weights.sum())
        weights = np.minimum(right / total, 1.0) if total > 0 else np.zeros(p)
        if not weights.any():
            warn("No feature classifies any case right by itself, so all weights are 0.")
        return Global(weights, problem.features)

    def _of_numbers(self, problem: Problem, folds: NDArray[np.int32]) -> Array:
        """(p,) how far each feature is, alone, from answers at random to exact ones."""
        p, target = len(problem.features), problem.target
        if target.variance <= 0:
            warn("The target is the same number in every case: all features get the same weight.")
            return np.ones(p)
        weights = np.maximum(self._all(p, lambda f: self._one_number(problem, folds, f)), 0.0)
        if not weights.any():
            warn("No feature by itself predicts better than cases drawn at random, so all weights are 0.")
        return weights

    def _all(self, p: int, one: Callable[[int], float]) -> Array:
        """(p,) what feature by feature comes to; the mean of the others where time ran out."""
        right = np.full(p, np.nan)
        workers = 1 if self.classifier is not None else min(p, threads(self.n_jobs))
        with Budget("single-feature accuracy", self.max_time) as budget, ThreadPoolExecutor(workers) as pool:
            steps = range(0, p, workers)
            for step in budget.rounds(len(steps)):
                some = range(steps[step], min(p, steps[step] + workers))
                for f, found in zip(some, pool.map(one, some), strict=True):
                    right[f] = found
                budget.has_result = True
        untried = np.isnan(right)
        if untried.any():
            warn(
                f"There was time for {p - int(untried.sum())} of {p} features: the others get the mean weight of "
                "these. Give a larger max_time."
            )
            right[untried] = right[~untried].mean()
        return right

    def _one(self, problem: Problem, labels: Labels, f: int) -> float:
        """The weight of the cases that feature f alone gets right."""
        measure, column = problem.metric.measures[f], problem.cases.columns[f]
        missing = problem.table.columns[f].missing
        if not missing.any() or (measure.as_value and self.classifier is None):
            rows = np.arange(len(problem.table))
        else:
            rows = np.flatnonzero(~missing)
            labels = replace(labels.take(rows), priors=problem.target.take(rows).priors)
        if not len(rows):
            return 0.0
        if self.classifier is not None:
            return self._by_classifier(problem, labels, rows, f)
        if self.ties != "fair":
            votes, near = self._searched(problem, labels.folds, rows, f, labels.codes, labels.weights[:, None])
            won = decide(votes[:, :, 0], near, labels.priors)
            return float(dot(labels.weights, (won == labels.codes) & (votes[:, :, 0] > 0).any(axis=1)))
        if column.missing is None or not column.missing[rows].any():
            values = column.values[rows] if len(rows) < len(column.values) else column.values
            p = problem.metric.exponent
            if measure.fitted.form in ("line", "circle"):
                period = getattr(measure.fitted, "period", None) or 0.0
                return float(on_line(values, labels, self.n_neighbors, measure.scale(p), p, period)[-1])
            if measure.fitted.form == "overlap":
                return float(by_counts(values, labels, self.n_neighbors)[-1])
        alone, cases = problem.metric.of_features([f]), problem.cases.of_features([f]).take(rows)
        scorer = Evaluator(alone, cases, problem.target.take(rows), labels.folds)
        shares = scorer.right(np.ones((1, 1)), self.n_neighbors)[0, :, -1]
        return float(dot(shares, scorer.fold_weights))

    def _one_number(self, problem: Problem, folds: NDArray[np.int32], f: int) -> float:
        """1 - squared error over that of neighbours drawn at random; a case that misses the value counts 0."""
        measure, target = problem.metric.measures[f], problem.target
        missing = problem.table.columns[f].missing
        as_value = measure.as_value and self.classifier is None
        rows = np.arange(len(target)) if as_value else np.flatnonzero(~missing)
        own = target.take(rows)
        if len(rows) < 2 or own.weights.sum() <= 0:
            return 0.0
        if self.classifier is not None:
            errors = self._errors_of_regressor(problem, folds[rows], rows, f)
            at_random = np.full(len(rows), target.variance)
        elif self.ties != "fair":
            brought = np.stack([own.weights, own.weights * (own.values - own.mean), np.ones(len(rows))], axis=1)
            votes, _ = self._searched(problem, folds[rows], rows, f, np.zeros(len(rows), dtype=np.int32), brought)
            weight, about, cases = votes[:, 0].T
            means = own.mean + np.divide(about, weight, out=np.zeros(len(rows)), where=weight > 0)
            errors = np.square(means - own.values)
            at_random = target.variance * (1.0 + 1.0 / np.maximum(cases, 1.0))
        else:
            alone, cases = problem.metric.of_features([f]), problem.cases.of_features([f]).take(rows)
            judge = NumberEvaluator(alone, cases, own, folds[rows])
            rightness = judge.rightness(np.ones(1), self.n_neighbors, only_last=True)[:, 0]
            errors = (1.0 - rightness) * (own.variance or 1.0)
            at_random = target.variance * (1.0 + 1.0 / judge.crowds(np.ones(1), self.n_neighbors))
        return float(dot(own.weights, 1.0 - errors / at_random)) / float(target.weights.sum())

    def _searched(
        self, problem: Problem, folds: NDArray[np.int32], rows: NDArray[np.intp], f: int, codes: NDArray[np.int32],
        brought: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        """(r, g, v) votes of neighbours in the other folds under the rule for ties, and (r, g) how near they are."""
        measure, column = problem.metric.measures[f], problem.cases.columns[f].take(rows)
        groups = int(problem.target.n_classes) or 1
        votes, near = np.zeros((len(rows), groups, brought.shape[1])), np.full((len(rows), groups), np.inf)
        rng = np.random.default_rng([self.seed_, f])
        for fold in np.unique(folds):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if len(train):
                stored = Searched(measure, column.take(train), Payload(codes[train], brought[train], groups), 1)
                votes[test], near[test] = stored.votes(column.take(test), self.n_neighbors, self.ties, None, rng)
        return votes, near

    def _errors_of_regressor(self, problem: Problem, folds: NDArray[np.int32], rows: NDArray[np.intp], f: int) -> Array:
        """(r,) squared errors of an estimator of the user's."""
        y, found = problem.target.values[rows], np.full(len(rows), problem.target.mean)
        for test, answers in self._answers(_plain(problem, f, rows), y, folds):
            found[test] = answers
        return np.asarray(np.square(found - y))

    def _by_classifier(self, problem: Problem, labels: Labels, rows: NDArray[np.intp], f: int) -> float:
        classes = problem.target.classes
        if classes is None:
            return 0.0
        y, right = classes[labels.codes], 0.0
        for test, answers in self._answers(_plain(problem, f, rows), y, labels.folds):
            right += float(dot(labels.weights[test], answers == y[test]))
        return right

    def _answers(
        self, X: NDArray[Any], y: NDArray[Any], folds: NDArray[np.int32]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
        """Which cases, and what an estimator of the user's answers to them, fold by fold."""
        for fold in np.unique(folds):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if len(train):
                yield test, np.asarray(copy.deepcopy(self.classifier).fit(X[train], y[train]).predict(X[test]))


def _plain(problem: Problem, f: int, rows: NDArray[np.intp]) -> NDArray[Any]:
    """(n, d) one feature as an array that any estimator takes."""
    column, values = problem.table.columns[f], problem.table.columns[f].values[rows]
    if column.levels is not None and not isinstance(problem.metric.measures[f].kind, Ordinal):
        return np.asarray(values[:, None] == np.arange(len(column.levels)), dtype=np.float64)
    return values if values.ndim == 2 else values[:, None]
