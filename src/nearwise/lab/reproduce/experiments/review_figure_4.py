"""Features removed one after the other, and what is left weighted or not."""

from __future__ import annotations

from nearwise.lab.reproduce.experiment import Experiment, Outcome, cells_of
from nearwise.lab.reproduce.experiments._review import PAPER, TASKS, compared, curve_of
from nearwise.lab.reproduce.experiments._tuned_relief import TunedRelief
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison

__all__ = ["BINARY", "FEATURES", "WEIGHTED", "ReviewFigure4", "removals", "without"]

WEIGHTED, BINARY = "weighted", "binary"
FEATURES = {"Waveform-40": 40, "LED-7+17B": 24}


def removals(name: str, size: Size) -> list[int]:
    """How many features are removed: every second number of the waves, every one of the display."""
    if size.name == "full":
        return list(range(0, FEATURES[name], 2 if name == "Waveform-40" else 1))
    if size.name == "quick":
        return [0, 10, 19, 25, 30] if name == "Waveform-40" else [0, 8, 14, 17, 20]
    return [0, FEATURES[name] // 2]


def without(size: Size, name: str, removed: int) -> Comparison:
    """RELIEF-F without the features of the lowest weights: the rest with their weights, and with 1 each."""
    left = FEATURES[name] - removed
    methods = {series: TunedRelief(left, binary=series == BINARY) for series in (WEIGHTED, BINARY)}
    return compared(size, TASKS[name], methods, size.times(25, 4, 2))


class ReviewFigure4(Experiment):
    """Figure 4: RELIEF-F on two tasks while the lowest-weighted features are removed."""

    id = "review-figure-4"
    title = "RELIEF-F with its lowest-weighted features removed, weighted or binary"
    paper = PAPER
    where = "Figure 4"
    protocol = (
        "25 random splits of the sizes of table 3, from 5,000 generated cases; weights are learned in the training "
        "part, the features of the lowest are removed, the others keep theirs or get 1, and k is chosen after that."
    )
    control = BINARY
    axes = ("features removed", "accuracy (%)")

    def run(self, size: Size) -> Outcome:
        cells, panels = [], []
        for name in FEATURES:
            numbers = removals(name, size)
            found = [without(size, name, removed) for removed in numbers]
            for removed, each in zip(numbers, found, strict=True):
                cells += cells_of(f"{name}, {removed}", each)
            panels.append((name, [curve_of(series, numbers, found) for series in (WEIGHTED, BINARY)]))
        return Outcome(cells, curves=panels)
