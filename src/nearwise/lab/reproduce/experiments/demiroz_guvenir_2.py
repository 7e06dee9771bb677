"""Demiroz & Guvenir, Table 2: genetic weights, on the folds that chose them and on cases that did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nearwise.datasets import load
from nearwise.lab.protocols import GivenFolds
from nearwise.lab.reproduce.demiroz_guvenir import CROSSOVERS, folds, repetitions, search, searches, sets
from nearwise.lab.reproduce.experiment import Cell, Claim, Experiment, Outcome, cells_over
from nearwise.lab.reproduce.size import Size

__all__ = ["GeneticTable"]

NN = "NN"
NEAREST: dict[str, Any] = {"n_neighbors": 1, "vote": "majority", "p": 2}


class GeneticTable(Experiment):
    """1-NN with genetic weights by four crossovers.

    Rules of the claims, with the means over all repetitions:

    - D1 holds where every crossover is better than NN on every set; D1n is the same for the nested protocol.
    - D2 holds where no other of the four is better than CUCO-WNN on more than half of the sets; D2n the same, nested.
    """

    id = "demiroz-guvenir-2"
    title = "1-NN with weights bred by a genetic algorithm"
    paper = "demiroz1996"
    where = "Table 2"
    protocol = (
        "1-NN, numbers over their range, Euclidean. As in the paper: the accuracy of the best of 100 vectors after 200 "
        "generations on the five folds that chose it, the mean of 20 searches with folds and populations of their own. "
        "Honest: five folds outside of the search, which sees the other four and deals out five of its own, 8 times."
    )
    control = NN

    def run(self, size: Size) -> Outcome:
        best = searches(size)
        found = [cell for name in sets(size) for cell in _row(name, size, best)]
        gaps = [cell.mean - cell.honest for cell in found if cell.column != NN]
        note = (
            f"On the folds that chose the weights accuracies are {np.mean(gaps):.1f} points higher, {min(gaps):.1f} to "
        )
        return Outcome(found, claims(found), notes=[f"{note}{max(gaps):.1f}, than on cases that chose nothing."])


def _row(name: str, size: Size, best: Mapping[tuple[str, str], Any]) -> list[Cell]:
    """NN and the four crossovers; the outer folds of a repetition are those that its searches went by.

    The honest number of NN is that of the repetitions that are nested, so that gains are over the same splits.
    """
    data = load(name)
    plain, nested = [], []
    for repetition in range(repetitions(size)):
        dealt = GivenFolds(folds(data, size, repetition).tolist())
        methods: dict[str, Any] = {NN: {"feature_weights": "none", **NEAREST}}
        plain.append(size.compare(data.X, data.y, methods, dealt, schema=data.schema))
        if repetition < size.times(8, 1, 1):
            for column in CROSSOVERS:
                methods[column] = {"feature_weights": search(size, column, repetition).weighting(), **NEAREST}
            nested.append(size.compare(data.X, data.y, methods, dealt, schema=data.schema))
    means = {cell.column: (cell.mean, cell.error) for cell in cells_over(name, plain)}
    for column in CROSSOVERS:
        last = 100 * best[name, column][:, -1]
        means[column] = float(np.mean(last)), float(np.std(last, ddof=1)) / len(last) ** 0.5
    honest = {cell.column: (cell.mean, cell.error) for cell in cells_over(name, nested)}
    return [Cell(name, column, *means[column], *honest[column]) for column in means]


def claims(found: Sequence[Cell]) -> list[Claim]:
    """What the paper says in words, and the same of the nested protocol."""
    chosen = {(cell.row, cell.column): cell.mean for cell in found}
    nested = {(cell.row, cell.column): cell.honest for cell in found}
    helps = "Genetic weights make 1-NN more accurate on every set"
    leads = "CUCO-WNN is generally the most accurate of the four"
    apart = ", by cases that chose nothing"
    return [
        _helps("D1", f"{helps}.", chosen),
        _helps("D1n", f"{helps}{apart}.", nested),
        _leads("D2", f"{leads}.", chosen),
        _leads("D2n", f"{leads}{apart}.", nested),
    ]


def _helps(name: str, says: str, at: Mapping[tuple[str, str], float]) -> Claim:
    gains = {place: at[place] - at[place[0], NN] for place in at if place[1] != NN}
    up = sum(gain > 0 for gain in gains.values())
    rows = dict.fromkeys(row for row, _ in gains)
    told = ", ".join(f"{row} {np.mean([gains[row, c] for c in CROSSOVERS]):+.1f}" for row in rows)
    return Claim(name, says, up == len(gains), f"{up} of {len(gains)} are better; mean gains in points: {told}.")


def _leads(name: str, says: str, at: Mapping[tuple[str, str], float]) -> Claim:
    rows = list(dict.fromkeys(row for row, _ in at))
    first = {row: max(reversed(CROSSOVERS), key=lambda column: at[row, column]) for row in rows}  # CUCO-WNN in a tie
    ahead = sum(best == "CUCO-WNN" for best in first.values())
    why = ", ".join(f"{row} {best}" for row, best in first.items())
    return Claim(name, says, 2 * ahead > len(rows), f"It leads on {ahead} of {len(rows)}; the best are: {why}.")
