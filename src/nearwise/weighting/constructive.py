"""IB3-CI: features that join tests of given ones, and weights of 0 or 1 by competition."""

from __future__ import annotations

import numpy as np

from nearwise.cases.target import BINS
from nearwise.errors import warn
from nearwise.representation.base import Representation
from nearwise.representation.logical import Logical, competing
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.place import Place
from nearwise.weights import Global, Weights

__all__ = ["ConstructiveInduction"]


@with_parameters
class ConstructiveInduction(Weighting):
    r"""Weight 1 for features, given or constructed, that tell a class apart better than always saying the same; else 0.

    .. math:: w_f = [\,\exists m, C: low(right_C(m)) > high(\max(P(C), 1 - P(C)))\,]

    over the tests m of feature f, with low and high the ends of Wilson's interval. An estimator that is given this
    weighting first constructs features by `nearwise.representation.Logical` (``age > 50 and smoker = yes``), which are
    then in its table, its explanations and its model files; a fit of the weighting alone weighs the features given. Any
    other weighting has the constructed features by ``representation="ib3-ci"``.

    Text, sets, vectors and functions have no tests: they do not compete, and keep weight 1. Where no feature wins, all
    keep 1, with a warning. A target that is a number is taken in ``target_bins`` classes.

    Reading: from the description in the review; C1 to C6.

    Parameters
    ----------
    max_terms, max_tests, max_features : int
        Tests that a constructed feature joins, tests that are tried, and features that are constructed, at most.
    confidence : float
        Of the intervals that compete.
    target_bins : int
        Classes of a target that is a number.

    Notes
    -----
    Attributes: ``weights_`` (Global).

    References: aha1991ci; wettschereck1997, sect. 3.3; schlimmer1987.

    >>> import nearwise as nw
    >>> cases = [{"age": a, "smoker": s} for a in (30, 40, 60, 70) for s in ("yes", "no")] * 10
    >>> ill = [case["age"] > 50 and case["smoker"] == "yes" for case in cases]
    >>> model = nw.KNNClassifier(1, "ib3-ci").fit(cases, ill)
    >>> print(model.feature_weights_)
    Global(3 features; age > 50 and smoker = yes: 1, age: 0, smoker: 0)
    """

    id = "ib3-ci"
    numbers = "binned"
    place = Place(weight_space="binary", representation="transformed", knowledge="intensive")
    reference = "aha1991ci, wettschereck1997, schlimmer1987"
    status = "from description"

    max_terms: int = 3
    max_tests: int = 20
    max_features: int = 10
    confidence: float = 0.99
    target_bins: int = BINS

    @property
    def own_representation(self) -> Representation:
        return Logical(self.max_terms, self.max_tests, self.max_features, self.confidence)

    def _learn(self, problem: Problem) -> Weights:
        wins = competing(problem.table, problem.target, self.confidence)
        if not wins.any():
            warn(
                f"No feature tells a class apart better than always saying the same ({self.id}): all keep weight 1. "
                "Try 'ig', 'mdw' or 'relief-f'."
            )
            wins = np.ones(len(wins), dtype=bool)
        return Global(wins.astype(np.float64), problem.features)
