"""The stored cases on one feature: cases with equal values are a run, cases of a run and a class an entry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure
from nearwise.native import core
from nearwise.search.base import Floats, Payload
from nearwise.statistics.trials.projection import around_zero

__all__ = ["DENSE", "Axis", "Before", "Brought", "Codes", "Entries", "axis_of", "entries_of", "is_axis", "starts_of"]

Codes = NDArray[np.int32]
Entries = tuple[Codes | None, Codes | None, Codes, Codes | None, Floats | None]
"""starts, cases before, codes, cases and amounts, as an axis has them"""

DENSE = 4
"""counts of runs by classes are held in a table where it has at most so many cells per case"""


@dataclass(frozen=True)
class Axis:
    """One feature of the n cases that have a value there; where an array is None, each run is one case."""

    positions: Floats | None
    """(r,) ascending values; None for symbols, whose run is their code"""
    starts: Codes | None
    """(r + 1,) the entries of each run"""
    before: Codes | None
    """(r + 1,) cases in the runs before each"""
    codes: Codes
    """(e,) the group of each entry"""
    cases: Codes | None
    """(e,) how many it holds"""
    amounts: Floats | None
    """(e, v) what it adds to its group; None where it is its number of cases"""
    runs: int
    inverse: float
    """1 / unit of a gap; 0 where the feature is constant"""
    period: float
    order: Codes
    """(n,) the cases by run; for symbols (all cases,) the run of each, or -1"""
    total: int
    """cases of the table, those that miss the value too"""

    @property
    def n(self) -> int:
        return self.runs if self.before is None else int(self.before[-1])

    @property
    def for_core(self) -> tuple[Any, ...]:
        arrays = (self.positions, self.starts, self.before, self.codes, self.cases, self.amounts)
        return (*arrays, self.runs, self.inverse, self.period)

    @cached_property
    def run_of_case(self) -> Codes:
        """(all cases,) the run of each, or -1 where the value is missing."""
        if self.positions is None:
            return self.order
        found = np.full(self.total, -1, dtype=np.int32)
        runs = np.arange(self.runs, dtype=np.int32)
        found[self.order] = runs if self.before is None else np.repeat(runs, np.diff(self.before))
        return found

    @cached_property
    def sorted(self) -> Floats:
        """(n,) the values in the order of the cases."""
        if self.positions is None:
            return np.zeros(0)
        return self.positions if self.before is None else np.repeat(self.positions, np.diff(self.before))

    def asked(self, measure: Measure, column: Encoded) -> Floats:
        """(m,) values of queries as the axis has them; not a number where missing."""
        if self.positions is None:
            return np.asarray(np.where((codes := _symbols(measure, column)) < 0, np.nan, codes.astype(np.float64)))
        return _numbers(measure, column)


@dataclass(frozen=True)
class Brought:
    """What each case brings to the vote."""

    codes: Codes
    values: Floats | None
    """(n, v); None where every case weighs 1"""
    n_groups: int

    @classmethod
    def of(cls, payload: Payload) -> Brought:
        plain = payload.values.shape[1] == 1 and bool((payload.values == 1).all())
        codes = np.ascontiguousarray(payload.codes, dtype=np.int32)
        return cls(codes, None if plain else payload.values, payload.n_groups)


@dataclass(frozen=True)
class Before:
    """The axis of a feature before cases were added or forgotten."""

    axis: Axis
    values: Floats
    """(all cases,) as they were"""
    kept: NDArray[np.intp]
    """the cases that stayed, which are the first ones now"""


def is_axis(measure: Measure) -> bool:
    """Whether values lie on a line or a circle, or are equal or not; a missing value that counts is on no line."""
    form = measure.fitted.form
    return form == "overlap" or (form in ("line", "circle") and not measure.as_value)


def axis_of(measure: Measure, column: Encoded, brought: Brought, was: Before | None = None) -> Axis:
    """The axis of one feature; what ``was`` sorted before is not sorted again."""
    scale = measure.scale(1)
    if measure.fitted.form == "overlap":
        codes = _symbols(measure, column)
        levels = len(measure.fitted.levels or ()) + 1  # the last is for missing values that count
        known = np.flatnonzero(codes >= 0)
        entries = entries_of(codes[known], levels, brought, known)
        return Axis(None, *entries, levels, scale, 0.0, codes, len(codes))
    values, order = _sorted(_numbers(measure, column), was)
    new = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    at = np.flatnonzero(new)
    positions = (values if len(at) == len(values) else values[at]) + 0.0  # no negative zero
    runs = None if len(at) == len(values) else np.cumsum(new) - 1
    entries = entries_of(runs, len(at), brought, order)
    period = float(getattr(measure.fitted, "period", None) or 0.0)
    return Axis(positions, *entries, len(at), scale, period, order, len(column.values))


def _numbers(measure: Measure, column: Encoded) -> Floats:
    """(n,) numbers, on a circle at most half a turn from 0; not a number where missing."""
    values = np.asarray(column.values, dtype=np.float64)
    if measure.fitted.form == "circle":
        values = around_zero(values, float(measure.fitted.period))  # type: ignore[attr-defined]
    if column.missing is None:
        return values
    return np.where(column.missing, np.nan, values)


def _symbols(measure: Measure, column: Encoded) -> Codes:
    """(n,) codes; -1 where missing, unless that counts as a symbol of its own."""
    codes = np.asarray(column.values, dtype=np.int32)
    if column.missing is None:
        return codes
    own = len(measure.fitted.levels or ()) if measure.as_value else -1
    return np.where(column.missing, np.int32(own), codes).astype(np.int32)


def _sorted(values: Floats, was: Before | None) -> tuple[Floats, Codes]:
    """The known values in ascending order, and the cases that have them."""
    everything = np.arange(len(values), dtype=np.int32)
    if was is None or was.axis.positions is None:
        return _sorted_anew(values, everything)
    n, stayed = len(was.kept), was.values if len(was.kept) == was.axis.total else was.values[was.kept]
    if not np.array_equal(values[:n], stayed, equal_nan=True):  # they are measured otherwise
        return _sorted_anew(values, everything)
    before, order = was.axis.sorted, was.axis.order
    if n < was.axis.total:
        place = np.full(was.axis.total, -1, dtype=np.int32)
        place[was.kept] = np.arange(n, dtype=np.int32)
        order = place[order]
        left = order >= 0
        before, order = before[left], order[left]
    added, rows = _sorted_anew(values[n:], everything[n:])
    at = np.searchsorted(before, added, side="right")
    return np.insert(before, at, added), np.insert(order, at, rows)


def _sorted_anew(values: Floats, rows: Codes) -> tuple[Floats, Codes]:
    native = core()
    if native is not None:
        found, order = native.sort_pairs(np.ascontiguousarray(values), rows)
        return found, order
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    return values[order], rows[order]


def entries_of(runs: NDArray[Any] | None, n_runs: int, brought: Brought, rows: NDArray[Any]) -> Entries:
    """The entries of the cases in ``rows`` and their ``runs``, which are None where each case is one."""
    codes, values = brought.codes[rows], None if brought.values is None else brought.values[rows]
    if runs is None:
        return None, None, codes, None, values
    g = brought.n_groups
    before = np.concatenate([[0], np.cumsum(np.bincount(runs, minlength=n_runs))]).astype(np.int32)
    key = runs.astype(np.int64) * g + codes
    if values is None and n_runs * g <= DENSE * len(rows) + 1024:
        counts = np.bincount(key, minlength=n_runs * g)
        held = np.flatnonzero(counts)
        return starts_of(held // g, n_runs), before, (held % g).astype(np.int32), counts[held].astype(np.int32), None
    # what is added up goes by its content, so that the order of cases does not count
    order = np.argsort(key, kind="stable") if values is None else np.lexsort((*values.T[::-1], key))
    key = key[order]
    at = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.zeros(0, dtype=np.intp)
    held, cases = key[at], np.diff(np.append(at, len(key))).astype(np.int32)
    amounts = None if values is None else np.add.reduceat(values[order], at, axis=0) if len(at) else values
    return starts_of(held // g, n_runs), before, (held % g).astype(np.int32), cases, amounts


def starts_of(run_of_entry: NDArray[Any], n_runs: int) -> Codes:
    return np.concatenate([[0], np.cumsum(np.bincount(run_of_entry, minlength=n_runs))]).astype(np.int32)
