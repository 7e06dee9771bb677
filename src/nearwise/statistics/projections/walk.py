"""Who votes on an axis, for many queries at once. The core does the same query by query; both give the same bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import TIE, Floats, Ints
from nearwise.statistics.projections.axes import Axis, Codes

__all__ = ["Skipped", "votes_on"]


@dataclass(frozen=True)
class Skipped:
    """The stored case that each query must skip: its run on this axis (or -1), its group and what it would add."""

    runs: Codes
    codes: Codes
    amounts: Floats

    def take(self, rows: Ints) -> Skipped:
        return Skipped(self.runs[rows], self.codes[rows], self.amounts[rows])


def votes_on(axis: Axis, values: Floats, k: int, skipped: Skipped, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """(m, g, v) votes of this feature and (m, g) the smallest difference at which a group votes."""
    m, (g, v) = len(values), shape
    total, near = np.zeros((m, g, v)), np.full((m, g), np.inf)
    places = np.minimum(k, axis.n - (skipped.runs >= 0))
    rows = np.flatnonzero(~np.isnan(values) & (places > 0))
    if len(rows):
        make = _Equality if axis.positions is None else _Line
        asked = make(axis, values[rows], places[rows], skipped.take(rows), (g, v))
        total[rows], near[rows] = asked.votes()
    return total, near


class _Asked:
    """Queries on one axis; entries are added up in ascending order, those of a tie apart."""

    def __init__(self, axis: Axis, values: Floats, places: Ints, skipped: Skipped, shape: tuple[int, int]) -> None:
        self.axis, self.values, self.places, self.skipped = axis, values, places, skipped
        self.inside, self.tied = np.zeros((len(values), *shape)), np.zeros((len(values), *shape))
        self.near = np.full((len(values), shape[0]), np.inf)
        self.starts = np.arange(axis.runs + 1) if axis.starts is None else axis.starts.astype(np.intp)
        self.before = np.arange(axis.runs + 1) if axis.before is None else axis.before.astype(np.intp)
        self.cases = np.ones(len(axis.codes), dtype=np.intp) if axis.cases is None else axis.cases
        plain = self.cases[:, None].astype(np.float64)
        self.amounts: Floats = plain if axis.amounts is None else axis.amounts

    def away(self, gaps: Floats) -> Floats:
        """Gaps in the unit of the feature; a constant one says nothing of who is near."""
        return np.asarray(gaps * self.axis.inverse if self.axis.inverse > 0 else np.full(np.shape(gaps), np.inf))

    def add(self, to: Floats, rows: Ints, runs: Ints, away: Floats) -> None:
        """The cases of one run for each of some queries."""
        first, last = self.starts[runs], self.starts[runs + 1]
        for step in range(int((last - first).max(initial=0))):
            held = first + step < last
            entry, at, far = (first + step)[held], rows[held], away[held]
            codes = self.axis.codes[entry]
            own = (self.skipped.runs[at] == runs[held]) & (self.skipped.codes[at] == codes)
            amounts = self.amounts[entry] - np.where(own[:, None], self.skipped.amounts[at], 0.0)
            stays = ~(own & (self.cases[entry] == 1))
            at, codes, amounts, far = at[stays], codes[stays], amounts[stays], far[stays]
            to[at, codes] += amounts
            near = np.where(amounts[:, 0] > 0, far, np.inf)
            self.near[at, codes] = np.minimum(self.near[at, codes], near)

    def close(self, share: Floats) -> tuple[Floats, Floats]:
        return self.inside + share[:, None, None] * self.tied, self.near


class _Line(_Asked):
    """Numbers: runs between ``low`` and ``high`` vote. On a circle both may be a turn off."""

    def run(self, at: Ints) -> Ints:
        return np.asarray(at % max(1, self.axis.runs) if self.axis.period else np.clip(at, 0, self.axis.runs - 1))

    def gap(self, at: Ints, rows: Ints | slice = slice(None)) -> Floats:
        assert self.axis.positions is not None
        with np.errstate(over="ignore"):
            gaps = np.abs(self.axis.positions[self.run(at)] - self.values[rows])
        return np.minimum(gaps, self.axis.period - gaps) if self.axis.period else gaps

    def further(self, low: Ints, high: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether there is a further run below, and above."""
        if self.axis.period:
            return (more := high - low - 1 < self.axis.runs), more
        return low >= 0, high < self.axis.runs

    def count(self, low: Ints, high: Ints) -> Ints:
        """(m,) cases between, without the one to skip."""
        r, n = self.axis.runs, self.axis.n

        def before(at: Ints) -> Ints:
            turn = np.where(at < 0, -1, np.where(at > r, 1, 0))
            return np.asarray(self.before[at - turn * r] + turn * n)

        own = np.zeros(len(low), dtype=np.intp)
        for turn in (-r, 0, r):
            at = self.skipped.runs + turn
            own += (self.skipped.runs >= 0) & (at > low) & (at < high)
        return before(high) - before(low + 1) - own

    def votes(self) -> tuple[Floats, Floats]:
        low, high, last = self._nearest()
        lower, upper = last - TIE * last, last + TIE * last
        while (step := self.further(low, high)[0] & (self.gap(low) <= upper)).any():
            low = low - step
        while (step := self.further(low, high)[1] & (self.gap(high) <= upper)).any():
            high = high + step
        inner_low, inner_high = low, high
        while (step := (inner_low + 1 < inner_high) & (self.gap(inner_low + 1) >= lower)).any():
            inner_low = inner_low + step
        while (step := (inner_low + 1 < inner_high) & (self.gap(inner_high - 1) >= lower)).any():
            inner_high = inner_high - step
        self._add_between(self.inside, inner_low + 1, inner_high, None)
        self._add_between(self.tied, low + 1, inner_low + 1, last)
        self._add_between(self.tied, inner_high, high, last)
        nearer = self.count(inner_low, inner_high)
        return self.close((self.places - nearer) / (self.count(low, high) - nearer))

    def _nearest(self) -> tuple[Ints, Ints, Floats]:
        """The runs of the k nearest cases, and how far the last of them is."""
        assert self.axis.positions is not None
        high = np.searchsorted(self.axis.positions, self.values)
        low = high - 1
        found, last = np.zeros(len(high), dtype=np.intp), np.zeros(len(high))
        while True:
            lower, higher = self.further(low, high)
            short = (found < self.places) & (lower | higher)
            if not short.any():
                return low, high, last
            below, above = np.where(lower, self.gap(low), np.inf), np.where(higher, self.gap(high), np.inf)
            down = short & lower & (~higher | (below <= above))
            up = short & ~down
            last = np.where(down, below, np.where(up, above, last))
            run = self.run(np.where(down, low, high))
            found += np.where(short, self.before[run + 1] - self.before[run] - (run == self.skipped.runs), 0)
            low, high = low - down, high + up

    def _add_between(self, to: Floats, first: Ints, end: Ints, last: Floats | None) -> None:
        for step in range(int((end - first).max(initial=0))):
            rows = np.flatnonzero(first + step < end)
            at = first[rows] + step
            self.add(to, rows, self.run(at), self.away(self.gap(at, rows) if last is None else last[rows]))


