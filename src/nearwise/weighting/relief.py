"""Relief and its descendants: features that differ between near cases of different classes, and not within a class.

All of them are one contrast, ``w_f = sum over pairs of C[i, j] * delta_f(i, j)``; a method says what C is. What they
share stands in `ReliefLike`; the methods that look at all cases and not at k of them are in `relief_zones`, the one for
numbers as target in `relief_numbers`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.errors import InputError, check_choice, check_whole_or_none, warn
from nearwise.search.base import TIE
from nearwise.search.threads import threads
from nearwise.statistics.contrasts.classes import Contrast
from nearwise.statistics.contrasts.numbers import RegressionContrast
from nearwise.statistics.contrasts.ramp import as_ramp
from nearwise.statistics.contrasts.unknown import by_policy, by_probabilities
from nearwise.statistics.scattered import Collected
from nearwise.weighting.asking import AUTO, Asked, Asking, asking_cases, check_asking
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weights import Global, Weights

__all__ = ["Relief", "ReliefF", "ReliefLike", "contrast_weights"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNKNOWN = ("probabilities", "policy")


class ReliefLike(Weighting):
    """What the methods of the family share: which cases ask, rounds that drop features, and scores below 0."""

    place = FEEDBACK_GLOBAL
    numbers = "own"
    power = 1
    """near cases are found by the sum of differences (Reading F2), whatever the power of the final distance"""

    usual_asking: ClassVar[int] = 20_000
    """cases that ask under n_samples="auto" """

    n_neighbors: int
    n_samples: int | str | None
    drop: float | None
    keep: float
    unknown: str
    ramp: Any
    n_jobs: int | None
    random_state: Any

    @abstractmethod
    def _scores(self, asking: Asking) -> Asked | None:
        """The method's formula over the cases that ask for neighbours; None where Ctrl-C came before the first."""

    def _number_scores(self, asking: Asking) -> Asked | None:
        """The same for a target that is a number; the k nearest cases have equal influence (F14)."""
        contrast, target = asking.contrast, asking.target
        found = RegressionContrast(contrast, target)
        with asking.budget:
            for at, piece, near in contrast.near(asking.rows, self._nearest):
                each = target.weights[piece] / np.maximum(near.places, 1)
                found.add_listed(at, piece, near, near.shares * near.spread(each))
                asking.note(piece)
        return asking.regression(found)

    @property
    def _nearest(self) -> int:
        """How many near cases count."""
        return int(self.n_neighbors)

    def _learn(self, problem: Problem) -> Weights:
        self._check(problem)
        counts = problem.target.weights > 0
        if not counts.all():  # a case of weight 0 is not there
            problem = problem.take(np.flatnonzero(counts))
        rows = self._rows(problem)
        p = len(problem.features)
        kept, self.scores_, self.sampled_ = np.arange(p), np.zeros(p), None
        formula = self._number_scores if problem.target.classes is None else self._scores
        start = f"{self.id!r} gives every feature the same weight"
        budget = Budget(f"contrast of {self.id!r}", None, start, "n_samples= asks fewer cases", "about")
        while True:
            found = formula(Asking(self._contrast(problem, kept), rows, problem.target, budget))
            if found is None:
                break
            self.scores_[kept] = found.scores
            if len(rows) < len(problem.target) and getattr(self, "picks", None) is None:
                self.sampled_ = found.sampled(problem.target)
            better = self._better(found.scores, p)
            if better is None or budget.is_interrupted:
                break
            kept = kept[better]
        self.stopped_ = budget.stopped
        weights = np.zeros(p)
        weights[kept] = self._weights(self.scores_[kept]) if budget.has_result else 1.0
        if not weights.any():
            what = "targets" if problem.target.classes is None else "classes"
            warn(
                f"No feature has a positive score ({self.id}): none differs more between near cases of different "
                f"{what} than between near cases of one. Try another n_neighbors, or 'ig' or 'mdw'."
            )
        return Global(weights, problem.features)

    def _weights(self, scores: Floats) -> Floats:
        """A score below 0 is worse than none: it counts 0 in the distance (Reading F7)."""
        return np.maximum(scores, 0.0)

    def _better(self, scores: Floats, p: int) -> NDArray[Any] | None:
        """The features of the next round; None where this was the last. Features that tie stay together."""
        if self.drop is None:
            return None
        fewer = min(max(1, round(self.drop * p)), len(scores) - max(1, round(self.keep * p)))
        if fewer <= 0:
            return None
        stays = scores >= np.sort(scores)[fewer]
        return None if stays.all() else stays

    def _contrast(self, problem: Problem, features: NDArray[Any]) -> Contrast:
        """The pairs of cases under some of the features."""
        target, n_groups = problem.target, max(1, problem.target.n_classes)
        groups = target.values if target.classes is not None else np.zeros(len(target), dtype=np.int32)
        groups = groups.astype(np.int32)
        metric = replace(problem.metric.of_features(features), p=self.power)
        cases, unknown, ramp = problem.cases.of_features(features), [], as_ramp(self.ramp)
        for measure, column in zip(metric.measures, cases.columns, strict=True):
            if self.unknown == "policy":
                unknown.append(by_policy(measure, column, n_groups, ramp))
            else:
                has_classes = target.classes is not None
                unknown.append(by_probabilities(measure, column, groups, n_groups, target.weights, has_classes, ramp))
        asking = metric.asking(cases, target)
        return Contrast(metric, cases, asking, groups, n_groups, unknown, threads(self.n_jobs), ramp)

    def _rows(self, problem: Problem) -> Ints:
        """The cases that ask for neighbours."""
        return asking_cases(problem, self.n_samples, self.usual_asking, self.random_state)

    def _check(self, problem: Problem) -> None:
        check_whole_or_none("n_neighbors", getattr(self, "n_neighbors", None), 1, "")
        check_asking(self.n_samples)
        if self.drop is not None and not (isinstance(self.drop, float | np.floating) and 0 < self.drop < 1):
            raise InputError(f"drop={self.drop!r}: expected a share between 0 and 1, or None to drop no features.")
        if not (isinstance(self.keep, int | float | np.number) and 0 < self.keep <= 1):
            raise InputError(f"keep={self.keep!r}: expected a share of the features, above 0 and up to 1.")
        check_choice("unknown", self.unknown, UNKNOWN)
        as_ramp(self.ramp)


