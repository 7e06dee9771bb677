r"""Whether methods differ by more than luck: the corrected resampled t-test, with Holm's correction for several.

The scores of J folds overlap in what they were learned from, so the plain paired t-test claims too much. Nadeau and
Bengio correct the variance by the share of tested to training cases:

.. math:: t = \frac{\bar d}{\sqrt{\left(\frac{1}{J} + \frac{n_{test}}{n_{train}}\right) s_d^2}}, \quad J - 1
   \text{ degrees of freedom}

Each method is compared with the first one named, not with the winner: which one is the first was decided before
looking at the scores, the winner was not.

References: nadeau2003, sect. 3.1; S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearwise.lab.protocols import Comparison

__all__ = ["LEVEL", "Difference", "against_first", "corrected_t", "holm", "in_words"]

LEVEL = 0.05
"""a difference is called significant where its corrected p-value is below this"""


@dataclass(frozen=True)
class Difference:
    """A method against another on the same folds."""

    method: str
    against: str
    difference: float
    """mean score of ``method`` minus mean score of ``against``"""
    t: float
    p: float
    p_holm: float
    better: bool
    """whether ``method`` has the better mean"""

    @property
    def significant(self) -> bool:
        return self.p_holm < LEVEL

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "t": self.t if math.isfinite(self.t) else None, "significant": self.significant}


def corrected_t(differences: Sequence[float], test_share: float) -> tuple[float, float]:
    """(t, two-sided p) of paired score differences; ``test_share`` is test cases over training cases.

    Differences that are all 0 give p = 1; all equal and not 0, t is infinite and p = 0.

    >>> t, p = corrected_t([0.1, 0.0, 0.2, 0.1], 1 / 3)
    >>> round(t, 4), round(p, 4)
    (1.6036, 0.2071)
    """
    from scipy.special import stdtr

    folds = len(differences)
    if folds < 2:
        return 0.0, 1.0
    mean = math.fsum(differences) / folds
    variance = math.fsum((d - mean) ** 2 for d in differences) / (folds - 1)
    if variance <= 1e-24:  # rounding of equal differences
        return (0.0, 1.0) if abs(mean) <= 1e-12 else (math.copysign(math.inf, mean), 0.0)
    t = mean / math.sqrt((1 / folds + test_share) * variance)
    return t, float(2 * stdtr(folds - 1, -abs(t)))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, step down; in the order given.

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = largest
    return corrected


def against_first(comparison: Comparison) -> list[Difference]:
    """Every applicable method against the first applicable one."""
    if not comparison.applicable:
        return []
    first, *others = comparison.applicable
    tested = []
    for other in others:
        pairs = [a - b for a, b in zip(other.scores, first.scores, strict=True)]
        tested.append((other, *corrected_t(pairs, comparison.test_share)))
    corrected = holm([p for _, _, p in tested])
    merit = comparison.merit
    return [
        Difference(o.method, first.method, o.mean - first.mean, t, p, adjusted, merit(o) > merit(first))
        for (o, t, p), adjusted in zip(tested, corrected, strict=True)
    ]


def in_words(difference: Difference, regression: bool = False) -> str:
    """One sentence that claims no more than the test does; of ``regression``, and of costs, not in points."""
    d = difference
    size = f"{abs(d.difference):.3g}" if regression else f"{100 * abs(d.difference):.1f} points"
    if abs(d.difference) < 1e-12:
        return f"{d.method} and {d.against} do equally well on these folds."
    how = "better" if d.better else "worse"
    if d.significant:
        return f"{d.method} is {how} than {d.against} by {size}, more than chance explains (p = {d.p_holm:.2g})."
    return (
        f"{d.method} is {how} than {d.against} by {size}, which may be chance (p = {d.p_holm:.2g}): these folds do "
        "not tell them apart."
    )
