"""How well weight vectors classify that differ from a base in one feature each: one step of a stepwise search.

    s(x, q) = sum over the other features of the base  +  v * delta_f(x, q)^p

The native core adds up the part that changes share once for all of them, a query at a time, so a step costs about
n^2 (changes + p log p) instead of n^2 changes p, in memory of a few rows. Votes, ties and folds are those of
`Evaluator`. Terms are only added, never taken away, so sums differ from those of other engines by rounding alone, far
below what counts as a tie.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measured, power
from nearwise.native import core
from nearwise.progress import counted
from nearwise.search.base import TIE, Floats, Ints
from nearwise.search.layout.columns import packed
from nearwise.statistics.scattered import scattered
from nearwise.statistics.trials.classes import Evaluator

__all__ = ["ChangeEvaluator", "Changes", "Partial"]

CHUNK_TERMS = 40_000_000
"""additions a call and thread: well under 100 ms, so that Ctrl-C answers"""
CHUNK_BYTES = 64 * 2**20
"""of answers and of given terms a call"""
KEPT_BYTES = 256 * 2**20
"""of terms of costly features that are measured once and kept"""


@dataclass(frozen=True)
class Changes:
    """Weight vectors: row ``base_of`` (c,) of ``bases`` (b, p) with weight ``values`` (c,) for ``features`` (c,).

    >>> Changes.of([1.0, 0.0], [0, 1], [0.0, 1.0]).vectors()
    array([[0., 0.],
           [1., 1.]])
    """

    bases: Floats
    base_of: NDArray[np.int32]
    features: NDArray[np.int32]
    values: Floats

    @classmethod
    def of(cls, bases: Any, features: Any, values: Any, base_of: Any = None) -> Changes:
        """Arrays from anything like them; one value stands for all changes, one base for all of them."""
        bases = np.ascontiguousarray(np.atleast_2d(np.asarray(bases, dtype=np.float64)))
        features = np.ascontiguousarray(features, dtype=np.int32)
        values = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=np.float64), features.shape))
        base_of = np.zeros(len(features), dtype=np.int32) if base_of is None else base_of
        return cls(bases, np.ascontiguousarray(base_of, dtype=np.int32), features, values)

    @classmethod
    def none(cls, vectors: Any) -> Changes:
        """Weight vectors (c, p) as they are, each a base of its own."""
        bases = np.ascontiguousarray(np.atleast_2d(np.asarray(vectors, dtype=np.float64)))
        return cls.of(bases, np.zeros(len(bases)), bases[:, 0], np.arange(len(bases)))

    def __len__(self) -> int:
        return len(self.features)

    def take(self, rows: Any) -> Changes:
        return Changes(self.bases, self.base_of[rows], self.features[rows], self.values[rows])

    def vectors(self) -> Floats:
        """(c, p)"""
        out = self.bases[self.base_of].copy()
        out[np.arange(len(self)), self.features] = self.values
        return out


@dataclass(frozen=True)
class Partial:
    """What an interrupted call has found of some changes: right answers (c, folds, k) of so much weight (folds,)."""

    changes: Changes
    sums: Floats
    weights: Floats

    @property
    def accuracies(self) -> Floats:
        """(c, k) over the cases asked so far; those are from all over the table."""
        asked = self.weights > 0
        return np.asarray((self.sums[:, asked] / self.weights[asked, None]).mean(axis=1))

    @property
    def has_any(self) -> bool:
        return bool((self.weights > 0).any()) and len(self.changes) > 0


class ChangeEvaluator:
    """Which cases are classified right after changes of one weight, under the folds and the vote of an evaluator.

    >>> from nearwise import NearestCases
    >>> from nearwise.cases.target import Target
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]])._model.problem
    >>> target = Target(np.array([0, 0, 1, 1]), np.array(["a", "b"]), np.ones(4))
    >>> scorer = ChangeEvaluator(Evaluator(problem.metric, problem.cases, target))
    >>> scorer.accuracies(Changes.of([0.0, 0.0], [0, 1], 1.0))[:, 0]
    array([1., 0.])
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.n, self.metric, self.cases = len(evaluator.cases), evaluator.metric, evaluator.cases
        measures = self.metric.measures
        self._given = [f for f, m in enumerate(measures) if m.fitted.form not in ("line", "overlap") or m.takes_means]
        self._kept: dict[int, Floats] = {}
        self._native = self._packed()
        self.partial: Partial | None = None
        """what was found of the changes that were asked about last, if that was interrupted"""

    def _packed(self) -> Any:
        """The cases in the native core, or None where it cannot serve them."""
        native, metric, target = core(), self.metric, self.evaluator.target
        if native is None or metric.p not in (1, 2) or any(m.ignores for m in metric.measures):
            return None
        plain = [
            Encoded(np.zeros(self.n), None) if f in self._given else column
            for f, column in enumerate(self.cases.columns)
        ]
        return native.Changes(
            packed(Measured(tuple(plain), self.n)),
            metric.is_overlap,
            metric.one,
            np.array([m.one if m.takes_means else m.both for m in metric.measures]),  # means are given apart
            metric.scales(),
            int(metric.p),
            self.evaluator.folds,
            self.evaluator.leaves_one_out,
            target.values.astype(np.int32),
            target.weights,
            target.priors,
            self.evaluator.by_distance,
        )

    def accuracies(self, changes: Changes, k: int = 1, stand_ins: Ints | None = None) -> Floats:
        """(c, k) the mean of the folds' shares of right answers with 1 .. k neighbours.

        ``stand_ins`` (c, n) names the case whose value of the changed feature each query takes instead of its own.
        """
        own = self.evaluator
        present = own.fold_weights > 0
        if self._native is None and stand_ins is None:
            return np.asarray(own.right(changes.vectors(), k)[:, present].mean(axis=1))
        self.partial = Partial(changes, np.zeros((len(changes), own.n_folds, k)), np.zeros(own.n_folds))
        sums, chunks = self.partial.sums, list(self._chunks(np.arange(self.n), changes, k))
        for at in counted(scattered(len(chunks)), len(chunks)):
            rows = chunks[at]
            right = self.right(changes, k, rows, stand_ins)
            weights = own.target.weights[rows]
            for fold in np.unique(own.folds[rows]):
                here = own.folds[rows] == fold
                sums[:, fold] += np.einsum("crk,r->ck", right[:, here], weights[here])
                self.partial.weights[fold] += weights[here].sum()
        self.partial = None
        return np.asarray((sums / np.where(present, own.fold_weights, 1.0)[:, None])[:, present].mean(axis=1))

    def right(self, changes: Changes, k: int, rows: Ints, stand_ins: Ints | None = None) -> NDArray[Any]:
        """(c, r, k) whether 1 .. k neighbours classify the cases ``rows`` (r,) right, or how right a number is."""
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        if self._native is None:
            return self._one_by_one(changes, k, rows, stand_ins)
        blocks = [self._terms(f, rows) for f in self._given]
        own_block = np.full(len(self.metric.names), -1, dtype=np.int32)
        own_block[self._given] = np.arange(len(blocks))
        block_of = np.full(len(changes), -1, dtype=np.int32)
        if stand_ins is not None:
            block_of[:] = np.arange(len(blocks), len(blocks) + len(changes))
            blocks += [self._block(int(f), stand_ins[c][rows]) for c, f in enumerate(changes.features)]
        flags = self._native.right(
            changes.bases, changes.base_of, changes.features, changes.values, block_of, own_block, blocks, rows, k, TIE,
            self.evaluator.threads,
        )  # fmt: skip
        return np.asarray(flags, dtype=bool)

    def _one_by_one(self, changes: Changes, k: int, rows: Ints, stand_ins: Ints | None) -> NDArray[Any]:
        """(c, r, k) the same through the planner: any kind, policy and target, no core needed."""
        found = []
        asked = zip(changes.vectors(), changes.features, strict=True)
        for c, (vector, feature) in enumerate(counted(asked, len(changes))):
            queries = self.evaluator.asking.take(rows)
            if stand_ins is not None:
                columns = list(queries.columns)
                columns[feature] = self.cases.columns[feature].take(stand_ins[c][rows])
                queries = Measured(tuple(columns), len(rows))
            found.append(self.evaluator.rightness(vector, k, rows, queries))
        return np.stack(found) if found else np.zeros((0, len(rows), k))

    def _chunks(self, rows: Ints, changes: Changes, k: int) -> Iterator[Ints]:
        """The rows in parts that take a moment each."""
        p, c = len(self.metric.names), len(changes)
        terms = self.n * (len(changes.bases) * p * (2 + math.log2(p)) + 3 * c)
        size = c * k + 8 * self.n * (len(self._given) + c)  # of a stand-in each change has a block of its own
        step = int(max(1, min(CHUNK_TERMS * self.evaluator.threads / terms, CHUNK_BYTES / size)))
        for start in range(0, len(rows), step):
            yield rows[start : start + step]

    def _terms(self, feature: int, rows: Ints) -> Floats:
        """(r, n) delta^p of a costly feature, measured once where there is room to keep all of it."""
        if self.n * self.n * 8 * len(self._given) > KEPT_BYTES:
            return self._block(feature, rows)
        if feature not in self._kept:
            self._kept[feature] = self._block(feature, np.arange(self.n))
        return np.ascontiguousarray(self._kept[feature][rows])

    def _block(self, feature: int, queries: Ints) -> Floats:
        column, measure = self.cases.columns[feature], self.metric.measures[feature]
        asked = self.evaluator.asking.columns[feature].take(queries)
        return np.ascontiguousarray(power(measure.block(column, asked), self.metric.p))
