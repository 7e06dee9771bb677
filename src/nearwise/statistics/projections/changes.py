"""What is different on one axis after a few cases came or went: the runs they belong to, as they are now.

The axis itself stays as it was sorted. A run of the changes stands for the one of the axis at the same value, if there
is one; it may be empty, where all its cases went. So a query that looks at both sees what a new axis would show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import Floats, Ints
from nearwise.statistics.projections.axes import DENSE, Axis, Brought, Codes, Entries, entries_of, starts_of

__all__ = ["Changes", "Moved", "changes_of"]

LARGEST_SHARE = 8
"""cases of the runs that change are added up again while they are at most one in so many"""
NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Moved:
    """Cases that came or went, those with a value on this axis."""

    values: Floats
    """(n,) as the axis has them"""
    codes: Codes
    amounts: Floats | None
    """(n, v); None where every case weighs 1"""
    rows: Ints
    """(n,) which cases of the axis they are; of those that came, their places among them"""

    @classmethod
    def of(cls, values: Floats, brought: Brought, rows: Ints) -> Moved:
        """Cases whose number among those that ``brought`` tells of are ``rows``."""
        known = np.flatnonzero(~np.isnan(values))
        rows = rows[known]
        amounts = None if brought.values is None else brought.values[rows]
        return cls(values[known], brought.codes[rows], amounts, rows)


@dataclass(frozen=True)
class Changes:
    """The runs that changed, as an axis (for symbols all runs), and what there is on both together."""

    axis: Axis
    n: int
    """cases that have a value"""
    ends: tuple[float, float] | None
    """the smallest and the largest value; None without any, and for symbols"""


@dataclass(frozen=True)
class _Touched:
    """The values at which cases came or went."""

    values: Floats
    """ascending"""
    gone: Ints
    """the place of each case that went among them"""
    came: Ints
    held: Ints
    """places of those that the axis has"""
    runs: Ints
    """and its runs there"""

    @classmethod
    def of(cls, positions: Floats, gone: Moved, came: Moved) -> _Touched:
        values, place = np.unique(np.concatenate([gone.values, came.values]), return_inverse=True)
        at = np.searchsorted(positions, values)
        held = np.flatnonzero(at < len(positions))
        held = held[positions[at[held]] == values[held]]
        split = len(gone.values)
        return cls(values + 0.0, place[:split], place[split:], held, at[held])  # no negative zero


def changes_of(axis: Axis, gone: Moved, came: Moved, brought: Brought) -> Changes | None:
    """What changed on an axis whose cases ``brought`` this; None where sorting it again is no dearer."""
    if axis.positions is None:
        return _of_symbols(axis, gone, came, brought.n_groups) if brought.values is None else None
    touched = _Touched.of(axis.positions, gone, came)
    if brought.values is None:
        entries = _counted_on_line(axis, touched, gone, came, brought.n_groups)
    else:
        found = _added_up(axis, touched, gone, came, brought)
        if found is None:
            return None
        entries = found
    values = touched.values
    changed = Axis(values, *entries, len(values), axis.inverse, axis.period, NOBODY, 0)
    return Changes(changed, axis.n - len(gone.values) + len(came.values), _ends(axis, touched.runs, changed))


def _of_symbols(axis: Axis, gone: Moved, came: Moved, g: int) -> Changes:
    assert axis.starts is not None
    held = np.repeat(np.arange(axis.runs), np.diff(axis.starts)) * g + axis.codes
    counts = np.ones(len(held), dtype=np.int64) if axis.cases is None else axis.cases
    keys = [held, came.values.astype(np.int64) * g + came.codes, gone.values.astype(np.int64) * g + gone.codes]
    entries = _counted(keys, counts, axis.runs, g)
    changed = Axis(None, *entries, axis.runs, axis.inverse, 0.0, NOBODY, 0)
    return Changes(changed, changed.n, None)


def _counted_on_line(axis: Axis, touched: _Touched, gone: Moved, came: Moved, g: int) -> Entries:
    runs = touched.runs
    first, last = (runs, runs + 1) if axis.starts is None else (axis.starts[runs], axis.starts[runs + 1])
    entries, of = _ranges(first, last)
    counts = np.ones(len(entries), dtype=np.int64) if axis.cases is None else axis.cases[entries]
    keys = [touched.held[of] * g + axis.codes[entries], touched.came * g + came.codes, touched.gone * g + gone.codes]
    return _counted(keys, counts, len(touched.values), g)


def _counted(keys: list[Ints], counts: NDArray[Any], n_runs: int, g: int) -> Entries:
    """Entries by run * g + group: the cases that were there, and one for each that came, less those that went."""
    together = np.concatenate(keys)
    change = np.ones(len(together), dtype=np.int64)
    change[: len(counts)] = counts
    change[len(together) - len(keys[2]) :] = -1
    if n_runs * g <= DENSE * len(together) + 1024:
        cases = np.bincount(together, weights=change, minlength=n_runs * g).astype(np.int64)
        key = np.flatnonzero(cases)
        cases = cases[key]
    else:
        key, place = np.unique(together, return_inverse=True)
        cases = np.bincount(place, weights=change).astype(np.int64)
        key, cases = key[cases > 0], cases[cases > 0]
    before = np.concatenate([[0], np.cumsum(np.bincount(key // g, weights=cases, minlength=n_runs))]).astype(np.int32)
    return starts_of(key // g, n_runs), before, (key % g).astype(np.int32), cases.astype(np.int32), None


def _added_up(axis: Axis, touched: _Touched, gone: Moved, came: Moved, brought: Brought) -> Entries | None:
    """The same where cases weigh: all those of a run are added up again, since sums cannot be taken apart exactly."""
    runs = touched.runs
    assert brought.values is not None
    assert came.amounts is not None
    first, last = (runs, runs + 1) if axis.before is None else (axis.before[runs], axis.before[runs + 1])
    places, of = _ranges(first, last)
    if len(places) > axis.n // LARGEST_SHARE + 1024:
        return None
    rows = axis.order[places]
    stays = ~np.isin(rows, gone.rows)
    run = np.concatenate([touched.held[of][stays], touched.came])
    rows = rows[stays]
    codes = np.concatenate([brought.codes[rows], came.codes])
    amounts = np.concatenate([brought.values[rows], came.amounts])
    return entries_of(run, len(touched.values), Brought(codes, amounts, brought.n_groups), np.arange(len(run)))


def _ranges(first: NDArray[Any], last: NDArray[Any]) -> tuple[Ints, Ints]:
    """All numbers from each ``first`` to before its ``last``, and which of them each belongs to."""
    size = np.asarray(last - first, dtype=np.intp)
    of = np.repeat(np.arange(len(size)), size)
    return np.asarray(np.arange(len(of)) - np.repeat(np.cumsum(size) - size, size) + first[of]), of


def _ends(axis: Axis, runs: Ints, changed: Axis) -> tuple[float, float] | None:
    """The smallest and the largest value of an axis, some of whose ``runs`` changed."""
    assert axis.positions is not None
    assert changed.positions is not None
    assert changed.before is not None
    found = list(changed.positions[np.diff(changed.before) > 0][[0, -1]]) if changed.n else []
    if len(runs) < axis.runs:
        low = int(np.argmin(np.append(runs == np.arange(len(runs)), False)))
        high = int(np.argmin(np.append(runs[::-1] == axis.runs - 1 - np.arange(len(runs)), False)))
        found += [axis.positions[low], axis.positions[axis.runs - 1 - high]]
    return (float(min(found)), float(max(found))) if found else None
