"""How much each neighbour's vote counts, by its distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import exp, power
from nearwise.errors import InputError, did_you_mean
from nearwise.search.base import TIE, Floats

__all__ = [
    "VOTES", "Exponential", "Gaussian", "InverseDistance", "InverseLinear", "Majority", "Triangle", "Vote", "get",
]  # fmt: skip


class Vote(ABC):
    """How much a neighbour's vote counts, by its distance."""

    name: ClassVar[str]
    adaptive: ClassVar[bool] = False
    """whether the weight of a place depends on how far the last one is, and so on k"""
    absolute: ClassVar[bool] = False
    """whether votes change when all distances are multiplied by the same number"""

    @abstractmethod
    def kernel(self, distances: Floats) -> Floats:
        """(m, k) weights of distances that ascend along a row; inf marks an empty place."""


@dataclass(frozen=True)
class Majority(Vote):
    """Every neighbour counts the same."""

    name = "majority"

    def kernel(self, distances: Floats) -> Floats:
        return np.ones_like(distances)


@dataclass(frozen=True)
class InverseDistance(Vote):
    """1/d; where neighbours are at distance 0, they alone vote, equally (Reading K1, the limit of 1/d).

    >>> InverseDistance().kernel(np.array([[0.5, 2.0], [0.0, 2.0]]))
    array([[2. , 0.5],
           [1. , 0. ]])
    """

    name = "distance"

    def kernel(self, distances: Floats) -> Floats:
        same = distances == 0
        nearest = distances[:, :1]
        # relative to the nearest, so that tiny distances do not overflow; a common factor changes no vote share
        with np.errstate(over="ignore"):
            weights = np.divide(1.0, distances, out=np.zeros_like(distances), where=~same)
        huge = ~np.isfinite(weights).all(axis=1)
        if huge.any():
            weights[huge] = nearest[huge] / np.where(same[huge], 1.0, distances[huge])
        exact = same.any(axis=1)
        weights[exact] = same[exact]
        return weights


@dataclass(frozen=True)
class InverseLinear(Vote):
    """(d_k - d) / (d_k - d_1): the nearest counts 1, the k-th 0 (Dudani). All count 1 where all are equally far."""

    name = "linear"
    adaptive = True

    def kernel(self, distances: Floats) -> Floats:
        filled, last = _last(distances)
        first = distances[:, :1]
        spread = last - first
        flat = ~(spread > TIE * last)
        with np.errstate(invalid="ignore"):
            weights = (last - distances) / np.where(flat, 1.0, spread)
        return np.where(flat, 1.0, np.where(filled, weights, 0.0))


def _last(distances: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """(m, k) the places that are filled, and (m, 1) the distance of the last of them."""
    filled = np.isfinite(distances)
    return filled, np.where(filled, distances, -np.inf).max(axis=1, keepdims=True)


def _relative(fall: Floats, distances: Floats) -> Floats:
    """exp(-fall) over that of the nearest, so that some vote is 1 however far all are; ``fall`` may be infinite.

    Distances that tie with the nearest count 1: far out, rounding alone would make one of them e times as heavy.
    """
    nearest = distances[:, :1]
    with np.errstate(over="ignore", invalid="ignore"):
        weights = exp(fall[:, :1] - fall)  # not a number where both are infinite, and then the farther one counts 0
        tied = distances <= nearest + TIE * nearest
    return np.where(tied, 1.0, np.where(np.isnan(weights), 0.0, weights))


@dataclass(frozen=True)
class Triangle(Vote):
    """1 - d / d_k: the k-th neighbour only marks how far the others reach. All count 1 where all are equally far.

    Cases that tie at the last place have no vote, so it does not matter which of them is listed.

    >>> Triangle().kernel(np.array([[0.0, 1.0, 4.0], [2.0, 2.0, 2.0]]))
    array([[1.  , 0.75, 0.  ],
           [1.  , 1.  , 1.  ]])
    """

    name = "triangle"
    adaptive = True

    def kernel(self, distances: Floats) -> Floats:
        filled, last = _last(distances)
        flat = ~(last - distances[:, :1] > TIE * last)
        with np.errstate(invalid="ignore"):
            weights = 1.0 - distances / np.where(flat, 1.0, last)
        return np.where(flat, 1.0, np.where(filled, np.maximum(weights, 0.0), 0.0))


@dataclass(frozen=True)
class Exponential(Vote):
    """exp(-alpha d^beta)."""

    name = "exponential"
    absolute = True
    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        if not (self.alpha > 0 and self.beta > 0):
            raise InputError(f"alpha and beta of an exponential vote are positive, got {self.alpha!r}, {self.beta!r}.")

    def kernel(self, distances: Floats) -> Floats:
        with np.errstate(over="ignore"):
            fall = self.alpha * power(distances, self.beta)
        return _relative(fall, distances)


@dataclass(frozen=True)
class Gaussian(Vote):
    """exp(-(d/h)^2 / 2) with bandwidth h, by default the distance of the k-th neighbour."""

    name = "gaussian"
    adaptive = True
    absolute = True
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        if self.bandwidth is not None and not self.bandwidth > 0:
            raise InputError(f"The bandwidth of a Gaussian vote is positive, got {self.bandwidth!r}.")

    def kernel(self, distances: Floats) -> Floats:
        filled, last = _last(distances)
        width = last if self.bandwidth is None else np.full_like(last, self.bandwidth)
        with np.errstate(over="ignore"):
            fall = 0.5 * np.square(np.where(filled, distances, 0.0) / np.where(width > 0, width, 1.0))
        return np.where(filled, _relative(fall, distances), 0.0)


@dataclass(frozen=True)
class _Given(Vote):
    """A user's function of the distances."""

    name = "given"
    adaptive = True
    absolute = True
    function: Callable[[Floats], Any]

    def kernel(self, distances: Floats) -> Floats:
        weights = np.asarray(self.function(distances), dtype=np.float64)
        if weights.shape != distances.shape or np.isnan(weights).any() or (weights < 0).any():
            raise InputError(
                f"The vote function must return one weight, not negative, per distance: expected shape "
                f"{distances.shape}, got {weights.shape}."
            )
        same = np.isinf(weights)
        return np.where(same.any(axis=1, keepdims=True), same, weights)


VOTES: dict[str, type[Vote]] = {
    v.name: v for v in (Majority, InverseDistance, InverseLinear, Triangle, Exponential, Gaussian)
}


def get(given: Any) -> Vote:
    """A vote from its name, a function of distances, or itself."""
    if isinstance(given, Vote):
        return given
    if callable(given) and not isinstance(given, str):
        return _Given(given)
    if not isinstance(given, str) or given not in VOTES:
        raise InputError(f"There is no vote {given!r}. {did_you_mean(str(given), VOTES)}")
    return VOTES[given]()
