"""Neighbourhood components analysis: a matrix, or one weight a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_whole, check_whole_or_none, warn
from nearwise.progress import stage
from nearwise.search.terms import mean_of
from nearwise.statistics.descent.kernel_regression import KernelRegression, first_map
from nearwise.statistics.draws.seeds import seed_of
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.encoding import sklearn_module, some_or_all
from nearwise.weighting.nearby import NumberSoftmax, Softmax
from nearwise.weighting.place import FEEDBACK_GLOBAL, Place
from nearwise.weighting.selecting import FEWER, case_order, check_amount, check_choice
from nearwise.weighting.served import LINEAR
from nearwise.weighting.wrapping import cannot_learn
from nearwise.weights import Global, Matrix, Weights

__all__ = ["NeighbourhoodComponents", "NeighbourhoodWeights", "Softmax"]

Array = NDArray[np.float64]

SPREAD = 5.0
"""the mean distance at the start: near neighbours count e^5 times as much as the average one"""
MAX_COMPARED = 2_000
"""cases that learn where nothing else is said; every step compares all pairs of them"""
EVALUATIONS = 1.1
"""of the objective in a step"""
STARTS = ("auto", "pca", "lda", "identity", "random")


@with_parameters
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
        Seed of a random start and of the sample; None is a fixed seed.
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content. None learns from
        all, in memory that grows with the square of their number.

    Notes
    -----
    Attributes: ``weights_`` (Matrix), ``n_iter_``, ``stopped_``, ``sampled_``.

    References: goldberger2005; weinberger2007.

    >>> X = [[i, 7 * i % 11] for i in range(10)]
    >>> nca = NeighbourhoodComponents(n_components=1).fit(X, list("uuuuuvvvvv"))
    >>> nca.weights_.values.shape, nca.feature_importances_.argmax()
    ((1, 2), np.int64(0))
    """

    kinds = LINEAR
    needs = "numbers or levels: a symbol needs a number for each of its values in its place"

    id = "nca"
    numbers = "own"
    weighs_cases = False
    place = Place(bias="feedback", representation="transformed")
    reference = "goldberger2005, weinberger2007"
    shape = "matrix"
    check_parameters = {"max_iter": 10}  # noqa: RUF012 - a constant of the class

    n_components: int | None = None
    init: str = "auto"
    max_iter: int = 50
    tol: float = 1e-5
    random_state: Any = None
    max_cases: int | None = MAX_COMPARED

    def _learn(self, problem: Problem) -> Weights:
        self._check(problem)
        p = len(problem.features)
        rows = p if self.n_components is None else min(p, self.n_components)
        why = cannot_learn(problem)
        self.n_iter_, self.stopped_ = 0, ""
        if why:
            if p > 1:
                warn(f"{why}: {self.id!r} leaves the features as they are.")
            return self._as_they_are(problem, rows)
        order = case_order(problem, 0)  # so that rounding is the same in any order of cases
        X = _in_units(problem)[order]
        is_number = problem.target.classes is None
        start = f"{self.id!r} leaves the features as they are"
        found: list[Array] = []  # the best map so far, if there is one
        with Budget(f"search of {self.id!r}", None, start, "max_cases= learns from fewer cases") as budget:
            (self._descend if is_number else self._by_sklearn)(X, problem.target.values[order], rows, found, budget)
        self.stopped_ = budget.stopped
        if not found:
            return self._as_they_are(problem, rows)
        is_square = rows == p and self._starts_at_identity(problem)  # row f began as feature f
        return Matrix(problem.to_users(found[-1].T).T if is_square else found[-1], problem.features)

    def _as_they_are(self, problem: Problem, rows: int) -> Matrix:
        kept = np.sort(problem.from_users(np.arange(len(problem.features)))[:rows])
        return Matrix(problem.from_users(np.eye(len(problem.features))[kept]), problem.features)

    def _by_sklearn(self, X: Array, y: Array, rows: int, found: list[Array], budget: Budget) -> None:
        import warnings

        steps = budget.rounds(self.max_iter)
        next(steps)

        def after(flat: Array, _: int) -> None:
            found[:] = [flat.reshape(rows, -1).copy()]
            budget.has_result, self.n_iter_ = True, self.n_iter_ + 1
            next(steps, None)

        made = sklearn_module("neighbors", self.id).NeighborhoodComponentsAnalysis(
            n_components=rows, init=self.init, max_iter=self.max_iter, tol=self.tol, callback=after,
            random_state=seed_of(self.random_state),
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "\\[NeighborhoodComponentsAnalysis\\] NCA did not converge")
            made.fit(X, y)
        found[:] = [made.components_]
        self.n_iter_ = int(made.n_iter_)

    def _descend(self, X: Array, y: Array, rows: int, found: list[Array], budget: Budget) -> None:
        """The map (rows, p) with the smallest leave-one-out squared error, where the target is a number."""
        from scipy import optimize

        error, least = KernelRegression(X, y), np.inf
        steps = budget.rounds(self.max_iter)
        next(steps)

        def down(flat: Array) -> tuple[float, Array]:
            nonlocal least
            value, gradient = error(flat.reshape(rows, -1))
            if not found or value < least:
                least, found[:] = value, [flat.reshape(rows, -1).copy()]
                budget.has_result = True
            return value, gradient.ravel()

        start = first_map(X, rows, self.init, seed_of(self.random_state))
        minimize: Any = optimize.minimize
        options: Any = {"maxiter": self.max_iter, "gtol": self.tol}
        done = minimize(
            down, start.ravel(), jac=True, method="L-BFGS-B", options=options, callback=lambda _: next(steps, None)
        )
        self.n_iter_ = int(done.nit)

    def _starts_at_identity(self, problem: Problem) -> bool:
        """Of as many rows as features; scikit-learn's "auto" does unless there are more classes."""
        if self.init != "auto" or problem.target.classes is None:
            return self.init in ("auto", "identity")
        return len(problem.features) >= len(np.unique(problem.target.values))

    def _check(self, problem: Problem) -> None:
        check_whole_or_none("n_components", self.n_components, 1)
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


