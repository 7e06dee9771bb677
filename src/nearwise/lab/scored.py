"""Answers become scores, in the measure that methods are compared by and in all others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.lab.cell import Answers, Cases
from nearwise.lab.measures import of_classes, of_numbers
from nearwise.lab.protocols import Split
from nearwise.lab.result import Result
from nearwise.vote import costs_of

__all__ = ["Scorer", "baseline"]

BASELINES = {False: "majority class", True: "mean of the training part"}
"""what a method must beat, by whether numbers are predicted"""


@dataclass(frozen=True)
class Scorer:
    """Scores answers about the cases."""

    cases: Cases
    truth: NDArray[Any]
    """(n,) codes of classes, or numbers"""
    measure: str
    costs: NDArray[np.float64] | None
    """(c, c) what each answer to each true class costs"""
    by_case: bool

    @classmethod
    def of(cls, cases: Cases, measure: str, costs: Any, by_case: bool) -> Scorer:
        classes = cases.classes
        if classes is None:
            return cls(cases, cases.target, measure, None, by_case)
        held = None if costs is None else np.asarray(costs_of(costs, classes))
        return cls(cases, np.searchsorted(classes, cases.target), measure, held, by_case)

    def result(self, name: str, answers: Sequence[Answers], splits: Sequence[Split]) -> Result:
        seconds = sum(held.seconds for held in answers)
        if reason := next((held.reason for held in answers if held.reason), ""):
            return Result(name, (), (), float("nan"), seconds, reason)
        each = [self._scores(held, self.truth[split.test]) for held, split in zip(answers, splits, strict=True)]
        overall = self._scores(_together(answers), self.truth[np.concatenate([split.test for split in splits])])
        if lost := [place for place, scores in enumerate(each) if math.isnan(scores[self.measure])]:
            return Result(name, (), (), float("nan"), seconds, self._why(answers[lost[0]], lost[0]))
        measures = {measure: tuple(scores[measure] for scores in each) for measure in overall}
        pooled = overall["r2" if self.cases.classes is None else "accuracy"]
        k = tuple(held.k for held in answers if held.k is not None)
        return Result(
            name, measures[self.measure], k, pooled, seconds, "", overall.get("balanced", float("nan")), measures,
            overall, tuple(self._said(held.predicted) for held in answers),
            tuple(held.shares for held in answers), self.by_case,
        )  # fmt: skip

    def of_split(self, answers: Answers, split: Split) -> Mapping[str, float]:
        """Every measure of what was answered about one split."""
        return self._scores(answers, self.truth[split.test])

    def _why(self, answers: Answers, place: int) -> str:
        """Why there is no value of the measure in a split."""
        if self.cases.classes is not None and answers.shares is None:
            return f"It gives no shares of the classes, which {self.measure} needs: compare by accuracy."
        few = "one class" if self.measure == "auc" else "one value of the target"
        return f"{self.measure} has no value in split {place}, whose test part has {few} only: take larger test parts."

    def _said(self, predicted: NDArray[Any]) -> NDArray[Any]:
        return predicted if self.cases.classes is None else self.cases.classes[predicted]

    def _scores(self, answers: Answers, truth: NDArray[Any]) -> Mapping[str, float]:
        if self.cases.classes is None:
            return of_numbers(truth, answers.predicted)
        scores = dict(of_classes(truth, answers.predicted, answers.shares))
        if self.costs is not None:
            scores["cost"] = float(self.costs[truth, answers.predicted].mean())
        return scores


def _together(answers: Sequence[Answers]) -> Answers:
    shares = [held.shares for held in answers]
    known = [held for held in shares if held is not None]
    joined = np.concatenate(known) if len(known) == len(shares) else None
    return Answers(np.concatenate([held.predicted for held in answers]), joined)


def baseline(scorer: Scorer, splits: Sequence[Split]) -> Result:
    """What the training part alone says: its commonest class with the shares of all, its cheapest class, its mean."""
    answers = [_blind(scorer, split) for split in splits]
    by_cost = scorer.measure == "cost"
    return scorer.result("cheapest class" if by_cost else BASELINES[scorer.cases.classes is None], answers, splits)


def _blind(scorer: Scorer, split: Split) -> Answers:
    by_cost = scorer.measure == "cost"
    m, train = len(split.test), scorer.truth[split.train]
    if scorer.cases.classes is None:
        return Answers(np.full(m, train.mean()))
    counts = np.bincount(train, minlength=len(scorer.cases.classes))
    code = int(np.argmin(counts @ scorer.costs)) if by_cost and scorer.costs is not None else int(counts.argmax())
    return Answers(np.full(m, code), np.tile(counts / counts.sum(), (m, 1)))
