"""Answers by vote, by local regression, or by the mean of both, with k and ridge chosen by leaving one out.

One search finds the neighbours for every k that is tried. A case that is left out is no neighbour of itself, and its
label is in no row of shares that it asks with (`Metric.asking`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.answers.design import Design
from nearwise.answers.linear import local_linear
from nearwise.answers.measures import Measure
from nearwise.answers.votes import votes_at
from nearwise.engines.base import Engine, Neighbours
from nearwise.differences.metric import Measured, Metric
from nearwise.vote import Vote

__all__ = ["ANSWERS", "KS", "RIDGES", "SIZES", "Answering", "Choice", "choose"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Root = Callable[[Floats], Floats]
"""the distance of a sum"""

ANSWERS = ("vote", "linear", "both")
KS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 45)
"""neighbours that may vote"""
SIZES = (30, 80, 200)
"""neighbours that a regression may take"""
RIDGES = (1.0, 10.0)
"""cases by which slopes are drawn to 0"""
VOTES = ("triangle", "distance", "majority")
"""votes that are tried"""
_CELLS = 4_000_000
"""neighbours listed at once"""


@dataclass(frozen=True)
class Choice:
    """What an answer is made of; a part that is not used is None."""

    rule: Vote | None = None
    k: int | None = None
    size: int | None = None
    ridge: float | None = None
    costs: dict[str, float] = field(default_factory=dict)
    """what each setting that was tried costs when one case is left out"""

    @property
    def listed(self) -> int:
        """How many neighbours must be listed: a regression asks how far the next one is."""
        return max(self.k or 0, 0 if self.size is None else self.size + 1, 1)

    def within(self, available: int) -> Choice:
        """The same where only so many cases can be listed."""
        size = None if self.size is None else min(self.size, available - 1)
        if size is not None and size < 2:
            return Choice(self.rule or votes.Majority(), min(self.k or available, available), None, None, self.costs)
        return Choice(self.rule, None if self.k is None else min(self.k, available), size, self.ridge, self.costs)


@dataclass(frozen=True)
class Answering:
    """The cases, how they are searched and what they answer."""

    metric: Metric
    engine: Engine
    measure: Measure
    design: Design | None

    def searched(self, queries: Measured, listed: int, leave_out: Ints | None) -> Iterator[tuple[Ints, Neighbours]]:
        """The nearest cases, a chunk of queries at a time."""
        payload = self.measure.payload
        step = max(1, _CELLS // max(1, listed))
        for start in range(0, len(queries), step):
            rows = np.arange(start, min(len(queries), start + step))
            skip = None if leave_out is None else leave_out[rows]
            yield rows, self.engine.nearest(queries.take(rows), listed, payload, skip)

    def of_vote(self, found: Neighbours, rule: Vote, k: int, root: Root | None = None) -> tuple[Floats, Floats]:
        """(m, g) answers and (m, g) the smallest sum at which each group votes."""
        total, near = votes_at(found, self.measure.payload, k, rule, root or self.metric.root)
        return self.measure.of_votes(total, k), near

    def of_regressions(
        self, found: Neighbours, asked: Floats, sizes: tuple[int, ...], ridges: tuple[float, ...]
    ) -> Floats:
        """(sizes, ridges, m, g) answers."""
        assert self.design is not None
        listed = max(sizes) + 1
        distances, indices = self.metric.root(found.sums[:, :listed]), found.indices[:, :listed]
        raw = local_linear(
            self.design.stored, asked, distances, indices, self.measure.voters, sizes, ridges, self.engine.threads
        )
        out = np.empty((len(sizes), len(ridges), len(asked), raw.shape[3]))
        for s, r in np.ndindex(out.shape[:2]):
            out[s, r] = self.measure.of_regression(raw[:, s, r], indices[:, : sizes[s]])
        return out

    def answers(
        self, choice: Choice, found: Neighbours, asked: Floats | None, root: Root | None = None
    ) -> tuple[Floats, Floats]:
        """(m, g) answers under a choice, and (m, g) the smallest sum at which each group votes."""
        parts: list[Floats] = []
        rule, k = choice.rule or votes.Majority(), choice.k or 1
        voted, near = self.of_vote(found, rule, k, root)
        if choice.rule is not None:
            parts.append(voted)
        if choice.size is not None and choice.ridge is not None and asked is not None:
            parts.append(self.of_regressions(found, asked, (choice.size,), (choice.ridge,))[0, 0])
        return np.asarray(np.mean(parts, axis=0)), near


def choose(
    answering: Answering, queries: Measured, rows: Ints, answer: str, rules: tuple[Vote, ...], ks: tuple[int, ...],
    sizes: tuple[int, ...] = SIZES, ridges: tuple[float, ...] = RIDGES,
) -> Choice:  # fmt: skip
    """The choice that costs least when each of the cases ``rows``, asking as ``queries``, is left out.

    Vote and regression are chosen each for itself; a regression needs more cases than it takes neighbours.
    """
    available = len(answering.engine.distance.stored) - 1
    ks = tuple(k for k in ks if k <= available) or (1,)
    has_columns = answering.design is not None and answering.design.stored.shape[1] > 0
    sizes = tuple(s for s in sizes if s < available) if has_columns and answer != "vote" else ()
    votes_too = answer != "linear" or not sizes
    listed = max([*(ks if votes_too else ()), *(s + 1 for s in sizes), 1])
    weights = answering.measure.weights[rows]
    total = max(float(weights.sum()), 1e-300)
    costs: dict[Any, float] = {}
    for some, found in answering.searched(queries, min(listed, available), rows):
        for rule in rules if votes_too else ():
            for k in ks:
                cost = answering.measure.cost(answering.of_vote(found, rule, k)[0], rows[some])
                costs[rule, k] = costs.get((rule, k), 0.0) + float(weights[some] @ cost) / total
        if sizes and answering.design is not None:
            found_all = answering.of_regressions(found, answering.design.asking[rows[some]], sizes, ridges)
            for (s, size), (r, ridge) in _pairs(sizes, ridges):
                cost = answering.measure.cost(found_all[s, r], rows[some])
                costs[size, ridge] = costs.get((size, ridge), 0.0) + float(weights[some] @ cost) / total
    shown = {_name(key): cost for key, cost in costs.items()}
    rule_k = min(((k, c) for k, c in costs.items() if isinstance(k[0], Vote)), key=lambda kc: kc[1], default=None)
    line = min(((k, c) for k, c in costs.items() if not isinstance(k[0], Vote)), key=lambda kc: kc[1], default=None)
    rule, k = (None, None) if rule_k is None else rule_k[0]
    size, ridge = (None, None) if line is None else line[0]
    return Choice(rule, k, size, ridge, shown)


def _pairs(sizes: tuple[int, ...], ridges: tuple[float, ...]) -> Iterator[tuple[tuple[int, int], tuple[int, float]]]:
    return (((s, size), (r, ridge)) for s, size in enumerate(sizes) for r, ridge in enumerate(ridges))


def _name(key: Any) -> str:
    return f"{key[0].name} of {key[1]}" if isinstance(key[0], Vote) else f"regression on {key[0]}, ridge {key[1]:g}"
