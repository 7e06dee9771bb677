"""What is to be predicted, checked and coded once: classes or numbers, with a weight per case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.cuts import Cuts, find_cuts
from nearwise.errors import check_whole

__all__ = ["BINS", "Target", "looks_like_a_quantity", "shares_of"]

BINS = 5
"""classes that a target of numbers is cut into where nothing else is asked for"""
FEW_CLASSES = 20
"""numbers with more different values than this may be meant as a quantity"""
CASES_PER_CLASS = 5
"""as classes, numbers have at least so many cases each on average"""


@dataclass(frozen=True)
class Target:
    """``values`` (n,) are class codes into ``classes``, or numbers where ``classes`` is None.

    ``weights`` (n,) say how much each case counts. Where nothing is to be predicted (retrieval) the values are 0 and
    ``is_given`` is False.
    """

    values: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64]
    is_given: bool = True

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
    def places(self) -> NDArray[np.int32]:
        """(n,) 0 to n - 1, one array for all who need it."""
        places = np.arange(len(self.values), dtype=np.int32)
        places.flags.writeable = False
        return places

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
        return Target(self.values[rows], self.classes, self.weights[rows], self.is_given)

    def recode(self, classes: NDArray[Any] | None) -> Target:
        """The same target under a larger set of classes."""
        if self.classes is None or classes is None or np.array_equal(classes, self.classes):
            return self
        return Target(np.searchsorted(classes, self.classes)[self.values], classes, self.weights)

    def append(self, other: Target) -> Target:
        """Both targets; the classes must already be shared."""
        values = np.concatenate([self.values, other.values])
        return Target(values, self.classes, np.concatenate([self.weights, other.weights]), self.is_given)

    # ------------------------------------------------------------------ numbers

    @cached_property
    def mean(self) -> float:
        """The weighted mean of numbers."""
        return float(np.average(self.values, weights=self.weights if self.weights.any() else None))

    @cached_property
    def variance(self) -> float:
        """The weighted variance of numbers; 0 where all are equal, without rounding."""
        if not len(self.values) or self.values.min() == self.values.max():
            return 0.0
        apart = np.square(self.values - self.mean)
        return float(np.average(apart, weights=self.weights if self.weights.any() else None))

    @cached_property
    def middle(self) -> float:
        """A round number about a deviation from the mean at the most, which few further cases hardly ever change.

        >>> Target(np.array([10.0, 11.0, 12.0]), None, np.ones(3)).middle
        11.0
        """
        if self.variance == 0:
            return float(self.values[0]) if len(self.values) else 0.0
        step = math.ldexp(1.0, math.frexp(math.sqrt(self.variance))[1])
        return round(self.mean / step) * step if abs(self.mean) < step * 2.0**52 else self.mean

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """(n,) numbers as shares of their range: 0 for the smallest, 1 for the largest; 0 where all are equal."""
        return shares_of(self.values, float(self.values.min(initial=np.inf)), float(self.values.max(initial=-np.inf)))

    def cuts(self, bins: int) -> Cuts:
        """Cuts that put about the same weight of cases into each of so many intervals of the numbers."""
        bins = check_whole("target_bins", bins, 2)
        order = np.argsort(self.values, kind="stable")
        return find_cuts("frequency", bins, "target", self.values[order], None, self.weights[order])

    def binned(self, bins: int = BINS) -> Target:
        """Numbers as classes: each is the interval, of about equally many cases, that the number lies in.

        >>> target = Target(np.array([1.0, 9.0, 2.0, 7.0]), None, np.ones(4)).binned(2)
        >>> target.values.tolist(), target.classes.tolist()
        ([0, 1, 0, 1], ['< 4.5', '>= 4.5'])
        """
        cuts = self.cuts(bins)
        return Target(cuts.place(self.values).astype(np.intp), np.array(cuts.labels), self.weights)


def shares_of(values: NDArray[Any], low: float, high: float) -> NDArray[np.float64]:
    """(n,) numbers as shares of a range; 0 where it is empty."""
    if not high > low:
        return np.zeros(len(values))
    return np.asarray((values / 2 - low / 2) / (high / 2 - low / 2))  # halves cannot overflow


def looks_like_a_quantity(different: int, n: int) -> bool:
    """Whether so many different numbers in n cases are hardly meant as classes.

    >>> looks_like_a_quantity(94, 342), looks_like_a_quantity(26, 20_000), looks_like_a_quantity(20, 20)
    (True, False, False)
    """
    return different > FEW_CLASSES and n < CASES_PER_CLASS * different
