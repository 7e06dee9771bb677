"""Descent of a smooth error by feature weight: bounded, never uphill, with a time limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearwise.progress import progress, stage
from nearwise.weighting.base import Problem
from nearwise.weighting.budget import Budget
from nearwise.weighting.selecting import FEWER

__all__ = ["Descent", "EarlyStop", "constant_features", "descend"]

Array = NDArray[np.float64]
T = TypeVar("T")

ENOUGH = 1e-6
"""a share of the error; less is no progress"""
PREPARING = 10.0
"""points that could be tried while k is chosen, about"""
ROUNDING = 1e-12
"""what is judged is no better by less"""


@dataclass
class Descent:
    """The best point so far, and the error at the start and after each step."""

    best: Array
    error: float
    errors: list[float] = field(default_factory=list)
    stopped: str = ""
    """"time" or "interrupt" where that ended it"""


@dataclass
class EarlyStop:
    """Ends a descent that no longer helps: the point of the smallest ``judge`` so far, of equal ones the first.

    ``errors`` are those of the start and of the point after each step. The descent ends once ``patience`` steps in
    succession brought nothing.

    >>> stop = EarlyStop(lambda w: float(abs(w[0] - 2)), patience=2)
    >>> [stop.after(np.array([x])) for x in (0.0, 1.0, 3.0, 4.0)], stop.best.tolist()
    ([False, False, False, True], [1.0])
    """

    judge: Callable[[Array], float]
    patience: int
    errors: list[float] = field(default_factory=list)
    best: Array = field(default_factory=lambda: np.zeros(0))
    least: float = np.inf
    vain: int = 0
    """steps since the best"""

    def after(self, point: Array) -> bool:
        """Judge the point after a step, and say whether that was enough."""
        self.errors.append(self.judge(point))
        if self.errors[-1] < self.least - ROUNDING:
            self.best, self.least, self.vain = point.copy(), self.errors[-1], 0
            return False
        self.vain += 1
        return self.vain >= self.patience


def descend(
    function: Callable[[Array], tuple[float, Array]],
    start: Array,
    bounds: tuple[Array, Array],
    label: str,
    max_iter: int,
    max_time: float | None = None,
    stop: EarlyStop | None = None,
    prepare: Callable[[], None] | None = None,
) -> Descent:
    """Minimise ``function`` (error and gradient) between ``bounds`` by SciPy's L-BFGS-B, until ``stop`` has enough.

    The error jumps where neighbours change, which can stop a line search early: then the search starts afresh from
    the best point, until that brings nothing. What comes back is the best point ever tried, so the error never
    rises (Reading S6). ``prepare`` is done first; Ctrl-C keeps the start from there on.
    """
    from scipy.optimize import Bounds, minimize

    found = Descent(start.copy(), np.inf)
    part = _Parts((1 if stop is None else 2) * (max_iter + 1) + (0.0 if prepare is None else PREPARING))
    with Budget(label, max_time, "the weights stay where they start", FEWER) as budget:
        if prepare is not None:
            part(prepare, PREPARING)
        found.error, _ = part(partial(function, start))
        found.errors.append(found.error)
        if stop is not None:
            part(partial(stop.after, start))
        budget.has_result = True
        rounds = progress(range(max_iter), max_iter, label)

        def tried(point: Array) -> tuple[float, Array]:
            if budget.is_over:
                budget.stopped = "time"
                raise _EnoughError
            error, gradient = part(partial(function, point))
            if error < found.error:
                found.best, found.error = point.copy(), error
            return error, gradient

        def after_step(_: Array) -> None:
            found.errors.append(found.error)
            next(rounds, None)  # moves the bar
            if stop is not None and part(partial(stop.after, found.best)):
                raise _EnoughError

        while (left := max_iter + 1 - len(found.errors)) > 0:
            before = found.error
            try:
                minimize(
                    tried, found.best, jac=True, method="L-BFGS-B", bounds=Bounds(*bounds),
                    callback=after_step, options={"maxiter": left, "maxfun": 20 * left},
                )  # fmt: skip
            except _EnoughError:
                break
            if before - found.error <= ENOUGH * before:
                break
    found.errors.append(found.error)
    found.stopped = budget.stopped
    return found


class _Parts:
    """Parts that a work is made of, for its forecast; their unit is a point that is tried, or judged."""

    def __init__(self, expected: float) -> None:
        self.expected, self.done = expected, 0.0

    def __call__(self, part: Callable[[], T], cost: float = 1.0) -> T:
        with stage(cost, max(self.expected, self.done + cost), self.done):
            out = part()
        self.done += cost
        return out


class _EnoughError(Exception):
    """Ends a search in the middle of a step."""


def constant_features(problem: Problem) -> NDArray[np.bool_]:
    """(p,) features that never differ, whose weight nothing can learn."""
    out = []
    for measure, column in zip(problem.metric.measures, problem.cases.columns, strict=True):
        plain = measure.fitted.form in ("line", "circle", "overlap", "table") and column.missing is None
        one = plain and len(column.values) > 0 and bool((column.values == column.values[0]).all())
        out.append(one or measure.scale(problem.metric.p) == 0)
    return np.array(out, dtype=bool)
