"""Which cases are worth storing (IB2, IB3), and how far each stored case may be trusted (PEBLS)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.progress import progress
from nearwise.search.base import Distance, Floats, Ints, Payload
from nearwise.search.plan import plan
from nearwise.statistics.descent.neighbourhoods import neighbourhoods
from nearwise.statistics.trials.online import Pool, first_smallest
from nearwise.statistics.trials.records import Records
from nearwise.weights import Stored, Weights

__all__ = ["STORES", "case_factors", "cases_to_store"]

STORES = ("all", "ib2", "ib3")

CHUNK = 1_000_000
"""neighbours held at once"""


def case_factors(metric: Metric, cases: Measured, target: Target, weights: Weights, threads: int = 1) -> Floats:
    r"""(n,) by how much the distance of each stored case is multiplied: its uses over its right uses (PEBLS).

    .. math:: \frac{1 + \sum_x s(x)\,[y \text{ is nearest to } x]}
       {1 + \sum_x s(x)\,[y \text{ is nearest to } x]\,[y_c = x_c]}

    over the other cases x with their sample weights s; cases that are equally near to x share its use. A case that was
    never asked, or always right, has 1.
    """
    n = len(cases)
    if n < 2:
        return np.ones(n)
    engine = plan(Distance(metric, weights, Stored(cases, target.values)), threads=threads).engine
    payload = Payload(target.values, target.weights[:, None], target.n_classes)
    uses, right = np.ones(n), np.ones(n)
    for near in neighbourhoods(engine, cases, 1, payload, CHUNK):
        asking = near.rows[near.owner]
        amounts = near.shares * target.weights[asking]
        hits = target.values[asking] == target.values[near.cases]
        uses += np.bincount(near.cases, weights=amounts, minlength=n)
        right += np.bincount(near.cases, weights=amounts * hits, minlength=n)
    return uses / right


def cases_to_store(
    how: str, metric: Metric, cases: Measured, target: Target, weights: Weights, first: int = 0, seed: Any = 0
) -> Ints:
    """(m,) the cases that IB2 or IB3 keeps, ascending, after one pass in the given order.

    The ``first`` cases are stored already and stay. A case of weight 0 is not stored.
    """
    chosen = _ib2 if how == "ib2" else _ib3
    rows = [i for i in range(first, len(cases)) if target.weights[i] > 0]
    pool = Pool(metric, cases, target.values)
    for case in range(first):
        pool.add(case)
    return np.sort(chosen(pool, target, weights, rows, first, seed))


def _ib2(pool: Pool, target: Target, weights: Weights, rows: list[int], first: int, seed: Any) -> Ints:
    """A case is stored where the nearest stored one is of another class."""
    for case in progress(rows, len(rows), "ib2"):
        other = pool.nearest(case, weights)
        if other < 0 or target.values[other] != target.values[case]:
            pool.add(case)
    return np.array(pool.ids)


def _ib3(pool: Pool, target: Target, weights: Weights, rows: list[int], first: int, seed: Any) -> Ints:
    """As IB2, but only cases with a good record are asked, and those with a bad one are dropped.

    The nearest acceptable case is asked, or, where none is acceptable, one at a random rank. Every case at least as
    near as it is put on record. What is kept are the acceptable cases, or all that are left where there is none.
    """
    rng = np.random.default_rng(seed)
    records = Records(target.values, target.n_classes)
    records.seen += np.bincount(target.values[:first], minlength=target.n_classes)
    there = np.zeros(len(target), dtype=bool)
    there[:first] = True
    trusted = there.copy()
    for case in progress(rows, len(rows), "ib3"):
        label = int(target.values[case])
        ids = pool.ids
        left = there[ids]
        if not left.any():
            pool.add(case)
            there[case] = True
        else:
            ids, sums = ids[left], pool.sums(case, weights)[left]
            asked = _asked(ids, sums, trusted[ids] | records.are_acceptable(ids), rng)
            near = ids[sums <= sums[asked]]
            records.note(near, label)
            there[near[records.are_poor(near) & ~trusted[near]]] = False
            if target.values[ids[asked]] != label:
                pool.add(case)
                there[case] = True
        records.seen[label] += 1
    kept = np.flatnonzero(there)
    good = kept[trusted[kept] | records.are_acceptable(kept)]
    return good if len(good) else kept


def _asked(ids: Ints, sums: Floats, good: NDArray[np.bool_], rng: np.random.Generator) -> int:
    """The place of the case that answers."""
    if good.any():
        places = np.flatnonzero(good)
        return int(places[first_smallest(sums[places], ids[places])])
    return int(np.lexsort((ids, sums))[rng.integers(len(ids))])
