"""What is being worked on by name, so that whoever asked for it can cancel it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nearwise.errors import NearwiseError
from nearwise.stopping import Stop, Stopped

__all__ = ["CancelledError", "Works"]


class CancelledError(NearwiseError):
    """A request was cancelled before there was an answer."""


class Works:
    """The works of the moment; names that two requests share are cancelled together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, list[Stop]] = {}

    @contextmanager
    def begun(self, name: str | None) -> Iterator[Stop]:
        """Work that can be cancelled by its name while it lasts."""
        stop = Stop()
        if name is not None:
            with self._lock:
                self._running.setdefault(name, []).append(stop)
        try:
            with stop:
                yield stop
        except Stopped:
            raise CancelledError(f"Cancelled after {stop.seconds:.1f} s: all is as it was.") from None
        finally:
            if name is not None:
                with self._lock:
                    self._running[name].remove(stop)
                    if not self._running[name]:
                        del self._running[name]

    def cancel(self, name: str) -> bool:
        """End the work of a name; whether there was any."""
        with self._lock:
            stops = list(self._running.get(name, ()))
        for stop in stops:
            stop.ask()
        return bool(stops)
