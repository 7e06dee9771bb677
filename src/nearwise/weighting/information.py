"""Information gain: how many bits about the class one learns with the feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.cuts import Cuts, equal_width
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic
from nearwise.errors import InputError
from nearwise.statistics.counts import PerFeature, ValueCounts, count_values
from nearwise.weighting.base import PRESET_GLOBAL, Mergeable, Problem
from nearwise.weights import Global, Weights

__all__ = ["InformationGain", "entropy", "gain"]

Array = NDArray[np.float64]

ROUNDING = 1e-13
"""a gain below it is the rounding error of the logarithms"""


class InformationGain(Mergeable):
    r"""The uncertainty about the class that knowing the feature takes away, in bits.

    .. math:: w_f = H(C) - \sum_v P(v)\,H(C \mid v), \qquad H(C) = -\sum_c P(c) \log_2 P(c)

    Symbols and levels count by value, numbers in ``bins`` bins of equal width over the observed range; numbers on
    a circle are first taken modulo the period. A feature with one value has exactly 0. The bins serve the weight
    only: in the distance numbers stay numbers (Reading I11).

    Reading: logarithms to base 2 (I1); "eight bins of equal size" are of equal width, not of equal frequency (I2),
    half open with the maximum in the last (I3); not normalised (I4); a case in which the feature is missing is left
    out for that feature (I6), unless its policy is "value".

    Parameters: ``bins``, how many bins a numeric feature is cut into.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: howe1999, sect. 3; wettschereck1997, eq. 22; quinlan1986; daelemans1992.

    >>> cases = [{"wind": "weak", "sky": "sun"}, {"wind": "weak", "sky": "rain"},
    ...          {"wind": "strong", "sky": "sun"}, {"wind": "strong", "sky": "rain"}]
    >>> InformationGain().fit(cases, ["go", "stay", "stay", "stay"]).feature_importances_.round(3)
    array([0.311, 0.311])
    """

    id = "ig"
    place = PRESET_GLOBAL
    reference = "howe1999, wettschereck1997, quinlan1986, daelemans1992"

    def __init__(self, bins: int = 8) -> None:
        self.bins = bins

    def _partial(self, problem: Problem) -> PerFeature:
        if not isinstance(self.bins, int | np.integer) or self.bins < 1:
            raise InputError(f"bins must be a whole number from 1, got {self.bins!r}.")
        for name, kind in problem.table.schema.items():
            if not isinstance(kind, Numeric | Cyclic | Symbolic | Ordinal):
                raise InputError(
                    f"Information gain counts values, and almost every value of feature {name!r} ({kind.name}) occurs "
                    f"once: use 'mdw', which works for any kind, or leave the feature out: ignore=[{name!r}]."
                )
        columns = zip(problem.table.columns, problem.metric.measures, strict=True)
        return PerFeature(count_values(column, problem.target, m.policy == "value") for column, m in columns)

    def _finish(self, statistics: PerFeature, problem: Problem) -> Weights:
        kinds = problem.table.schema.values()
        gains = [gain(self._table(counts, kind)) for counts, kind in zip(statistics, kinds, strict=True)]
        return Global(gains, problem.features)

    def _table(self, counts: ValueCounts, kind: Kind) -> Array:
        """(v, c) weights by value or bin, with a row for the missing value where it counts as one."""
        known = counts.table if counts.storage == "symbol" else self._binned(counts, kind)
        return np.vstack([known, counts.missing])

    def _binned(self, counts: ValueCounts, kind: Kind) -> Array:
        values = np.mod(counts.values, kind.period) if isinstance(kind, Cyclic) else counts.values
        cuts = Cuts(equal_width(values, self.bins))
        return counts.grouped(cuts.place(values), len(cuts))


def gain(table: Array) -> float:
    """Bits about the class (columns) in the value (rows) of a table of counts (v, c)."""
    table = table[table.sum(axis=1) > 0]
    if len(table) < 2:
        return 0.0
    of_value = table.sum(axis=1)
    left = float(of_value @ entropy(table)) / float(of_value.sum())
    found = float(entropy(table.sum(axis=0)[None, :])[0]) - left
    return found if found > ROUNDING else 0.0


def entropy(table: Array) -> Array:
    """(v,) bits of uncertainty about the class in each row of counts (v, c).

    >>> entropy(np.array([[1.0, 1.0], [2.0, 0.0]]))
    array([1., 0.])
    """
    shares = table / table.sum(axis=1, keepdims=True)
    bits = np.log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(0.0 - (shares * bits).sum(axis=1))
