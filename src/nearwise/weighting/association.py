"""How far values and classes are from independent: chi-squared, shared variance and the reduction of Gini impurity."""

from __future__ import annotations

import numpy as np

from nearwise.arithmetic import dot
from nearwise.statistics.counts.contingency import Contingency
from nearwise.weighting.counted import Cut

__all__ = ["ChiSquared", "Gini", "SharedVariance", "chi_squared"]

ROUNDING = 1e-13
"""an association below it, as a share of all cases, is rounding error"""


class ChiSquared(Cut):
    r"""Pearson's statistic: how much the counts differ from those that independence would give.

    .. math:: w_f = \sum_v \sum_c \frac{(n_{vc} - e_{vc})^2}{e_{vc}}, \qquad e_{vc} = \frac{n_v\, n_c}{N}

    It grows with the number of cases, for all features alike, which changes no neighbour; and with the number of
    values, which `SharedVariance` takes out. On symbols these are TiMBL's chi-squared weights.

    Reading: a case in which the feature is missing is left out for that feature (I6).

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: white1994; daelemans2005, sect. 5.1.

    >>> cases = [{"wind": "weak", "sky": "sun"}, {"wind": "weak", "sky": "rain"},
    ...          {"wind": "strong", "sky": "sun"}, {"wind": "strong", "sky": "rain"}]
    >>> ChiSquared().fit(cases, ["go", "go", "stay", "stay"]).feature_importances_
    array([4., 0.])
    """

    id = "chi2"
    reference = "white1994, daelemans2005"

    def _weigh(self, table: Contingency) -> float:
        return chi_squared(table)


class SharedVariance(Cut):
    r"""Chi-squared over the largest value that it can have: Cramer's coefficient, squared.

    .. math:: w_f = \frac{\chi^2_f}{N \min(v - 1,\; c - 1)}

    v values and c classes that occur. It lies in [0, 1] and corrects chi-squared for its degrees of freedom. One value
    or one class has 0.

    Reading: as for `ChiSquared`.

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: daelemans2005, sect. 5.1.

    >>> cases = [{"wind": "weak", "sky": "sun"}, {"wind": "weak", "sky": "rain"},
    ...          {"wind": "strong", "sky": "sun"}, {"wind": "strong", "sky": "rain"}]
    >>> SharedVariance().fit(cases, ["go", "go", "stay", "stay"]).feature_importances_
    array([1., 0.])
    """

    id = "sv"
    reference = "daelemans2005"

    def _weigh(self, table: Contingency) -> float:
        smaller = min(table.n_rows, table.n_columns) - 1
        return chi_squared(table) / (table.total * smaller) if smaller > 0 else 0.0


class Gini(Cut):
    r"""How much less often two cases differ in class when they share the value.

    .. math:: w_f = G(C) - \sum_v P(v)\,G(C \mid v), \qquad G(C) = 1 - \sum_c P(c)^2

    The splitting criterion of classification trees. A feature with one value has exactly 0.

    Reading: a case in which the feature is missing is left out for that feature (I6).

    Parameters: ``discretise``, ``bins`` and ``target_bins``, as for `InformationGain`.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: breiman1984, sect. 4.3.

    >>> cases = [{"wind": "weak", "sky": "sun"}, {"wind": "weak", "sky": "rain"},
    ...          {"wind": "strong", "sky": "sun"}, {"wind": "strong", "sky": "rain"}]
    >>> Gini().fit(cases, ["go", "go", "stay", "stay"]).feature_importances_
    array([0.5, 0. ])
    """

    id = "gini"
    reference = "breiman1984"

    def _weigh(self, table: Contingency) -> float:
        alike = float(dot(table.of_column / table.total, table.of_column / table.total))
        alike_by_value = float(dot(table.weights / table.total, table.weights / table.of_row[table.row_at]))
        found = alike_by_value - alike
        return found if found > ROUNDING else 0.0


def chi_squared(table: Contingency) -> float:
    """Pearson's statistic; an empty cell contributes what was expected in it."""
    expected = table.expected
    apart = table.weights - expected
    in_empty_cells = max(0.0, table.total - float(expected.sum()))
    found = float(np.sum(apart * apart / expected)) + in_empty_cells
    return found if found > ROUNDING * table.total else 0.0
