"""Symbols through the classes they occur with: what value differences and divergences share.

The profile of a symbol v is P(c | v), one number a class. A symbol that was not seen, or in too few cases, has no
profile: it is compared by overlap, at the largest difference (Reading V5).

A target that is a number counts as two classes, "high" and "low", to which each case belongs in shares: high by
t = (y - min) / (max - min), low by 1 - t. The profile of a symbol is then (T, 1 - T) with the mean T of its cases, so
that symbols differ by their target means, and a target of 0 and 1 gives what two classes give.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.summary import ColumnSummary
from nearwise.cases.target import Target
from nearwise.differences.base import Difference, FitContext, Fitted
from nearwise.differences.coding import ByTable, Coding, checked_discretise, coding_of
from nearwise.errors import InputError, check_whole

__all__ = ["ByProfiles", "ProfileFitted", "Profiles", "Rooted", "class_target_of", "memberships"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

CACHED = 16_384
"""differences worked out at a time, so that they stay in the cache"""


@dataclass(frozen=True)
class Memberships:
    """How much of which classes the cases are: entry e puts ``weights[e]`` of case ``rows[e]`` into ``codes[e]``."""

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]
    weights: Floats
    n_classes: int
    priors: Floats
    """(c,) shares of the classes"""

    def of(self, known: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Rows, codes and weights of the cases (n,) that are known."""
        if known.all():
            return self.rows, self.codes, self.weights
        kept = known[self.rows]
        return self.rows[kept], self.codes[kept], self.weights[kept]


def class_target_of(context: FitContext) -> Target:
    """The target that profiles are made of."""
    if context.target is None or not context.target.is_given:
        raise InputError(
            f"The value difference of feature {context.feature!r} compares the targets of values, and there is no "
            "class target and no number: use difference='overlap'."
        )
    return context.target


def memberships(target: Target) -> Memberships:
    """Every case in its class; of a number in both of two classes, by where it lies in the range of all."""
    rows = np.arange(len(target))
    if target.classes is not None:
        return Memberships(rows, target.values, target.weights, target.n_classes, target.priors)
    high = target.weights * target.shares
    both = np.concatenate([target.weights - high, high])
    totals = np.array([both[: len(rows)].sum(), high.sum()])
    priors = totals / totals.sum() if totals.sum() > 0 else np.full(2, 0.5)
    return Memberships(np.tile(rows, 2), np.repeat(np.array([0, 1]), len(rows)), both, 2, priors)


@dataclass(frozen=True)
class Profiles:
    """How often each level occurs with each class; the last row is the missing value's."""

    coding: Coding
    counts: Floats
    """(v + 1, c) weights of the cases"""
    priors: Floats
    """(c,) shares of the classes among all cases"""
    threshold: int
    codes_missing: bool
    """whether the missing value is a level of its own (the policy "value")"""

    @classmethod
    def of(cls, column: Column, context: FitContext, coding: Coding, threshold: int) -> Profiles:
        target = memberships(class_target_of(context))
        own = context.policy == "value"
        codes = coding.codes(column)
        codes = np.where(codes < 0, len(coding.levels) if own else -1, codes)
        known = codes >= 0
        shape = (len(coding.levels) + 1, target.n_classes)
        rows, classes, weights = target.of(known)
        flat = codes[rows] * target.n_classes + classes
        counts = np.bincount(flat, weights=weights, minlength=shape[0] * shape[1])
        return cls(coding, counts.astype(np.float64).reshape(shape), target.priors, threshold, own)


class ByProfiles(Difference):
    """What differences by profiles share; each is a dataclass with these settings in an order of its own."""

    kinds = ("Symbolic",)
    converts = ("Numeric", "Cyclic", "Ordinal")
    needs_classes: ClassVar[bool] = True
    p: ClassVar[float | None] = 1

    threshold: int
    """cases below which a symbol is compared by overlap"""
    discretise: Any
    bins: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "discretise", checked_discretise(self.discretise))
        object.__setattr__(self, "bins", check_whole("bins", self.bins, 1))
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int) or self.threshold < 1:
            raise InputError(f"threshold of a value difference counts cases, from 1; got {self.threshold!r}.")

    def fit_summary(self, summary: ColumnSummary, context: FitContext) -> Fitted:
        return self.fit_entries(summary, context)

    def reads_classes(self, kind: Kind) -> bool:
        return True

    def profiles(self, column: Column, context: FitContext) -> Profiles:
        class_target_of(context)
        coding = coding_of(column, context, self.discretise, self.bins)
        return Profiles.of(column, context, coding, self.threshold)


