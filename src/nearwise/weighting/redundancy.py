"""Mutual information with the class, less what the other features already tell."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.target import BINS
from nearwise.errors import InputError, warn
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.contingency import Contingency
from nearwise.statistics.counts.values import PerFeature
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.counted import Counted, Discretised
from nearwise.weighting.information import mutual_information
from nearwise.weights import Global, Weights

__all__ = ["RedundancyCorrected"]

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""a smaller share of what was taken away is what rounding left"""


@with_parameters
class RedundancyCorrected(Counted):
    r"""Mutual information with the class minus a share of the mean mutual information with the other features.

    .. math:: w_f = \max\Big(0,\; I(C; f) - \frac{\beta}{p - 1} \sum_{s \neq f} I(f; s)\Big)

    So two copies of a feature, which ``mi`` weighs double, take weight from each other. With ``beta=0``, or one
    feature, these are the weights of ``mi``. Where nothing is left of any feature the weights are those of ``mi``, with
    a warning: a smaller ``beta`` is the way out.

    Reading: the review says that high mutual information between features lowers a weight, Battiti subtracts it,
    beta times, from that with the class, feature by feature as they are chosen; here all other features count, by
    their mean, so that the weights depend neither on an order nor on the number of features. Numbers are cut once, for
    the classes, as under ``mi`` (I7 to I10). A pair of features is counted where both are known (I6).

    Parameters: ``beta``, how much redundancy costs, 0.5 to 1 in Battiti; ``discretise``, ``bins`` and
    ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,), ``relevance_`` (p,) the mutual information with
    the class, ``redundancy_`` (p,) its mean with the other features.

    References: battiti1994; wettschereck1997, sect. 6.3.

    >>> cases = [{"a": "x", "copy": "x", "b": "u"}, {"a": "x", "copy": "x", "b": "v"},
    ...          {"a": "y", "copy": "y", "b": "u"}, {"a": "y", "copy": "y", "b": "v"}]
    >>> RedundancyCorrected().fit(cases, ["no", "no", "no", "yes"]).feature_importances_.round(3)
    array([0.061, 0.061, 0.311])
    """

    id = "battiti"
    numbers = "binned"
    reference = "battiti1994, wettschereck1997"

    beta: float = 0.5
    discretise: Any = "mdl"
    bins: int = 8
    target_bins: int = BINS

    def _weigh(self, table: Contingency) -> float:
        return mutual_information(table)

    merges_exactly = False  # pairs of features are counted case by case
    one_by_one = False

    def _partial(self, problem: Problem) -> PerFeature:
        if isinstance(self.beta, bool) or not isinstance(self.beta, int | float) or not 0 <= self.beta < np.inf:
            raise InputError(f"beta must be a number from 0, got {self.beta!r}.")
        return super()._partial(problem)

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        self.relevance_ = np.asarray(super()._finish(statistics, problem).values)
        between = self._between(statistics, problem)
        self.redundancy_ = between.sum(axis=1) / max(1, len(between) - 1)
        taken = self.beta * self.redundancy_
        left = self.relevance_ - taken
        left = np.where(left > ROUNDING * taken, left, 0.0)  # what rounding leaves of nothing is nothing
        if not left.any() and self.relevance_.any():
            warn(
                f"Every feature tells more about the others than about the class, so beta={self.beta:g} leaves no "
                "weight: the weights are those of 'mi'. Give a smaller beta."
            )
            left = self.relevance_
        return Global(left, problem.features)

    def _between(self, statistics: PerFeature, problem: Problem) -> Array:
        """(p, p) bits that two features tell about each other, 0 on the diagonal."""
        p = len(problem.features)
        between = np.zeros((p, p))
        if self.beta == 0:
            return between
        n = len(problem.table)
        found = side_by_side(lambda f: self._codes(f, statistics, problem), range(p), n)
        weights = None if problem.target.weighs_one else problem.target.weights

        def bits(pair: tuple[int, int]) -> float:
            (a, v), (b, u) = found[pair[0]], found[pair[1]]
            return mutual_information(Contingency.of_codes(a, b, v, u, weights)) if v > 1 and u > 1 else 0.0

        pairs = list(combinations(range(p), 2))
        for (f, s), told in zip(pairs, side_by_side(bits, pairs, n), strict=True):
            between[f, s] = between[s, f] = told
        return between

    def _codes(self, f: int, statistics: PerFeature, problem: Problem) -> tuple[NDArray[np.int32], int]:
        """The value or interval of each case, -1 where it is left out, and how many there are."""
        column: Column = problem.table.columns[f]
        name, kind = problem.features[f], problem.table.schema[problem.features[f]]
        if column.levels is not None:
            codes, n = column.values, len(column.levels)
        else:
            intervals = Discretised(statistics[f], kind, name, self.discretise, self.bins)
            codes, n = intervals.place(column.values).astype(np.int32), len(intervals.cuts)
        gone = column.missing
        if gone.any():
            as_value = problem.metric.measures[f].as_value
            codes = np.where(gone, np.int32(n if as_value else -1), codes)
            n += as_value
        return codes, n
