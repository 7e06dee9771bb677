"""Answers as a picture: their neighbours as stacked bars of what each feature adds to the distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nearwise.charts.stacked import Panel, Stack, stacked_bars
from nearwise.errors import InputError, check_whole
from nearwise.explain.briefly import brief, made_of, shares
from nearwise.explain.neighbours import Neighbour
from nearwise.rendering import Picture

if TYPE_CHECKING:
    from nearwise.explain.explanation import Explanation
    from nearwise.explain.features import FeatureExplanation

__all__ = ["COLOURED", "feature_panel", "neighbour_panel", "picture_of"]

COLOURED = 6
"""features that have a colour: those that add most; the rest is one grey part"""


def picture_of(explanations: Sequence[Explanation], titles: Sequence[str], cases: int, most: int) -> Picture:
    """A panel for each of the first ``most`` answers, with ``cases`` neighbours, all on one scale."""
    if not explanations:
        raise InputError("There is nothing to draw: no query was explained.")
    check_whole("n_neighbors", cases, 1)
    check_whole("n_queries", most, 1)
    shown = list(explanations)[:most]
    panels = [why.panel(titles[i] if i < len(titles) else "", cases) for i, why in enumerate(shown)]
    if len(explanations) > most:
        panels.append(Panel(f"… and {len(explanations) - most} more queries", []))
    added: dict[str, float] = {}
    for panel in panels:
        for stack in panel.stacks:
            for name, part in stack.parts.items():
                added[name] = added.get(name, 0.0) + abs(part)
    series = sorted((name for name in added if added[name] > 0), key=lambda name: -added[name])[:COLOURED]
    title = panels[0].title if len(panels) == 1 else f"{len(explanations)} explained queries"
    return Picture(title, stacked_bars(panels, series, title))


def neighbour_panel(why: Explanation, title: str, cases: int) -> Panel:
    """The nearest cases of one answer."""
    told = [shares(why.distribution)] if why.distribution else []
    told += made_of(why)
    near = why.neighbours[:cases]
    whole = "their distance" if why.p == 1 else f"the power {why.p:g} of their distance"
    said = f"The {len(near)} nearest cases, and what adds up to {whole}:"
    if math.isinf(why.p):
        said = f"The {len(near)} nearest cases, and the difference that is their distance:"
    answer = "" if why.prediction is None else f" → {brief(why.prediction)}"
    head = f"{title or f'query {brief(why.query)}'}{answer}"
    votes = why.prediction is not None
    return Panel(head, [_stack(n, votes) for n in near], [*told, said if near else "There is no other case."])


def _stack(n: Neighbour, votes: bool) -> Stack:
    parts = n.contributions
    total = sum(parts.values())
    if math.isinf(n.p):
        first = max(parts, key=lambda name: parts[name])
        parts, total = {first: parts[first]}, parts[first]
    label = f"case {brief(n.label)}" if n.target is None else f"{brief(n.target)}, case {brief(n.label)}"
    return Stack(label, parts, f"{total:.3g}, vote {n.vote_share:.0%}" if votes else f"{total:.3g}")


def feature_panel(why: FeatureExplanation, title: str, most: int) -> Panel:
    """What each feature adds to an answer that features vote on."""
    head = f"{title or f'query {brief(why.query)}'} → {brief(why.prediction)}"
    told = [shares(why.distribution)] if why.distribution else []
    stacks = [Stack(f"{s.feature} = {brief(s.value)}", {s.feature: s.part}, f"says {s.told}") for s in why.said[:most]]
    return Panel(head, stacks, [*told, f"The {len(stacks)} features that count most, and their share of the answer:"])