class _Equality(_Asked):
    """Symbols: those of the same run are at 0, all others tie."""

    def votes(self) -> tuple[Floats, Floats]:
        known = (self.values >= 0) & (self.values < self.axis.runs)
        runs = np.where(known, self.values, 0).astype(np.intp)
        own = self.skipped.runs
        same = np.where(known, self.before[runs + 1] - self.before[runs], 0) - (known & (own == runs))
        enough = same >= self.places
        for to, chosen in ((self.inside, ~enough), (self.tied, enough)):
            rows = np.flatnonzero(chosen & (same > 0))
            self.add(to, rows, runs[rows], np.zeros(len(rows)))
        rows = np.flatnonzero(~enough)
        self._add_others(rows, np.where(known, runs, -1)[rows])
        others = np.where(enough, same, self.axis.n - (own >= 0) - same)
        return self.close((self.places - np.where(enough, 0, same)) / others)

    def _add_others(self, rows: Ints, runs: Ints) -> None:
        """All cases but those of one run, and the one to skip."""
        g = self.near.shape[1]
        totals = np.zeros((g, self.amounts.shape[1]))
        np.add.at(totals, self.axis.codes, self.amounts)
        rest = np.repeat(totals[None], len(rows), axis=0)
        first = np.where(runs >= 0, self.starts[runs], 0)
        last = np.where(runs >= 0, self.starts[runs + 1], 0)
        for step in range(int((last - first).max(initial=0))):
            held = np.flatnonzero(first + step < last)
            entry = first[held] + step
            rest[held, self.axis.codes[entry]] -= self.amounts[entry]
        own = self.skipped.runs[rows]
        held = np.flatnonzero((own >= 0) & (own != runs))
        rest[held, self.skipped.codes[rows[held]]] -= self.skipped.amounts[rows[held]]
        left = rest[:, :, 0] > TIE * totals[None, :, 0]  # else only rounding is left
        self.tied[rows] += np.where(left[:, :, None], rest, 0.0)
        away = self.away(np.ones(1))[0]
        self.near[rows] = np.minimum(self.near[rows], np.where(left, away, np.inf))
