"""The contract of an engine: the k nearest stored cases of each query, exact, with what ties at the k-th place.

Engines rank by (sum, index), where the sum is the one of `nearwise.differences.metric`. A tie is a relative
difference of at most `TIE` from the k-th sum, anchored there and never chained. A tie group can be all n cases, so
engines return its size and the sums of a `Payload` over it, not its members.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured, Metric
from nearwise.search.orders import Order
from nearwise.weights import Stored, Weights

__all__ = ["TIE", "Cost", "Distance", "Engine", "Levels", "Neighbours", "Payload"]

TIE = 1e-12

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Distance:
    """What an engine searches under: the metric, the weights, and the stored cases."""

    metric: Metric
    weights: Weights
    stored: Stored

    def __post_init__(self) -> None:
        if self.stored.metric is not self.metric:  # weights may go by how values differ
            object.__setattr__(self, "stored", replace(self.stored, metric=self.metric))


@dataclass(frozen=True)
class Payload:
    """Numbers to add up over a tie group: ``values`` (n, v) of each case into row ``codes`` (n,) of (g, v)."""

    codes: NDArray[np.intp] | NDArray[np.int32]
    values: Floats
    n_groups: int

    @classmethod
    def nothing(cls, n: int) -> Self:
        """For a search that only asks who is near."""
        return cls(np.zeros(n, dtype=np.int32), np.empty((n, 0)), 1)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_groups, self.values.shape[1]

    @property
    def packed(self) -> tuple[NDArray[np.int32], Floats, int]:
        """Codes, values and the number of groups as the kernels take them."""
        codes = np.ascontiguousarray(self.codes, dtype=np.int32)
        return codes, np.ascontiguousarray(self.values, dtype=np.float64), self.n_groups

    def of(self, cases: NDArray[Any]) -> Payload:
        """The payload of some cases."""
        return Payload(self.codes[cases], self.values[cases], self.n_groups)

    def sum(self, rows: NDArray[Any]) -> Floats:
        """(g, v) added up over some cases."""
        codes = self.codes[rows]
        out = [np.bincount(codes, weights=column, minlength=self.n_groups) for column in self.values[rows].T]
        return np.stack(out, axis=1) if out else np.zeros(self.shape)


@dataclass(frozen=True)
class Neighbours:
    """The k nearest of m queries, by (sum, index); places that no case fills hold inf and -1."""

    sums: Floats
    """(m, k) sums before the root, ascending"""
    indices: Ints
    """(m, k)"""
    inside: Ints
    """(m,) cases nearer than the tie group of the k-th place"""
    tied: Ints
    """(m,) cases in the tie group"""
    tie_sums: Floats
    """(m, g, v) the payload over the tie group"""

    def take(self, rows: Ints | slice) -> Neighbours:
        """What was found for some of the queries."""
        one = (self.sums[rows], self.indices[rows], self.inside[rows], self.tied[rows], self.tie_sums[rows])
        return Neighbours(*one)

    def put(self, rows: Ints | slice, found: Neighbours) -> None:
        """Fill in what was found for some of the queries; where these are a run, without looking at each."""
        if (
            not isinstance(rows, slice)
            and len(rows)
            and rows[-1] - rows[0] == len(rows) - 1
            and (np.diff(rows) == 1).all()
        ):
            rows = slice(int(rows[0]), int(rows[-1]) + 1)
        self.sums[rows], self.indices[rows] = found.sums, found.indices
        self.inside[rows], self.tied[rows], self.tie_sums[rows] = found.inside, found.tied, found.tie_sums


@dataclass(frozen=True)
class Cost:
    """What a query is expected to take; only the ratios of two costs count."""

    nanoseconds: float
    why: str = "it would be slower"


@dataclass(frozen=True)
class Levels:
    """The k smallest distinct sums of m queries and the payload of all cases at each of them."""

    sums: Floats
    """(m, k) ascending, inf where there are fewer"""
    counts: Ints
    """(m, k)"""
    payload: Floats
    """(m, k, g, v)"""


class Engine(ABC):
    """An exact search over stored cases. Immutable once built, so several threads may search at once."""

    name: ClassVar[str]
    nanoseconds: ClassVar[float]
    """what comparing one feature of two cases takes, measured on numbers"""
    note: str = ""
    """what `Plan.describe` should say about this engine, such as what a probe found"""

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        self.distance = distance
        self.threads = max(1, threads)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was built from: native indexes are built anew."""
        return type(self), (self.distance, self.threads)

    @classmethod
    def by(cls, distance: Distance, threads: int, orders: Mapping[str, Order]) -> Self:
        """The engine by the `orders` of an earlier one, where it has any."""
        return cls(distance, threads)

    def orders(self) -> dict[str, Order]:
        """In which order its indexes have the cases, by their names; nothing where building them takes no sorting."""
        return {}

    @classmethod
    @abstractmethod
    def refuses(cls, distance: Distance) -> str:
        """Why this engine cannot serve a distance; empty where it can."""

    @classmethod
    def cost(cls, distance: Distance) -> Cost:
        """What a query will take: by default that of comparing every feature with every stored case."""
        return Cost(cls.nanoseconds * len(distance.stored) * max(1, len(distance.metric.measures)))

    def under(self, weights: Weights) -> Engine:
        """The same cases under weights that come with other queries; what was built over the cases stays."""
        return type(self)(Distance(self.distance.metric, weights, self.distance.stored), self.threads)

    def _sharing(self, weights: Weights) -> Self:
        """A shallow copy with other weights: what was built over the cases is that of the original."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.distance = Distance(self.distance.metric, weights, self.distance.stored)
        return other

    def settled(self, queries: Measured, leave_out: Ints | None = None) -> Engine:
        """The engine with the weights of these queries worked out, where they depend on the query; else itself."""
        return self

    @abstractmethod
    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        """The k nearest of each query; ``leave_out`` (m,) names a stored case to skip per query, or -1."""

    def nearest_up_to(
        self, queries: Measured, k: int, payload: Payload, reach: Floats, leave_out: Ints | None = None
    ) -> Neighbours:
        """The same, where cases beyond a sum ``reach`` (m,) and what ties with it need not be listed.

        At least the nearest up to there are. An engine that cannot make use of it lists all.
        """
        return self.nearest(queries, k, payload, leave_out)

    @abstractmethod
    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        """The cases at the k smallest distinct sums of each query."""

    @abstractmethod
    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        """Per query, sums and indices of all cases with a sum of at most its limit (m,), by (sum, index)."""

    @abstractmethod
    def sums(self, queries: Measured) -> Floats:
        """(m, n) all sums; for a few queries only."""
