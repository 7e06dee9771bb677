"""Files of cases that a model is asked about: its columns found by name, whole or part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nearwise.app.options import Reading, listed
from nearwise.app.output import say
from nearwise.app.stdin import file_or_stdin
from nearwise.app.tables import labelled, tell_remarks
from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import Set, Symbolic
from nearwise.cases.readers import read
from nearwise.cases.readers.parts import PART, read_parts, rows_of
from nearwise.cases.schema import Schema
from nearwise.errors import SchemaError
from nearwise.estimators.saving import TARGET_NAME

__all__ = ["Asked", "asked_cases", "asked_parts"]


@dataclass(frozen=True)
class Asked:
    """Cases to answer, and the true answers where the file has them."""

    table: RawTable
    truth: list[Any] | None
    before: int
    """cases of the parts before this one"""
    expected: int
    """cases of the whole file, about"""

    def __len__(self) -> int:
        return self.table.n

    def piece(self, rows: range) -> Asked:
        """Cases that follow each other; all are the part itself."""
        if len(rows) == len(self):
            return self
        truth = None if self.truth is None else self.truth[rows.start : rows.stop]
        return Asked(self.table.take(rows), truth, self.before + rows.start, self.expected)


def asked_cases(file: Path, model: Any, reading: Reading) -> RawTable:
    """Queries for a model, its columns found by name. Others, such as the target, are left out and named."""
    return next(asked_parts(file, model, reading, size=None)).table


def asked_parts(
    file: Path, model: Any, reading: Reading, target: str | None = None, size: int | None = PART
) -> Iterator[Asked]:
    """The queries of a file in parts of about ``size`` bytes, None for one; ``target`` is the column of the answers."""
    schema = model.schema_
    vectors = [name for name, kind in schema.items() if isinstance(kind, Set) and kind.members == "vectors"]
    settings: dict[str, Any] = {
        "schema": schema, "ignore": listed(reading.ignore), "group_by": reading.group_by, "keep": listed(reading.keep),
        "set_name": vectors[0] if reading.group_by is not None and vectors else None, **reading.settings(),
    }  # fmt: skip
    said: set[str] = set()
    with file_or_stdin(file, reading.format) as (path, form):
        settings |= {"format": form}
        before = expected = 0
        for table in _tables(path, model, target, settings, size):
            unused = tuple(f"column {name!r} " for name in table.names if name not in schema)
            tell_remarks(each for each in table.remarks if each not in said and not each.startswith(unused))
            said.update(table.remarks)
            found = _under(model, labelled(table, reading.label), target, before == 0)
            truth = table.column(target).objects() if target is not None and target in table.names else None
            expected = expected or (found.n if size is None else rows_of(path, form, found.n, size))
            yield Asked(found, truth, before, max(expected, before + found.n))
            before += found.n


def _tables(
    path: Path, model: Any, target: str | None, settings: dict[str, Any], size: int | None
) -> Iterator[RawTable]:
    """The parts as they are read; classes are texts, as they were when the model learned them."""

    def parts_of(schema: Schema) -> Iterator[RawTable]:
        given = {**settings, "schema": schema}
        return iter([read(path, **given)]) if size is None else read_parts(path, size=size, **given)

    if target is not None and hasattr(model, "classes_"):
        parts = parts_of(Schema({**model.schema_, target: Symbolic()}, model.schema_.guessed))
        try:
            yield next(parts)
        except SchemaError:  # no such column, or another that is missing: it is told below
            pass
        else:
            yield from parts
            return
    try:
        yield from parts_of(model.schema_)
    except SchemaError as error:  # here nobody named a schema
        raise SchemaError(str(error).replace("which schema names", "which the model asks for")) from None


def _under(model: Any, table: RawTable, target: str | None, is_first: bool) -> RawTable:
    """The table under the columns of the model."""
    schema = model.schema_
    known = {*schema, target, getattr(model, TARGET_NAME, None)}
    extra = [name for name in table.names if name not in known]
    if extra and is_first:
        say(f"not used: {', '.join(extra)}")
    one = model.members_[0] if hasattr(model, "members_") else model  # members hold the same cases
    in_parts = hasattr(one, "known")  # no case is at hand, but the levels of all are
    stored = (one.known.summary.empty_table if in_parts else one._fitted().table).columns
    zero = RawColumn("number", np.zeros(table.n), whole=True)  # what a sparse file leaves out
    held = [zero if table.match == "sparse" and name not in table.names else table.column(name) for name in schema]
    columns = tuple(_as_stored(column, typed.levels) for column, typed in zip(held, stored, strict=True))
    return RawTable(schema.names, columns, table.n, table.labels, True, source=table.source)


def _as_stored(column: RawColumn, levels: Sequence[Any] | None) -> RawColumn:
    """A column with its symbols as the model has them: 7 and "7" are one symbol, whatever file they came from."""
    if levels is None or all(isinstance(level, str | bool) for level in levels):
        return column
    known = {str(level): level for level in levels}
    return replace(column, sort="symbol", values=[known.get(str(v), v) for v in column.objects()])
