"""Some typed cases of all parts, drawn by their content: neither the order of the cases nor the parts matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.summary import TableSummary
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.parts.part import TypedPart
from nearwise.statistics.draws.words import Words, case_blocks, mixed, salt, target_words
from nearwise.weighting.problem import Problem

__all__ = ["Gathered", "Sample", "Sampling", "smallest", "words_of"]


def words_of(problem: Problem) -> Words:
    """(n,) a word of each case that tells its values and its target; it does not depend on the order of features."""
    words = target_words(problem.target)
    names = np.array([salt(name) for name in problem.features], dtype=np.uint64)
    for rows, values in case_blocks(problem.metric, problem.cases):
        for some, own in values:
            words[rows] += mixed(own ^ names[some, None]).sum(axis=0)
    return mixed(words)


def smallest(words: Words, places: NDArray[np.int64], size: int) -> NDArray[np.intp]:
    """The rows of the ``size`` smallest words; of equal words those that come first."""
    return np.lexsort((places, words))[:size]


@dataclass(frozen=True)
class Gathered:
    """Typed cases with their places among all and their targets; of parts that share none."""

    table: CaseTable
    places: NDArray[np.int64]
    values: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, table: CaseTable, target: Target, rows: NDArray[np.intp], start: int) -> Gathered:
        """Some rows of a part whose first case has the place ``start``."""
        some = replace(table.take(rows), labels=None)
        return cls(some, rows.astype(np.int64) + start, target.values[rows], target.weights[rows])

    def merged(self, other: Gathered) -> Gathered:
        return Gathered(
            self.table.append(other.table),
            np.concatenate([self.places, other.places]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.weights, other.weights]),
        )

    def take(self, rows: NDArray[np.intp]) -> Gathered:
        table = replace(self.table.take(rows), labels=None)
        return Gathered(table, self.places[rows], self.values[rows], self.weights[rows])


@dataclass(frozen=True)
class Sample:
    """The ``size`` cases with the smallest words."""

    words: Words
    cases: Gathered
    size: int

    def merged(self, other: Sample) -> Sample:
        both = Sample(np.concatenate([self.words, other.words]), self.cases.merged(other.cases), self.size)
        return both.smallest()

    def smallest(self) -> Sample:
        if len(self.words) <= self.size:
            return self
        rows = smallest(self.words, self.cases.places, self.size)
        return Sample(self.words[rows], self.cases.take(rows), self.size)

    def problem(self, summary: TableSummary, metric: Metric) -> Problem:
        """What a weighting learns from: the cases in the order that they have in the table, under the metric of all."""
        cases = self.cases.take(np.argsort(self.cases.places))
        table = summary.empty_table.append(cases.table)
        target = Target(cases.values, summary.classes, cases.weights, is_given=summary.is_given)
        return Problem(table, metric, metric.measure(table), target)


@dataclass(frozen=True)
class Sampling:
    """What each part offers, as a function that can be sent to it with the place of its first case."""

    metric: Metric
    size: int

    def __call__(self, part: TypedPart, start: int) -> Sample:
        problem = part.problem(self.metric)
        words, places = words_of(problem), np.arange(len(part.table), dtype=np.int64)
        rows = smallest(words, places, self.size)
        return Sample(words[rows], Gathered.of(part.table, part.target, rows, start), self.size)
