"""The votes of some queries, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import Floats, Ints
from nearwise.vote import Ballots

__all__ = ["Poll"]


@dataclass(frozen=True)
class Poll:
    """Who voted on some queries, and what came of it."""

    rows: Ints
    """(m,) which queries"""
    places: Ints
    """(m,) where each of them is among the ballots"""
    ballots: Ballots
    k: int
    total: Floats
    """(m, g, v) votes"""
    near: Floats
    """(m, g) the smallest sum at which each group votes"""
    kernel: Floats
    """(m, k) what a vote from each place counts"""

    def where(self, chosen: NDArray[np.bool_]) -> Poll:
        """Of some of these queries only."""
        parts = (self.total[chosen], self.near[chosen], self.kernel[chosen])
        return Poll(self.rows[chosen], self.places[chosen], self.ballots, self.k, *parts)
