"""Weights of waves and of noise."""

from __future__ import annotations

import numpy as np

from nearwise.lab.protocols import RandomSplits
from nearwise.lab.reproduce.experiment import Cell, Curve, Experiment, Outcome
from nearwise.lab.reproduce.experiments._review import PAPER, TASKS
from nearwise.lab.reproduce.size import Size
from nearwise.weighting import get

__all__ = ["ReviewFigure2"]

TASK = TASKS["Waveform-40"]


class ReviewFigure2(Experiment):
    """Figure 2: what MI makes of the 21 features of a wave and of the 19 of noise behind them."""

    id = "review-figure-2"
    title = "Weights by mutual information, 21 features of a wave and 19 of noise"
    paper = PAPER
    where = "Figure 2"
    protocol = "25 training sets of 300 waves, drawn from 5,000; the mean weight of each feature over them."
    unit = "bits"
    axes = ("feature", "weight (bits)")

    def run(self, size: Size) -> Outcome:
        X, y, _ = TASK.cases(size)
        train, test = TASK.parts(size)
        splits = RandomSplits(size.times(25, 25, 2), test, train).splits(y, size.seed)
        found = np.array([get("mi").fit(X[s.train], y[s.train]).feature_importances_ for s in splits])
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / len(found) ** 0.5
        cells = [Cell(str(f + 1), "MI", float(m), float(e)) for f, (m, e) in enumerate(zip(mean, error, strict=True))]
        places = tuple(float(f + 1) for f in range(len(mean)))
        curve = Curve("MI", places, tuple(mean.tolist()), tuple(error.tolist()))
        wave, noise = mean[:21], mean[21:]
        told = f"Mean weight of the wave {wave.mean():.3f}, of the noise {noise.mean():.3f}, the largest of it "
        return Outcome(cells, curves=[(TASK.name, [curve])], notes=[f"{told}{noise.max():.3f} bits."])
