"""Mutual information with the class, less what the other features already tell."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.columns import Column
from nearwise.cases.cuts import Cuts
from nearwise.cases.kinds import Cyclic
from nearwise.cases.target import BINS
from nearwise.errors import InputError, warn
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.contingency import Contingency
from nearwise.statistics.counts.intervals import IntervalCounts
from nearwise.statistics.counts.pairs_of_features import FeaturePairCounts, pair_cells
from nearwise.statistics.counts.values import PerFeature
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.counted import Counted, Discretised
from nearwise.weighting.information import mutual_information
from nearwise.weights import Global, Weights

__all__ = ["RedundancyCorrected"]

Array = NDArray[np.float64]

MOST_CELLS = 1 << 24
"""counts of pairs of values over parts, 128 MB of them"""
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
    one_by_one = False

    def _weigh(self, table: Contingency) -> float:
        return mutual_information(table)

    def _partial(self, problem: Problem) -> PerFeature:
        if isinstance(self.beta, bool) or not isinstance(self.beta, int | float) or not 0 <= self.beta < np.inf:
            raise InputError(f"beta must be a number from 0, got {self.beta!r}.")
        return super()._partial(problem)

    def second(self, statistics: PerFeature, problem: Problem) -> tuple[_Coding, ...] | None:
        if self.beta == 0:
            return None
        codings = tuple(self._coding(f, statistics, problem) for f in range(len(problem.features)))
        cells = pair_cells([coding.size for coding in codings])
        if cells > MOST_CELLS:
            most = int(np.argmax([coding.size for coding in codings]))
            raise InputError(
                f"The weighting {self.id!r} counts pairs of values, {cells:,} of them for this table, and can do with "
                f"{MOST_CELLS:,} over parts: feature {problem.features[most]!r} alone has {codings[most].size:,} "
                f"values; leave it out, ignore=[{problem.features[most]!r}], or take 'mi', which counts no pairs."
            )
        return codings

    def partial_second(self, problem: Problem, asked: tuple[_Coding, ...]) -> FeaturePairCounts:
        columns = problem.table.columns
        found = [coding.codes(column) for coding, column in zip(asked, columns, strict=True)]
        weights = None if problem.target.weighs_one else problem.target.weights
        return FeaturePairCounts.of(found, weights, len(problem.table))

    def with_second(self, statistics: PerFeature, second: FeaturePairCounts) -> _WithPairs:
        return _WithPairs(statistics, second)

    def _finish(self, statistics: PerFeature | _WithPairs, problem: Problem) -> Weights:
        pairs = None
        if isinstance(statistics, _WithPairs):
            statistics, pairs = statistics
        self.relevance_ = np.asarray(super()._finish(statistics, problem).values)
        between = self._between(statistics, pairs, problem)
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

    def _between(self, statistics: PerFeature, counted: FeaturePairCounts | None, problem: Problem) -> Array:
        """(p, p) bits that two features tell about each other, 0 on the diagonal; counted here, or by parts before."""
        p = len(problem.features)
        between = np.zeros((p, p))
        if self.beta == 0:
            return between
        n = len(problem.table)
        if counted is None:
            columns = problem.table.columns
            found = side_by_side(lambda f: self._coding(f, statistics, problem).codes(columns[f]), range(p), n)
            weights = None if problem.target.weighs_one else problem.target.weights

        def bits(pair: tuple[int, int]) -> float:
            if counted is not None:
                return mutual_information(counted.tables[pair]) if pair in counted.tables else 0.0
            (a, v), (b, u) = found[pair[0]], found[pair[1]]
            return mutual_information(Contingency.of_codes(a, b, v, u, weights)) if v > 1 and u > 1 else 0.0

        pairs = list(combinations(range(p), 2))
        for (f, s), told in zip(pairs, side_by_side(bits, pairs, n), strict=True):
            between[f, s] = between[s, f] = told
        return between

    def _coding(self, f: int, statistics: PerFeature, problem: Problem) -> _Coding:
        """How the values of a feature become codes."""
        column: Column = problem.table.columns[f]
        name, kind = problem.features[f], problem.table.schema[problem.features[f]]
        as_value = problem.metric.measures[f].as_value
        if column.levels is not None:
            return _Coding(column.levels, None, 0.0, as_value)
        counts = statistics[f]
        cuts = counts.cuts if isinstance(counts, IntervalCounts) else None
        if cuts is None:
            cuts = Discretised(counts, kind, name, self.discretise, self.bins).cuts
        return _Coding(None, cuts, kind.period if isinstance(kind, Cyclic) else 0.0, as_value)


class _WithPairs(NamedTuple):
    features: PerFeature
    pairs: FeaturePairCounts


@dataclass(frozen=True)
class _Coding:
    """The levels of a feature, or the intervals of its numbers, and whether a missing value is one of its own."""

    levels: tuple[Hashable, ...] | None
    cuts: Cuts | None
    period: float
    """of numbers on a circle, else 0"""
    as_value: bool

    @property
    def size(self) -> int:
        known = len(self.levels) if self.levels is not None else 0 if self.cuts is None else len(self.cuts)
        return known + self.as_value

    def codes(self, column: Column) -> tuple[NDArray[np.int32], int]:
        """The value or interval of each case, -1 where it is left out, and how many there may be."""
        n = self.size - self.as_value
        if self.levels is not None:
            codes = column.values if column.levels == self.levels else column.recode(self.levels)
        else:
            cuts = self.cuts if self.cuts is not None else Cuts(np.empty(0))
            values = np.mod(column.values, self.period) if self.period else column.values
            codes = cuts.place(values).astype(np.int32)
        gone = column.missing
        if gone.any():
            codes = np.where(gone, np.int32(n if self.as_value else -1), codes)
        return codes, self.size
