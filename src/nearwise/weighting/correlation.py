"""Correlation with the target: numbers as they are, symbols by the means of their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import cos, sin
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic
from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded, Measure
from nearwise.errors import check_whole
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.correlated import (
    ROUNDING,
    ClassSums,
    LevelSums,
    NumberSums,
    TargetSums,
    counted_correlation,
    target_sums,
)
from nearwise.statistics.counts.values import PerFeature, ValueCounts, count_values
from nearwise.weighting.base import Mergeable, Problem, with_parameters
from nearwise.weighting.selecting import case_order, check_amount
from nearwise.weights import Global, Weights

__all__ = ["Correlation", "distance_correlation"]

Array = NDArray[np.float64]


@with_parameters
class Correlation(Mergeable):
    r"""The absolute correlation of the feature with the target.

    .. math:: w_f = |r_f|, \qquad r_f = \frac{\sum_i (x_{if} - \bar x_f)(y_i - \bar y)}
              {\sqrt{\sum_i (x_{if} - \bar x_f)^2 \sum_i (y_i - \bar y)^2}}

    over the cases whose value is known, each with its sample weight. What x and y are:

    - numbers, and the ranks of levels, as they are; numbers on a circle by both coordinates of their point on it,
      with the multiple correlation;
    - a symbol v by the mean target of its cases, held towards the mean of all as if ``prior`` more cases had it:
      :math:`(\sum_{i: x_i = v} y_i + m \bar y) / (n_v + m)`;
    - text, sets, vectors and functions by what two values differ by: the distance correlation, without its bias, of
      at most ``n_pairs`` cases with all of each other;
    - a target of classes by one indicator a class: the correlation ratio for numbers (that of two classes is
      the correlation with 0 and 1), and for symbols the correlation over all indicators together.

    A constant feature, or target, has 0. A symbol that is different in nearly every case has nearly 1 whatever it says,
    for it is compared with its own target: leave identifiers out. Sums of numbers are exact and rounded once, so
    the weights do not depend on the order of cases, and are those of one fit after cases came or went.

    Parameters
    ----------
    prior : float
        m, in cases.
    n_pairs : int
        Cases of which pairs are compared, for kinds that are neither numbers nor symbols; drawn by their content.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: pearson1896; szekely2014.

    >>> X = [[0, 3, "a"], [1, 1, "b"], [2, 4, "a"], [3, 0, "b"]]
    >>> Correlation().fit(X, [0.0, 1.5, 2.0, 3.5]).feature_importances_.round(3)
    array([0.984, 0.569, 0.6  ])
    """

    id = "corr"
    numbers = "own"
    reference = "pearson1896, szekely2014"
    p = 1

    prior: float = 3.0
    n_pairs: int = 500

    merges_exactly = True
    merges_numbers = True

    def _partial(self, problem: Problem) -> PerFeature:
        check_amount("prior", self.prior)
        check_whole("n_pairs", self.n_pairs, 4)
        target = problem.target
        weights = None if target.weighs_one else target.weights
        y = target_sums(target.values, weights) if target.classes is None else None
        kinds, n = problem.table.schema.values(), len(target)
        _ = target.codes if y is None else None  # once, not once a thread
        items = zip(kinds, problem.table.columns, strict=True)
        return PerFeature(side_by_side(lambda item: _sums_of(item[0], item[1], target, weights, y), items, n))

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        found = [self._of_sums(sums) for sums in statistics]
        pairs = [f for f, share in enumerate(found) if share is None]
        if pairs:
            rows = np.flatnonzero(problem.target.weights > 0)
            problem = problem.take(rows) if len(rows) < len(problem.target) else problem
            sample = case_order(problem, 0)[: self.n_pairs]
            for f in pairs:
                column = problem.cases.columns[f].take(sample)
                found[f] = _of_pairs(problem.metric.measures[f], column, problem.target.take(sample))
        return Global(np.array(found, dtype=np.float64), problem.features)

    def _of_sums(self, sums: Any) -> float | None:
        """None where pairs have to be compared."""
        if isinstance(sums, LevelSums):
            return sums.correlation(self.prior)
        if isinstance(sums, ValueCounts):
            return counted_correlation(sums, self.prior)
        return sums.correlation if isinstance(sums, NumberSums | ClassSums) else None


@dataclass(frozen=True)
class _Pairs:
    """A feature of which pairs of cases are compared, so that it has no sums."""

    def merge(self, other: _Pairs) -> _Pairs:
        return self

    remove = merge


def _sums_of(kind: Kind, column: Column, target: Target, weights: Array | None, whole: TargetSums | None) -> Any:
    """What merges of one feature; ``whole`` are the sums of a target of numbers over all cases."""
    if not isinstance(kind, Numeric | Ordinal | Cyclic | Symbolic):
        return _Pairs()
    if isinstance(kind, Symbolic) and whole is None:
        return count_values(column, target)
    known = ~column.missing
    y = target.values
    if whole is not None and not known.all():
        whole = target_sums(y[known], None if weights is None else weights[known])
    if isinstance(kind, Symbolic) and whole is not None:
        return LevelSums.of(column.values, column.levels or (), y, weights, whole)
    points = _points(kind, column, known)
    return ClassSums.of(points, known, target) if whole is None else NumberSums.of(points, y, weights, whole)


def _points(kind: Kind, column: Column, known: NDArray[np.bool_]) -> list[Array]:
    """Numbers as they are, levels by their rank, both coordinates of points on a circle; NaN where missing."""
    if isinstance(kind, Cyclic):
        angle = np.mod(column.values, kind.period) / kind.period * (2 * np.pi)
        return [cos(angle), sin(angle)]
    return [column.values] if column.levels is None else [np.where(known, column.values, np.nan)]


def _of_pairs(measure: Measure, column: Encoded, target: Target) -> float:
    """The distance correlation of a feature of any kind with the target."""
    known = np.flatnonzero(~column.missing) if column.missing is not None else np.arange(len(column.values))
    values, target = column.values[known], target.take(known)
    if len(known) < 4:
        return 0.0
    apart = np.asarray(measure.fitted.block(values, values), dtype=np.float64)
    apart = (apart + apart.T) / 2  # a user's function may be directed
    if target.classes is not None:
        gaps = (target.values[:, None] != target.values[None, :]).astype(np.float64)
    else:
        gaps = np.abs(target.shares[:, None] - target.shares[None, :])
    return distance_correlation(apart, gaps)


def distance_correlation(a: Array, b: Array) -> float:
    """Of two symmetric (n, n) matrices of differences, n > 3: about |r| for numbers, about 0 for independent ones.

    >>> x = np.array([0.0, 1.0, 2.0, 5.0, 7.0])
    >>> round(distance_correlation(np.abs(x[:, None] - x), 2 * np.abs(x[:, None] - x)), 6)
    1.0
    """
    a, b = _doubly_centred(a), _doubly_centred(b)
    ab, aa, bb = float((a * b).sum()), float((a * a).sum()), float((b * b).sum())
    share = ab / np.sqrt(aa * bb) if aa > 0 and bb > 0 else 0.0
    return float(np.sqrt(min(1.0, share))) if share > ROUNDING else 0.0


def _doubly_centred(differences: Array) -> Array:
    """U-centred: rows and columns add up to 0 off the diagonal, which takes the bias away (szekely2014, eq. 2.4)."""
    n, largest = len(differences), float(differences.max(initial=0.0))
    out = differences / largest if largest > 0 else np.zeros_like(differences)
    np.fill_diagonal(out, 0.0)
    rows = out.sum(axis=1) / (n - 2)
    out = out - rows[:, None] - rows[None, :] + out.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(out, 0.0)
    return np.asarray(out)
