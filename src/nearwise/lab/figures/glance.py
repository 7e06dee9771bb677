"""A table at a glance: every column with its kind, its holes, and how its values are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.table import CaseTable

__all__ = ["Glance", "Spread", "glance_of"]

BINS = 12
"""parts of the range of a number"""
LEVELS = 8
"""values of a symbol that are counted each; the rest are together"""


@dataclass(frozen=True)
class Spread:
    """How often values fall where: places in words, and a count for each."""

    places: tuple[str, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Glance:
    """One column."""

    name: str
    kind: str
    missing: int
    different: int
    spread: Spread | None
    """None for what has no places: vectors, and functions of the user's own"""


def glance_of(table: CaseTable) -> list[Glance]:
    """Every feature of a table, in its order.

    >>> table = CaseTable.of([{"age": 20, "job": "cook"}, {"age": 60, "job": None}, {"age": 30, "job": "cook"}])
    >>> [(found.name, found.kind, found.missing, found.different) for found in glance_of(table)]
    [('age', 'Numeric', 0, 3), ('job', 'Symbolic', 1, 1)]
    """
    return [
        _glance(name, table.schema[name], column)
        for name, column in zip(table.schema.names, table.columns, strict=True)
    ]


def _glance(name: str, kind: Kind, column: Column) -> Glance:
    known = [i for i in range(len(column)) if not column.missing[i]]
    if column.levels is not None:
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
        spread: Spread | None = counted(dict(zip(map(str, column.levels), counts.tolist(), strict=True)))
        different = int((counts > 0).sum())
    elif column.values.dtype != object and column.values.ndim == 1:
        numbers = column.values[known].astype(np.float64)
        spread, different = spread_of(numbers), len(np.unique(numbers))
    else:
        values = [column.value(i) for i in known]
        different = len({str(value) for value in values})
        spread = _of_objects(kind, values)
    return Glance(name, kind.name, len(column) - len(known), different, spread)


def _of_objects(kind: Kind, values: Sequence[Any]) -> Spread | None:
    if kind.name == "Set":
        return counted(Counter(str(member) for value in values for member in value))
    if kind.name == "Text" and values:
        return spread_of(np.array([len(str(value).split()) for value in values], dtype=np.float64), " words")
    return None


def spread_of(numbers: Any, unit: str = "") -> Spread | None:
    """Counts of numbers in parts of equal width; fewer parts where there are few different whole numbers.

    >>> spread_of(np.array([1.0, 2.0, 2.0, 4.0]))
    Spread(places=('1', '2', '3', '4'), counts=(1, 2, 0, 1))
    """
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if (numbers == np.round(numbers)).all() and high - low < BINS:
        counts = np.bincount((numbers - low).astype(np.intp), minlength=int(high - low) + 1)
        return Spread(tuple(f"{low + i:g}{unit}" for i in range(len(counts))), tuple(counts.tolist()))
    edges = np.linspace(low, high, BINS + 1)
    counts = np.bincount(np.clip(np.searchsorted(edges, numbers, "right") - 1, 0, BINS - 1), minlength=BINS)
    places = tuple(f"{edges[i]:.4g} to {edges[i + 1]:.4g}{unit}" for i in range(BINS))
    return Spread(places, tuple(counts.tolist()))


def counted(counts: Any) -> Spread | None:
    """The commonest values one by one, the others together.

    >>> counted({"a": 1, "b": 5})
    Spread(places=('b', 'a'), counts=(5, 1))
    """
    ranked = sorted(((str(name), int(n)) for name, n in counts.items() if n), key=lambda each: (-each[1], each[0]))
    if not ranked:
        return None
    shown, rest = ranked[:LEVELS], ranked[LEVELS:]
    if rest:
        shown = [*shown, (f"{len(rest)} others", sum(n for _, n in rest))]
    return Spread(tuple(name for name, _ in shown), tuple(n for _, n in shown))
