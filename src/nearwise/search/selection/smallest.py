"""From a row of sums to neighbours: the k smallest by (sum, index), the tie group, the distinct levels."""

from __future__ import annotations

import numpy as np

from nearwise.search.base import TIE, Floats, Ints, Levels, Neighbours, Payload

__all__ = ["empty_levels", "empty_neighbours", "fill_levels", "fill_nearest", "tie_bounds"]


def tie_bounds(s: float) -> tuple[float, float]:
    """The smallest and largest sum that tie with s; an infinite sum ties with its like only."""
    margin = 0.0 if np.isinf(s) else TIE * s
    return s - margin, s + margin


def empty_neighbours(m: int, k: int, payload: Payload) -> Neighbours:
    return Neighbours(
        np.full((m, k), np.inf),
        np.full((m, k), -1, dtype=np.intp),
        np.zeros(m, dtype=np.intp),
        np.zeros(m, dtype=np.intp),
        np.zeros((m, *payload.shape)),
    )


def empty_levels(m: int, k: int, payload: Payload) -> Levels:
    return Levels(np.full((m, k), np.inf), np.zeros((m, k), dtype=np.intp), np.zeros((m, k, *payload.shape)))


def fill_nearest(out: Neighbours, row: int, sums: Floats, left_out: int, payload: Payload) -> None:
    """Select from the (n,) sums of one query."""
    sums = np.where(np.isnan(sums), np.inf, sums)
    k = out.sums.shape[1]
    rows = np.arange(len(sums)) if left_out < 0 else np.flatnonzero(np.arange(len(sums)) != left_out)
    if left_out >= 0:
        sums = sums[rows]
    filled = min(k, len(rows))
    if filled == 0:
        return
    last = np.partition(sums, filled - 1)[filled - 1]
    nearer = np.flatnonzero(sums < last)
    at_last = np.flatnonzero(sums == last)[: filled - len(nearer)]
    # ties are common on symbolic cases, so the order by (sum, index) must be stable
    order = nearer[np.argsort(sums[nearer], kind="stable")]
    chosen = np.concatenate([order, at_last])
    out.sums[row, :filled] = sums[chosen]
    out.indices[row, :filled] = rows[chosen]
    lower, upper = tie_bounds(float(last))
    out.inside[row] = np.count_nonzero(sums < lower)
    group = np.flatnonzero((sums >= lower) & (sums <= upper))
    out.tied[row] = len(group)
    out.tie_sums[row] = payload.sum(rows[group])


def fill_levels(out: Levels, row: int, sums: Floats, left_out: int, payload: Payload) -> None:
    """The k smallest distinct sums of one query, each level anchored at its smallest sum."""
    sums = np.where(np.isnan(sums), np.inf, sums)
    k = out.sums.shape[1]
    keep = np.ones(len(sums), dtype=bool)
    if left_out >= 0:
        keep[left_out] = False
    order: Ints = np.flatnonzero(keep)
    order = order[np.argsort(sums[order], kind="stable")]
    ranked = sums[order]
    start = 0
    for level in range(k):
        if start >= len(order):
            break
        end = int(np.searchsorted(ranked, tie_bounds(float(ranked[start]))[1], side="right"))
        out.sums[row, level] = ranked[start]
        out.counts[row, level] = end - start
        out.payload[row, level] = payload.sum(order[start:end])
        start = end
