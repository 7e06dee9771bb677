"""Every method's weights on one scale, and how far other cases would have moved them.

The heaviest feature of a method has 1, so that methods can be looked at side by side. An interval is where the middle
90% of draws lie: each draw learns from half of the cases, drawn without replacement, whose deviation from all cases is
that of a new sample as large as this one; a bootstrap sample would hold cases twice, which are their own neighbours.
Each method works in a process of its own and within a time of its own; what does not fit is left out, with its reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.raw import RawTable
from nearwise.errors import NearwiseError, warn
from nearwise.lab.feature_ranking import FeatureRanking, importances_by
from nearwise.lab.workers import Task, TimedOut, done
from nearwise.progress import progress

__all__ = ["Learned", "learned", "weigh"]

DRAWS, FEWEST = 30, 10
"""draws of an interval, and how many it takes at least"""
MIDDLE = (5, 95)
SHARE = 0.25
"""of the whole time that one method may take"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learned:
    """Weights of all methods that were done in time."""

    ranking: FeatureRanking
    """the weights, over the heaviest of each method"""
    low: Floats
    high: Floats
    """(methods, features) ends of the intervals; NaN where the time did not do for draws"""
    draws: tuple[int, ...]
    """of each method"""


def learned(
    table: RawTable, target: Sequence[Any], methods: Sequence[str], *, regression: bool = False, schema: Any = None,
    time_limit: float = 60.0, seed: int = 0, n_jobs: int | None = None,
) -> Learned:  # fmt: skip
    """Weights by every one of the ``methods`` that is done within ``time_limit`` seconds in all."""
    asked, left_out = list(methods), {}
    found: dict[str, tuple[Floats, Floats]] = {}
    features: tuple[str, ...] = ()
    plain = replace(table, source=None)
    end, each = time.monotonic() + time_limit, max(1.0, SHARE * time_limit)

    def tasks() -> Iterator[Task]:
        for name in asked:
            if time.monotonic() < end:
                yield Task(__name__, "weigh", (plain, list(target), name, regression, schema, seed, each / 2))
            else:
                return

    not_done = f"the {time_limit:.0f} seconds for weights were over"
    try:
        for place, came in progress(done(tasks(), n_jobs, each), len(asked), "weighing the features by every method"):
            if isinstance(came, TimedOut):
                left_out[asked[place]] = f"it took more than its {each:.0f} seconds"
            elif isinstance(came, str):
                left_out[asked[place]] = came
            else:
                features, weights, drawn = came
                found[asked[place]] = weights, drawn
    except KeyboardInterrupt:
        if not found:
            raise
        not_done = "interrupted"
        warn(f"interrupted: the weights of {len(found)} of {len(asked)} methods are kept.")
    for name in asked:
        if name not in found:
            left_out.setdefault(name, not_done)
    names = tuple(name for name in asked if name in found)
    return _together(features, names, found, left_out)


def _together(
    features: tuple[str, ...], names: tuple[str, ...], found: Mapping[str, tuple[Floats, Floats]],
    left_out: Mapping[str, str],
) -> Learned:  # fmt: skip
    shape = (len(names), len(features))
    weights = np.array([found[name][0] for name in names]).reshape(shape)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    for j, name in enumerate(names):
        drawn = found[name][1]
        if len(drawn) >= FEWEST:
            low[j], high[j] = np.percentile(drawn, MIDDLE, axis=0)
    return Learned(
        FeatureRanking(features, names, weights, dict(left_out)), low, high, tuple(len(found[n][1]) for n in names)
    )


def weigh(
    table: RawTable, target: list[Any], method: str, regression: bool, schema: Any, seed: int, seconds: float
) -> Any:
    """(features, weights, draws) of one method, in about so many seconds of the processor; or why there are none."""
    answers = np.asarray(target)
    begin = time.process_time()
    try:
        names, weights = importances_by(table, answers, (method, method), regression, schema, seed, {})
        took = time.process_time() - begin
        chance = np.random.default_rng(seed)
        drawn: list[Floats] = []
        while len(drawn) < DRAWS and time.process_time() - begin + took < seconds:
            rows = half(answers, chance, regression)
            some = importances_by(table.take(rows), answers[rows], (method, method), regression, schema, seed, {})
            drawn.append(on_one_scale(some[1]))
    except NearwiseError as error:
        return str(error)
    return names, on_one_scale(weights), np.array(drawn).reshape(len(drawn), len(weights))


def half(answers: NDArray[Any], chance: np.random.Generator, regression: bool) -> NDArray[np.intp]:
    """Half of the cases, of each class half; at least one of each."""
    order = chance.permutation(len(answers))
    if regression:
        return np.sort(order[: max(1, len(answers) // 2)])
    shuffled = answers[order]
    parts = [order[shuffled == each] for each in np.unique(answers)]
    return np.sort(np.concatenate([part[: max(1, len(part) // 2)] for part in parts]))


def on_one_scale(weights: Floats) -> Floats:
    """Over the largest by size, so that methods compare.

    >>> on_one_scale(np.array([1.0, 4.0])).tolist()
    [0.25, 1.0]
    """
    most = float(np.abs(weights).max()) if len(weights) else 0.0
    return weights / most if most > 0 and np.isfinite(most) else np.zeros_like(weights)
