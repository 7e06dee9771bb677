"""Friedman's scythe: the scale of each feature around a query, by recursive partitioning."""

from __future__ import annotations

import numpy as np

from nearwise.cases.target import BINS
from nearwise.errors import InputError, check_whole
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.local import with_mean
from nearwise.weighting.place import Place
from nearwise.weights import Scythe, Weights

__all__ = ["RecursiveScales"]


class RecursiveScales(Weighting):
    r"""Friedman's scythe: zoom in on each query along the feature that matters most, again and again.

    .. math:: w_f(q) = h_f^{-p}, \qquad
       \hat I_f = \sum_c \bigl(P(c \mid f) - P(c)\bigr)^2
       - \frac{r}{r - 1} \Bigl(\frac1s - \frac1r\Bigr) \sum_c P(c)\,(1 - P(c))

    h is the half width of a range around q, for each feature at first so wide that it holds all cases. In every step
    each feature would narrow its range so that a ``fraction`` of the r cases left falls outside, and s stay. The one
    whose cut moves the shares P of the classes most does so: :math:`\hat I` estimates by how much, and so what knowing
    f would take from the error of a prediction; its second part is what chance would move. The cases outside are
    discarded, until ``n_left`` remain or no cut helps. The weights of a query have mean 1.

    A stored case that asks is left out. Cases that differ by the same from q stay together. Reading: built from the
    review's description; all choices are SC1 to SC5. Sample weights count in P.

    Parameters
    ----------
    n_left : int
        Cases at which the zoom ends.
    fraction : float
        What falls outside in each step, between 0 and 1.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: they are its classes.

    Attributes
    ----------
    weights_ : Scythe
        What weights are worked out from, with their mean around (at most 200) training cases.

    Notes
    -----
    References: friedman1994; wettschereck1997, sect. 3.4.

    >>> cases = [[0.0, 0.0], [0.1, 0.9], [0.2, 0.4], [0.8, 0.1], [0.9, 0.6], [1.0, 1.0]]
    >>> scythe = RecursiveScales(n_left=2, fraction=0.5).fit(cases, ["a", "a", "a", "b", "b", "b"])
    >>> scythe.feature_importances_.round(2).tolist()
    [1.91, 0.09]
    """

    id = "scythe"
    numbers = "binned"
    place = Place(generality="local")
    reference = "friedman1994, wettschereck1997"
    shape = "scythe"
    status = "from description"
    learns_again = True

    def __init__(self, n_left: int = 20, fraction: float = 0.3, target_bins: int = BINS) -> None:
        self.n_left = n_left
        self.fraction = fraction
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        check_whole("n_left", self.n_left, 1)
        if not (isinstance(self.fraction, int | float | np.number) and 0 < self.fraction < 1):
            raise InputError(f"fraction={self.fraction!r}: expected a number between 0 and 1.")
        target, names = problem.target, problem.features
        made = Scythe(np.ones(len(names)), names, target.values, target.weights, int(self.n_left), float(self.fraction))
        return with_mean(problem, made)
