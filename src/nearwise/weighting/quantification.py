"""Quantification method II: new features that hold as much of the variance between classes as they can."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.target import BINS
from nearwise.differences.symbolic import Overlap
from nearwise.errors import InputError, check_whole_or_none, warn
from nearwise.statistics.counts.moment_sums import MomentSums
from nearwise.statistics.counts.moments import Moments, Spread
from nearwise.statistics.descent.directions import Directions, directions
from nearwise.weighting.base import Mergeable, Problem, with_parameters
from nearwise.weighting.place import Place
from nearwise.weighting.served import COUNTED, COUNTED_NEEDS
from nearwise.weights import Global, Matrix, PerValue, Weights

__all__ = ["QuantificationDistance", "QuantificationWeights"]

Array = NDArray[np.float64]

COLUMNS = 4000
"""binarised columns that can be worked with: the matrix of their variances takes 128 MB"""


class _Quantification(Mergeable):
    """Finds the new features; subclasses make weights of them."""

    kinds = COUNTED
    needs = COUNTED_NEEDS

    place = Place(representation="transformed")
    n_components: int | None

    @property
    def suggested_differences(self) -> Any:
        return {"Cyclic": Overlap(discretise="width")}

    @abstractmethod
    def _weights(self, found: Directions, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        """Weights from the new features, whose columns are numbers and levels."""

    merges_exactly = True

    def _partial(self, problem: Problem) -> MomentSums:
        self._check(problem)
        return MomentSums.of(problem.cases, _levels(problem), problem.target)

    def _finish(self, statistics: MomentSums, problem: Problem) -> Weights:
        levels = _levels(problem)
        moments = statistics.under(levels).moments()
        spread = moments.spread()
        units = _units(moments, problem)
        total, means = spread.total * units[:, None] * units, spread.means * units
        binary = np.concatenate([np.full(max(1, len(own)), len(own) > 0) for own in levels])
        found = directions(total, means, spread.shares, self.n_components, binary)
        self.ratios_ = found.ratios
        if not len(found.ratios):
            warn("No feature has a different mean in different classes: all features get the same weight.")
            return Global(np.ones(len(levels)), problem.features)
        return self._weights(found, levels, spread, problem)

    def relearn(self, after: Problem, *, added: Problem | None = None, removed: Problem | None = None) -> Weights:
        """Counts merge to the last bit. Numbers are taken as the metric has them, in a unit that may change with the
        cases, and weights with a fraction round, so both are added up anew."""
        changed = [problem for problem in (after, added, removed) if problem is not None]
        if all(_is_counted(problem) for problem in changed):
            return super().relearn(after, added=added, removed=removed)
        return self.learn(after)

    def _check(self, problem: Problem) -> None:
        check_whole_or_none("n_components", self.n_components, 1, ", or None for all")
        for measure in problem.metric.measures:
            if measure.fitted.form not in ("line", "overlap", "table"):
                raise InputError(
                    f"The weighting {self.id!r} adds up numbers and symbols, and feature {measure.name!r} "
                    f"({measure.kind.name}, {measure.difference}) is neither: use 'mdw', which works for any kind, or "
                    f"leave the feature out: ignore=[{measure.name!r}]."
                )
        levels = _levels(problem)
        widths = [max(1, len(own)) for own in levels]
        if sum(widths) > COLUMNS:
            most = int(np.argmax(widths))
            raise InputError(
                f"The weighting {self.id!r} has a column for every value, {sum(widths)} of them, and can do with "
                f"{COLUMNS}: feature {problem.features[most]!r} alone has {widths[most]} values. Leave it out: "
                f"ignore=[{problem.features[most]!r}]."
            )


def _levels(problem: Problem) -> list[tuple[Any, ...]]:
    """The columns of each feature: none listed for a number, else its symbols or intervals, and None where a missing
    value is a value."""
    return [
        (*(m.fitted.levels or ()), *((None,) if m.as_value else ())) if m.fitted.form != "line" else ()
        for m in problem.metric.measures
    ]


def _is_counted(problem: Problem) -> bool:
    """Whether all sums are of whole numbers: symbols only, and sample weights without a fraction."""
    weights = problem.target.weights
    symbols = all(m.kind.storage != "number" and m.fitted.form != "line" for m in problem.metric.measures)
    return symbols and bool((weights == np.floor(weights)).all())


def _units(statistics: Moments, problem: Problem) -> Array:
    """(w,) by what to multiply the columns of the moments to have numbers in the unit of their difference."""
    out = []
    for f, (measure, own) in enumerate(zip(problem.metric.measures, statistics.levels, strict=True)):
        unit = 1.0 if own else measure.scale(1) / float(statistics.factor[f])
        if not unit < 1e100:
            raise InputError(
                f"The numbers of feature {measure.name!r} are too large to be squared: scale='range', or divide them."
            )
        out += [unit] * max(1, len(own))
    return np.array(out)


@with_parameters
class QuantificationWeights(_Quantification):
    r"""Weights of the given features by how much the new features of quantification method II take from each (QM2m).

    .. math::
        d(x, q) = \sqrt{\sum_f \Bigl(\sum_{f'} |a_{f'f}|\,\delta_f(x, q)\Bigr)^2}, \qquad
        a_{f'} = \arg\max_{a'Ta = 1} a'Ba

    T is the variance of the cases, B that between the means of the classes; each further a is uncorrelated with those
    before. In our equation the weight of f is the square of the inner sum. Directions of equal ratio are one group,
    which takes from f by the length of their components, not by the sum of their moduli (Q9). A symbolic feature is
    replaced by one binary feature a value (WAM, footnote 5), and a mismatch of u and v adds the weights of both.

    Numbers are taken in the unit of their difference, so that a is per range. A missing value stands at the mean, or is
    a value of its own under the policy "value"; in the distance the policy says what it differs by, and its weight, as
    that of a symbol never seen, is the mean over the known. A constant feature has 0. Numbers on a circle are cut
    into eight intervals. Where no direction tells the classes apart, all features weigh the same, with a warning.

    Reading: between/total variance, not the squared distances to projections of the text (Q7); T divided by n (Q3); a
    pseudo-inverse where binarised columns make T singular (Q6); signs as in Q5, without effect here; numbers are
    neither centred nor scaled further (Q8).

    Parameters: ``n_components``, how many new features; None takes all, min(classes - 1, rank) (Q4), and of equal ones
    none is left out (Q9); ``target_bins``, into how many intervals of about equally many cases a target that is a
    number is cut.

    Attributes: ``weights_`` (Global, or PerValue where there are symbols), ``ratios_`` (new,) the share of each new
    feature's variance that lies between classes, ``feature_importances_`` (p,).

    References: mohri1994; hayashi1952; wettschereck1997, eq. 23.

    >>> cases = [[1.0, 5.0], [2.0, 1.0], [8.0, 2.0], [9.0, 4.0]]
    >>> qm2 = QuantificationWeights().fit(cases, ["low", "low", "high", "high"])
    >>> qm2.weights_, qm2.ratios_.round(3).tolist()
    (Global(2 features; x0: 5.13, x1: 0.0128), [0.982])
    """

    id = "qm2m"
    numbers = "binned"
    reference = "mohri1994, hayashi1952, wettschereck1997"

    n_components: int | None = None
    target_bins: int = BINS

    def _weights(self, found: Directions, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        ends = np.cumsum([max(1, len(own)) for own in levels])[:-1]
        values = np.split(np.square(found.takes), ends)
        if not any(levels):
            return Global(np.concatenate(values), problem.features)
        shares = [
            np.ones(1) if not own else part / max(float(part.sum()), 1e-300)
            for part, own in zip(np.split(spread.frequencies, ends), levels, strict=True)
        ]
        unseen = [float(dot(a, b)) for a, b in zip(values, shares, strict=True)]
        values = [np.where(b > 0, a, mean) for a, b, mean in zip(values, shares, unseen, strict=True)]
        return PerValue(values, problem.features, levels, by="both", unseen=unseen, frequencies=shares)


@with_parameters
class QuantificationDistance(_Quantification):
    r"""Distance in the new features of quantification method II (QM2y).

    .. math::
        d(x, q) = \sum_{f'} \bigl(a_{f'} \cdot x - a_{f'} \cdot q\bigr)^2, \qquad a_{f'} = \arg\max_{a'Ta = 1} a'Ba

    T is the variance of the cases, B that between the means of the classes; each further a is uncorrelated with those
    before. A symbolic feature is replaced by one binary feature a value, of which none is 1 for a symbol never seen. A
    missing value stands at the mean of its feature, or is a value of its own under the policy "value". Numbers on a
    circle are cut into eight intervals. Where no direction tells the classes apart, all features weigh the same, with
    a warning.

    Reading: the difference where WAM eq. 25 prints a product, by which a case would differ from itself (Q1); no root,
    as printed (Q2; ``p=2`` takes it). Q3 to Q9 as in `QuantificationWeights`: here the scale of each a matters, and
    with a'Ta = 1 every new feature has variance 1.

    Parameters: ``n_components``, how many new features; None takes all, min(classes - 1, rank) (Q4);
    ``target_bins``, into how many intervals of about equally many cases a target that is a number is cut.

    Attributes: ``weights_`` (Matrix), ``ratios_`` (new,) the share of each new feature's variance that lies between
    classes, ``feature_importances_`` (p,).

    References: mohri1994; hayashi1952; wettschereck1997, eqs. 24-25.

    >>> cases = [[1.0, 5.0], [2.0, 1.0], [8.0, 2.0], [9.0, 4.0]]
    >>> qm2 = QuantificationDistance().fit(cases, ["low", "low", "high", "high"])
    >>> qm2.weights_.values.round(3).tolist()
    [[2.265, 0.113]]
    """

    id = "qm2y"
    numbers = "binned"
    reference = "mohri1994, hayashi1952, wettschereck1997"
    shape = "matrix"
    p = 1

    n_components: int | None = None
    target_bins: int = BINS

    def _weights(self, found: Directions, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        return Matrix(found.rows, problem.features, levels)
