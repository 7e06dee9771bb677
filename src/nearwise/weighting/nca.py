"""Neighbourhood components analysis: a matrix, or one weight a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, exp, log, power, product, weighted
from nearwise.engines.mapped import mean_of
from nearwise.errors import InputError, warn
from nearwise.statistics.folds import seed_of
from nearwise.statistics.kernel_regression import KernelRegression, first_map
from nearwise.weighting.base import FEEDBACK_GLOBAL, Place, Problem, Weighting
from nearwise.weighting.budget import Budget
from nearwise.weighting.encoding import sklearn_module, some_or_all
from nearwise.weighting.selecting import case_order, check_amount, check_choice
from nearwise.weighting.wrapping import cannot_learn, check_whole
from nearwise.weights import Global, Matrix, Weights

__all__ = ["NeighbourhoodComponents", "NeighbourhoodWeights", "Softmax"]

Array = NDArray[np.float64]

KEPT_BYTES = 256 * 2**20
"""of differences that are measured once and kept"""
BLOCK_BYTES = 32 * 2**20
"""of differences measured at a time"""
SPREAD = 5.0
"""the mean distance at the start: near neighbours count e^5 times as much as the average one"""
STARTS = ("auto", "pca", "lda", "identity", "random")


class NeighbourhoodComponents(Weighting):
    r"""The linear map under which a random near neighbour most often has the right class.

    .. math:: A = \arg\max_A \sum_i \sum_{j \ne i,\, c_j = c_i} p_{ij}, \qquad
              p_{ij} = \frac{\exp(-\lVert A x_i - A x_j\rVert^2)}{\sum_{k \ne i} \exp(-\lVert A x_i - A x_k\rVert^2)}

    Found by scikit-learn's `NeighborhoodComponentsAnalysis` on numbers and levels in units of their scale; a missing
    value stands at the mean. Symbols and other kinds have no place in a linear map and are refused: 'nca-diagonal'
    takes them. One class, or one case, gives the identity, with a warning. Case weights are not used.

    Where the target is a number, near neighbours predict it by their mean, and A minimises the leave-one-out squared
    error :math:`\sum_i (y_i - \sum_j p_{ij} y_j)^2` instead: metric learning for kernel regression, by SciPy's
    L-BFGS-B.

    Parameters
    ----------
    n_components : int or None
        Rows of A; None for as many as features.
    init : "auto", "pca", "lda", "identity" or "random"
        Where the search starts.
    max_iter : int
        Steps of L-BFGS.
    tol : float
        Where it ends.
    random_state : int or None
        Seed of a random start; None is a fixed seed.

    Notes
    -----
    Attributes: ``weights_`` (Matrix), ``n_iter_``.

    References: goldberger2005; weinberger2007.

    >>> X = [[i, 7 * i % 11] for i in range(10)]
    >>> nca = NeighbourhoodComponents(n_components=1).fit(X, list("uuuuuvvvvv"))
    >>> nca.weights_.values.shape, nca.feature_importances_.argmax()
    ((1, 2), np.int64(0))
    """

    id = "nca"
    numbers = "own"
    place = Place(bias="feedback", representation="transformed")
    reference = "goldberger2005, weinberger2007"
    shape = "matrix"
    check_parameters = {"max_iter": 10}  # noqa: RUF012 - a constant of the class

    def __init__(
        self,
        n_components: int | None = None,
        init: str = "auto",
        max_iter: int = 50,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, problem: Problem) -> Weights:
        self._check(problem)
        p = len(problem.features)
        rows = p if self.n_components is None else min(p, self.n_components)
        why = cannot_learn(problem)
        if why:
            if p > 1:
                warn(f"{why}: {self.id!r} leaves the features as they are.")
            self.n_iter_ = 0
            kept = np.sort(problem.from_users(np.arange(p))[:rows])
            return Matrix(problem.from_users(np.eye(p)[kept]), problem.features)
        order = case_order(problem, 0)  # so that rounding is the same in any order of cases
        X = _in_units(problem)[order]
        if problem.target.classes is None:
            found = self._descend(X, problem.target.values[order], rows)
            is_square = rows == p and self.init in ("auto", "identity")
            return Matrix(problem.to_users(found.T).T if is_square else found, problem.features)
        made = sklearn_module("neighbors", self.id).NeighborhoodComponentsAnalysis(
            n_components=rows, init=self.init, max_iter=self.max_iter, tol=self.tol,
            random_state=seed_of(self.random_state),
        )  # fmt: skip
        import warnings

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "\\[NeighborhoodComponentsAnalysis\\] NCA did not converge")
            made.fit(X, problem.target.values[order])
        self.n_iter_ = int(made.n_iter_)
        is_square = rows == p and self._starts_at_identity(problem)
        found = problem.to_users(made.components_.T).T if is_square else made.components_  # row f began as feature f
        return Matrix(found, problem.features)

    def _descend(self, X: Array, y: Array, rows: int) -> Array:
        """(rows, p) the map with the smallest leave-one-out squared error on the way."""
        from scipy import optimize

        error = KernelRegression(X, y)
        best: list[tuple[float, Array]] = []

        def down(flat: Array) -> tuple[float, Array]:
            value, gradient = error(flat.reshape(rows, -1))
            if not best or value < best[-1][0]:
                best.append((value, flat.copy()))
            return value, gradient.ravel()

        start = first_map(X, rows, self.init, seed_of(self.random_state))
        minimize: Any = optimize.minimize
        options: Any = {"maxiter": self.max_iter, "gtol": self.tol}
        done = minimize(down, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        self.n_iter_ = int(done.nit)
        return best[-1][1].reshape(rows, -1)

    def _starts_at_identity(self, problem: Problem) -> bool:
        """Of as many rows as features; scikit-learn's "auto" does unless there are more classes."""
        return self.init == "identity" or (
            self.init == "auto" and len(problem.features) >= len(np.unique(problem.target.values))
        )

    def _check(self, problem: Problem) -> None:
        check_whole("n_components", self.n_components, 1, none=True)
        check_whole("max_iter", self.max_iter, 1)
        check_choice("init", self.init, STARTS)
        if self.init == "lda" and problem.target.classes is None:
            raise InputError(
                "init='lda' looks at classes, and the target is a number: use 'auto', 'pca' or 'identity'."
            )
        check_amount("tol", self.tol)
        for measure in problem.metric.measures:
            if measure.fitted.form != "line":
                raise InputError(
                    f"A matrix of weights maps numbers and levels, and feature {measure.name!r} is "
                    f"{measure.kind.name}: use 'nca-diagonal', which takes any kind, or leave the feature out: "
                    f"ignore=[{measure.name!r}]."
                )
        if problem.metric.p != 2:
            raise InputError(f"'nca' is defined for p=2, got p={problem.metric.p:g}: leave p out.")


