"""What a method costs beside what it gains: seconds of a cell, learning from all folds but one and answering about it.

Seconds are those of one processor, whatever else the machine did; their ratio to plain neighbours on the same set says
more. A set where a method took longer than its budget counts as the budget, so its mean is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from nearwise.lab.study.outcomes import ANSWERED, OVER, Outcomes
from nearwise.lab.study.plan import CONTROL

__all__ = ["Cost", "costs"]


@dataclass(frozen=True)
class Cost:
    """A method over the sets that it did not refuse."""

    method: str
    seconds: float
    """of a cell, the median over the folds: mean over the sets"""
    ratio: float
    """median over the sets of seconds over those of plain neighbours"""
    score: float
    """mean over the sets that it answered"""
    answered: int
    over: int
    refused: int
    failed: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def costs(outcomes: Outcomes, methods: Sequence[str], variants: Collection[str] = ()) -> list[Cost]:
    """The cost of each method, in their order, over all sets but variants."""
    sets = [name for name in outcomes.sets if name not in variants]
    return [_cost(outcomes, method, sets) for method in methods]


def _cost(outcomes: Outcomes, method: str, sets: Sequence[str]) -> Cost:
    found = {name: outcomes.of(name, method) for name in sets}
    statuses = [each.status for each in found.values()]
    timed = {name: each.seconds for name, each in found.items() if each.status in (ANSWERED, OVER)}
    control = {name: outcomes.of(name, CONTROL).seconds for name in timed}
    ratios = [timed[name] / control[name] for name in timed if control[name] > 0]
    scores = [each.score for each in found.values() if each.status == ANSWERED]
    return Cost(
        method, _mean(list(timed.values())), median(ratios) if ratios else math.nan, _mean(scores),
        statuses.count(ANSWERED), statuses.count(OVER), statuses.count("refused"), statuses.count("failed"),
    )  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
