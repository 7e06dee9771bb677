"""One answer and what each feature by itself says to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nearwise.cases.frames import frame_of
from nearwise.charts.stacked import Panel
from nearwise.explain.briefly import LISTED
from nearwise.explain.explanation import Explanation
from nearwise.explain.html import feature_card
from nearwise.explain.picture import feature_panel, picture_of
from nearwise.explain.words import as_text, readable, told_shares
from nearwise.rendering import Html, Picture
from nearwise.visible import visible

__all__ = ["FeatureExplanation", "Said"]

MOST_TOLD = 12
"""features that a text lists"""


@dataclass(frozen=True)
class Said:
    """What one feature says of a query."""

    feature: str
    value: Any
    """the query's; None where it is missing"""
    weight: float
    votes: Mapping[Any, float]
    """class -> the votes of this feature, before its weight; empty where the answer is a number, or it has no vote"""
    number: float | None
    """what it predicts, where the answer is a number"""
    part: float
    """of the answer: its share of the votes that won, or the weight of its number among all"""

    @property
    def told(self) -> str:
        """In words."""
        if self.votes:
            return ", ".join(f"{as_text(readable(c))} {n:.4g}" for c, n in ranked(self.votes))
        return "no vote" if self.number is None else f"{self.number:.6g}"


def ranked(votes: Mapping[Any, float]) -> list[tuple[Any, float]]:
    """The classes that have a vote, most votes first."""
    return sorted(((c, n) for c, n in votes.items() if n > 0), key=lambda pair: -pair[1])


_COLUMNS = ("query", "prediction", "feature", "value", "weight", "says", "part")


@dataclass(frozen=True)
class FeatureExplanation(Explanation):
    """An answer that features vote on, each by itself: no case is near in all of them, so none is listed."""

    said: list[Said] = field(default_factory=list)
    """by what they add to the answer, most first"""

    def columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for each in self.said:
            cells = (self.query, self.prediction, each.feature, readable(each.value), each.weight, each.told, each.part)
            for name, cell in zip(_COLUMNS, cells, strict=True):
                out[name].append(cell)
        return out

    def to_frame(self) -> Any:
        """Tidy: one row for each feature."""
        return frame_of(self.columns())

    def to_json(self) -> dict[str, Any]:
        found = super().to_json()
        kept = {name: found[name] for name in ("query", "prediction", "distribution", "parts")}
        features = [
            {
                "feature": each.feature, "value": _plain(each.value), "weight": each.weight,
                "votes": {str(c): n for c, n in each.votes.items()}, "number": each.number, "part": each.part,
            }
            for each in self.said
        ]  # fmt: skip
        return {**kept, "features": features}

    def rows(self, most: int = MOST_TOLD) -> list[tuple[str, str, str, str, str]]:
        """(feature, value, weight, what it says, its part of the answer), ready to read."""
        return [
            (visible(s.feature), as_text(readable(s.value)), f"{s.weight:.3g}", s.told, f"{s.part:.0%}")
            for s in self.said[:most]
        ]

    def __str__(self) -> str:
        lines = [self._title()]
        for feature, value, weight, told, part in self.rows():
            lines.append(f"  {feature} = {value} says {told} (weight {weight}, {part} of the answer)")
        if len(self.said) > MOST_TOLD:
            rest = sum(each.part for each in self.said[MOST_TOLD:])
            lines.append(f"  … {len(self.said) - MOST_TOLD} more features, {rest:.0%} of the answer")
        return "\n".join(lines)

    def summary(self) -> str:
        """Two lines for people: the answer, and the features that say so."""
        told = "; ".join(f"{feature} = {value}: {said}" for feature, value, _, said, _ in self.rows(3))
        return f"{self._title()}\n  {told}"

    def card(self, largest: float, title: str = "", most: int = LISTED) -> Html:
        return feature_card(self, title)

    def panel(self, title: str = "", most: int = MOST_TOLD) -> Panel:
        return feature_panel(self, title, most)

    def plot(self, title: str = "", n_neighbors: int = MOST_TOLD) -> Picture:
        """What each feature adds to the answer, as bars; ``n_neighbors`` is how many features are drawn."""
        return picture_of([self], [title], n_neighbors, 1)

    def _title(self) -> str:
        return f"query {as_text(self.query)}: {as_text(readable(self.prediction))}{told_shares(self.distribution)}"


def _plain(value: Any) -> Any:
    told = readable(value)
    return told if isinstance(told, str | int | float | bool | None) else str(told)
