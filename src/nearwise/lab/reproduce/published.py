"""What the papers printed: ``published.json``, with the page of every table. Only the report reads it."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from nearwise.lab.reproduce.agreement import binomial_error

__all__ = ["Printed", "Table", "table"]


@dataclass(frozen=True)
class Printed:
    """A number as printed."""

    text: str
    error: float
    """standard error: the paper's own, else the binomial one of the cases tested"""

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def digits(self) -> int:
        """Decimals that are printed.

        >>> Printed("77.20", 1.0).digits
        2
        """
        return len(self.text.partition(".")[2])


@dataclass(frozen=True)
class Table:
    """A printed table; ``page`` is where it stands."""

    page: str
    cells: dict[tuple[str, str], Printed]
    remarks: tuple[str, ...] = ()

    def get(self, row: str, column: str) -> Printed | None:
        return self.cells.get((row, column))


NOTHING = Table("", {})


def table(name: str) -> Table:
    """The printed numbers of an experiment; empty where the paper prints a figure only."""
    held = _all().get(name)
    return NOTHING if held is None else _table(held)


@functools.cache
def _all() -> dict[str, Any]:
    text = files("nearwise.lab.reproduce").joinpath("published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _table(held: dict[str, Any]) -> Table:
    """Rows name their cells by column: "82.1", or "82.1±0.4" with the paper's own spread as a standard error."""
    tested = held.get("tested", {})
    cells = {}
    for row, printed in held["rows"].items():
        for column, text in printed.items():
            number, _, error = text.partition("±")
            spread = float(error) if error else binomial_error(float(number), tested.get(row, tested.get("*")))
            cells[row, column] = Printed(number, spread)
    return Table(held["page"], cells, tuple(held.get("remarks", ())))
