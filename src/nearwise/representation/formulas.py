"""Tests of one feature, joined by and/or: what constructed features say, in words and on a table.

A test of a missing value is neither true nor false. "and" is false where one of its tests is, and true where all are;
"or" the other way round; what is left is missing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.kinds import Kind, Numeric
from nearwise.cases.table import CaseTable
from nearwise.cases.times import as_time, in_words
from nearwise.visible import visible

__all__ = ["Condition", "Formula", "Truth"]

Truth = NDArray[np.int8]
"""(n,) 1 where true, 0 where false, -1 where a value is missing"""

SIGNS = {("=", True): "=", ("=", False): "!=", (">", True): ">", (">", False): "<="}


@dataclass(frozen=True)
class Condition:
    """``feature = value`` of a symbol or ``feature > value`` of a number or a level, or what denies it."""

    feature: str
    sign: str
    value: Hashable
    holds: bool = True
    """whether the test itself is meant, and not that it fails"""

    def denied(self) -> Condition:
        return Condition(self.feature, self.sign, self.value, not self.holds)

    def text(self, kind: Kind) -> str:
        """``age > 50``.

        >>> Condition("smoker", "=", "yes", False).text(Numeric())
        'smoker != yes'
        """
        value: Any = self.value
        if isinstance(kind, Numeric) and isinstance(value, float):
            as_date = kind.holds is not None and kind.unit is not None
            told = in_words(as_time(value, kind.unit or "", kind.holds or "")) if as_date else None
            value = told or f"{value:.6g}"
        return f"{visible(self.feature)} {SIGNS[self.sign, self.holds]} {visible(str(value))}"

    def truth(self, table: CaseTable) -> Truth:
        column = table.columns[table.schema.names.index(self.feature)]
        if self.sign == "=":
            place = -2 if self.value not in (column.levels or ()) else (column.levels or ()).index(self.value)
            said, missing = column.values == place, column.missing
        elif column.levels is not None:  # levels in their order
            said, missing = column.values > (column.levels or ()).index(self.value), column.missing
        else:
            missing = column.missing
            said = np.where(missing, -np.inf, column.values) > self.value
        return np.where(missing, -1, said == self.holds).astype(np.int8)


@dataclass(frozen=True)
class Formula:
    """Tests that all hold ("and"), or of which one holds ("or")."""

    joint: str
    tests: tuple[Condition, ...]

    def denied(self) -> Formula:
        """By De Morgan: what is true where this is false."""
        return Formula("or" if self.joint == "and" else "and", tuple(test.denied() for test in self.tests))

    def text(self, kinds: Any) -> str:
        return f" {self.joint} ".join(test.text(kinds[test.feature]) for test in self.tests)

    def truth(self, table: CaseTable) -> Truth:
        return joined(self.joint, [test.truth(table) for test in self.tests])


def joined(joint: str, parts: Sequence[Truth]) -> Truth:
    """Three-valued and/or.

    >>> joined("and", [np.array([1, 1, 0], dtype=np.int8), np.array([1, -1, -1], dtype=np.int8)]).tolist()
    [1, -1, 0]
    """
    if joint == "or":
        return denied(joined("and", [denied(part) for part in parts]))
    false = np.logical_or.reduce([part == 0 for part in parts])
    unknown = np.logical_or.reduce([part < 0 for part in parts])
    return np.where(false, 0, np.where(unknown, -1, 1)).astype(np.int8)


def denied(truth: Truth) -> Truth:
    return np.where(truth < 0, -1, 1 - truth).astype(np.int8)
