"""Which rules of a theory hold for which cases, and the features they look at."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic, Text
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, did_you_mean
from nearwise.weighting.theory import Comparison, Concept, Rule, Theory

__all__ = ["Proof", "Proofs"]

Flags = NDArray[np.bool_]

COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Proof:
    """One head for all cases."""

    holds: Flags
    """(n,) whether some rule of the head holds"""
    used: Flags
    """(n, p) the features in the rules that hold, and in what they rest on"""
    line: NDArray[np.intp]
    """(n,) the line of the first rule that holds, 0 where none does"""


class _UnknownError(Exception):
    """A rule names what the cases do not have."""


class Proofs:
    """The rules of a theory, held against every case of a table.

    ``every`` takes all rules of a head that hold, and only the first one otherwise. With ``lenient`` a rule that names
    a feature or a value that the cases do not have cannot hold; otherwise it is an error.
    """

    def __init__(self, theory: Theory, table: CaseTable, every: bool = True, lenient: bool = False) -> None:
        self.table, self.every, self.lenient = table, every, lenient
        self.rules = theory.heads
        self._known: dict[str, Proof] = {}
        for rule in theory.rules:  # also those that no class asks for, so that every error is told
            self._body(rule)

    def of(self, head: str) -> Proof:
        """A head without a rule holds for no case."""
        if head not in self._known:
            self._known[head] = self._proof(self.rules.get(head, []))
        return self._known[head]

    def _proof(self, rules: list[Rule]) -> Proof:
        n, p = len(self.table), len(self.table.columns)
        holds, used = np.zeros(n, dtype=bool), np.zeros((n, p), dtype=bool)
        line = np.zeros(n, dtype=np.intp)
        for rule in rules:
            now, own = self._body(rule)
            new = now & ~holds
            line[new] = rule.line
            counts = now if self.every else new
            used |= own & counts[:, None]
            holds |= now
        return Proof(holds, used, line)

    def _body(self, rule: Rule) -> tuple[Flags, Flags]:
        """(n,) whether all conditions hold, and (n, p) the features that they look at."""
        n, p = len(self.table), len(self.table.columns)
        holds, used = np.ones(n, dtype=bool), np.zeros((n, p), dtype=bool)
        for condition in rule.conditions:
            if isinstance(condition, Concept):
                found = self.of(condition.name)
                holds &= found.holds
                used |= found.used
                continue
            try:
                feature, own = self._compared(condition)
            except _UnknownError as error:
                if not self.lenient:
                    raise InputError(*error.args) from None
                return np.zeros(n, dtype=bool), used
            holds &= own
            used[:, feature] = True
        return holds, used

    def _compared(self, condition: Comparison) -> tuple[int, Flags]:
        names = self.table.schema.names
        if condition.feature not in names:
            raise _UnknownError(
                f"{condition.where}: there is no feature {condition.feature!r}. "
                f"{did_you_mean(condition.feature, names)}"
            )
        feature = names.index(condition.feature)
        column, kind = self.table.columns[feature], self.table.schema[condition.feature]
        if isinstance(kind, Numeric | Cyclic):
            return feature, _numbers(condition, column)
        if isinstance(kind, Symbolic | Ordinal):
            return feature, _symbols(condition, column, kind)
        if isinstance(kind, Text) and condition.operator in ("=", "!=", "in"):
            equal = np.array([value in condition.values for value in column.values], dtype=bool)
            return feature, ~column.missing & (equal != (condition.operator == "!="))
        raise InputError(
            f"{condition.where}: the feature {condition.feature!r} is {kind.name}, which {condition.operator!r} does "
            "not compare: rules compare numbers and symbols."
        )


def _numbers(condition: Comparison, column: Column) -> Flags:
    """(n,) a missing number meets no condition."""
    try:
        asked = [float(value) for value in condition.values]
    except ValueError:
        raise InputError(
            f"{condition.where}: the feature {condition.feature!r} holds numbers, got {condition.values[0]!r}."
        ) from None
    return ~column.missing & _met(condition.operator, column.values, asked)


def _symbols(condition: Comparison, column: Column, kind: Kind) -> Flags:
    """(n,) ordered levels are compared by their rank; a missing symbol meets no condition."""
    levels = [str(level) for level in column.levels or ()]
    known = list(levels)
    if isinstance(kind, Ordinal):
        known = [str(level) for level in kind.levels]
    elif isinstance(kind, Symbolic) and kind.tree is not None:
        known += [name for name in kind.tree.names if name not in known]
    elif condition.operator not in ("=", "!=", "in"):
        raise InputError(
            f"{condition.where}: {condition.feature!r} holds symbols, which {condition.operator!r} does not compare: "
            "take =, != or in, or declare it Numeric or Ordinal."
        )
    for value in condition.values:
        if value not in known:
            raise _UnknownError(
                f"{condition.where}: no case has the value {value!r} in feature {condition.feature!r}. "
                f"{did_you_mean(value, known)}"
            )
    places = np.array([known.index(level) for level in levels] + [-1])
    return ~column.missing & _met(condition.operator, places[column.values], [known.index(v) for v in condition.values])


def _met(how: str, values: NDArray[Any], asked: list[Any]) -> Flags:
    if how == "in":
        return np.isin(values, asked)
    return np.asarray(COMPARED[how](values, asked[0]), dtype=np.bool_)
