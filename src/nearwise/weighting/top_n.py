"""The best features of another weighting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nearwise.errors import InputError
from nearwise.statistics.draws.feature_words import feature_words
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.place import Place
from nearwise.weighting.served import COUNTED, COUNTED_NEEDS
from nearwise.weights import Global, Weights

__all__ = ["TopN"]


@with_parameters
class TopN(Weighting):
    r"""The n features to which another weighting gives most; the others are left out.

    .. math:: w_f = [\,\text{fewer than } n \text{ features have a larger } v\,], \qquad
              v = \text{the weights of the other}

    Of local weights v is the mean over classes by their priors. Equal weights go to the first in canonical order. With
    ``keep_weights=True`` the features that stay keep v; that is the other curve of the review's figure 4, in which both
    are compared while more and more features are removed. A target that is a number is what the other makes of it.

    Parameters
    ----------
    of : str or Weighting
        The weighting, by its id or as an object.
    n_features : int or float
        How many features stay, or which share of them (rounded up).
    keep_weights : bool
        Whether they keep their weight instead of getting 1.
    random_state, n_jobs
        Handed to a weighting that is given by its id, where it takes them.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``scores_`` (p,) the weights of the other, ``of_`` its parameters in words.

    References: wettschereck1997, sect. 4.4 and figure 4.

    >>> X = [[0, 5, 1], [1, 9, 1], [2, 2, 1], [7, 6, 1], [8, 1, 1], [9, 8, 2]]
    >>> TopN(of="ig", n_features=1).fit(X, list("uuuvvv")).weights_
    Global(3 features; x0: 1, x1: 0, x2: 0)
    """

    kinds = COUNTED  # those of 'ig'; another weighting has its own
    needs = COUNTED_NEEDS

    id = "top-n"
    numbers = "own"  # the other weighting refuses what it cannot learn from
    place = Place(weight_space="binary")
    reference = "wettschereck1997"

    of: Any = "ig"
    n_features: float = 0.5
    keep_weights: bool = False
    random_state: Any = None
    n_jobs: int | None = None

    @property
    def suggested_differences(self) -> Any:
        return self._other().suggested_differences

    def _other(self) -> Weighting:
        from nearwise.weighting import get

        if isinstance(self.of, Weighting):
            return type(self.of)(**self.of.get_params(deep=False))
        if not isinstance(self.of, str):
            raise InputError(f"of={self.of!r}: expected the id of a weighting, or a weighting.")
        other = get(self.of)
        shared = {"random_state": self.random_state, "n_jobs": self.n_jobs}
        own = other.get_params(deep=False)
        return other.set_params(**{name: v for name, v in shared.items() if name in own and v is not None})

    def _count(self, p: int) -> int:
        given = self.n_features
        if isinstance(given, bool | str) or not isinstance(given, int | float | np.number):
            raise InputError(f"n_features={given!r}: expected a whole number from 1, or a share above 0 and up to 1.")
        if isinstance(given, int | np.integer):
            if given < 1:
                raise InputError(f"n_features={given!r}: expected a whole number from 1, or a share.")
            return min(int(given), p)
        if not 0 < given <= 1:
            raise InputError(f"n_features={given!r}: expected a share above 0 and up to 1, or a whole number.")
        return max(1, math.ceil(given * p - 1e-9))

    def _learn(self, problem: Problem) -> Weights:
        count, other = self._count(len(problem.features)), self._other()
        scores = np.array(other.learn(problem).importances)
        order = np.argsort(-scores, kind="stable")
        if count < len(order) and scores[order[count - 1]] == scores[order[count]]:
            order = np.lexsort([feature_words(problem.metric, problem.cases, problem.target), -scores])
        kept = order[:count]
        weights = np.zeros(len(scores))
        weights[kept] = scores[kept] if self.keep_weights else 1.0
        self.scores_, self.of_ = scores, repr(other)
        return Global(weights, problem.features)
