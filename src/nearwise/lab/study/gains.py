r"""Which weighting helps when: the gain over plain neighbours, by what is known of a set.

The gain of a method on a set is its mean score minus that of plain neighbours on the same folds, in points (hundredths
of accuracy, or of R squared). Over the sets of a tag: the mean, and Wilcoxon's signed-rank test of the gains, corrected
by Holm over the methods that are compared under the tag.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearwise.lab.paired import wilcoxon
from nearwise.lab.significance import LEVEL, holm
from nearwise.lab.study.outcomes import Outcomes
from nearwise.lab.study.plan import CONTROL
from nearwise.lab.study.tables import TAGS

__all__ = ["ALL", "Gain", "gains", "gains_by_tag"]

ALL = "all sets"
LEVEL_GAIN = 1e-9
"""points up to which two scores are the same"""


@dataclass(frozen=True)
class Gain:
    """A method against plain neighbours over the sets of a tag."""

    tag: str
    method: str
    sets: int
    """how many sets both answered"""
    mean: float
    """points"""
    won: int
    level: int
    lost: int
    p: float
    p_holm: float

    @property
    def significant(self) -> bool:
        return self.p_holm < LEVEL

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "significant": self.significant}


def gains(tag: str, sets: Collection[str], methods: Sequence[str], outcomes: Outcomes) -> list[Gain]:
    """The gain of each method, in their order; methods that answered no set are left out."""
    found = []
    for method in methods:
        if method == CONTROL:
            continue
        points = [100 * gain for gain in outcomes.pairs(method, CONTROL, sets).values()]
        if points:
            found.append((method, points, wilcoxon(points)[1]))
    corrected = holm([p for _, _, p in found])
    return [
        Gain(
            tag, method, len(points), math.fsum(points) / len(points), sum(x > LEVEL_GAIN for x in points),
            sum(abs(x) <= LEVEL_GAIN for x in points), sum(x < -LEVEL_GAIN for x in points), p, adjusted,
        )
        for (method, points, p), adjusted in zip(found, corrected, strict=True)
    ]  # fmt: skip


def gains_by_tag(
    outcomes: Outcomes, tags: Mapping[str, Sequence[str]], variants: Collection[str], methods: Sequence[str]
) -> list[Gain]:
    """All sets but variants first, then tag by tag; variants count where they are what the tag is about."""
    plain = [name for name in outcomes.sets if name not in variants]
    found = gains(ALL, plain, methods, outcomes)
    for tag in TAGS:
        sets = [name for name in outcomes.sets if tag in tags[name] and (name in plain or tag == "redundant")]
        found += gains(tag, sets, methods, outcomes) if sets else []
    return found
