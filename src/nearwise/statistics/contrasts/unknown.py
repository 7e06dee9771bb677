"""What a missing value of one feature differs by from other values, by the group of the case that misses it.

``probabilities`` is Kononenko's way: with the class c of the case that misses a value,

.. math::
    \\delta(?, v) = 1 - P(v \\mid c), \\qquad \\delta(?, ?) = 1 - \\sum_v P(v \\mid c)\\,P(v \\mid c')

over known values, times the feature's largest difference; ``policy`` is that of the feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import product
from nearwise.cases.cuts import Cuts, mdl, width_cuts
from nearwise.differences.base import sample_rows
from nearwise.differences.metric import Encoded, Measure
from nearwise.statistics.contrasts.ramp import Ramp, climbed

__all__ = ["Unknown", "by_policy", "by_probabilities"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

BINS = 8
"""intervals of numbers where no classes can cut them"""


@dataclass(frozen=True)
class Unknown:
    """A missing value of a case of group a differs from a known value in cell v by ``table[a, v]``."""

    cells: Codes
    """(n,) the cell of each known value, -1 where it is missing"""
    table: Floats
    """(g, v)"""
    both: Floats
    """(g, g) what two missing values differ by"""

    def fill(self, deltas: Floats, rows: NDArray[Any], groups: Codes) -> None:
        """Put the differences of missing values into (m, n) differences of some cases and all cases."""
        missing, asked = self.cells < 0, self.cells[rows]
        for j in np.flatnonzero(asked < 0):
            a = groups[rows[j]]
            deltas[j] = np.where(missing, self.both[a, groups], self.table[a, self.cells])
        known, away = np.flatnonzero(asked >= 0), np.flatnonzero(missing)
        if len(known) and len(away):
            deltas[np.ix_(known, away)] = self.table[groups[away][None, :], asked[known][:, None]]

    def pairs(self, deltas: Floats, i: NDArray[Any], j: NDArray[Any], groups: Codes) -> None:
        """The same for (e,) differences of listed pairs."""
        of_i, of_j = self.cells[i], self.cells[j]
        both = (of_i < 0) & (of_j < 0)
        one = (of_i < 0) != (of_j < 0)
        group, cell = np.where(of_i < 0, groups[i], groups[j]), np.where(of_i < 0, of_j, of_i)
        deltas[one] = self.table[group[one], cell[one]]
        deltas[both] = self.both[groups[i[both]], groups[j[both]]]


def by_policy(measure: Measure, column: Encoded, n_groups: int, ramp: Ramp | None = None) -> Unknown | None:
    """What the feature's missing policy says; None under "ignore", which leaves the feature out.

    On a ramp, what stands for a difference climbs it as any difference does.
    """
    if column.missing is None or measure.ignores:
        return None
    unit = measure.scale(1)
    if measure.takes_means and column.expected is not None:
        means, cells = np.unique(column.expected, return_inverse=True)
    else:
        means, cells = np.array([measure.one]), np.zeros(len(column.values), dtype=np.intp)
    return Unknown(
        np.where(column.missing, -1, cells).astype(np.int32),
        np.tile(climbed(ramp, measure, unit * means), (n_groups, 1)),
        np.full((n_groups, n_groups), climbed(ramp, measure, unit * measure.both)),
    )


def by_probabilities(
    measure: Measure,
    column: Encoded,
    groups: Codes,
    n_groups: int,
    weights: Floats,
    has_classes: bool,
    ramp: Ramp | None = None,
) -> Unknown | None:
    """Kononenko's probabilities given the group (Readings F4 to F6); numbers by intervals that tell classes apart.

    Kinds without cells (text, sets, vectors, functions, value differences) take the mean difference from the known
    values of the group, of at most 500 of them. A group in which no value is known takes all groups together; where
    nothing is known at all, nothing differs.
    """
    if column.missing is None or measure.as_value:
        return by_policy(measure, column, n_groups, ramp)
    known = np.flatnonzero(~column.missing)
    if not len(known):
        none = np.full(len(groups), -1, dtype=np.int32)
        return Unknown(none, np.zeros((n_groups, 1)), np.zeros((n_groups, n_groups)))
    if measure.fitted.form not in ("line", "circle", "overlap"):
        return _by_means(measure, column, known, groups, n_groups)
    cells = np.full(len(groups), -1, dtype=np.int32)
    cells[known] = _cells(measure, column.values[known], groups[known], weights[known], has_classes)
    flat = groups[known].astype(np.int64) * (int(cells.max()) + 1) + cells[known]
    size = n_groups * (int(cells.max()) + 1)
    counts = np.bincount(flat, weights=weights[known], minlength=size).reshape(n_groups, -1)
    totals = counts.sum(axis=1, keepdims=True)
    overall = counts.sum(axis=0) / counts.sum()
    shares = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), overall[None, :])
    largest = climbed(ramp, measure, measure.scale(1) * measure.fitted.largest)
    rest = np.maximum(1.0 - product(shares, shares.T), 0.0)
    return Unknown(cells, largest * (1.0 - shares), largest * rest)


def _cells(measure: Measure, values: Floats, groups: Codes, weights: Floats, has_classes: bool) -> NDArray[Any]:
    """The symbol, the level or the interval of each known value."""
    fitted: Any = measure.fitted
    if fitted.form == "overlap":
        return values
    if fitted.form == "circle":
        values = np.mod(values, fitted.period)
    if getattr(fitted, "ranked", False):
        return np.unique(values, return_inverse=True)[1]
    order = np.argsort(values, kind="stable")
    if has_classes:
        cuts = Cuts(mdl(values[order], groups[order], weights[order]), "right")
    else:
        cuts = width_cuts(values, BINS)
    return cuts.place(values)


def _by_means(measure: Measure, column: Encoded, known: NDArray[Any], groups: Codes, n_groups: int) -> Unknown:
    unit = measure.scale(1)
    cells = np.full(len(groups), -1, dtype=np.int32)
    cells[known] = np.arange(len(known))
    values = column.values[known]
    table, samples = np.zeros((n_groups, len(known))), []
    for a in range(n_groups):
        members = known[groups[known] == a]
        members = members if len(members) else known
        held = column.values[members]
        sample = members[sample_rows([repr(v).encode() for v in held])]
        samples.append(cells[sample])
        for start in range(0, len(known), 1000):
            block = measure.fitted.block(column.values[sample], values[start : start + 1000])
            table[a, start : start + 1000] = unit * block.mean(axis=1)
    both = np.array([[table[b, samples[a]].mean() for b in range(n_groups)] for a in range(n_groups)])
    return Unknown(cells, table, (both + both.T) / 2)
