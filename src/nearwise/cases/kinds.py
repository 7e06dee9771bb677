"""The kinds of feature: what sort of values a column holds, and how two of them may differ.

A kind is a small frozen value. It knows how its values are stored (``storage``) and how it is written to and read from
JSON. Which differences serve a kind is said by the differences (`nearwise.differences`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

from nearwise.cases.times import HOLDS, SECONDS
from nearwise.cases.trees import Tree
from nearwise.errors import SchemaError, did_you_mean

__all__ = [
    "CONSTANT", "KINDS", "POLICIES", "Custom", "Cyclic", "Kind", "Numeric", "Ordinal", "Set", "Symbolic", "Text",
    "Vector",
]  # fmt: skip

Storage = Literal["number", "symbol", "vector", "object"]

CONSTANT = ("max", "usual", "value", "error")
"""policies under which a missing value differs by one number from every known one"""
POLICIES = ("max", "usual", "ignore", "value", "mean", "error")
"""What a missing value means for the difference; see DESIGN, "Missing"."""


@dataclass(frozen=True)
class Kind:
    """What sort of values a feature holds.

    ``difference`` names how two values differ (or is a difference object); None takes the estimator's setting for
    this kind. ``missing`` is one of `POLICIES`; None takes the estimator's setting.
    """

    storage: ClassVar[Storage]
    served_by: ClassVar[Callable[[type[Kind]], tuple[str, ...]] | None] = None
    """kind -> names of its differences. The stage of differences sets it when it is loaded; a kind made before
    that is checked when a table is fitted"""

    # by name only, so that Cyclic(24), Ordinal(levels) and Custom(function) say what is their own
    difference: Any = field(default=None, kw_only=True)
    missing: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.missing is not None and self.missing not in POLICIES:
            raise SchemaError(
                f"missing={self.missing!r} of {self.name} is not a policy: expected one of "
                f"{', '.join(POLICIES)}. {did_you_mean(str(self.missing), POLICIES)}"
            )
        if isinstance(self.difference, str) and Kind.served_by is not None:
            known = Kind.served_by(type(self))
            if self.difference not in known:
                raise SchemaError(
                    f"{self.name} has no difference {self.difference!r}. {did_you_mean(self.difference, known)}"
                )

    @property
    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        hidden = {f.name for f in fields(self) if not f.repr}
        shown = (f"{k}={v!r}" for k, v in self._settings().items() if v is not None and k not in hidden)
        return f"{self.name}({', '.join(shown)})"

    def _settings(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def to_json(self) -> dict[str, Any]:
        settings = {k: v.to_json() if hasattr(v, "to_json") else v for k, v in self._settings().items()}
        return {"kind": self.name, **settings}

    def with_(self, **changes: Any) -> Self:
        return replace(self, **changes)


def _holds() -> Any:
    """What a number of time was before it became one: one of `nearwise.cases.times.HOLDS`, or None.

    It only tells how values are written for people, so kinds that differ in nothing else are equal.
    """
    return field(default=None, kw_only=True, compare=False, repr=False)


def _check_holds(kind: Numeric | Cyclic) -> None:
    if kind.holds is None:
        return
    if not isinstance(kind.holds, str) or kind.holds not in HOLDS:
        raise SchemaError(
            f"holds={kind.holds!r} of {kind.name}: expected one of {', '.join(HOLDS)}. "
            f"{did_you_mean(str(kind.holds), HOLDS)}"
        )
    if kind.unit not in SECONDS:
        raise SchemaError(
            f"{kind.name} holds times ({kind.holds}) in the unit {kind.unit!r}: expected one of {', '.join(SECONDS)}."
        )


@dataclass(frozen=True, repr=False)
class Numeric(Kind):
    """A number. Dates and times are numbers too, in a stated ``unit``.

    >>> Numeric(unit="days")
    Numeric(unit='days')
    """

    storage = "number"
    unit: str | None = None
    holds: str | None = _holds()

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_holds(self)


@dataclass(frozen=True, repr=False)
class Cyclic(Kind):
    """A number on a circle: 23 h and 1 h are two hours apart when ``period=24``."""

    storage = "number"
    period: float = 1.0
    unit: str | None = None
    holds: str | None = _holds()

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_holds(self)
        if not (isinstance(self.period, int | float) and 0 < self.period < float("inf")):
            raise SchemaError(f"Cyclic needs a positive, finite period, got {self.period!r}.")


@dataclass(frozen=True, repr=False)
class Symbolic(Kind):
    """A symbol: two values are equal or not, or differ by what they say about the class.

    With a ``tree`` of what is a kind of what (a dict, or the path of an indented text: `nearwise.cases.trees.Tree.of`)
    they differ by their way to the nearest ancestor that they share.

    >>> Symbolic(tree={"animal": {"bird": ["owl", "crow"], "fish": None}})
    Symbolic(tree=Tree('animal' … 'fish', 5 names))
    """

    storage = "symbol"
    tree: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tree is not None:
            object.__setattr__(self, "tree", Tree.of(self.tree))


@dataclass(frozen=True, repr=False)
class Ordinal(Kind):
    """A symbol with an order; ``levels`` lists the values from lowest to highest."""

    storage = "symbol"
    levels: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "levels", tuple(self.levels))
        if len(self.levels) < 2 or len(set(self.levels)) != len(self.levels):
            raise SchemaError(f"Ordinal needs at least two distinct levels, lowest first, got {self.levels!r}.")


@dataclass(frozen=True, repr=False)
class Text(Kind):
    """A string compared letter by letter or word by word."""

    storage = "object"


@dataclass(frozen=True, repr=False)
class Set(Kind):
    """A set of symbols, or a set of vectors of equal length; ``members`` says which ("symbols" or "vectors")."""

    storage = "object"
    members: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.members not in (None, "symbols", "vectors"):
            raise SchemaError(f"members of a Set are 'symbols' or 'vectors', got {self.members!r}.")
        vectors, symbols = ("min", "hausdorff", "average"), ("jaccard", "dice")
        needs = {**dict.fromkeys(vectors, "vectors"), **dict.fromkeys(symbols, "symbols")}
        needed = needs.get(self.difference) if isinstance(self.difference, str) else None
        if needed is not None and self.members is None:
            object.__setattr__(self, "members", needed)
        elif needed is not None and self.members != needed:
            raise SchemaError(f"Set(difference={self.difference!r}) compares sets of {needed}, not of {self.members}.")


@dataclass(frozen=True, repr=False)
class Vector(Kind):
    """Equally many numbers per case, compared as a whole."""

    storage = "vector"


@dataclass(frozen=True, repr=False)
class Custom(Kind):
    """Anything that ``function(a, b) -> number`` can compare.

    With ``vectorised=True`` the function takes two equally long object arrays and returns an array. The function is
    not saved with a model; `nearwise.load(path, functions={feature: f})` hands it back.
    """

    storage = "object"
    function: Callable[[Any, Any], Any] | None = None
    vectorised: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.function is not None and not callable(self.function):
            raise SchemaError(f"Custom needs a function of two values, got {self.function!r}.")

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", repr(self.function))
        return f"Custom({name}{', vectorised=True' if self.vectorised else ''})"

    def to_json(self) -> dict[str, Any]:
        return {k: v for k, v in super().to_json().items() if k != "function"}


KINDS: Mapping[str, type[Kind]] = {
    k.__name__: k for k in (Numeric, Cyclic, Symbolic, Ordinal, Text, Set, Vector, Custom)
}
