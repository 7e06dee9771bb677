"""A sine curve whose right intervals no search finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearwise.differences.symbolic import ValueDifference
from nearwise.lab.reproduce.experiment import Cell, Experiment, Outcome
from nearwise.lab.reproduce.experiments._review import CONTROL, METHODS, PAPER, TASKS, compared
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison
from nearwise.weighting import get

__all__ = ["BY_HAND", "FOUND", "ReviewTable6", "by_cuts", "sinusoidal"]

NONE, FOUND, BY_HAND = "none", "Fayyad-Irani", "by hand"
CUTS = {"x0": tuple(i / 16 for i in range(1, 16)), "x1": (0.25, 0.5, 0.75)}
"""16 equal intervals of the horizontal coordinate, one for each half wave, and 4 of the vertical one"""


def by_cuts() -> dict[str, dict[str, Any]]:
    """The four methods that need intervals, with those given by hand: MI for its weights, the others for good."""
    cut = ValueDifference(discretise=CUTS)
    return {
        "CCF": {"feature_weights": get("ccf", discretise=CUTS), "p": 2},
        "VDM": {"feature_weights": get("vdm", discretise=CUTS), "differences": {"Numeric": cut}, "p": 1},
        "MVDM": {"feature_weights": "none", "differences": {"Numeric": cut}, "p": 1},
        "MI": {"feature_weights": get("mi", discretise=CUTS), "p": 2},
    }


def sinusoidal(size: Size) -> Comparison:
    """All rows of the table on the same splits; a column of the last row is called "MI, by hand"."""
    cut = {f"{name}, {BY_HAND}": given for name, given in by_cuts().items()}
    methods: Mapping[str, Any] = {**{name: METHODS[name] for name in (CONTROL, "k-NN_VSM", *by_cuts())}, **cut}
    return compared(size, TASKS["Sinusoidal"], methods, size.times(25, 5, 2))


class ReviewTable6(Experiment):
    """Table 6: methods that need intervals lose where these are found wrongly, and win where they are given."""

    id = "review-6"
    title = "The sinusoidal task, with intervals found and intervals given"
    paper = PAPER
    where = "Table 6"
    protocol = (
        "25 random splits of 500 cases, 350 to learn from and 150 to test, methods as in table 4; by hand: 16 equal "
        "intervals of the horizontal coordinate and 4 of the vertical one."
    )
    control = CONTROL

    def run(self, size: Size) -> Outcome:
        cells = []
        for result in sinusoidal(size).applicable:
            name, _, by_hand = result.method.partition(", ")
            row = NONE if name in (CONTROL, "k-NN_VSM") else BY_HAND if by_hand else FOUND
            cells.append(Cell(row, name, 100 * result.mean, 100 * result.error))
        return Outcome(cells)
