"""Weights that lower the smooth leave-one-out error step by step: k-NN_VSM, and Lowe's VSM which it simplifies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import log, power
from nearwise.errors import InputError, check_whole, warn
from nearwise.search.threads import threads
from nearwise.statistics.descent.classes import SmoothError
from nearwise.statistics.descent.kernels import Kernel, VariableKernel
from nearwise.statistics.descent.numbers import SmoothNumberError
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.descent import EarlyStop, constant_features, descend
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import check_amount
from nearwise.weights import Global, Weights

__all__ = ["NeighbourDescent", "VariableKernelSimilarity"]

Array = NDArray[np.float64]

LARGEST_K = 50
"""candidates for k are 2 .. min(n - 1, this) (Reading K4)"""
USUAL_K = 10
"""k where Ctrl-C comes before it is chosen"""
LABEL = "descent of the leave-one-out error"
SMALLEST = 1e-6
"""floor of a weight under the stabiliser, whose logarithm has to exist"""


@with_parameters
class NeighbourDescent(Weighting):
    r"""Weights that minimise the squared error of leave-one-out class probabilities, by gradient descent.

    .. math:: E(w) = \sum_x \sum_c \bigl(1(x \in c) - p(c \mid x)\bigr)^2, \qquad
       p(c \mid x) = \frac{\sum_{y \in N(x)} 1(y \in c) / d(x, y)}{\sum_{y \in N(x)} 1 / d(x, y)}, \qquad
       d(x, y)^p = \sum_f w_f\,\delta_f(x_f, y_f)^p

    N(x) are the k nearest others under the weights at hand. All weights start at 1 and do not fall below 0. A feature
    that never differs gets 0. E does not change when all weights are multiplied by one number. Where the target is a
    number, E sums the squared errors of the neighbours' mean, weighted by 1/d, over the variance of the target.

    Reading: a case is no neighbour of itself (S1); neighbours are fixed within a gradient (S2); a neighbour at
    distance 0 makes p constant there (S3); the parameters are the weights themselves (S4), not below 0 (S5); the
    descent is SciPy's L-BFGS-B (S6); it ends where the leave-one-out error rate no longer falls, and the weights of the
    lowest rate are returned, of equal ones the first (S7); ``n_neighbors="loo"`` takes
    the k with the smallest E at equal weights, ties to the smaller (K5). k is at least 2: the probabilities of a
    single neighbour are 0 and 1 whatever the weights, and have no gradient.

    Parameters
    ----------
    n_neighbors : int or "loo"
        k; "loo" chooses it in 2 .. 50 before the descent.
    max_iter : int
        Steps at the most.
    max_time : float or None
        Seconds after which the best weights so far are taken.
    n_jobs : int or None
        Threads of the search; None takes all cores.
    patience : int or None
        Steps in succession without a lower leave-one-out error rate after which the descent ends. None looks at E
        alone: ``max_iter`` steps, and the point of the smallest E.
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content. None learns from
        all.

    Attributes
    ----------
    weights_ : Global
    n_neighbors_ : int
    errors_ : array
        E at equal weights and after each step; it never rises.
    mistakes_ : array
        The share of cases that are wrong leaving one out, at equal weights and after each step; empty without patience.
        Where the target is a number, the mean squared error over its variance.
    stopped_ : str
        Why it ended early: "time", "interrupt" or nothing.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" that their accuracy keeps to with the "confidence".

    Notes
    -----
    References: wettschereck1997, eq. 15.

    >>> cases = [[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]]
    >>> method = NeighbourDescent(n_neighbors=2).fit(cases, ["low", "low", "high", "high"])
    >>> bool(method.feature_importances_[0] > 5 * method.feature_importances_[1])
    True
    """

    id = "knn-vsm"
    numbers = "own"
    place = FEEDBACK_GLOBAL
    reference = "wettschereck1997"
    check_parameters = {"n_neighbors": 10, "max_iter": 5}  # noqa: RUF012 - a constant of the class

    n_neighbors: int | str = "loo"
    max_iter: int = 50
    max_time: float | None = None
    n_jobs: int | None = None
    patience: int | None = 5
    max_cases: int | None = MAX_CASES

    @property
    def n_iter_(self) -> int:
        """Steps that were taken; a search in vain counts as one. ``errors_`` also has the start and the end."""
        return max(1, len(self.errors_) - 2)

    def _learn(self, problem: Problem) -> Weights:
        k = self.n_neighbors
        if k != "loo":
            check_whole("n_neighbors", k, 2, " or 'loo': one neighbour gives no gradient")
        check_whole("max_iter", self.max_iter, 1)
        if self.patience is not None:
            check_whole("patience", self.patience, 1, ", or None for no early stop")
        start = np.where(constant_features(problem), 0.0, 1.0)
        self.mistakes_, self.stopped_ = np.zeros(0), ""
        if _is_hopeless(problem, start):
            self.n_neighbors_, self.errors_ = 1, np.zeros(1)
            return Global(start, problem.features)
        error = _smooth_error(problem, USUAL_K if k == "loo" else int(k), None, self.n_jobs)

        def choose_k() -> None:
            errors = error.every_k(start, LARGEST_K)
            errors[: len(errors) - 1][:1] = np.inf  # k = 1, unless there is no other
            error.k = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-12))[0]) + 1

        def both(w: Array) -> tuple[float, Array]:
            errors, gradients = error.gradients(w[None, :])
            return float(errors[0]), gradients[0]

        upper = np.where(start > 0, np.inf, 0.0)
        stop = None if self.patience is None else EarlyStop(error.mistakes, self.patience)
        found = descend(
            both, start, (np.zeros(len(start)), upper), LABEL, self.max_iter, self.max_time, stop,
            choose_k if k == "loo" else None,
        )  # fmt: skip
        self.n_neighbors_, self.errors_, self.stopped_ = error.k, np.array(found.errors), found.stopped
        if stop is None or not len(stop.best):  # interrupted before any point was judged
            return Global(found.best, problem.features)
        self.mistakes_ = np.array(stop.errors)
        return Global(stop.best, problem.features)


@with_parameters
class VariableKernelSimilarity(Weighting):
    r"""Lowe's variable kernel similarity metric: the same descent, with votes by a Gaussian that adapts its width.

    .. math:: E(w) = \sum_x \sum_c \bigl(1(x \in c) - p(c \mid x)\bigr)^2 + s \sum_f \ln^2 w_f, \qquad
       p(c \mid x) = \frac{\sum_{y \in N(x)} 1(y \in c)\,e^{-d(x, y)^2 / 2\sigma_x^2}}
       {\sum_{y \in N(x)} e^{-d(x, y)^2 / 2\sigma_x^2}}

    with :math:`d^2 = \sum_f (w_f \delta_f)^2`, N(x) the J nearest others and :math:`\sigma_x` r times the mean distance
    of the M nearest of them. The weights in the distance are :math:`w_f^2`; ``scores_`` holds :math:`w_f`. All start
    at 1; a feature that never differs gets 0. A target that is a number has the E of `knn-vsm`, with these votes.

    Reading: the weight is inside the square (L1); J = 10, M = 5 and r = 1, which Lowe optimises too, is given (L2); the
    stabiliser s is 0 (L3); neighbours, zero distances and the descent are those of `knn-vsm` (S1-S3, S6).

    Parameters
    ----------
    n_neighbors : int
        J.
    n_width : int
        M.
    width : float
        r.
    stabiliser : float
        s: how strongly weights are held at 1; Lowe's remedy for small training sets.
    max_iter, max_time, n_jobs, max_cases
        As for `knn-vsm`.

    Attributes
    ----------
    weights_ : Global
        (p,) squares of the scores.
    scores_ : array
        (p,) w.
    errors_ : array
        E with the stabiliser at equal weights and after each step; it never rises.
    stopped_, sampled_
        As for `knn-vsm`.

    Notes
    -----
    References: lowe1995; wettschereck1997, sect. 3.1.1.

    >>> cases = [[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]]
    >>> method = VariableKernelSimilarity(n_neighbors=2, n_width=1).fit(cases, ["low", "low", "high", "high"])
    >>> bool(method.scores_[0] > 2 * method.scores_[1])
    True
    """

    id = "vsm"
    numbers = "own"
    place = FEEDBACK_GLOBAL
    reference = "lowe1995, wettschereck1997"
    check_parameters = {"max_iter": 5}  # noqa: RUF012 - a constant of the class

    n_neighbors: int = 10
    n_width: int = 5
    width: float = 1.0
    stabiliser: float = 0.0
    max_iter: int = 50
    max_time: float | None = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    @property
    def n_iter_(self) -> int:
        """Steps that were taken; a search in vain counts as one. ``errors_`` also has the start and the end."""
        return max(1, len(self.errors_) - 2)

    def _learn(self, problem: Problem) -> Weights:
        self._check()
        start = np.where(constant_features(problem), 0.0, 1.0)
        self.scores_, self.errors_, self.stopped_ = start, np.zeros(1), ""
        if _is_hopeless(problem, start):
            return Global(start, problem.features)
        kernel = VariableKernel(self.width, min(self.n_width, self.n_neighbors))
        error = _smooth_error(problem, self.n_neighbors, kernel, self.n_jobs)
        p, moving = problem.metric.p, start > 0

        def both(w: Array) -> tuple[float, Array]:
            errors, gradients = error.gradients(power(w, p)[None, :])
            logs = log(np.where(moving, w, 1.0)) if self.stabiliser else np.zeros_like(w)
            held = 2.0 * self.stabiliser * logs / np.where(w > 0, w, 1.0)
            gradient = gradients[0] * p * power(w, p - 1.0)
            return float(errors[0] + self.stabiliser * np.square(logs).sum()), gradient + held

        lower = np.where(moving & (self.stabiliser > 0), SMALLEST, 0.0)
        upper = np.where(moving, np.inf, 0.0)
        found = descend(both, start, (lower, upper), LABEL, self.max_iter, self.max_time)
        self.scores_, self.errors_, self.stopped_ = found.best, np.array(found.errors), found.stopped
        return Global(power(found.best, p), problem.features)

    def _check(self) -> None:
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_whole("n_width", self.n_width, 1)
        check_whole("max_iter", self.max_iter, 1)
        if not (isinstance(self.width, int | float | np.number) and 0 < self.width < np.inf):
            raise InputError(f"width={self.width!r}: expected a number above 0.")
        check_amount("stabiliser", self.stabiliser)


def _smooth_error(problem: Problem, k: int, kernel: Kernel | None, n_jobs: int | None) -> SmoothError:
    made = SmoothNumberError if problem.target.classes is None else SmoothError
    return made(problem.metric, problem.cases, problem.target, k, kernel, threads(n_jobs))


def _is_hopeless(problem: Problem, start: Array) -> bool:
    """Whether there is nothing to descend: one case, one class, or features that never differ."""
    target = problem.target
    if target.classes is None:
        if target.variance <= 0:
            warn("The target is the same number in every case, so no weights do better than others.")
            return True
    elif (target.class_weights > 0).sum() < 2:
        warn("There is one class only, so no weights do better than others: all features get the same.")
        return True
    return len(problem.table) < 2 or not start.any()
