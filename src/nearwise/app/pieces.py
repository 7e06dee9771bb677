"""Cases in pieces that are answered in about half a second each: Ctrl-C loses little, and a bar moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from nearwise.app.asking import Asked
from nearwise.app.output import say

__all__ = ["Pace", "keeping", "pieces_of"]

FIRST = 1_000
"""cases of the first piece"""
QUICK = 0.5
"""seconds under which the next piece is twice as large"""
_clock = time.monotonic


class Pace:
    """How many cases make a piece: more, as long as whoever asks for them is quick."""

    def __init__(self) -> None:
        self.rows = FIRST

    def ranges(self, n: int) -> Iterator[range]:
        """The places of n cases piece by piece; of none, one empty piece."""
        start, is_first = 0, True
        while start < n or is_first:
            piece = range(start, min(start + self.rows, n))
            began = _clock()
            yield piece
            if _clock() - began < QUICK and len(piece) == self.rows:
                self.rows *= 2
            start, is_first = piece.stop, False


def pieces_of(parts: Iterable[Asked]) -> Iterator[Asked]:
    """The parts of a file cut into pieces."""
    pace = Pace()
    for part in parts:
        for piece in pace.ranges(len(part)):
            yield part.piece(piece)


@contextmanager
def keeping(done: Callable[[], int], what: str) -> Iterator[None]:
    """Work on rows of which Ctrl-C keeps those that are done, if any. The exit code tells that it was heard."""
    try:
        yield
    except KeyboardInterrupt:
        if not done():
            raise
        say(f"note: interrupted: kept {what} the first {done()} rows.")
