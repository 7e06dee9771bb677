"""The tasks and methods of the review (wettschereck1997, tables 2 and 3), and how they are compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nearwise.datasets import (
    load,
    make_banded,
    make_gauss_band,
    make_led,
    make_parity,
    make_sinusoidal,
    make_waveform,
)  # fmt: skip
from nearwise.errors import NearwiseWarning
from nearwise.lab.protocols import RandomSplits
from nearwise.lab.reproduce.experiment import Cell, Curve
from nearwise.lab.reproduce.experiments._tuned_relief import TunedRelief
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison
from nearwise.metrics import MVDM, VDM

__all__ = [
    "CONTROL", "ERRORS", "LARGE", "METHODS", "PAPER", "POOL", "TASKS", "Gap", "Task", "compared",
    "curve_of", "difference_cells", "gap", "some",
]  # fmt: skip

PAPER = "wettschereck1997"
CONTROL = "k-NN"
POOL = 5_000
"""generated displays and waves that splits are drawn from: as many as the repository's waveform file has"""
FEW = (40, 30)
"""cases to learn from and to test in a test of ours"""
ERRORS = 3.0
"""standard errors that a difference has to exceed: the rule of the review for its bold numbers"""

EXPECTED = ("asks for more cases than there are", "The weights of all features are 0")
"""warnings of methods that learn from few cases"""

METHODS: Mapping[str, Any] = {
    "k-NN": {"feature_weights": "none", "p": 2},
    "RELIEF-F": TunedRelief(),
    "k-NN_VSM": {"feature_weights": "knn-vsm", "p": 2},
    "CCF": {"feature_weights": "ccf", "p": 2},
    "VDM": VDM(),
    "MVDM": MVDM(),
    "MI": {"feature_weights": "mi", "p": 2},
}
"""table 2: Euclidean but for the value differences, which are added up without a root (Reading V3)"""


@dataclass(frozen=True)
class Task:
    """A row of table 3: the sizes of its parts, and where its cases come from."""

    name: str
    train: int
    test: int
    make: Callable[..., Any] | None = None
    """a generator that takes ``n`` and ``seed``; None is a data set of the same name"""
    pool: int = 0
    """cases to generate; 0 is as many as both parts have"""

    def cases(self, size: Size) -> tuple[Any, Any, Any]:
        """Cases, classes, and kinds where they are known."""
        if self.make is None:
            held = load(self.name.lower())
            return held.X, held.y, held.schema
        train, test = self.parts(size)
        drawn = (train + test) * 2 if size.name == "tiny" else self.pool or train + test
        X, y = self.make(n=drawn, seed=size.seed)
        return X, y, None

    def parts(self, size: Size) -> tuple[int, int]:
        """How many cases to learn from and to test."""
        return (min(self.train, FEW[0]), min(self.test, FEW[1])) if size.name == "tiny" else (self.train, self.test)


def _made(name: str, make: Callable[..., Any]) -> Task:
    return Task(name, 350, 150, make)


def _led(name: str, irrelevant: int, kind: str = "binary") -> Task:
    return Task(name, 200, 1000, partial(make_led, irrelevant=irrelevant, kind=kind), POOL)


def _wave(features: int) -> Task:
    return Task(f"Waveform-{features}", 300, 100, partial(make_waveform, features), POOL)


TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        _made("Banded", make_banded),
        _made("Sinusoidal", make_sinusoidal),
        _made("Gauss-band", make_gauss_band),
        _made("Parity", make_parity),
        _led("LED-7", 0),
        _led("LED-7+17B", 17),
        _led("LED-7+17C", 17, "continuous"),
        _wave(21),
        _wave(40),
        Task("Cleveland", 212, 91),
        Task("Hungarian", 206, 88),
        Task("Voting", 305, 130),
    )
}
LARGE = (Task("Isolet", 1040, 1040), Task("NETtalk", 5000, 2500))


def some(*names: str) -> dict[str, Any]:
    """A few of the methods, by their columns.

    >>> list(some("k-NN", "MI"))
    ['k-NN', 'MI']
    """
    return {name: METHODS[name] for name in names}


def compared(
    size: Size, task: Task, methods: Mapping[str, Any], repeats: int, train: int | None = None, test: int | None = None
) -> Comparison:
    """Methods on the same random splits of a task; ``train`` and ``test`` are other sizes than those of table 3.

    Two warnings are what small training sets are about, and not passed on: a class has fewer cases than RELIEF-F asks
    for, of which it takes the mean; and all weights are 0, in which case all features count the same.
    """
    X, y, schema = task.cases(size)
    first, second = task.parts(size)
    protocol = RandomSplits(repeats, test or second, train or first)
    with warnings.catch_warnings():
        for message in EXPECTED:
            warnings.filterwarnings("ignore", f".*{message}", NearwiseWarning)
        return size.compare(X, y, methods, protocol, schema=schema)


@dataclass(frozen=True)
class Gap:
    """A mean difference of two methods over the same splits, in points, with its standard error."""

    mean: float
    error: float

    @property
    def is_above(self) -> bool:
        """Whether the first is better by more than three standard errors."""
        return self.mean > ERRORS * self.error

    @property
    def is_below(self) -> bool:
        return self.mean < -ERRORS * self.error

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ± {self.error:.1f}"


def gap(first: Sequence[float], second: Sequence[float]) -> Gap:
    """The mean of paired differences of shares, in points; without a second split there is no error.

    >>> print(gap([0.8, 0.9], [0.7, 0.7]))
    +15.0 ± 5.0
    """
    apart = 100 * (np.asarray(first) - np.asarray(second))
    error = np.std(apart, ddof=1) / len(apart) ** 0.5 if len(apart) > 1 else float("nan")
    return Gap(float(apart.mean()), float(error))


def difference_cells(row: str, found: Comparison, note: str = "") -> list[Cell]:
    """The control in percent right, and for each other method its paired difference to it, in points."""
    control = found[CONTROL]
    cells = [Cell(row, CONTROL, 100 * control.mean, 100 * control.error, note=note)]
    for result in found.applicable:
        if result.method != CONTROL:
            apart = gap(result.scores, control.scores)
            cells.append(Cell(row, result.method, apart.mean, apart.error, note=note))
    return cells


def curve_of(method: str, x: Sequence[int], found: Sequence[Comparison]) -> Curve:
    """The accuracy of a method in several comparisons, in percent, with its standard error."""
    results = [each[method] for each in found]
    mean, error = (tuple(100 * getattr(r, name) for r in results) for name in ("mean", "error"))
    return Curve(method, tuple(map(float, x)), mean, error)
