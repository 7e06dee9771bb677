"""Features that say something only together."""

from __future__ import annotations

from functools import partial

from nearwise.datasets import make_parity
from nearwise.lab.reproduce.experiment import Experiment, Outcome, cells_of
from nearwise.lab.reproduce.experiments._review import CONTROL, PAPER, POOL, Task, compared, curve_of, some
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison

__all__ = ["FEATURES", "ReviewParity", "parity_of"]

FEATURES = 10
METHODS = (CONTROL, "k-NN_VSM", "MI")


def parity_of(size: Size, relevant: int) -> Comparison:
    """The parity of some of ten coins, learned from 50 cases."""
    make = partial(make_parity, relevant=relevant, irrelevant=FEATURES - relevant)
    return compared(size, Task("parity", 50, 500, make, POOL), some(*METHODS), size.times(25, 5, 2))


class ReviewParity(Experiment):
    """The study of T2: the parity of more and more of ten boolean features, by k-NN_VSM and by MI."""

    id = "review-parity"
    title = "Parity of two to ten of ten features"
    paper = PAPER
    where = "Section 4.4, T2"
    protocol = (
        "50 cases to learn from and 500 to test (the review does not say how many), 25 random splits of 5,000 "
        "generated cases; methods as in table 4."
    )
    control = CONTROL
    axes = ("relevant features", "accuracy (%)")

    def run(self, size: Size) -> Outcome:
        numbers = list(range(2, size.times(FEATURES, FEATURES, 3) + 1))
        found = [parity_of(size, relevant) for relevant in numbers]
        cells = [cell for number, each in zip(numbers, found, strict=True) for cell in cells_of(str(number), each)]
        curves = [curve_of(method, numbers, found) for method in METHODS]
        return Outcome(cells, curves=[("parity", curves)])
