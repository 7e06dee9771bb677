"""Mean differences from a sample of the pairs, with a bound on their error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.base import Fitted
from nearwise.differences.metric import Measure
from nearwise.progress import progress
from nearwise.statistics.counts.values import ValueCounts
from nearwise.statistics.draws.seeds import generator
from nearwise.statistics.pair_means.classes import PairMeans, encoded, table_weights

__all__ = ["sampled_means"]

SIDE = 32
"""values on either side of a block of sampled pairs"""


def sampled_means(counts: ValueCounts, measure: Measure, budget: int, confidence: float, seed: Any) -> PairMeans:
    r"""Every mean of `PairMeans` from a sample of about ``budget`` pairs in all.

    .. math:: |\hat\mu - \mu| \le b \sqrt{\frac{\ln(2 M / (1 - confidence))}{2 s}}

    holds for all M means of the feature together with at least that confidence (hoeffding1963, theorem 2, and
    sect. 5 for blocks; Reading M12). Values are drawn by their weight, with replacement, into blocks of 32 x 32
    pairs; such a block counts as 32 independent pairs, so s is a 32nd of the pairs measured. Where every pair costs
    a Python call the pairs are drawn one by one and s is their number. b is the largest difference: the natural
    bound where there is one, else the largest seen in training and in the sample. The sample depends on the values,
    their counts and the seed, not on the order of the cases.
    """
    fitted, c = measure.fitted, counts.n_classes
    values = encoded(counts, measure)
    order = _canonical(fitted, values)
    table = _table(counts, measure)[order]
    values = values[order]
    n = table_weights(counts, measure)
    rng = generator(0 if seed is None else seed)  # so that the same cases give the same weights
    wanted = [(k, inside) for k in range(c) for inside in (True, False)]
    wanted = [(k, inside) for k, inside in wanted if n[k] > 0 and (inside or n.sum() - n[k] > 0)]
    each = max(SIDE * SIDE, budget // max(1, len(wanted)))
    within, outside = np.zeros(c), np.zeros(c)
    largest, independent = fitted.largest, 1
    for k, inside in progress(wanted, len(wanted), f"sampled differences of {measure.name}"):
        pool = table[:, k] if inside else table.sum(axis=1) - table[:, k]
        mean, top, independent = _mean(fitted, values, table[:, k], np.maximum(pool, 0.0), each, rng)
        (within if inside else outside)[k] = mean
        largest = max(largest, top)
    chance = (1.0 - confidence) / max(1, len(wanted))
    return PairMeans(n, within, outside, largest * math.sqrt(math.log(2.0 / chance) / (2.0 * independent)))


def _mean(
    fitted: Fitted, values: NDArray[Any], stored: Any, queries: Any, pairs: int, rng: np.random.Generator
) -> tuple[float, float, int]:
    """The mean difference of values drawn by these weights, the largest, and how many count as independent."""
    if not fitted.vectorised:
        x, q = _draw(stored, pairs, rng), _draw(queries, pairs, rng)
        found = np.array([fitted.pair(values[i], values[j]) for i, j in zip(x, q, strict=True)])
        return float(found.mean()), float(found.max()), pairs
    blocks = math.ceil(pairs / SIDE**2)
    x, q = (_draw(weights, blocks * SIDE, rng).reshape(blocks, SIDE) for weights in (stored, queries))
    total, largest = 0.0, 0.0
    for i, j in zip(x, q, strict=True):
        found = fitted.block(values[i], values[j])
        total += float(found.mean())
        largest = max(largest, float(found.max()))
    return total / blocks, largest, blocks * SIDE


def _draw(weights: Any, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Places drawn with replacement, in proportion to their weight."""
    ends = np.cumsum(weights)
    places = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
    return np.asarray(np.minimum(places, int(np.flatnonzero(weights)[-1])))


def _table(counts: ValueCounts, measure: Measure) -> NDArray[np.float64]:
    return np.vstack([counts.table, counts.missing]) if measure.fitted.codes_missing else counts.table


def _canonical(fitted: Fitted, values: NDArray[Any]) -> NDArray[np.intp]:
    """An order that does not depend on the order of the cases."""
    key = getattr(fitted, "key", None)
    if key is None:  # codes of sorted symbols
        return np.arange(len(values))
    keys = [key(v) for v in values]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
