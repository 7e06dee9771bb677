"""Values as codes: symbols by their level, numbers by the interval they fall into, and differences by a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.columns import Column
from nearwise.cases.cuts import WAYS, Cuts, find_cuts
from nearwise.cases.kinds import Cyclic
from nearwise.differences.base import FitContext, Fitted, power
from nearwise.errors import InputError, did_you_mean

__all__ = ["ByTable", "Coding", "checked_discretise", "coding_of"]


@dataclass(frozen=True)
class Coding:
    """Levels and, for numbers, the cuts between them; numbers on a circle are first taken modulo the period."""

    levels: tuple[Hashable, ...]
    cuts: Cuts | None = None
    period: float | None = None

    def codes(self, column: Column) -> NDArray[np.int32]:
        """(n,) the level of each value: -1 where it is missing, ``len(levels)`` for a symbol never seen."""
        if column.levels is not None or self.cuts is None:
            return column.recode(self.levels)
        numbers = column.values if self.period is None else np.mod(column.values, self.period)
        return np.where(column.missing, -1, self.cuts.place(numbers)).astype(np.int32)


def coding_of(column: Column, context: FitContext, discretise: Any, bins: int) -> Coding:
    """The levels of a training column; numbers are cut by `nearwise.cases.cuts.find_cuts`."""
    if column.levels is not None:
        return Coding(column.levels)
    period = context.kind.period if isinstance(context.kind, Cyclic) else None
    known = ~column.missing
    numbers = column.values[known] if period is None else np.mod(column.values[known], period)
    order = np.argsort(numbers, kind="stable")
    classes = weights = None
    if context.target is not None:
        weights = context.target.weights[known][order]
        target = context.target
        if target.classes is None and target.is_given:  # "mdl" looks at classes: those of numbers are intervals
            target = target.binned()
        if target.classes is not None:
            classes = target.values[known][order]
    cuts = find_cuts(discretise, bins, context.feature, numbers[order], classes, weights)
    return Coding(cuts.labels, cuts, period)


def checked_discretise(how: Any) -> Any:
    """A way to cut, or cut points as a tuple, so that equal settings are equal; by feature in a dict."""
    if isinstance(how, Mapping):
        return {str(feature): checked_discretise(points) for feature, points in how.items()}
    if isinstance(how, str):
        if how in WAYS:
            return how
        raise InputError(f"discretise={how!r}: expected cut points or a way to find them. {did_you_mean(how, WAYS)}")
    try:
        points = tuple(float(x) for x in how) if isinstance(how, Sequence | np.ndarray) else None
    except (TypeError, ValueError):
        points = None
    if points is None or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
        raise InputError(
            f"discretise={how!r}: expected {', '.join(repr(w) for w in WAYS)}, a list of ascending finite numbers, or "
            "a dict of these by feature."
        )
    return points


class ByTable(Fitted):
    """Codes of levels, then one for missing values and one for a symbol never seen, compared by a table."""

    measured_by = (*Fitted.measured_by, "table", "terms")
    shortcuts = (*Fitted.shortcuts, "table", "terms")
    form = "table"
    symmetric = True
    unit = 1.0
    maximum = 1.0

    coding: Coding
    shares: NDArray[np.float64]
    """(v + 2,) how often each code occurs among the stored cases"""

    @abstractmethod
    def table(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """(len(codes), v + 2) differences of these codes from every stored one."""

    def terms(self, codes: NDArray[np.int32], p: float) -> NDArray[np.float64]:
        """`table` to the power p."""
        return np.asarray(power(self.table(codes), p))

    def encode(self, column: Column) -> NDArray[np.int32]:
        codes = self.coding.codes(column)
        known = len(self.coding.levels)
        codes = np.where(codes == known, known + 1, codes)
        return np.where(codes < 0, known if self.codes_missing else -1, codes).astype(np.int32)

    def block(self, X: NDArray[np.int32], Q: NDArray[np.int32]) -> NDArray[np.float64]:
        codes, row = np.unique(Q, return_inverse=True)
        return np.asarray(self.table(codes)[row[:, None], X[None, :]])

    def expected(self, values: NDArray[np.int32]) -> NDArray[np.float64]:
        codes, row = np.unique(values, return_inverse=True)
        return np.asarray(dot(self.shares, self.table(codes).T)[row])

    @property
    def expected_both(self) -> float:
        codes = np.arange(len(self.shares), dtype=np.int32)
        return float(dot(self.shares, self.expected(codes)))
