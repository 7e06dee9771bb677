"""Every method's weights on one scale, and how far other cases would have moved them.

The heaviest feature of a method has 1, so that methods can be looked at side by side. An interval is where the middle
90% of draws lie. Each draw learns from half of the cases, drawn without replacement: its deviation from all cases is
as large as that of a bootstrap sample, which holds cases twice. Copies would be each other's nearest neighbours, and
not every method can count a case in proportion instead; half of the cases serve them all.

First every method is asked for its weights, the quick ones first, then for draws in the time that is left, each method
in a process of its own. What is not done by then is left out, with its reason.
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
from nearwise.search.threads import threads

__all__ = ["Learned", "draw", "learned", "nothing", "weigh"]

DRAWS, FEWEST = 30, 10
"""draws of an interval, and how many it takes at least"""
MIDDLE = (5, 95)
WEIGHING, SHARE = 0.65, 0.2
"""of the whole time: until when weights are learned, before draws begin; and what one method may take"""
OF_ALL = 0.4
"""what a draw takes, over what all cases take: between half and a quarter"""

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


@dataclass(frozen=True)
class _Weighed:
    """What came of one method on all cases."""

    features: tuple[str, ...]
    weights: Floats
    seconds: float


@dataclass(frozen=True)
class _Asked:
    """A table, as it is sent to each process, and how it is weighed there."""

    table: RawTable
    target: list[Any]
    regression: bool
    schema: Any
    seed: int
    jobs: int | None
    end: float
    """by the clock: when the whole is over"""

    def task(self, function: str, method: str, *more: Any) -> Task:
        return Task(
            __name__, function, (self.table, self.target, method, self.regression, self.schema, self.seed, *more)
        )


def learned(
    table: RawTable, target: Sequence[Any], methods: Sequence[str], *, regression: bool = False, schema: Any = None,
    time_limit: float = 60.0, seed: int = 0, n_jobs: int | None = None,
) -> Learned:  # fmt: skip
    """Weights by every one of the ``methods`` that is done within ``time_limit`` seconds in all."""
    begin = time.monotonic()
    asked = _Asked(
        replace(table, source=None), list(target), regression, schema, seed, n_jobs, begin + time_limit
    )  # fmt: skip
    each = max(1.0, SHARE * time_limit)
    found, left_out = _weighed(asked, methods, begin + WEIGHING * time_limit, each, time_limit)
    is_whole = "interrupted" not in left_out.values()
    drawn = _drawn(asked, {name: each.seconds for name, each in found.items()}) if is_whole else {}
    return _together([name for name in methods if name in found], found, drawn, left_out)


def _weighed(
    asked: _Asked, methods: Sequence[str], until: float, each: float, whole: float
) -> tuple[dict[str, _Weighed], dict[str, str]]:
    """What every method found, and why others found nothing: the time, or what they say."""
    found: dict[str, _Weighed] = {}
    left_out: dict[str, str] = {}
    begun: list[str] = []

    def tasks() -> Iterator[Task]:
        for name in methods:
            if time.monotonic() > until and found:
                return
            begun.append(name)
            yield asked.task("weigh", name)

    running = done(tasks(), asked.jobs, each, lambda: time.monotonic() > until and bool(found))
    try:
        for place, came in progress(running, len(methods), "weighing the features by every method"):
            if isinstance(came, TimedOut):
                left_out[methods[place]] = f"it takes more than {each:.3g} seconds"
            elif isinstance(came, str):
                left_out[methods[place]] = came
            else:
                found[methods[place]] = _Weighed(*came)
    except KeyboardInterrupt:
        if not found:
            raise
        warn(f"interrupted: the weights of {len(found)} of {len(methods)} methods are kept.")
        return found, {**dict.fromkeys((name for name in methods if name not in found), "interrupted"), **left_out}
    for name in methods:
        if name not in found and name not in left_out:
            over = "it was not done when" if name in begun else "it was not begun:"
            left_out[name] = f"{over} the {whole:.3g} seconds for weights were over"
    return found, left_out


def _drawn(asked: _Asked, seconds: Mapping[str, float]) -> dict[str, Floats]:
    """Draws of each method, the quick ones first; each gets its part of the time that those before it have left.

    ``seconds`` are what each method took on all cases. One that could not be done with `FEWEST` draws is not begun.
    """
    found: dict[str, Floats] = {}
    begun: list[str] = []
    quick_first = sorted(seconds, key=seconds.__getitem__)

    def tasks() -> Iterator[Task]:
        for place, name in enumerate(quick_first):
            left = asked.end - time.monotonic()
            least = OF_ALL * FEWEST * seconds[name]
            if least > left:
                return
            begun.append(name)
            part = left * threads(asked.jobs) / (len(quick_first) - place)
            yield asked.task("draw", name, min(left, max(part, least)))

    running = done(tasks(), asked.jobs, None, lambda: time.monotonic() > asked.end)
    try:
        for place, came in progress(running, len(quick_first), "drawing intervals"):
            found[begun[place]] = came
    except KeyboardInterrupt:
        warn(f"interrupted: the intervals of {len(found)} of {len(seconds)} methods are kept.")
    return found


def _together(
    names: Sequence[str], found: Mapping[str, _Weighed], drawn: Mapping[str, Floats], left_out: Mapping[str, str]
) -> Learned:
    features = found[names[0]].features if names else ()
    shape = (len(names), len(features))
    weights = np.array([found[name].weights for name in names]).reshape(shape)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    counts = tuple(len(drawn.get(name, ())) for name in names)
    for j, name in enumerate(names):
        if counts[j] >= FEWEST:
            low[j], high[j] = np.percentile(drawn[name], MIDDLE, axis=0)
    return Learned(FeatureRanking(features, tuple(names), weights, dict(left_out)), low, high, counts)


def nothing(left_out: Mapping[str, str]) -> Learned:
    """No weights, and why."""
    return _together([], {}, {}, left_out)


def weigh(table: RawTable, target: list[Any], method: str, regression: bool, schema: Any, seed: int) -> Any:
    """(features, weights, seconds of the processor) of one method; or why there are none."""
    begin = time.process_time()
    try:
        names, weights = importances_by(table, np.asarray(target), (method, method), regression, schema, seed, {})
    except NearwiseError as error:
        return str(error)
    return names, on_one_scale(weights), time.process_time() - begin


def draw(
    table: RawTable, target: list[Any], method: str, regression: bool, schema: Any, seed: int, seconds: float
) -> Floats:
    """(draws, features) weights from halves of the cases, as many as fit into so many seconds; none from too few."""
    answers, chance = np.asarray(target), np.random.default_rng(seed)
    found: list[Floats] = []
    begin = time.monotonic()
    while len(found) < DRAWS and (time.monotonic() - begin) * (1 + 1 / max(1, len(found))) <= seconds:
        rows = half(answers, chance, regression)
        try:
            some = importances_by(table.take(rows), answers[rows], (method, method), regression, schema, seed, {})
        except NearwiseError:  # half of the cases may be too few for it
            break
        found.append(on_one_scale(some[1]))
    return np.array(found)


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
