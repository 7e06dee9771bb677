"""What the experiments of Payne and Edwards share: five metrics, eight symbolic sets, and LED displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearwise import metrics
from nearwise.cases.kinds import Symbolic
from nearwise.datasets import load, make_led
from nearwise.datasets.led import SEGMENTS
from nearwise.lab.protocols import GivenSplits, KFold
from nearwise.lab.reproduce.size import Size
from nearwise.lab.result import Comparison

__all__ = ["COLUMNS", "IRRELEVANT", "SETS", "complete_rows", "on_led", "on_set", "repetition_means", "scores_of"]

SETS = {
    "Breast-cancer": "breast-cancer", "Lung-cancer": "lung-cancer", "Lymphography": "lymphography",
    "Primary-tumor": "primary-tumor", "Promoters": "promoters", "Tic-tac-toe": "tic-tac-toe", "Votes": "votes",
    "Zoo": "zoo",
}  # fmt: skip
"""rows of Table 2, and the sets that they are"""
COLUMNS: dict[str, Any] = {
    "OM": metrics.OM(),
    "WOM": metrics.OM(feature_weights="wom"),
    "OMVW": metrics.OMVW(),
    "MVDM": metrics.MVDM(),
    "VDM": metrics.VDM(),
}
NEAREST = {"n_neighbors": 1, "ties": "random"}
"""one neighbour, drawn from those that are equally near"""
IRRELEVANT = 17
CASES = 200


def on_set(row: str, size: Size) -> Comparison:
    """The metrics on a set of Table 2: incomplete cases left out, every feature a symbol."""
    data = load(SETS[row])
    whole = complete_rows(data.X)
    kinds = {name: Symbolic() for name in data.X.names}
    protocol = KFold(size.times(10, 10, 3), size.times(10, 1, 1))
    return size.compare(data.X.take(whole), data.y[whole], COLUMNS, protocol, schema=kinds, **NEAREST)


def complete_rows(table: Any) -> Any:
    """The rows without a missing value."""
    holes = np.array([[value is None or value != value for value in column.objects()] for column in table.columns])
    return np.flatnonzero(~holes.any(axis=0))


def on_led(irrelevant: int, size: Size) -> Comparison:
    """The metrics on displays with some irrelevant segments: ten folds of 200 cases, in every one of ten drawings.

    All drawings are in one table, and no split crosses them. Displays are drawn with 17 irrelevant segments, of which
    the first ones are kept, so that numbers of segments differ in nothing else.
    """
    n, folds, times = size.times(CASES, CASES, 60), size.times(10, 10, 3), repetitions(size)
    cases: list[dict[str, Any]] = []
    digits: list[str] = []
    pairs = []
    for repetition in range(times):
        drawn, shown = make_led(n, IRRELEVANT, seed=1_000 * size.seed + repetition)
        names = list(drawn[0])[: len(SEGMENTS) + irrelevant]
        splits = KFold(folds).splits(np.array(shown), size.seed)
        pairs += [(split.train + len(cases), split.test + len(cases)) for split in splits]
        cases += [{name: case[name] for name in names} for case in drawn]
        digits += shown
    return size.compare(cases, digits, COLUMNS, GivenSplits(pairs), **NEAREST)


def repetitions(size: Size) -> int:
    """Drawings of the displays."""
    return size.times(10, 3, 2)


def scores_of(found: Comparison, column: str) -> Sequence[float]:
    """What a metric got right in each split, in percent."""
    return [100 * score for score in found[column].scores]


def repetition_means(found: Comparison, column: str, size: Size) -> list[float]:
    """What a metric got right in each drawing, in percent."""
    return [float(mean) for mean in np.reshape(scores_of(found, column), (repetitions(size), -1)).mean(axis=1)]
