"""Oblivion: features are forgotten as long as the accuracy does not fall."""

from __future__ import annotations

import numpy as np

from nearwise.differences.metric import Encoded
from nearwise.statistics.counts.values import distinct_values
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.stepwise import Levels
from nearwise.weights import Weights

__all__ = ["Oblivious"]


@with_parameters
class Oblivious(Levels):
    r"""Features forgotten one at a time as long as leave-one-out accuracy does not fall.

    .. math:: S_{t+1} = S_t \setminus \{\arg\max_{f \in S_t} a(S_t \setminus \{f\})\}
              \quad\text{while}\quad a(S_{t+1}) \ge a(S_t)

    a(S) is the leave-one-out accuracy of the nearest neighbour with the features S alone. Cases that agree on the
    features that are left are one abstract case: they are equally near and share the vote, which is what a leaf of
    the paper's oblivious decision tree says. It starts with all features, so it sees those that matter only together
    (parity). Equal accuracies leave out the last feature in canonical order; one feature stays.

    Reading: "does not fall" compares with the set before, and equal is not a fall. Where no abstract case agrees with
    a query the nearest ones answer, by the plain sum of differences (p = 1). It is `Backward` with nothing to
    set. Ranges and tables are those of all cases (K6, V7).

    Parameters: ``max_time`` in seconds keeps the set so far; ``n_jobs`` threads; ``max_cases`` as of `Forward`.

    Attributes: ``weights_`` (Global of 0 and 1), ``n_abstract_cases_`` (cases, of those that it learned from, that
    differ on the features left),
    ``score_``, ``history_``, ``stopped_``, ``sampled_`` as of `Forward`.

    References: langley1994.

    >>> X = [[a, b, c] for a in "ny" for b in "ny" for c in "ny"]
    >>> method = Oblivious().fit(X * 2, [a != b for a, b, _ in X * 2])
    >>> method.weights_, method.n_abstract_cases_
    (Global(3 features; x0: 1, x1: 1, x2: 0), 4)
    """

    id = "oblivious"
    reference = "langley1994, wettschereck1997"
    caution = (
        "no better than plain neighbours, and slower: right in 80.5% where none is in 80.9% and default in 84.1% "
        "(12 tables of at most 500 cases)"
    )
    p = 1
    direction = "backward"

    max_time: float | None = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _learn(self, problem: Problem) -> Weights:
        learned = super()._learn(problem)
        kept = [c for c, weight in zip(problem.cases.columns, learned.importances, strict=True) if weight > 0]
        self.n_abstract_cases_ = _distinct(kept, problem)
        return learned


def _distinct(columns: list[Encoded], problem: Problem) -> int:
    """How many cases differ on these features."""
    codes = np.zeros(len(problem.table), dtype=np.intp)
    for column in columns:
        own = distinct_values(column)[1]
        codes = np.unique(np.stack([codes, own]), axis=1, return_inverse=True)[1].ravel()
    return len(np.unique(codes))
