"""How sure: intervals and sets that hold the truth as often as asked, from what was said of cases that were left out.

Conformal prediction by leave-one-out residuals: the answer to a new case is taken to be off as the answers to the
stored cases were when each was left out. A set holds every class whose share is not smaller than the shares that the
true classes had, but for the rarest of them; an interval is as wide as the residuals were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, is_number
from nearwise.search.base import TIE, Floats

__all__ = ["Conformal"]


def quantile(scores: Floats, coverage: float, weights: Floats | None = None) -> float:
    """The smallest score that a new one does not exceed with this probability, if all come in any order alike.

    ``weights`` (n,) say how many cases each score stands for; the new one counts as they do on average.

    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0]), 0.8), quantile(np.array([1.0, 2.0]), 0.9)
    (4.0, inf)
    >>> quantile(np.array([1.0, 2.0, 99.0]), 0.6, np.array([3.0, 3.0, 0.0]))
    2.0
    """
    weights = np.ones(len(scores)) if weights is None else weights
    counting = np.flatnonzero(weights > 0)
    if not len(counting):
        return np.inf
    order = counting[np.argsort(scores[counting], kind="stable")]
    climbed = np.cumsum(weights[order])
    asked = coverage * (climbed[-1] + climbed[-1] / len(order))
    at = int(np.searchsorted(climbed, asked * (1 - 1e-12)))  # 0.1 * 30 is 3, not a little more
    return float(scores[order[at]]) if at < len(order) else np.inf


def checked_coverage(coverage: Any) -> float:
    if not is_number(coverage) or not 0 < coverage < 1:
        raise InputError(f"coverage={coverage!r}: expected a share between 0 and 1, such as 0.9.")
    return float(coverage)


class Conformal:
    """Sets and intervals for an estimator that says what it answered to cases that were left out."""

    def left_out_answers(self) -> tuple[NDArray[np.intp], Floats]:
        """The cases that were left out one by one, and (r, g) what was said of them."""
        raise NotImplementedError

    def _answers(self, X: Any) -> Floats:
        """(m, g) shares of classes, or numbers."""
        raise NotImplementedError

    def _stored_target(self) -> Any:
        holder: Any = self
        fitted = holder._fitted()
        return (fitted[0]._fitted() if isinstance(fitted, list) else fitted).target

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """(m, 2) lower and upper ends that hold the number with this probability.

        The probability is over cases like the stored ones, not for each case by itself. The ends are infinite where so
        few cases are stored that nothing can be promised.
        """
        share, target = checked_coverage(coverage), self._stored_target()
        if target.classes is not None:
            raise InputError("An interval is for numbers, and these are classes: use predict_set.")
        answers = self._answers(X)[:, 0]
        rows, found = self.left_out_answers()
        reach = quantile(np.abs(found[:, 0] - target.values[rows]), share, target.weights[rows])
        return np.stack([answers - reach, answers + reach], axis=1)

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """(m, c) the classes, in the order of ``classes_``, among which the true one is with this probability.

        The probability is over cases like the stored ones. The predicted class is always in the set.
        """
        share, target = checked_coverage(coverage), self._stored_target()
        if target.classes is None:
            raise InputError("A set is for classes, and these are numbers: use predict_interval.")
        answers = self._answers(X)
        rows, found = self.left_out_answers()
        right = found[np.arange(len(rows)), target.values[rows]]
        inside = 1.0 - answers <= quantile(1.0 - right, share, target.weights[rows])
        return np.asarray(inside | self._likeliest(answers))

    def _likeliest(self, answers: Floats) -> NDArray[np.bool_]:
        """(m, c) the classes that the predicted one is among."""
        return np.asarray(answers >= answers.max(axis=1, keepdims=True) * (1 - TIE))
