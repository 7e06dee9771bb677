"""How often the values of two features occur together, for all pairs of features; counts of parts merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.joint import cells_of

__all__ = ["FeaturePairCounts", "pair_cells"]

Coded = tuple[NDArray[np.int32], int]
"""the code of each case, negative where it is left out, and how many codes there are"""


def pair_cells(sizes: Sequence[int]) -> int:
    """How many counts the pairs of features with so many values have; those of one value have none.

    >>> pair_cells([2, 3, 1, 4])
    26
    """
    return sum(v * u for v, u in combinations(sizes, 2) if v > 1 and u > 1)


@dataclass(frozen=True)
class FeaturePairCounts:
    """``tables`` hold for each pair of features with more than one value (v, u) what their cases weigh."""

    tables: dict[tuple[int, int], NDArray[np.float64]]

    @classmethod
    def of(cls, found: Sequence[Coded], weights: NDArray[np.float64] | None, n: int) -> FeaturePairCounts:
        def counted(pair: tuple[int, int]) -> NDArray[np.float64]:
            (a, v), (b, u) = found[pair[0]], found[pair[1]]
            cells = cells_of(a, b, v, u, weights)
            table = np.zeros((v, u))
            table[cells.row_at, cells.column_at] = cells.cases if cells.weights is None else cells.weights
            return table

        pairs = [(f, g) for f, g in combinations(range(len(found)), 2) if found[f][1] > 1 and found[g][1] > 1]
        return cls(dict(zip(pairs, side_by_side(counted, pairs, n), strict=True)))

    def merge(self, other: FeaturePairCounts) -> FeaturePairCounts:
        return FeaturePairCounts({pair: table + other.tables[pair] for pair, table in self.tables.items()})
