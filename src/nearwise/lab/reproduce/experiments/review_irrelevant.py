"""A display among segments that show nothing."""

from __future__ import annotations

from functools import partial

from nearwise.datasets import make_led
from nearwise.lab.reproduce.experiment import Claim, Experiment, Outcome, cells_of
from nearwise.lab.reproduce.experiments._review import (
    CONTROL,
    PAPER,
    POOL,
    TASKS,
    Task,
    compared,
    curve_of,
    gap,
    some,
)  # fmt: skip
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison

__all__ = ["ReviewIrrelevant", "with_noise"]

METHODS = (CONTROL, "RELIEF-F", "k-NN_VSM")
TURN = 2
"""irrelevant features up to which k-NN_VSM is said to be ahead"""


def with_noise(size: Size, irrelevant: int) -> Comparison:
    """LED-7 with so many features beside it that are on or off at random."""
    like = TASKS["LED-7"]
    task = Task("LED-7", like.train, like.test, partial(make_led, irrelevant=irrelevant), POOL)
    return compared(size, task, some(*METHODS), size.times(25, 3, 2))


class ReviewIrrelevant(Experiment):
    """The study of section 4.4.1: irrelevant features are added to LED-7, from none to 17.

    The claim holds if RELIEF-F is not above k-NN_VSM by three standard errors with 0, 1 or 2 irrelevant features, and
    above it in the mean of the splits with each larger number of them.
    """

    id = "review-irrelevant"
    title = "LED-7 with 0 to 17 irrelevant features"
    paper = PAPER
    where = "Section 4.4.1"
    protocol = (
        "25 random splits, 200 displays to learn from and 1,000 to test, of 5,000 generated ones; irrelevant features "
        "are boolean; methods as in table 4."
    )
    control = CONTROL
    axes = ("irrelevant features", "accuracy (%)")

    def run(self, size: Size) -> Outcome:
        numbers = {"full": list(range(18)), "quick": [0, 1, 2, 3, 5, 9, 17], "tiny": [0, 3]}[size.name]
        found = [with_noise(size, irrelevant) for irrelevant in numbers]
        cells = [cell for number, each in zip(numbers, found, strict=True) for cell in cells_of(str(number), each)]
        curves = [curve_of(method, numbers, found) for method in METHODS]
        return Outcome(cells, [_claim(numbers, found)], [("LED-7", curves)])


def _claim(numbers: list[int], found: list[Comparison]) -> Claim:
    gaps = {n: gap(each["RELIEF-F"].scores, each["k-NN_VSM"].scores) for n, each in zip(numbers, found, strict=True)}
    holds = all(not g.is_above if n <= TURN else g.mean > 0 for n, g in gaps.items())
    told = ", ".join(f"{n}: {g}" for n, g in gaps.items())
    return Claim(
        "4.4.1", "k-NN_VSM is ahead of RELIEF-F with few irrelevant features and behind it with more than two.", holds,
        f"RELIEF-F less k-NN_VSM, in points, by the number of irrelevant features: {told}.",
    )  # fmt: skip
