"""A schema: the name, kind, difference and missing policy of every feature, and what of it was guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nearwise.cases.html import schema_table
from nearwise.cases.kinds import KINDS, Kind
from nearwise.errors import SchemaError, did_you_mean
from nearwise.rendering import part_of
from nearwise.visible import visible

__all__ = ["Schema", "as_kind", "as_kinds"]

MOST_SHOWN = 100
"""features that a notebook shows"""


@dataclass(frozen=True, repr=False)
class Schema(Mapping[str, Kind]):
    """Feature name -> kind, in the order of the table.

    ``guessed`` holds the reason for every kind that was inferred, ``ignored`` the columns left out, ``remarks`` what
    a person should look at (a likely identifier, a column without values).

    >>> from nearwise import Numeric, Symbolic
    >>> print(Schema({"age": Numeric(), "zip": Symbolic(missing="value")}))
    feature  kind      difference  missing  why
    age      Numeric   -           -        given
    zip      Symbolic  -           value    given
    """

    kinds: Mapping[str, Kind]
    guessed: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", {str(name): as_kind(kind, str(name)) for name, kind in self.kinds.items()})

    def __repr__(self) -> str:
        """What makes it: the kinds, and what else there is.

        >>> from nearwise import Numeric
        >>> Schema({"age": Numeric()}, ignored=("plate",))
        Schema({'age': Numeric()}, ignored=('plate',))
        """
        more = {name: getattr(self, name) for name in ("guessed", "ignored", "remarks")}
        return f"Schema({', '.join([repr(self.kinds), *(f'{name}={each!r}' for name, each in more.items() if each)])})"

    def __getitem__(self, name: str) -> Kind:
        return self.kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.kinds)

    def with_kinds(self, changes: Mapping[str, Kind]) -> Schema:
        """The same schema with some kinds given by hand."""
        unknown = [name for name in changes if name not in self.kinds]
        if unknown:
            raise SchemaError(
                f"The schema names {unknown[0]!r}, no such feature. {did_you_mean(unknown[0], self.kinds)}"
            )
        guessed = {name: why for name, why in self.guessed.items() if name not in changes}
        return Schema({**self.kinds, **changes}, guessed, self.ignored, self.remarks)

    @classmethod
    def infer(cls, X: Any, schema: Mapping[str, Any] | None = None, ignore: Iterable[str] = ()) -> Schema:
        """The schema that `fit` would use for this table.

        >>> Schema.infer([{"age": 31, "job": "cook"}, {"age": 44, "job": "judge"}])["job"]
        Symbolic()
        """
        from nearwise.cases.table import CaseTable

        return CaseTable.of(X, schema=schema, ignore=ignore).schema

    def to_json(self) -> dict[str, Any]:
        found = {
            "features": {name: kind.to_json() for name, kind in self.kinds.items()},
            "guessed": dict(self.guessed),
            "ignored": list(self.ignored),
            "remarks": dict(self.remarks),
        }
        return found

    @classmethod
    def from_json(cls, found: Mapping[str, Any] | str) -> Schema:
        """Read what `to_json` wrote, as a dict or as text."""
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, lists thousands deep
                raise SchemaError(f"The schema is not JSON: {error}.") from None
        if not isinstance(found, Mapping):
            raise SchemaError(f"A schema is an object of feature names and kinds, got {type(found).__name__}.")
        features = found.get("features", found)
        if not isinstance(features, Mapping):
            raise SchemaError(f"'features' of a schema must be an object, got {type(features).__name__}.")
        if features is found:
            return cls(features)
        return cls(
            features, dict(found.get("guessed", {})), tuple(found.get("ignored", ())), dict(found.get("remarks", {}))
        )

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """(feature, kind with its settings, difference, missing, why) of each feature, as they are shown."""
        found = []
        for name, kind in self.kinds.items():
            why = "guessed: " + self.guessed[name] if name in self.guessed else "given"
            if name in self.remarks:
                why += f" ({self.remarks[name]})"
            apart = ("difference", "missing", "function", "holds")
            settings = [f"{k}={v!r}" for k, v in kind._settings().items() if k not in apart]
            shown = kind.name + (f"({', '.join(settings)})" if settings else "")
            compared = visible(_shown(kind.difference)), visible(_shown(kind.missing))
            found.append((visible(name), visible(shown), *compared, visible(why)))
        return found

    def __str__(self) -> str:
        rows = [("feature", "kind", "difference", "missing", "why"), *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[4]]) for row in rows]
        if self.ignored:
            lines.append("ignored: " + visible(", ".join(self.ignored)))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return part_of(schema_table(self, MOST_SHOWN))


def _shown(setting: Any) -> str:
    return "-" if setting is None else str(setting)


def as_kinds(schema: Any) -> dict[str, Kind]:
    """Kinds by feature from a schema, a dict, or None, which names none.

    >>> as_kinds({"zip": "symbolic"})
    {'zip': Symbolic()}
    """
    if schema is None:
        return {}
    if not isinstance(schema, Mapping):
        raise SchemaError(
            f"schema={schema!r}: expected a dict of kinds by feature name, such as {{'zip': 'symbolic'}}, or a Schema. "
            "Read the file that `nearwise schema FILE --json` wrote with Schema.from_json(text)."
        )
    return {str(name): as_kind(kind, str(name)) for name, kind in schema.items()}


def as_kind(given: Any, name: str = "?") -> Kind:
    """A kind from a kind, its name, or its JSON.

    >>> as_kind("symbolic")
    Symbolic()
    >>> as_kind({"kind": "Cyclic", "period": 24})
    Cyclic(period=24)
    """
    if isinstance(given, Kind):
        return given
    if isinstance(given, type) and issubclass(given, Kind):
        return given()
    settings: dict[str, Any] = {}
    if isinstance(given, Mapping):
        settings = {str(k): v for k, v in given.items()}
        given = settings.pop("kind", None)
    by_name = {kind.lower(): cls for kind, cls in KINDS.items()}
    if not isinstance(given, str) or given.lower() not in by_name:
        raise SchemaError(
            f"The kind of feature {name!r} is {given!r}: expected one of {', '.join(KINDS)}. "
            f"{did_you_mean(str(given), KINDS)}"
        )
    try:
        return by_name[given.lower()](**settings)
    except TypeError as error:
        raise SchemaError(f"The kind of feature {name!r} cannot be made: {error}.") from None
