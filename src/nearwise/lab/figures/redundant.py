r"""Pairs of features that say the same, so that together they count twice.

Two features are compared by the information that they share, over what they hold on average (symmetric uncertainty):

.. math:: U(a, b) = \frac{2 I(a; b)}{H(a) + H(b)}

with numbers cut into ten parts of equal frequency, and a hole as a value. Two numbers are also compared by Spearman's
correlation of their ranks, over the cases that have both. 1 means that one feature tells the other.

References: press1988.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.table import CaseTable
from nearwise.lab.paired import mid_ranks

__all__ = ["Pair", "redundant"]

PARTS = 10
SHARED, CORRELATED = 0.8, 0.95
"""what a pair is told from"""
MOST_FEATURES, MOST_CASES = 300, 5_000


@dataclass(frozen=True)
class Pair:
    """Two features, and how far they say the same."""

    first: str
    second: str
    measure: str
    value: float


def redundant(table: CaseTable) -> list[Pair]:
    """The pairs that say nearly the same, the most alike first; of at most 300 features and 5,000 cases.

    >>> table = CaseTable.of([{"cm": i, "inch": i / 2.54, "odd": i % 2} for i in range(40)])
    >>> [(pair.first, pair.second, round(pair.value, 2)) for pair in redundant(table)]
    [('cm', 'inch', 1.0)]
    """
    rows = np.linspace(0, len(table) - 1, min(len(table), MOST_CASES)).astype(np.intp)
    columns = [(name, column.take(rows)) for name, column in zip(table.schema.names, table.columns, strict=True)]
    coded = [(name, column, codes) for name, column in columns if (codes := _codes(column)) is not None]
    found: list[Pair] = []
    for j, (second, b, codes_b) in enumerate(coded[:MOST_FEATURES]):
        for first, a, codes_a in coded[:j]:
            pair = _compared(first, second, (a, codes_a), (b, codes_b))
            if pair is not None:
                found.append(pair)
    return sorted(found, key=lambda pair: -pair.value)


def _compared(
    first: str, second: str, a: tuple[Column, NDArray[np.intp]], b: tuple[Column, NDArray[np.intp]]
) -> Pair | None:
    if a[0].levels is None and b[0].levels is None:
        both = ~(np.isnan(a[0].values) | np.isnan(b[0].values))
        rho = abs(_spearman(a[0].values[both], b[0].values[both])) if both.sum() > PARTS else 0.0
        if rho >= CORRELATED:
            return Pair(first, second, "rank correlation", rho)
    share = uncertainty(a[1], b[1])
    return Pair(first, second, "shared information", share) if share >= SHARED else None


def _codes(column: Column) -> NDArray[np.intp] | None:
    """(n,) whole numbers from 0; None for what cannot be counted, or is different in most cases."""
    values = column.values
    if values.dtype == object or values.ndim != 1:
        return None
    if column.levels is None:
        known = values[~np.isnan(values)]
        if len(known) < 2 or known.min() == known.max():
            return None
        cuts = np.unique(np.quantile(known, np.linspace(0, 1, PARTS + 1)[1:-1]))
        return np.where(np.isnan(values), len(cuts) + 1, np.searchsorted(cuts, values, "right")).astype(np.intp)
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return None if len(counts) < 2 or len(counts) > len(values) / 2 else codes.astype(np.intp)


def uncertainty(a: NDArray[np.intp], b: NDArray[np.intp]) -> float:
    """Symmetric uncertainty of two rows of codes.

    >>> halves = np.array([0, 0, 1, 1])
    >>> uncertainty(halves, np.array([5, 5, 2, 2])), uncertainty(halves, np.array([0, 1, 0, 1]))
    (1.0, 0.0)
    """
    both = np.unique(a * (int(b.max()) + 1) + b, return_counts=True)[1]
    whole = _entropy(np.bincount(a)) + _entropy(np.bincount(b))
    return float(2 * (whole - _entropy(both)) / whole) if whole > 0 else 0.0


def _entropy(counts: NDArray[np.intp]) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def _spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    ranks = np.array([mid_ranks(a), mid_ranks(b)])
    apart = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt(np.square(apart).sum(axis=1)).prod()
    return float(apart[0] @ apart[1] / length) if length > 0 else 0.0
