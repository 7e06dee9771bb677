"""From neighbours to a prediction: how much each vote counts, what ties share, and which class wins.

Votes do not depend on the order of rows: tied cases at the k-th place share the remaining places ("fair"), or all
cases at the k smallest distances vote ("distances"); "random" and "index" break ties as their names say.

::

    rules      how much a vote counts, by its distance
    ballots    who votes, and what cases share that tie at the k-th place
    decision   the votes added up, and the class that wins
    costs      what a wrong answer costs, and the answer that is expected to cost least
"""

from nearwise.vote.ballots import TIES, Ballots, ByLevels, Fair, Single, collect
from nearwise.vote.costs import costs_of, expected_costs, read_costs
from nearwise.vote.decision import VOTE_TIES, are_tied, decide, leading, tally, winners
from nearwise.vote.rules import (
    VOTES,
    Exponential,
    Gaussian,
    InverseDistance,
    InverseLinear,
    Majority,
    Triangle,
    Vote,
    get,
)

__all__ = [
    "TIES", "VOTES", "VOTE_TIES", "Ballots", "ByLevels", "Exponential", "Fair", "Gaussian", "InverseDistance",
    "InverseLinear", "Majority", "Single", "Triangle", "Vote", "are_tied", "collect", "costs_of", "decide",
    "expected_costs", "get", "leading", "read_costs", "tally", "winners",
]  # fmt: skip
