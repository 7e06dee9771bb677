"""Payne and Edwards, Figure 3: five metrics among more and more irrelevant attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nearwise.lab.reproduce.experiment import Cell, Claim, Curve, Experiment, Outcome
from nearwise.lab.reproduce.experiments.payne_edwards import COLUMNS, IRRELEVANT, on_led, repetition_means
from nearwise.lab.reproduce.size import Size
from nearwise.lab.significance import LEVEL, corrected_t

__all__ = ["Figure3"]

Means = Mapping[int, Mapping[str, Sequence[float]]]
"""irrelevant attributes -> metric -> percent right in each drawing"""
ENOUGH = 3
"""irrelevant attributes from which the paper finds OMVW better than OM"""


class Figure3(Experiment):
    """LED displays with 0 to 17 irrelevant attributes.

    The claim "OMVW above OM from three on" holds where OMVW is better than OM with p < 0.05 for every number of
    irrelevant attributes from 3 on, by a paired t-test over the drawings, which are independent.
    """

    id = "payne-edwards-figure-3"
    title = "LED displays with irrelevant attributes"
    paper = "payne1998"
    where = "Figure 3"
    protocol = (
        "200 displays with 10% noise, drawn ten times; ten-fold stratified cross-validation in each, as for Table 2: "
        "the paper names no protocol here. One neighbour, drawn at random from those equally near. The first 0 to 17 "
        "of the same irrelevant attributes, which are fair coins, so that noise on them changes nothing. Spread over "
        "drawings."
    )
    control = "OM"
    axes = ("irrelevant attributes", "percent right")

    def run(self, size: Size) -> Outcome:
        counts = {"full": tuple(range(IRRELEVANT + 1)), "quick": (0, 3, 8, 17), "tiny": (0, 17)}[size.name]
        means: dict[int, dict[str, list[float]]] = {}
        for count in counts:
            found = on_led(count, size)
            means[count] = {column: repetition_means(found, column, size) for column in COLUMNS}
        lines = [_curve(column, means) for column in COLUMNS]
        return Outcome(list(_cells(means)), [above(means)], [("LED-7 with irrelevant attributes", lines)])


def _cells(means: Means) -> Iterator[Cell]:
    for count, by_column in means.items():
        for column, held in by_column.items():
            yield Cell(str(count), column, float(np.mean(held)), _error(held))


def _curve(column: str, means: Means) -> Curve:
    held = [means[count][column] for count in means]
    middle = tuple(float(np.mean(each)) for each in held)
    return Curve(column, tuple(float(count) for count in means), middle, tuple(_error(each) for each in held))


def _error(held: Sequence[float]) -> float:
    return float(np.std(held, ddof=1) / np.sqrt(len(held)))


def above(means: Means) -> Claim:
    """Whether OMVW is better than OM from three irrelevant attributes on."""
    told, better = [], []
    for count in (count for count in means if count >= ENOUGH):
        gaps = [a - b for a, b in zip(means[count]["OMVW"], means[count]["OM"], strict=True)]
        p = corrected_t(gaps, 0.0)[1]
        better.append(np.mean(gaps) > 0 and p < LEVEL)
        told.append(f"{count}: {np.mean(gaps):+.1f} (p = {p:.2g})")
    return Claim(
        "OMVW above OM from three on",
        "With three or more irrelevant attributes OMVW is significantly better than OM.",
        bool(better) and all(better),
        f"OMVW - OM in points by irrelevant attributes: {', '.join(told)}.",
    )