class ProfileFitted(ByTable):
    """Profiles P(c | v), one row a level, then one for missing values; a symbol never seen is coded one further."""

    measured_by = (*ByTable.measured_by, "gaps")

    def __init__(self, found: Profiles) -> None:
        self.coding, self.levels, self.codes_missing = found.coding, found.coding.levels, found.codes_missing
        totals = found.counts.sum(axis=1)
        self.profiles = found.counts / np.where(totals > 0, totals, 1.0)[:, None]
        rare = totals < found.threshold if found.threshold > 1 else totals <= 0  # one case may weigh less than 1
        self.strange = np.append(rare, True)
        """(v + 2,) symbols too rare for a profile, and at the end the unseen one"""
        self.shares = np.append(totals / max(totals.sum(), 1e-300), 0.0)
        self._held = np.vstack([self.profiles, np.zeros(self.profiles.shape[1])])

    @abstractmethod
    def gaps(self, own: Floats, held: Floats) -> Floats:
        """(r, v) differences of profiles (r, c) and (v, c)."""

    def table(self, codes: Codes) -> Floats:
        return self.filled(codes, self.gaps, self.maximum)

    def filled(self, codes: Codes, gaps: Callable[[Floats, Floats], Floats], overlap: float) -> Floats:
        """The same with other gaps between profiles, and ``overlap`` where there is none."""
        held = self._held
        out = np.empty((len(codes), len(held)))
        rows = max(1, CACHED // len(held))
        for start in range(0, len(codes), rows):
            out[start : start + rows] = gaps(held[codes[start : start + rows]], held)
        out[self.strange[codes]] = overlap
        out[:, self.strange] = overlap
        out[np.arange(len(codes)), codes] = 0.0
        return out

    def pair(self, x: Any, q: Any) -> float:
        if x == q:
            return 0.0
        if self.strange[x] or self.strange[q]:
            return self.maximum
        return float(self.gaps(self._held[q : q + 1], self._held[x : x + 1])[0, 0])


def squared_gaps(own: Floats, held: Floats) -> Floats:
    """(r, v) sums of squared differences of profiles, class by class."""
    out = np.zeros((len(own), len(held)))
    gap = np.empty_like(out)
    for c in range(held.shape[1]):
        np.subtract(own[:, c, None], held[None, :, c], out=gap)
        out += np.multiply(gap, gap, out=gap)
    return out


class Rooted(ProfileFitted):
    r"""The Euclidean length :math:`\sqrt{\sum_c (P(c|u) - P(c|v))^2}`; with p = 2 the root is never taken.

    A symbol without a profile differs by 1 from every other, as an unknown value does (W6).
    """

    embeds = True

    def gaps(self, own: Floats, held: Floats) -> Floats:
        return np.sqrt(squared_gaps(own, held))

    def terms(self, codes: Codes, p: float) -> Floats:
        return self.filled(codes, squared_gaps, self.maximum**2) if p == 2 else super().terms(codes, p)

    def term(self, x: Any, q: Any, p: float) -> float:
        return float(self.terms(np.array([q]), 2)[0, x]) if p == 2 else super().term(x, q, p)

    def block_terms(self, X: Codes, Q: Codes, p: float) -> Floats:
        codes, row = np.unique(Q, return_inverse=True)
        return np.asarray(self.terms(codes, p)[row[:, None], X[None, :]])

    def embed(self, values: Codes) -> Floats:
        held = np.where(self.strange[:, None], np.nan, self._held)
        return np.asarray(held[values])
