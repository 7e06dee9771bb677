"""Mean difference weighting: features that differ less inside a class than outside of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.errors import InputError, check_choice, warn
from nearwise.statistics.counts.values import PerFeature
from nearwise.statistics.pair_means.beside_numbers import BesideNumbers
from nearwise.statistics.pair_means.classes import FeaturePairs
from nearwise.statistics.pair_means.targets import COUNTED, TargetPairs, counted_pairs, target_pairs, with_missing
from nearwise.weighting.base import Mergeable, Problem, with_parameters
from nearwise.weighting.place import PRESET_LOCAL
from nearwise.weighting.selecting import case_order
from nearwise.weights import Global, PerClass, Weights

__all__ = ["MeanDifference"]

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-12
"""out-of-class and in-class means that differ by less, as a share of the mean difference, are equal but for rounding"""
SMALLEST = 1e-300
"""a smaller mean difference has no inverse in double precision and counts as none"""


@with_parameters
class MeanDifference(Mergeable):
    r"""Per class, how much more a feature differs out of the class than in it, on features scaled to a mean of 1.

    .. math::
        s_f &= 1 / \bar\Delta_f(T, T), \qquad
        \bar\Delta_f(S, S') = \frac{1}{|S||S'|} \sum_{x \in S} \sum_{y \in S'} \delta_f(x, y) \\
        r_{fc} &= \max\bigl(0,\; s_f \bar\Delta_f(T_c, T - T_c) - s_f \bar\Delta_f(T_c, T_c)\bigr) \\
        w_{fc} &= s_f \, r_{fc} / \textstyle\sum_g r_{gc}

    T are the training cases, T_c those of class c. Works for every kind of feature: all it asks is what two values
    differ by. A constant feature has s = 0 (Reading M3). Where every r of a class is 0, its significance is 1/p for
    each feature (M4), with a warning; so it is where there is one class only (M6), and for a class that has lost all
    its cases. Cases in which a feature is missing are left out of its means, unless its policy is "value".

    Where the target is a number, two cases are out of class by ``t = |y_i - y_j|`` over its range and in class by
    1 - t, so there is one vector for all cases:

    .. math:: r_f = \max\Bigl(0,\; s_f \frac{\sum_{ij} t_{ij}\,\delta_f(x_i, x_j)}{\sum_{ij} t_{ij}} -
              s_f \frac{\sum_{ij} (1 - t_{ij})\,\delta_f(x_i, x_j)}{\sum_{ij} (1 - t_{ij})}\Bigr)

    A warning names classes that keep at most a fifth of the features, and a third of what the class with most keeps,
    where a quarter of the cases belong to such classes: on Ionosphere, which is like that, the paper found it to fail.

    Reading: a mean counts the pairs of a case with itself (M1; ``pairs="distinct"`` does not, and gives a class of
    one case the in-class mean 0, M7). Significance is computed from scaled differences (M2; ``significance="raw"``
    takes the equations as printed). The distance is the plain sum of w * delta, p = 1 (M5). Numbers are not
    normalised beforehand (M11). An asymmetric difference is delta(case of the class, other case) (M10).

    Exact for numbers (n log n), symbols and levels. Text, sets, vectors and functions compare every pair of
    different values up to ``max_pairs`` pairs (value differences a hundred times as many), beyond it a sample of
    about ``max_pairs`` pairs a feature, with Hoeffding's bound on the error of each mean (M12).

    Parameters
    ----------
    per_class : bool
        One vector a class; False averages the significance of the classes by their priors into one vector. Numbers as
        target have one vector in either case.
    pairs : "all" or "distinct"
        Whether the pairs of a case with itself count.
    significance : "calibrated" or "raw"
        Whether significance is computed from scaled differences.
    exact : "auto", True or False
        True measures every pair, whatever it costs; False always draws a sample for kinds that need pairs.
    max_pairs : int
        Pairs of different values of one feature that are compared.
    confidence : float
        Of ``error_bound_``.
    random_state : int or None
        Seed of the sample; None is a fixed seed.

    Attributes
    ----------
    weights_ : PerClass or Global
        (c, p) with rows in the order of ``classes_``, or (p,).
    scale_ : array
        (p,) s.
    difference_in_, difference_out_ : array
        (c, p) the two means, scaled if significance is "calibrated"; 0 without pairs. Numbers as target have one row.
    significance_ : array
        (c, p) each row sums to 1.
    error_bound_ : array
        (p,) by how much the means may be off before scaling, in the feature's own units; 0 if exact. Over parts of more
        than 4 million different numbers it is what the digits make that are left out. Of a sample all means of the
        feature keep to it with probability ``confidence``, if no difference exceeds the largest one seen (kinds with
        a natural bound use that).

    Notes
    -----
    References: howe1999, eqs. 1-6; howe1997; hoeffding1963.

    >>> cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "blue"}, {"size": 8, "hue": "red"}]
    >>> mdw = MeanDifference().fit(cases, ["small", "small", "big"])
    >>> mdw.classes_.tolist(), mdw.scale_.round(3).tolist()
    (['big', 'small'], [0.321, 2.25])
    >>> mdw.weights_.values.round(3).tolist()
    [[0.209, 0.788], [0.321, 0.0]]
    """

    id = "mdw"
    numbers = "own"
    place = PRESET_LOCAL
    reference = "howe1999, howe1997, hoeffding1963"
    caution = (
        "with weights per class right in 77.2%, with per_class=False in 81.8%, where none is in 80.9% and default in "
        "84.1% (12 tables of at most 500 cases); on credit-g 54.6%, against 74.6%, 74.2% and 75.4%"
    )
    p = 1
    scale = "none"
    shape = "per-class"

    per_class: bool = True
    pairs: str = "all"
    significance: str = "calibrated"
    exact: bool | str = "auto"
    max_pairs: int = 4_000_000
    confidence: float = 0.95
    random_state: Any = None

    merges_exactly = True
    numbers_over_parts = True

    def checked(self, statistics: PerFeature, features: tuple[str, ...]) -> PerFeature:
        named = zip(statistics, features, strict=True)
        return PerFeature(pairs.bounded(name) for pairs, name in named)

    def partial(self, problem: Problem, agreed: Any = None) -> PerFeature:
        """The same of a part; a target of numbers is counted beside the values of each feature."""
        if problem.target.classes is not None:
            return self._partial(problem)
        self._check()
        for measure in problem.metric.measures:
            if measure.fitted.form not in COUNTED:
                raise InputError(
                    f"The weighting 'mdw' measures feature {measure.name!r} ({measure.kind.name}, "
                    f"{measure.difference}) pair by pair where the target is a number, and this table comes in parts: "
                    f"take 'corr' or 'gr', compare the feature by its intervals, or leave it out: "
                    f"ignore=[{measure.name!r}]."
                )
        columns = zip(problem.metric.measures, problem.cases.columns, problem.table.columns, strict=True)
        return PerFeature(BesideNumbers.of(m, encoded, c.missing, problem.target) for m, encoded, c in columns)

    @property
    def _limit(self) -> float:
        """Pairs of one feature up to which all of them are measured."""
        return self.max_pairs if self.exact == "auto" else (np.inf if self.exact else 0.0)

    def _partial(self, problem: Problem) -> PerFeature:
        self._check()
        if problem.target.classes is None:
            return PerFeature()  # pairs are counted when they are asked for, and anew when the range changes
        columns = zip(problem.table.columns, problem.metric.measures, strict=True)
        return PerFeature(FeaturePairs.of(column, problem.target, m, self._limit) for column, m in columns)

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        is_number = problem.target.classes is None
        if is_number:
            pairs = self._pairs_beside(statistics, problem) if len(statistics) else self._pairs_of(problem)
            means = self._number_means(pairs, problem)
        else:
            means = self._means(statistics, problem)
        overall, inside, outside, self.error_bound_ = means
        constant = overall < SMALLEST
        scale = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, overall))
        if self.significance == "calibrated":
            inside, outside = inside * scale, outside * scale
            rounding = np.where(constant, 0.0, NEGLIGIBLE) * np.maximum(1.0, outside)
        else:
            rounding = NEGLIGIBLE * np.maximum(overall, outside)
        raw = np.where(outside - inside > rounding, outside - inside, 0.0)
        sums = raw.sum(axis=1, keepdims=True)
        even = np.full(raw.shape, 1.0 / raw.shape[1])
        significance = np.where(sums > 0, raw / np.where(sums > 0, sums, 1.0), even)
        self.scale_, self.significance_ = scale, significance
        self.difference_in_, self.difference_out_ = inside, outside
        target, names = problem.target, problem.features
        if is_number:
            if not raw.any():
                warn("No feature differs more where the target does: all features get the same significance.")
            return Global(scale * significance[0], names)
        self._warn(raw, constant, problem)
        if not self.per_class:
            return Global(scale * dot(target.priors, significance), names)
        classes = [] if target.classes is None else target.classes.tolist()
        return PerClass(scale * significance, names, classes, target.priors)

    def _means(self, statistics: PerFeature, problem: Problem) -> tuple[Array, Array, Array, Array]:
        """(p,) overall, (c, p) in-class and (c, p) out-of-class mean differences, (p,) bounds of their error."""
        p, c = len(problem.features), problem.target.n_classes
        overall, bounds, inside, outside = np.zeros(p), np.zeros(p), np.zeros((c, p)), np.zeros((c, p))
        for f, (pairs, measure) in enumerate(zip(statistics, problem.metric.measures, strict=True)):
            means = pairs.means(measure, self.max_pairs, self.confidence, self.random_state)
            mean = means.overall
            if self.pairs == "distinct":
                own = pairs.own(measure)
                means, mean = means.distinct(own), means.overall_distinct(own)
            unit = measure.scale(1)
            overall[f], bounds[f] = unit * mean, unit * (means.bound + pairs.off_by(measure))
            inside[:, f], outside[:, f] = unit * means.within, unit * means.outside
        return overall, inside, outside, bounds

    def _pairs_of(self, problem: Problem) -> Iterator[TargetPairs]:
        limit = max(self._limit, float(self.max_pairs) if self.exact is False else 0.0)
        if any(measure.fitted.form not in COUNTED for measure in problem.metric.measures):
            problem = problem.take(case_order(problem, 0))  # so that samples are the same in any order of cases
        columns = zip(problem.metric.measures, problem.cases.columns, problem.table.columns, strict=True)
        for measure, encoded, column in columns:
            yield target_pairs(
                measure, encoded, column.missing, problem.target, limit, self.confidence, self.random_state
            )

    @staticmethod
    def _pairs_beside(statistics: PerFeature, problem: Problem) -> Iterator[TargetPairs]:
        for beside, measure in zip(statistics, problem.metric.measures, strict=True):
            yield with_missing(counted_pairs(beside), beside, measure.fitted.maximum)

    def _number_means(self, pairs: Iterable[TargetPairs], problem: Problem) -> tuple[Array, Array, Array, Array]:
        """(p,) overall, (1, p) alike and (1, p) unlike mean differences, (p,) bounds of their error."""
        p = len(problem.features)
        overall, bounds, inside, outside = np.zeros(p), np.zeros(p), np.zeros((1, p)), np.zeros((1, p))
        for f, (found, measure) in enumerate(zip(pairs, problem.metric.measures, strict=True)):
            unit = measure.scale(1)
            means = found.means(self.pairs == "distinct")
            overall[f], inside[0, f], outside[0, f] = (unit * mean for mean in means)
            bounds[f] = unit * found.bound
        return overall, inside, outside, bounds

    def _warn(self, raw: Array, constant: NDArray[np.bool_], problem: Problem) -> None:
        target = problem.target
        here = target.class_weights > 0
        kept = (raw > 0).sum(axis=1)
        names = np.array([str(c) for c in target.classes], dtype=object) if target.classes is not None else here
        if here.sum() < 2:
            warn("There is one class only, so no feature tells classes apart: all features get the same significance.")
            return
        flat = here & (kept == 0)
        if flat.any():
            warn(
                f"No feature differs less inside class {_listed(names[flat])} than outside of it: all features get the "
                "same significance there. Another weighting, such as 'ig' or 'none', may serve better."
            )
        usable, most = int((~constant).sum()), int(kept[here].max())
        poor = here & (kept > 0) & (5 * kept <= usable) & (3 * kept <= most)
        if target.priors[poor].sum() >= 0.25:
            warn(
                f"Class {_listed(names[poor])} keeps {_listed(kept[poor])} of {usable} features, another class {most}: "
                "mean difference weighting does badly on such data. Compare with 'ig' or 'none', or use "
                "per_class=False."
            )

    def _check(self) -> None:
        check_choice("pairs", self.pairs, ("all", "distinct"))
        check_choice("significance", self.significance, ("calibrated", "raw"))
        if not isinstance(self.exact, bool | np.bool_) and not (isinstance(self.exact, str) and self.exact == "auto"):
            raise InputError(f"exact={self.exact!r}: expected 'auto', True or False.")
        if not (isinstance(self.max_pairs, int | float | np.number) and self.max_pairs >= 1):
            raise InputError(f"max_pairs must be a number from 1, got {self.max_pairs!r}.")
        if not (isinstance(self.confidence, float | np.floating) and 0 < self.confidence < 1):
            raise InputError(f"confidence must lie between 0 and 1, got {self.confidence!r}.")


def _listed(items: Any) -> str:
    return ", ".join(repr(i) if isinstance(i, str) else str(i) for i in items)
