"""Payne and Edwards, Table 2: five metrics on eight symbolic sets."""

from __future__ import annotations

from nearwise.lab.reproduce.experiment import Experiment, Outcome, cells_of
from nearwise.lab.reproduce.experiments.payne_edwards import SETS, on_set
from nearwise.lab.reproduce.size import Size

__all__ = ["Table2"]


class Table2(Experiment):
    """Overlap, weighted overlap, overlap with value weights, and the two value differences, one neighbour each."""

    id = "payne-edwards-2"
    title = "Overlap and value differences on symbolic sets"
    paper = "payne1998"
    where = "Table 2"
    protocol = (
        "Ten-fold stratified cross-validation, ten times; the mean of the fold rates. One neighbour, drawn at random "
        "from those equally near. Incomplete cases are left out (votes keep ? as a value), every feature is a symbol. "
        "Value weights are those of the query's value; WOM makes one pass with steps of 0.02 and asks all other "
        "training cases."
    )
    control = "OM"

    def run(self, size: Size) -> Outcome:
        rows = ("Lung-cancer",) if size.name == "tiny" else tuple(SETS)
        return Outcome([cell for row in rows for cell in cells_of(row, on_set(row, size))])
