"""One answer and the cases behind it, as text, as a table, as JSON and as HTML."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from nearwise.cases.frames import frame_of
from nearwise.charts.stacked import Panel
from nearwise.explain.briefly import LISTED
from nearwise.explain.html import explanation_card, largest_sum
from nearwise.explain.neighbours import Neighbour
from nearwise.explain.picture import neighbour_panel, picture_of
from nearwise.explain.words import (
    LIMITS,
    NEIGHBOURS,
    as_text,
    readable,
    told_costs,
    told_parts,
    told_reasons,
    told_shares,
    told_target,
)
from nearwise.rendering import Html, Picture, part_of

__all__ = ["Explanation", "Explanations"]

MOST_TOLD, FEW_TOLD = 10, 5
"""cases that a text lists: all up to the first number, of more the second"""


@dataclass(frozen=True)
class Explanation:
    """One answer and the cases behind it."""

    query: Any
    prediction: Any
    distribution: dict[Any, float]
    neighbours: list[Neighbour]
    p: float
    tied: int = 0
    """cases tied at the last place, where they are more than the places left"""
    tied_share: float = 0.0
    """vote share of tied cases that are not listed"""
    unlike: Neighbour | None = None
    """the nearest case of another class"""
    parts: dict[str, float] = field(default_factory=dict)
    """what adds up to the probability of the answer, or to the number: "neighbours", each feature, and "limits" for
    what smoothing and clipping changed"""
    others: int = 0
    """cases that count and are not listed"""
    others_share: float = 0.0
    parts_by_class: dict[Any, dict[str, float]] = field(default_factory=dict)
    """class -> what adds up to its probability; empty where the answer is a number"""
    case_weights: dict[int, float] = field(default_factory=dict)
    """stored case -> its weight in the answer, for every case that counts, listed or not"""
    members: list[Explanation] = field(default_factory=list)
    """what each member of an ensemble says, with its ``weight``"""
    expected_costs: dict[Any, float] = field(default_factory=dict)
    """class -> what it is expected to cost as the answer; empty where no costs were given"""
    weight: float = 1.0
    """of this explanation among the members of an ensemble"""

    def parts_of(self, answer: Any) -> dict[str, float]:
        """What adds up to the probability of a class, or to the number."""
        return self.parts_by_class.get(answer, self.parts)

    def columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {k: [] for k in _COLUMNS}
        for rank, n in enumerate(self.neighbours):
            for feature, part in n.contributions.items():
                row = (self.query, self.prediction, rank, n.index, n.label, n.target, n.distance, n.vote_share)
                cells = (*row, feature, readable(n.values.get(feature)), readable(n.query_values.get(feature)), part)
                for name, cell in zip(_COLUMNS, cells, strict=True):
                    out[name].append(cell)
        return out

    def to_frame(self) -> Any:
        """Tidy: one row a neighbour and feature."""
        return frame_of(self.columns())

    def to_json(self) -> dict[str, Any]:
        def one(n: Neighbour) -> dict[str, Any]:
            return {
                "index": n.index, "label": _plain(n.label), "target": _plain(n.target), "distance": n.distance,
                "plain_distance": n.plain_distance, "vote_share": n.vote_share, "contributions": n.contributions,
                "factor": n.factor, "notes": n.notes, "weights": n.weights,
                "values": {k: _plain(v) for k, v in n.values.items()},
                "intervals": {k: list(v) for k, v in n.intervals.items()},
                "differences": {k: {"value": gap, "unit": unit} for k, (gap, unit) in n.differences.items()},
            }  # fmt: skip

        return {
            "query": _plain(self.query),
            "prediction": _plain(self.prediction),
            "distribution": {str(k): v for k, v in self.distribution.items()},
            "p": "inf" if np.isinf(self.p) else self.p,
            "neighbours": [one(n) for n in self.neighbours],
            "tied": self.tied,
            "tied_share": self.tied_share,
            "expected_costs": {str(k): v for k, v in self.expected_costs.items()},
            "parts": self.parts,
            "others": self.others,
            "others_share": self.others_share,
            "members": [{"weight": each.weight, **each.to_json()} for each in self.members],
            "unlike": None if self.unlike is None else one(self.unlike),
        }

    def __str__(self) -> str:
        lines = [self._title()]
        if set(self.parts) - {NEIGHBOURS, LIMITS} or self.parts.get(LIMITS):
            lines.append(f"  {told_parts(self)}")
        shown = self.neighbours if len(self.neighbours) <= MOST_TOLD else self.neighbours[:FEW_TOLD]
        for n in shown:
            vote = "" if self.prediction is None else f", vote {n.vote_share:.0%}"
            lines.append(f"  {self._told(n, vote)}")
        if self.tied:
            vote = "" if self.prediction is None else f"; those not listed have a vote of {self.tied_share:.0%}"
            lines.append(f"  … {self.tied} tied cases at the last place{vote}")
        untold = [n.vote_share for n in self.neighbours[len(shown) :] if n.vote_share]
        if self.others or untold:
            share = self.others_share + sum(untold)
            lines.append(f"  … {self.others + len(untold)} more cases, vote {share:.0%}")
        if self.unlike is not None:
            lines.append(f"  nearest otherwise: {self._told(self.unlike)}")
        return "\n".join(lines)

    def summary(self) -> str:
        """Two lines for people: the answer, and what it is made of; without an answer the nearest case."""
        if self.parts:
            return f"{self._title()}\n  {told_parts(self)}"
        n = len(self.neighbours)
        few = "the one similar case is " if n == 1 else f"the nearest of {n} similar cases is "
        return f"{self._title()}\n  {few + self._told(self.neighbours[0]) if n else 'no similar case'}"

    def _told(self, n: Neighbour, vote: str = "") -> str:
        return f"case {as_text(n.label)}{told_target(n)}, distance {n.distance:.4g}{vote}{told_reasons(n)}"

    def _title(self) -> str:
        if self.prediction is None:
            return f"query {as_text(self.query)}"
        answer = as_text(readable(self.prediction))
        return f"query {as_text(self.query)}: {answer}{told_shares(self.distribution)}{told_costs(self)}"

    def to_html(self) -> str:
        """A card for a page, with the style that it needs; notebooks show it by themselves."""
        return part_of(self.card(largest_sum([self])))

    def card(self, largest: float, title: str = "", most: int = LISTED) -> Html:
        """The answer as a part of a page; ``largest`` is what the longest bar stands for."""
        return explanation_card(self, largest, title, most)

    _repr_html_ = to_html

    def panel(self, title: str = "", most: int = FEW_TOLD) -> Panel:
        """The answer as a part of a picture."""
        return neighbour_panel(self, title, most)

    def plot(self, title: str = "", n_neighbors: int = FEW_TOLD) -> Picture:
        """The nearest cases as stacked bars of what each feature adds to their distance.

        Notebooks show the picture; its ``save("why.svg")`` writes it. ``title`` says what the query is.

        >>> from nearwise import NearestCases
        >>> near = NearestCases(2).fit([{"age": 20, "job": "cook"}, {"age": 60, "job": "judge"}])
        >>> near.explain({"age": 30, "job": "cook"})[0].plot("A cook of 30")
        Picture('A cook of 30')
        """
        return picture_of([self], [title], n_neighbors, 1)


_COLUMNS = (
    "query", "prediction", "rank", "index", "case", "target", "distance", "vote_share",
    "feature", "value", "query_value", "contribution",
)  # fmt: skip


class Explanations(Sequence[Explanation]):
    """The explanations of several queries."""

    def __init__(self, items: Sequence[Explanation]) -> None:
        self._items = list(items)

    @overload
    def __getitem__(self, at: int) -> Explanation: ...
    @overload
    def __getitem__(self, at: slice) -> Explanations: ...
    def __getitem__(self, at: int | slice) -> Explanation | Explanations:
        return Explanations(self._items[at]) if isinstance(at, slice) else self._items[at]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._items)

    def __str__(self) -> str:
        return "\n\n".join(str(e) for e in self._items)

    __repr__ = __str__

    def to_frame(self) -> Any:
        parts = [e.columns() for e in self._items]
        return frame_of({name: [cell for part in parts for cell in part[name]] for name in _COLUMNS})

    def to_json(self) -> list[dict[str, Any]]:
        return [e.to_json() for e in self._items]

    def to_html(self) -> str:
        """A card for each, with bars of one scale."""
        largest = largest_sum(self._items)
        return part_of(*(each.card(largest) for each in self._items))

    _repr_html_ = to_html

    def plot(self, titles: Sequence[str] = (), n_neighbors: int = FEW_TOLD, n_queries: int = MOST_TOLD) -> Picture:
        """The first ``n_queries`` explanations below each other, as `Explanation.plot` draws one, on one scale."""
        return picture_of(self._items, titles, n_neighbors, n_queries)


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, frozenset | set):
        return sorted(value, key=str)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None | list | dict) else str(value)
