"""How sure: intervals and sets that hold the truth as often as asked, from what was said of cases that were left out.

Conformal prediction by leave-one-out residuals: the answer to a new case is taken to be off as the answers to the
stored cases were when each was left out. A set holds every class whose share is not smaller than the shares that the
true classes had, but for the rarest of them; an interval is as wide as the residuals were.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError

__all__ = ["Conformal"]

Floats = NDArray[np.float64]


def quantile(scores: Floats, coverage: float) -> float:
    """The smallest score that a new one does not exceed with this probability, if all come in any order alike.

    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0]), 0.8), quantile(np.array([1.0, 2.0]), 0.9)
    (4.0, inf)
    """
    rank = math.ceil(coverage * (len(scores) + 1))
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else np.inf


def checked_coverage(coverage: Any) -> float:
    if isinstance(coverage, bool) or not isinstance(coverage, int | float | np.number) or not 0 < coverage < 1:
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
        members = getattr(self, "members_", None)
        holder: Any = self if members is None else members[0]
        return holder._model.target

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
        reach = quantile(np.abs(found[:, 0] - target.values[rows]), share)
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
        inside = 1.0 - answers <= quantile(1.0 - right, share)
        inside[np.arange(len(answers)), answers.argmax(axis=1)] = True
        return np.asarray(inside)
