"""Cases in pieces that are answered in about half a second each: Ctrl-C loses little, and a bar moves."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from nearwise.app.asking import Asked

__all__ = ["pieces_of"]

FIRST = 1_000
"""cases of the first piece"""
QUICK = 0.5
"""seconds under which the next piece is twice as large"""
_clock = time.monotonic


def pieces_of(parts: Iterable[Asked]) -> Iterator[Asked]:
    """The parts cut into pieces, which grow as long as whoever asks for them is quick."""
    rows = FIRST
    for part in parts:
        start, is_first = 0, True
        while start < len(part) or is_first:
            end = min(start + rows, len(part))
            began = _clock()
            yield part.piece(start, end)
            if _clock() - began < QUICK and end - start == rows:
                rows *= 2
            start, is_first = end, False
