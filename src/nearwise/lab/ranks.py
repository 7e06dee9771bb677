r"""Many methods on many data sets: mean ranks, Friedman's test, and Nemenyi's critical difference.

On each of N data sets the k methods get ranks from 1, the best first, equal ones their mean rank; R(j) is the mean rank
of method j. Were all methods alike, the ranks would be dealt out by chance:

.. math:: \chi^2_F = \frac{12 N}{k (k + 1)} \left( \sum_j R_j^2 - \frac{k (k + 1)^2}{4} \right) \Big/ \left( 1 -
   \frac{\sum (t^3 - t)}{N k (k^2 - 1)} \right), \qquad F_F = \frac{(N - 1)\,\chi^2_F}{N (k - 1) - \chi^2_F}

The first has k - 1 degrees of freedom (t cases that tie make the sum in the last bracket, which is 0 without ties), the
second, by Iman and Davenport, is less careful and has k - 1 and (k - 1)(N - 1). Where they reject, two methods differ
if their mean ranks are apart by at least

.. math:: CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}, \qquad q_\alpha = \text{studentized range} / \sqrt 2

References: friedman1937; iman1980; nemenyi1963; demsar2006, sect. 3.2.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.charts.critical_difference import cliques, critical_difference_chart
from nearwise.errors import InputError
from nearwise.lab.paired import mid_ranks
from nearwise.lab.significance import LEVEL

__all__ = ["Ranking", "chi_squared", "critical_difference", "iman_davenport", "ranking"]


@dataclass(frozen=True)
class Ranking:
    """Methods by their mean rank over data sets, and whether these differ by more than chance explains."""

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    """in the order of ``methods``; 1 would be the best everywhere"""
    sets: int
    chi_squared: float
    p: float
    """of Friedman's chi-squared"""
    f: float
    p_f: float
    """of Iman and Davenport's F"""
    critical_difference: float
    level: float = LEVEL

    @property
    def ordered(self) -> list[tuple[str, float]]:
        """The methods with their mean ranks, the best first."""
        return sorted(zip(self.methods, self.mean_ranks, strict=True), key=lambda pair: pair[1])

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """Methods that the ranks do not tell apart, in groups that are as large as they can be."""
        names = [name for name, _ in self.ordered]
        return [tuple(names[a : b + 1]) for a, b in cliques(sorted(self.mean_ranks), self.critical_difference)]

    def chart(self, title: str = "Mean ranks, and what they do not tell apart") -> str:
        """The critical-difference plot as SVG."""
        return critical_difference_chart(self.methods, self.mean_ranks, self.critical_difference, title, self.sets)

    def in_words(self) -> str:
        """What was found, claiming no more than the tests do."""
        (best, rank), *_ = self.ordered
        told = f"On {self.sets} data sets {best} has the best mean rank, {rank:.2f} of {len(self.methods)}"
        if self.p_f >= self.level:
            return f"{told}; the ranks may be chance (Friedman's F, p = {self.p_f:.2g})."
        alike = next((group for group in self.cliques if best in group), (best,))
        others = [name for name in alike if name != best]
        apart = f"; they do not tell it from {', '.join(others)}" if others else ", and it differs from every other"
        return (
            f"{told}; ranks differ by more than chance explains (Friedman's F, p = {self.p_f:.2g}){apart} "
            f"(Nemenyi, critical difference {self.critical_difference:.2f})."
        )

    def to_json(self) -> dict[str, Any]:
        f = self.f if math.isfinite(self.f) else None
        return {**asdict(self), "f": f, "cliques": [list(group) for group in self.cliques]}


def ranking(scores: Mapping[str, Sequence[float]], less_is_better: bool = False, level: float = LEVEL) -> Ranking:
    """Rank methods by their scores on every data set, in the same order for each.

    >>> found = ranking({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.7, 0.6, 0.6, 0.7]})
    >>> found.mean_ranks, round(found.chi_squared, 3), round(found.critical_difference, 3)
    ((1.0, 2.125, 2.875), 7.6, 1.657)
    >>> found.cliques
    [('a', 'b'), ('b', 'c')]
    """
    table = _table(scores)
    ranks = np.stack([mid_ranks(row if less_is_better else -row) for row in _rounded(table)])
    sets, k = ranks.shape
    ties = sum(int(t) ** 3 - int(t) for row in ranks for t in np.unique(row, return_counts=True)[1])
    mean = ranks.mean(axis=0)
    chi = chi_squared(mean.tolist(), sets, ties)
    f = iman_davenport(chi, sets, k)
    p, p_f = _p_values(chi, f, sets, k)
    cd = critical_difference(k, sets, level)
    return Ranking(tuple(scores), tuple(float(r) for r in mean), sets, chi, p, f, p_f, cd, level)


def _table(scores: Mapping[str, Sequence[float]]) -> NDArray[np.float64]:
    """(N, k) scores."""
    if len(scores) < 2:
        raise InputError(f"Ranks compare at least two methods, and there is {len(scores)}.")
    counts = {name: len(column) for name, column in scores.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise InputError(f"Ranks need a score of every method on every data set, got {told}: leave out the others.")
    found = np.asarray(list(scores.values()), dtype=np.float64).T
    if len(found) < 2:
        raise InputError(f"Ranks are compared over at least two data sets, and there is {len(found)}.")
    if not np.isfinite(found).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(found))[0])
        raise InputError(f"{list(scores)[column]} has no score on data set {row}: leave out the set or the method.")
    return found


def _rounded(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores that differ by rounding only are equal."""
    return np.asarray(np.round(table / (1e-12 * max(1e-300, float(np.abs(table).max())))))


def chi_squared(mean_ranks: Sequence[float], sets: int, ties: int = 0) -> float:
    """Friedman's statistic from mean ranks; ``ties`` is the sum of t^3 - t over all groups that tie.

    >>> round(chi_squared([3.143, 2.000, 2.893, 1.964], 14), 2)
    9.28
    """
    k = len(mean_ranks)
    unequal = 1 - ties / (sets * k * (k * k - 1))
    if unequal <= 1e-12:  # all methods tie everywhere
        return 0.0
    spread = math.fsum((rank - (k + 1) / 2) ** 2 for rank in mean_ranks)  # the bracket, without cancellation
    return 12 * sets / (k * (k + 1)) * spread / unequal


def iman_davenport(chi: float, sets: int, k: int) -> float:
    """F from Friedman's chi-squared; infinite where every set ranks the methods alike.

    >>> round(iman_davenport(9.28, 14, 4), 2)
    3.69
    """
    rest = sets * (k - 1) - chi
    return math.inf if rest <= 1e-9 * sets * k else (sets - 1) * chi / rest


def _p_values(chi: float, f: float, sets: int, k: int) -> tuple[float, float]:
    from scipy.special import chdtrc, fdtrc

    p_f = 0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (sets - 1), f))
    return float(chdtrc(k - 1, chi)), p_f


def critical_difference(k: int, sets: int, level: float = LEVEL) -> float:
    """Nemenyi's: by how much the mean ranks of two of k methods must differ.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - level, k, np.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * sets))
