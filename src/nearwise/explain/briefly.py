"""Values, shares and what an answer is made of, in as few words as a person needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nearwise.cases.times import in_units
from nearwise.explain.neighbours import Neighbour
from nearwise.explain.words import LIMITS, NEIGHBOURS, told_parts
from nearwise.visible import visible

if TYPE_CHECKING:
    from nearwise.explain.explanation import Explanation

__all__ = ["LISTED", "brief", "made_of", "ranked", "reasons", "remainder", "shares", "votes"]

LISTED = 10
"""neighbours that a person is shown; JSON has all of them"""


def brief(value: Any, most: int = 40) -> str:
    """A value in at most so many letters, control characters shown.

    >>> brief(0.1 + 0.2), brief({"b", "a"}), brief(None), brief([1.0, 2.5])
    ('0.3', '{a, b}', '?', '[1, 2.5]')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return "?"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:.0f}"
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], list):
            return f"{len(value)} vectors"
        text = "[" + ", ".join(brief(v) for v in value) + "]"
    elif isinstance(value, set | frozenset):
        text = "{" + ", ".join(sorted(str(v) for v in value)) + "}"
    else:
        text = str(value)
    text = visible(text[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def ranked(distribution: Mapping[Any, float]) -> list[tuple[Any, float]]:
    """Classes that got votes, most votes first."""
    return sorted(((c, share) for c, share in distribution.items() if share > 0), key=lambda pair: -pair[1])


def votes(distribution: Mapping[Any, float], most: int = 6) -> str:
    """Classes and their shares; of many classes those with the largest, and how much the others have.

    >>> votes({"a": 0.75, "b": 0.25}), votes({name: 0.1 for name in "abcdefghij"}, most=2)
    ('a 75% · b 25%', 'a 10% · b 10% · 8 others 80%')
    """
    found = ranked(distribution)
    shown = found if len(found) <= most + 1 else found[:most]
    told = [f"{brief(label)} {share:.0%}" for label, share in shown]
    if rest := found[len(shown) :]:
        told.append(f"{len(rest)} others {sum(share for _, share in rest):.0%}")
    return " · ".join(told)


def shares(distribution: Mapping[Any, float]) -> str:
    return ", ".join(f"{brief(c)} {share:.0%}" for c, share in ranked(distribution)[:4])


def reasons(neighbour: Neighbour, most: int = 3) -> list[tuple[str, str, str, float]]:
    """(feature, the query's value, the case's value, what it adds) for the features that add most.

    Where the feature has a unit, how far the two are apart stands behind the case's value.
    """
    told = []
    for f in neighbour.differing(most):
        apart = f" ({in_units(*neighbour.differences[f])})" if f in neighbour.differences else ""
        held = brief(neighbour.values.get(f)) + apart
        told.append((f, brief(neighbour.query_values.get(f)), held, neighbour.contributions[f]))
    return told


def made_of(why: Explanation) -> list[str]:
    """What an answer is made of where it is more than a vote, and what each member of an ensemble says."""
    told = [told_parts(why)] if any(part not in (NEIGHBOURS, LIMITS) for part in why.parts) else []
    if why.expected_costs:
        cheapest = sorted(why.expected_costs.items(), key=lambda pair: pair[1])[:4]
        told.append("expected cost: " + ", ".join(f"{brief(label)} {cost:.3g}" for label, cost in cheapest))
    for member in why.members if len(why.members) > 1 else ():
        share = member.distribution.get(why.prediction, member.prediction)
        said = f"{brief(why.prediction)} {share:.0%}" if member.distribution else brief(share)
        told.append(f"a member of weight {member.weight:.2f} says {said}")
    return told


def remainder(why: Explanation, most: int = LISTED) -> str:
    """What there is beyond the neighbours that are listed."""
    told = []
    rest = why.neighbours[most:]
    if more := len(rest) + why.others:
        share = sum(n.vote_share for n in rest) + why.others_share
        told.append(f"{more} further cases with {share:.0%} of the vote")
    if why.tied:
        told.append(f"{why.tied} cases tie at the last place, those not found have {why.tied_share:.0%} of the vote")
    return "; ".join(told)
