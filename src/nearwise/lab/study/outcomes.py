"""What became of each method on each set: its mean score over the folds, or why there is none."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["ANSWERED", "MEASURE", "OVER", "Outcome", "Outcomes"]

MEASURE = {"class": "accuracy", "number": "r2"}
"""what is compared, by what the target is; more is better in both"""
ANSWERED, OVER, UNFINISHED = "answered", "over budget", "unfinished"


@dataclass(frozen=True)
class Outcome:
    """A method on a set."""

    status: str
    """ "answered", "refused", "over budget", "failed", or "unfinished" where folds are missing after an interruption"""
    score: float = math.nan
    error: float = math.nan
    """the standard error of the mean over the folds"""
    seconds: float = math.nan
    """the median of the folds, for the first cell of a process loads what later ones find; the budget where it was
    too little"""
    reason: str = ""


class Outcomes:
    """All outcomes of one part of the study and one kind of target, by set and method; ``at`` tells steps apart."""

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], folds: int, part: str = "main", target: str = "class"
    ) -> None:
        grouped: dict[tuple[str, int, str], list[Mapping[str, Any]]] = defaultdict(list)
        for row in rows:
            if row["part"] == part and row["target"] == target:
                grouped[row["set"], row["at"], row["method"]].append(row)
        self.measure = MEASURE[target]
        self.found = {key: _outcome(held, self.measure, folds) for key, held in grouped.items()}
        self.sets = tuple(dict.fromkeys(name for name, _, _ in self.found))
        self.methods = tuple(dict.fromkeys(method for _, _, method in self.found))

    def of(self, name: str, method: str, at: int = 0) -> Outcome:
        return self.found.get((name, at, method), Outcome(UNFINISHED))

    def steps(self, name: str) -> list[int]:
        """The places that a set has: training cases, or features added."""
        return sorted({at for held, at, _ in self.found if held == name})

    def pairs(self, method: str, against: str, sets: Iterable[str]) -> dict[str, float]:
        """Set -> score of a method minus that of another, where both answered."""
        found = {name: (self.of(name, method), self.of(name, against)) for name in sets}
        return {
            name: own.score - other.score
            for name, (own, other) in found.items()
            if own.status == other.status == ANSWERED
        }


def _outcome(rows: list[Mapping[str, Any]], measure: str, folds: int) -> Outcome:
    seconds = median(row["seconds"] for row in rows)
    for row in rows:
        if row["status"] != ANSWERED:
            return Outcome(row["status"], seconds=row["seconds"], reason=row["reason"])
    if len(rows) < folds:
        return Outcome(UNFINISHED)
    scores = [math.nan if row[measure] is None else row[measure] for row in rows]
    mean = math.fsum(scores) / len(scores)
    error = math.sqrt(math.fsum((s - mean) ** 2 for s in scores) / max(1, len(scores) - 1) / len(scores))
    return Outcome(ANSWERED, mean, error if len(scores) > 1 else math.nan, seconds)
