"""What is to be predicted, checked and coded once: classes or numbers, with a weight per case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Target"]


@dataclass(frozen=True)
class Target:
    """``values`` (n,) are class codes into ``classes``, or numbers where ``classes`` is None.

    ``weights`` (n,) say how much each case counts.
    """

    values: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """(n,) the classes as the core takes them."""
        return np.ascontiguousarray(self.values, dtype=np.int32)

    @cached_property
    def weighs_one(self) -> bool:
        """Whether every case weighs 1."""
        return bool((self.weights == 1).all())

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """(c,) the weight of the cases of each class."""
        return np.bincount(self.values, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @cached_property
    def priors(self) -> NDArray[np.float64]:
        """(c,) the share of each class; equal shares where all weights are 0."""
        total = self.class_weights.sum()
        return self.class_weights / total if total > 0 else np.full(self.n_classes, 1.0 / max(1, self.n_classes))

    def take(self, rows: NDArray[np.intp]) -> Target:
        return Target(self.values[rows], self.classes, self.weights[rows])

    def recode(self, classes: NDArray[Any] | None) -> Target:
        """The same target under a larger set of classes."""
        if self.classes is None or classes is None or np.array_equal(classes, self.classes):
            return self
        return Target(np.searchsorted(classes, self.classes)[self.values], classes, self.weights)

    def append(self, other: Target) -> Target:
        """Both targets; the classes must already be shared."""
        values = np.concatenate([self.values, other.values])
        return Target(values, self.classes, np.concatenate([self.weights, other.weights]))
