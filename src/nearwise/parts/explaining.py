"""Explanations over parts: the cases that have a say in a few answers are fetched, and explained as one fit does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.estimators.model import Model
from nearwise.explain import Explanation, Explanations
from nearwise.parts.learning import merged
from nearwise.parts.part import Searched
from nearwise.parts.sampling import Gathered
from nearwise.parts.searching import search
from nearwise.search.base import Floats
from nearwise.search.selection.answered import around
from nearwise.weighting import Problem

__all__ = ["MOST_EXPLAINED", "explained"]

MOST_EXPLAINED = 100
"""queries of one call"""


@dataclass(frozen=True)
class SomeOf(Target):
    """The classes of some cases, with the shares that the classes have among all."""

    whole: Target | None = None

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        return super().class_weights if self.whole is None else self.whole.class_weights

    def take(self, rows: NDArray[np.intp]) -> Target:
        return SomeOf(self.values[rows], self.classes, self.weights[rows], self.is_given, self.whole)


@dataclass(frozen=True)
class Calling:
    """Who has a say in a part: all up to the tie group of the k-th place, and the nearest of every class."""

    queries: Measured
    last: Floats

    def __call__(self, part: Searched) -> Gathered:
        rows, target = set[int](), part.problem.target
        if part.engine is not None:
            for _, cases in part.engine.within(self.queries, around(self.last)[1]):
                rows.update(cases.tolist())
            sums = part.engine.sums(self.queries) if target.classes is not None else np.zeros((0, 0))
            sums = np.where(np.isnan(sums), np.inf, sums)
            for label in np.unique(target.values) if target.classes is not None else ():
                own = np.flatnonzero(target.values == label)
                rows.update(own[sums[:, own].argmin(axis=1)].tolist())
        at = np.array(sorted(rows), dtype=np.intp)
        return Gathered.of(part.problem.table, target, at, part.start)


def explained(model: Any, X: Any, n_neighbors: int | None) -> Explanations:
    """The explanations of one fit; ``model`` is an estimator over parts."""
    asked, queries = model._asked(X)
    if len(asked) > MOST_EXPLAINED:
        raise InputError(f"There are {len(asked)} queries: explain at most {MOST_EXPLAINED} at a time.")
    k = min(model.n_neighbors_ if n_neighbors is None else n_neighbors, model.n_samples_fit_)
    found, _ = search(model._searched(), queries, k)
    called: Gathered = model._searched().ask(Calling(queries, found.last), merged)
    order = np.argsort(called.places)
    places, known = called.places[order], model.known
    table = replace(called.table.take(order), labels=tuple(places.tolist()))
    classes = known.summary.classes
    if classes is None:
        target = Target(called.values[order], None, called.weights[order], is_given=known.summary.is_given)
    else:
        target = SomeOf(called.values[order], classes, called.weights[order], whole=known.target)
    problem = Problem(table, known.metric, known.metric.measure(table), target, means=known.means)
    plain = model.equal()
    plain._settings, plain._chosen_k, plain.weighting_ = model.use, k, known.weighting
    plain.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        plain.feature_names_in_ = model.feature_names_in_
    plain._set(Model.of(problem, known.weights, places, int(places[-1]) + 1, plain.n_jobs))
    plain._chosen_k = k
    return Explanations([_placed(each, places) for each in plain.explain(X, k)])


def _placed(told: Explanation, places: NDArray[np.int64]) -> Explanation:
    """The same with the places that the cases have among all."""
    unlike = told.unlike if told.unlike is None else replace(told.unlike, index=int(places[told.unlike.index]))
    return replace(
        told,
        neighbours=[replace(near, index=int(places[near.index])) for near in told.neighbours],
        unlike=unlike,
        case_weights={int(places[case]): share for case, share in told.case_weights.items()},
    )
