"""What a report is made of, worked out within the time that there is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.app.report import Compared
from nearwise.app.reporting.clock import INTERRUPTED, Clock
from nearwise.app.reporting.fitted import BY_CLASS, Explained, Learning, fitted
from nearwise.cases.kinds import Kind
from nearwise.cases.raw import RawTable
from nearwise.cases.table import CaseTable
from nearwise.estimators.by_name import AUTO, DEFAULT
from nearwise.explain import Explanation
from nearwise.lab.advice import advice
from nearwise.lab.entrants import FEW
from nearwise.lab.figures.glance import Glance, Spread, counted, glance_of, spread_of
from nearwise.lab.figures.learned import Learned, learned, nothing
from nearwise.lab.figures.neighbours import ErrorsByK
from nearwise.lab.figures.redundant import Redundancy, redundant
from nearwise.lab.figures.unseen import Unseen, unseen
from nearwise.lab.finished import NoAnswerError
from nearwise.lab.significance import against_first
from nearwise.weights import Weights

__all__ = ["Asked", "Findings", "findings"]

HARD, TYPICAL = 5, 5


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
    compared: Compared | None
    """None where the time did not do for any method"""
    undone: Mapping[str, str]
    """why each method was not compared, where none was"""
    method: str
    """whose answers are shown; empty where none of ours was done"""
    learned: Learned
    by_class: Weights | None
    by_k: list[ErrorsByK]
    unseen: Unseen | None
    redundancy: Redundancy
    hard: list[int]
    typical: list[int]
    """places among the unseen answers"""
    cases: RawTable
    """those that were compared on; rows of `unseen` count in it"""
    numbers: NDArray[np.intp]
    """of these cases in the table that was given"""
    explained: list[Explanation]
    titles: list[str]
    in_time: frozenset[str]
    """which of "explained", "errors" and "class_weights" were done"""
    ended: str
    """why it ended early, if it did"""


def findings(asked: Asked) -> Findings:
    """Look at the table, compare, explain, and weigh in the time that is left."""
    clock = Clock.of(asked.time_limit)
    typed = CaseTable.of(asked.table, schema=asked.kinds)
    kinds = {name: typed.schema[name] for name in typed.schema.names}
    answers = np.asarray(asked.target, dtype=np.float64 if asked.regression else None)
    numbers = _drawn(answers, asked)
    table, target = asked.table.take(numbers), answers[numbers]
    compared, undone, method, answered = None, dict[str, str](), "", None
    try:
        compared = _compared(table, target, kinds, asked, clock)
    except NoAnswerError as error:
        if not error.is_late:
            raise
        undone = dict(error.reasons)
    if compared is not None:
        if compared.comparison.interrupted.startswith("interrupted"):
            clock.ended = INTERRUPTED
        method = _taken(compared)
        classes = None if asked.regression else np.unique(target)
        answered = unseen(compared.comparison, method, classes) if method else None
    learning = Learning(replace(table, source=None), target, kinds, asked.regression, asked.seed)
    places = {int(number): place for place, number in enumerate(numbers)}
    rows = [places[row] if row in places else replace(asked.table.take([row]), source=None) for row in asked.rows]
    found: dict[str, Any] = {}
    with clock.patient():
        found = fitted(learning, DEFAULT if method == AUTO else method, answered, rows, clock.learning, asked.jobs)
    why: Explained | None = found.get("explained")
    glances, until = glance_of(typed), clock.looking
    redundancy = redundant(typed, lambda: time.monotonic() > until)
    hard = [] if answered is None else answered.hardest(HARD).tolist()
    typical = [] if answered is None else _typical(answered, why)
    weights = _learned(learning, asked, clock)  # last, since it makes do with the time that is left
    return Findings(
        asked, glances, spread_of(answers) if asked.regression else counted(_counts(answers)), len(numbers),
        compared, undone, method, weights, found.get("class_weights"), found.get("errors", []), answered, redundancy,
        hard, typical, table, numbers, [] if why is None else why.answers,
        [] if why is None or answered is None else _titles(why, answered, asked, numbers),
        frozenset(found), clock.ended,
    )  # fmt: skip


def _learned(learning: Learning, asked: Asked, clock: Clock) -> Learned:
    """Every method's weights in the time that is left."""
    methods = _methods(asked.regression)
    with clock.patient():
        if not clock.ended:
            found = learned(
                learning.table, learning.target.tolist(), methods, regression=asked.regression,
                schema=dict(learning.kinds), time_limit=clock.left, seed=asked.seed, n_jobs=asked.jobs,
            )  # fmt: skip
            clock.ended = "" if found.is_whole else INTERRUPTED
            return found
    return nothing(dict.fromkeys(methods, "Ctrl-C came before"))


def _typical(answered: Unseen, why: Explained | None) -> list[int]:
    found = answered.typical(np.zeros(len(answered.rows))) if why is None else why.typical
    return found[:TYPICAL]


def _titles(why: Explained, answered: Unseen, asked: Asked, numbers: NDArray[np.intp]) -> list[str]:
    """What to call each explained answer."""
    if asked.rows:
        return [f"Row {row}, which is {asked.target[row]}" for row in asked.rows]
    hard = set(answered.rows[answered.hardest(HARD)].tolist())
    told = [(int(numbers[row]), "hard" if row in hard else "typical") for row in why.rows if isinstance(row, int)]
    return [f"Row {row}, {said}, which is {asked.target[row]}" for row, said in told]


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


def _compared(table: RawTable, target: Any, kinds: Mapping[str, Kind], asked: Asked, clock: Clock) -> Compared:
    from nearwise.lab.protocols import KFold

    methods = [*FEW[asked.regression], *([] if asked.regression else [BY_CLASS])]
    found = Compared.of(
        table, target, methods, protocol=KFold(asked.folds), seed=asked.seed, regression=asked.regression,
        schema=kinds, baselines=True, n_jobs=asked.jobs, budget=max(2.0, clock.comparing / asked.folds),
        time_limit=clock.comparing, give_up=clock.waiting,
    )  # fmt: skip
    comparison = found.comparison
    if len(comparison.tests) > 1 or comparison.measure != "accuracy":
        return found
    differences = against_first(comparison, "mcnemar")  # one split has no spread, but many cases
    return Compared(comparison, differences, take=advice(comparison, differences))


def _taken(compared: Compared) -> str:
    """Whose answers are shown: the method to take, or the best of ours where that is a foreign learner, or none is
    taken; empty where none of ours was done."""
    from nearwise.lab.baselines import BASELINES

    found, take = compared.comparison, compared.take
    ours = [result for result in found.applicable if result.method not in BASELINES]
    if not ours:
        return ""
    names = [result.method for result in ours]
    return take.method if take is not None and take.method in names else max(ours, key=found.merit).method


def _methods(regression: bool) -> list[str]:
    """Every method that ranks features, the quick ones first."""
    from nearwise.weighting import methods

    known = {
        name: made
        for name, made in methods().items()
        if name not in ("user", "ebl", "none") and not (regression and made.needs_classes)
    }
    return sorted(known, key=lambda name: known[name].place.bias != "preset")
