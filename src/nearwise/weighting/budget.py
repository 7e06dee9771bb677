"""Rounds of a long search: what it will take, a progress bar, a time limit, and Ctrl-C keeps the best so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

import numpy as np

from nearwise.errors import InputError, warn
from nearwise.progress import Forecast, counted, is_part, progress
from nearwise.stopping import note

__all__ = ["Budget"]

GRACE = 1.0
"""seconds that may still be spent on a result after Ctrl-C"""


class Budget:
    """Hands out rounds until they are used up, the time is over, or the user interrupts.

    The search keeps its best weights in a variable of its own and sets ``has_result`` once there are any; from then on
    Ctrl-C ends the search and not the program. Where the weights that a search starts from are already better than
    nothing, it says so in ``start``, and Ctrl-C keeps these until there is a result; a function is called then, makes
    what it can of a round that was cut short, and says what. ``kept`` says what is kept of a result. Inside a work that
    keeps its finished parts, such as a comparison, Ctrl-C is heard there: a search cut short would be no fair part.

    >>> with Budget("search", max_time=None) as budget:
    ...     for step in budget.rounds(3):
    ...         best, budget.has_result = step, True
    >>> best, budget.stopped
    (2, '')
    """

    def __init__(
        self,
        label: str,
        max_time: float | None = None,
        start: str | Callable[[], str] = "",
        way_out: str = "",
        how: str = "up to about",
    ) -> None:
        if max_time is not None and not (isinstance(max_time, int | float | np.number) and max_time > 0):
            raise InputError(f"max_time={max_time!r}: expected seconds above 0, or None for no limit.")
        self.label, self.max_time, self.start = label, max_time, start
        self.started = time.monotonic()
        self.has_result = False
        self.kept = "the best weights so far"
        self.stopped = ""
        """why the search ended early: "time", "interrupt" or, where it did not, nothing"""
        self._ended = 0.0
        self._is_part = is_part()
        way_out = f"Ctrl-C keeps the best so far{way_out and ', '}{way_out}"
        self._forecast = Forecast(f"The {label}", way_out, None if max_time is None else float(max_time), how)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        """Whether the time is up; a result there must be before it counts."""
        return self.has_result and self.max_time is not None and self.seconds >= self.max_time

    @property
    def is_interrupted(self) -> bool:
        return self.stopped == "interrupt"

    @property
    def is_spent(self) -> bool:
        """Whether also the moment is over in which work that was interrupted may come to a result."""
        return self.is_interrupted and self.has_result and self.seconds - self._ended > GRACE

    def rounds(
        self, total: int, expected: float | None = None, costs: Sequence[float] | None = None, before: float = 0.0
    ) -> Iterator[int]:
        """0, 1, ... while there is time, behind a progress bar.

        ``expected`` is what all of the work costs, in rounds or in the unit of ``costs``, and ``before`` what was done
        before the rounds.
        """
        if expected is None:
            expected = before + (total if costs is None else sum(costs))
        for step in progress(counted(range(total), expected, costs, before), total, self.label):
            if self.is_over:
                self.stopped = "time"
                return
            yield step

    def __enter__(self) -> Self:
        if not self._is_part:  # else its rounds count in the forecast of the whole
            self._forecast.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._is_part:
            return False
        self._forecast.__exit__(kind, error, trace)
        if kind is None or not issubclass(kind, KeyboardInterrupt) or not (self.has_result or self.start):
            return False
        self.stopped, self._ended = "interrupt", self.seconds
        if self.has_result:
            told = f"Interrupted after {self.seconds:.1f} s: the {self.label} keeps {self.kept}."
        else:
            start = self.start if isinstance(self.start, str) else self.start()
            told = f"Interrupted after {self.seconds:.1f} s, before there was a first result: {start}."
        warn(told)
        note(told)
        return True
