"""Neighbours and answers in words, for people to read."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from nearwise.cases.times import in_units, in_words
from nearwise.explain.neighbours import Neighbour
from nearwise.visible import visible

if TYPE_CHECKING:
    from nearwise.explain.explanation import Explanation

__all__ = [
    "LIMITS", "NEIGHBOURS", "as_text", "readable", "told_costs", "told_difference", "told_parts", "told_reasons",
    "told_shares", "told_target", "told_values",
]  # fmt: skip

NEIGHBOURS, LIMITS = "neighbours", "limits"
"""parts of an answer that no feature has"""


def told_difference(n: Neighbour) -> str:
    """What a case says, and what differs most between it and the query."""
    return f"{told_target(n)}{told_reasons(n)}"


def told_parts(why: Explanation, most: int = 3) -> str:
    """What an answer is made of, in one line."""
    number = not why.distribution

    def amount(part: float) -> str:
        return f"{part:+.3g}" if number else f"{100 * part:+.0f}%"

    total = sum(why.parts.values())
    first = why.neighbours[0] if why.neighbours else None
    n = len(why.neighbours) + why.others
    nearest = f", the nearest is case {first.label}{told_target(first)}" if first is not None else ""
    said = f"{why.parts[NEIGHBOURS]:.4g}" if number else f"{why.parts[NEIGHBOURS]:.0%}"
    features = {f: part for f, part in why.parts.items() if f not in (NEIGHBOURS, LIMITS)}
    ranked = sorted(features, key=lambda f: -abs(features[f]))
    shown = [f for f in ranked[:most] if abs(features[f]) >= (1e-12 if number else 0.005)]
    asked = why.neighbours[0].query_values if why.neighbours else {}
    told = [
        f"{f} = {as_text(readable(asked[f]))} {amount(features[f])}" if f in asked else f"{f} {amount(features[f])}"
        for f in shown
    ]
    rest = sum(features[f] for f in ranked if f not in shown)
    if features and abs(rest) >= (1e-12 if number else 0.005):
        told.append(f"other features {amount(rest)}")
    if abs(why.parts[LIMITS]) >= (1e-12 if number else 0.005):
        told.append(f"limits {amount(why.parts[LIMITS])}")
    end = f"{total:.4g}" if number else f"{total:.0%}"
    cases = "1 similar case" if n == 1 else f"{n} similar cases"
    return visible(f"{said} from {cases}{nearest}{''.join('; ' + t for t in told)}; adds up to {end}")


def readable(value: Any) -> Any:
    """A value short enough to read."""
    if (told := in_words(value)) is not None:
        return told
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        if value.ndim == 2:
            return f"{len(value)} vectors"
        return f"[{', '.join(f'{v:.4g}' for v in value[:4])}{' …' if len(value) > 4 else ''}]"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(str(v) for v in value)) + "}"
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value if value is None or len(str(value)) <= 40 else str(value)[:39] + "…"


def as_text(value: Any) -> str:
    """A value for people to read: a whole number has no point, as in the tables that people write; ? is not known."""
    if value is None:
        return "?"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return visible(str(value))


def told_shares(distribution: dict[Any, float]) -> str:
    """The classes with the largest shares; nothing where the answer is a number."""
    ranked = sorted(distribution.items(), key=lambda kv: -kv[1])[:4]
    return f" ({', '.join(f'{as_text(readable(k))} {v:.0%}' for k, v in ranked if v > 0)})" if ranked else ""


def told_costs(why: Explanation) -> str:
    """What the cheapest answers are expected to cost; nothing where no costs were given."""
    ranked = sorted(why.expected_costs.items(), key=lambda kv: kv[1])[:4]
    told = ", ".join(f"{as_text(readable(label))} {cost:.3g}" for label, cost in ranked)
    return f", expected cost: {told}" if ranked else ""


def told_target(n: Neighbour) -> str:
    """The class or the number of a case; nothing in retrieval."""
    return "" if n.target is None else f": {as_text(readable(n.target))}"


def told_values(n: Neighbour, feature: str) -> str:
    """The two values; a new feature of a matrix has none."""
    if feature not in n.values:
        return ""
    both = [as_text(readable(n.query_values[feature])), as_text(readable(n.values[feature]))]
    if feature in n.intervals:
        both = [f"{value} in {visible(interval)}" for value, interval in zip(both, n.intervals[feature], strict=True)]
    apart = f" ({in_units(*n.differences[feature])})" if feature in n.differences else ""
    return f" {both[0]} / {both[1]}{apart}"


def told_reasons(n: Neighbour) -> str:
    """What differs most between a case and the query, and what stood in for missing values."""
    adds = "counts" if isinf(n.p) else "adds"
    parts = [f"{visible(f)}{told_values(n, f)} {adds} {n.contributions[f]:.3g}" for f in n.differing()]
    told = "; ".join(parts) or "no difference that counts"
    missing = "".join(f" [{visible(f)} missing: {policy}]" for f, policy in n.notes.items())
    rescaled = f" [known features rescaled by {n.factor:.3g}]" if n.factor != 1 else ""
    return f" — {told}{missing}{rescaled}"
