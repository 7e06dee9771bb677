"""Which stored cases a question is about: ``where=`` as truth values, as conditions by feature, or as a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.kinds import Kind, Ordinal, Vector
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, did_you_mean
from nearwise.explain import case_values

__all__ = ["chosen_cases", "meets"]

Truths = NDArray[np.bool_]
WAYS = "one truth value per stored case, a dict of conditions by feature, or a function of a case's dict"


def chosen_cases(table: CaseTable, where: Any) -> NDArray[np.intp]:
    """The places of the stored cases that are asked about, in order.

    A condition is a value to equal (None for a missing one), a tuple ``(from, to)`` of which both ends are in it and
    None leaves one open, or a list or set of values of which it is one. A feature that is a set must hold the value,
    or all of the values. A missing value meets no other condition than None.

    >>> table = CaseTable.of([{"age": 20, "job": "cook"}, {"age": 60, "job": "judge"}, {"age": 30, "job": "judge"}])
    >>> chosen_cases(table, {"job": "judge", "age": (None, 40)})
    array([2])
    >>> chosen_cases(table, lambda case: case["age"] < 50)
    array([0, 2])
    """
    truths = meets(table, where)
    if not truths.any():
        raise InputError(f"No stored case is left by where={_told(where)}: loosen the conditions.")
    return np.flatnonzero(truths)


def meets(table: CaseTable, where: Any) -> Truths:
    """(n,) whether each stored case is asked about; there may be none."""
    if isinstance(where, Mapping):
        truths = np.ones(len(table), dtype=bool)
        for name, wanted in where.items():
            truths &= _met(table, name, wanted)
        return truths
    if callable(where):
        return np.array([bool(where(case_values(table, i))) for i in range(len(table))], dtype=bool)
    return _given(where, len(table))


def _told(where: Any) -> str:
    said = repr(where)
    return said if len(said) <= 80 else said[:79] + "…"


def _given(where: Any, n: int) -> Truths:
    truths = np.asarray(where)
    if truths.dtype == object and all(isinstance(each, bool | np.bool_) for each in truths.ravel()):
        truths = truths.astype(bool)
    if truths.dtype != bool or truths.shape != (n,):
        raise InputError(
            f"where={_told(where)}: expected {WAYS}; there are {n} stored cases, got shape {truths.shape} of "
            f"{truths.dtype}."
        )
    return truths


def _met(table: CaseTable, name: Any, wanted: Any) -> Truths:
    """(n,) which cases meet a condition on one feature."""
    names = table.schema.names
    if name not in names:
        raise InputError(f"where names {name!r}, no such feature. {did_you_mean(str(name), names)}")
    f, kind = names.index(name), table.schema[name]
    column = table.columns[f]
    if wanted is None or (isinstance(wanted, float) and wanted != wanted):
        return np.array(column.missing)
    if isinstance(kind, Vector) or (isinstance(wanted, tuple) and len(wanted) != 2):
        raise InputError(
            f"where gives {name!r} the condition {_told(wanted)}: expected a value, (from, to), or a set of values"
            f"{', and a vector has none of them: give a function of the case' if isinstance(kind, Vector) else ''}."
        )
    test = _test(kind, wanted)
    try:
        if column.levels is not None:  # once for each symbol
            codes = np.array([test(level) for level in column.levels] + [False], dtype=bool)
            return np.asarray(codes[column.values])
        return np.array([v is not None and test(v) for v in _values(table, f, name)], dtype=bool)
    except TypeError as error:
        raise InputError(f"where compares {name!r} with {_told(wanted)}, which its values are not: {error}.") from None


def _values(table: CaseTable, f: int, name: str) -> list[Any]:
    """The values of a feature as a person wrote them; numbers that stand for dates as these."""
    if getattr(table.schema[name], "holds", None) is None:
        return [table.columns[f].value(i) for i in range(len(table))]
    only = CaseTable(type(table.schema)({name: table.schema[name]}), (table.columns[f],), len(table), table.labels)
    return [case_values(only, i)[name] for i in range(len(table))]


def _test(kind: Kind, wanted: Any) -> Callable[[Any], bool]:
    """Whether one known value meets the condition."""
    if isinstance(wanted, tuple):
        place = _place(kind)
        low, high = (None if end is None else place(end) for end in wanted)
        return lambda v: bool((low is None or place(v) >= low) and (high is None or place(v) <= high))
    if isinstance(wanted, list | set | frozenset):
        members = list(wanted)
        return lambda v: all(m in v for m in members) if isinstance(v, frozenset | set) else v in members
    return lambda v: wanted in v if isinstance(v, frozenset | set) else bool(v == wanted)


def _place(kind: Kind) -> Callable[[Any], Any]:
    """What values are ordered by: themselves, or their rank."""
    if not isinstance(kind, Ordinal) or not kind.levels:
        return lambda value: value
    ranks = {level: rank for rank, level in enumerate(kind.levels)}

    def rank(value: Any) -> int:
        if value not in ranks:
            raise TypeError(f"{value!r} is none of {', '.join(map(repr, kind.levels))}")
        return ranks[value]

    return rank
