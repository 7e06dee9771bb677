"""Which sets the study is about, drawn to one size, with what is known of each.

A set has at most 1,000 cases, drawn with a fixed seed so that classes keep their shares; classes that are too rare to
be in every fold are left out. Tags say what kind of data it is. What the features are worth (irrelevant, redundant,
interacting) is known only where a rule made the class, so only such sets carry these tags; kinds, holes and sizes are
read off the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawTable
from nearwise.cases.schema import Schema
from nearwise.datasets import load
from nearwise.datasets.draws import random_rows
from nearwise.errors import InputError, did_you_mean
from nearwise.lab.cell import Cases
from nearwise.lab.study.variants import with_copies, with_irrelevant

__all__ = ["CLASSES", "COPIED", "LEFT_OUT", "MADE", "MOST", "NUMBERS", "TAGS", "StudyTable", "known", "table_of"]

MOST = 1_000
"""cases of a set at most"""
FEW, MANY, WIDE = 250, 750, 30
"""a set has few cases below the first and many from the second on, and many features from the third on"""
RAREST = 5
"""cases that a class must have"""

CLASSES = (
    "adult", "bank-marketing", "breast-cancer", "car", "cleveland", "credit-g", "diabetes", "glass", "horse-colic",
    "hungarian", "ionosphere", "iris", "isolet", "letter", "liver", "lung-cancer", "lymphography", "mushroom",
    "nettalk", "nursery", "primary-tumor", "promoters", "satimage", "sonar", "soybean", "splice", "tic-tac-toe",
    "vehicle", "voting", "wdbc", "wine", "zoo", "musk1",
)  # fmt: skip
"""shared sets whose target is a class; musk1 has sets of vectors"""
NUMBERS = (
    "airquality", "boston", "computers", "cpus", "diabetes-r", "griliches", "housing", "prestige", "prof", "slid",
    "tobacco",
)  # fmt: skip
"""shared sets whose target is a number"""
MADE = {
    "led-7": (), "led-7+17b": ("irrelevant",), "led-7+17c": ("irrelevant",), "waveform-21": (),
    "waveform-40": ("irrelevant",), "banded": ("irrelevant",), "sinusoidal": ("interacting",),
    "gauss-band": ("interacting",), "parity": ("interacting", "irrelevant"), "cars": ("irrelevant",),
}  # fmt: skip
"""generated sets -> what is known of their features"""
KNOWN = {**MADE, "tic-tac-toe": ("interacting",)}
"""tic-tac-toe is all ends of a game with the rule of the game, three in a row"""
COPIED = ("led-7", "waveform-21", "glass", "hungarian", "voting", "boston", "prestige")
"""sets that take part once more with every feature copied, tagged redundant"""
COPIES = "+copies"
LEFT_OUT = {
    "digits": "no shared set", "breast-w": "not shared", "segment": "not shared", "covertype": "not shared",
    "soybean-train": "a part of soybean", "soybean-test": "a part of soybean", "isolet-train": "a part of isolet",
    "isolet-test": "a part of isolet", "images": "not to be had",
}  # fmt: skip
"""known sets that take no part -> why"""
TAGS = (
    "irrelevant", "redundant", "interacting", "numbers only", "symbols only", "mixed", "other kinds", "holes",
    "few cases", "many cases", "many features",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class StudyTable:
    """A set as the study takes it."""

    name: str
    cases: Cases
    schema: Schema
    tags: tuple[str, ...]

    @property
    def regression(self) -> bool:
        return self.cases.classes is None

    @property
    def is_variant(self) -> bool:
        """Whether it is made of another set, and so does not count as one more."""
        return self.name.endswith(COPIES)

    def widened(self, irrelevant: int) -> StudyTable:
        """The same cases with features that say nothing."""
        table, schema = with_irrelevant(self.cases.table, self.schema, irrelevant)
        return replace(self, cases=replace(self.cases, table=table), schema=schema)


def known() -> tuple[str, ...]:
    """Every set of the study by its name.

    >>> len(known()) == len(set(known())), "parity" in known(), "led-7+copies" in known()
    (True, True, True)
    """
    return (*CLASSES, *NUMBERS, *MADE, *(f"{name}{COPIES}" for name in COPIED))


def table_of(name: str, most: int = MOST) -> StudyTable:
    """A set by its name with at most ``most`` cases; an InputError where it is not on this machine.

    >>> led = table_of("led-7+17b", 200)
    >>> len(led.cases.target), led.tags
    (200, ('irrelevant', 'symbols only', 'few cases'))
    """
    if name not in known():
        raise InputError(f"The study has no set {name!r}. {did_you_mean(name, known())}")
    copied = name.endswith(COPIES)
    origin = name.removesuffix(COPIES)
    data = load(origin, download=False, **({"n": max(most, RAREST)} if origin in MADE else {}))
    rows = _draw(np.zeros(len(data)) if data.regression else data.y, most, 1 if data.regression else RAREST)
    table, schema = replace(data.X.take(rows), source=None), data.schema
    target: NDArray[Any] = data.y[rows]
    if copied:
        table, schema = with_copies(table, schema)
    cases = Cases(table, target, None if data.regression else np.unique(target))
    structure = ("redundant",) if copied else KNOWN.get(origin, ())
    return StudyTable(name, cases, schema, _tags(table, schema, structure))


def _draw(strata: NDArray[Any], most: int, rarest: int) -> NDArray[np.intp]:
    """Rows of at most so many cases, each class by its share (largest remainders); none of a class too rare."""
    labels, codes, counts = np.unique(strata, return_inverse=True, return_counts=True)
    shares = counts * min(1.0, most / len(strata))
    quota = np.floor(shares + 1e-9).astype(int)
    order = np.argsort(-(shares - quota), kind="stable")
    quota[order[: min(most, len(strata)) - int(quota.sum())]] += 1
    bits = random_rows(0, len(strata), 1)[:, 0]
    drawn = [
        rows[np.argsort(bits[rows], kind="stable")[: quota[code]]]
        for code in range(len(labels))
        if quota[code] >= rarest
        for rows in [np.flatnonzero(codes == code)]
    ]
    if not drawn:
        raise InputError(f"No class has {rarest} of {most} cases: take more cases.")
    return np.sort(np.concatenate(drawn))


def _tags(table: RawTable, schema: Schema, structure: Sequence[str]) -> tuple[str, ...]:
    found = {*structure, _kind_of_all(schema)}
    if any(_has_holes(table, name) for name in schema):
        found.add("holes")
    if len(table) < FEW:
        found.add("few cases")
    if len(table) >= MANY:
        found.add("many cases")
    if len(schema) >= WIDE:
        found.add("many features")
    return tuple(tag for tag in TAGS if tag in found)


def _kind_of_all(schema: Schema) -> str:
    kinds = {kind.name for kind in schema.values()}
    if not kinds <= {"Numeric", "Cyclic", "Symbolic", "Ordinal"}:
        return "other kinds"
    if kinds <= {"Numeric", "Cyclic"}:
        return "numbers only"
    return "symbols only" if kinds <= {"Symbolic", "Ordinal"} else "mixed"


def _has_holes(table: RawTable, name: str) -> bool:
    column = table.column(name)
    numbers = column.numbers
    return bool(np.isnan(numbers).any()) if numbers is not None else any(v is None for v in column.objects())
