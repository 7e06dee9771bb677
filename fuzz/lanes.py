"""The lanes: what is tried, by name, and how long one attempt may take before it counts as hanging."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Lane(NamedTuple):
    module: str
    function: str = "attempt"
    limit: float = 60.0
    """seconds, generous: several lanes share a processor"""
    nice: int = 5
    """how much the lane stands back"""

    def attempt(self) -> Callable[[np.random.Generator], None]:
        return getattr(importlib.import_module(f"fuzz.{self.module}"), self.function)


LANES = {
    "search": Lane("search", nice=0),
    "large": Lane("search", "attempt_large", limit=120.0, nice=0),
    "votes": Lane("votes"),
    "growth": Lane("growth"),
    "models": Lane("models"),
    "readers": Lane("readers"),
    "kills": Lane("kills", limit=300.0),
    "covered": Lane("covered", limit=120.0),
}


def generator(lane: str, seed: int) -> np.random.Generator:
    """The draws of one attempt; lanes do not share theirs."""
    return np.random.default_rng([zlib.crc32(lane.encode()), seed])
