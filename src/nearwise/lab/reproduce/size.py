"""How large a run is: as the paper, quick, or tiny enough for a test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearwise.lab.comparing import compare
from nearwise.lab.result import Comparison

__all__ = ["NAMES", "Size"]

NAMES = ("full", "quick", "tiny")
"""as the paper; a few minutes for all; a second each, for the tests"""


@dataclass(frozen=True)
class Size:
    """The size of a run, and what every comparison in it is told."""

    name: str = "full"
    large: bool = False
    """whether the large sets of a paper take part"""
    seed: int = 0
    n_jobs: int | None = None
    cache: Path | bool | None = None

    def times(self, full: int, quick: int, tiny: int = 1) -> int:
        """One of three numbers, by the size.

        >>> Size("quick").times(25, 5, 2)
        5
        """
        return {"full": full, "quick": quick, "tiny": tiny}[self.name]

    def few(self, items: Any, quick: int, tiny: int = 1) -> list[Any]:
        """The first of several things: all, or a few."""
        held = list(items)
        return held[: self.times(len(held), quick, tiny)]

    def compare(self, X: Any, y: Any, methods: Any, protocol: Any, **settings: Any) -> Comparison:
        """`nearwise.compare` with the seed, the processes and the cache of this run."""
        told = {"seed": self.seed, "n_jobs": self.n_jobs, "cache": self.cache, **settings}
        found = compare(X, y, methods, protocol, **told)
        if found.interrupted:
            raise KeyboardInterrupt  # a cell of a table stands for all splits; finished ones are in the cache
        return found
