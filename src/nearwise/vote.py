"""From neighbours to a prediction: how much each vote counts, what ties share, and which class wins.

Votes do not depend on the order of rows: tied cases at the k-th place share the remaining places ("fair"), or all
cases at the k smallest distances vote ("distances"); "random" and "index" break ties as their names say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import exp, power
from nearwise.differences.metric import Measured
from nearwise.engines.base import TIE, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.engines.every_k import winners_for_every_k
from nearwise.engines.overflow import warn_of_infinite
from nearwise.errors import InputError, check_choice, did_you_mean

__all__ = [
    "TIES", "VOTES", "VOTE_TIES", "Ballots", "ByLevels", "Exponential", "Fair", "Gaussian", "InverseDistance",
    "InverseLinear", "Majority", "Single", "Triangle", "Vote", "are_tied", "collect", "decide", "get", "tally",
    "winners",
]  # fmt: skip

TIES = ("fair", "distances", "random", "index")
VOTE_TIES = ("nearest", "next")
"""a tied vote goes to the class of the nearest case, or is taken again with one neighbour more (K3)"""


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
        filled = np.isfinite(distances)
        last = np.where(filled, distances, -np.inf).max(axis=1, keepdims=True)
        first = distances[:, :1]
        spread = last - first
        flat = ~(spread > TIE * last)
        with np.errstate(invalid="ignore"):
            weights = (last - distances) / np.where(flat, 1.0, spread)
        return np.where(flat, 1.0, np.where(filled, weights, 0.0))


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
        filled = np.isfinite(distances)
        last = np.where(filled, distances, -np.inf).max(axis=1, keepdims=True)
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
        filled = np.isfinite(distances)
        last = np.where(filled, distances, -np.inf).max(axis=1, keepdims=True)
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


class Ballots(ABC):
    """Who votes among the k nearest, for every k up to the one that was searched."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload

    @abstractmethod
    def at(self, k: int) -> tuple[Floats, Floats]:
        """(m, k) sums of the places and (m, k, g, v) what votes from each place."""

    @abstractmethod
    def tell_of_infinite(self, engine: Engine, queries: Measured) -> bool:
        """Warn where cases that vote are infinitely far; gives whether there are any."""

    def _slots(self, indices: Ints) -> Floats:
        """(m, k, g, v) the payload of single cases, one a place."""
        m, k = indices.shape
        out = np.zeros((m, k, *self.payload.shape))
        row, place = np.nonzero(indices >= 0)
        cases = indices[row, place]
        out[row, place, self.payload.codes[cases]] = self.payload.values[cases]
        return out


class Single(Ballots):
    """Each of the k cases votes from its own place: ties "index" and "random"."""

    def __init__(self, found: Neighbours, payload: Payload) -> None:
        super().__init__(payload)
        self.found = found

    def at(self, k: int) -> tuple[Floats, Floats]:
        return self.found.sums[:, :k], self._slots(self.found.indices[:, :k])

    def tell_of_infinite(self, engine: Engine, queries: Measured) -> bool:
        return warn_of_infinite(engine.distance, queries, self.found)


class Fair(Single):
    """Cases nearer than the k-th place vote; the t cases tied there share the r places that remain, r/t each."""

    def at(self, k: int) -> tuple[Floats, Floats]:
        found, searched = self.found, self.found.sums.shape[1]
        sums, exists = found.sums[:, :k], found.indices >= 0
        filled = exists[:, :k].sum(axis=1)
        last = np.where(filled > 0, np.take_along_axis(sums, np.maximum(filled - 1, 0)[:, None], axis=1)[:, 0], 0.0)
        margin = TIE * np.where(np.isfinite(last), last, 0.0)  # an infinite sum ties with its like only
        lower, upper = last - margin, last + margin
        inside = (sums < lower[:, None]).sum(axis=1)
        listed = (exists & (found.sums <= upper[:, None])).sum(axis=1)  # cases of the list that are inside or tied
        slots = self._slots(found.indices)
        place = np.arange(searched)[None, :]
        in_group = (place >= inside[:, None]) & (place < listed[:, None])
        group = np.einsum("mkgv,mk->mgv", slots, in_group.astype(np.float64))
        tied = listed - inside
        beyond = listed >= exists.sum(axis=1)  # the group may go on behind the list
        group[beyond] = found.tie_sums[beyond]
        tied = np.where(beyond, found.tied, tied)
        amounts = slots[:, :k] * (place[:, :k] < inside[:, None])[:, :, None, None]
        rows = np.flatnonzero((filled > 0) & (tied > 0))
        share = (filled[rows] - inside[rows]) / tied[rows]
        amounts[rows, filled[rows] - 1] += group[rows] * share[:, None, None]
        return sums, amounts


class ByLevels(Ballots):
    """All cases at the k smallest distinct distances vote (TiMBL)."""

    def __init__(self, found: Levels, payload: Payload) -> None:
        super().__init__(payload)
        self.found = found

    def at(self, k: int) -> tuple[Floats, Floats]:
        return self.found.sums[:, :k], self.found.payload[:, :k]

    def tell_of_infinite(self, engine: Engine, queries: Measured) -> bool:
        return warn_of_infinite(engine.distance, queries, self.found)


