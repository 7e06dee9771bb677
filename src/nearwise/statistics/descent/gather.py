"""Differences of chosen pairs of cases, one number a pair: what gradients ask for about neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure
from nearwise.progress import progress
from nearwise.search.base import Floats, Ints

__all__ = ["known_differences", "left_out_pairs", "pair_differences"]

TABLE_CELLS = 4_000_000
"""differences of symbols that are looked up at once: 32 MB"""


def pair_differences(
    measure: Measure, cases: Encoded, stored: Ints, queries: Ints, asking: Encoded | None = None
) -> Floats:
    """(l,) raw differences of stored case ``stored[i]`` and query ``queries[i]`` under the missing policy.

    The same bits as `Measure.pair`; 0 where "ignore" leaves a pair out (see `left_out_pairs`). Pairs of one query
    should stand together: kinds that only compare blocks are asked once a query. ``asking`` are the cases as queries,
    where these are encoded in another way.
    """
    own = cases.values if asking is None else asking.values
    raw = known_differences(measure, cases.values, own, stored, queries)
    if cases.missing is None:
        return raw
    x, q = cases.missing[stored], cases.missing[queries]
    if not measure.takes_means:
        raw[x | q] = measure.one
    elif cases.expected is not None:
        raw[x] = cases.expected[queries[x]]
        raw[q] = cases.expected[stored[q]]
    raw[x & q] = measure.both
    return raw


def left_out_pairs(measure: Measure, cases: Encoded, stored: Ints, queries: Ints) -> NDArray[np.bool_] | None:
    """(l,) pairs in which "ignore" leaves this feature out; None where there are none."""
    if not measure.ignores or cases.missing is None:
        return None
    return np.asarray(cases.missing[stored] | cases.missing[queries])


def known_differences(
    measure: Measure, values: NDArray[Any], own: NDArray[Any], stored: NDArray[Any], queries: NDArray[Any]
) -> Floats:
    """The same for values that are all known: those of stored cases, and ``own`` of them as queries."""
    fitted: Any = measure.fitted
    if fitted.form in ("line", "circle"):
        gaps = np.abs(values[queries] - values[stored])
        if fitted.form == "line":
            return np.asarray(gaps, dtype=np.float64)
        gaps = np.fmod(gaps, fitted.period)
        return np.asarray(np.minimum(gaps, fitted.period - gaps))
    if fitted.form == "overlap":
        return np.asarray(values[queries] != values[stored], dtype=np.float64)
    if fitted.form == "table":
        codes, row = np.unique(own[queries], return_inverse=True)
        if len(codes) * len(fitted.levels or ()) <= TABLE_CELLS:
            return np.asarray(fitted.table(codes)[row, values[stored]])
    out = np.empty(len(stored))
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    ends = np.append(starts[1:], len(queries))
    for start, end in progress(zip(starts, ends, strict=True), len(starts), f"differences of {measure.name}"):
        q = queries[start]
        out[start:end] = fitted.block(values[stored[start:end]], own[q : q + 1])[0]
    return out
