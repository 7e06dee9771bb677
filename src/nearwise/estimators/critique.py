"""An expert's critique: a wrong answer, the right one, and which feature should have counted more, or less.

A critique changes weights of single stored cases. Near cases of other classes are moved away by what counts "more", the
nearest cases of the right class are moved closer by what counts "less", by a factor of two a round, until the answer is
right. Every critique is a record; the weights in use are the learned ones with all records applied, so that the last
one can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.errors import InputError, did_you_mean
from nearwise.estimators.model import Model
from nearwise.visible import visible
from nearwise.weighting import Problem
from nearwise.weights import PerCase, Weights

if TYPE_CHECKING:
    from nearwise.estimators.voting import Voting

__all__ = ["Critique", "criticised", "under_critique"]

ROUNDS = 20
"""a weight is multiplied by at most 2 to this power"""
TELLS = ("more", "less")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Critique:
    """One critique, and what it changed."""

    query: Mapping[str, Any]
    answered: Any
    """what was said before"""
    correct_class: Any
    because: Mapping[str, str]
    """feature -> "more" or "less\""""
    changes: tuple[tuple[int, str, float], ...]
    """(id of a stored case, feature, what its weight is multiplied by)"""

    def __str__(self) -> str:
        why = ", ".join(f"{feature} counts {tell}" for feature, tell in self.because.items())
        cases = len({case for case, _, _ in self.changes})
        told = ", ".join(f"{name} = {value}" for name, value in self.query.items())
        return visible(
            f"{self.answered} should be {self.correct_class}, because {why}: weights of {cases} "
            f"{'case' if cases == 1 else 'cases'} changed, for {told}"
        )


def under_critique(critiques: Sequence[Critique], weights: Weights, problem: Problem, ids: Any) -> Weights:
    """Weights per case: the learned ones with every change applied. Cases that were forgotten have none."""
    if not critiques:
        return weights
    try:
        learned = weights.times(np.ones(len(problem.table)), problem.stored.classes).values
    except InputError:
        raise InputError(
            f"A critique changes the weights of single cases, and these have the shape {weights.shape!r}: use a method "
            "whose weights are global, per class or per case."
        ) from None
    values = np.array(learned)
    row = {int(case): i for i, case in enumerate(ids)}
    column = {name: f for f, name in enumerate(problem.features)}
    for critique in critiques:
        for case, feature, factor in critique.changes:
            if case in row:
                i, f = row[case], column[feature]
                if factor > 1 and values[i, f] == 0:  # nothing times two is nothing: it begins as the others on average
                    values[i, f] = learned[i].mean() or 1.0
                values[i, f] *= factor
    return PerCase(values, weights.features)


def criticised(estimator: Voting, query: Any, correct_class: Any, because: Any) -> tuple[Critique, Model]:
    """The critique and the model under it; an error that says why, if the answer cannot be made right."""
    model = estimator._fitted()
    label, reasons = _label(model, correct_class), _reasons(model, because)
    table, asked, _ = estimator._asked(query, model)
    if len(table) != 1:
        raise InputError(f"A critique is about one query, got {len(table)}.")
    answered = estimator.predict(query)[0]
    if answered == label:
        raise InputError(f"The query is answered {str(label)!r} already: there is nothing to criticise.")
    values = {name: column.value(0) for name, column in zip(model.problem.features, table.columns, strict=True)}
    plain = answered.item() if isinstance(answered, np.generic) else answered
    search = _Search(estimator, model, asked, label, reasons)
    made = Critique(values, plain, label, reasons, ())
    for _ in range(ROUNDS):
        if not search.step():
            raise InputError(f"{_unmoved(answered, label)} {search.told_differences()} Nothing was changed.")
        made = replace(made, changes=search.changes)
        changed = estimator._model_of(
            model.problem, model.learned_weights, model.ids, model.next_id, critiques=(*estimator._critiques, made)
        )
        if estimator._said(changed, table, asked) == label:
            return made, changed
        search.model = changed
    raise InputError(
        f"{_unmoved(answered, label)} Other features outweigh those named even where they count {2**ROUNDS:,} times as "
        f"much or as little. {search.told_differences()} Nothing was changed."
    )


