"""What long work tells on a terminal's error stream or in a notebook: a bar after a second, and what it will take.

The line comes from the pace of the first moments. Work that wants it is done inside a `Forecast`, and its loops go
through `counted` or `stage`: the rounds of a search, in them the pieces of a round. How much of the whole is done is
then the share of the outermost loop, with the step at hand filled by the loop inside it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from nearwise.errors import warn
from nearwise.stopping import heed
from nearwise.visible import visible

__all__ = ["WORDING", "Forecast", "counted", "is_part", "parts", "progress", "span", "stage"]

T = TypeVar("T")

_busy = threading.local()
WORDING: ContextVar[Callable[[str], str]] = ContextVar("WORDING", default=str)
"""how the lines of long work are put, where it is not Python that they are told in"""
_PATIENCE = 1.0  # seconds before a bar appears
_PROBE = 0.3  # seconds of work that the pace is taken from
_LONG = 10.0  # seconds that are worth a line
_TOO_LONG = 600.0  # seconds that are worth a warning, which is seen wherever the work runs
_clock = time.monotonic


def progress(steps: Iterable[T], total: int, label: str, cost: Callable[[T], int] | None = None) -> Iterator[T]:
    """Yield the steps; after a second show a bar, where somebody looks and no outer work shows one.

    ``cost`` is what a step counts of the total, where that is not one. Like `counted`, it heeds a `Stop` before each
    step.
    """
    if not _is_watched() or getattr(_busy, "outer", False):
        yield from _heeding(steps)
        return
    _busy.outer = True
    started = _clock()
    bar: _Bar | None = None
    done = 0
    try:
        for step in _heeding(steps):
            if bar is None and _clock() - started > _PATIENCE:
                bar = _NotebookBar(label, total, started) if _in_notebook() else _TerminalBar(label, total, done)
            if bar is not None:
                bar.update(done)
            yield step
            done += 1 if cost is None else cost(step)
    finally:
        _busy.outer = False
        if bar is not None:
            bar.stop()


def _heeding(steps: Iterable[T]) -> Iterator[T]:
    for step in steps:
        heed()
        yield step


@contextmanager
def parts() -> Iterator[None]:
    """Work of which Ctrl-C keeps what is finished: a search inside it is then no result by itself, but cut short."""
    before, _busy.parts = getattr(_busy, "parts", False), True
    try:
        yield
    finally:
        _busy.parts = before


def is_part() -> bool:
    """Whether the work at hand is one of `parts`, which hear Ctrl-C in its place."""
    return bool(getattr(_busy, "parts", False))


def _is_watched() -> bool:
    return sys.stderr.isatty() or _in_notebook()


def _in_notebook() -> bool:
    """Whether this is a cell of a notebook: only where IPython is loaded already."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None and hasattr(found, "get_ipython") else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Bar(Protocol):
    """What shows how far a work is."""

    def update(self, done: int) -> None: ...

    def stop(self) -> None: ...


class _TerminalBar:
    """A bar with the share and the time left, gone when the work is done."""

    def __init__(self, label: str, total: int, done: int) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        # beside a bar the lines of a terminal go through it; data that goes elsewhere stays where it is sent
        self.bar = Progress(console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty())
        self.task = self.bar.add_task(escape(visible(label)), total=total, completed=done)
        self.bar.start()

    def update(self, done: int) -> None:
        self.bar.update(self.task, completed=done)

    def stop(self) -> None:
        self.bar.stop()


class _NotebookBar:
    """A line of the notebook that is written anew, at most five times a second; it needs no widgets."""

    WIDTH, PAUSE = 24, 0.2

    def __init__(self, label: str, total: int, started: float) -> None:
        display: Any = import_module("IPython.display").display
        self.label, self.total, self.started = visible(label), max(1, total), started
        self.last = float("-inf")
        self.handle: Any = display({"text/plain": self.label}, raw=True, display_id=True)

    def update(self, done: int) -> None:
        now = _clock()
        if now - self.last < self.PAUSE:
            return
        self.last = now
        share = min(1.0, done / self.total)
        left = f", {span((now - self.started) * (1 - share) / share)} left" if share > 0 else ""
        full = int(self.WIDTH * share)
        self._write(f"{self.label} {'█' * full}{'░' * (self.WIDTH - full)} {share:.0%}{left}")

    def stop(self) -> None:
        self._write(f"{self.label}: {span(_clock() - self.started)}")

    def _write(self, line: str) -> None:
        self.handle.update({"text/plain": line}, raw=True)


