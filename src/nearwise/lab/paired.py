r"""Tests of two methods on the same splits or the same cases. Each gives a statistic whose sign says which way, and p.

===============  ==================================================================================================
`wilcoxon`       signed ranks of paired differences, over splits or over data sets
`mcnemar`        cases that one method has right and the other wrong
`three_errors`   the rule of the review: means apart by more than three standard errors; it has no p
===============  ==================================================================================================

References: wilcoxon1945; mcnemar1947; wettschereck1997, sect. 4.3, Table 4; demsar2006, sect. 3.1.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ERRORS", "FEW", "mcnemar", "mid_ranks", "more_often_right", "three_errors", "wilcoxon"]

MANY = 200
"""pairs up to which signed ranks are counted exactly; above, they are as good as normal"""
FEW = 25
"""cases that methods disagree about, below which McNemar's test is counted exactly"""
ERRORS = 3.0
"""standard errors by which means must differ in the review"""

Floats = NDArray[np.float64]


def wilcoxon(differences: Sequence[float]) -> tuple[float, float]:
    r"""(sum of positive ranks - sum of negative ranks, two-sided p) of paired differences.

    Differences are ranked by their size, equal ones with their mean rank; those of 0 are left out. p is the share
    of all :math:`2^n` ways to give the ranks signs whose sum is at least as far from 0: ties need no approximation.
    Above 200 differences the sum is taken as normal with variance :math:`\sum_i r_i^2`, with a continuity correction.
    Differences that are all 0 give p = 1. Sizes within 1e-9 of the largest are equal: 0.8 - 0.7 and 0.7 - 0.6 are.

    Ranks 1 to 4 with signs +, +, +, -: sum 1 + 2 + 3 - 4 = 2, and 14 of the 16 ways have a sum of 2 or more or of
    -2 or less (all but the two with a sum of 0: 1 + 4 against 2 + 3).

    >>> wilcoxon([0.1, 0.2, 0.3, -0.4, 0.0])
    (2.0, 0.875)
    """
    found = np.asarray(differences, dtype=np.float64)
    largest = float(np.abs(found).max(initial=0.0))
    if largest == 0 or not math.isfinite(largest):
        return 0.0, 1.0
    steps = np.round(found / (largest * 1e-9))
    steps = steps[steps != 0]
    ranks = mid_ranks(np.abs(steps))
    total = float(np.sum(np.sign(steps) * ranks))
    if len(ranks) > MANY:
        away = max(0.0, abs(total) - 1.0) / math.sqrt(float(np.sum(ranks**2)))  # sums are two apart
        return total, min(1.0, math.erfc(away / math.sqrt(2)))
    return total, _share_as_far(np.rint(2 * ranks).astype(int), abs(2 * total))


def _share_as_far(steps: NDArray[Any], total: float) -> float:
    """The share of all ways to give the steps signs whose sum is at least ``total`` away from 0."""
    most = int(steps.sum())
    chance = np.zeros(2 * most + 1)  # of a sum of -most, ..., most
    chance[most] = 1.0
    for step in steps:
        moved = np.zeros_like(chance)
        moved[step:] += 0.5 * chance[:-step]
        moved[:-step] += 0.5 * chance[step:]
        chance = moved
    far = np.abs(np.arange(-most, most + 1)) >= total - 0.5
    return min(1.0, float(chance[far].sum()))


def mid_ranks(values: Floats) -> Floats:
    """Ranks from 1, the smallest first; equal values have the mean of their ranks.

    >>> mid_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[at], dtype=np.float64)


def mcnemar(more: int, fewer: int) -> tuple[float, float]:
    r"""(more - fewer, two-sided p): cases that only the one method has right, and only the other.

    Were the methods equally good, each case that they disagree about would be the toss of a coin: below 25 such
    cases p is that of the binomial distribution, from there on that of

    .. math:: \chi^2 = \frac{(|more - fewer| - 1)^2}{more + fewer}, \quad 1 \text{ degree of freedom}

    One against five: (1 + 6) / 64 of the tosses are as uneven to one side, twice that to both.

    >>> mcnemar(5, 1)
    (4.0, 0.21875)
    """
    apart = more + fewer
    if not apart:
        return 0.0, 1.0
    if apart < FEW:
        tail = sum(math.comb(apart, i) for i in range(min(more, fewer) + 1))
        return float(more - fewer), min(1.0, 2 * tail / 2**apart)
    root = max(0.0, abs(more - fewer) - 1) / math.sqrt(apart)
    return float(more - fewer), math.erfc(root / math.sqrt(2))


def more_often_right(
    rows: Sequence[NDArray[np.intp]], right: Sequence[NDArray[np.bool_]], other: Sequence[NDArray[np.bool_]]
) -> tuple[int, int]:
    """Cases that the one method has right more often, and the other; however often a case is tested, it counts once.

    ``rows`` are the test cases of each split, ``right`` and ``other`` whether each method's answers to them are right.
    A case that both have right equally often says nothing. Where each is tested once, that is McNemar's table.

    >>> rows = [np.array([0, 1]), np.array([0, 2])]
    >>> yes, no = np.array([True, True]), np.array([False, False])
    >>> more_often_right(rows, [yes, yes], [no, yes])
    (2, 0)
    """
    tested = np.concatenate(rows)
    gained = np.concatenate(right).astype(int) - np.concatenate(other).astype(int)
    balance = np.zeros(int(tested.max()) + 1, dtype=int)
    np.add.at(balance, tested, gained)
    return int((balance > 0).sum()), int((balance < 0).sum())


def three_errors(differences: Sequence[float]) -> float:
    r"""The mean of paired differences in standard errors: a difference counts where it is above 3 or below -3.

    .. math:: \bar d \Big/ \frac{s_d}{\sqrt{J}}, \quad J \text{ splits}

    The review does not say whose error it means (Reading). Its Table 4 has parity at 67.3 ± 0.1 and 2.2 points not
    in bold, so it is not that of the control; and voting at 92.6 ± 0.7 and 2.0 points in bold, which is less than three
    times the error of an unpaired difference; the error of paired ones, on its 25 shared splits, fits both.
    Equal differences other than 0 give infinity; one split alone gives 0, since it has no error.

    >>> round(three_errors([0.1, 0.3]), 9)
    2.0
    """
    found = np.asarray(differences, dtype=np.float64)
    if len(found) < 2:
        return 0.0
    mean, error = math.fsum(found) / len(found), float(np.std(found, ddof=1)) / math.sqrt(len(found))
    if error <= 1e-12:  # rounding of equal differences
        return 0.0 if abs(mean) <= 1e-12 else math.copysign(math.inf, mean)
    return float(mean / error)
