"""The study as it runs: every cell a row, kept on disk, resumed where it stopped.

The first fold of all comes first, so that marks (refused, over budget) and the time that is left are known early.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.datasets.draws import random_rows
from nearwise.errors import InputError
from nearwise.lab.cell import FAILED, Answers
from nearwise.lab.entrants import Entry
from nearwise.lab.kept import Kept
from nearwise.lab.measures import MEASURES, NUMBERS
from nearwise.lab.protocols import KFold, Split
from nearwise.lab.running import Cell, computed
from nearwise.lab.scored import Scorer
from nearwise.lab.study.plan import Plan, Step
from nearwise.lab.study.tables import StudyTable, table_of
from nearwise.progress import span

__all__ = ["COLUMNS", "Study", "run"]

COLUMNS = (
    "part", "set", "at", "target", "method", "fold", "status", *MEASURES, *NUMBERS, "k", "seconds", "cases",
    "features", "reason",
)  # fmt: skip
"""names of a row, in order"""
EVERY = 20.0
"""seconds between two lines about how far it is"""


@dataclass(frozen=True)
class Study:
    """What a run found: a row for every cell that was asked, and what is known of the sets."""

    rows: tuple[Mapping[str, Any], ...]
    tags: Mapping[str, tuple[str, ...]]
    """set -> tags"""
    variants: frozenset[str]
    """sets that are made of others"""
    missing: Mapping[str, str]
    """set -> why it is not here"""
    plan: Plan
    seconds: float = 0.0
    complete: bool = True
    """whether all cells were done; not after Ctrl-C"""


@dataclass
class _Job:
    """A cell to be: what its row says, and how it is scored."""

    told: dict[str, Any]
    cell: Cell
    scorer: Scorer


def run(
    plan: Plan,
    cache_folder: Path | None = None,
    n_jobs: int | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Study:
    """Do all of a plan; Ctrl-C keeps what is there. ``tell`` is told how far it is, and what is left out."""
    started = time.monotonic()
    made = _Prepared(plan, cache_folder)
    rows = list(made.refused)
    for name, why in made.missing.items():
        tell(f"{name} is left out: {why}")
    watch = _Watch(made.jobs, n_jobs, tell)
    complete = True
    try:
        for place, answers in computed([job.cell for job in made.jobs], n_jobs, plan.budget):
            rows.append(_row(made.jobs[place], answers))
            watch.note(place, answers)
    except KeyboardInterrupt:
        complete = False
        tell(f"Interrupted: {len(rows):,} rows are kept; the same command goes on from there.")
    order = {step: i for i, step in enumerate(plan.steps)}
    rank = {name: i for i, name in enumerate({**plan.methods, **plan.telling})}
    rows.sort(key=lambda r: (order[Step(r["part"], r["set"], r["at"])], rank[r["method"]], r["fold"]))
    tables = made.tables
    return Study(
        tuple(rows), {name: table.tags for name, table in tables.items()},
        frozenset(name for name, table in tables.items() if table.is_variant), made.missing, plan,
        time.monotonic() - started, complete,
    )  # fmt: skip


class _Prepared:
    """The cells of a plan, first folds first, and the sets and methods that cannot take part."""

    def __init__(self, plan: Plan, folder: Path | None) -> None:
        self.plan, self.folder = plan, folder
        self.missing: dict[str, str] = {}
        self.refused: list[dict[str, Any]] = []
        self.tables: dict[str, StudyTable] = {}
        for name in dict.fromkeys(step.set for step in plan.steps):
            try:
                self.tables[name] = table_of(name, plan.most)
            except InputError as error:
                self.missing[name] = str(error)
        if not self.tables:
            raise InputError("None of the sets is here: NEARWISE_DATA names the folder that holds them.")
        by_step = [list(self._jobs(step)) for step in plan.steps if step.set in self.tables]
        self.jobs = sorted((job for jobs in by_step for job in jobs), key=lambda job: job.told["fold"])

    def _jobs(self, step: Step) -> Iterator[_Job]:
        plan = self.plan
        table = self.tables[step.set]
        if step.part == "irrelevant":
            table = table.widened(step.at)
        splits = _splits(table, plan, step.at if step.part == "curves" else None)
        scorer = Scorer.of(table.cases, "r2" if table.regression else "accuracy", None, False)
        kept = Kept(self.folder, table.cases)
        told = {
            "part": step.part, "set": step.set, "at": step.at, "target": "number" if table.regression else "class",
            "cases": len(table.cases.target), "features": len(table.schema),
        }  # fmt: skip
        entry = Entry(table.schema, table.regression, plan.seed, {})
        for name, given in plan.of(step).items():
            try:
                entrant = entry.of(name, given)
            except InputError as error:
                self.refused.append({**_empty(told, name, 0), "status": "refused", "reason": str(error)})
                continue
            for fold, split in enumerate(splits):
                cell = Cell(entrant, table.cases, split, kept, (step, name), "attempt")
                yield _Job({**told, "method": name, "fold": fold}, cell, scorer)


def _splits(table: StudyTable, plan: Plan, size: int | None) -> list[Split]:
    """The folds; with ``size`` the same test parts, and the first so many training cases of an order of each fold."""
    target = table.cases.target
    dealt = KFold(plan.folds).splits(np.zeros(len(target)) if table.regression else target, plan.seed)
    if size is None:
        return dealt
    short = min(len(split.train) for split in dealt)
    if size > short + 1:  # folds differ by a case
        raise InputError(f"{table.name} has {short} cases to learn from, fewer than {size}: take smaller sizes.")
    return [Split(_first(split.train, size, fold), split.test) for fold, split in enumerate(dealt)]


def _first(rows: NDArray[np.intp], size: int, seed: int) -> NDArray[np.intp]:
    """Some of the rows, so that fewer are part of more; all of them as they are."""
    if size >= len(rows):
        return rows
    order = np.argsort(random_rows(seed, len(rows), 1)[:, 0], kind="stable")
    return np.sort(rows[order[:size]])


def _empty(told: Mapping[str, Any], method: str, fold: int) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    return {**row, **told, "method": method, "fold": fold, "seconds": 0.0, "reason": ""}


def _row(job: _Job, answers: Answers) -> dict[str, Any]:
    row = {**_empty(job.told, job.told["method"], job.told["fold"]), "seconds": answers.seconds}
    if answers.reason:
        status = "over budget" if answers.over else "failed" if answers.reason.startswith(FAILED) else "refused"
        return {**row, "status": status, "reason": answers.reason}
    scores = job.scorer.of_split(answers, job.cell.split)
    known = {name: value for name, value in scores.items() if math.isfinite(value)}
    return {**row, **known, "status": "answered", "k": answers.k}


class _Watch:
    """Says now and then how far a run is, and what is left by the pace of each method on each table."""

    def __init__(self, jobs: Sequence[_Job], n_jobs: int | None, tell: Callable[[str], None]) -> None:
        from nearwise.search.threads import threads

        self.jobs, self.crew, self.tell = jobs, threads(n_jobs), tell
        self.waiting = set(range(len(jobs)))
        self.folds: dict[Any, list[int]] = {}
        for place, job in enumerate(jobs):
            self.folds.setdefault(job.cell.group, []).append(place)
        self.pace: dict[Any, float] = {}
        self.last, self.spent = time.monotonic(), 0.0

    def note(self, place: int, answers: Answers) -> None:
        group = self.jobs[place].cell.group
        self.waiting.discard(place)
        self.pace[group] = answers.seconds
        self.spent += answers.seconds
        if answers.reason:
            self.waiting.difference_update(self.folds[group])
        passed = time.monotonic() - self.last
        if passed > EVERY:
            done = len(self.jobs) - len(self.waiting)
            busy = max(1.0, passed * self.crew / max(self.spent, 0.01 * passed))  # the clock over the processor's
            self.tell(f"{done:,} of {len(self.jobs):,} cells, about {span(busy * self.left())} left")
            self.last, self.spent = time.monotonic(), 0.0

    def left(self) -> float:
        """Seconds of the crew: a cell takes what its method took on the table, else what on others, else the mean."""
        by_method: dict[str, list[float]] = {}
        for (_, method), seconds in self.pace.items():
            by_method.setdefault(method, []).append(seconds)
        usual = {method: sum(held) / len(held) for method, held in by_method.items()}
        mean = sum(usual.values()) / max(1, len(usual))
        groups = [(self.jobs[place].cell.group, self.jobs[place].told["method"]) for place in self.waiting]
        return sum(self.pace.get(group, usual.get(method, mean)) for group, method in groups) / self.crew
