"""How scores change along a part of the study: with the number of training cases, or of features that say nothing."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from nearwise.lab.study.outcomes import ANSWERED, Outcomes

__all__ = ["MEAN", "Point", "curves"]

MEAN = "mean"
"""the name under which the mean over the sets stands"""


@dataclass(frozen=True)
class Point:
    """A method on a set at one place of a curve."""

    set: str
    method: str
    at: int
    score: float
    """NaN where there is none: refused, or over budget"""
    error: float
    """the standard error over the folds; NaN for means over sets"""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def curves(outcomes: Outcomes) -> list[Point]:
    """Every set's points, then those of the mean over the sets that all methods answered at all places."""
    found = [_point(outcomes, name, m, at) for name in outcomes.sets for m in outcomes.methods for at in _at(outcomes)]
    whole = [name for name in outcomes.sets if _is_whole(outcomes, name)]
    if len(whole) < 2:
        return found
    for m in outcomes.methods:
        for at in _at(outcomes):
            scores = [outcomes.of(name, m, at).score for name in whole]
            found.append(Point(MEAN, m, at, math.fsum(scores) / len(scores), math.nan))
    return found


def _at(outcomes: Outcomes) -> list[int]:
    return sorted({at for name in outcomes.sets for at in outcomes.steps(name)})


def _point(outcomes: Outcomes, name: str, method: str, at: int) -> Point:
    found = outcomes.of(name, method, at)
    return Point(name, method, at, found.score, found.error)


def _is_whole(outcomes: Outcomes, name: str) -> bool:
    return all(outcomes.of(name, m, at).status == ANSWERED for m in outcomes.methods for at in _at(outcomes))
