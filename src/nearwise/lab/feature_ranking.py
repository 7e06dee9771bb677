r"""Several methods' weights side by side: ranks of the features, one ranking of all together, and how far they agree.

Within a method the heaviest feature has rank 1, and equal ones share the mean of their ranks. With R(f) the sum of the
ranks of feature f over m methods, Kendall's coefficient of concordance is

.. math:: W = \frac{12 \sum_f (R_f - \bar R)^2}{m^2 (p^3 - p) - m \sum_j T_j}, \qquad T_j = \sum (t^3 - t)

over groups of t features that tie in method j: 1 where all methods give the same ranks, about 1/m where they have
nothing to do with one another. Two methods agree by Spearman's correlation of their ranks.

References: kendall1939.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import left_out as without
from nearwise.errors import InputError, NearwiseError, NearwiseWarning, warn
from nearwise.estimators.by_name import AUTO, DEFAULT, by_name, is_featurewise, is_named
from nearwise.lab.paired import mid_ranks
from nearwise.progress import progress

__all__ = ["FEW_RANKINGS", "FeatureRanking", "agreement", "importances_by", "rank_features", "spearman"]

FEW_RANKINGS = {False: ("gr", "ig", "chi2", "relief-f", "mdw", "sfa"), True: ("corr", "rrelief-f", "mdw", "sfa")}
"""the methods that rank where none are named, by whether numbers are predicted: of different families, and quick"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FeatureRanking:
    """Weights of the same features by several methods, and what becomes of them together."""

    features: tuple[str, ...]
    methods: tuple[str, ...]
    weights: Floats
    """(methods, features)"""
    left_out: Mapping[str, str]
    """why a method that was asked has no weights here"""

    @property
    def ranks(self) -> Floats:
        """(methods, features) from 1, the heaviest; equal weights share their ranks."""
        return np.array([mid_ranks(-row) for row in self.weights]).reshape(len(self.methods), len(self.features))

    @property
    def mean_ranks(self) -> Floats:
        """(features,) the one ranking of all methods together."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def order(self) -> NDArray[np.intp]:
        """(features,) the features by their mean rank, the heaviest first."""
        return np.argsort(self.mean_ranks, kind="stable")

    @property
    def agreement(self) -> float:
        """Kendall's W; NaN for one method or one feature."""
        return agreement(self.ranks)

    @property
    def pairs(self) -> Floats:
        """(methods, methods) Spearman's correlation of the ranks; NaN where a method gives every feature one rank."""
        return spearman(self.ranks)

    def to_json(self) -> dict[str, Any]:
        named = list(enumerate(self.methods))
        by_feature = [dict(zip(self.features, row.tolist(), strict=True)) for row in self.weights]
        ranked = [dict(zip(self.features, row.tolist(), strict=True)) for row in self.ranks]
        pairs = self.pairs.tolist()
        return {
            "features": [self.features[f] for f in self.order],
            "methods": list(self.methods),
            "mean_rank": {self.features[f]: float(self.mean_ranks[f]) for f in self.order},
            "ranks": {name: ranked[j] for j, name in named},
            "weights": {name: by_feature[j] for j, name in named},
            "agreement": {
                "kendall_w": self.agreement,
                "spearman": {a: {b: pairs[i][j] for j, b in named} for i, a in named},
            },
            "left_out": dict(self.left_out),
        }


def agreement(ranks: Floats) -> float:
    """Kendall's W of (methods, features) ranks, with its correction for ties.

    >>> agreement(np.array([[1.0, 2, 3], [1, 2, 3]])), agreement(np.array([[1.0, 2, 3], [3, 2, 1]]))
    (1.0, 0.0)
    """
    m, p = ranks.shape
    if m < 2 or p < 2:
        return float("nan")
    tied = sum(float((counts**3 - counts).sum()) for counts in (np.unique(row, return_counts=True)[1] for row in ranks))
    most = m**2 * (p**3 - p) - m * tied
    total = ranks.sum(axis=0)
    return float(12 * np.square(total - total.mean()).sum() / most) if most > 0 else float("nan")


def spearman(ranks: Floats) -> Floats:
    """(m, m) correlations of the rows of (m, p) ranks."""
    apart = ranks - ranks.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.square(apart).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip((apart @ apart.T) / np.outer(lengths, lengths), -1.0, 1.0))


def rank_features(
    X: Any, y: Any, methods: Iterable[Any] | Mapping[str, Any] | None = None, *, regression: bool = False,
    schema: Any = None, ignore: Iterable[str] = (), time_limit: float | None = None, seed: int = 0, **settings: Any,
) -> FeatureRanking:  # fmt: skip
    """Rank the features of a table by several methods: ids, ``"default"``, ``"auto"`` or weightings, by name or not.

    A method that cannot work on the table, or whose turn comes after ``time_limit`` seconds, is left out with its
    reason; the columns that ``ignore`` names are no features. ``settings`` say how cases are compared, as for
    `KNNClassifier`.

    >>> found = rank_features([[1, 5], [2, 5], [8, 4], [9, 5]], ["a", "a", "b", "b"], ["gr", "mdw"])
    >>> found.methods, found.ranks.tolist()
    (('gr', 'mdw'), [[1.0, 2.0], [1.0, 2.0]])
    """
    table, schema = without(X, schema, ignore)
    asked = FEW_RANKINGS[regression] if methods is None else methods
    named = dict(asked) if isinstance(asked, Mapping) else {str(each): each for each in asked}
    if not named:
        raise InputError("There is no method to rank by: name one or more.")
    found: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    features: tuple[str, ...] = ()
    start = time.monotonic()
    try:
        for name, given in progress(named.items(), len(named), "ranking"):
            if time_limit is not None and found and time.monotonic() - start > time_limit:
                left_out[name] = f"the {time_limit:g} seconds were over"
                continue
            try:
                features, found[name] = importances_by(table, y, (name, given), regression, schema, seed, settings)
            except NearwiseError as error:
                left_out[name] = str(error)
    except KeyboardInterrupt:
        if not found:
            raise
        warn(f"Interrupted: {len(found)} of {len(named)} methods are kept.")
        left_out |= {name: "interrupted" for name in named if name not in found and name not in left_out}
    if not found:
        told = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"No method can rank these features. {told}")
    return FeatureRanking(features, tuple(found), np.array(list(found.values())), left_out)


def importances_by(
    X: Any, y: Any, method: tuple[str, Any], regression: bool, schema: Any, seed: int, settings: Mapping[str, Any],
    sample_weight: Any = None,
) -> tuple[tuple[str, ...], Floats]:  # fmt: skip
    """The given features and how much each counts by one method; warnings say which."""
    name, given = method
    own: dict[str, Any] = dict(settings)
    if is_named(given, AUTO) or is_featurewise(given):
        own = {}
    else:  # only the distance is wanted
        own |= {"n_neighbors": 1, "answer": "vote", "vote": "distance"}
    given = DEFAULT if given is None else given
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NearwiseWarning)
        model = by_name(given, regression, schema=schema, random_state=seed, **own).fit(X, y, sample_weight)
        importances = np.asarray(model.feature_importances_, dtype=np.float64)
    for each in dict.fromkeys(str(warning.message) for warning in told):
        warn(f"{name}: {each}")
    represented = getattr(model, "_represented", None)  # by single-feature votes there is none
    if represented is not None:  # methods are compared on the features that were given
        return represented.schema.names, represented.shared_out(importances)
    return tuple(model.schema_.names), importances
