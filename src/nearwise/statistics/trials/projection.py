"""k nearest neighbours on a single feature, each case classified by those of the other folds.

Numbers need one pass over the sorted values (`on_line`), symbols only counts (`by_counts`). Both give what a search
would, fair ties included. Cases that miss the value are to be left out beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.differences.metric import power
from nearwise.native import core
from nearwise.search.base import TIE, Floats
from nearwise.vote import decide

__all__ = ["Labels", "around_zero", "by_counts", "on_line"]

Ints = NDArray[np.intp]

CELLS = 1 << 22
"""counts held at once"""


@dataclass(frozen=True)
class Labels:
    """What is known of n cases besides the feature: fold, class and weight (n,), and the priors (c,) of the classes."""

    folds: NDArray[np.int32]
    n_folds: int
    codes: NDArray[np.int32]
    weights: Floats
    priors: Floats

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """(n,) fold * c + class."""
        return self.folds * np.int32(len(self.priors)) + self.codes

    def take(self, rows: NDArray[np.intp]) -> Labels:
        return Labels(self.folds[rows], self.n_folds, self.codes[rows], self.weights[rows], self.priors)


def on_line(
    values: Floats, labels: Labels, k: int, coefficient: float, p: float, period: float = 0.0, native: bool = True
) -> Floats:
    """(k,) the weight of the cases that 1 .. k neighbours on the line, or circle, classify right.

    >>> folds, codes = np.array([0, 1, 0, 1], np.int32), np.array([0, 0, 1, 1], np.int32)
    >>> labels = Labels(folds, 2, codes, np.ones(4), np.ones(2) / 2)
    >>> on_line(np.array([1.0, 2.0, 8.0, 9.0]), labels, 1, 1.0, 2)
    array([4.])
    """
    if period > 0:
        values = around_zero(values, period)
    # the core numbers folds and classes together in 32 bits
    compiled = core() if native and labels.n_folds * len(labels.priors) < 2**31 else None
    if compiled is not None:
        return _compiled(compiled, values, labels, k, coefficient, p, period)
    order = np.argsort(values, kind="stable")
    values, labels = values[order], labels.take(order)
    right = np.zeros(k)
    for fold in np.unique(labels.folds):
        asked = np.flatnonzero(labels.folds == fold)
        stored = np.flatnonzero(labels.folds != fold)
        if not len(asked) or not len(stored):
            continue
        line = _Line(values[stored], labels.take(stored), coefficient, p, period)
        for places in range(1, k + 1):
            won = line.winners(values[asked], places)
            right[places - 1] += dot(labels.weights[asked], won == labels.codes[asked])
    return right


def around_zero(values: Floats, period: float) -> Floats:
    """The values from half a turn below zero to half a turn above, not rounded: modulo would move tiny negatives."""
    turned = np.fmod(values, period)
    return np.asarray(turned - period * (turned > period / 2) + period * (turned < -period / 2))


def _compiled(
    native: ModuleType, values: Floats, labels: Labels, k: int, coefficient: float, p: float, period: float
) -> Floats:
    """The same in the core."""
    places = labels.places
    if (labels.weights == 1.0).all():
        weights = np.zeros(0)
        values, places = native.sort_pairs(np.ascontiguousarray(values), places)
    else:
        order = np.argsort(values, kind="stable")
        values, places, weights = values[order], places[order], labels.weights[order]
    found = native.project(
        values, places, labels.n_folds, weights, labels.priors, float(coefficient), float(p), float(period), k, TIE
    )
    return np.asarray(found.sum(axis=0))


class _Line:
    """Stored cases as runs of equal values; all queries walk at once, a run a step."""

    def __init__(self, values: Floats, labels: Labels, coefficient: float, p: float, period: float) -> None:
        self.coefficient, self.p, self.period = coefficient, p, period
        self.priors, c = labels.priors, len(labels.priors)
        self.positions, at = np.unique(values, return_inverse=True)
        v = len(self.positions)
        self.cases = np.bincount(at, minlength=v)
        flat = np.bincount(at * c + labels.codes, weights=labels.weights, minlength=v * c)
        self.weights = flat.reshape(v, c)
        self.copies = 1
        if period > 0:  # three turns of the circle; no walk goes further than one of them
            self.positions = np.concatenate([self.positions - period, self.positions, self.positions + period])
            self.cases, self.weights, self.copies = np.tile(self.cases, 3), np.tile(self.weights, (3, 1)), 3

    def winners(self, queries: Floats, k: int) -> NDArray[np.intp]:
        """(m,) the class that k neighbours give."""
        v, m = len(self.positions), len(queries)
        most = int(self.cases.sum()) // self.copies
        k = min(k, most)
        low = np.searchsorted(self.positions, queries) - 1  # the next run on either side
        high = low + 1
        found, last = np.zeros(m, dtype=np.intp), np.zeros(m)
        while (short := found < k).any():
            below, above = self._sums(queries, low), self._sums(queries, high)
            down = short & (below <= above)
            up = short & ~down
            last = np.where(down, below, np.where(up, above, last))
            found += np.where(down, self.cases[np.maximum(low, 0)], 0)
            found += np.where(up, self.cases[np.minimum(high, v - 1)], 0)
            low, high = low - down, high + up
        lower, upper = last - TIE * last, last + TIE * last
        out = self._walked(queries, low, high, upper)
        inside = self._cut(queries, *out, lower)
        votes_in, cases_in = self._totals(*inside)
        votes_all, cases_all = self._totals(*out)
        tied = cases_all - cases_in
        share = (k - cases_in) / tied
        group = votes_all - votes_in
        group[np.abs(group) <= TIE * votes_all] = 0.0
        near = np.where(group > 0, last[:, None], np.inf)
        near = np.minimum(near, self._nearest(queries, *inside))
        return decide(votes_in + share[:, None] * group, near, self.priors)

    def _sums(self, queries: Floats, at: Ints) -> Floats:
        """(m,) sums of queries and one run each; infinite beyond the ends."""
        there = (at >= 0) & (at < len(self.positions))
        gaps = np.abs(self.positions[np.clip(at, 0, len(self.positions) - 1)] - queries)
        return np.where(there, self.coefficient * power(gaps, self.p), np.inf)

    def _walked(self, queries: Floats, low: Ints, high: Ints, limit: Floats) -> tuple[Ints, Ints]:
        """The sides moved outwards while the next run is within the limit, on a circle once around at the most."""
        turn = len(self.positions) // self.copies
        while (step := (self._sums(queries, low) <= limit) & (high - low - 1 < turn)).any():
            low = low - step
        while (step := (self._sums(queries, high) <= limit) & (high - low - 1 < turn)).any():
            high = high + step
        return low, high

    def _cut(self, queries: Floats, low: Ints, high: Ints, limit: Floats) -> tuple[Ints, Ints]:
        """The sides moved inwards while the outermost run is not nearer than the limit."""
        while (step := (low + 1 < high) & (self._sums(queries, low + 1) >= limit)).any():
            low = low + step
        while (step := (low + 1 < high) & (self._sums(queries, high - 1) >= limit)).any():
            high = high - step
        return low, high

    def _totals(self, low: Ints, high: Ints) -> tuple[Floats, Ints]:
        """(m, c) weights by class and (m,) cases of the runs between the sides."""
        some = high - low > 1
        at = np.stack([low[some] + 1, high[some]], axis=1).ravel()
        weights, cases = np.zeros((len(low), self.weights.shape[1])), np.zeros(len(low), dtype=np.intp)
        if len(at):  # an end behind the last run needs a row of its own
            padded = np.vstack([self.weights, np.zeros(self.weights.shape[1])])
            weights[some] = np.add.reduceat(padded, at, axis=0)[::2]
            cases[some] = np.add.reduceat(np.append(self.cases, 0), at)[::2]
        return weights, cases

    def _nearest(self, queries: Floats, low: Ints, high: Ints) -> Floats:
        """(m, c) the smallest sum of each class between the sides; infinite without one."""
        out = np.full((len(queries), self.weights.shape[1]), np.inf)
        widest = int((high - low).max(initial=1)) - 1
        for step in range(widest):
            at = low + 1 + step
            here = at < high
            sums = np.where(here, self._sums(queries, at), np.inf)
            voting = self.weights[np.clip(at, 0, len(self.weights) - 1)] > 0
            out = np.minimum(out, np.where(voting, sums[:, None], np.inf))
        return out


def by_counts(codes: NDArray[np.int32], labels: Labels, k: int, unequal: float = 1.0) -> Floats:
    """(k,) the weight of the cases that 1 .. k neighbours classify right where symbols are equal or not.

    The cases of other folds with the same symbol are at distance 0; all others tie at ``unequal``. A table of counts by
    symbol, fold and class is all it takes.

    >>> folds, codes = np.array([0, 1, 0, 1], np.int32), np.array([0, 0, 1, 1], np.int32)
    >>> labels = Labels(folds, 2, codes, np.ones(4), np.ones(2) / 2)
    >>> by_counts(np.array([0, 0, 1, 1], np.int32), labels, 1)
    array([4.])
    """
    f, c = labels.n_folds, len(labels.priors)
    order = np.argsort(codes, kind="stable")
    codes, labels = codes[order], labels.take(order)
    place = labels.folds.astype(np.intp) * c + labels.codes
    everywhere = np.bincount(place, weights=labels.weights, minlength=f * c).reshape(f, c)
    cases_everywhere = np.bincount(labels.folds, minlength=f)
    rest, cases_rest = everywhere.sum(axis=0) - everywhere, cases_everywhere.sum() - cases_everywhere
    symbols, starts = np.unique(codes, return_index=True)
    bounds = np.append(starts, len(codes))
    step = max(1, CELLS // (f * c))
    right = np.zeros(k)
    for first in range(0, len(symbols), step):
        rows = slice(bounds[first], bounds[min(len(symbols), first + step)])
        v = min(step, len(symbols) - first)
        symbol = np.searchsorted(symbols[first : first + v], codes[rows])
        counts = np.bincount(symbol * f * c + place[rows], weights=labels.weights[rows], minlength=v * f * c)
        own: Floats = counts.astype(np.float64).reshape(v, f, c)
        cases = np.bincount(symbol * f + labels.folds[rows], minlength=v * f).reshape(v, f)
        same = _clean(own.sum(axis=1, keepdims=True) - own, own.sum(axis=1, keepdims=True))
        same_cases = cases.sum(axis=1, keepdims=True) - cases
        other, other_cases = _clean(rest - same, rest), cases_rest - same_cases
        for places in range(1, k + 1):
            right[places - 1] += _right(own, same, same_cases, other, other_cases, places, unequal, labels.priors)
    return right


def _right(
    own: Floats,
    same: Floats,
    same_cases: Ints,
    other: Floats,
    other_cases: Ints,
    k: int,
    unequal: float,
    priors: Floats,
) -> float:
    """Weight of the own cases (v, f, c) that the winner of the places gets right; no case at all gets none."""
    from_same = np.minimum(k, same_cases)
    from_other = np.minimum(k - from_same, other_cases)
    share_same = from_same / np.maximum(same_cases, 1)
    share_other = from_other / np.maximum(other_cases, 1)
    votes = share_same[..., None] * same + share_other[..., None] * other
    near = np.where((share_same[..., None] > 0) & (same > 0), 0.0, np.inf)
    near = np.minimum(near, np.where((share_other[..., None] > 0) & (other > 0), unequal, np.inf))
    c = votes.shape[-1]
    won = decide(votes.reshape(-1, c), near.reshape(-1, c), priors)
    gained = own.reshape(-1, c)[np.arange(len(won)), won]
    return float(gained[(from_same + from_other).ravel() > 0].sum())


def _clean(difference: Floats, whole: Floats) -> Floats:
    """Differences of sums, 0 where only rounding is left of them."""
    return np.where(difference > TIE * whole, difference, 0.0)
