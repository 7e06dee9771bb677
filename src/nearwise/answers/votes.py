"""Votes of the nearest cases for several k at once, with fair ties.

`nearwise.vote` says what a vote is; here the same votes are added up without an array of (queries, places, classes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nearwise.engines.base import TIE, Neighbours, Payload
from nearwise.vote import Fair, Vote, tally

__all__ = ["shares_of_places", "votes_at"]

Floats = NDArray[np.float64]


def shares_of_places(found: Neighbours, k: int, rule: Vote, root: Callable[[Floats], Floats]) -> Floats:
    """(m, l) the vote of each listed case with k neighbours; tied cases at the k-th place share what is left there."""
    sums = found.sums
    some = np.isfinite(sums[:, :k])
    filled = some.sum(axis=1)
    last = np.take_along_axis(sums, np.maximum(filled - 1, 0)[:, None], axis=1)
    last = np.where(filled[:, None] > 0, last, 0.0)
    inside = (sums[:, :k] < last - TIE * last).sum(axis=1)
    listed = ((sums <= last + TIE * last) & np.isfinite(sums)).sum(axis=1)
    kernel = np.where(some, rule.kernel(root(sums[:, :k])), 0.0)
    at_last = np.take_along_axis(kernel, np.maximum(filled - 1, 0)[:, None], axis=1)
    tied = np.maximum(listed - inside, 1)
    place = np.arange(max(k, int(listed.max(initial=0))))[None, :]
    out = np.zeros((len(sums), place.shape[1]))
    out[:, :k] = np.where(place[:, :k] < inside[:, None], kernel, 0.0)
    in_group = (place >= inside[:, None]) & (place < listed[:, None])
    share = at_last * ((filled - inside) / tied)[:, None]
    out += np.where(in_group, share, 0.0)
    empty = ~(out.sum(axis=1) > 0)
    if empty.any():  # a kernel that gives every vote 0 leaves no answer: all count alike
        alike = np.where(place < inside[:, None], 1.0, np.where(in_group, ((filled - inside) / tied)[:, None], 0.0))
        out[empty] = alike[empty]
    return out


def votes_at(
    found: Neighbours, payload: Payload, k: int, rule: Vote, root: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """(m, g, v) votes with k neighbours and (m, g) the smallest sum at which each group votes."""
    m, g, v = len(found.sums), *payload.shape
    shares = shares_of_places(found, k, rule, root)
    width = shares.shape[1]
    indices = found.indices[:, :width]
    there = (shares > 0) & (indices >= 0)
    row, place = np.nonzero(there)
    case = indices[row, place]
    group = row * g + payload.codes[case]
    total = np.empty((m, g, v))
    for at in range(v):
        weights = shares[row, place] * payload.values[case, at]
        total[:, :, at] = np.bincount(group, weights=weights, minlength=m * g).reshape(m, g)
    nearest = np.full(m * g, np.inf)
    np.minimum.at(nearest, group, found.sums[row, place])
    near = nearest.reshape(m, g)
    _beyond(found, payload, k, rule, root, total, near)
    return total, near


def _beyond(
    found: Neighbours, payload: Payload, k: int, rule: Vote, root: Callable[[Floats], Floats], total: Floats,
    near: Floats,
) -> None:  # fmt: skip
    """Queries whose tie group goes on behind the list are counted one by one, from what the search says of it."""
    sums = found.sums
    finite = np.isfinite(sums).sum(axis=1)
    filled = np.minimum(finite, k)
    last = np.where(filled > 0, sums[np.arange(len(sums)), np.maximum(filled - 1, 0)], np.inf)
    end = np.where(finite > 0, sums[np.arange(len(sums)), np.maximum(finite - 1, 0)], np.inf)
    listed = finite - found.inside
    rows = np.flatnonzero((end <= last + TIE * last) & (found.tied > listed))
    if len(rows):
        part = Neighbours(*(getattr(found, name)[rows] for name in ("sums", "indices", "inside", "tied", "tie_sums")))
        total[rows], near[rows], _ = tally(*Fair(part, payload).at(k), rule, root)
