"""How well weight vectors predict numbers: the counterparts of `Evaluator` and `ChangeEvaluator`.

An answer is not right or wrong but near: its rightness is 1 - (y - answer)^2 / variance, 1 for an exact answer and 0 on
average for always saying the mean, so that the mean rightness is R squared. Searches then ask for it as they ask for
accuracy. Neighbours come from the engine that the planner takes for each weight vector, so any kind will do and nothing
of the size n^2 is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.progress import counted
from nearwise.search.base import Floats, Ints, Payload
from nearwise.statistics.trials.changes import ChangeEvaluator, Changes
from nearwise.statistics.trials.classes import Evaluator, weight_vectors
from nearwise.vote import tally

__all__ = ["NumberChanges", "NumberEvaluator"]


class NumberEvaluator(Evaluator):
    """Rightness of predicted numbers under weight vectors (w, p), leaving one out or by folds.

    >>> from nearwise import NearestCases
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]])._model.problem
    >>> target = Target(np.array([1.0, 1.0, 3.0, 3.0]), None, np.ones(4))
    >>> NumberEvaluator(problem.metric, problem.cases, target).accuracies([[1.0, 0.0], [0.0, 1.0]])
    array([ 1., -3.])
    """

    def _check_target(self, target: Target) -> None:
        if target.classes is not None:
            raise InputError("A number evaluator predicts numbers, and this target has classes: use Evaluator.")

    def _packed(self) -> Any:
        return None

    @property
    def largest_error(self) -> float:
        """The most by which an answer can fall short of rightness 1."""
        values, variance = self.target.values, self.target.variance
        return float((values.max() - values.min()) ** 2 / variance) if variance > 0 else 1.0

    def right(self, weights: Any, k: int = 1) -> Floats:
        """(w, folds, k) the mean rightness of each fold with 1 .. k neighbours."""
        asked = weight_vectors(weights, self.metric)
        rows = counted(asked, len(asked))
        out = np.stack([self._of_folds(self.rightness(row, k)) for row in rows]) if len(asked) else None
        return np.zeros((0, self.n_folds, k)) if out is None else out

    def accuracies(self, weights: Any, k: int = 1) -> Floats:
        """(w,) the mean of the folds' rightness with k neighbours: R squared."""
        present = self.fold_weights > 0
        found = [
            self._of_folds(self.rightness(row, k, only_last=True))[present].mean()
            for row in weight_vectors(weights, self.metric)
        ]
        return np.array(found)

    def in_turns(self, weights: Any, k: int = 1) -> Iterator[tuple[slice, Floats]]:
        asked = weight_vectors(weights, self.metric)
        for at in counted(range(len(asked)), len(asked)):
            yield slice(at, at + 1), self.accuracies(asked[at : at + 1], k)

    def _of_folds(self, rightness: Floats) -> Floats:
        """(folds, k) weighted means from (n, k)."""
        weighted = rightness * self.target.weights[:, None]
        sums = np.stack([np.bincount(self.folds, part, minlength=self.n_folds) for part in weighted.T], axis=1)
        return np.asarray(sums / np.where(self.fold_weights > 0, self.fold_weights, 1.0)[:, None])

    def rightness(
        self, weights: Floats, k: int, rows: Ints | None = None, queries: Measured | None = None,
        only_last: bool = False,
    ) -> Floats:  # fmt: skip
        """(r, k) of the cases ``rows`` under one weight vector with 1 .. k neighbours, or (r, 1) with k alone.

        ``queries`` (r) stand for the cases where these come with other values.
        """
        rows = np.arange(len(self.cases)) if rows is None else rows
        answers = np.full((len(rows), 1 if only_last else k), self.target.mean)
        for some, ballots in self._ballots(weights, k, rows, queries):
            for place, count in enumerate([k] if only_last else range(1, k + 1)):
                total = tally(*ballots.at(count), self.rule, self.metric.root)[0][:, 0]
                known = total[:, 0] > 0
                answers[some[known], place] = total[known, 1] / total[known, 0]
        error = np.square(answers - self.target.values[rows, None])
        return np.asarray(1.0 - error / (self.target.variance or 1.0))

    def crowds(self, weights: Floats, k: int) -> Floats:
        """(n,) how many equal neighbours the answer to each case is the mean of: k, or more where cases tie.

        The squared error of a mean of so many cases drawn at random is (1 + 1 / crowd) times the variance.
        """
        rows, out = np.arange(len(self.cases)), np.full(len(self.cases), np.inf)
        for some, ballots in self._ballots(weights, k, rows, None):
            inside, tied = ballots.found.inside.astype(np.float64), np.maximum(ballots.found.tied, 1)
            filled = np.isfinite(ballots.found.sums).sum(axis=1)
            squares = inside + np.square(filled - inside) / tied  # of shares of a place: 1, or places over those tied
            out[some] = np.where(filled > 0, np.square(filled) / np.where(filled > 0, squares, 1.0), np.inf)
        return out

    def payload(self, stored: Target) -> Payload:
        votes = np.stack([stored.weights, stored.weights * stored.values], axis=1)
        return Payload(np.zeros(len(stored), dtype=np.intp), votes, 1)


class NumberChanges(ChangeEvaluator):
    """Rightness of predicted numbers after changes of one weight, in the place of right classes."""

    def _packed(self) -> Any:
        return None

    def _chunks(self, rows: Ints, changes: Changes, k: int) -> Iterator[Ints]:
        yield rows  # every call builds an engine, which serves all cases
