"""Chapters that learn from all cases. Each is done in a process of its own, which is ended when the time is over."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nearwise.cases.kinds import Kind
from nearwise.cases.raw import RawTable
from nearwise.errors import NearwiseError
from nearwise.estimators.by_name import by_name
from nearwise.estimators.searching import StoredCases
from nearwise.explain import Explanation
from nearwise.lab.figures.neighbours import ErrorsByK, errors_by_k
from nearwise.lab.figures.unseen import Unseen
from nearwise.lab.workers import Task, done
from nearwise.weights import Weights

__all__ = ["BY_CLASS", "Explained", "Learning", "fitted"]

BY_CLASS = "mdw"
"""the method whose weights are shown class by class"""
NEAR = 5
"""neighbours that say how dense a place is"""
SHOWN = 3
"""hard cases, and typical ones, that are explained unless others are asked for"""


@dataclass(frozen=True)
class Learning:
    """Cases to learn from, and how."""

    table: RawTable
    target: Any
    kinds: Mapping[str, Kind]
    regression: bool
    seed: int

    def model(self, method: str, **settings: Any) -> Any:
        made = by_name(method, self.regression, schema=dict(self.kinds), random_state=self.seed, **settings)
        return made.fit(self.table, self.target)


@dataclass(frozen=True)
class Explained:
    """Which cases are typical, and explained answers."""

    typical: list[int]
    """places among the unseen answers"""
    rows: list[int | RawTable]
    """what was asked: numbers of cases that were learned from, or cases that were not"""
    answers: list[Explanation]


def fitted(
    learning: Learning, method: str, unseen: Unseen | None, asked: Sequence[int | RawTable], until: float,
    jobs: int | None,
) -> dict[str, Any]:  # fmt: skip
    """What is done ``until`` then: "explained", "errors" and "class_weights"; what is not is not there.

    Without ``unseen`` answers of a method there is nothing to explain.
    """
    given: dict[str, tuple[Any, ...]] = {"errors": (learning,)}
    if unseen is not None:
        given = {"explained": (learning, method, unseen, list(asked)), **given}
    if not learning.regression:
        given["class_weights"] = (learning,)
    names = list(given)
    tasks = [Task(__name__, name, arguments) for name, arguments in given.items()]
    return {names[place]: came for place, came in done(tasks, jobs, None, lambda: time.monotonic() > until)}


def explained(learning: Learning, method: str, unseen: Unseen, asked: list[int | RawTable]) -> Explained:
    """What is asked, or else the first hard and typical cases; cases that were learned from are left out."""
    model = learning.model(method)
    near = model.kneighbors(n_neighbors=min(NEAR, len(learning.target) - 1))[0].mean(axis=1)[unseen.rows]
    typical = unseen.typical(near)
    rows = asked or [int(unseen.rows[place]) for place in (*unseen.hardest(SHOWN), *typical[:SHOWN])]
    queries = [row if isinstance(row, RawTable) else StoredCases([row]) for row in rows]
    return Explained(typical, rows, [why for query in queries for why in model.explain(query)])


def errors(learning: Learning) -> list[ErrorsByK]:
    """The errors of plain neighbours and of one method, by the number of neighbours."""
    shown = ["none", "corr" if learning.regression else "gr"]
    return errors_by_k(learning.table, learning.target, shown, learning.regression, dict(learning.kinds), learning.seed)


def class_weights(learning: Learning) -> Weights | None:
    """Weights for each class; None where the method refuses the table."""
    try:
        found: Weights = learning.model(BY_CLASS, n_neighbors=1).feature_weights_
    except NearwiseError:
        return None
    return found if found.shape == "per-class" else None
