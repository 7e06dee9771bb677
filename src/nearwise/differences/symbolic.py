"""Symbols: equal or not (overlap), or as different as the classes they occur with (value difference).

Numbers are compared in the same ways through the intervals that they fall into.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import Coding, checked_discretise, coding_of
from nearwise.differences.profiles import ByProfiles, ProfileFitted, Profiles, squared_gaps
from nearwise.errors import InputError, check_whole

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
    kinds = ("Symbolic",)
    converts = ("Numeric", "Cyclic", "Ordinal")
    discretise: Any = "mdl"
    bins: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "discretise", checked_discretise(self.discretise))
        object.__setattr__(self, "bins", check_whole("bins", self.bins, 1))

    def fit(self, column: Column, context: FitContext) -> Fitted:
        return OverlapFitted(column, coding_of(column, context, self.discretise, self.bins))

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        if summary.levels is None:
            return self.fit_entries(summary, context)
        return OverlapFitted(None, Coding(summary.levels), summary.level_counts)

    def reads_classes(self, kind: Kind) -> bool:
        return True

    def fit_entries(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        target = context.target
        if target is None or target.classes is None:
            return super().fit_entries(summary, context)
        column, entries = summary.entries(target)
        coding = coding_of(column, replace(context, target=entries), self.discretise, self.bins)
        codes = coding.codes(column)
        known = codes >= 0
        counts = np.bincount(codes[known], weights=entries.weights[known], minlength=len(coding.levels))
        return OverlapFitted(None, coding, counts.astype(np.float64))


class OverlapFitted(Fitted):
    form = "overlap"
    symmetric = True
    unit = 1.0
    maximum = 1.0

    def __init__(self, column: Column | None, coding: Coding, counts: NDArray[np.float64] | None = None) -> None:
        """``counts`` (v,) says how often each level occurs where there is no column to count."""
        self.coding, self.levels = coding, coding.levels
        if column is not None:
            codes = coding.codes(column)
            counts = np.bincount(codes[codes >= 0], minlength=len(coding.levels)).astype(np.float64)
        if counts is None:
            raise TypeError("a column or its counts are needed")
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
class ValueDifference(ByProfiles):
    r"""Two symbols differ as much as the class distributions they occur with (MVDM).

    .. math:: \delta(u, v) = \sum_c |P(c \mid u) - P(c \mid v)|^{power}

    Payne & Edwards eq. 4 and Wettschereck et al. eq. 20 with power 2 (Reading V2; Cost & Salzberg use 1). A symbol
    that was not seen, or seen in fewer than ``threshold`` cases, is compared by overlap at the largest difference,
    2 (V5). There is no smoothing (V6). Numbers differ as their intervals do, which ``discretise`` and ``bins`` cut as
    for `Overlap`.

    With ``weighted=True`` (VDM) the difference is multiplied by the weight of the query's value (V1, V4),

    .. math:: \omega(q) = \sqrt{\textstyle\sum_c P(c \mid q)^2},

    that of the class priors where the query's symbol has no profile. A missing value stays at 2.
    """

    name = "mvdm"
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "mvdm": {},
        "mvdm-l1": {"power": 1},
        "vdm": {"weighted": True},
    }
    power: int = 2
    threshold: int = 1
    discretise: Any = "mdl"
    bins: int = 8
    weighted: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power not in (1, 2):
            raise InputError(f"power of a value difference must be 1 or 2, got {self.power!r}.")

    def fit(self, column: Column, context: FitContext) -> Fitted:
        found = self.profiles(column, context)
        return ValueFitted(found, self.power, found.priors if self.weighted else None)


class ValueFitted(ProfileFitted):
    maximum = 2.0

    def __init__(self, found: Profiles, power: int, priors: NDArray[np.float64] | None = None) -> None:
        super().__init__(found)
        self.power = power
        self.weights: NDArray[np.float64] | None = None
        """(v + 2,) the weight of each symbol as a query value, in VDM"""
        if priors is not None:
            own = np.sqrt(np.square(self._held).sum(axis=1))
            self.symmetric = False
            self.weights = np.where(self.strange, np.sqrt(np.square(priors).sum()), own)

    def gaps(self, own: NDArray[np.float64], held: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.power == 2:
            return squared_gaps(own, held)
        out = np.zeros((len(own), len(held)))
        gap = np.empty_like(out)
        for c in range(held.shape[1]):  # classes are added one by one, as in `pair`
            np.subtract(own[:, c, None], held[None, :, c], out=gap)
            out += np.abs(gap, out=gap)
        return out

    def table(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        plain = super().table(codes)
        return plain if self.weights is None else plain * self.weights[codes][:, None]

    def pair(self, x: Any, q: Any) -> float:
        if x == q:
            return 0.0
        total = 0.0
        if self.strange[x] or self.strange[q]:
            total = self.maximum
        else:
            for a, b in zip(self.profiles[x], self.profiles[q], strict=True):
                gap = abs(float(a) - float(b))
                total += gap if self.power == 1 else gap * gap
        return total if self.weights is None else total * float(self.weights[q])
