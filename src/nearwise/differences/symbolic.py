"""Symbols: equal or not (overlap), or as different as the classes they occur with (value difference).

Numbers are compared in the same ways through the intervals that they fall into.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import Coding, checked_bins, checked_discretise, coding_of
from nearwise.errors import InputError

__all__ = ["Overlap", "OverlapFitted", "ValueDifference", "ValueFitted"]


def unseen_apart(codes: NDArray[np.int32], known: int) -> NDArray[np.int32]:
    """A symbol never seen moves from ``known`` to ``known + 1``, for ``known`` is kept for a missing value."""
    return codes if (codes < known).all() else np.where(codes == known, known + 1, codes).astype(np.int32)


@dataclass(frozen=True)
class Overlap(Difference):
    """0 for equal symbols, 1 for different ones.

    Numbers are equal where they fall into the same interval; ``discretise`` says how they are cut ("mdl", "width",
    "frequency", cut points, or a dict of these by feature), and ``bins`` into how many intervals by the ways that ask.
    """

    name = "overlap"
    discretise: Any = "mdl"
    bins: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "discretise", checked_discretise(self.discretise))
        object.__setattr__(self, "bins", checked_bins(self.bins))

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return OverlapFitted(column, coding_of(column, context, self.discretise, self.bins))


class OverlapFitted(Fitted):
    form = "overlap"
    unit = 1.0
    maximum = 1.0

    def __init__(self, column: Column, coding: Coding) -> None:
        self.coding, self.levels = coding, coding.levels
        codes = coding.codes(column)
        counts = np.bincount(codes[codes >= 0], minlength=len(self.coding.levels)).astype(np.float64)
        self.frequencies = counts / max(1.0, counts.sum())

    def encode(self, column: Column) -> NDArray[np.int32]:
        return unseen_apart(self.coding.codes(column), len(self.coding.levels))

    def pair(self, x: Any, q: Any) -> float:
        return 0.0 if x == q else 1.0

    def block(self, X: NDArray[np.int32], Q: NDArray[np.int32]) -> NDArray[np.float64]:
        return np.not_equal.outer(Q, X).astype(np.float64)

    def expected(self, values: NDArray[np.int32]) -> NDArray[np.float64]:
        same = np.concatenate([self.frequencies, [0.0]])  # the last entry: a symbol never seen
        return np.asarray(1.0 - same[np.minimum(values, len(self.coding.levels))])

    @property
    def expected_both(self) -> float:
        return float(1.0 - np.square(self.frequencies).sum())


@dataclass(frozen=True)
class ValueDifference(Difference):
    r"""Two symbols differ as much as the class distributions they occur with (MVDM).

    .. math:: \delta(u, v) = \sum_c |P(c \mid u) - P(c \mid v)|^{power}

    Payne & Edwards eq. 4 and Wettschereck et al. eq. 20 with power 2 (Reading V2; Cost & Salzberg use 1). A symbol
    that was not seen, or seen in fewer than ``threshold`` cases, is compared by overlap at the largest difference,
    2 (V5). There is no smoothing (V6). Numbers differ as their intervals do, which ``discretise`` and ``bins`` cut as
    for `Overlap`.
    """

    name = "mvdm"
    needs_classes = True
    power: int = 2
    threshold: int = 1
    discretise: Any = "mdl"
    bins: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "discretise", checked_discretise(self.discretise))
        object.__setattr__(self, "bins", checked_bins(self.bins))
        if self.power not in (1, 2):
            raise InputError(f"power of a value difference must be 1 or 2, got {self.power!r}.")
        if self.threshold < 1:
            raise InputError(f"threshold of a value difference counts cases, from 1; got {self.threshold!r}.")

    def fit(self, column: Column, context: FitContext) -> Fitted:
        target = context.target
        if target is None or target.classes is None:
            raise InputError(
                f"The value difference of feature {context.feature!r} compares classes, and there is no class target: "
                "use difference='overlap'."
            )
        coding = coding_of(column, context, self.discretise, self.bins)
        levels = len(coding.levels)
        own = context.policy == "value"
        codes = coding.codes(column)
        codes = np.where(codes < 0, levels if own else -1, codes)
        known = codes >= 0
        shape = (levels + 1, target.n_classes)
        flat = codes[known] * target.n_classes + target.values[known]
        counts = np.bincount(flat, weights=target.weights[known], minlength=shape[0] * shape[1])
        table = counts.astype(np.float64).reshape(shape)
        return ValueFitted(coding, table, self.power, self.threshold, own)


class ValueFitted(Fitted):
    """Profiles P(c | v), one row a level, then one for missing values; a symbol never seen is coded one further."""

    form = "table"
    unit = 1.0
    maximum = 2.0

    def __init__(
        self, coding: Coding, counts: NDArray[np.float64], power: int, threshold: int, codes_missing: bool
    ) -> None:
        self.coding, self.levels = coding, coding.levels
        self.power, self.codes_missing = power, codes_missing
        totals = counts.sum(axis=1)
        self.profiles = counts / np.where(totals > 0, totals, 1.0)[:, None]
        rare = totals < threshold if threshold > 1 else totals <= 0  # one case may weigh less than 1
        self.strange = np.append(rare, True)
        """(v + 2,) symbols too rare for a profile, and at the end the unseen one"""
        self.shares = totals / max(totals.sum(), 1e-300)

    def encode(self, column: Column) -> NDArray[np.int32]:
        known = len(self.coding.levels)
        codes = unseen_apart(self.coding.codes(column), known)
        return np.where(codes < 0, known if self.codes_missing else -1, codes).astype(np.int32)

    def pair(self, x: Any, q: Any) -> float:
        if x == q:
            return 0.0
        if self.strange[x] or self.strange[q]:
            return self.maximum
        total = 0.0
        for a, b in zip(self.profiles[x], self.profiles[q], strict=True):
            gap = abs(float(a) - float(b))
            total += gap if self.power == 1 else gap * gap
        return total

    def table(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """(len(codes), v + 2) differences of these symbols from every symbol; classes are added one by one."""
        held = np.vstack([self.profiles, np.zeros(self.profiles.shape[1])])
        out = np.zeros((len(codes), len(held)))
        rows = max(1, 16_384 // len(held))  # what is worked on stays in the cache
        gap = np.empty((rows, len(held)))
        for start in range(0, len(codes), rows):
            block = out[start : start + rows]
            own, gap = held[codes[start : start + rows]], gap[: len(block)]
            for c in range(held.shape[1]):
                np.abs(np.subtract(own[:, c, None], held[None, :, c], out=gap), out=gap)
                block += gap if self.power == 1 else np.multiply(gap, gap, out=gap)
        out[self.strange[codes]] = self.maximum
        out[:, self.strange] = self.maximum
        out[np.arange(len(codes)), codes] = 0.0
        return out

    def block(self, X: NDArray[np.int32], Q: NDArray[np.int32]) -> NDArray[np.float64]:
        codes, row = np.unique(Q, return_inverse=True)
        return np.asarray(self.table(codes)[row[:, None], X[None, :]])

    def expected(self, values: NDArray[np.int32]) -> NDArray[np.float64]:
        codes, row = np.unique(values, return_inverse=True)
        shares = np.append(self.shares, 0.0)
        return np.asarray((self.table(codes) @ shares)[row])

    @property
    def expected_both(self) -> float:
        codes = np.arange(len(self.shares), dtype=np.int32)
        return float(self.expected(codes) @ self.shares)
