"""Right answers under many weight vectors from blocks of pairwise differences: for features of any kind.

A block of queries is compared with all cases once per call and then serves all weight vectors. Differences of kinds
that are costly to compare (text, sets, vectors, functions) are kept between calls, by different values, as long as
they fit into `HELD_BYTES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import power
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Floats, Neighbours, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.functions import warn_of_functions
from nearwise.statistics.counts.values import distinct_values
from nearwise.vote import Fair, winners
from nearwise.weights import Global, Stored

if TYPE_CHECKING:
    from nearwise.statistics.trials.classes import Evaluator

__all__ = ["PairTrials"]

HELD_BYTES = 256 << 20
"""differences of costly kinds that are kept"""
BLOCK_BYTES = 64 << 20
"""differences of all features in a block of queries"""
SLOW_PAIRS = 100_000
"""calls of a Python function that are worth a warning"""


class PairTrials:
    """What `Evaluator` asks for where the core cannot serve the features by itself."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator, self.metric, self.cases = evaluator, evaluator.metric, evaluator.cases
        self.scales = self.metric.scales()
        self.held: dict[int, _Held] = {}
        self._hold()

    @property
    def holds_all(self) -> bool:
        """Whether a call measures no costly difference any more."""
        return all(f in self.held for f, m in enumerate(self.metric.measures) if m.fitted.form == "pair")

    def _hold(self) -> None:
        room = HELD_BYTES
        for f, (measure, column) in enumerate(zip(self.metric.measures, self.cases.columns, strict=True)):
            if measure.fitted.form != "pair":
                continue
            values, codes = distinct_values(column)
            if 8 * len(values) ** 2 > room:
                continue
            room -= 8 * len(values) ** 2
            if not measure.fitted.vectorised and len(values) ** 2 > SLOW_PAIRS:
                alone, stored = self.metric.of_features([f]), Stored(self.cases.of_features([f]))
                even = Global(np.ones(1), alone.names)
                warn_of_functions(Distance(alone, even, stored), "one call for every pair of values")
            self.held[f] = _Held(codes, np.asarray(measure.fitted.block(values, values)))

    def right(self, weights: Floats, k: int, threads: int) -> Floats:
        """(w, folds, k) the weight of the cases that 1 .. k neighbours classify right."""
        n, p = len(self.cases), len(self.metric.names)
        out = np.zeros((len(weights), self.evaluator.n_folds, k))
        step = max(1, BLOCK_BYTES // (8 * p * max(1, n)))
        for start in range(0, n, step):
            rows = np.arange(start, min(n, start + step))
            terms = [self._term(f, rows) for f in range(p)]
            out += self._counted(weights, terms, rows, k, threads)
        return out

    def _term(self, f: int, rows: NDArray[np.intp]) -> Floats:
        """(m, n) differences of some cases from all, under the missing policy, raised to the power."""
        measure, column = self.metric.measures[f], self.cases.columns[f]
        asked = self.evaluator.asking.columns[f].take(rows)
        if f in self.held:
            raw = measure.under_policy(self.held[f].block(rows), column, asked)
        else:
            raw = measure.block(column, asked)
        return np.ascontiguousarray(power(raw, self.metric.p), dtype=np.float64)

    def _counted(self, weights: Floats, terms: list[Floats], rows: NDArray[np.intp], k: int, threads: int) -> Floats:
        left_out = [m.left_out(c, c.take(rows)) for m, c in zip(self.metric.measures, self.cases.columns, strict=True)]
        native, own, target = core(), self.evaluator, self.evaluator.target
        if native is not None and self.metric.adds and all(out is None for out in left_out):
            found: Floats = native.vote_pairs(
                terms, np.ascontiguousarray(weights * self.scales), int(rows[0]), own.folds, own.n_folds,
                own.leaves_one_out, target.values.astype(np.int32), target.weights, target.priors,
                float(self.metric.p), own.by_distance, k, TIE, threads,
            )  # fmt: skip
            return found
        return np.stack([self._by_numpy(w, terms, left_out, rows, k) for w in weights])

    def _by_numpy(self, weights: Floats, terms: list[Floats], left_out: Any, rows: NDArray[np.intp], k: int) -> Floats:
        """(folds, k) under one weight vector; also where "ignore" rescales what is known of a pair."""
        own, target = self.evaluator, self.evaluator.target
        sums, gather = np.zeros((len(rows), len(self.cases))), np.add if self.metric.adds else np.maximum
        for weight, scale, term in zip(weights, self.scales, terms, strict=True):
            if weight * scale != 0:
                gather(sums, weight * scale * term, out=sums)
        if any(out is not None for out in left_out):
            shape = Global(weights, self.metric.names)
            engine = BlockEngine(Distance(self.metric, shape, Stored(self.cases)))
            engine._rescale(sums, self.cases.take(rows), shape, left_out)
        if own.leaves_one_out:
            sums[np.arange(len(rows)), rows] = np.inf
        else:
            sums[own.folds[rows][:, None] == own.folds[None, :]] = np.inf
        payload = own.payload(target)
        codes = winners(Fair(_nearest(sums, k, payload), payload), k, own.rule, self.metric.root, target.priors)
        hits = codes == target.values[rows, None]
        gained = [np.bincount(own.folds[rows], target.weights[rows] * h, own.n_folds) for h in hits.T]
        return np.stack(gained, axis=1)


class _Held:
    """Raw differences (v, v) of the different values of a feature, and the place of each case among them."""

    def __init__(self, codes: NDArray[np.intp], table: Floats) -> None:
        self.codes = codes
        self.table = table if table.size else np.zeros((1, 1))  # every value is missing, and has any place

    def block(self, rows: NDArray[np.intp]) -> Floats:
        return np.asarray(self.table[self.codes[rows]][:, self.codes])


def _nearest(sums: Floats, k: int, payload: Payload) -> Neighbours:
    """The k smallest of each row and what ties with the last of them; infinite sums are no cases."""
    m, n = sums.shape
    sums = np.where(np.isnan(sums), np.inf, sums)
    few = min(k, n)
    chosen = np.argpartition(sums, few - 1, axis=1)[:, :few]
    near = np.take_along_axis(sums, chosen, axis=1)
    order = np.lexsort((chosen, near), axis=1)
    out, indices = np.full((m, k), np.inf), np.full((m, k), -1, dtype=np.intp)
    out[:, :few], indices[:, :few] = np.take_along_axis(near, order, axis=1), np.take_along_axis(chosen, order, axis=1)
    indices[np.isinf(out)] = -1
    filled = np.isfinite(out).sum(axis=1)
    last = np.where(filled > 0, out[np.arange(m), np.maximum(filled - 1, 0)], 0.0)
    lower, upper = (last - TIE * last)[:, None], (last + TIE * last)[:, None]
    inside, group = sums < lower, (sums >= lower) & (sums <= upper) & (filled > 0)[:, None]
    members = np.zeros((n, payload.n_groups))
    members[np.arange(n), payload.codes] = payload.values[:, 0]
    tie_sums = np.stack(
        [np.where(group, members[None, :, g], 0.0).sum(axis=1) for g in range(payload.n_groups)], axis=1
    )
    return Neighbours(out, indices, inside.sum(axis=1), group.sum(axis=1), tie_sums[:, :, None])