def contrast_weights(target: Target) -> Floats:
    """(c, c) what a neighbour of class b counts for a case of class a: -1 for a hit, P(b) / (1 - P(a)) for a miss (F1).

    >>> contrast_weights(Target(np.array([0, 1, 1, 2]), np.array(["a", "b", "c"]), np.ones(4))).round(2).tolist()
    [[-1.0, 0.67, 0.33], [0.5, -1.0, 0.5], [0.33, 0.67, -1.0]]
    """
    rest = 1.0 - target.priors
    out = target.priors[None, :] / np.where(rest > 0, rest, 1.0)[:, None]
    np.fill_diagonal(out, -1.0)
    return np.asarray(out)


@with_parameters
class Relief(ReliefLike):
    r"""For each case, the feature's difference from the nearest miss less that from the nearest hit.

    .. math:: w_f = \sum_i \delta_f(i, miss_i) - \delta_f(i, hit_i)

    The hit is the nearest other case of the same class, the miss the nearest case of another class; cases that tie
    share the place. A score below 0 stays in ``scores_`` and counts 0. With a ``threshold`` tau the weights select: 1
    where the score is at least tau, else 0.

    Reading: differences are not squared (R1) and the sum not divided by the number of cases (R2), as eq. 14 stands;
    neighbours by unweighted Euclidean distance (R3); all cases once, or ``picks`` (R4); a case alone in its class has
    no hit, which adds 0 (R5). A missing value is what its policy says. A sample weight multiplies what a case adds. A
    target that is a number has no hits and misses: the score is that of `RReliefF` with the nearest case alone (F14).

    Parameters
    ----------
    threshold : float or None
        tau; None keeps the scores as weights.
    picks : list of int or None
        Positions of the cases that ask, in any number; None asks ``n_samples``.
    n_samples : int, "auto" or None
        How many cases ask, of each class its share, drawn by their content and the seed; None asks all. "auto" asks all
        up to 20,000 cases and so many where there are more; the sums are then scaled up to all cases.
    drop, keep : float
        Drop the worst ``drop`` of the features round after round (TuRF) until the share ``keep`` is left.
    unknown : "policy" or "probabilities"
        What a missing value differs by: the feature's policy, or as in `ReliefF`.
    ramp : (equal, different) or None
        Numbers differ by 0 up to ``equal`` of their unit, by 1 from ``different`` on, and by a straight line between
        (F15); None for differences as they are.
    n_jobs, random_state
        Threads, which change nothing in the result, and the seed of the sample; None is a fixed seed.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``scores_`` (p,), ``stopped_`` ("interrupt" where Ctrl-C ended it), ``sampled_``
    as in `ReliefF`.

    References: kira1992, fig. 1; wettschereck1997, eq. 14; moore2007.

    >>> cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "blue"},
    ...          {"size": 9, "hue": "red"}, {"size": 7, "hue": "blue"}]
    >>> Relief().fit(cases, ["small", "small", "big", "big"]).scores_.round(3).tolist()
    [2.5, -4.0]
    """

    id = "relief"
    reference = "kira1992, wettschereck1997, moore2007"
    power = 2

    threshold: float | None = None
    picks: Any = None
    n_samples: int | str | None = AUTO
    drop: float | None = None
    keep: float = 0.5
    unknown: str = "policy"
    ramp: tuple[float, float] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _rows(self, problem: Problem) -> Ints:
        if self.picks is None:
            return super()._rows(problem)
        picks, n = np.asarray(self.picks), len(problem.target)
        if picks.ndim != 1 or picks.dtype.kind not in "iu" or not len(picks) or picks.min() < 0 or picks.max() >= n:
            raise InputError(f"picks must be positions of cases, from 0 to {n - 1}, got {self.picks!r}.")
        return picks.astype(np.int64)

    def _scores(self, asking: Asking) -> Asked | None:
        contrast, weights = asking.contrast, asking.target.weights
        sums = Collected(len(contrast.measures))
        with asking.budget:
            for at, piece, near in contrast.near(asking.rows, 1, with_sums=True):
                own = contrast.groups[piece]
                asks = np.repeat(np.arange(len(piece)), contrast.n_groups)
                group = np.tile(np.arange(contrast.n_groups), len(piece))
                is_hit = near.spread(group == own[asks])
                asks = near.spread(asks)
                nearest = np.full(len(piece), np.inf)  # of all other classes together
                np.minimum.at(nearest, asks[~is_hit], near.sums[~is_hit])
                is_miss = ~is_hit & (near.sums <= nearest[asks] * (1.0 + TIE))
                tied = np.bincount(asks[is_miss], minlength=len(piece))
                coefficients = np.where(is_hit, -near.shares, is_miss / np.maximum(tied, 1)[asks])
                sums.add(at, piece, contrast.listed(piece, near, coefficients * weights[piece][asks]))
                asking.note(piece)
        return self._sum(asking, sums) if len(sums) else None

    def _sum(self, asking: Asking, sums: Collected) -> Asked:
        """Scores that are sums: over the cases that were to ask, or over all where a sample stands for them."""
        rows, scores, meant = asking.asked(sums), sums.total, asking.rows
        if isinstance(self.n_samples, str) and self.picks is None:
            meant = np.arange(len(asking.target))
        whole = asking.weight(meant)
        if len(rows) < len(meant):
            scores = scores * (whole / asking.weight(rows))
        return Asked(scores, rows, 2.0 * whole * asking.largest)

    @property
    def _nearest(self) -> int:
        return 1

    def _weights(self, scores: Floats) -> Floats:
        if self.threshold is None:
            return super()._weights(scores)
        return np.where(scores >= self.threshold, 1.0, 0.0)


