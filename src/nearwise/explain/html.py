"""An answer as a card: its votes, its neighbours as rows of a table, what each feature adds as bars of one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nearwise.explain.briefly import LISTED, brief, made_of, remainder, votes
from nearwise.explain.neighbours import Neighbour
from nearwise.explain.words import told_target, told_values
from nearwise.rendering import Html, card, filled, joined, row, table
from nearwise.rendering.templates import LEAD, REASON, REASONS, REMARK, ROW, WIDE_CELL, WIDE_HEAD

if TYPE_CHECKING:
    from nearwise.explain.explanation import Explanation
    from nearwise.explain.features import FeatureExplanation

__all__ = ["explanation_card", "feature_card", "largest_sum"]

HEADS = ("case", "says", "distance", "vote", "what differs: query / case, and what it adds")
FEATURES = 5
"""of a neighbour that are told"""
LONGEST = 120
"""pixels of the longest bar"""


def largest_sum(explanations: Iterable[Explanation]) -> float:
    """What the longest bar stands for: the largest finite sum of contributions among all neighbours; 0 without any."""
    told = (n for why in explanations for n in (*why.neighbours, *([] if why.unlike is None else [why.unlike])))
    sums = [sum(n.contributions.values()) for n in told]
    return max((each for each in sums if np.isfinite(each)), default=0.0)


def explanation_card(why: Explanation, largest: float, title: str = "", most: int = LISTED) -> Html:
    """One answer; ``largest`` is what the longest bar stands for, see `largest_sum`."""
    said = votes(why.distribution)
    told = [filled(LEAD, text=line) for line in ([said] if said else []) + made_of(why)]
    asked = why.neighbours[0].query_values if why.neighbours else {}
    values = "; ".join(f"{name} {brief(value)}" for name, value in asked.items())
    shown = why.neighbours[:most]
    rows = [_neighbour(n, largest, f"{n.vote_share:.0%}" if why.prediction is not None else "-") for n in shown]
    if more := remainder(why, most):
        rows.append(filled(ROW, cells=filled(WIDE_CELL, columns=len(HEADS), value=f"… {more}")))
    if why.unlike is not None:
        rows.append(filled(WIDE_HEAD, columns=len(HEADS), title="The nearest case that says otherwise"))
        rows.append(_neighbour(why.unlike, largest, "-"))
    body = joined([*told, filled(REMARK, text=values), table(HEADS, rows)])
    return card(_title(why, title), body)


def _title(why: Explanation, title: str) -> str:
    answer = "" if why.prediction is None else f" → {brief(why.prediction)}"
    return f"{title or f'query {brief(why.query)}'}{answer}"


def _neighbour(n: Neighbour, largest: float, vote: str) -> Html:
    bars = [
        filled(
            REASON, feature=f, values=told_values(n, f), adds=f"+{n.contributions[f]:.3g}", width=_length(n, f, largest)
        )
        for f in n.differing(FEATURES)
    ]
    notes = [f"missing ({policy}): {_told_names(held)}" for policy, held in _by_policy(n.notes).items()]
    notes += [f"rescaled by {n.factor:.3g}"] if n.factor != 1 else []
    bars += [filled(REMARK, text="; ".join(notes))] if notes else []
    why = filled(REASONS, reasons=bars or "nothing that counts")
    return row(brief(n.label), told_target(n)[2:] or "-", f"{n.distance:.4g}", vote, why)


def _by_policy(notes: Mapping[str, str]) -> dict[str, list[str]]:
    """The features that are missing, by what stands in for them."""
    found: dict[str, list[str]] = {}
    for feature, policy in notes.items():
        found.setdefault(policy, []).append(feature)
    return found


def _told_names(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - FEATURES
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:FEATURES])} and {more} more"


def _length(n: Neighbour, feature: str, largest: float) -> int:
    """Pixels of a bar; a sum that is infinite is as long as the longest."""
    total = sum(n.contributions.values())
    part = total / largest if largest > 0 and np.isfinite(total) else 1.0
    return max(1, round(LONGEST * part * _share(n.contributions[feature], n.contributions)))


def _share(part: float, parts: dict[str, float]) -> float:
    """What share of the distance a contribution is; infinite ones share all of it."""
    total = sum(parts.values()) or 1.0
    if np.isfinite(total):
        return part / total
    infinite = sum(not np.isfinite(each) for each in parts.values())
    if infinite:
        return 0.0 if np.isfinite(part) else 1.0 / infinite
    return part / max(parts.values()) / len(parts)  # only their sum is too large


def feature_card(why: FeatureExplanation, title: str = "") -> Html:
    """One answer that features vote on."""
    said = votes(why.distribution)
    heads = ("feature", "value", "weight", "says", "of the answer")
    told = [filled(LEAD, text=said)] if said else []
    return card(_title(why, title), joined([*told, table(heads, [row(*r) for r in why.rows()])]))
