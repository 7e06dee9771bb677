"""Mean ranks of groups of methods, with Friedman's test and Nemenyi's critical difference.

Which sets count, and what a method gets that has no score there, was decided before anything was run:

- Sets that are made of others ("+copies") do not count: they would count the same cases twice.
- A method that took longer than its budget on a set has the last rank there, shared with others that did: what does not
  come to an end is of no use. So has one that failed.
- A method that refuses more than a tenth of the sets of its group is left out of the group's ranks; of the rest, sets
  that any method refuses are left out. So ranks are over sets that all of the group can do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from nearwise.lab.baselines import BASELINES
from nearwise.lab.ranks import Ranking, ranking
from nearwise.lab.study.outcomes import ANSWERED, Outcomes
from nearwise.lab.study.plan import CONTROL, NAMED, TELLING
from nearwise.weighting import methods as weightings

__all__ = ["GROUPS", "Standing", "groups", "standing"]

REFUSED = 0.1
"""the share of sets that a method may refuse and still be ranked"""
GROUPS = {
    "telling": "Plain neighbours, what nearwise takes by itself, a method of each bias, and learners of other kinds",
    "preset": "Weights that are worked out without asking the classifier, one for each feature",
    "feedback": "Weights that the classifier's answers guide, one for each feature",
    "selection": "Features taken or left",
    "local": "Weights for each class, value, case or query",
    "metrics": "Metrics of the literature, without learned weights",
    "all": "Every method",
}
"""group -> what is in it"""


@dataclass(frozen=True)
class Standing:
    """The ranks of one group."""

    group: str
    ranks: Ranking
    sets: tuple[str, ...]
    left_out: tuple[str, ...]
    """methods that refuse too many sets"""
    without: tuple[str, ...]
    """sets that a method refuses"""

    def to_json(self) -> dict[str, Any]:
        told = {"group": self.group, "about": GROUPS.get(self.group, ""), "sets": list(self.sets)}
        return {**told, "left_out": list(self.left_out), "without": list(self.without), "ranks": self.ranks.to_json()}


def groups(methods: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The groups among these methods, each with plain neighbours in it; those of one method are no groups."""
    known = weightings()
    places = {name: known[name].place for name in methods if name in known}
    shares = {
        "telling": (*TELLING, *BASELINES),
        "preset": tuple(
            m for m, p in places.items() if (p.bias, p.generality, p.weight_space) == ("preset", "global", "continuous")
        ),
        "feedback": tuple(
            m
            for m, p in places.items()
            if (p.bias, p.generality, p.weight_space) == ("feedback", "global", "continuous")
        ),
        "selection": tuple(m for m, p in places.items() if p.weight_space == "binary"),
        "local": tuple(m for m, p in places.items() if p.generality == "local" and p.weight_space == "continuous"),
        "metrics": tuple(NAMED),
        "all": tuple(methods),
    }
    found = {group: tuple(m for m in methods if m == CONTROL or m in held) for group, held in shares.items()}
    return {group: held for group, held in found.items() if len(held) > 1}


def standing(group: str, methods: Sequence[str], outcomes: Outcomes, variants: Collection[str] = ()) -> Standing | None:
    """The ranks of some methods; None where fewer than two sets or methods are left."""
    sets = [name for name in outcomes.sets if name not in variants and not _unfinished(outcomes, name, methods)]
    refused = {m: {name for name in sets if outcomes.of(name, m).status == "refused"} for m in methods}
    ranked = [m for m in methods if len(refused[m]) <= REFUSED * len(sets)]
    without = [name for name in sets if any(name in refused[m] for m in ranked)]
    left = [name for name in sets if name not in without]
    if len(left) < 2 or len(ranked) < 2:
        return None
    columns = [_scores(outcomes, name, ranked) for name in left]
    scores = {m: [column[i] for column in columns] for i, m in enumerate(ranked)}
    gone = tuple(m for m in methods if m not in ranked)
    return Standing(group, ranking(scores), tuple(left), gone, tuple(without))


def _unfinished(outcomes: Outcomes, name: str, methods: Sequence[str]) -> bool:
    return any(outcomes.of(name, m).status == "unfinished" for m in methods)


def _scores(outcomes: Outcomes, name: str, methods: Sequence[str]) -> list[float]:
    """Scores on one set; those without one have less than any that has."""
    found = [outcomes.of(name, m) for m in methods]
    known = [each.score for each in found if each.status == ANSWERED]
    last = min(known, default=0.0) - 1.0
    return [each.score if each.status == ANSWERED else last for each in found]