@with_parameters
class ReliefF(ReliefLike):
    r"""For each case, mean differences from its k near misses, class by class, less that from its k near hits.

    .. math::
        w_f = \frac1m \sum_i \Bigl[ \sum_{c \ne c_i} \frac{P(c)}{1 - P(c_i)} \bar\delta_f(i, near_c(i))
              - \bar\delta_f(i, near_{c_i}(i)) \Bigr]

    with near_c(i) the k cases of class c nearest to i, without i. A missing value of a case of class c differs from a
    known value v by 1 - P(v | c), and two missing ones by 1 - sum of P(v | c) P(v | c') over v, both in the search and
    in the sum. A score below 0 stays in ``scores_`` and counts 0.

    Reading: misses weigh P(c) / (1 - P(c_i)) (F1); near by the plain sum of differences (F2); a class with fewer than k
    cases gives the mean over those it has (F3), with a warning; probabilities over the known values of the class of
    the case that misses one (F4, F6), numbers in Fayyad & Irani's intervals (F5); negative scores count 0 (F7);
    numbers over their range (F8). Where t cases tie for the last r places each counts r/t, so the order of
    the cases does not matter (F9). A sample weight multiplies what a case adds, and counts in P (F10). A target that is
    a number has no hits and misses: the score is that of `RReliefF` with k near cases (F14).

    Parameters
    ----------
    n_neighbors : int
        k.
    n_samples : int, "auto" or None
        m, how many cases ask, of each class its share, drawn by their content and the seed; None asks all. "auto" asks
        all up to 20,000 cases and so many where there are more.
    drop, keep : float
        Drop the worst ``drop`` of the features round after round (TuRF) until the share ``keep`` is left.
    unknown : "probabilities" or "policy"
        What a missing value differs by: as above, or what the feature's policy says.
    ramp : (equal, different) or None
        Numbers differ by 0 up to ``equal`` of their unit, by 1 from ``different`` on, and by a straight line between
        (F15); None for differences as they are.
    n_jobs, random_state
        Threads, which change nothing in the result, and the seed of the sample; None is a fixed seed.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``scores_`` (p,), ``stopped_`` ("interrupt" where Ctrl-C ended it: the scores are
    those of the cases that had asked), ``sampled_`` (None where all cases ask, else how many "cases" were drawn, "of"
    how many, and the "error" that all scores keep to with the "confidence", by Hoeffding's bound).

    References: kononenko1994; robnik2003, fig. 2; wettschereck1997, sect. 3.1.1; moore2007.

    >>> cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "blue"},
    ...          {"size": 9, "hue": "red"}, {"size": 7, "hue": "blue"}]
    >>> ReliefF(n_neighbors=1).fit(cases, ["small", "small", "big", "big"]).scores_.round(3).tolist()
    [0.625, -1.0]
    """

    id = "relief-f"
    reference = "kononenko1994, robnik2003, wettschereck1997, moore2007"

    n_neighbors: int = 10
    n_samples: int | str | None = AUTO
    drop: float | None = None
    keep: float = 0.5
    unknown: str = "probabilities"
    ramp: tuple[float, float] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _scores(self, asking: Asking) -> Asked | None:
        contrast, target = asking.contrast, asking.target
        weigh, sums = contrast_weights(target), Collected(len(contrast.measures))
        with asking.budget:
            for at, piece, near in contrast.near(asking.rows, self.n_neighbors):
                asks = target.weights[piece][:, None] * weigh[contrast.groups[piece]]  # (m, c)
                each = asks.ravel() / np.maximum(near.places, 1.0)
                sums.add(at, piece, contrast.listed(piece, near, near.spread(each) * near.shares))
                asking.note(piece)
        return asking.mean(sums, wide=2.0)

    def _check(self, problem: Problem) -> None:
        super()._check(problem)
        target = problem.target
        if target.classes is None:
            return
        sizes = np.bincount(target.values[target.weights > 0], minlength=target.n_classes)
        small = np.flatnonzero((sizes > 0) & (sizes <= self.n_neighbors))
        if len(small):
            names = ", ".join(f"{str(target.classes[c])!r} ({sizes[c]})" for c in small[:5])
            more = " ..." if len(small) > 5 else ""
            warn(
                f"n_neighbors={self.n_neighbors} asks for more cases than there are beside a case in class "
                f"{names}{more}: means are taken over those there are. Lower n_neighbors, or expect little contrast."
            )
