"""Every method's weights on one scale, and how far other cases would have moved them.

The heaviest feature of a method has 1, so that methods can be looked at side by side. An interval is where the middle
90% of draws lie; each draw learns from cases that were drawn again (`nearwise.lab.figures.redrawn`).

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
from nearwise.errors import NearwiseError
from nearwise.lab.feature_ranking import FeatureRanking, importances_by
from nearwise.lab.figures.redrawn import redrawn, way_of
from nearwise.lab.workers import Task, TimedOut, done
from nearwise.progress import progress
from nearwise.search.threads import threads

__all__ = ["FEWEST", "Learned", "draw", "learned", "nothing", "weigh"]

DRAWS, FEWEST = 30, 10
"""draws of an interval, and how many it takes at least"""
MIDDLE = (5, 95)
WEIGHING, SHARE = 0.65, 0.2
"""of the whole time: until when weights are learned, before draws begin; and what one method may take"""
OF_ALL = 0.6
"""what a draw takes, over what all cases take: 63% of the cases are in a bootstrap sample"""

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
    ways: tuple[str, ...] = ()
    """of each method: how the cases were drawn"""
    is_whole: bool = True
    """False where Ctrl-C came before the end"""


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
    each, whole = max(1.0, SHARE * time_limit), True
    found, left_out, drawn = dict[str, _Weighed](), dict[str, str](), dict[str, Floats]()
    try:
        _weigh_by_all(asked, methods, begin + WEIGHING * time_limit, each, time_limit, found, left_out)
        _draw_of_all(asked, {name: one.seconds for name, one in found.items()}, drawn)
    except KeyboardInterrupt:
        if not found:
            raise
        whole = False
        left_out |= {name: "Ctrl-C came before" for name in methods if name not in found and name not in left_out}
    return _together([name for name in methods if name in found], found, drawn, left_out, whole)


def _weigh_by_all(
    asked: _Asked, methods: Sequence[str], until: float, each: float, whole: float, found: dict[str, _Weighed],
    left_out: dict[str, str],
) -> None:  # fmt: skip
    """Keep what every method found, and why others found nothing: the time, or what they say."""
    begun: list[str] = []

    def is_over() -> bool:
        return time.monotonic() > (until if found else asked.end)

    def tasks() -> Iterator[Task]:
        for name in methods:
            if is_over():
                return
            begun.append(name)
            yield asked.task("weigh", name)

    running = done(tasks(), asked.jobs, each, is_over)
    for place, came in progress(running, len(methods), "weighing the features by every method"):
        if isinstance(came, TimedOut):
            left_out[methods[place]] = f"it takes more than {each:.3g} seconds"
        elif isinstance(came, str):
            left_out[methods[place]] = came
        else:
            found[methods[place]] = _Weighed(*came)
    for name in methods:
        if name not in found and name not in left_out:
            over = "it was not done when" if name in begun else "it was not begun:"
            left_out[name] = f"{over} the {whole:.3g} seconds for weights were over"


def _draw_of_all(asked: _Asked, seconds: Mapping[str, float], found: dict[str, Floats]) -> None:
    """Keep draws of each method, the quick ones first; each gets its part of the time that those before it have left.

    ``seconds`` are what each method took on all cases. One that could not be done with `FEWEST` draws is not begun.
    """
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
    for place, came in progress(running, len(quick_first), "drawing intervals"):
        found[begun[place]] = came


def _together(
    names: Sequence[str], found: Mapping[str, _Weighed], drawn: Mapping[str, Floats], left_out: Mapping[str, str],
    whole: bool = True,
) -> Learned:  # fmt: skip
    features = found[names[0]].features if names else ()
    shape = (len(names), len(features))
    weights = np.array([found[name].weights for name in names]).reshape(shape)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    counts = tuple(len(drawn.get(name, ())) for name in names)
    for j, name in enumerate(names):
        if counts[j] >= FEWEST:
            low[j], high[j] = np.percentile(drawn[name], MIDDLE, axis=0)
    ranking = FeatureRanking(features, tuple(names), weights, dict(left_out))
    return Learned(ranking, low, high, counts, tuple(map(way_of, names)), whole)


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
    """(draws, features) weights from cases drawn again, as many as fit into so many seconds; none from too few."""
    answers, chance, way = np.asarray(target), np.random.default_rng(seed), way_of(method)
    found: list[Floats] = []
    begin = time.monotonic()
    while len(found) < DRAWS and (time.monotonic() - begin) * (1 + 1 / max(1, len(found))) <= seconds:
        part = redrawn(way, answers, chance, regression)
        some, own = table.take(part.rows), answers[part.rows]
        try:
            weights = importances_by(some, own, (method, method), regression, schema, seed, {}, part.weights)[1]
        except NearwiseError:  # part of the cases may be too few for it
            break
        found.append(on_one_scale(weights))
    return np.array(found)


def on_one_scale(weights: Floats) -> Floats:
    """Over the largest by size, so that methods compare.

    >>> on_one_scale(np.array([1.0, 4.0])).tolist()
    [0.25, 1.0]
    """
    most = float(np.abs(weights).max()) if len(weights) else 0.0
    return weights / most if most > 0 and np.isfinite(most) else np.zeros_like(weights)
