"""Demiroz & Guvenir, Figure 1: the best accuracy so far against the generation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.lab.reproduce.demiroz_guvenir import CROSSOVERS, searches, sets
from nearwise.lab.reproduce.experiment import Cell, Curve, Experiment, Outcome
from nearwise.lab.reproduce.size import Size

__all__ = ["GeneticFigure"]

SHOWN = (0, 10, 25, 50, 100, 200)
"""generations that are given as numbers beside the figure"""


class GeneticFigure(Experiment):
    """How fast each crossover finds weights: means over the searches of Table 2."""

    id = "demiroz-guvenir-figure-1"
    title = "Accuracy of the best weights by generation"
    paper = "demiroz1996"
    where = "Figure 1"
    protocol = (
        "The searches of Table 2: the best accuracy so far on the five folds that choose the weights, the mean of 20 "
        "searches. The curves are not printed as numbers in the paper."
    )
    axes = ("generation", "best accuracy so far, %")

    def run(self, size: Size) -> Outcome:
        best = searches(size)
        panels, cells = [], []
        for name in sets(size):
            curves = [curve(column, best[name, column]) for column in CROSSOVERS]
            panels.append((name, curves))
            cells += [
                Cell(f"{name}, generation {at}", line.name, line.y[at], line.error[at])
                for at in SHOWN
                for line in curves
                if at < len(line.y)
            ]
        return Outcome(cells, curves=panels)


def curve(name: str, best: NDArray[np.float64]) -> Curve:
    """A line from (repetitions, generations + 1) accuracies: means in percent with their standard errors.

    >>> curve("a", np.array([[0.5, 0.75], [0.75, 1.0]]))
    Curve(name='a', x=(0.0, 1.0), y=(62.5, 87.5), error=(12.5, 12.5))
    """
    percent = 100 * best
    n = len(percent)
    error = percent.std(axis=0, ddof=1) / n**0.5 if n > 1 else np.full(percent.shape[1], np.nan)
    x = np.arange(percent.shape[1], dtype=np.float64)
    return Curve(name, tuple(x.tolist()), tuple(percent.mean(axis=0).tolist()), tuple(error.tolist()))
