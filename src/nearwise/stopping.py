"""Work in a thread that another thread may stop, as Ctrl-C stops that of a program.

A server answers in threads that no signal reaches. What it computes there is done inside a `Stop`; long loops `heed` it
between two steps, and whoever wants the work to end asks by it. What hears Ctrl-C hears this as well, and keeps the
same.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

__all__ = ["Stop", "Stopped", "heed", "kept", "note"]

_at_work = threading.local()


class Stopped(KeyboardInterrupt):
    """Another thread asked for the end of the work."""


class Stop:
    """The work of one thread, which others may `ask` to end: each time they ask, the next step raises `Stopped` once.

    >>> with Stop() as stop:
    ...     heed()
    ...     stop.ask()
    ...     try:
    ...         heed()
    ...     except KeyboardInterrupt:
    ...         note("The search keeps the best so far.")
    ...     kept()
    'The search keeps the best so far.'
    """

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.told: list[str] = []
        """what work that was stopped says it keeps"""
        self.was_heeded = False
        self._asked = threading.Event()
        self._outer: Stop | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def ask(self) -> None:
        """End the work at its next step."""
        self._asked.set()

    def __enter__(self) -> Self:
        self._outer, _at_work.stop = getattr(_at_work, "stop", None), self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _at_work.stop = self._outer

    def _heed(self) -> None:
        if self._asked.is_set():
            self._asked.clear()
            self.was_heeded = True
            raise Stopped


def heed() -> None:
    """Raise `Stopped` if the work of this thread is to end; nothing outside a `Stop`."""
    stop: Stop | None = getattr(_at_work, "stop", None)
    if stop is not None:
        stop._heed()


def note(sentence: str) -> None:
    """Say what stopped work keeps to whoever asked for its end."""
    stop: Stop | None = getattr(_at_work, "stop", None)
    if stop is not None:
        stop.told.append(sentence)


def kept() -> str | None:
    """What work of this thread keeps though it was stopped; None where nobody stopped it."""
    stop: Stop | None = getattr(_at_work, "stop", None)
    if stop is None or not stop.was_heeded:
        return None
    return " ".join(stop.told) or f"Interrupted after {stop.seconds:.1f} s: what was found until then is kept."
