"""The smooth error of nearest neighbours and its gradient by feature weight: what descent asks for.

Leaving each case out, the k nearest others give every class a probability, by votes that fall with the distance. The
error is the squared distance between these probabilities and the truth, a number that changes smoothly with the
weights as long as the neighbours stay the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, power, weighted
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.errors import InputError
from nearwise.progress import counted
from nearwise.search.base import TIE, Distance, Engine, Floats, Ints, Payload
from nearwise.search.plan import plan
from nearwise.statistics.descent.gather import left_out_pairs, pair_differences
from nearwise.statistics.descent.kernels import InverseKernel, Kernel
from nearwise.statistics.descent.neighbourhoods import Neighbourhoods, neighbourhoods
from nearwise.statistics.trials.classes import weight_vectors
from nearwise.vote import InverseDistance, collect, tally
from nearwise.weights import Global, Stored

__all__ = ["SmoothError"]

CELLS = 4_000_000
"""differences of neighbours held at once: 32 MB"""


class SmoothError:
    r"""Squared error of leave-one-out class probabilities (WAM eq. 15) under weight vectors (w, p).

    .. math:: E = \sum_x \sum_c \bigl(1(x \in c) - p(c \mid x)\bigr)^2, \qquad
       p(c \mid x) = \frac{\sum_{y \in N(x)} 1(y \in c)\,K(d(x, y))}{\sum_{y \in N(x)} K(d(x, y))}

    N(x) are the k nearest others (Reading S1), those that tie at the last place with their fair share of it; they
    are taken as fixed in the gradient (S2). Where a neighbour is at distance 0 the limit of 1/d holds, p is constant
    and its gradient 0 (S3). A sample weight multiplies a case's vote and its error. Sums over cases are taken in
    ascending order, so the same cases in another order give the same bits.

    >>> from nearwise import NearestCases
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [0.1, 5.0], [1.0, 5.0], [1.1, 1.0]])._model.problem
    >>> target = Target(np.array([0, 0, 1, 1]), np.array(["a", "b"]), np.ones(4))
    >>> SmoothError(problem.metric, problem.cases, target, k=2).errors([[1.0, 0.1], [0.1, 1.0]]).round(3)
    array([0.589, 4.834])
    """

    def __init__(
        self, metric: Metric, cases: Measured, target: Target, k: int, kernel: Kernel | None = None, threads: int = 1
    ) -> None:
        self._check_target(target)
        if len(cases) < 2:
            raise InputError("Leaving one case out leaves none: the smooth error needs at least two cases.")
        if not (metric.adds and metric.p >= 1):
            raise InputError(
                f"The slope of an error under p={metric.p:g} has jumps: this weighting needs p from 1 on, and a sum. "
                "Leave p out, or learn the weights first and pass them as feature_weights."
            )
        self.metric, self.cases, self.target = metric, cases, target
        self.asking = metric.asking(cases, target)
        self.k, self.threads = min(k, len(cases) - 1), max(1, threads)
        self.kernel: Kernel = InverseKernel() if kernel is None else kernel
        self._scales = metric.scales()
        self._payload = self._payload_of(target)

    def _check_target(self, target: Target) -> None:
        if target.classes is None:
            raise InputError("The smooth error is one of class probabilities, and this target is a number.")

    def _payload_of(self, target: Target) -> Payload:
        return Payload(target.values, target.weights[:, None], target.n_classes)

    # ------------------------------------------------------------------- asking

    def errors(self, weights: Any) -> Floats:
        """(w,) E of each weight vector, each with neighbours of its own."""
        return np.array([self._add_up(row, with_gradient=False)[0] for row in weight_vectors(weights, self.metric)])

    def gradients(self, weights: Any) -> tuple[Floats, Floats]:
        """(w,) E and (w, p) its derivative by each weight."""
        asked = weight_vectors(weights, self.metric)
        found = [self._add_up(row, with_gradient=True) for row in asked]
        return np.array([e for e, _ in found]), np.array([g for _, g in found]).reshape(asked.shape)

    def mistakes(self, weights: Any) -> float:
        """The share of cases that one weight vector (p,) gets wrong, leaving each out; of j classes that tie, the right
        one counts as one j-th right."""
        row = weight_vectors([weights], self.metric)[0]
        wrong = np.zeros(len(self.cases))
        for near in neighbourhoods(self._engine(row), self.asking, self.k, self._payload, CELLS // len(row)):
            votes = self._votes(near, self.kernel.weigh(_Terms.of(self, near).sums(row), near, self.metric.p))
            shares = self._gaps(votes, near.rows)[2]
            ahead = shares >= (1.0 - TIE) * shares.max(axis=1, keepdims=True)
            right = ahead[np.arange(len(near.rows)), self.target.values[near.rows]] / ahead.sum(axis=1)
            wrong[near.rows] = self.target.weights[near.rows] * (1.0 - right)
        return float(_ordered_sum(wrong) / max(self.target.weights.sum(), 1e-300))

    def every_k(self, weights: Any, largest: int) -> Floats:
        """(largest,) E of one weight vector with 1/d votes, for k = 1, 2, … from one search."""
        row = weight_vectors([weights], self.metric)[0]
        largest = min(largest, len(self.cases) - 1)
        errors = np.zeros((len(self.cases), largest))
        step = max(1, CELLS // (largest * self._payload.n_groups * self._payload.values.shape[1]))
        engine = self._engine(row)
        for start in counted(range(0, len(self.cases), step), -(-len(self.cases) // step)):
            rows = np.arange(start, min(len(self.cases), start + step))
            ballots = collect(engine, self.asking.take(rows), largest, self._payload, "fair", rows)
            for k in range(1, largest + 1):
                votes = tally(*ballots.at(k), InverseDistance(), self.metric.root)[0]
                errors[rows, k - 1] = self._voted(votes, rows)
        return np.asarray(_ordered_sum(errors))

    # --------------------------------------------------------------- neighbours

    def _engine(self, weights: Floats) -> Engine:
        distance = Distance(self.metric, Global(weights, self.metric.names), Stored(self.cases))
        return plan(distance, threads=self.threads).engine

    # ------------------------------------------------------------------- adding

    def _add_up(self, weights: Floats, with_gradient: bool) -> tuple[float, Floats]:
        n, p = len(self.cases), len(weights)
        errors, slopes = np.zeros(n), np.zeros((n, p if with_gradient else 0))
        for near in neighbourhoods(self._engine(weights), self.asking, self.k, self._payload, CELLS // p):
            terms = _Terms.of(self, near)
            sums = terms.sums(weights)
            kernel = self.kernel.weigh(sums, near, self.metric.p)
            errors[near.rows], by_kernel = self._judged(near, kernel, with_gradient)
            if not with_gradient:
                continue
            by_sum = self.kernel.slopes(by_kernel, sums, kernel, near, self.metric.p)
            slopes[near.rows] = terms.slopes(by_sum, weights, sums)
        return float(_ordered_sum(errors)), _ordered_sum(slopes)

    def _judged(self, near: Neighbourhoods, kernel: Floats, with_gradient: bool) -> tuple[Floats, Floats]:
        """(m,) errors, and (l,) their derivative by the vote of each neighbour, empty unless asked for."""
        codes = self.target.values[near.cases]
        amounts = near.shares * self.target.weights[near.cases]
        errors, gaps, shares, totals = self._gaps(self._votes(near, kernel), near.rows)
        if not with_gradient:
            return errors, np.zeros(0)
        # dE/dK_i of a neighbour of class c: -2 a_i / sum(votes) * (gap_c - sum over classes of gap * p)
        inner = gaps[near.owner, codes] - (gaps * shares).sum(axis=1)[near.owner]
        scale = np.where(totals > 0, self.target.weights[near.rows] / np.where(totals > 0, totals, 1.0), 0.0)
        return errors, -2.0 * amounts * scale[near.owner] * inner

    def _voted(self, votes: Floats, rows: Ints) -> Floats:
        """(m,) errors from votes (m, g, v)."""
        return self._gaps(votes[:, :, 0], rows)[0]

    def _votes(self, near: Neighbourhoods, kernel: Floats) -> Floats:
        """(m, c) what the neighbours (l,) of each case cast for each class."""
        c = self.target.n_classes
        amounts = near.shares * self.target.weights[near.cases] * kernel
        flat = np.bincount(near.owner * c + self.target.values[near.cases], amounts, minlength=len(near.rows) * c)
        return np.asarray(flat, dtype=np.float64).reshape(len(near.rows), c)

    def _gaps(self, votes: Floats, rows: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """(m,) errors, (m, c) truth less probability, (m, c) probabilities and (m,) sums of votes.

        Where nobody votes (neighbours of sample weight 0) the probabilities are the priors, whatever the weights.
        """
        totals = votes.sum(axis=1)
        silent = ~(totals > 0)
        shares = votes / np.where(silent, 1.0, totals)[:, None]
        shares[silent] = self.target.priors
        gaps = -shares
        gaps[np.arange(len(rows)), self.target.values[rows]] += 1.0
        return self.target.weights[rows] * np.square(gaps).sum(axis=1), gaps, shares, np.where(silent, 0.0, totals)


@dataclass(frozen=True)
class _Terms:
    """delta_f^p of all neighbours, feature by feature, and which of them "ignore" leaves out."""

    near: Neighbourhoods
    powers: list[Floats]
    """p arrays (l,)"""
    known: list[NDArray[np.bool_]] | None
    """p arrays (l,); None where no pair is left out"""
    worst: Floats
    """(p,) what each feature counts with where all are left out"""

    @classmethod
    def of(cls, error: SmoothError, near: Neighbourhoods) -> _Terms:
        metric, cases, asking = error.metric, error.cases, error.asking
        queries = near.rows[near.owner]
        powers, out = [], []
        for f, (measure, column, scale) in enumerate(zip(metric.measures, cases.columns, error._scales, strict=True)):
            raw = pair_differences(measure, column, near.cases, queries, asking.columns[f])
            powers.append(weighted(scale, power(raw, metric.p)))
            out.append(left_out_pairs(measure, column, near.cases, queries))
        known = None
        if any(o is not None and o.any() for o in out):
            known = [np.ones(len(queries), dtype=bool) if o is None else ~o for o in out]
        largest = np.array([power(m.fitted.maximum, metric.p) for m in metric.measures])
        return cls(near, powers, known, weighted(error._scales, largest))

    def sums(self, weights: Floats) -> Floats:
        """(l,) distances before the root, as the engines add them up."""
        total = np.zeros(len(self.near.cases))
        for weight, powers in zip(weights, self.powers, strict=True):
            total += weighted(weight, powers)
        if self.known is None:
            return total
        known, partial = self._known(weights)
        total = np.where(partial & (known > 0), total * (weights.sum() / np.where(known > 0, known, 1.0)), total)
        return np.where(partial & ~(known > 0), dot(weights, self.worst), total)

    def _known(self, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """(l,) the weight of the features that are known, and the pairs in which some are not."""
        total, partial = np.zeros(len(self.near.cases)), np.zeros(len(self.near.cases), dtype=bool)
        for weight, known in zip(weights, self.known or [], strict=True):
            total += weight * known
            partial |= ~known
        return total, partial

    def slopes(self, by_sum: Floats, weights: Floats, sums: Floats) -> Floats:
        """(m, p) dE/dw of each case from dE/ds (l,) of its neighbours."""
        out = np.empty((len(self.near.rows), len(weights)))
        if self.known is None:
            for f, powers in enumerate(self.powers):
                out[:, f] = self.near.added(by_sum * powers)
            return out
        # s = (A / B) S, with A over all weights, B and S over the known features and t = delta^p: ds/dw is
        # (A / B) t + s / A - s / B for a feature that is known, and s / A for one that is not
        known, partial = self._known(weights)
        total = weights.sum()
        rescaled, nothing = partial & (known > 0), partial & ~(known > 0)
        factor = np.where(rescaled, total / np.where(known > 0, known, 1.0), 1.0)
        over_all = np.where(rescaled, sums / (total if total > 0 else 1.0), 0.0)
        over_known = np.where(rescaled, sums / np.where(known > 0, known, 1.0), 0.0)
        for f, powers in enumerate(self.powers):
            slope = factor * powers + over_all - np.where(self.known[f], over_known, 0.0)
            out[:, f] = self.near.added(by_sum * np.where(nothing, self.worst[f], slope))
        return out


def _ordered_sum(values: Floats) -> Any:
    """The sum over the first axis in ascending order, which does not depend on the order of the cases."""
    return np.sort(values, axis=0).sum(axis=0)
