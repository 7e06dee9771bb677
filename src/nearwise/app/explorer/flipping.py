"""The smallest change of one feature that changes the answer: towards a value that a stored case has, and tried out."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.cases.kinds import Cyclic, Numeric
from nearwise.estimators.reweighting import STAYS
from nearwise.explain import case_values
from nearwise.explain.neighbours import contributions
from nearwise.search import Distance
from nearwise.weights import Global, Stored

__all__ = ["Flip", "smallest_flip", "without"]

TRIED = 24
"""values of each feature that are tried first"""
FEATURES = 60
"""features that are tried, those that count most first"""


@dataclass(frozen=True)
class Flip:
    """Another value of one feature, and what is answered then."""

    feature: str
    before: Any
    after: Any
    prediction: Any
    size: float
    """what the change adds to the distance from the query as it was"""


def without(estimator: Any, row: int) -> Any:
    """The estimator without one of its cases; nothing is learned anew."""
    model = estimator._fitted()
    estimator.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
    rest = np.delete(np.arange(len(model.table)), row)
    weights = estimator.weighting_.for_kept(model.problem, model.learned_weights, rest)
    made = copy.copy(estimator)
    kept = {name: value for name, value in vars(estimator).items() if name in STAYS}
    made._set(made._model_of(model.problem.take(rest), weights, model.ids[rest], model.next_id))
    vars(made).update(kept)
    return made


def smallest_flip(estimator: Any, case: Mapping[str, Any], near: Sequence[int]) -> Flip | None:
    """The smallest change of one feature that flips the answer, or None where no stored value does.

    ``near`` are stored cases of other classes, whose values are tried first. Between a value that flips the answer and
    the query's own, the stored values in between are tried too.
    """
    table = estimator._fitted().table
    answer = estimator.predict([case])[0]
    counts = estimator.feature_importances_
    names = [table.schema.names[f] for f in np.argsort(-counts, kind="stable")[:FEATURES] if counts[f] > 0]
    rows = {name: _values(estimator, case, name, near) for name in names}
    best = _best(estimator, case, answer, rows)
    if best is not None and isinstance(table.schema[best.feature], Numeric | Cyclic):
        between = _between(table, best)
        finer = _best(estimator, case, answer, {best.feature: between}) if between else None
        best = finer if finer is not None and finer.size < best.size else best
    return best


def _best(estimator: Any, case: Mapping[str, Any], answer: Any, values: Mapping[str, list[Any]]) -> Flip | None:
    tried = [(name, value) for name, each in values.items() for value in each]
    if not tried:
        return None
    said = estimator.predict([{**case, name: value} for name, value in tried])
    flips = [at for at in range(len(tried)) if said[at] != answer]
    if not flips:
        return None
    sizes = _sizes(estimator, case, [tried[at] for at in flips])
    at = int(np.argmin(sizes))
    name, value = tried[flips[at]]
    return Flip(name, case.get(name), value, said[flips[at] : flips[at] + 1].tolist()[0], float(sizes[at]))


def _sizes(estimator: Any, case: Mapping[str, Any], tried: Sequence[tuple[str, Any]]) -> list[float]:
    """What each change adds to the distance from the query as it was, under weights of features."""
    model = estimator._fitted()
    metric = model.problem.metric
    asked = metric.measure(estimator._typed([dict(case)], model))
    changed = metric.measure(estimator._typed([{**case, name: value} for name, value in tried], model))
    distance = Distance(metric, Global(estimator.feature_importances_, metric.names), Stored(changed))
    return [contributions(distance, i, asked, 0)[0][name] for i, (name, _) in enumerate(tried)]


def _values(estimator: Any, case: Mapping[str, Any], name: str, near: Sequence[int]) -> list[Any]:
    """Values of stored cases to try, without the query's own."""
    model = estimator._fitted()
    table, f = model.table, model.table.schema.names.index(name)
    kind, column = table.schema[name], table.columns[f]
    if isinstance(kind, Numeric | Cyclic):
        there = np.flatnonzero(~column.missing)
        _, first = np.unique(column.values[there], return_index=True)
        steps: Any = np.unique(np.linspace(0, len(first) - 1, TRIED).astype(int)) if len(first) else []
        found = [case_values(table, int(there[first[at]]))[name] for at in steps]
    elif column.levels is not None:
        there = np.unique(column.values[~column.missing])
        found = [column.levels[int(code)] for code in there[: TRIED * 2]]
    else:
        found = []
    found += [case_values(table, row)[name] for row in near[:TRIED]]
    kept: list[Any] = []
    for value in found:
        if value is not None and not _same(value, case.get(name)) and not any(_same(value, k) for k in kept):
            kept.append(value)
    return kept


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if hasattr(one, "shape") or hasattr(other, "shape") else bool(one == other)


def _between(table: Any, flip: Flip) -> list[Any]:
    """Stored numbers between the query's and one that flips the answer."""
    column = table.columns[table.schema.names.index(flip.feature)]
    if not isinstance(flip.before, int | float) or not isinstance(flip.after, int | float):
        return []
    low, high = sorted((float(flip.before), float(flip.after)))
    known = np.unique(column.values[~column.missing])
    inside = known[(known > low) & (known < high)]
    steps: Any = np.unique(np.linspace(0, len(inside) - 1, TRIED * 4).astype(int)) if len(inside) else []
    return [float(inside[at]) for at in steps]
