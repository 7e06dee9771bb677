"""The smooth error where the target is a number: squared errors of leave-one-out answers, and their gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.search.base import Floats, Ints, Payload
from nearwise.statistics.descent.classes import SmoothError
from nearwise.statistics.descent.neighbourhoods import Neighbourhoods

__all__ = ["SmoothNumberError"]


class SmoothNumberError(SmoothError):
    r"""Squared error of the neighbours' weighted mean, over the variance of the target, under weight vectors (w, p).

    .. math:: E = \frac{1}{\sigma^2} \sum_x \bigl(y_x - \hat y_x\bigr)^2, \qquad
       \hat y_x = \frac{\sum_{z \in N(x)} y_z\,K(d(x, z))}{\sum_{z \in N(x)} K(d(x, z))}

    Neighbours, ties, kernels, distances of 0 and sample weights are those of `SmoothError`.

    >>> from nearwise import NearestCases
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]])._model.problem
    >>> target = Target(np.array([0.0, 0.0, 1.0, 1.0]), None, np.ones(4))
    >>> SmoothNumberError(problem.metric, problem.cases, target, k=2).errors([[1.0, 0.1], [0.1, 1.0]]).round(3)
    array([1.177, 9.669])
    """

    def _check_target(self, target: Target) -> None:
        if target.classes is not None:
            raise InputError("This error is one of predicted numbers, and the target has classes: use SmoothError.")

    def _payload_of(self, target: Target) -> Payload:
        votes = np.stack([target.weights, target.weights * target.values], axis=1)
        return Payload(np.zeros(len(target), dtype=np.intp), votes, 1)

    def mistakes(self, weights: Any) -> float:
        """The mean squared error over the variance under one weight vector (p,): no number is wrong or right."""
        return float(self.errors([weights])[0] / max(self.target.weights.sum(), 1e-300))

    def _judged(self, near: Neighbourhoods, kernel: Floats, with_gradient: bool) -> tuple[Floats, Floats]:
        amounts, values = near.shares * self.target.weights[near.cases], self.target.values[near.cases]
        votes = amounts * kernel
        totals = near.added(votes)
        answers, errors = self._answered(totals, near.added(votes * values), near.rows)
        if not with_gradient:
            return errors, np.zeros(0)
        # dE/dK_i = -2 (y - answer) * a_i (y_i - answer) / sum(votes)
        scale = self.target.weights[near.rows] * (self.target.values[near.rows] - answers) / self._variance
        scale = np.where(totals > 0, scale / np.where(totals > 0, totals, 1.0), 0.0)
        return errors, -2.0 * amounts * scale[near.owner] * (values - answers[near.owner])

    def _voted(self, votes: Floats, rows: Ints) -> Floats:
        return self._answered(votes[:, 0, 0], votes[:, 0, 1], rows)[1]

    @property
    def _variance(self) -> float:
        return self.target.variance or 1.0

    def _answered(self, totals: Floats, sums: Floats, rows: Ints) -> tuple[Floats, Floats]:
        """(m,) answers and errors; where nobody votes the answer is the mean, whatever the weights."""
        silent = ~(totals > 0)
        answers = np.where(silent, self.target.mean, sums / np.where(silent, 1.0, totals))
        errors = self.target.weights[rows] * np.square(self.target.values[rows] - answers) / self._variance
        return answers, errors
