"""The engine for Python functions: the blocks of the NumPy engine, one call a pair, with a warning and a bar."""

from __future__ import annotations

from nearwise.errors import warn
from nearwise.search.base import Distance
from nearwise.search.fallback.blocks import BlockEngine, needs_own_index

__all__ = ["CallbackEngine", "warn_of_functions"]


def warn_of_functions(distance: Distance, pairs: str = "one call for every pair of cases") -> None:
    slow = [m.name for m in distance.metric.measures if not m.fitted.vectorised]
    if slow:
        warn(
            f"Feature {slow[0]!r} is compared by a Python function, {pairs}: this is slow on large tables. "
            "Give Custom(function, vectorised=True) if the function can take arrays."
        )


class CallbackEngine(BlockEngine):
    name = "callback"
    nanoseconds = 1000.0

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        warn_of_functions(distance)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return needs_own_index(distance) if distance.weights.served_by else ""
