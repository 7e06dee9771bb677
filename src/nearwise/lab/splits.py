"""What a protocol deals out: cases to learn from and cases to test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Protocol", "Rows", "Split", "without"]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """Cases to learn from and cases to test, by their rows."""

    train: Rows
    test: Rows


class Protocol(ABC):
    """Deals out splits."""

    by_case = False
    """whether each split tests one case, so that scores are rights and wrongs"""

    @abstractmethod
    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        """The splits of n cases; ``labels`` (n,) are their classes, or all equal where numbers are predicted."""

    @abstractmethod
    def describe(self, stratified: bool = True) -> str:
        """The protocol in words; ``stratified`` says whether the target has classes to deal out evenly."""


def without(test: Rows, n: int) -> Split:
    """The split that tests these rows and learns from all others."""
    return Split(np.setdiff1d(np.arange(n), test), test)
