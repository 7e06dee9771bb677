"""Information about the class, in bits: gain, gain ratio, mutual information and what it is per possible value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot, log2
from nearwise.cases.target import BINS
from nearwise.statistics.counts.contingency import Contingency
from nearwise.weighting.base import with_parameters
from nearwise.weighting.counted import Counted, Cut

__all__ = [
    "GainRatio",
    "InformationGain",
    "MutualInformation",
    "NormalizedMutualInformation",
    "entropy",
    "gain",
    "mutual_information",
]

Array = NDArray[np.float64]

ROUNDING = 1e-13
"""a gain below it is the rounding error of the logarithms"""


@with_parameters
class InformationGain(Counted):
    r"""The uncertainty about the class that knowing the feature takes away, in bits.

    .. math:: w_f = H(C) - \sum_v P(v)\,H(C \mid v), \qquad H(C) = -\sum_c P(c) \log_2 P(c)

    Symbols and levels count by value, numbers in ``bins`` bins of equal width over the observed range; numbers on
    a circle are first taken modulo the period. A feature with one value has exactly 0. The bins serve the weight
    only: in the distance numbers stay numbers (Reading I11).

    Reading: logarithms to base 2 (I1); "eight bins of equal size" are of equal width, not of equal frequency (I2),
    half open with the maximum in the last (I3); not normalised (I4); a case in which the feature is missing is left
    out for that feature (I6), unless its policy is "value".

    Parameters: ``discretise``, how a numeric feature is cut: "width", "frequency", "mdl", cut points, or a dict of
    these by feature; ``bins``, how many bins of equal width or frequency; ``target_bins``, into how many intervals of
    about equally many cases a target that is a number is cut: they are its classes.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: howe1999, sect. 3; wettschereck1997, eq. 22; quinlan1986; daelemans1992.

    >>> cases = [{"wind": "weak", "sky": "sun"}, {"wind": "weak", "sky": "rain"},
    ...          {"wind": "strong", "sky": "sun"}, {"wind": "strong", "sky": "rain"}]
    >>> InformationGain().fit(cases, ["go", "stay", "stay", "stay"]).feature_importances_.round(3)
    array([0.311, 0.311])
    """

    id = "ig"
    numbers = "binned"
    reference = "howe1999, wettschereck1997, quinlan1986, daelemans1992"

    bins: int = 8
    discretise: Any = "width"
    target_bins: int = BINS

    def _weigh(self, table: Contingency) -> float:
        return gain(table)


@with_parameters
class GainRatio(Cut):
    r"""Information gain over the bits that it takes to tell the feature's own value.

    .. math:: w_f = \frac{H(C) - \sum_v P(v)\,H(C \mid v)}{H(V)}

    So a feature does not gain by the mere number of its values, as it does under ``ig``. A feature with one value has
    H(V) = 0 and gets 0 (Reading I5). On symbols these are TiMBL's gain ratios.

    Reading: as for `InformationGain` (I1, I2, I3, I6).

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`; ``others``, what a feature gets
    whose values cannot be counted (text, sets, vectors, functions): "refuse" refuses the table, "mean" gives it the
    mean weight of those that can, or 1 where there are none.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: quinlan1993, p. 23; daelemans2005, sect. 5.1.

    >>> cases = [{"wind": "weak", "id": "a"}, {"wind": "weak", "id": "b"},
    ...          {"wind": "strong", "id": "c"}, {"wind": "strong", "id": "d"}]
    >>> GainRatio().fit(cases, ["go", "stay", "stay", "stay"]).feature_importances_.round(3)
    array([0.311, 0.406])
    """

    id = "gr"
    reference = "quinlan1993, daelemans2005"

    others: str = "refuse"

    def _weigh(self, table: Contingency) -> float:
        return gain(table) / float(entropy(table.of_row[None, :])[0])


@with_parameters
class MutualInformation(Cut):
    r"""How much the value and the class tell about each other, in bits.

    .. math:: w_f = \sum_v \sum_c P(v, c) \log_2 \frac{P(v, c)}{P(v)\,P(c)}

    The same number as information gain on the same intervals: eqs. 21 and 22 of the review differ in how they are
    written only. What differs from ``ig`` is how numbers are cut: by Fayyad & Irani's MDL method, as in the review,
    so that a numeric feature that says nothing by itself is one interval and has exactly 0. How many intervals the
    method finds depends on the number of cases, and so do the weights of numeric features.

    Reading: logarithms to base 2 (I1); a missing value is left out (I6); Fayyad-Irani cuts are midpoints (I7), the
    lowest of equals (I8), a value at the cut to its left (I9), accepted by a strict test (I10); they serve the weight
    only (I11).

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: wettschereck1997, eq. 21; fayyad1993.

    >>> X = [[x, x % 3] for x in range(12)]
    >>> MutualInformation().fit(X, ["low"] * 6 + ["high"] * 6).feature_importances_
    array([1., 0.])
    """

    id = "mi"
    reference = "wettschereck1997, fayyad1993"

    discretise: Any = "mdl"

    def _weigh(self, table: Contingency) -> float:
        return mutual_information(table)


@with_parameters
class NormalizedMutualInformation(Cut):
    r"""Mutual information over the most that so many values could tell.

    .. math:: w_f = \frac{1}{\log_2 v_f} \sum_v \sum_c P(v, c) \log_2 \frac{P(v, c)}{P(v)\,P(c)}

    v is the number of values, or intervals, that occur. A feature with many values has a large mutual information
    even where it carries no more than one with few; the review asks for a normalisation "by a function of its number of
    possible values" and this is the one for which every weight lies in [0, 1]. One value has 0.

    Reading: the function is the logarithm, the information of v equally frequent values (I4); ``gr`` divides by the
    information of the values as they are. Otherwise as for `MutualInformation`.

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: wettschereck1997, sect. 6.3.

    >>> cases = [{"wind": "weak", "id": "a"}, {"wind": "weak", "id": "b"},
    ...          {"wind": "strong", "id": "c"}, {"wind": "strong", "id": "d"}]
    >>> NormalizedMutualInformation().fit(cases, ["go", "go", "stay", "stay"]).feature_importances_
    array([1. , 0.5])
    """

    id = "mi-norm"
    reference = "wettschereck1997"

    discretise: Any = "mdl"

    def _weigh(self, table: Contingency) -> float:
        return mutual_information(table) / math.log2(table.n_rows)


def gain(table: Contingency | Array) -> float:
    """Bits about the class (columns) in the value (rows) of a table of counts.

    >>> gain(np.array([[2.0, 0.0], [0.0, 2.0]]))
    1.0
    """
    table = table if isinstance(table, Contingency) else Contingency.of_table(table)
    if table.n_rows < 2:
        return 0.0
    left = -float(dot(table.weights, log2(table.weights / table.of_row[table.row_at]))) / table.total
    found = float(entropy(table.of_column[None, :])[0]) - left
    return found if found > ROUNDING else 0.0


def mutual_information(table: Contingency | Array) -> float:
    """Bits that rows and columns of a table of counts tell about each other.

    >>> mutual_information(np.array([[2.0, 0.0], [0.0, 2.0]]))
    1.0
    """
    table = table if isinstance(table, Contingency) else Contingency.of_table(table)
    if table.n_rows < 2:
        return 0.0
    found = float(dot(table.weights, log2(table.weights / table.expected))) / table.total
    return found if found > ROUNDING else 0.0


def entropy(table: Array) -> Array:
    """(v,) bits of uncertainty about the class in each row of counts (v, c).

    >>> entropy(np.array([[1.0, 1.0], [2.0, 0.0]]))
    array([1., 0.])
    """
    shares = table / table.sum(axis=1, keepdims=True)
    bits = log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(0.0 - (shares * bits).sum(axis=1))
