"""Waveforms with fewer cases to learn from."""

from __future__ import annotations

from nearwise.lab.reproduce.experiment import Experiment, Outcome, cells_of
from nearwise.lab.reproduce.experiments._review import CONTROL, PAPER, TASKS, compared, some
from nearwise.lab.reproduce.size import Size

__all__ = ["ReviewTable5"]


class ReviewTable5(Experiment):
    """Table 5: with 300 cases 19 features of noise hardly hurt k-NN, with 100 they do, and weights help."""

    id = "review-5"
    title = "Waveforms, 300 and 100 cases to learn from"
    paper = PAPER
    where = "Table 5"
    protocol = (
        "25 random splits, 300 or 100 cases to learn from and 100 to test, drawn from 5,000 generated waves; methods "
        "as in table 4."
    )
    control = CONTROL

    def run(self, size: Size) -> Outcome:
        methods = some("k-NN", "RELIEF-F", "k-NN_VSM", "MI")
        cells = []
        for name in ("Waveform-21", "Waveform-40"):
            for train in (300, 100):
                learned = size.times(train, train, train // 10)
                found = compared(size, TASKS[name], methods, size.times(25, 5, 2), learned)
                cells += cells_of(f"{name}, {train}", found)
        return Outcome(cells)
