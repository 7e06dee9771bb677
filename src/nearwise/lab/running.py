"""Cells of one comparison or of many, as they come: those kept on disk first, then some here, the rest in processes.

Cells that belong together, a method on one table, stand or fall together: once one of them is refused or takes longer
than its budget, the others are not asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nearwise.lab.cell import Answers, Cases, answer
from nearwise.lab.entrants import Entrant
from nearwise.lab.kept import Kept
from nearwise.lab.protocols import Split
from nearwise.lab.workers import Task, TimedOut, can_travel, done
from nearwise.search.threads import threads

__all__ = ["Cell", "computed"]

PATIENCE = 2.0
"""seconds of work in this process before others are started, which takes a second"""


@dataclass(frozen=True, eq=False)
class Cell:
    """A method on one split of one table."""

    entrant: Entrant
    cases: Cases
    split: Split
    kept: Kept
    group: Hashable
    """what it stands or falls with: cells of equal groups"""
    function: str = "answer"
    """which function of `nearwise.lab.cell` does it: "answer", or "attempt" where an error must not end the run"""

    def known(self, key: str | None, budget: float | None) -> Answers | None:
        """What is kept of it, judged by this budget: the same budget gives the same marks, whoever computed it."""
        found = self.kept.get(key)
        if found is None or budget is None:
            return None if found is not None and found.over else found
        if found.over:
            return over(budget) if found.over >= budget else None
        return over(budget) if found.seconds > budget else found

    def task(self) -> Task:
        sent = replace(self.cases, table=replace(self.cases.table, source=None))
        return Task("nearwise.lab.cell", self.function, (self.entrant.estimator, self.entrant.ours, sent, self.split))


def over(budget: float) -> Answers:
    """The mark of a cell that took longer than its budget.

    >>> over(20.0).reason
    'It took longer than its budget of 20 s.'
    """
    return Answers(np.zeros(0), seconds=budget, reason=f"It took longer than its budget of {budget:g} s.", over=budget)


def computed(
    cells: Sequence[Cell],
    n_jobs: int | None = None,
    budget: float | None = None,
    enough: Callable[[], bool] | None = None,
) -> Iterator[tuple[int, Answers]]:
    """(place of the cell, what was answered) as they come; cells whose group fell before are left out.

    ``budget`` are the seconds that a cell may take. It is kept in other processes only, so all cells go there but those
    that cannot travel, which have no budget. Once ``enough`` says so, the rest is not asked.
    """
    keys, fallen, rest = {}, set(), []
    for place, cell in enumerate(cells):
        keys[place] = cell.kept.key(cell.entrant, cell.split)
        known = cell.known(keys[place], budget)
        if known is None:
            rest.append(place)
            continue
        if known.reason:
            fallen.add(cell.group)
        yield place, known
    for place, found in _anew(cells, rest, fallen, n_jobs, budget, enough):
        if found.reason:
            fallen.add(cells[place].group)
        cells[place].kept.put(keys[place], found)
        yield place, found


def _anew(
    cells: Sequence[Cell], rest: list[int], fallen: set[Hashable], n_jobs: int | None, budget: float | None,
    enough: Callable[[], bool] | None,
) -> Iterator[tuple[int, Answers]]:  # fmt: skip
    """Here for a while, or for good where one process is all there is; ``fallen`` is looked at before each cell."""
    alone, started = threads(n_jobs) < 2 and budget is None, time.monotonic()
    while rest and not (enough is not None and enough()):
        if not alone and (budget is not None or time.monotonic() - started > PATIENCE):
            movable = [place for place in rest if can_travel(cells[place].entrant.estimator)]
            if movable and (budget is not None or len(movable) > 1):
                yield from _elsewhere(cells, movable, fallen, n_jobs, budget, enough)
                moved = set(movable)
                rest = [place for place in rest if place not in moved]
            alone, budget = True, None
            continue
        place = rest.pop(0)
        cell = cells[place]
        if cell.group not in fallen:
            yield place, answer(cell.entrant.fresh(), cell.entrant.ours, cell.cases, cell.split)


def _elsewhere(
    cells: Sequence[Cell], places: Sequence[int], fallen: set[Hashable], n_jobs: int | None, budget: float | None,
    enough: Callable[[], bool] | None,
) -> Iterator[tuple[int, Answers]]:  # fmt: skip
    sent: list[int] = []

    def tasks() -> Iterator[Task]:
        for place in places:
            if cells[place].group not in fallen:
                sent.append(place)
                yield cells[place].task()

    for at, found in done(tasks(), n_jobs, budget, enough):
        yield sent[at], over(found.seconds) if isinstance(found, TimedOut) else found
