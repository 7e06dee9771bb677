"""Seven methods on fourteen tasks."""

from __future__ import annotations

from nearwise.lab.reproduce.experiment import Experiment, Outcome
from nearwise.lab.reproduce.experiments._review import (
    CONTROL,
    LARGE,
    METHODS,
    PAPER,
    TASKS,
    compared,
    difference_cells,
)  # fmt: skip
from nearwise.lab.reproduce.size import Size

__all__ = ["ReviewTable4"]

LARGE_REPEATS = 5
LARGE_NOTE = "5 splits"


class ReviewTable4(Experiment):
    """Table 4: accuracy of k-NN, and what each way to weigh adds to it, in points over the same splits."""

    id = "review-4"
    title = "Seven ways to weigh features, on fourteen tasks"
    paper = PAPER
    where = "Table 4"
    protocol = (
        "25 random splits of the sizes of table 3, the same for all methods. The four tasks of the study are one table "
        "of 500 cases that is split anew; displays and waves are drawn from 5,000 generated cases. Numbers over their "
        "range, Euclidean distance (a plain sum for VDM and MVDM), votes 1/d, k from 1 to 50 by leave-one-out after "
        "the weights. RELIEF-F asks as many neighbours of each class as plain k-NN chooses; k-NN_VSM ends where the "
        "leave-one-out error stops falling; CCF, VDM and MVDM keep the intervals of Fayyad and Irani, MI weighs by "
        "them. Isolet and NETtalk: 5 splits, with --large only."
    )
    control = CONTROL
    relative = True

    def run(self, size: Size) -> Outcome:
        tasks = list(TASKS.values())[: size.times(len(TASKS), len(TASKS), 3)]
        cells = []
        for task in tasks:
            cells += difference_cells(task.name, compared(size, task, METHODS, size.times(25, 3, 2)))
        for task in LARGE if size.large else ():
            found = compared(size, task, METHODS, size.times(LARGE_REPEATS, 1, 1))
            cells += difference_cells(task.name, found, LARGE_NOTE)
        notes = [] if size.large else ["Isolet and NETtalk take part with --large."]
        return Outcome(cells, notes=notes)
