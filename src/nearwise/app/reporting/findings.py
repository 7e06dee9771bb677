"""What a report is made of, worked out within the time that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.app.output import say
from nearwise.app.report import Compared
from nearwise.cases.kinds import Kind
from nearwise.cases.raw import RawTable
from nearwise.cases.table import CaseTable
from nearwise.errors import NearwiseError
from nearwise.estimators.by_name import AUTO, DEFAULT, by_name
from nearwise.estimators.searching import StoredCases
from nearwise.explain import Explanation
from nearwise.lab.cell import Cases
from nearwise.lab.entrants import FEW
from nearwise.lab.figures.glance import Glance, Spread, counted, glance_of, spread_of
from nearwise.lab.figures.learned import Learned, learned
from nearwise.lab.figures.neighbours import ErrorsByK, errors_by_k
from nearwise.lab.figures.redundant import Pair, redundant
from nearwise.lab.figures.unseen import Unseen, unseen
from nearwise.lab.splits import Split
from nearwise.weights import Weights

__all__ = ["Asked", "Findings", "findings"]

HARD, TYPICAL = 5, 5
COMPARING, WEIGHING = 0.35, 0.4
"""shares of the time: what the comparison should take, and what the weights may"""
SOON = 5.0
"""seconds for the weights of a report that was interrupted"""
BY_CLASS = "mdw"
"""the method whose weights are shown class by class"""


@dataclass(frozen=True)
class Asked:
    """A table, what to predict of it, and how long to look at it."""

    table: RawTable
    target: Sequence[Any]
    kinds: Mapping[str, Kind]
    target_name: str
    regression: bool
    time_limit: float
    cases: int
    folds: int
    jobs: int | None
    seed: int
    rows: tuple[int, ...]
    """of the table, to explain"""


@dataclass(frozen=True)
class Findings:
    """Everything that the page shows."""

    asked: Asked
    glances: list[Glance]
    target: Spread | None
    measured_on: int
    """cases that were compared on"""
    compared: Compared
    method: str
    """whose answers are shown"""
    learned: Learned
    by_class: Weights | None
    by_k: list[ErrorsByK]
    unseen: Unseen
    pairs: list[Pair]
    hard: list[int]
    typical: list[int]
    """places among the unseen answers"""
    cases: RawTable
    """those that were compared on; rows of `unseen` count in it"""
    numbers: NDArray[np.intp]
    """of these cases in the table that was given"""
    explained: list[Explanation]
    titles: list[str]


def findings(asked: Asked) -> Findings:
    """Look at the table, compare, weigh, and explain."""
    typed = CaseTable.of(asked.table, schema=asked.kinds)
    kinds = {name: typed.schema[name] for name in typed.schema.names}
    glances = glance_of(typed)
    answers = np.asarray(asked.target, dtype=np.float64 if asked.regression else None)
    numbers = _drawn(answers, asked)
    table, target = asked.table.take(numbers), answers[numbers]
    if len(numbers) < len(answers):
        say(f"{len(numbers)} of {len(answers)} cases are drawn to measure by (--cases).")
    compared = _compared(table, target, kinds, asked)
    method = _taken(compared)
    weights = learned(
        table, target.tolist(), _methods(asked.regression), regression=asked.regression, schema=kinds,
        time_limit=_left(asked, compared), seed=asked.seed, n_jobs=asked.jobs,
    )  # fmt: skip
    shared: Any = {"schema": kinds, "random_state": asked.seed}
    cases = Cases(table, target, None if asked.regression else np.unique(target))
    answered = unseen(cases, by_name(method, asked.regression, **shared), _splits(compared, len(target)))
    model = by_name(DEFAULT if method == AUTO else method, asked.regression, **shared).fit(table, target)
    near = model.kneighbors(n_neighbors=min(5, len(target) - 1))[0].mean(axis=1)[answered.rows]
    hard, typical = answered.hardest(HARD).tolist(), answered.typical(near)[:TYPICAL]
    explained, titles = _explained(model, asked, answered, (hard, typical), numbers)
    return Findings(
        asked, glances, spread_of(answers) if asked.regression else counted(_counts(answers)), len(numbers), compared,
        method, weights, _by_class(table, target, kinds, asked),
        errors_by_k(table, target, _shown_by_k(asked.regression), asked.regression, kinds, asked.seed), answered,
        redundant(typed), hard, typical, table, numbers, explained, titles,
    )  # fmt: skip


def _left(asked: Asked, compared: Compared) -> float:
    """Seconds for the weights; who has interrupted the comparison wants the page soon."""
    return min(SOON, WEIGHING * asked.time_limit) if compared.comparison.interrupted else WEIGHING * asked.time_limit


def _counts(answers: NDArray[Any]) -> dict[str, int]:
    found, counts = np.unique(answers, return_counts=True)
    return dict(zip(map(str, found), counts.tolist(), strict=True))


def _drawn(answers: NDArray[Any], asked: Asked) -> NDArray[np.intp]:
    """Rows to measure by: all, or so many that are drawn, of each class its share."""
    n = len(answers)
    if n <= asked.cases:
        return np.arange(n)
    chance = np.random.default_rng(asked.seed)
    if asked.regression:
        return np.sort(chance.permutation(n)[: asked.cases])
    order = chance.permutation(n)
    kept = []
    for each in np.unique(answers):
        own = order[answers[order] == each]
        kept.append(own[: max(2, round(len(own) * asked.cases / n))])
    return np.sort(np.concatenate(kept))


def _compared(table: RawTable, target: Any, kinds: Mapping[str, Kind], asked: Asked) -> Compared:
    from nearwise.lab.protocols import KFold

    methods = [*FEW[asked.regression], *([] if asked.regression else [BY_CLASS])]
    return Compared.of(
        table, target, methods, protocol=KFold(asked.folds), seed=asked.seed, regression=asked.regression,
        schema=kinds, baselines=True, n_jobs=asked.jobs, budget=max(2.0, COMPARING * asked.time_limit / asked.folds),
    )  # fmt: skip


def _taken(compared: Compared) -> str:
    """Whose answers are shown: the method to take, or the best of ours where that is a foreign learner, or none."""
    from nearwise.lab.baselines import BASELINES

    found = compared.comparison
    if compared.take is not None and compared.take.method is not None and compared.take.method not in BASELINES:
        return compared.take.method
    return max((r for r in found.applicable if r.method not in BASELINES), key=found.merit).method


def _methods(regression: bool) -> list[str]:
    """Every method that ranks features, the quick ones first."""
    from nearwise.weighting import methods

    known = {
        name: made
        for name, made in methods().items()
        if name not in ("user", "ebl", "none") and not (regression and made.needs_classes)
    }
    return sorted(known, key=lambda name: known[name].place.bias != "preset")


def _shown_by_k(regression: bool) -> list[str]:
    return ["none", "corr" if regression else "gr"]


def _splits(compared: Compared, n: int) -> list[Split]:
    """Those of the comparison."""
    everyone = np.arange(n)
    return [Split(np.setdiff1d(everyone, test), test) for test in compared.comparison.tests]


def _by_class(table: RawTable, target: Any, kinds: Mapping[str, Kind], asked: Asked) -> Weights | None:
    if asked.regression:
        return None
    try:
        model = by_name(BY_CLASS, schema=kinds, random_state=asked.seed, n_neighbors=1).fit(table, target)
    except NearwiseError:
        return None
    found: Weights = model.feature_weights_
    return found if found.shape == "per-class" else None


def _explained(
    model: Any, asked: Asked, answered: Unseen, places: tuple[list[int], list[int]], numbers: NDArray[np.intp]
) -> tuple[list[Explanation], list[str]]:
    """Answers of stored cases that are left out, and of rows that were not drawn."""
    hard, typical = places
    if asked.rows:
        stored = {int(number): place for place, number in enumerate(numbers)}
        found, titles = [], []
        for row in asked.rows:
            query = StoredCases([stored[row]]) if row in stored else asked.table.take([row])
            found += list(model.explain(query))
            titles.append(f"Row {row}, which is {asked.target[row]}")
        return found, titles
    rows = [int(answered.rows[place]) for place in (*hard[:3], *typical[:3])]
    what = ["hard"] * len(hard[:3]) + ["typical"] * len(typical[:3])
    titles = [
        f"Row {numbers[row]}, {said}, which is {asked.target[int(numbers[row])]}"
        for row, said in zip(rows, what, strict=True)
    ]
    return list(model.explain(StoredCases(rows))) if rows else [], titles
