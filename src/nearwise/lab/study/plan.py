"""Who meets whom: the parts of the study, their methods and sets, and all cells in the order in which they run.

"main"
    every method on every set, five folds
"curves"
    a few telling methods on sets of 1,000 cases, learning from 50, 100, 200, 400 and 800 cases
"irrelevant"
    the same methods on a few sets with 0, 5, 10, 20 and 50 features more that say nothing
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nearwise import metrics
from nearwise.errors import InputError, did_you_mean
from nearwise.lab.baselines import BASELINES
from nearwise.lab.study.tables import CLASSES, COPIED, COPIES, MADE, MOST, NUMBERS, known
from nearwise.weighting import methods as weightings

__all__ = ["CONTROL", "PARTS", "TELLING", "Plan", "Step", "full_plan", "methods", "quick_plan"]

CONTROL = "none"
"""plain neighbours, which every gain is over"""
PARTS = ("main", "curves", "irrelevant")
BY_HAND = ("user", "ebl")
"""weightings that are nothing without knowledge"""
TELLING = (CONTROL, "default", "auto", "gr", "relief-f", "mdw", "vsm", "forward", "random-forest")
"""plain neighbours, what a person should use, one method of each bias of the review, and a learner of another kind"""
NAMED = {
    "OM": metrics.OM, "OMVW": metrics.OMVW, "VDM": metrics.VDM, "MVDM": metrics.MVDM, "HEOM": metrics.HEOM,
    "HVDM": metrics.HVDM, "IVDM": metrics.IVDM, "WVDM": metrics.WVDM, "Gower": metrics.Gower,
}  # fmt: skip
"""metrics as the literature writes them, for "vdm" is a weighting too"""
SLOW = ("ga", "ga-wknn", "directed", "scythe", "knn-vsm", "rc", "diet", "nca", "nca-diagonal", "gcm-isw")
"""methods that a quick run leaves out: an eighth of all, they take more than half of the time"""

CURVE_SETS = ("adult", "letter", "satimage", "splice", "nursery", "led-7+17b", "waveform-40")
CURVE_SIZES = (50, 100, 200, 400, 800)
WIDENED_SETS = ("led-7", "voting", "waveform-21", "vehicle", "wine", "cleveland", "boston")
WIDENED_BY = (0, 5, 10, 20, 50)

QUICK_SETS = (
    "breast-cancer", "cleveland", "credit-g", "diabetes", "glass", "horse-colic", "hungarian", "ionosphere", "iris",
    "lymphography", "primary-tumor", "promoters", "sonar", "tic-tac-toe", "vehicle", "voting", "wine", "zoo", "musk1",
    "led-7", "led-7+17b", "waveform-40", "sinusoidal", "gauss-band", "parity", "led-7+copies", "glass+copies",
    "airquality", "boston", "cpus", "diabetes-r", "housing", "prestige", "prof",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A set in one part of the study: ``at`` is the training cases of a curve, or the features added, else 0."""

    part: str
    set: str
    at: int = 0


@dataclass(frozen=True)
class Plan:
    """All that a run is to do."""

    steps: tuple[Step, ...]
    methods: Mapping[str, Any]
    """name -> what is compared under it, in part "main" """
    telling: Mapping[str, Any]
    """the same for the other parts"""
    folds: int = 5
    most: int = MOST
    """cases of a set"""
    budget: float = 20.0
    """seconds that a cell may take"""
    seed: int = 0

    def of(self, step: Step) -> Mapping[str, Any]:
        return self.methods if step.part == "main" else self.telling

    def only(
        self, part: str | None = None, methods: Sequence[str] | None = None, sets: Sequence[str] | None = None
    ) -> Plan:
        """Some of it: one part, some methods, some sets. Plain neighbours stay, for gains are over them."""
        steps = self.steps
        if part is not None:
            _check("part", [part], PARTS)
            steps = tuple(step for step in steps if step.part == part)
        if sets is not None:
            _check("set", sets, known())
            named = {step.set for step in self.steps if step.part == "main"}
            more = [Step("main", name) for name in sets if name not in named and part in (None, "main")]
            steps = (*(step for step in steps if step.set in sets), *more)
        chosen, telling = self.methods, self.telling
        if methods is not None:
            every = _every()
            _check("method", methods, every)
            asked = dict.fromkeys((CONTROL, *methods))
            chosen = {name: every[name] for name in asked}
            telling = {name: every[name] for name in asked if part != "main"}
        if not steps:
            raise InputError("Nothing is left of the study: there is no such set in this part.")
        return replace(self, steps=steps, methods=chosen, telling=telling)


def methods(quick: bool = False) -> dict[str, Any]:
    """Every method that needs no knowledge -> what `nearwise.compare` takes for it.

    >>> found = methods()
    >>> next(iter(found)), "ebl" in found, "VDM" in found, "random-forest" in found
    ('none', False, True, True)
    """
    return {name: given for name, given in _every().items() if not (quick and name in SLOW)}


def _every() -> dict[str, Any]:
    ours = ("default", "auto", "projections", "cfp", "one-r")
    weighting = [name for name in weightings() if name not in (*BY_HAND, CONTROL)]
    found: dict[str, Any] = {name: name for name in (CONTROL, *ours, *weighting)}
    return {**found, **{name: metric() for name, metric in NAMED.items()}, **{name: name for name in BASELINES}}


def full_plan() -> Plan:
    """All methods on all sets, and both other parts."""
    every = methods()
    sets = (*CLASSES, *MADE, *(f"{name}{COPIES}" for name in COPIED), *NUMBERS)
    steps = [Step("main", name) for name in sets]
    steps += [Step("curves", name, size) for name in CURVE_SETS for size in CURVE_SIZES]
    steps += [Step("irrelevant", name, count) for name in WIDENED_SETS for count in WIDENED_BY]
    return Plan(tuple(steps), every, {name: every[name] for name in TELLING})


def quick_plan() -> Plan:
    """A few minutes on two cores: three folds of at most 500 cases, fewer sets, without the slowest methods."""
    every = methods(quick=True)
    steps = [Step("main", name) for name in QUICK_SETS]
    steps += [
        Step("curves", name, size) for name in ("led-7+17b", "waveform-40", "vehicle") for size in (50, 100, 200, 320)
    ]
    steps += [Step("irrelevant", name, count) for name in ("led-7", "wine", "cleveland") for count in WIDENED_BY]
    telling = {name: every[name] for name in TELLING if name in every}
    return Plan(tuple(steps), every, telling, folds=3, most=500, budget=10.0)


def _check(what: str, given: Sequence[str], there: Any) -> None:
    for name in given:
        if name not in there:
            raise InputError(f"The study has no {what} {name!r}. {did_you_mean(name, list(there))}")
