r"""Near cases, and sums of differences over pairs of cases: what Relief-like weightings are made of.

.. math:: w_f = \sum_{i, j} C_{ij}\, \delta_f(i, j)

A method is a choice of C. It asks for the near cases of each case (`Contrast.near`, a short list) or for its distances
from all cases (`Contrast.blocks`), makes its coefficients from them and has the differences added up (`listed`,
`blocked`). Numbers, circles and symbols run in the native core, everything else, or all without the core, in blocks
of NumPy. Memory is bounded; C is never held as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.differences.metric import Measured, Metric, power
from nearwise.native import core
from nearwise.progress import counted, progress
from nearwise.search.base import TIE
from nearwise.search.layout.columns import KINDS, Layout
from nearwise.statistics.contrasts.ramp import Ramp, climbed
from nearwise.statistics.contrasts.unknown import Unknown
from nearwise.statistics.descent.gather import known_differences
from nearwise.statistics.scattered import scattered

__all__ = ["Contrast", "NearByGroup"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CALL_TERMS = 500_000_000
"""differences of features in one native search: well under 100 ms, so that Ctrl-C answers"""
CALL_CASES = 192
"""cases that ask in one native search at the least"""
PAIR_TERMS = 50_000_000
"""the same in double precision"""
BLOCK_BYTES = 32 << 20
"""memory of one block of distances"""
ON_RAMP = {"line": 3, "circle": 4}
"""forms of differences that climb a ramp, as the core knows them then"""
MOST_SYMBOLS = 1 << 24


@dataclass(frozen=True)
class NearByGroup:
    """The k nearest cases of m queries in each of g groups, with all that tie for the last places.

    Query j has the entries ``ends[j * g + a] .. ends[j * g + a + 1]`` in group a, by (sum, index) where sums are asked
    for; those that count whole come first.
    """

    ends: Ints
    inside: Ints
    """(m * g,) entries that are clearly among the k"""
    share: Floats
    """(m * g,) what each of the others counts: r/t where t cases tie for r places"""
    cases: NDArray[np.int32]
    sums: Floats
    """(e,) sums of differences, empty unless asked for"""

    @property
    def sizes(self) -> Ints:
        """(m * g,) entries of each query and group."""
        return np.diff(self.ends)

    @property
    def places(self) -> Floats:
        """(m * g,) how many neighbours the entries stand for: k, or fewer where the group is smaller."""
        return np.asarray(self.inside + self.share * (self.sizes - self.inside))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """(e,) to every entry the value (m * g,) of its query and group."""
        return np.repeat(values, self.sizes)

    @property
    def ranks(self) -> Ints:
        """(e,) 0, 1, ... within each query and group."""
        return np.asarray(np.arange(len(self.cases)) - self.spread(self.ends[:-1]))

    @property
    def shares(self) -> Floats:
        """(e,) what each entry counts: 1, or its share of the places it ties for."""
        if (self.inside == self.sizes).all():
            return np.ones(len(self.cases))
        return np.where(self.ranks < self.spread(self.inside), 1.0, self.spread(self.share))


class Contrast:
    """Cases in pairs; ``groups`` (n,) are their classes, ``unknown`` is what missing values differ by."""

    def __init__(
        self,
        metric: Metric,
        cases: Measured,
        asking: Measured,
        groups: NDArray[Any],
        n_groups: int,
        unknown: Sequence[Unknown | None],
        threads: int = 1,
        ramp: Ramp | None = None,
    ) -> None:
        self.metric, self.cases, self.asking, self.unknown = metric, cases, asking, tuple(unknown)
        self.measures, self.power = metric.measures, metric.p
        self.groups, self.n_groups, self.threads = groups.astype(np.int32), n_groups, max(1, threads)
        self.scales = np.array([m.scale(1) for m in self.measures])
        self.ramp = ramp
        self._native = self._packed()
        self._held: tuple[Any, dict[int, Floats]] = (None, {})

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def largest(self) -> float:
        """The largest difference of a feature."""
        reach = (float(self._scaled(f, m.fitted.largest)) for f, m in enumerate(self.measures))
        return max(reach, default=1.0)

    def _packed(self) -> Any:
        """The cases in the native core, or None where it cannot serve them."""
        native = core()
        if native is None:
            return None
        for measure, column, unknown in zip(self.measures, self.cases.columns, self.unknown, strict=True):
            if measure.fitted.form not in KINDS or (column.missing is not None and unknown is None):
                return None
            if measure.fitted.form == "overlap" and len(measure.fitted.levels or ()) >= MOST_SYMBOLS:
                return None
        layout = Layout.of(self.metric)
        holed = [f for f, column in enumerate(self.cases.columns) if column.missing is not None]
        holes = [u for f in holed if (u := self.unknown[f]) is not None]
        both = np.array([u.both for u in holes], dtype=np.float64).reshape(len(holed), self.n_groups, self.n_groups)
        made = native.Contrast(
            layout.on_circles(self.cases), self._kinds(layout), self.scales, layout.periods, self.groups, self.n_groups,
            np.array(holed, dtype=np.int64),
            np.array([u.cells for u in holes], dtype=np.int32).reshape(len(holed), len(self)),
            [np.ascontiguousarray(u.table) for u in holes], both, int(self.power),
            *(() if self.ramp is None else self.ramp.ends),
        )  # fmt: skip
        return made if made.is_usable else None

    # ------------------------------------------------------------------------------------------------ near cases

    def near(self, rows: NDArray[Any], k: int, with_sums: bool = False) -> Iterator[tuple[int, Ints, NearByGroup]]:
        """The k nearest cases of each of these in every group, without the case itself.

        Pieces of (number, rows, near), in scattered order.
        """
        rows = np.asarray(rows, dtype=np.int64)
        if self._native is None:
            yield from self._near_in_blocks(rows, k)
            return
        step = max(CALL_CASES, CALL_TERMS // (len(self) * len(self.measures)))
        step = min(step, max(CALL_CASES, 8 * BLOCK_BYTES // len(self)))  # all cases may tie with one another
        parts = [rows]
        if any(u is not None for u in self.unknown):  # what a missing value differs by goes by the query's group
            parts = [rows[self.groups[rows] == a] for a in np.unique(self.groups[rows])]
        pieces = [part[start : start + step] for part in parts for start in range(0, len(part), step)]
        for at in self._in_turns(pieces):
            yield at, pieces[at], NearByGroup(*self._native.near(pieces[at], k, TIE, with_sums, self.threads))

    def _in_turns(self, pieces: list[Ints]) -> Iterator[int]:
        """Their numbers, behind a progress bar."""
        order = scattered(len(pieces))
        costs = [float(len(pieces[at])) for at in order]
        return progress(counted(order, sum(costs), costs), len(pieces), "comparing")

    def _near_in_blocks(self, rows: Ints, k: int) -> Iterator[tuple[int, Ints, NearByGroup]]:
        members = [np.flatnonzero(self.groups == a) for a in range(self.n_groups)]
        for number, piece, sums in self.blocks(rows):
            found = [_nearest(sums[j], each[each != i], k) for j, i in enumerate(piece) for each in members]
            sizes, inside, shares, cases = zip(*found, strict=True)
            at = np.concatenate([np.full(len(c), j // self.n_groups) for j, c in enumerate(cases)])
            chosen = np.concatenate(cases).astype(np.int32)
            ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            yield number, piece, NearByGroup(ends, np.array(inside), np.array(shares), chosen, sums[at, chosen])

    def listed(self, rows: Ints, near: NearByGroup, coefficients: Floats) -> Floats:
        """(p,) the coefficients (e,) of listed pairs times the differences of each feature."""
        ends = np.ascontiguousarray(near.ends[:: self.n_groups])
        if self._native is not None:
            return np.asarray(self._native.listed(rows, ends, near.cases, coefficients, self.threads))
        i = np.repeat(rows, np.diff(ends))
        return np.array([dot(coefficients, self._pairs(f, i, near.cases)) for f in range(len(self.measures))])

    def _pairs(self, f: int, i: NDArray[Any], j: NDArray[Any]) -> Floats:
        """(e,) differences of one feature of listed pairs."""
        unknown, missing = self.unknown[f], self.cases.columns[f].missing
        asking = self.asking.columns[f].values
        deltas = self._scaled(f, known_differences(self.measures[f], self.cases.columns[f].values, asking, j, i))
        if unknown is not None:
            unknown.pairs(deltas, i, j, self.groups)
        elif missing is not None:
            deltas[missing[i] | missing[j]] = 0.0
        return np.asarray(deltas)

    def _kinds(self, layout: Layout) -> NDArray[np.uint8]:
        """(p,) what the core compares; numbers on a ramp are kinds of their own."""
        if self.ramp is None:
            return layout.kinds
        on_ramp = {KINDS[form]: kind for form, kind in ON_RAMP.items()}
        return np.array([on_ramp.get(kind, kind) for kind in layout.kinds.tolist()], dtype=np.uint8)

    def _scaled(self, f: int, raw: Any) -> Floats:
        """Differences of a feature from raw ones: over the unit, and on the ramp if there is one."""
        return climbed(self.ramp, self.measures[f], self.scales[f] * raw)

    # ------------------------------------------------------------------------------------------------- all pairs

    def blocks(self, rows: NDArray[Any]) -> Iterator[tuple[int, Ints, Floats]]:
        """Sums of differences from all cases: pieces of (number, rows (m,), sums (m, n)), in scattered order."""
        rows = np.asarray(rows, dtype=np.int64)
        costly = sum(m.fitted.form == "pair" for m in self.measures)
        step = BLOCK_BYTES // (8 * len(self) * (1 + costly))
        if self._native is not None:
            step = min(step, PAIR_TERMS // (len(self) * len(self.measures)))
        step = max(8, step)
        pieces = [rows[start : start + step] for start in range(0, len(rows), step)]
        for at in self._in_turns(pieces):
            yield at, pieces[at], self._sums(pieces[at])

    def _sums(self, rows: Ints) -> Floats:
        if self._native is not None:
            return np.asarray(self._native.sums(rows, self.threads))
        held: dict[int, Floats] = {}
        total, left_out = np.zeros((len(rows), len(self))), np.zeros((len(rows), len(self)), dtype=np.intp)
        for f, measure in enumerate(self.measures):
            deltas = self._deltas(f, rows)
            total += power(deltas, self.power)
            if measure.fitted.form == "pair":
                held[f] = deltas
            out = measure.left_out(self.cases.columns[f], self.cases.columns[f].take(rows))
            if out is not None and self.unknown[f] is None:
                left_out += out
        self._held = (rows, held)
        return self._rescaled(total, left_out) if left_out.any() else total

    def _rescaled(self, total: Floats, left_out: NDArray[np.intp]) -> Floats:
        """The policy "ignore": sums over the features that are known, rescaled to all of them."""
        p = len(self.measures)
        largest = [float(self._scaled(f, m.fitted.maximum)) for f, m in enumerate(self.measures)]
        worst = power(np.where(self.scales > 0, largest, 0.0), self.power).sum()
        return np.where(left_out < p, total * (p / np.maximum(p - left_out, 1)), worst)

    def _deltas(self, f: int, rows: Ints) -> Floats:
        """(m, n) differences of one feature of some cases from all cases."""
        measure, column, unknown = self.measures[f], self.cases.columns[f], self.unknown[f]
        asked = self.asking.columns[f].take(rows)
        deltas = self._scaled(f, measure.fitted.block(column.values, asked.values))
        if unknown is not None:
            unknown.fill(deltas, rows, self.groups)
        else:
            out = measure.left_out(column, asked)
            if out is not None:
                deltas[out] = 0.0
        return np.asarray(deltas)

    def blocked(self, rows: Ints, coefficients: Floats) -> Floats:
        """(p,) the coefficients (m, n) of all pairs times the differences of each feature."""
        if self._native is not None:
            return np.asarray(self._native.blocked(rows, np.ascontiguousarray(coefficients), self.threads))
        known = self._held[1] if self._held[0] is rows else {}
        return np.array([
            float((coefficients * (known[f] if f in known else self._deltas(f, rows))).sum())
            for f in range(len(self.measures))
        ])  # fmt: skip


def _nearest(sums: Floats, members: NDArray[Any], k: int) -> tuple[int, int, float, NDArray[Any]]:
    """How many are listed, how many count whole, the share of the others, and the cases."""
    own = sums[members]
    order = np.lexsort((members, own))
    if len(order) <= k:
        return len(order), len(order), 1.0, members[order]
    kth = own[order[k - 1]]
    kept = int(np.searchsorted(own[order], kth + TIE * kth, side="right"))
    inside = int(np.searchsorted(own[order], kth - TIE * kth, side="left"))
    if kept == k:
        return k, k, 1.0, members[order[:k]]
    return kept, inside, (k - inside) / (kept - inside), members[order[:kept]]
