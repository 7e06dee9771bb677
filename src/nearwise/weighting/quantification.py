"""Quantification method II: new features that hold as much of the variance between classes as they can."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import BINS
from nearwise.differences.symbolic import Overlap
from nearwise.errors import InputError, warn
from nearwise.statistics.moments import Moments, Spread
from nearwise.weighting.base import Mergeable, Place, Problem
from nearwise.weights import Global, Matrix, PerValue, Weights

__all__ = ["QuantificationDistance", "QuantificationWeights", "directions"]

Array = NDArray[np.float64]

COLUMNS = 4000
"""binarised columns that can be worked with: the matrix of their variances takes 128 MB"""
SINGULAR = 1e-11
"""a variance below this share of the largest is the rounding error of columns that depend on one another"""
NOTHING = 1e-12
"""a share of variance between classes below it is none"""


class _Quantification(Mergeable):
    """Finds the new features; subclasses make weights of them."""

    place = Place(representation="transformed")
    n_components: int | None

    ratios_: Array

    @property
    def suggested_differences(self) -> Any:
        return {"Cyclic": Overlap(discretise="width")}

    @abstractmethod
    def _weights(self, found: Array, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        """Weights from the new features (new, w), whose columns are numbers and levels."""

    def _partial(self, problem: Problem) -> Moments:
        self._check(problem)
        return Moments.of(problem.cases, _levels(problem), problem.target)

    def _finish(self, statistics: Moments, problem: Problem) -> Weights:
        levels = _levels(problem)
        statistics = statistics.under(levels)
        spread = statistics.spread()
        units = _units(statistics, problem)
        total, means = spread.total * units[:, None] * units, spread.means * units
        found, self.ratios_ = directions(total, means, spread.shares, self.n_components)
        if not len(found):
            warn("No feature has a different mean in different classes: all features get the same weight.")
            return Global(np.ones(len(levels)), problem.features)
        return self._weights(found, levels, spread, problem)

    def relearn(self, after: Problem, *, added: Problem | None = None, removed: Problem | None = None) -> Weights:
        """Sums merge while numbers are what they were; intervals and units that moved need all cases."""
        moved = [
            m for m in after.metric.measures if m.kind.storage == "number" and (m.fitted.form != "line" or _shrunk(m))
        ]
        return self.learn(after) if moved else super().relearn(after, added=added, removed=removed)

    def _check(self, problem: Problem) -> None:
        k = self.n_components
        if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
            raise InputError(f"n_components={k!r}: expected a whole number from 1, or None for all.")
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


def directions(total: Array, means: Array, shares: Array, most: int | None) -> tuple[Array, Array]:
    """(new, w) directions a of largest a'Ba / a'Ta with a'Ta = 1, and (new,) these ratios, descending.

    ``total`` (w, w) is T, ``means`` (c, w) are those of the classes from the mean of all, ``shares`` (c,) their sizes:
    B = sum of share * mean mean'. Where T is singular, its pseudo-inverse takes the place of the inverse (Reading Q6).
    """
    scale = np.sqrt(np.diag(total).max(initial=0.0))
    if scale == 0:
        return np.zeros((0, len(total))), np.zeros(0)
    values, vectors = np.linalg.eigh(total / scale**2)
    kept = values > SINGULAR * values[-1]
    white = vectors[:, kept] / np.sqrt(values[kept])  # columns a with a'Ta = scale^2
    between = np.sqrt(shares)[:, None] * means / scale @ white
    _, roots, right = np.linalg.svd(between, full_matrices=False)
    ratios = np.square(roots)
    k = int(min((ratios > NOTHING).sum(), max(0, (shares > 0).sum() - 1), len(ratios) if most is None else most))
    found = (white @ right[:k].T).T / scale
    for row in found:  # Q5: the largest component is positive; of equal ones the first
        size = np.abs(row)
        if row[int(np.flatnonzero(size >= (1 - 1e-9) * size.max())[0])] < 0:
            row *= -1.0
    return found, ratios[:k]


def _levels(problem: Problem) -> list[tuple[Any, ...]]:
    """The columns of each feature: none listed for a number, else its symbols or intervals, and None where a missing
    value is a value."""
    return [
        (*(m.fitted.levels or ()), *((None,) if m.policy == "value" else ())) if m.fitted.form != "line" else ()
        for m in problem.metric.measures
    ]


def _shrunk(measure: Any) -> bool:
    """Whether numbers are stored multiplied by a power of two."""
    return bool(getattr(measure.fitted, "exponent", 0))


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


class QuantificationWeights(_Quantification):
    r"""Weights of the given features by how much the new features of quantification method II take from each (QM2m).

    .. math::
        d(x, q) = \sqrt{\sum_f \Bigl(\sum_{f'} |a_{f'f}|\,\delta_f(x, q)\Bigr)^2}, \qquad
        a_{f'} = \arg\max_{a'Ta = 1} a'Ba

    T is the variance of the cases, B that between the means of the classes; each further a is uncorrelated with those
    before. In our equation the weight of f is the square of the inner sum. A symbolic feature is replaced by one binary
    feature a value (WAM, footnote 5), and a mismatch of u and v adds the weights of both.

    Numbers are taken in the unit of their difference, so that a is per range. A missing value stands at the mean, or is
    a value of its own under the policy "value"; in the distance the policy says what it differs by, and its weight, as
    that of a symbol never seen, is the mean over the known. A constant feature has 0. Numbers on a circle are cut
    into eight intervals. Where no direction tells the classes apart, all features weigh the same, with a warning.

    Reading: between/total variance, not the squared distances to projections of the text (Q7); T divided by n (Q3); a
    pseudo-inverse where binarised columns make T singular (Q6); signs as in Q5, without effect here; numbers are
    neither centred nor scaled further (Q8).

    Parameters: ``n_components``, how many new features; None takes all, min(classes - 1, rank) (Q4);
    ``target_bins``, into how many intervals of about equally many cases a target that is a number is cut.

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

    def __init__(self, n_components: int | None = None, target_bins: int = BINS) -> None:
        self.n_components = n_components
        self.target_bins = target_bins

    def _weights(self, found: Array, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        ends = np.cumsum([max(1, len(own)) for own in levels])[:-1]
        values = np.split(np.square(np.abs(found).sum(axis=0)), ends)
        if not any(levels):
            return Global(np.concatenate(values), problem.features)
        shares = [
            np.ones(1) if not own else part / max(float(part.sum()), 1e-300)
            for part, own in zip(np.split(spread.frequencies, ends), levels, strict=True)
        ]
        unseen = [float(a @ b) for a, b in zip(values, shares, strict=True)]
        return PerValue(values, problem.features, levels, by="both", unseen=unseen, frequencies=shares)


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
    as printed (Q2; ``p=2`` takes it). Q3 to Q8 as in `QuantificationWeights`: here the scale of each a matters, and
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

    def __init__(self, n_components: int | None = None, target_bins: int = BINS) -> None:
        self.n_components = n_components
        self.target_bins = target_bins

    def _weights(self, found: Array, levels: list[tuple[Any, ...]], spread: Spread, problem: Problem) -> Weights:
        return Matrix(found, problem.features, levels)
