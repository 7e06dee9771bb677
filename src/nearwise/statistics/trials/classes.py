"""How well many weight vectors classify the same cases: what genetic search, wrappers and racing ask for.

Numbers and symbols are packed once per weight vector in the native core, one thread a weight vector; other kinds are
measured pair by pair, once for all weight vectors (`pair_trials`). A case is classified by the cases of the other
folds, or by all others, with fair ties, for every k up to the one asked for. Ranges, tables and priors are those of
all cases (Readings K6, V7). The number of threads changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.errors import InputError
from nearwise.native import core
from nearwise.progress import counted
from nearwise.search.base import TIE, Distance, Floats, Ints, Payload
from nearwise.search.layout.columns import Layout
from nearwise.search.layout.serves import not_in_core
from nearwise.search.plan import plan
from nearwise.statistics.trials.pairs import PairTrials
from nearwise.vote import Fair, InverseDistance, Majority, Vote, winners
from nearwise.weights import Global, Stored

__all__ = ["Evaluator", "weight_vectors"]

TURN_TERMS = 2_000_000_000
"""feature differences a turn and thread: a tenth of a second or so"""
TURN_VECTORS = 25
"""weight vectors a turn at least where each turn measures pairs"""
CELLS = 2_000_000
"""votes held at once"""
WORTH_THREADS = 100_000_000
"""differences of features in one search from which threads are worth starting"""
FEW = 4
"""weight vectors for which it pays to measure every pair of a kind that is costly to compare"""


class Evaluator:
    """Counts right answers under weight vectors (w, p), one weight a feature.

    ``folds`` (n,) gives the fold of each case, None leaves one out. ``by_distance`` weighs votes by 1/d.

    >>> from nearwise import NearestCases
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]])._model.problem
    >>> target = Target(np.array([0, 0, 1, 1]), np.array(["a", "b"]), np.ones(4))
    >>> Evaluator(problem.metric, problem.cases, target).accuracies([[1.0, 0.0], [0.0, 1.0]])
    array([1., 0.])
    """

    def __init__(
        self,
        metric: Metric,
        cases: Measured,
        target: Target,
        folds: Any = None,
        by_distance: bool = False,
        threads: int = 1,
    ) -> None:
        self._check_target(target)
        self.metric, self.cases, self.target = metric, cases, target
        self.asking = metric.asking(cases, target)
        self.by_distance, self.threads = by_distance, max(1, threads)
        self.leaves_one_out = folds is None
        self.folds = np.zeros(len(cases), dtype=np.int32) if folds is None else np.asarray(folds, dtype=np.int32)
        if self.folds.shape != (len(cases),) or (len(cases) and self.folds.min() < 0):
            raise InputError(f"folds must give one whole number from 0 per case ({len(cases)}).")
        self.n_folds = int(self.folds.max(initial=0)) + 1
        self.fold_weights = np.bincount(self.folds, weights=target.weights, minlength=self.n_folds)
        self._native = self._packed()
        self._pairs: PairTrials | None = None

    def _check_target(self, target: Target) -> None:
        if target.classes is None:
            raise InputError("An evaluator counts right classes, and this target is a number: use NumberEvaluator.")

    def _packed(self) -> Any:
        """The cases in the native core, or None where it cannot serve them."""
        distance = Distance(self.metric, Global(np.ones(len(self.metric.names)), self.metric.names), Stored(self.cases))
        native = core()
        embeds = any(m.fitted.embeds for m in self.metric.measures)  # columns that are joined have one weight
        if native is None or embeds or not_in_core(distance):
            return None
        if self.metric.p < 1:  # single precision has no bound to go by
            return None
        layout = Layout.of(self.metric)
        for column, measure in zip(self.cases.columns, self.metric.measures, strict=True):
            if measure.as_value and measure.fitted.form == "line" and column.missing is not None:
                return None  # two missing numbers are equal, which single precision does not tell apart
        return native.Evaluator(
            layout.columns(self.cases),
            layout.is_symbol,
            layout.one,
            layout.both,
            self.metric.scales(),
            float(self.metric.p),
            self.folds,
            self.n_folds,
            self.leaves_one_out,
            self.target.values.astype(np.int32),
            self.target.weights,
            self.target.priors,
            self.by_distance,
        )

    def right(self, weights: Any, k: int = 1) -> Floats:
        """(w, folds, k) the share of each fold that 1 .. k neighbours classify right."""
        asked = weight_vectors(weights, self.metric)
        if self._native is None:
            found = self._by_pairs(asked, k)
        else:
            found, unserved = self._by_core(asked, k)
            if unserved.any():
                found[unserved] = self._by_pairs(asked[unserved], k)
        if len(self.cases) == 1 or (len(np.unique(self.folds)) == 1 and not self.leaves_one_out):
            found[:] = 0.0  # nothing is stored beside the queries: no prediction, which is not right
        return np.asarray(found / np.where(self.fold_weights > 0, self.fold_weights, 1.0)[None, :, None])

    def accuracies(self, weights: Any, k: int = 1) -> Floats:
        """(w,) the mean of the folds' shares of right answers with k neighbours."""
        present = self.fold_weights > 0
        return np.asarray(self.right(weights, k)[:, present, k - 1].mean(axis=1))

    def _by_core(self, weights: Floats, k: int) -> tuple[Floats, NDArray[np.bool_]]:
        """(w, folds, k) right weight, and (w,) vectors that single precision cannot serve, in calls of 100 ms or so."""
        n, p = len(self.cases), len(self.metric.names)
        found, unserved = np.zeros((len(weights), self.n_folds, k)), np.zeros(len(weights), dtype=bool)
        # the queries of a call do not depend on the number of threads, so that sums are added up in one way only
        queries = max(256, TURN_TERMS // max(1, n * p))
        vectors = self.threads * max(1, TURN_TERMS // max(1, min(n, queries) * n * p))
        for start in range(0, len(weights), vectors):
            rows = slice(start, min(len(weights), start + vectors))
            for first in range(0, n, queries):
                last = min(n, first + queries)
                part, flags = self._native.right(weights[rows], first, last, k, TIE, self.threads)
                found[rows] += part
                unserved[rows] |= flags.astype(bool)
        return found, unserved

    def _by_pairs(self, weights: Floats, k: int) -> Floats:
        """(w, folds, k) right weight, for features of any kind and without the core."""
        if self._pairs is None:
            self._pairs = PairTrials(self)
        if len(weights) >= FEW or self._pairs.holds_all:
            return self._pairs.right(weights, k, self.threads)
        # measuring every pair for a vector or two does not pay: the planner finds an engine that leaves most pairs out
        return np.stack([self._one(row, k) for row in weights]) if len(weights) else np.zeros((0, self.n_folds, k))

    def in_turns(self, weights: Any, k: int = 1) -> Iterator[tuple[slice, Floats]]:
        """(rows, their `accuracies`), a few weight vectors at a time, so that a search can look at the clock."""
        asked = np.asarray(weights, dtype=np.float64)
        step = max(self.threads, TURN_TERMS * self.threads // max(1, len(self.cases) ** 2 * len(self.metric.names)))
        if self._native is None:  # a turn measures every pair, so it pays to serve many vectors
            step = max(step, TURN_VECTORS)
        for start in counted(range(0, len(asked), step), -(-len(asked) // step)):
            rows = slice(start, min(len(asked), start + step))
            yield rows, self.accuracies(asked[rows], k)

    def _one(self, weights: Floats, k: int) -> Floats:
        """(folds, k) right weight under one vector, through the planner: any kind of feature, no core needed."""
        hits, folds = self.rightness(weights, k), [np.flatnonzero(self.folds == fold) for fold in range(self.n_folds)]
        return np.stack([dot(self.target.weights[at], hits[at]) for at in folds])

    def rightness(
        self, weights: Floats, k: int, rows: Ints | None = None, queries: Measured | None = None
    ) -> NDArray[Any]:
        """(r, k) whether 1 .. k neighbours classify the cases ``rows`` right under one weight vector.

        ``queries`` (r) stand for the cases where these come with other values.
        """
        rows = np.arange(len(self.cases)) if rows is None else rows
        out = np.zeros((len(rows), k), dtype=bool)
        for some, ballots in self._ballots(weights, k, rows, queries):
            codes = winners(ballots, k, self.rule, self.metric.root, self.target.priors)
            out[some] = codes == self.target.values[rows[some], None]
        return out

    @property
    def rule(self) -> Vote:
        """How the neighbours vote."""
        return InverseDistance() if self.by_distance else Majority()

    def _ballots(self, weights: Floats, k: int, rows: Ints, queries: Measured | None) -> Iterator[tuple[Ints, Fair]]:
        """Who votes on which of the queries, fold by fold and some queries at a time."""
        folds, asked = self.folds[rows], self.asking.take(rows) if queries is None else queries
        for fold in np.unique(folds):
            at = np.flatnonzero(folds == fold)
            rest = np.arange(len(self.cases)) if self.leaves_one_out else np.flatnonzero(self.folds != fold)
            if not len(rest):
                continue
            distance = Distance(self.metric, Global(weights, self.metric.names), Stored(self.cases.take(rest)))
            threads = self.threads if len(at) * len(rest) * len(weights) > WORTH_THREADS else 1
            engine, payload = plan(distance, threads=threads).engine, self.payload(self.target.take(rest))
            step = max(1, CELLS // k)
            for start in range(0, len(at), step):
                some = at[start : start + step]
                leave_out = rows[some] if self.leaves_one_out else None
                yield some, Fair(engine.nearest(asked.take(some), k, payload, leave_out), payload)

    def payload(self, stored: Target) -> Payload:
        """What each stored case brings to the vote."""
        return Payload(stored.values, stored.weights[:, None], stored.n_classes)


def weight_vectors(weights: Any, metric: Metric) -> Floats:
    """(w, p) weight vectors, one weight a feature."""
    asked = np.ascontiguousarray(weights, dtype=np.float64)
    if asked.ndim != 2 or asked.shape[1] != len(metric.names):
        raise InputError(f"weights must have one row per vector and {len(metric.names)} columns.")
    return asked
