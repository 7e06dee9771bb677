"""``nearwise evaluate``: one file that is split, or a file to learn from and a file to test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nearwise.app.options import Reading
from nearwise.app.splitting import Splitting
from nearwise.errors import InputError

if TYPE_CHECKING:
    from nearwise.app.tables import Cases
    from nearwise.cases.frames import RawColumn, RawTable
    from nearwise.lab.protocols import Protocol

__all__ = ["Task", "task_of"]


@dataclass(frozen=True)
class Task:
    """Cases, what is predicted of them, and which of them are tested."""

    cases: Cases
    table: RawTable
    protocol: Protocol
    title: str


def task_of(
    file: Path | None, train: Path | None, test: Path | None, target: str | None, reading: Reading,
    splitting: Splitting, regression: bool,
) -> Task:  # fmt: skip
    """The task that FILE, or --train and --test, name; the target of TiMBL's formats is the last column."""
    from nearwise.app.tables import read_target

    if (train is None) != (test is None):
        absent = "--test" if test is None else "--train"
        raise InputError(f"{absent} is missing: name --train FILE and --test FILE together.")
    if (file is None) == (train is None):
        raise InputError("Name one FILE, which is split, or --train FILE and --test FILE.")
    named = file if file is not None else train
    if named is None:
        raise AssertionError("one of them is named")
    target = target or _last(named, reading)
    if train is None or test is None:
        cases = read_target(named, reading, target, regression)
        protocol, table = splitting.of(cases.table)
        return Task(cases, table, protocol, f"{named.name}: predicting {target}")
    if splitting != Splitting():
        raise InputError("--train and --test say which cases are tested: leave --cv, --protocol and the like out.")
    return _given_split(train, test, target, reading, regression)


def _last(file: Path, reading: Reading) -> str:
    from nearwise.cases.readers.formats import format_of
    from nearwise.cases.readers.timbl import CLASS, PREFIX

    if format_of(file, reading.format).startswith(PREFIX):
        return CLASS
    raise InputError(f"--target is missing: name the column of {file.name} to predict; `nearwise schema` lists them.")


def _given_split(train: Path, test: Path, target: str, reading: Reading, regression: bool) -> Task:
    """Both files as one table, in which the rows of the second are tested."""
    from nearwise.app.tables import read_cases, read_target
    from nearwise.cases.schema import Schema
    from nearwise.lab.protocols import GivenSplits

    learned = read_target(train, reading, target, regression)
    found = Schema.infer(learned.table, learned.kinds)
    tested = read_cases(test, reading, target, not regression, found if reading.group_by is None else None)
    if regression:
        answers = [*learned.target, *tested.target]
    else:
        answers = [*learned.target, *(v if isinstance(v, str) else str(v) for v in tested.target)]
    table = _joined(learned.table, tested.table, test.name)
    rows = np.arange(table.n)
    protocol = GivenSplits([(rows[: learned.table.n], rows[learned.table.n :])])
    cases = replace(learned, table=table, kinds=learned.kinds if reading.group_by else dict(found), target=answers)
    return Task(cases, table, protocol, f"{train.name} and {test.name}: predicting {target}")


def _joined(first: RawTable, second: RawTable, name: str) -> RawTable:
    """The cases of both tables under the columns of the first; of a sparse file, features of one alone are 0."""
    from nearwise.cases.frames import RawColumn, RawTable

    sparse = "sparse" in (first.match, second.match)
    names = list(dict.fromkeys((*first.names, *second.names)))
    for column in names:
        if not sparse and column not in second.names:
            raise InputError(
                f"{name} has no column {column!r}, which the cases to learn from have. Add it, or --ignore it."
            )
        if not sparse and column not in first.names:
            raise InputError(
                f"{name} has a column {column!r} more than the cases to learn from. Add --ignore {column}."
            )
    columns = []
    for column in names:
        parts = [
            table.column(column) if column in table.names else RawColumn("number", np.zeros(table.n), whole=True)
            for table in (first, second)
        ]
        columns.append(_one(*parts))

    def source(case: int) -> str:
        return first.where(case) if case < first.n else second.where(case - first.n)

    return RawTable(
        tuple(names), tuple(columns), first.n + second.n, None, named=True, match=first.match, source=source
    )


def _one(first: RawColumn, second: RawColumn) -> RawColumn:
    from nearwise.cases.frames import RawColumn
    from nearwise.cases.integers import Lost

    if first.numbers is not None and second.numbers is not None and first.unit == second.unit:
        lost = Lost.joined([(0, first.lost), (len(first.values), second.lost)])
        values = np.concatenate([first.numbers, second.numbers])
        return replace(first, values=values, whole=first.whole and second.whole, lost=lost, written=None)
    sort = first.sort if first.sort == second.sort else "symbol"
    return RawColumn(sort, [*first.objects(), *second.objects()], levels=first.levels)
