"""What to take after a comparison, in one sentence that claims no more than the folds show.

The first method is taken unless another is better by more than chance explains: which one is first was decided before
looking, and the winner of several that folds do not tell apart is a matter of luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nearwise.lab.result import Comparison, Result
from nearwise.lab.significance import LEVEL, TESTS, Difference, corrected_t

__all__ = ["Advice", "advice"]

ALWAYS = {False: "always saying the commonest class", True: "always saying the mean"}
"""what the baseline does, by whether numbers are predicted"""


@dataclass(frozen=True)
class Advice:
    """The method to take, if any is worth it, and why."""

    method: str | None
    why: str

    def to_json(self) -> dict[str, Any]:
        return {"method": self.method, "why": self.why}


def advice(comparison: Comparison, differences: Sequence[Difference]) -> Advice:
    """What to take; ``differences`` are those of `against_first`."""
    first, best, baseline = comparison.applicable[0], comparison.best, comparison.baseline
    blind = "always saying the cheapest class" if comparison.by_cost else ALWAYS[comparison.regression]
    always = f"{blind} {_does(comparison, baseline)}"
    merit = comparison.merit
    if not merit(best) > merit(baseline):
        told = "nothing here does better" if len(comparison.applicable) > 1 else "it does no better"
        return Advice(None, f"Take none: {best.method} {_does(comparison, best)}, {always}, so {told}.")
    proven = {d.method for d in differences if d.better and d.significant}
    taken = max((r for r in comparison.applicable if r.method in proven), key=merit, default=first)
    if proven:
        why = f"it is better than {first.method} by {_clearly(differences)}"
    elif not merit(first) > merit(baseline):
        taken, why = best, f"it has the best mean, and {first.method} {_does(comparison, first)}"
    elif len(comparison.applicable) == 1:
        why = "nothing else was compared"
    elif best is first:
        why = "no other method has a better mean"
    else:
        why = f"{best.method} {_does(comparison, best)}, a difference that may be chance"
    doubt = "" if _is_proven(comparison, taken, baseline) else ", and that difference may be chance"
    return Advice(taken.method, f"Take {taken.method}, which {_does(comparison, taken)}: {why}; {always}{doubt}.")


def _clearly(differences: Sequence[Difference]) -> str:
    """What the test says of a difference that it finds."""
    return TESTS[differences[0].test].clear


def _is_proven(comparison: Comparison, result: Result, baseline: Result) -> bool:
    """Whether a result differs from the baseline by more than chance explains; on one split, by the cases of it."""
    if len(result.scores) == 1 and comparison.measure == "accuracy":
        return TESTS["mcnemar"].statistic(comparison, result, baseline)[1] < LEVEL
    pairs = [a - b for a, b in zip(result.scores, baseline.scores, strict=True)]
    return corrected_t(pairs, comparison.test_share)[1] < LEVEL


def _does(comparison: Comparison, result: Result) -> str:
    if comparison.by_cost:
        return f"costs {result.mean:.4g} on average"
    if comparison.measure == "mae":
        return f"is off by {result.mean:.4g}"
    if comparison.measure == "accuracy":
        return f"is right in {result.mean:.1%}"
    return f"has {comparison.told} {result.mean:.4g}"
