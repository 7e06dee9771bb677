"""Howe & Cardie, Table 2: mean difference weighting on top of value differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nearwise import metrics
from nearwise.lab.reproduce.experiment import Cell, Claim, Experiment, Outcome
from nearwise.lab.reproduce.howe_cardie import BINNED, OTHERS, PROTOCOL, TASKS, VALUE, K, cells, differs
from nearwise.lab.reproduce.size import Size

__all__ = ["ValueDifferences"]

METHODS: dict[str, Any] = {
    "MVDM": metrics.MVDM(**K),
    "VDM": metrics.VDM(**K),
    "MDW+MVDM": metrics.MVDM(feature_weights="mdw", **K),
}


class ValueDifferences(Experiment):
    """MVDM, VDM and MDW on top of MVDM, on eight tasks.

    Rules of the claims, with a difference that counts being `howe_cardie.differs`:

    - T2a holds where on at least six of the eight tasks no two of the three differ by as much.
    - T2b holds where the value weights of VDM change no task by as much.
    """

    id = "howe-cardie-2"
    title = "Value differences with and without mean difference weighting"
    paper = "howe1999"
    where = "Table 2"
    protocol = f"{PROTOCOL} Numbers are compared by Fayyad and Irani's intervals, found in the training part."
    control = "MVDM"

    def run(self, size: Size) -> Outcome:
        found = cells(size, METHODS, [*TASKS, VALUE, BINNED])
        return Outcome(found, claims(found, size), notes=[OTHERS])


def claims(found: Sequence[Cell], size: Size) -> list[Claim]:
    """What the paper says in words."""
    at = {(cell.row, cell.column): cell.mean for cell in found}
    tested = {task.row: task.tested(size) for task in TASKS}
    alike = []
    for row, n in tested.items():
        own = [at[row, name] for name in METHODS]
        if not differs(min(own), max(own), n):
            alike.append(row)
    others = [row for row in tested if row not in alike]
    gains = {row: at[row, "VDM"] - at[row, "MVDM"] for row in tested}
    changed = [row for row, n in tested.items() if differs(at[row, "VDM"], at[row, "MVDM"], n)]
    return [
        Claim(
            "T2a", "The three cannot be told apart on six of the eight tasks.", len(alike) >= 6,
            f"They cannot on {len(alike)} of {len(tested)}{'; they can on ' if others else ''}{', '.join(others)}.",
        ),
        Claim(
            "T2b", "The weights of VDM do not help significantly.", not changed,
            f"VDM less MVDM is {min(gains.values()):+.1f} to {max(gains.values()):+.1f} points"
            f"{', clearly so on ' if changed else ''}{', '.join(changed)}.",
        ),
    ]  # fmt: skip
