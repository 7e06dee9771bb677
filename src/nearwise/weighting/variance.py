"""Weights by spread: between classes over inside them (Fisher), and the inverse of the feature's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import cos, dot, sin
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Ordinal
from nearwise.cases.target import BINS, Target
from nearwise.differences.metric import Measure
from nearwise.errors import InputError
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.values import PerFeature, ValueCounts, count_columns, sums_at
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.counted import Countable, require_countable
from nearwise.weights import Global, Weights

__all__ = ["FisherScore", "InverseDeviation"]

Array = NDArray[np.float64]

LEAST = 1e-6
"""the variance inside classes counts as at least this share of all variance, so that a score stays finite"""
PIECE = 1 << 18
"""entries that are added up at a time: what is made of them is not worth a column's memory"""
ROUNDING = 1e-13
"""a variance below it, as a share of all variance, is rounding error"""


@with_parameters
class FisherScore(Countable):
    r"""Fisher's criterion: the variance between the means of the classes over the variance inside classes.

    .. math:: w_f = \frac{\sum_c n_c (\mu_c - \mu)^2}{\sum_c n_c\, \sigma_c^2}

    For symbols every value is a coordinate of its own that is 1 where it occurs, and the variances of the coordinates
    are added up, above and below; so a symbol with two values equals the same feature written as 0 and 1. Levels
    count by their rank, numbers on a circle by their point on it. A class without spread would divide by 0: the
    variance inside counts as at least a millionth of all variance, so no weight exceeds a million. A feature with
    one value, or one class, has 0.

    Reading: a case in which the feature is missing is left out for that feature (I6), under the policy "value" too
    unless it is a symbol: a missing number has no place among numbers.

    Parameters: ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: duda2001, sect. 3.8.2.

    >>> FisherScore().fit([[0, 1], [2, 5], [4, 5], [6, 1]], ["u", "u", "v", "v"]).feature_importances_
    array([4., 0.])
    """

    id = "fisher"
    numbers = "binned"
    reference = "duda2001"

    target_bins: int = BINS

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        items = zip(statistics, problem.table.schema.values(), strict=True)
        scores = side_by_side(lambda item: self._score(*item), items, len(problem.table))
        return Global(scores, problem.features)

    def _score(self, counts: ValueCounts, kind: Kind) -> float:
        if counts.storage == "symbol" and not isinstance(kind, Ordinal):
            between, within = _spread_of_symbols(counts)
        else:
            parts = [_spread(counts, x) for x in _coordinates(counts, kind)]
            between, within = sum(b for b, _ in parts), sum(w for _, w in parts)
        whole = between + within
        return between / max(within, LEAST * whole) if between > ROUNDING * whole else 0.0


@with_parameters
class InverseDeviation(Countable):
    r"""The inverse of the feature's standard deviation, so that every feature differs equally on average.

    .. math:: w_f = 1 / \sigma_f^{\,\mathrm{power}}, \qquad \sigma_f^2 = \frac{1}{2}\, E\,[\delta_f(x, x')^2]

    the mean over all pairs of cases x, x'. For numbers this is their variance, in the units in which the distance
    measures them: the range, unless ``scale`` says otherwise, so that the weight does not depend on units. For levels
    it is the variance of ranks, for numbers on a circle that of their differences along it, and for symbols, of which
    two differ by 1 or not at all, half the chance that two cases differ. A feature with one value has 0. Classes are
    not looked at, so it serves a regression too.

    With p = 1, the default here, ``power=1`` sums differences in standard deviations; with p = 2 ``power=2`` gives the
    standardised Euclidean distance. TiMBL's weighting of the same name is another one.

    Parameters: ``power`` of the deviation, the p of the distance.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: duda2001, sect. 4.6.

    >>> InverseDeviation().fit([[0, 10], [2, 10], [4, 30], [6, 30]]).feature_importances_.round(3)
    array([2.683, 2.   ])
    """

    id = "sd"
    reference = "duda2001"
    p = 1
    numbers = "unseen"

    power: float = 1

    def _partial(self, problem: Problem) -> PerFeature:
        if isinstance(self.power, bool) or not isinstance(self.power, int | float) or not 0 < self.power < np.inf:
            raise InputError(f"power must be a positive number, the p of the distance, got {self.power!r}.")
        require_countable(self.id, problem.table.schema)
        n = len(problem.target)
        alike = Target(np.zeros(n, dtype=np.intp), np.array(["any"]), problem.target.weights)
        return PerFeature(count_columns(problem.table.columns, alike, [False] * len(problem.features)))

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        items = zip(statistics, problem.metric.measures, strict=True)
        weights = side_by_side(lambda item: self._weight(*item), items, len(problem.table))
        return Global(weights, problem.features)

    def _weight(self, counts: ValueCounts, measure: Measure) -> float:
        deviation = float(np.sqrt(_variance(counts, measure)))
        return float(deviation**-self.power) if deviation > 1e-150 else 0.0


