"""Correlation with the target: numbers as they are, symbols by the means of their targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic
from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded, Measure
from nearwise.errors import check_whole
from nearwise.weighting.base import Mergeable, Problem, with_parameters
from nearwise.weighting.selecting import case_order, check_amount
from nearwise.weights import Global, Weights

__all__ = ["Correlation", "correlation_ratio", "distance_correlation", "multiple_correlation", "smoothed_means"]

Array = NDArray[np.float64]

ROUNDING = 1e-14
"""a share of variance below it is rounding error"""


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
    for it is compared with its own target: leave identifiers out. Weights are learned in one pass and anew when cases
    come or go, so they are those of one fit.

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

    def relearn(self, after: Problem, *, added: Problem | None = None, removed: Problem | None = None) -> Weights:
        """One pass over the cases, no more than encoding them again takes; kept sums would gather rounding errors."""
        return self.learn(after)

    def _partial(self, problem: Problem) -> None:
        check_amount("prior", self.prior)
        check_whole("n_pairs", self.n_pairs, 4)

    def _finish(self, statistics: Any, problem: Problem) -> Weights:
        rows = np.flatnonzero(problem.target.weights > 0)
        if len(rows) < len(problem.target):  # a case of weight 0 is not there
            problem = problem.take(rows)
        sample: NDArray[np.intp] | None = None
        weights = np.zeros(len(problem.features))
        for f, (measure, column) in enumerate(zip(problem.metric.measures, problem.table.columns, strict=True)):
            kind = measure.kind
            if isinstance(kind, Numeric | Ordinal | Cyclic | Symbolic):
                weights[f] = self._of_values(kind, column, problem.target)
                continue
            if sample is None:
                sample = case_order(problem, 0)[: self.n_pairs]
            weights[f] = _of_pairs(measure, problem.cases.columns[f].take(sample), problem.target.take(sample))
        return Global(weights, problem.features)

    def _of_values(self, kind: Kind, column: Column, target: Target) -> float:
        known = ~column.missing
        target = target if known.all() else target.take(np.flatnonzero(known))
        y, weights = _columns_of(target), target.weights
        if len(y) < 2:
            return 0.0
        if isinstance(kind, Symbolic):
            codes = column.values[known]
            return _together(smoothed_means(codes, y, weights, self.prior)[codes], y, weights)
        x = _coordinates(kind, column.values[known].astype(np.float64))
        if target.classes is not None:
            return correlation_ratio(x, target.values, weights, target.n_classes)
        return multiple_correlation(x, y[:, 0], weights)


def _columns_of(target: Target) -> Array:
    """(n, 1) numbers as shares of their range, which changes no correlation, or (n, c) an indicator a class."""
    if target.classes is None:
        return target.shares[:, None]
    return np.asarray(target.values[:, None] == np.arange(target.n_classes), dtype=np.float64)


def _coordinates(kind: Kind, values: Array) -> Array:
    """(n, 1) numbers as shares of their range, or (n, 2) points on a circle."""
    if isinstance(kind, Cyclic):
        angle = np.mod(values, kind.period) / kind.period * (2 * np.pi)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Target(values, None, np.ones(len(values))).shares[:, None]


def smoothed_means(codes: NDArray[Any], y: Array, weights: Array, prior: float) -> Array:
    """(v, d) the mean of y (n, d) over the cases of each code, as if ``prior`` more cases had the mean of all.

    >>> smoothed_means(np.array([0, 0, 1]), np.array([[1.0], [3.0], [8.0]]), np.ones(3), 1.0)[:, 0].round(3).tolist()
    [2.667, 6.0]
    """
    v = int(codes.max(initial=-1)) + 1
    counts = np.bincount(codes, weights, minlength=v)
    sums = np.stack([np.bincount(codes, weights * part, minlength=v) for part in y.T], axis=1)
    overall = dot(weights, y) / weights.sum()
    held = counts + prior
    return np.asarray((sums + prior * overall) / np.where(held > 0, held, 1.0)[:, None])


def multiple_correlation(x: Array, y: Array, weights: Array) -> float:
    """Of y (n,) with the columns of x (n, d) together; |r| where there is one column.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> round(multiple_correlation(x, np.array([0.0, -1.0, -3.0]), np.ones(3)), 4)
    0.982
    """
    if x.shape[1] == 1:
        return _together(x, y[:, None], weights)
    x, y = _centred(x, weights), _centred(y[:, None], weights)[:, 0]
    total = float(dot(weights, np.square(y)))
    root = np.sqrt(weights)
    found, _, rank, _ = np.linalg.lstsq(x * root[:, None], y * root, rcond=1e-10)
    explained = float(dot(weights, np.square(dot(found, x.T)))) if rank else 0.0
    return _root_share(explained, total)


def correlation_ratio(x: Array, codes: NDArray[Any], weights: Array, n_classes: int) -> float:
    """eta of the columns of x (n, d) by class: the root of the variance between classes over all variance."""
    x = _centred(x, weights)
    n = np.bincount(codes, weights, minlength=n_classes)
    between = 0.0
    for part in x.T:
        sums = np.bincount(codes, weights * part, minlength=n_classes)
        between += float(np.sum(np.square(sums) / np.where(n > 0, n, 1.0)))
    return _root_share(between, float(dot(weights, np.square(x).sum(axis=1))))


def _together(x: Array, y: Array, weights: Array) -> float:
    """|r| over all columns of x and y (n, d) together: one correlation of n * d pairs, each column about its mean."""
    x, y = _centred(x, weights), _centred(y, weights)
    xx, yy = float(dot(weights, np.square(x).sum(axis=1))), float(dot(weights, np.square(y).sum(axis=1)))
    xy = float(dot(weights, (x * y).sum(axis=1)))
    return _root_share(xy * xy, xx * yy)


def _centred(values: Array, weights: Array) -> Array:
    """Columns less their weighted mean; a constant column is exactly 0."""
    flat = values.min(axis=0) == values.max(axis=0)
    return np.asarray(np.where(flat, 0.0, values - dot(weights, values) / weights.sum()))


def _root_share(part: float, whole: float) -> float:
    """sqrt(part / whole), from 0 to 1; 0 for what rounding leaves."""
    if not whole > 0 or part <= ROUNDING * whole:
        return 0.0
    return float(np.sqrt(min(1.0, part / whole)))


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