def _in_units(problem: Problem) -> Array:
    """(n, p) numbers in units of their scale, a missing one at the mean."""
    X = np.stack([column.values for column in problem.cases.columns], axis=1).astype(np.float64)
    gone = np.stack([column.missing for column in problem.table.columns], axis=1)
    means = np.array([mean_of(column) for column in problem.cases.columns])
    return np.asarray((np.where(gone, means, X) - means) * np.sqrt(problem.metric.scales()))


class NeighbourhoodWeights(Weighting):
    r"""One weight a feature under which a random near neighbour most often has the right class.

    .. math:: w = \arg\max_{w \ge 0} \; \frac1n \sum_i \sum_{j \ne i,\, c_j = c_i} p_{ij}
              - \lambda \sum_f w_f\, \overline{\delta_f^p}, \qquad
              p_{ij} \propto \exp\Bigl(-\sum_f w_f\, \delta_f(i, j)^p\Bigr)

    The bar is the mean over all pairs of cases. Neighbourhood components analysis with a diagonal matrix of our own, by
    SciPy's L-BFGS-B from weights under which every feature adds the same to the mean distance, so any kind of feature
    and any missing policy will do ("ignore" counts a missing value as no difference). The penalty lambda, 1/n unless
    given, drives features that say nothing to exactly 0; without it weights of separable classes grow without end. A
    case of weight v counts as v cases. The objective never falls.

    Where the target is a number, near neighbours predict it by their mean, and the first term is R squared leaving one
    out, :math:`1 - \frac{1}{n \sigma^2} \sum_i (y_i - \sum_j p_{ij} y_j)^2`: kernel regression with a learned metric.

    Reading: scikit-learn learns full matrices only, whose diagonal is not the best diagonal. The penalty is that of
    neighbourhood component feature selection (Yang et al.), whose squared weights are our weights, made independent of
    the units of the features by their mean difference.

    Parameters
    ----------
    penalty : float or None
        lambda; None for 1/n.
    max_iter : int
        Steps of L-BFGS-B.
    tol : float
        The search ends where the projected gradient is smaller.
    max_time : float or None
        Seconds; the best weights so far are kept.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``objective_``, ``history_`` (the objective after each step), ``stopped_``.

    References: goldberger2005; yang2012; weinberger2007.

    >>> X = [[i, 7 * i % 11] for i in range(30)]
    >>> NeighbourhoodWeights().fit(X, [i > 14 for i in range(30)]).feature_importances_.round(1)
    array([14.6,  0. ])
    """

    id = "nca-diagonal"
    numbers = "own"
    place = FEEDBACK_GLOBAL
    reference = "goldberger2005, yang2012, weinberger2007"
    check_parameters = {"max_iter": 20}  # noqa: RUF012 - a constant of the class

    history_: list[float]
    objective_: float
    stopped_: str

    def __init__(
        self,
        penalty: float | None = None,
        max_iter: int = 100,
        tol: float = 1e-5,
        max_time: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.max_time = max_time

    def _learn(self, problem: Problem) -> Weights:
        check_whole("max_iter", self.max_iter, 1)
        check_amount("tol", self.tol)
        if self.penalty is not None:
            check_amount("penalty", self.penalty)
        p, why = len(problem.features), cannot_learn(problem)
        self.history_, self.objective_, self.stopped_ = [], float("nan"), ""
        if why:
            return Global(some_or_all(np.zeros(p), self.id, why) if p > 1 else np.ones(1), problem.features)
        penalty = 1.0 / len(problem.table) if self.penalty is None else float(self.penalty)
        made = NumberSoftmax if problem.target.classes is None else Softmax
        softmax = made(problem.take(case_order(problem, 0)), penalty)
        weights = self._climb(softmax, p) * softmax.units
        return Global(some_or_all(weights, self.id, "No feature brings cases of one target together"), problem.features)

    def _climb(self, softmax: Softmax, p: int) -> Array:
        from scipy import optimize

        minimize: Any = optimize.minimize

        best: list[tuple[float, Array]] = []

        def down(u: Array) -> tuple[float, Array]:
            value, gradient = softmax(u)
            if not best or value > best[-1][0]:
                best.append((value, u.copy()))
            budget.has_result = True
            return -value, -gradient

        def after(_: Array) -> None:
            self.history_.append(best[-1][0])
            if budget.is_over:
                budget.stopped = "time"
                raise StopIteration

        with Budget(f"search of {self.id!r}", self.max_time) as budget:
            options: Any = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 1e-12}
            minimize(
                down,
                np.full(p, SPREAD / p),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, None)] * p,
                callback=after,
                options=options,
            )
        self.objective_, self.stopped_ = best[-1][0], budget.stopped
        return best[-1][1]


