"""Published and obtained side by side, with the class of agreement of every cell."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from nearwise.lab.reproduce.agreement import CLASSES, agreement
from nearwise.lab.reproduce.experiment import Cell, Experiment, Outcome
from nearwise.lab.reproduce.published import Printed, Table, table
from nearwise.lab.reproduce.size import Size

__all__ = ["Found", "Pair", "reproduce"]


@dataclass(frozen=True)
class Pair:
    """A cell beside what was printed for it."""

    cell: Cell
    printed: Printed | None
    agreement: str

    def to_json(self) -> dict[str, Any]:
        cell = self.cell
        return {
            "row": cell.row, "column": cell.column,
            "published": None if self.printed is None else self.printed.value,
            "published_error": None if self.printed is None else self.printed.error,
            "obtained": cell.mean, "spread": cell.error, "honest": cell.honest, "honest_spread": cell.honest_error,
            "agreement": self.agreement, "note": cell.note,
        }  # fmt: skip


@dataclass(frozen=True)
class Found:
    """An experiment, what it gave, and what the paper printed."""

    experiment: Experiment
    size: Size
    outcome: Outcome
    printed: Table
    seconds: float

    @property
    def pairs(self) -> list[Pair]:
        return [self._pair(cell) for cell in self.outcome.cells]

    def _pair(self, cell: Cell) -> Pair:
        own = self.printed.get(cell.row, cell.column)
        if own is None:
            return Pair(cell, None, agreement(None, 0, 0.0, cell.mean, cell.error))
        error = self._printed_error(cell, own)
        verdict = agreement(own.value, own.digits, error, cell.mean, cell.error, self._effects(cell, own))
        return Pair(cell, Printed(own.text, error), verdict)

    def _printed_error(self, cell: Cell, own: Printed) -> float:
        """That of the number; a difference to the control has its own spread and the control's, taken as equal."""
        control = self.printed.get(cell.row, self.experiment.control_of(cell.column))
        if not self.experiment.relative or control is None:
            return own.error
        return math.sqrt(2) * control.error

    def _effects(self, cell: Cell, own: Printed) -> tuple[float, float] | None:
        """Published and obtained difference to the control of the row."""
        control = self.experiment.control_of(cell.column)
        if self.experiment.relative and control:
            return own.value, cell.mean
        printed = self.printed.get(cell.row, control)
        obtained = next((c for c in self.outcome.cells if (c.row, c.column) == (cell.row, control)), None)
        if not control or printed is None or obtained is None:
            return None
        return own.value - printed.value, cell.mean - obtained.mean

    @property
    def counts(self) -> dict[str, int]:
        """How many cells are of each class of agreement."""
        counted = Counter(pair.agreement for pair in self.pairs)
        return {name: counted[name] for name in CLASSES if counted[name]}

    def to_json(self) -> dict[str, Any]:
        made = self.experiment
        return {
            "id": made.id, "title": made.title, "paper": made.paper, "where": made.where, "page": self.printed.page,
            "protocol": made.protocol, "control": made.control, "unit": made.unit, "size": self.size.name,
            "seed": self.size.seed, "seconds": self.seconds, "counts": self.counts,
            "cells": [pair.to_json() for pair in self.pairs],
            "claims": [asdict(claim) for claim in self.outcome.claims],
            "figure": [{"title": t, "curves": [asdict(c) for c in curves]} for t, curves in self.outcome.curves],
            "notes": [*self.outcome.notes, *self.printed.remarks],
        }  # fmt: skip


def reproduce(experiment: Experiment, size: Size) -> Found:
    """Run an experiment, then look up what was printed."""
    started = time.perf_counter()
    outcome = experiment.run(size)
    return Found(experiment, size, outcome, table(experiment.id), time.perf_counter() - started)
