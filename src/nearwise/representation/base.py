"""The contract of a representation: it looks at the training cases once, then rewrites any table of such cases.

``Representation`` holds settings, ``Represented`` what was learned: the schema of the tables it takes, and how their
columns become others. Estimators, explanations and model files see the columns that come out, by their names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target

__all__ = ["Representation", "Represented", "with_columns"]


@dataclass(frozen=True)
class Representation(ABC):
    """Settings of a representation."""

    id: ClassVar[str]

    @abstractmethod
    def fit(self, table: CaseTable, target: Target, seed: int = 0) -> Represented:
        """Learn from typed cases and their target."""


@dataclass(frozen=True)
class Represented(ABC):
    """What a representation has learned."""

    id: ClassVar[str]
    schema: Schema
    """of the tables that come in"""

    @property
    @abstractmethod
    def names_out(self) -> tuple[str, ...]:
        """The features that come out."""

    @abstractmethod
    def apply(self, table: CaseTable) -> CaseTable:
        """The same cases under the features that come out."""

    @abstractmethod
    def shared_out(self, importances: NDArray[np.float64]) -> NDArray[np.float64]:
        """(given features,) how much each counts, from (features that come out,)."""

    @abstractmethod
    def describe(self) -> str:
        """What the new features are, for people."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What a model file keeps besides the schema: arrays, texts and numbers by name."""

    @classmethod
    @abstractmethod
    def restored(cls, schema: Schema, state: Mapping[str, Any]) -> Self:
        """What `state` described; wrong content is a ValueError."""


def with_columns(table: CaseTable, kept: list[str], new: Mapping[str, tuple[Kind, Column]]) -> CaseTable:
    """A table with some of its columns and new ones after them."""
    at = {name: f for f, name in enumerate(table.schema.names)}
    kinds: dict[str, Kind] = {name: table.schema[name] for name in kept}
    columns = [table.columns[at[name]] for name in kept]
    for name, (kind, column) in new.items():
        kinds[name] = kind
        columns.append(column)
    old = table.schema
    guessed = {name: why for name, why in old.guessed.items() if name in kinds}
    remarks = {name: why for name, why in old.remarks.items() if name in kinds}
    return CaseTable(Schema(kinds, guessed, old.ignored, remarks), tuple(columns), len(table), table.labels)
