"""The votes added up, and the class that wins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nearwise.search.base import TIE, Floats
from nearwise.search.selection.every_k import winners_for_every_k
from nearwise.vote.ballots import Ballots, Fair, Single
from nearwise.vote.costs import expected_costs
from nearwise.vote.rules import Vote

__all__ = ["VOTE_TIES", "are_tied", "decide", "leading", "tally", "winners"]

VOTE_TIES = ("nearest", "next")
"""a tied vote goes to the class of the nearest case, or is taken again with one neighbour more (K3)"""


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
    costs: Floats | None = None,
) -> NDArray[np.intp]:
    """(m, k) the class that wins for every number of neighbours up to k; "next" also looks at k + 1, if searched."""
    ask_next = vote_ties == "next"
    if isinstance(ballots, Single) and not vote.adaptive and costs is None:
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
            settled = are_tied(total[:, :, 0], costs) & ~are_tied(more[:, :, 0], costs)
            total[settled] = more[settled]
        columns.append(decide(total[:, :, 0], None if ask_next else near, priors, costs))
    return np.stack(columns, axis=1)


def are_tied(votes: Floats, costs: Floats | None = None) -> NDArray[np.bool_]:
    """(m,) whether several classes share the most votes, or are expected to cost as little."""
    return np.asarray(np.count_nonzero(leading(votes, costs), axis=1) != 1)  # none leads in votes that are not numbers


def leading(votes: Floats, costs: Floats | None = None) -> NDArray[np.bool_]:
    """(m, c) the classes with the most votes or, under costs (c, c), expected to cost least, up to rounding."""
    if costs is None:
        return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - TIE))
    risks = expected_costs(votes, costs)
    return np.asarray(risks <= risks.min(axis=1, keepdims=True) + TIE * risks.max(axis=1, keepdims=True))


def decide(votes: Floats, near: Floats | None, priors: Floats, costs: Floats | None = None) -> NDArray[np.intp]:
    """The winner: most votes, then the class of the nearest case, then the larger prior, then label order (K3).

    Without ``near`` (m, c), the smallest sum at which each class votes, a tie goes to the larger prior at once. Under
    ``costs`` (c, c) the answer that is expected to cost least wins, and ties go the same way.
    """
    left = leading(votes, costs)
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
