r"""Pairs of features that say the same, so that together they count twice.

Two features are compared by the information that they share, over what they hold on average (symmetric uncertainty):

.. math:: U(a, b) = \frac{2 I(a; b)}{H(a) + H(b)}

with numbers cut into ten parts of equal frequency, and a hole as a value. Two numbers are also compared by Spearman's
correlation of their ranks, over the cases that have both. 1 means that one feature tells the other.

References: press1988.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.table import CaseTable
from nearwise.lab.paired import mid_ranks

__all__ = ["Pair", "Redundancy", "redundant"]

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


@dataclass(frozen=True)
class Redundancy:
    """The pairs that say nearly the same, the most alike first, and how many features were looked at."""

    pairs: list[Pair]
    compared: int
    of: int
    """features that can be compared at all"""


def redundant(table: CaseTable, enough: Callable[[], bool] = lambda: False) -> Redundancy:
    """Compare the first 300 features with each other, by at most 5,000 cases; fewer once ``enough`` says so.

    >>> table = CaseTable.of([{"cm": i, "inch": i / 2.54, "odd": i % 2} for i in range(40)])
    >>> [(pair.first, pair.second, round(pair.value, 2)) for pair in redundant(table).pairs]
    [('cm', 'inch', 1.0)]
    """
    rows = np.linspace(0, len(table) - 1, min(len(table), MOST_CASES)).astype(np.intp)
    taken = [(name, column.take(rows)) for name, column in zip(table.schema.names, table.columns, strict=True)]
    fit = [(name, column) for name, column in taken if column.values.dtype != object and column.values.ndim == 1]
    coded: list[_Coded] = []
    found: list[Pair] = []
    looked = 0
    for name, column in fit:
        if len(coded) == MOST_FEATURES or enough():
            break
        looked += 1
        codes = _codes(column)
        if codes is not None:
            one = _Coded.of(name, column, codes)
            found += [pair for first in coded if (pair := _pair(first, one))]
            coded.append(one)
    return Redundancy(sorted(found, key=lambda pair: -pair.value), looked, len(fit))


@dataclass(frozen=True)
class _Coded:
    """A feature, with what every comparison asks of it."""

    name: str
    codes: NDArray[np.intp]
    entropy: float
    numbers: NDArray[np.float64] | None
    """None for symbols"""
    ranks: NDArray[np.float64] | None
    """less their mean, of length 1; None for symbols and for numbers with holes"""

    @classmethod
    def of(cls, name: str, column: Column, codes: NDArray[np.intp]) -> _Coded:
        numbers = column.values if column.levels is None else None
        ranks = None if numbers is None or np.isnan(numbers).any() else _unit(mid_ranks(numbers))
        return cls(name, codes, _entropy(np.bincount(codes)), numbers, ranks)


def _pair(first: _Coded, second: _Coded) -> Pair | None:
    rho = _rank_correlation(first, second)
    if rho >= CORRELATED:
        return Pair(first.name, second.name, "rank correlation", rho)
    whole = first.entropy + second.entropy
    if 2 * min(first.entropy, second.entropy) < SHARED * whole:  # not even if the poorer one told all of itself
        return None
    share = uncertainty(first.codes, second.codes)
    return Pair(first.name, second.name, "shared information", share) if share >= SHARED else None


def _rank_correlation(a: _Coded, b: _Coded) -> float:
    """By size, over the cases that have both; 0 for symbols, and where few have both."""
    if a.numbers is None or b.numbers is None:
        return 0.0
    if a.ranks is not None and b.ranks is not None:
        return abs(float(a.ranks @ b.ranks)) if len(a.codes) > PARTS else 0.0
    both = ~(np.isnan(a.numbers) | np.isnan(b.numbers))
    if both.sum() <= PARTS:
        return 0.0
    return abs(float(_unit(mid_ranks(a.numbers[both])) @ _unit(mid_ranks(b.numbers[both]))))


def _codes(column: Column) -> NDArray[np.intp] | None:
    """(n,) whole numbers from 0; None for what has one value, or is different in most cases."""
    values = column.values
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
    many = int(b.max()) + 1
    both = a * many + b
    cells = (int(a.max()) + 1) * many
    counts = np.bincount(both, minlength=cells) if cells <= 4 * len(a) else np.unique(both, return_counts=True)[1]
    whole = _entropy(np.bincount(a)) + _entropy(np.bincount(b))
    return float(2 * (whole - _entropy(counts)) / whole) if whole > 0 else 0.0


def _entropy(counts: NDArray[np.intp]) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def _unit(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Less their mean, over their length; zeros where all are equal."""
    apart = ranks - ranks.mean()
    length = float(np.sqrt(apart @ apart))
    return apart / length if length > 0 else np.zeros_like(apart)
