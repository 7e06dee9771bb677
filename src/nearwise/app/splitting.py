"""Options for how cases are split into those to learn from and those to test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from nearwise.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from nearwise.cases.frames import RawTable
    from nearwise.lab.protocols import Protocol

__all__ = ["Splitting"]

NAMES = ("k-fold", "random", "leave-one-out")


@dataclass(frozen=True)
class Splitting:
    """Which cases are tested, the same for every method."""

    protocol: Annotated[
        str, typer.Option("--protocol", help="k-fold, random (splits drawn anew) or leave-one-out.")
    ] = "k-fold"
    cv: Annotated[int, typer.Option("--cv", min=2, help="Folds of the cross-validation.")] = 10
    repeats: Annotated[
        int | None, typer.Option("--repeats", min=1, help="How often it is repeated; 1, or 25 random splits.")
    ] = None
    test_size: Annotated[
        float | None, typer.Option("--test-size", help="Of random splits: cases to test, or their share; a third.")
    ] = None
    train_size: Annotated[
        float | None, typer.Option("--train-size", help="Of random splits: cases to learn from, or their share.")
    ] = None
    fold_size: Annotated[
        int | None, typer.Option("--fold-size", min=1, help="Cases in each fold of --cv; left-over cases are unused.")
    ] = None
    fold_column: Annotated[
        str | None, typer.Option("--fold-column", help="A column that names the fold of each case; -1 is never tested.")
    ] = None

    def of(self, table: RawTable) -> tuple[Protocol, RawTable]:
        """The protocol, and the table without the column that names folds."""
        from nearwise.lab.protocols import FixedFolds, GivenFolds, KFold, LeaveOneOut, RandomSplits

        if self.protocol not in NAMES:
            raise InputError(f"--protocol {self.protocol}: there is none. {did_you_mean(self.protocol, NAMES)}")
        if self.fold_column is not None:
            return GivenFolds(_names(table, self.fold_column)), table.drop([self.fold_column])
        if self.fold_size is not None:
            return FixedFolds(self.cv, self.fold_size, self.repeats or 1), table
        if self.protocol == "leave-one-out":
            return LeaveOneOut(), table
        sizes = (_whole(self.test_size), _whole(self.train_size))
        if self.protocol == "random":
            return RandomSplits(self.repeats or RandomSplits.repeats, *sizes), table
        if sizes != (None, None):
            raise InputError("--test-size and --train-size are for --protocol random: say that too, or leave them out.")
        return KFold(self.cv, self.repeats or 1), table


def _names(table: RawTable, column: str) -> list[str | None]:
    """The fold of each case as text; -1 and holes are in no fold."""
    if column not in table.names:
        raise InputError(f"--fold-column {column}: there is no such column. {did_you_mean(column, table.names)}")
    found = [None if value is None else f"{value:g}" if isinstance(value, float) else str(value)
             for value in table.column(column).objects()]  # fmt: skip
    return [None if name in ("-1", "nan") else name for name in found]


def _whole(size: float | None) -> float | int | None:
    """A number of cases as a whole number; a share as it is."""
    return int(size) if size is not None and size >= 1 and size == int(size) else size
