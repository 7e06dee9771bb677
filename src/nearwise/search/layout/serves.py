"""What an index serves, said as data: shapes of weights, forms of differences, powers, missing values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nearwise.differences.metric import Encoded, Measure
from nearwise.differences.profiles import Rooted
from nearwise.native import core
from nearwise.search.base import Distance

__all__ = ["IN_CORE", "IN_SINGLES", "LARGEST", "NOT_BUILT", "Serves", "not_in_core"]

NOT_BUILT = "the C++ core is not built (or NEARWISE_NATIVE=0)"
LARGEST = "under p=inf the largest term counts, and it adds them up"


@dataclass(frozen=True)
class Serves:
    """What an index of the core can search under."""

    shapes: tuple[str, ...] = ("global", "per-class")
    """of weights"""
    forms: tuple[str, ...] = ("line", "overlap")
    """of differences"""
    embeds: bool = False
    """whether differences that are those of two vectors become columns too"""
    powers: tuple[float, ...] = ()
    """values of p; none given: all from ``least_power`` on"""
    least_power: float = 0.0
    every_policy: bool = False
    """whether a missing value may differ by more than a constant"""

    def refuses(self, distance: Distance) -> str:
        """Why a distance cannot be served, in words that follow the name of the index; empty where it can."""
        weights, p = distance.weights, distance.metric.p
        if core() is None:
            return NOT_BUILT
        if weights.shape not in self.shapes:
            return f"it does not know {weights.shape} weights"
        if weights.shape == "per-class" and distance.stored.classes is None:
            return "weights per class need stored cases with classes"
        if self.powers and p not in self.powers:
            return f"it does not know p={p:g}"
        if not distance.metric.adds:
            return LARGEST
        if p < self.least_power:
            return f"it goes by rounding, which has no bound under p={p:g}"
        for measure, column in zip(distance.metric.measures, distance.stored.cases.columns, strict=True):
            if measure.fitted.form not in self.forms:
                if not (self.embeds and _embeds(measure, distance)):
                    return f"it does not compare feature {measure.name!r} ({measure.difference})"
                if _has_strange(measure, column):
                    return f"feature {measure.name!r} has stored symbols that are compared by overlap"
            elif self.every_policy:
                continue
            if not measure.is_constant:
                return f"it does not know the missing policy {measure.policy!r} (feature {measure.name!r})"
        return ""


IN_CORE = Serves(("global", "per-class", "per-case", "per-query"), embeds=True)
"""what becomes columns whose missing values are constants"""


IN_SINGLES = replace(IN_CORE, least_power=1.0)
"""the same where single precision proposes"""


def not_in_core(distance: Distance) -> str:
    """Why some feature cannot be a column of the core, or a missing value no constant; empty where all can."""
    return IN_CORE.refuses(distance)


def _embeds(measure: Measure, distance: Distance) -> bool:
    """Whether a feature becomes numbers of the core; squares that are added up first know no weights of cases."""
    fitted, shape = measure.fitted, distance.weights.shape
    if not fitted.embeds or distance.metric.p != fitted.embeds_at or shape == "per-query":
        return False
    return fitted.embeds_at == 1 or shape != "per-case"


def _has_strange(measure: Measure, column: Encoded) -> bool:
    """Whether stored symbols are compared by overlap among those compared as vectors."""
    if not isinstance(measure.fitted, Rooted):
        return False
    known = column.values if column.missing is None else column.values[~column.missing]
    return bool(measure.fitted.strange[known].any())
