"""The table of cases: typed columns under a schema, immutable, with a label per case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from nearwise.cases.columns import Column
from nearwise.cases.convert import to_column
from nearwise.cases.frames import RawTable, places, raw_table
from nearwise.cases.infer import infer_kind
from nearwise.cases.kinds import Kind, Ordinal
from nearwise.cases.schema import Schema, as_kinds
from nearwise.errors import InputError, SchemaError, did_you_mean

__all__ = ["MOST_CASES", "CaseTable"]

MOST_CASES = 2**31 - 2
"""cases of one table: the core numbers them in 32 bits"""


@dataclass(frozen=True)
class CaseTable:
    """n cases described by p typed features.

    >>> table = CaseTable.of([{"age": 31, "job": "cook"}, {"age": None, "job": "judge"}])
    >>> len(table), table.schema.names, table.value(1, 0), table.value(1, 1)
    (2, ('age', 'job'), None, 'judge')
    """

    schema: Schema
    columns: tuple[Column, ...]
    n: int
    labels: tuple[Any, ...] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.n > MOST_CASES:
            raise InputError(
                f"The table has {self.n:,} cases: expected at most {MOST_CASES:,}, since they are numbered in 32 bits. "
                "Take a sample of them, or divide them among several models."
            )

    @classmethod
    def of(cls, X: Any, schema: Mapping[str, Any] | None = None, ignore: Iterable[str] = ()) -> Self:
        """Type a table: kinds from ``schema`` where it names them, else inferred."""
        raw = raw_table(X)
        ignored = ignored_names(raw, ignore)
        given = as_kinds(schema)
        raw.check_names(given, "The schema")
        kinds: dict[str, Kind] = {}
        guessed: dict[str, str] = dict(getattr(schema, "guessed", {}))
        remarks: dict[str, str] = {}
        columns = []
        left_out = frozenset(ignored)
        for name, column in zip(raw.names, raw.columns, strict=True):
            if name in left_out:
                continue
            found = infer_kind(column, name, given.get(name))
            kinds[name] = found.kind
            if found.why:
                guessed[name] = found.why
            if found.remark:
                remarks[name] = found.remark
            columns.append(to_column(column, found.kind, name, raw.where))
        return cls(Schema(kinds, guessed, ignored, remarks), tuple(columns), raw.n, raw.labels)

    @classmethod
    def like(cls, X: Any, schema: Schema) -> Self:
        """Type a table of queries or further cases by a schema that is already known, by name."""
        raw = raw_table(X)
        at = {name: j for j, name in enumerate(raw.names)}
        absent = [name for name in schema.names if name not in at]
        if absent:
            raise SchemaError(f"The column {absent[0]!r} is missing. {did_you_mean(absent[0], raw.names)}")
        columns = tuple(to_column(raw.columns[at[name]], kind, name, raw.where) for name, kind in schema.items())
        return cls(schema, columns, raw.n, raw.labels)

    def __len__(self) -> int:
        return self.n

    def value(self, case: int, feature: int) -> Any:
        return self.columns[feature].value(case)

    def label(self, case: int) -> Any:
        """What a person calls this case: its index label, or its position."""
        return case if self.labels is None else self.labels[case]

    def take(self, rows: Any) -> Self:
        rows = places(rows)
        labels = tuple(rows.tolist() if self.labels is None else map(self.labels.__getitem__, rows.tolist()))
        return type(self)(self.schema, tuple(c.take(rows) for c in self.columns), len(rows), labels)

    def keep(self, rows: Any) -> Self:
        """The table as if the other cases had never been there: symbols that no case has any more are gone, too."""
        left = self.take(rows)
        columns = tuple(
            column if isinstance(kind, Ordinal) else column.without_unused_levels()
            for kind, column in zip(self.schema.values(), left.columns, strict=True)
        )
        return replace(left, columns=columns)

    def append(self, other: CaseTable) -> Self:
        if other.schema.names != self.schema.names:
            raise InputError(f"Expected the features {self.schema.names}, got {other.schema.names}.")
        labels = None
        if self.labels is not None or other.labels is not None:
            later = other.labels or range(self.n, self.n + other.n)
            labels = (*(self.labels or range(self.n)), *later)
        for name, a, b in zip(self.schema.names, self.columns, other.columns, strict=True):
            known = a.values.ndim == 2 and not a.missing.all() and not b.missing.all()
            if known and a.values.shape[1] != b.values.shape[1]:
                raise InputError(
                    f"Feature {name!r} holds vectors of {a.values.shape[1]} numbers, the further cases have "
                    f"{b.values.shape[1]}."
                )
        columns = tuple(a.append(b) for a, b in zip(self.columns, other.columns, strict=True))
        return type(self)(self.schema, columns, self.n + other.n, labels)


def left_out(
    X: Any, schema: Mapping[str, Any] | None, ignore: Iterable[str]
) -> tuple[RawTable, Mapping[str, Any] | None]:
    """A table without some of its columns, and the kinds that were given for the others."""
    raw = raw_table(X)
    ignored = frozenset(ignored_names(raw, ignore))
    if not ignored:
        return raw, schema
    given = as_kinds(schema)
    raw.check_names(given, "The schema")
    kinds = {name: kind for name, kind in given.items() if name not in ignored}
    guessed = {name: why for name, why in getattr(schema, "guessed", {}).items() if name in kinds}
    return raw.drop(ignored), Schema(kinds, guessed)


def ignored_names(raw: RawTable, ignore: Iterable[str]) -> tuple[str, ...]:
    """The names of columns to leave out, all of which are there."""
    if isinstance(ignore, str):
        ignore = [ignore]
    if not isinstance(ignore, Iterable):
        raise SchemaError(f"ignore={ignore!r}: expected the name of a column, or a list of names.")
    ignored = tuple(str(name) for name in ignore)
    raw.check_names(ignored, "ignore")
    return ignored
