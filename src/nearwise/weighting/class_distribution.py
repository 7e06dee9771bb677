"""Class distribution weighting: features whose values are distributed differently in a class than outside of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import warn
from nearwise.statistics.counts.values import PerFeature
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.by_value import ByValue
from nearwise.weighting.place import PRESET_LOCAL
from nearwise.weights import PerClass, Weights

__all__ = ["ClassDistribution"]

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-12
"""two distributions that differ by less are equal but for rounding"""


@with_parameters
class ClassDistribution(ByValue):
    r"""Per class, how differently the values of a feature are distributed in the class and outside of it (CDW).

    .. math::
        r_{fc} &= \sum_v \bigl| P(x_f = v \mid c) - P(x_f = v \mid \text{not } c) \bigr| \\
        w_{fc} &= r_{fc} / \textstyle\sum_g r_{gc}

    r is 0 where the class shares the distribution of the rest, and 2 where it shares no value with it. Where every r of
    a class is 0, and where there is one class only, each of the p features weighs 1/p there, with a warning, as in
    `mdw` (Readings M4, M6); so it is for a class that has lost all its cases.

    Reading: Howe and Cardie name CDW among the methods with weights that vary by class and say that it takes discrete
    features only; its equation is in their paper of 1997. That r is this sum of absolute differences, that the weights
    of a class add up to 1, and that a missing value is left out of the counts (I6; unless its policy is "value") is how
    we take it. The distance is the plain sum of w * difference, p = 1 (M5). Numbers are cut into intervals, which stay
    in the distance (I12).

    Parameters: ``discretise``, how numbers are cut: "mdl" (Fayyad and Irani), "width", "frequency", a list of cut
    points, or a dict of lists by feature; ``bins``, into how many by width or frequency.

    Attributes: ``weights_`` (PerClass), ``scores_`` (c, p) r, ``feature_importances_`` (p,).

    References: howe1997; howe1999, sect. 5.

    >>> cases = [{"sky": "sun", "wind": "weak"}, {"sky": "sun", "wind": "strong"},
    ...          {"sky": "rain", "wind": "weak"}, {"sky": "fog", "wind": "weak"}]
    >>> cdw = ClassDistribution().fit(cases, ["go", "go", "stay", "stay"])
    >>> cdw.scores_.tolist(), cdw.weights_.values.round(3).tolist()
    ([[2.0, 1.0], [2.0, 1.0]], [[0.667, 0.333], [0.667, 0.333]])
    """

    id = "cdw"
    place = PRESET_LOCAL
    reference = "howe1997, howe1999"
    caution = (
        "no better than plain neighbours: right in 80.2% where none is in 80.9% and default in 84.1% (12 tables "
        "of at most 500 cases)"
    )
    p = 1
    shape = "per-class"

    discretise: Any = "mdl"
    bins: int = 8

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        tables, target = self._tables(statistics, problem), problem.target
        raw = np.stack([contrast(table.counts) for table in tables], axis=1)
        sums = raw.sum(axis=1, keepdims=True)
        self.scores_ = raw
        self._warn(sums[:, 0] > 0, problem)
        weights = np.where(sums > 0, raw / np.where(sums > 0, sums, 1.0), 1.0 / raw.shape[1])
        classes = [] if target.classes is None else target.classes.tolist()
        return PerClass(weights, problem.features, classes, target.priors)

    def _warn(self, told: NDArray[np.bool_], problem: Problem) -> None:
        target = problem.target
        here = target.class_weights > 0
        if here.sum() < 2:
            warn("There is one class only, so no feature tells classes apart: all features get the same weight.")
        elif (here & ~told).any() and target.classes is not None:
            named = ", ".join(repr(str(label)) for label in target.classes[here & ~told])
            warn(f"The values of every feature are distributed alike in class {named} and outside of it: all features "
                 "get the same weight there.")  # fmt: skip


def contrast(counts: Array) -> Array:
    """(c,) the sum over values of |P(v | c) - P(v | not c)| from counts (v, c); 0 where either side has no case.

    >>> contrast(np.array([[2.0, 1.0], [0.0, 1.0]]))
    array([1., 1.])
    """
    inside = counts.sum(axis=0)
    outside = inside.sum() - inside
    rest = counts.sum(axis=1, keepdims=True) - counts
    both = (inside > 0) & (outside > 0)
    within, without = np.where(both, inside, 1.0), np.where(both, outside, 1.0)
    apart = np.abs(counts / within - rest / without).sum(axis=0)
    return np.where(both & (apart > NEGLIGIBLE), apart, 0.0)
