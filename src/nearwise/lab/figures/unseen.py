"""Answers to cases that were not learned from, and what they tell: calibration, confusion, hard and typical cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError
from nearwise.lab.result import Comparison

__all__ = ["Calibrated", "Unseen", "calibration_error", "unseen"]

PARTS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Calibrated:
    """Answers that were about as sure: how sure on average, how often right, how many."""

    said: float
    found: float
    count: int


@dataclass(frozen=True)
class Unseen:
    """One answer for each tested case."""

    rows: NDArray[np.intp]
    truth: NDArray[Any]
    """(m,) codes of classes, or numbers"""
    predicted: NDArray[Any]
    shares: Floats | None
    """(m, c) the share of every class"""
    classes: NDArray[Any] | None

    @property
    def confusion(self) -> NDArray[np.intp]:
        """(true classes, answers) how often."""
        if self.classes is None:
            raise InputError("Numbers have no confusion matrix.")
        c = len(self.classes)
        return np.bincount(self.truth * c + self.predicted, minlength=c * c).reshape(c, c)

    @property
    def trouble(self) -> Floats:
        """(m,) what was wrong with each answer: the share that the true class did not get, or the size of the error."""
        if self.classes is None:
            return np.asarray(np.abs(self.predicted - self.truth), dtype=np.float64)
        if self.shares is None:
            return np.asarray(self.predicted != self.truth, dtype=np.float64)
        return np.asarray(1.0 - self.shares[np.arange(len(self.truth)), self.truth])

    def hardest(self, count: int) -> NDArray[np.intp]:
        """Places of the worst answers that are wrong, the worst first; of numbers, of the largest errors."""
        order = np.lexsort((self.rows, -self.trouble))
        if self.classes is not None:
            order = order[self.truth[order] != self.predicted[order]]
        return np.asarray(order[:count])

    def typical(self, near: Floats, count: int = 1) -> list[int]:
        """Places of the cases that stand for their class: the surest right answers, then those in the densest place.

        ``near`` has for each place how far its neighbours are. Of numbers: the best answers about the middle.
        """
        if self.classes is None:
            middle = np.abs(self.truth - np.median(self.truth))
            return [int(i) for i in np.lexsort((self.rows, near, self.trouble, middle > np.median(middle)))[:count]]
        found = []
        for code in range(len(self.classes)):
            own = np.flatnonzero((self.truth == code) & (self.predicted == code))
            order = own[np.lexsort((self.rows[own], near[own], self.trouble[own].round(2)))]
            found += [int(i) for i in order[:count]]
        return found

    def calibration(self) -> list[Calibrated]:
        """Answers by how sure they were, in ten parts; of numbers, tenths of the answers and the mean of the truth."""
        if self.classes is None:
            order = np.argsort(self.predicted, kind="stable")
            parts = [part for part in np.array_split(order, PARTS) if len(part)]
            return [Calibrated(float(self.predicted[p].mean()), float(self.truth[p].mean()), len(p)) for p in parts]
        if self.shares is None:
            return []
        sure = self.shares.max(axis=1)
        right = self.shares.argmax(axis=1) == self.truth
        part = np.minimum((sure * PARTS).astype(np.intp), PARTS - 1)
        return [
            Calibrated(float(sure[part == b].mean()), float(right[part == b].mean()), int((part == b).sum()))
            for b in np.unique(part)
        ]


def calibration_error(found: Sequence[Calibrated]) -> float:
    """By how much answers are surer or less sure than they are right, on average.

    >>> calibration_error([Calibrated(0.9, 0.8, 3), Calibrated(0.6, 0.6, 1)])
    0.075
    """
    total = sum(each.count for each in found)
    return round(sum(abs(each.said - each.found) * each.count for each in found) / total, 12) if total else float("nan")


def unseen(comparison: Comparison, method: str, classes: NDArray[Any] | None) -> Unseen:
    """What a method answered in a comparison; a case that was tested again keeps its first answer."""
    result = comparison[method]
    rows, first = np.unique(np.concatenate(comparison.tests), return_index=True)
    truth, predicted = np.concatenate(comparison.truth)[first], np.concatenate(result.predicted)[first]
    known = [each for each in result.shares if each is not None]
    shares = np.concatenate(known)[first] if known and len(known) == len(result.shares) else None
    if classes is not None:
        truth, predicted = np.searchsorted(classes, truth), np.searchsorted(classes, predicted)
    return Unseen(rows, truth, predicted, shares, classes)