def _unmoved(answered: Any, label: Any) -> str:
    return f"The critique does not turn {str(answered)!r} into {str(label)!r}."


def _label(model: Model, given: Any) -> Any:
    """The class that is meant, by its label or by its text."""
    classes = [] if model.target.classes is None else model.target.classes.tolist()
    named = [label for label in classes if label == given] or [label for label in classes if str(label) == str(given)]
    if not named:
        raise InputError(f"There is no class {given!r}. {did_you_mean(str(given), map(str, classes))}")
    if not (model.target.weights[model.target.values == classes.index(named[0])] > 0).any():
        raise InputError(f"No stored case has the class {given!r}: add one with partial_fit, no weight can replace it.")
    return named[0]


def _reasons(model: Model, because: Any) -> dict[str, str]:
    if not isinstance(because, Mapping) or not because:
        raise InputError(
            f"because={because!r}: expected what should count more or less, such as {{'age': 'more', 'job': 'less'}}."
        )
    for feature, tell in because.items():
        if feature not in model.problem.features:
            raise InputError(f"There is no feature {feature!r}. {did_you_mean(str(feature), model.problem.features)}")
        if tell not in TELLS:
            raise InputError(f"because[{feature!r}]={tell!r}: expected 'more' or 'less'.")
    return dict(because)


class _Search:
    """What is multiplied so far, and by how much."""

    def __init__(self, estimator: Voting, model: Model, asked: Measured, label: Any, reasons: dict[str, str]) -> None:
        self.k, self.model, self.asked, self.reasons = estimator.n_neighbors_, model, asked, reasons
        problem = model.problem
        classes = problem.target.classes
        self.right = np.asarray(problem.target.values == np.flatnonzero(classes == label)[0])
        columns = zip(problem.metric.measures, problem.cases.columns, asked.columns, strict=True)
        self.differs = np.stack([m.block(x, q)[0] > 0 for m, x, q in columns], axis=1)
        """(n, p) in which features the query differs from each case"""
        self.factors: dict[tuple[int, int], float] = {}
        self.near: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)] * 2

    def step(self) -> bool:
        """Multiply once more; False where no case is left that would move."""
        sums = self.model.engine.sums(self.asked)[0]
        order = np.argsort(sums, kind="stable")
        right = order[self.right[order]]
        reach = max(sums[order[min(self.k, len(order)) - 1]], sums[right[0]])  # who votes, or comes before the right
        self.near = [np.flatnonzero((sums <= reach * (1 + 1e-12)) & ~self.right), right[: self.k]]
        moved = False
        for name, tell in self.reasons.items():
            f = self.model.problem.features.index(name)
            rows, factor = (self.near[0], 2.0) if tell == "more" else (self.near[1], 0.5)
            for i in rows[self.differs[rows, f]].tolist():
                self.factors[i, f] = self.factors.get((i, f), 1.0) * factor
                moved = True
        return moved

    @property
    def changes(self) -> tuple[tuple[int, str, float], ...]:
        ids, names = self.model.ids, self.model.problem.features
        return tuple((int(ids[i]), names[f], factor) for (i, f), factor in sorted(self.factors.items()))

    def told_differences(self) -> str:
        """What a critique could move."""
        alike = self.near[0][~self.differs[self.near[0]].any(axis=1)]
        if len(alike):
            label = self.model.table.label(int(alike[0]))
            return f"Case {label} is of another class and equals the query in every feature: no weight moves it."
        names = np.array(self.model.problem.features, dtype=object)

        def listed(rows: NDArray[np.intp]) -> str:
            found = names[self.differs[rows].any(axis=0)].tolist()
            return ", ".join(found[:8]) + (" …" if len(found) > 8 else "") if found else "nothing"

        return (
            f"The near cases of other classes differ from the query in {listed(self.near[0])}, which can count more; "
            f"the nearest of the right class in {listed(self.near[1])}, which can count less."
        )
