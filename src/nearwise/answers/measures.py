"""Answers as probabilities of classes or as numbers: how votes and regressions become them, and what an error costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.linear import Voters
from nearwise.cases.target import Target
from nearwise.search.base import Floats, Ints, Payload
from nearwise.statistics.counts.exact_mean import ExactMean

__all__ = ["Measure", "Numbers", "Probabilities", "means_of", "measure_of"]

LOG_LOSS = 0.3
"""how much the log loss counts beside the share of errors when k is chosen"""
HALF_A_CASE = 0.5
"""cases by which the shares of a vote are drawn to the priors"""
FLOOR = 0.01
"""of the priors, added to the clipped answer of a regression"""
ROOM = 0.5
"""a regression may leave the range of its neighbours' numbers by this share of it"""


@dataclass(frozen=True)
class Measure(ABC):
    """What answers of g groups mean."""

    ridges: ClassVar[tuple[float, ...]]
    """cases by which the slopes of a regression may be drawn to 0"""
    target: Target
    weights: Floats
    """(n,) how much each case counts"""

    @property
    @abstractmethod
    def payload(self) -> Payload:
        """What a neighbour brings to the vote."""

    @property
    @abstractmethod
    def voters(self) -> Voters:
        """What a neighbour brings to the regression."""

    @abstractmethod
    def of_votes(self, total: Floats, k: int) -> Floats:
        """(m, g) answers from votes (m, g, v) of k neighbours."""

    @abstractmethod
    def of_tie(self, total: Floats) -> Floats:
        """(m, g) means of the cases whose payload adds up to (m, g, v)."""

    @abstractmethod
    def of_regression(self, raw: Floats, near: Ints, counting: NDArray[np.bool_]) -> Floats:
        """(m, g) answers from those of a regression (m, g) on the cases ``near`` (m, k), of which some count."""

    @abstractmethod
    def cost(self, answers: Floats, rows: Ints) -> Floats:
        """(m,) what the answers to these cases cost."""


class Probabilities(Measure):
    """Shares of classes."""

    ridges = (1.0, 10.0)

    @property
    def payload(self) -> Payload:
        return Payload(self.target.codes, self.weights[:, None], self.target.n_classes)

    @property
    def voters(self) -> Voters:
        n = len(self.target)
        return Voters(self.target.codes, np.ones(n), self.weights, self.target.n_classes)

    @property
    def priors(self) -> Floats:
        """(c,) the shares of the classes, as the cases count."""
        counts = np.bincount(self.target.values, weights=self.weights, minlength=self.target.n_classes)
        total = counts.sum()
        return np.asarray(counts / total) if total > 0 else self.target.priors

    def of_votes(self, total: Floats, k: int) -> Floats:
        drawn = self.drawn(k)
        return np.asarray((1 - drawn) * self.of_tie(total) + drawn * self.priors)

    def of_tie(self, total: Floats) -> Floats:
        count = total[:, :, 0]
        sums = count.sum(axis=1, keepdims=True)
        return np.where(sums > 0, count / np.where(sums > 0, sums, 1.0), self.priors)

    @staticmethod
    def drawn(k: int) -> float:
        """The share of the priors in the answer of a vote."""
        return HALF_A_CASE / (k + HALF_A_CASE)

    def of_regression(self, raw: Floats, near: Ints, counting: NDArray[np.bool_]) -> Floats:
        clipped = np.clip(raw, 0.0, 1.0) + FLOOR * self.priors
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))

    def cost(self, answers: Floats, rows: Ints) -> Floats:
        truth = self.target.values[rows]
        right = answers[np.arange(len(rows)), truth]
        wrong = answers.argmax(axis=1) != truth
        return np.asarray(wrong + LOG_LOSS * -np.log(np.maximum(right, 1e-9)))


class Numbers(Measure):
    """Means of numbers."""

    ridges = (0.1, 1.0, 10.0)

    @property
    def payload(self) -> Payload:
        values = np.stack([self.weights, self.weights * self.target.values], axis=1)
        return Payload(np.zeros(len(self.target), dtype=np.intp), values, 1)

    @property
    def voters(self) -> Voters:
        n = len(self.target)
        return Voters(np.zeros(n, dtype=np.int32), np.asarray(self.target.values, dtype=np.float64), self.weights, 1)

    def of_votes(self, total: Floats, k: int) -> Floats:
        return self.of_tie(total)

    def of_tie(self, total: Floats) -> Floats:
        mean = np.nan
        if not (total[:, 0, 0] > 0).all():  # all neighbours of a query weigh 0
            weights = self.weights if self.weights.any() else np.ones(len(self.target))
            mean = ExactMean.of(np.asarray(self.target.values, dtype=np.float64), weights).value
        return means_of(total, mean)

    def of_regression(self, raw: Floats, near: Ints, counting: NDArray[np.bool_]) -> Floats:
        numbers = np.where(counting.any(axis=1, keepdims=True), self.target.values[near], raw)  # a mean needs no limits
        low = np.where(counting, numbers, numbers.max(axis=1, keepdims=True)).min(axis=1, keepdims=True)
        high = np.where(counting, numbers, numbers.min(axis=1, keepdims=True)).max(axis=1, keepdims=True)
        room = ROOM * (high - low)
        return np.clip(raw, low - room, high + room)

    def cost(self, answers: Floats, rows: Ints) -> Floats:
        return np.asarray(np.square(answers[:, 0] - self.target.values[rows]))


def means_of(total: Floats, otherwise: float) -> Floats:
    """(m, 1) means from votes (m, 1, 2) of numbers: weights, and numbers times weights; of no vote what is given."""
    weight, weighted = total[:, 0, 0], total[:, 0, 1]
    return np.where(weight > 0, weighted / np.where(weight > 0, weight, 1.0), otherwise)[:, None]


def measure_of(target: Target, weights: Any) -> Measure:
    """The measure that suits a target."""
    return (Numbers if target.classes is None else Probabilities)(target, np.asarray(weights, dtype=np.float64))
