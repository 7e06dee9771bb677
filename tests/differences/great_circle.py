"""A toy difference as a newcomer would write it: one file, found by itself. The tests lay it beside the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from nearwise.cases.columns import Column
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.vectors import Lengths


@dataclass(frozen=True)
class GreatCircle(Difference):
    """The angle between two places, each a latitude and a longitude in degrees."""

    name = "great-circle"
    kinds = ("Vector",)
    radius: float = 1.0

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return Angle(column, context, self.radius)


class Angle(Lengths):
    """Derives from lengths to encode as they do, and measures otherwise."""

    symmetric = True

    def __init__(self, column: Column, context: FitContext, radius: float) -> None:
        self.radius = radius
        super().__init__(column, context)

    def pair(self, x: Any, q: Any) -> float:
        (a, b), (c, d) = (map(math.radians, place) for place in (x, q))
        gap = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
        return self.radius * 2 * math.asin(math.sqrt(min(1.0, gap)))
