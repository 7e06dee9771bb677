"""Contenders in turns: medians, ratios, agreement, and what to do with a slow one.

Measured is ``ask(m)``: m queries to a contender that is already fitted. One that would take longer than `PATIENCE`
for all queries is asked fewer, at two sizes; its time is the slope between them times the number of queries, and
it is labelled "scaled".
"""

from __future__ import annotations

import statistics
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

PATIENCE = 20.0
"""seconds that one run of a contender may take"""
FIRST = 20
"""queries of the first, untimed call are one of this many"""


@dataclass(frozen=True)
class Timed:
    """An answer of a contender that knows its own time (another process, or a rate)."""

    seconds: float
    answer: Any = None
    peak_mb: float | None = None


@dataclass
class Ready:
    """A fitted contender."""

    ask: Callable[[int], Any]
    """the timed call: the first m queries"""
    check: Callable[[int], Any] | None = None
    """the answer to compare, where the timed call does not return it"""
    note: str = ""
    """what it chose: an engine, a number of threads"""
    fit: float | None = None
    """seconds of fitting, where making it took more than that"""


@dataclass(frozen=True)
class Contender:
    name: str
    make: Callable[[Any], Ready]
    """fit to the data of the work"""
    needs: tuple[str, ...] = ()
    """modules of peers"""
    ours: bool = False
    compared: bool = True
    """whether its answer must agree with ours"""
    tolerance: float = 1e-6


@dataclass(frozen=True)
class Work:
    """One job. ``data`` makes what contenders are fitted to and has ``queries``, their number."""

    name: str
    title: str
    data: Callable[[bool], Any]
    """from whether the size is tiny"""
    contenders: Sequence[Contender]
    deviation: Callable[[Any, Any], float] = field(default=lambda ours, theirs: relative_deviation(ours, theirs))
    repeats: int = 5


@dataclass
class Result:
    contender: Contender
    times: list[float] = field(default_factory=list)
    """seconds for all queries, one a round"""
    fit: float = float("nan")
    note: str = ""
    scaled: bool = False
    peak_mb: float | None = None
    deviation: float | None = None
    absent: str = ""
    """why there are no times: the peer is not installed, or failed"""
    failed: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.times) if self.times else float("nan")


def relative_deviation(ours: Any, theirs: Any) -> float:
    """The largest difference over the larger of the two; infinities agree with their like.

    >>> relative_deviation([1.0, 2.0], [1.0, 2.5])
    0.2
    """
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.shape != b.shape:
        return float("inf")
    with np.errstate(invalid="ignore"):
        apart = np.where(a == b, 0.0, np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-12))
    return float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0))


def ratio(theirs: Result, ours: Result) -> float:
    """How many times as long they take: the median over rounds, in which both ran one after the other.

    Where one of them is scaled or ran in fewer rounds, the ratio of the medians.
    """
    if len(theirs.times) == len(ours.times) > 1 and not (theirs.scaled or ours.scaled):
        return statistics.median(t / o for t, o in zip(theirs.times, ours.times, strict=True))
    return theirs.median / ours.median


def once(ask: Callable[[int], Any], m: int) -> tuple[float, Any]:
    """(seconds, answer) of one call."""
    start = time.perf_counter()
    answer = ask(m)
    seconds = time.perf_counter() - start
    if isinstance(answer, Timed):
        return answer.seconds, answer.answer
    return seconds, answer


def affordable(ask: Callable[[int], Any], queries: int, patience: float) -> int:
    """How many of the queries one call may have, from growing trial calls; they warm up as well."""
    m = max(1, queries // FIRST**2)
    while m < queries:
        began = time.perf_counter()
        seconds = max(once(ask, m)[0], 1e-9)
        spent = max(time.perf_counter() - began, seconds)  # training again, in a process of its own, costs too
        if seconds * queries / m <= patience:
            return queries
        if spent >= patience / 4:
            return m
        m = min(queries, max(m + 1, int(m * min(FIRST, patience / 2 / spent))))
    return queries


def slope(ask: Callable[[int], Any], few: int, many: int) -> float:
    """Seconds a query, without what a call costs anyway.

    >>> slope(lambda m: Timed(5.0 + 2.0 * m), 1, 4)
    2.0
    """
    more = once(ask, many)[0]
    if many <= few:
        return more / many
    less = once(ask, few)[0]
    return (more - less) / (many - few) if more > less else more / many


def race(
    work: Work,
    data: Any,
    absent: Callable[[Contender], str],
    patience: float = PATIENCE,
    say: Any = print,
    rounds: int | None = None,
) -> list[Result]:
    """Run all contenders of a work in turns. A peer that fails is a result; so is ours, and it counts as a failure."""
    results, ready = [], {}
    queries = data.queries
    for contender in work.contenders:
        result = Result(contender, absent=absent(contender))
        results.append(result)
        if result.absent:
            continue
        with _told(result, say):
            start = time.perf_counter()
            made = contender.make(data)
            result.fit = time.perf_counter() - start if made.fit is None else made.fit
            result.note = made.note
            m = affordable(made.ask, queries, patience)
            result.scaled = m < queries
            ready[id(result)] = (made, m)
    for turn in range(rounds or work.repeats):
        for result in results:
            if id(result) not in ready or result.failed or (result.scaled and turn):
                continue
            made, m = ready[id(result)]
            with _told(result, say):
                if result.scaled:
                    result.times.append(slope(made.ask, max(1, m // 5), m) * queries)
                else:
                    result.times.append(once(made.ask, m)[0])
    _compare(work, results, ready, say)
    return results


def _compare(work: Work, results: list[Result], ready: dict[int, tuple[Ready, int]], say: Any) -> None:
    """Every answer against that of our first contender, on as many queries as the slower of the two can take."""
    answers: dict[tuple[int, int], Any] = {}

    def answer(result: Result, m: int) -> Any:
        key = (id(result), m)
        if key not in answers:
            made = ready[id(result)][0]
            answers[key] = made.check(m) if made.check is not None else once(made.ask, m)[1]
        return answers[key]

    ours = next((r for r in results if r.contender.ours and r.times), None)
    for result in results:
        if ours is None or result is ours or not result.times or not result.contender.compared or result.failed:
            continue
        m = min(ready[id(ours)][1], ready[id(result)][1])
        with _told(result, say):
            result.deviation = work.deviation(answer(ours, m), answer(result, m))


def disagrees(result: Result) -> bool:
    return result.deviation is not None and not result.deviation <= result.contender.tolerance


class _told:  # noqa: N801 - reads as a word of the with statement
    """An exception of a contender becomes its result and is told at once, with its traceback where it is ours."""

    def __init__(self, result: Result, say: Any) -> None:
        self.result, self.say = result, say

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, where: Any) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        self.result.failed = True
        self.result.absent = f"failed: {type(error).__name__}: {' '.join(str(error).split())[:160]}"
        if self.result.contender.ours:
            self.say("".join(traceback.format_exception(error)))
        self.say(f"  {self.result.contender.name}: {self.result.absent}")
        return True