def _coordinates(counts: ValueCounts, kind: Kind) -> list[Array]:
    """Each value as one or two numbers, (v,) each."""
    if isinstance(kind, Ordinal):
        rank = {level: float(i) for i, level in enumerate(kind.levels)}
        return [np.array([rank[level] for level in counts.values])]
    if isinstance(kind, Cyclic):
        angle = np.mod(counts.values, kind.period) / kind.period * (2 * np.pi)
        return [cos(angle), sin(angle)]
    return [onto_unit_interval(counts.values)]


def onto_unit_interval(values: Array) -> Array:
    """Ascending numbers as shares of their range, without overflow."""
    low, span = values[:1] / 2, values[-1:] / 2 - values[:1] / 2
    return np.asarray((values / 2 - low) / np.where(span > 0, span, 1.0))


def _spread(counts: ValueCounts, coordinate: Array) -> tuple[float, float]:
    """The sums of squares between and inside classes of numbers (v,)."""
    if not counts.n_values or coordinate.min() == coordinate.max():
        return 0.0, 0.0
    n, sums, within = counts.class_weights, np.zeros(counts.n_classes), 0.0
    for x, weights, at in _pieces(counts, coordinate):
        sums += sums_at(at, weights * x, counts.n_classes)
    means = sums / np.where(n > 0, n, 1.0)
    for x, weights, at in _pieces(counts, coordinate):
        apart = x - means[at]
        within += float(dot(weights * apart, apart))
    mean = float(dot(n, means)) / max(float(n.sum()), 1e-300)
    return float(dot(n, (means - mean) ** 2)), within


def _pieces(counts: ValueCounts, coordinate: Array) -> Iterator[tuple[Array, NDArray[Any], NDArray[np.intp]]]:
    """The number, the weight and the class of every entry, some at a time."""
    all_differ = len(counts.value_at) == counts.n_values  # every value has one entry, so they stand in the same order
    weights = counts.cases if counts.weights is None else counts.weights
    for start in range(0, len(weights), PIECE):
        piece = slice(start, start + PIECE)
        x = coordinate[piece] if all_differ else coordinate[counts.value_at[piece]]
        yield x, weights[piece], counts.class_at[piece].astype(np.intp)


def _spread_of_symbols(counts: ValueCounts) -> tuple[float, float]:
    """The same, added up over one coordinate a symbol that is 1 where the symbol occurs."""
    of_class = counts.class_weights + counts.missing
    total = float(of_class.sum())
    if total <= 0:
        return 0.0, 0.0
    of_value = sums_at(counts.value_at, counts.entry_weights, counts.n_values)
    square = np.append(counts.entry_weights, counts.missing) ** 2
    at = np.append(counts.class_at, np.arange(counts.n_classes))
    # sum of n_c p(v|c)^2 over values and classes, by which both sums of squares can be written
    together = float(np.sum(square / np.where(of_class > 0, of_class, 1.0)[at]))
    overall = (float(dot(of_value, of_value)) + float(counts.missing.sum()) ** 2) / total
    return max(0.0, together - overall), max(0.0, total - together)


def _variance(counts: ValueCounts, measure: Measure) -> float:
    """Half the mean squared difference of two cases, in the units of the distance."""
    weights = sums_at(counts.value_at, counts.entry_weights, counts.n_values)
    total = float(weights.sum())
    if total <= 0 or counts.n_values < 2:
        return 0.0
    share = weights / total
    kind = measure.kind
    if counts.storage == "symbol" and not isinstance(kind, Ordinal):
        return float(0.5 * (1.0 - dot(share, share)))
    if measure.fitted.form not in ("line", "circle"):  # a function of the user's own: the numbers as they are
        x = onto_unit_interval(counts.values) * float(counts.values[-1] - counts.values[0])
    elif isinstance(kind, Cyclic):
        turn = 2.0 * float(measure.fitted.encode(Column(np.array([kind.period / 2])))[0]) * measure.scale(1)
        return _variance_on_a_circle(np.mod(counts.values, kind.period) / kind.period, share) * turn * turn
    else:
        column = counts.column(kind.levels if isinstance(kind, Ordinal) else None)
        held = measure.fitted.encode(column)
        x = (held - held[len(held) // 2]) * measure.scale(1)  # the digits of the spread, however far from 0 it lies
    apart = x - float(dot(share, x))
    return float(dot(share, apart * apart))


def _variance_on_a_circle(turns: Array, share: Array) -> float:
    """Half the mean squared difference of points on a circle of length 1, by running sums along it."""
    order = np.argsort(turns, kind="stable")
    x, w = turns[order], share[order]
    upto = [np.concatenate([[0.0], np.cumsum(w * x**k)]) for k in range(3)]
    here = np.arange(len(x))
    near = np.searchsorted(x, x + 0.5, side="right")  # up to here the way goes on, beyond it goes back
    w0, w1, w2 = (s[near] - s[here] for s in upto)
    r0, r1, r2 = (s[-1] - s[near] for s in upto)
    back = x + 1.0
    ahead = w2 - 2 * x * w1 + x * x * w0 + r2 - 2 * back * r1 + back * back * r0
    return max(0.0, float(dot(w, ahead)))