def collect(
    engine: Engine,
    queries: Measured,
    k: int,
    payload: Payload,
    ties: str,
    leave_out: Ints | None = None,
    seed: Any = None,
) -> Ballots:
    """Search and return who votes under a tie rule."""
    check_choice("ties", ties, TIES)
    if ties == "distances":
        return ByLevels(engine.levels(queries, k, payload, leave_out), payload)
    found = engine.nearest(queries, k, payload, leave_out)
    if ties == "fair":
        return Fair(found, payload)
    if ties == "random":
        found = _shuffled(engine, queries, found, leave_out, np.random.default_rng(seed))
    return Single(found, payload)


def _shuffled(
    engine: Engine, queries: Measured, found: Neighbours, leave_out: Ints | None, rng: np.random.Generator
) -> Neighbours:
    """Tied cases in random order, those at the last place drawn from the whole tie group."""
    sums, indices = found.sums.copy(), found.indices.copy()
    filled = np.isfinite(sums).sum(axis=1)
    for j in range(len(sums)):
        if filled[j] == 0:
            continue
        near_sums, near = sums[j, : filled[j]], indices[j, : filled[j]]
        if found.tied[j] > filled[j] - found.inside[j]:
            one = np.array([j])
            limit = near_sums[-1] + TIE * near_sums[-1]
            skip = None if leave_out is None else leave_out[one]
            near_sums, near = engine.within(queries.take(one), np.array([limit]), skip)[0]
        gaps = np.diff(near_sums) > TIE * near_sums[1:]
        run = np.concatenate([[0], np.cumsum(gaps)])
        order = np.lexsort((rng.random(len(run)), run))[: filled[j]]
        sums[j, : filled[j]], indices[j, : filled[j]] = near_sums[order], near[order]
    return Neighbours(sums, indices, found.inside, found.tied, found.tie_sums)


def tally(sums: Floats, amounts: Floats, vote: Vote, root: Callable[[Floats], Floats]) -> tuple[Floats, Floats, Floats]:
    """(m, g, v) votes, (m, g) the smallest sum at which each group votes, and (m, k) the kernel weights."""
    kernel = np.where(np.isfinite(sums), vote.kernel(root(sums)), 0.0)
    votes = np.einsum("mk,mkgv->mgv", kernel, amounts)
    empty = ~(votes[..., 0] > 0).any(axis=1)
    if empty.any():  # a kernel that gives every vote 0 (the k-th of an inverse linear vote, say) leaves no answer
        votes[empty] = amounts[empty].sum(axis=1)
        kernel[empty] = (amounts[empty][..., 0] > 0).any(axis=2)
    voting = amounts[..., 0] > 0
    near = np.where(voting, sums[:, :, None], np.inf).min(axis=1)
    return votes, near, kernel


def winners(
    ballots: Ballots,
    k: int,
    vote: Vote,
    root: Callable[[Floats], Floats],
    priors: Floats,
    threads: int = 1,
    vote_ties: str = "nearest",
) -> NDArray[np.intp]:
    """(m, k) the class that wins for every number of neighbours up to k; "next" also looks at k + 1, if searched."""
    ask_next = vote_ties == "next"
    if isinstance(ballots, Single) and not vote.adaptive:
        sums = ballots.found.sums
        kernel = np.where(np.isfinite(sums), vote.kernel(root(sums)), 0.0)
        fair = isinstance(ballots, Fair)
        fast = winners_for_every_k(ballots.found, kernel, ballots.payload, priors, fair, threads, ask_next)
        if fast is not None:
            return fast[:, :k].astype(np.intp)
    columns = []
    for places in range(1, k + 1):
        total, near, _ = tally(*ballots.at(places), vote, root)
        if ask_next:
            more = tally(*ballots.at(places + 1), vote, root)[0]
            settled = are_tied(total[:, :, 0]) & ~are_tied(more[:, :, 0])
            total[settled] = more[settled]
        columns.append(decide(total[:, :, 0], None if ask_next else near, priors))
    return np.stack(columns, axis=1)


def are_tied(votes: Floats) -> NDArray[np.bool_]:
    """(m,) whether several classes share the most votes."""
    return np.asarray(np.count_nonzero(_leading(votes), axis=1) != 1)  # none leads in votes that are not numbers


def _leading(votes: Floats) -> NDArray[np.bool_]:
    """(m, c) the classes with the most votes, up to rounding."""
    return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - TIE))


def decide(votes: Floats, near: Floats | None, priors: Floats) -> NDArray[np.intp]:
    """The winner: most votes, then the class of the nearest case, then the larger prior, then label order (K3).

    Without ``near`` (m, c), the smallest sum at which each class votes, a tie goes to the larger prior at once.
    """
    left = _leading(votes)
    won = left.argmax(axis=1)
    tied = np.flatnonzero(np.count_nonzero(left, axis=1) != 1)  # none is left of votes that are not numbers
    if len(tied):
        won[tied] = _untied(left[tied], None if near is None else near[tied], priors)
    return np.asarray(won, dtype=np.intp)


def _untied(left: NDArray[np.bool_], near: Floats | None, priors: Floats) -> NDArray[np.intp]:
    """Among the classes left, the nearest, then the larger prior, then the first."""
    if near is not None:
        nearest = np.where(left, near, np.inf)
        best = nearest.min(axis=1, keepdims=True)
        left &= nearest <= best + TIE * np.where(np.isfinite(best), best, 0.0)
    prior = np.where(left, priors[None, :], -1.0)
    left &= prior >= prior.max(axis=1, keepdims=True)
    return np.asarray(left.argmax(axis=1), dtype=np.intp)
