"""All that the study says in numbers, worked out from its rows: the same rows give the same summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from nearwise.lab.study.cost import Cost, costs
from nearwise.lab.study.curves import Point, curves
from nearwise.lab.study.gains import Gain, gains_by_tag
from nearwise.lab.study.outcomes import ANSWERED, MEASURE, Outcomes
from nearwise.lab.study.plan import TELLING
from nearwise.lab.study.run import Study
from nearwise.lab.study.standing import Standing, groups, standing

__all__ = ["Part", "Summary", "summary"]


@dataclass(frozen=True)
class Part:
    """Part "main" for one kind of target."""

    target: str
    """ "class" or "number" """
    outcomes: Outcomes
    standings: tuple[Standing, ...]
    gains: tuple[Gain, ...]
    """of every method, corrected over all of them"""
    telling: tuple[Gain, ...]
    """of the telling methods, corrected over these alone"""
    costs: tuple[Cost, ...]

    def to_json(self) -> dict[str, Any]:
        named = ("standings", "gains", "telling", "costs")
        told = {name: [each.to_json() for each in getattr(self, name)] for name in named}
        return {"target": self.target, "measure": self.outcomes.measure, **told}


@dataclass(frozen=True)
class Summary:
    """The whole study."""

    study: Study
    main: tuple[Part, ...]
    curves: dict[tuple[str, str], tuple[Point, ...]]
    """(part, target) -> points"""
    folds: int
    """how many folds it is over: all of the plan, or those that are there for every method after an interruption"""

    def to_json(self) -> dict[str, Any]:
        study, plan = self.study, self.study.plan
        return {
            "cells": len(study.rows), "complete": study.complete, "folds": self.folds, "most_cases": plan.most,
            "budget": plan.budget, "seed": plan.seed, "seconds": study.seconds, "missing": dict(study.missing),
            "statuses": dict(sorted(Counter(row["status"] for row in study.rows).items())),
            "sets": {name: list(tags) for name, tags in study.tags.items()},
            "main": [part.to_json() for part in self.main],
            "curves": [
                {"part": part, "target": target, **point.to_json()}
                for (part, target), points in self.curves.items()
                for point in points
            ],
        }  # fmt: skip


def summary(study: Study) -> Summary:
    """Ranks, gains, costs and curves of all rows; of a study that was interrupted, of the folds that are whole."""
    folds = _whole_folds(study)
    used = replace(study, rows=tuple(row for row in study.rows if row["fold"] < folds))
    main = [_part(used, folds, target) for target in MEASURE]
    found = {}
    for part in ("curves", "irrelevant"):
        for target in MEASURE:
            outcomes = Outcomes(used.rows, folds, part, target)
            if outcomes.sets:
                found[part, target] = tuple(curves(outcomes))
    return Summary(study, tuple(part for part in main if part.outcomes.sets), found, folds)


def _whole_folds(study: Study) -> int:
    """How many folds every method has on every set that it was asked about; first folds of all are done first."""
    if study.complete:
        return study.plan.folds
    counts = Counter((r["part"], r["set"], r["at"], r["method"]) for r in study.rows if r["status"] == ANSWERED)
    return min(counts.values(), default=study.plan.folds)


def _part(study: Study, folds: int, target: str) -> Part:
    outcomes = Outcomes(study.rows, folds, "main", target)
    methods, variants = outcomes.methods, study.variants
    stood = [standing(group, held, outcomes, variants) for group, held in groups(methods).items()]
    telling = [name for name in methods if name in TELLING]
    return Part(
        target,
        outcomes,
        tuple(each for each in stood if each is not None),
        tuple(gains_by_tag(outcomes, study.tags, variants, methods)),
        tuple(gains_by_tag(outcomes, study.tags, variants, telling)),
        tuple(costs(outcomes, methods, variants)),
    )
