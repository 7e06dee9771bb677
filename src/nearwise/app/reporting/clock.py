"""When the parts of a report have to be done, so that all of them end in time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["COMPARING", "INTERRUPTED", "Clock"]

COMPARING, WAITING, LEARNING, LOOKING = 0.45, 0.65, 0.15, 0.05
"""shares of the time: what the comparison may take, and what it may where nothing was answered by then; what is learned
from all cases; looking for features that say the same. The rest is for weights"""
STARTING = 1.0
"""seconds that a part has beside, within the whole: processes have to start"""
LEAST = 2.0
"""seconds in all, however few are given: no process does anything in less"""
INTERRUPTED = "Ctrl-C ended the work, so the page shows what was there by then."


@dataclass
class Clock:
    """What time is left; none after Ctrl-C."""

    begun: float
    limit: float
    ended: str = ""

    @classmethod
    def of(cls, limit: float) -> Clock:
        return cls(time.monotonic(), max(limit, LEAST))

    @property
    def end(self) -> float:
        """By the clock: when all is over."""
        return time.monotonic() if self.ended else self.begun + self.limit

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return max(0.0, self.end - time.monotonic())

    @property
    def comparing(self) -> float:
        """Seconds that the comparison has."""
        return COMPARING * self.limit

    @property
    def waiting(self) -> float:
        """Seconds after which it is given up where nothing was answered."""
        return WAITING * self.limit

    @property
    def learning(self) -> float:
        """By the clock: until when chapters are learned from all cases."""
        planned = self.begun + (COMPARING + LEARNING) * self.limit
        return min(self.end, max(planned, time.monotonic() + STARTING))

    @property
    def looking(self) -> float:
        """By the clock: until when pairs of features are looked at."""
        return min(self.end, time.monotonic() + LOOKING * self.limit)

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Ctrl-C ends this part, and the page is made of what is there."""
        try:
            yield
        except KeyboardInterrupt:
            self.ended = INTERRUPTED
