"""What may be sent, and how much of it. Names that are not known are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "LARGEST_BODY", "MOST_ROWS", "AddCases", "AskNeighbours", "Cancel", "Cases", "ChangeKind", "ChooseMethod",
    "CompareMethods", "Criticise", "ExplainCases", "ForgetCases", "ListCases", "Look", "SetWeights",
]  # fmt: skip

LARGEST_BODY = 1_000_000
"""bytes of a request"""
MOST_ROWS = 1_000
"""cases of a request"""

Name = Annotated[str, Field(max_length=1_000)]
Cell = Annotated[str, Field(max_length=100_000)] | bool | int | float | None | list[Any]
Row = Annotated[dict[Name, Cell], Field(max_length=10_000)]
Rows = Annotated[list[Row], Field(min_length=1, max_length=MOST_ROWS)]
Finite = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
Place = Annotated[int, Field(ge=0, le=2**53)]
Work = Annotated[str, Field(min_length=1, max_length=100)]
Neighbours = Annotated[int, Field(ge=1, le=MOST_ROWS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Condition(_Request):
    """What a case must have in a feature: one value, or numbers between two ends."""

    equals: Cell = None
    from_: Cell = Field(default=None, alias="from")
    to: Cell = None


class Look(_Request):
    """What the page looks at: a stored case by its number or values of its own, a filter, and how much to show."""

    case: Place | None = None
    values: Row | None = None
    without: Place | None = None
    """a stored case that is not counted, such as that which the values were changed from"""
    where: Annotated[dict[Name, Condition], Field(max_length=100)] | None = None
    map: bool = True
    flip: bool = False
    work: Work | None = None
    """a name by which the request can be cancelled"""

    @property
    def query(self) -> Any:
        return self.values if self.case is None else self.case

    @property
    def conditions(self) -> dict[str, Any] | None:
        if not self.where:
            return None
        return {name: each.model_dump(by_alias=True, exclude_unset=True) for name, each in self.where.items()}


class ChangeKind(Look):
    """Another kind for a feature: numeric, symbolic, text, ordinal:low:high or cyclic:24."""

    feature: Name
    kind: Annotated[str, Field(max_length=10_000)]


class ChooseMethod(Look):
    """A method by its id."""

    method: Name


class SetWeights(Look):
    """Weights by hand; features that are not named keep theirs."""

    weights: Annotated[dict[Name, Finite], Field(min_length=1, max_length=10_000)]


class Criticise(Look):
    """The right class of the query, and which features should have counted more or less."""

    correct: Name
    because: Annotated[dict[Name, Literal["more", "less"]], Field(min_length=1, max_length=1_000)]


class CompareMethods(Look):
    """Two methods side by side."""

    methods: Annotated[list[Name], Field(min_length=2, max_length=2)]


class ListCases(Look):
    """A page of the stored cases."""

    first: Place = 0
    most: Annotated[int, Field(ge=1, le=100)] = 20
    only_wrong: bool = False


class Cancel(_Request):
    """Requests that are being worked on, by the name they were sent with."""

    work: Work


class Cases(_Request):
    """Cases to ask about, each an object of values by feature; what is not named is missing."""

    cases: Rows


class ExplainCases(Cases):
    """Cases to explain."""

    n_neighbors: Neighbours | None = None


class AskNeighbours(ExplainCases):
    """Cases whose nearest stored cases are wanted."""


class AddCases(Cases):
    """Cases to store, and the class or the number of each."""

    targets: Annotated[list[str | bool | int | float], Field(min_length=1, max_length=MOST_ROWS)]


class ForgetCases(_Request):
    """Cases to take out, by their ids."""

    ids: Annotated[list[Place], Field(min_length=1, max_length=MOST_ROWS)]