@with_parameters
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
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content, and n above is
        their number. None learns from all.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``objective_``, ``history_`` (the objective after each step), ``stopped_``,
    ``sampled_``.

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

    penalty: float | None = None
    max_iter: int = 100
    tol: float = 1e-5
    max_time: float | None = None
    max_cases: int | None = MAX_COMPARED

    @property
    def n_iter_(self) -> int:
        """Steps that were taken."""
        return len(self.history_)

    def _learn(self, problem: Problem) -> Weights:
        check_whole("max_iter", self.max_iter, 1)
        check_amount("tol", self.tol)
        if self.penalty is not None:
            check_amount("penalty", self.penalty)
        p, why = len(problem.features), cannot_learn(problem)
        self.history_: list[float] = []
        self.objective_, self.stopped_ = float("nan"), ""
        if why:
            return Global(some_or_all(np.zeros(p), self.id, why) if p > 1 else np.ones(1), problem.features)
        penalty = 1.0 / len(problem.table) if self.penalty is None else float(self.penalty)
        weights = self._climb(problem.take(case_order(problem, 0)), penalty)
        return Global(some_or_all(weights, self.id, "No feature brings cases of one target together"), problem.features)

    def _climb(self, problem: Problem, penalty: float) -> Array:
        from scipy import optimize

        minimize: Any = optimize.minimize
        p, units = len(problem.features), np.ones(len(problem.features))
        best: list[tuple[float, Array]] = []
        start = f"{self.id!r} gives every feature the same weight"

        def down(u: Array) -> tuple[float, Array]:
            with stage(1.0, max(EVALUATIONS * self.max_iter, len(asked) + 1.0), len(asked)):
                value, gradient = softmax(u)
            asked.append(value)
            if not best or value > best[-1][0]:
                best.append((value, u.copy()))
            budget.has_result = True
            return -value, -gradient

        def after(_: Array) -> None:
            self.history_.append(best[-1][0])
            if budget.is_over:
                budget.stopped = "time"
                raise StopIteration

        asked: list[float] = []
        with Budget(f"search of {self.id!r}", self.max_time, start, FEWER) as budget:
            made = NumberSoftmax if problem.target.classes is None else Softmax
            with stage(0.5, EVALUATIONS * self.max_iter):
                softmax = made(problem, penalty)
            units = softmax.units
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
        self.stopped_ = budget.stopped
        if not best:
            return np.where(units > 0, units, 0.0)
        self.objective_ = best[-1][0]
        return best[-1][1] * units