class Forecast:
    """Says once what a work will take, as soon as its pace shows that this is long.

    The line goes to the logger "nearwise" and, where nobody shows a bar already, to a terminal; from ten minutes on it
    is a warning. ``seconds`` is what it foretold. ``way_out`` ends the line: what to do about it. ``most`` are the
    seconds after which the work ends in any case, and ``how`` says how sure that is: "about" or "up to about".

    >>> with Forecast("the search") as forecast:
    ...     for _ in counted(range(3), 3):
    ...         list(counted(range(5), 5))
    [0, 1, 2, 3, 4]
    [0, 1, 2, 3, 4]
    [0, 1, 2, 3, 4]
    >>> forecast.seconds
    0.0
    """

    def __init__(self, label: str, way_out: str = "", most: float | None = None, how: str = "about") -> None:
        self.label, self.way_out, self.most, self.how = label, way_out, most, how
        self.seconds = 0.0
        self._levels: list[_Level] = []
        self._outer: Forecast | None = None
        self._shows = True
        self._began: float | None = None

    def __enter__(self) -> Self:
        self._outer, _busy.forecast = getattr(_busy, "forecast", None), self
        self._shows = not getattr(_busy, "outer", False)  # an outer bar shows already how things stand
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _busy.forecast = self._outer

    @property
    def share(self) -> float:
        """How much of the whole is done, from 0 to 1."""
        inside = 0.0
        for level in reversed(self._levels):
            inside = level.share(inside)
        return inside

    @contextmanager
    def _level(self, total: float, before: float) -> Iterator[_Level]:
        level = _Level(total, before)
        self._levels.append(level)
        if self._began is None:
            self._began = _clock()
        try:
            yield level
        finally:
            self._levels.remove(level)

    def _look(self) -> None:
        if self.seconds or self._began is None:
            return
        passed, share = _clock() - self._began, self.share
        if passed < _PROBE or share <= 0:
            return
        whole = passed / share if self.most is None else min(passed / share, self.most)
        if whole > _LONG:
            self.seconds = whole
            self._tell()

    def _tell(self) -> None:
        line = f"{self.label} will take {self.how} {span(self.seconds)}{': ' if self.way_out else ''}{self.way_out}."
        logging.getLogger("nearwise").info(visible(line))
        if self.seconds > _TOO_LONG:
            warn(line)
        elif self._shows and _is_watched():
            print(visible(WORDING.get()(line)), file=sys.stderr, flush=True)


class _Level:
    """One loop of a forecast: what its steps cost together, those that are done, and the one at hand."""

    def __init__(self, total: float, done: float) -> None:
        self.total, self.done, self.now = total, done, 0.0

    def share(self, inside: float) -> float:
        return min(1.0, (self.done + self.now * inside) / self.total) if self.total > 0 else 1.0


def counted(steps: Iterable[T], total: float, costs: Sequence[float] | None = None, before: float = 0.0) -> Iterator[T]:
    """Yield the steps of a loop and count them in the forecast of the work at hand, if there is one.

    ``total`` is what the whole costs, in steps or in the unit of ``costs``, those of the steps where they differ; work
    that may end early says what is expected. ``before`` is what earlier work on the whole has cost.
    """
    forecast: Forecast | None = getattr(_busy, "forecast", None)
    if forecast is None:
        yield from _heeding(steps)
        return
    with forecast._level(total, before) as level:
        for at, step in enumerate(_heeding(steps)):
            level.now = 1.0 if costs is None else costs[at]
            yield step
            level.done, level.now = level.done + level.now, 0.0
            forecast._look()


@contextmanager
def stage(cost: float, total: float, before: float = 0.0) -> Iterator[None]:
    """One part of a work whose whole costs ``total``, after parts that cost ``before``."""
    for _ in counted((None,), total, (cost,), before):
        yield


def span(seconds: float) -> str:
    """A length of time as people say it.

    >>> span(44.3), span(150), span(9000)
    ('44 seconds', '2.5 minutes', '2.5 hours')
    """
    for unit, name in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:.2g} {name}" if seconds < 100 * unit else f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} seconds"
