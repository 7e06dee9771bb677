"""What an experiment is, and what comes of it."""

from __future__ import annotations

import functools
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import ClassVar

import numpy as np

from nearwise.errors import InputError, did_you_mean
from nearwise.lab.reproduce.agreement import binomial_error
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison

__all__ = [
    "Cell",
    "Claim",
    "Curve",
    "Experiment",
    "Outcome",
    "cells_of",
    "cells_of_split",
    "cells_over",
    "experiments",
    "get",
]

NAN = float("nan")


@dataclass(frozen=True)
class Cell:
    """One number of a table or one point of a figure."""

    row: str
    column: str
    mean: float
    """in the unit of the experiment, mostly percent right"""
    error: float = NAN
    """standard error of the mean, over splits"""
    honest: float = NAN
    """what an honest protocol gives, where the paper's is not; NaN where the paper's is honest"""
    honest_error: float = NAN
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """What a paper says in words, and whether it holds here."""

    name: str
    says: str
    holds: bool
    why: str
    """the numbers that decide it"""


@dataclass(frozen=True)
class Curve:
    """A line of a figure: y with its standard error at each x."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment."""

    cells: Sequence[Cell] = ()
    claims: Sequence[Claim] = ()
    curves: Sequence[tuple[str, Sequence[Curve]]] = ()
    """panels of a figure: title, lines"""
    notes: Sequence[str] = field(default_factory=list)


class Experiment(ABC):
    """A table or a figure. ``run`` computes it at a size; it never looks at what was published."""

    id: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    """key of the bibliography"""
    where: ClassVar[str]
    """the table, figure or section"""
    protocol: ClassVar[str]
    """how it is repeated, in a sentence or two"""
    control: ClassVar[str] = ""
    """the column that effects are measured against"""
    unit: ClassVar[str] = "%"
    axes: ClassVar[tuple[str, str]] = ("", "")
    """of a figure: what x and y are"""

    relative: ClassVar[bool] = False
    """whether columns other than the control are printed as differences to it"""

    def control_of(self, column: str) -> str:
        """The column that effects of this one are measured against; empty where there is none."""
        return "" if column == self.control else self.control

    @abstractmethod
    def run(self, size: Size) -> Outcome:
        """Compute."""


def cells_of(row: str, found: Comparison, scale: float = 100.0) -> list[Cell]:
    """A cell for every method of a comparison: mean over splits with its standard error, in percent."""
    return [Cell(row, r.method, scale * r.mean, scale * r.error) for r in found.applicable]


def cells_of_split(row: str, found: Comparison) -> list[Cell]:
    """Cells, in percent, of a comparison on a single split: the error is the binomial one of its test cases.

    >>> from nearwise.lab.comparing import compare
    >>> found = compare([[0.0], [1.0], [0.1], [0.9]], ["a", "b", "a", "a"], ["none"], [([0, 1], [2, 3])], n_neighbors=1)
    >>> cells_of_split("toy", found)[0].mean, round(cells_of_split("toy", found)[0].error, 2)
    (50.0, 35.36)
    """
    tested = sum(len(rows) for rows in found.tests)
    return [Cell(row, r.method, 100 * r.mean, binomial_error(100 * r.mean, tested)) for r in found.applicable]


def cells_over(row: str, found: Sequence[Comparison]) -> list[Cell]:
    """Cells, in percent, of comparisons on several draws of the cases or dealings of the folds.

    The mean and its standard error are over the draws, since the splits of one draw share their cases; of a single draw
    they are over its splits.
    """
    if len(found) == 1:
        return cells_of(row, found[0])
    cells = []
    for method in [r.method for r in found[0].applicable]:
        means = [100 * one[method].mean for one in found]
        cells.append(Cell(row, method, float(np.mean(means)), float(np.std(means, ddof=1)) / len(means) ** 0.5))
    return cells


@functools.cache
def experiments() -> dict[str, Experiment]:
    """id -> experiment, in the order of papers and tables.

    >>> list(experiments()) == sorted(experiments())
    True
    """
    found = [made for name in sorted(_modules()) for made in _in(name)]
    return {made.id: made for made in sorted(found, key=lambda made: made.id)}


def _modules() -> Iterator[str]:
    from nearwise.lab.reproduce import experiments as folder

    return (f"{folder.__name__}.{module.name}" for module in pkgutil.iter_modules(folder.__path__))


def _in(module: str) -> Iterator[Experiment]:
    for value in vars(import_module(module)).values():
        if (
            isinstance(value, type)
            and issubclass(value, Experiment)
            and value.__module__ == module
            and "id" in vars(value)
        ):
            yield value()


def get(name: str) -> Experiment:
    """An experiment by its id."""
    known = experiments()
    if name not in known:
        raise InputError(
            f"There is no experiment {name!r}. {did_you_mean(name, known)} `nearwise reproduce list` shows all."
        )
    return known[name]
