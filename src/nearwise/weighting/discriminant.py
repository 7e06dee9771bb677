"""DANN: a metric for each query, by discriminant analysis of the cases around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_choice, check_whole, check_whole_or_none
from nearwise.search import Distance, plan
from nearwise.search.base import Payload
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.local import with_mean
from nearwise.weighting.place import Place
from nearwise.weights import Discriminant, Forms, Global, Weights
from nearwise.weights.local import Near

__all__ = ["DiscriminantNeighbours"]

Array = NDArray[np.float64]

SCOPES = ("query", "global")
NOTHING = 1e-10
"""a direction along which class means differ by less than this share of the most they do, tells no class apart"""
FEWEST, LARGEST = 50, 500
"""cases that a metric is worked out from where nobody says: a fifth of all within these (D10)"""
MOST = 5_000
"""cases around which the global variant looks; of more, so many are drawn by their content"""


class DiscriminantNeighbours(Weighting):
    r"""DANN: the metric around each query is long where the classes change and short along their boundary.

    .. math:: d(x, q) = u' D\, u, \qquad
       D = W^{-1/2} \bigl[ W^{-1/2} B\, W^{-1/2} + \epsilon I \bigr] W^{-1/2}

    1. D begins as the identity. 2. The ``n_metric`` nearest cases of q under D are found. 3. W, their variance within
    classes, and B, that between the means of their classes, are worked out, each case weighing by the tricube
    :math:`(1 - (d/h)^3)^3` of its distance, h that of the farthest. 4. D is worked out anew; 2 to 4 are repeated
    ``iterations`` times. 5. The nearest cases under D vote, among all stored ones.

    u is the difference of x and q in its unit: with its sign for numbers, 0 or 1 for symbols, and whatever the
    difference and the missing policy say for other kinds and missing values. A query whose neighbours do not vary
    within any class keeps the identity. A stored case that asks is not in its own neighbourhood.

    ``scope="global"`` averages B over the training cases instead and keeps the directions in which it is largest: one
    form of ``n_components`` rows for all queries, each row with the root of its share of B as its length.

    Reading: W and B are means (D1), by tricube weights (D2), with epsilon 1 (D3), neighbours of the metric and of the
    vote apart (D4), a pseudo-inverse where W is singular (D5), no root over the form (D6; ``p=2`` takes it), one
    iteration (D7), class means weighted by their cases (D8), and D9 to D11. Sample weights multiply the tricube.

    Parameters
    ----------
    n_metric : int or None
        Cases that the metric of a query is worked out from; None takes a fifth of all, but 50 to 500.
    epsilon : float
        How round the metric stays: with 0 only directions between class means count.
    iterations : int
    ridge : float
        What is added to W in every direction, as a share of its mean variance.
    scope : "query" or "global"
    n_components : int or None
        Directions of the global variant; None keeps those that tell classes apart.

    Attributes
    ----------
    weights_ : Discriminant or Forms
        What metrics are worked out from, with the mean share of each feature around (at most 200) training cases;
        or the one form of the global variant.

    Notes
    -----
    References: hastie1996; wettschereck1997, sect. 3.4.

    >>> cases = [[0.0, 0.0], [0.1, 0.9], [0.2, 0.4], [0.8, 0.1], [0.9, 0.6], [1.0, 1.0]]
    >>> dann = DiscriminantNeighbours(n_metric=6).fit(cases, ["a", "a", "a", "b", "b", "b"])
    >>> dann.feature_importances_.round(2).tolist()  # the mean is 1
    [1.88, 0.12]
    """

    id = "dann"
    place = Place(representation="transformed", generality="local")
    reference = "hastie1996, wettschereck1997"
    shape = "discriminant"
    p = 1
    learns_again = True

    def __init__(
        self,
        n_metric: int | None = None,
        epsilon: float = 1.0,
        iterations: int = 1,
        ridge: float = 0.0,
        scope: str = "query",
        n_components: int | None = None,
    ) -> None:
        self.n_metric = n_metric
        self.epsilon = epsilon
        self.iterations = iterations
        self.ridge = ridge
        self.scope = scope
        self.n_components = n_components

    def _learn(self, problem: Problem) -> Weights:
        self._check()
        target, names = problem.target, problem.features
        asks = max(FEWEST, min(len(target) // 5, LARGEST)) if self.n_metric is None else int(self.n_metric)
        made = Discriminant(
            np.ones(len(names)), names, target.values, target.weights, asks, float(self.epsilon), float(self.ridge),
            int(self.iterations),
        )  # fmt: skip
        if self.scope == "query":
            return with_mean(problem, made)
        form = self._directions(_mean_between(problem, made))
        return Forms(form[None], names) if len(form) else Forms(np.eye(len(names))[None], names)

    def _check(self) -> None:
        check_whole_or_none("n_metric", self.n_metric, 1)
        check_whole("iterations", self.iterations, 1)
        check_whole_or_none("n_components", self.n_components, 1)
        check_choice("scope", self.scope, SCOPES)
        for name in ("epsilon", "ridge"):
            given = getattr(self, name)
            if not (isinstance(given, int | float | np.number) and 0 <= given < np.inf):
                raise InputError(f"{name}={given!r}: expected a number from 0.")

    def _directions(self, between: Array) -> Array:
        """(rows, p) the directions in which the mean B is largest, each as long as the root of its part."""
        sizes, vectors = np.linalg.eigh(between)
        sizes, vectors = sizes[::-1], vectors[:, ::-1]
        telling = int((sizes > NOTHING * max(float(sizes[0]), 1e-300)).sum())
        kept = telling if self.n_components is None else min(telling, int(self.n_components))
        return np.ascontiguousarray((vectors[:, :kept] * np.sqrt(sizes[:kept])).T)


def _mean_between(problem: Problem, made: Discriminant) -> Array:
    """(p, p) the mean over the training cases of B around each of them."""
    rows = drawn_cases(problem.metric, problem.cases, problem.target, MOST)
    even = Distance(
        replace(problem.metric, p=2.0), Global(np.ones(len(problem.features)), problem.features), problem.stored
    )
    engine, k = plan(even).engine, max(1, min(made.asks, len(problem.cases) - 1))
    amounts = problem.target.weights[rows]
    total = np.zeros((len(problem.features),) * 2)
    step = max(1, (8 << 20) // (8 * (k * k + 4 * k * len(problem.features))))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        queries = problem.asking.take(some)
        found = engine.nearest(queries, k, Payload.nothing(len(problem.cases)), some)
        _, between = made.spreads(even.stored, queries, Near(found.indices, np.sqrt(found.sums), some))
        total += (amounts[start : start + step, None, None] * between).sum(axis=0)
    return np.asarray(total / max(float(amounts.sum()), 1e-300))
