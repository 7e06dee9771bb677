"""Rounds of a long search: a progress bar, a time limit, and Ctrl-C keeps the best so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np

from nearwise.errors import InputError, warn
from nearwise.progress import progress

__all__ = ["Budget"]


class Budget:
    """Hands out rounds until they are used up, the time is over, or the user interrupts.

    The search keeps its best weights in a variable of its own and sets ``has_result`` once there are any; from then on
    Ctrl-C ends the search and not the program.

    >>> with Budget("search", max_time=None) as budget:
    ...     for step in budget.rounds(3):
    ...         best, budget.has_result = step, True
    >>> best, budget.stopped
    (2, '')
    """

    def __init__(self, label: str, max_time: float | None = None) -> None:
        if max_time is not None and not (isinstance(max_time, int | float | np.number) and max_time > 0):
            raise InputError(f"max_time={max_time!r}: expected seconds above 0, or None for no limit.")
        self.label, self.max_time = label, max_time
        self.started = time.monotonic()
        self.has_result = False
        self.stopped = ""
        """why the search ended early: "time", "interrupt" or, where it did not, nothing"""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        """Whether the time is up; a result there must be before it counts."""
        return self.has_result and self.max_time is not None and self.seconds >= self.max_time

    def rounds(self, total: int) -> Iterator[int]:
        """0, 1, ... while there is time, behind a progress bar."""
        for step in progress(range(total), total, self.label):
            if self.is_over:
                self.stopped = "time"
                return
            yield step

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None or not issubclass(kind, KeyboardInterrupt) or not self.has_result:
            return False
        self.stopped = "interrupt"
        warn(f"Interrupted after {self.seconds:.1f} s: the {self.label} keeps the best weights so far.")
        return True