class Softmax:
    """The objective of `NeighbourhoodWeights` and its gradient, a block of queries at a time.

    It takes weights u of differences that are scaled to a mean of 1: w = u * ``units``.
    """

    def __init__(self, problem: Problem, penalty: float) -> None:
        self.problem, self.penalty = problem, penalty
        self.n, self.p = len(problem.table), len(problem.features)
        v = problem.target.weights
        self.share = v / v.sum() if v.sum() > 0 else np.full(self.n, 1.0 / self.n)
        self.heavy = log(np.where(v > 0, v, 1.0))
        self.heavy[v <= 0] = -np.inf
        self.step = max(1, min(self.n, BLOCK_BYTES // (8 * self.n * self.p)))
        self.kept: dict[int, Array] = {}
        self.keeps = 8 * self.p * self.n**2 <= KEPT_BYTES
        self.units = np.ones(self.p)
        means = sum(self.terms(start).sum(axis=(1, 2)) for start in range(0, self.n, self.step)) / self.n**2
        self.units = np.where(means > 0, 1.0 / np.where(means > 0, means, 1.0), 0.0)
        for block in self.kept.values():
            block *= self.units[:, None, None]

    def terms(self, start: int) -> Array:
        """(p, r, n) delta^p in units of the scale."""
        if start in self.kept:
            return self.kept[start]
        rows = slice(start, start + self.step)
        metric, columns = self.problem.metric, self.problem.cases.columns
        blocks = [
            weighted(unit * m.scale(metric.p), power(m.block(column, column.take(rows)), metric.p))
            for m, column, unit in zip(metric.measures, columns, self.units, strict=True)
        ]
        out = np.stack(blocks)
        if self.keeps:
            self.kept[start] = out
        return out

    def __call__(self, u: Array) -> tuple[float, Array]:
        value, gradient = -self.penalty * float(u.sum()), np.full(self.p, -self.penalty)
        for start in range(0, self.n, self.step):
            terms = self.terms(start)
            rows = np.arange(start, start + terms.shape[1])
            logits = self.heavy[None, :] - product(u[None, :], terms.reshape(self.p, -1)).reshape(terms.shape[1:])
            logits[np.arange(len(rows)), rows] = -np.inf
            top = logits.max(axis=1, keepdims=True)
            near = exp(logits - np.where(np.isfinite(top), top, 0.0))
            total = near.sum(axis=1, keepdims=True)
            near /= np.where(total > 0, total, 1.0)
            right, pull = self._pulled(near, rows)
            value += float(dot(self.share[rows], right))
            gradient += np.array([dot(each.ravel(), pull.ravel()) for each in terms])
        return value, gradient

    def _pulled(self, near: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
        """(r,) how right the cases ``rows`` are by the probabilities (r, n) of their neighbours, and (r, n) what each
        difference adds to the gradient of their sum."""
        y = self.problem.target.values
        same = y[rows][:, None] == y[None, :]
        right = (near * same).sum(axis=1)
        return right, near * (right[:, None] - same) * self.share[rows][:, None]


class NumberSoftmax(Softmax):
    """The same for a number as target: right by 1 - (y - mean of the neighbours)^2 / variance."""

    def _pulled(self, near: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
        target = self.problem.target
        answers = near @ target.values
        gaps, variance = target.values[rows] - answers, target.variance or 1.0
        factor = 2.0 * gaps / variance * self.share[rows]
        return 1.0 - np.square(gaps) / variance, near * (answers[:, None] - target.values) * factor[:, None]
