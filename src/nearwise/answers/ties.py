"""Neighbourhoods in which no case is nearer than the next one after the k-th: who counts there.

The weight of a neighbour in a local regression is 1 - d_i / d_{k+1}. Cases tied with the next one weigh nothing, so it
does not matter which of them are listed. Where no neighbour is nearer, all cases of the tie count alike, listed or not,
and the answer is their mean: any slope would be that of the cases that happen to be listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import TIE, Floats, Ints, Neighbours, Payload

__all__ = ["Reach"]

FARTHEST = 1e300
"""the largest sum that is told from others"""


@dataclass(frozen=True)
class Reach:
    """Who counts among k neighbours of each query."""

    found: Neighbours
    payload: Payload
    k: int

    @property
    def _sums(self) -> Floats:
        """(m, l) sums; those that are infinite tie with each other."""
        return np.minimum(self.found.sums, FARTHEST)

    @property
    def counting(self) -> NDArray[np.bool_]:
        """(m, k) neighbours that are nearer than the next one and have a weight."""
        sums, k = self._sums, self.k
        next_ = sums[:, k : k + 1]
        near = self.found.indices[:, :k]
        return np.asarray((sums[:, :k] < next_ - TIE * next_) & (self.payload.values[near, 0] > 0))

    @property
    def tied(self) -> NDArray[np.bool_]:
        """(m, l) listed cases that tie with the next one."""
        sums = self._sums
        next_ = sums[:, self.k : self.k + 1]
        return np.asarray((sums >= next_ - TIE * next_) & (sums <= next_ + TIE * next_))

    def totals(self, rows: Ints) -> Floats:
        """(r, g, v) the payload of all cases that tie with the next one of these queries, listed or not."""
        found, (g, v) = self.found, self.payload.shape
        tied = self.tied[rows]
        row, place = np.nonzero(tied)
        case = found.indices[rows[row], place]
        out = np.zeros((len(rows), g, v))
        np.add.at(out, (row, self.payload.codes[case]), self.payload.values[case])
        goes_on = tied[:, -1]  # the tie may go on behind the list, and then the search tells its sum
        out[goes_on] = found.tie_sums[rows[goes_on]]
        return out
