"""What every index shares: it answers who is nearest, and hands the rarer questions on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from nearwise.differences.metric import Measured
from nearwise.progress import progress
from nearwise.search.base import Distance, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.layout.serves import Serves
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Weights

__all__ = ["SLOWER", "Index", "in_chunks"]

CHUNK_TERMS = 50_000_000
"""feature differences a call: well under 100 ms a thread, so that Ctrl-C answers"""
SLOWER = 20
"""how much longer a difference takes where it is raised to a power other than 1 and 2"""


class Index(Engine):
    """An index over the stored cases, and ``rest``, which answers the questions that it does not."""

    serves: ClassVar[Serves]
    rest_made: type[BlockEngine] = BlockEngine

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self.rest = self.rest_made(distance, threads)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return cls.serves.refuses(distance)

    def _sharing(self, weights: Weights) -> Self:
        other = super()._sharing(weights)
        other.rest = self.rest_made(other.distance, self.threads)
        return other

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        return self.rest.levels(queries, k, payload, leave_out)

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        return self.rest.within(queries, limits, leave_out)

    def sums(self, queries: Measured) -> Floats:
        return self.rest.sums(queries)


def in_chunks(
    index: Engine, m: int, k: int, payload: Payload, terms: int, ask: Callable[[slice], tuple[Any, ...]]
) -> Neighbours:
    """The answers of a kernel to m queries of so many terms each, a call of it at a time, behind a progress bar."""
    out = empty_neighbours(m, k, payload)
    slower = 1 if index.distance.metric.p in (1, 2) else SLOWER
    step = max(index.threads, CHUNK_TERMS // slower * index.threads // max(1, terms))
    starts = range(0, m, step)
    for start in progress(starts, len(starts), "searching"):
        rows = slice(start, start + step)
        out.put(rows, Neighbours(*ask(rows)))
    return out
