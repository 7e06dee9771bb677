"""Weights from the risk of a finite sample: along which features the classes change around a case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.target import BINS
from nearwise.errors import check_whole
from nearwise.search import Distance, plan
from nearwise.search.base import Payload
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.place import PRESET_GLOBAL, Place
from nearwise.weights import Global, PerCase, Weights
from nearwise.weights.local import Near
from nearwise.weights.risk import slopes

__all__ = ["GlobalRisk", "LocalRisk"]

Array = NDArray[np.float64]

CHUNK = 4_000_000
"""differences held at once"""


class _Risk(Weighting):
    """Works out the slopes around every case."""

    numbers = "binned"
    status = "from description"
    n_near: int
    target_bins: int

    def _around(self, problem: Problem) -> Array:
        """(n, p) the squared slopes of all classes around each case, which is left out."""
        n, p, target = len(problem.cases), len(problem.features), problem.target
        k = min(check_whole("n_near", self.n_near, 2), n - 1)
        out = np.zeros((n, p))
        if k < 2:
            return out
        even = Distance(problem.metric, Global(np.ones(p), problem.features), problem.stored)
        engine, asking = plan(even).engine, problem.asking
        step = max(1, CHUNK // (k * p))
        for start in range(0, n, step):
            rows = np.arange(start, min(n, start + step))
            queries = asking.take(rows)
            found = engine.nearest(queries, k, Payload.nothing(n), rows)
            near = Near(found.indices, problem.metric.root(found.sums), rows)
            out[rows] = slopes(even.stored, queries, near, target.values, target.weights)
        return out


class LocalRisk(_Risk):
    r"""Short & Fukunaga: around each stored case, features count by how fast the classes change along them.

    .. math:: w_f(x) \propto \sum_c \Bigl(\frac{\partial P_c}{\partial f}\Bigr)^2, \qquad
       \frac{\partial P_c}{\partial f} \approx \frac{\pi_c\,(M_{cf} - M_f)}{V_f}

    With a neighbour x' of x, the risk of the nearest neighbour is :math:`\sum_c P_c(x)\,(1 - P_c(x'))`; with ever more
    cases x' comes to x. The two differ by :math:`\sum_c P_c(x)\,(P_c(x) - P_c(x'))`, which is small where x' lies in a
    direction in which the class shares P do not change. So the distance around x counts a feature by the squared slopes
    of the shares along it, estimated by least squares among the ``n_near`` nearest cases, each counting by the
    tricube of its distance over that of the farthest: :math:`\pi_c` is the share of class c, :math:`M_c` its mean, M
    and V mean and variance of all.

    The weights of each case have mean 1, or one case would seem near to everything; where no share changes, they are 1
    each. The case itself is left out of its neighbourhood.

    Reading: built from the review's description; all choices are SF1 to SF5. Sample weights count.

    Parameters: ``n_near``, how many cases the slopes are estimated from; ``target_bins``, into how many intervals of
    about equally many cases a target that is a number is cut.

    Attributes: ``weights_`` (PerCase), ``feature_importances_`` (p,) their mean over the cases.

    References: short1981; myles1990 for several classes; wettschereck1997, sect. 3.4.

    >>> cases = [[0.0, 0.0], [0.1, 0.9], [0.2, 0.4], [0.8, 0.1], [0.9, 0.6], [1.0, 1.0]]
    >>> LocalRisk().fit(cases, ["a", "a", "a", "b", "b", "b"]).weights_.values[0].round(2).tolist()
    [1.38, 0.62]
    """

    id = "short-fukunaga"
    place = Place(generality="local")
    reference = "short1981, myles1990, wettschereck1997"
    shape = "per-case"
    learns_again = True

    def __init__(self, n_near: int = 50, target_bins: int = BINS) -> None:
        self.n_near = n_near
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        found = self._around(problem)
        means = found.mean(axis=1, keepdims=True)
        return PerCase(np.where(means > 0, found / np.where(means > 0, means, 1.0), 1.0), problem.features)


class GlobalRisk(_Risk):
    r"""Fukunaga & Flick: the local weights of all cases put together in one vector.

    .. math:: w_f = \frac1n \sum_x \sum_c \Bigl(\frac{\partial P_c}{\partial f}(x)\Bigr)^2

    The local weights of `LocalRisk`, before they are scaled, averaged over the training cases: a case in the midst of
    its class adds nothing, one at a boundary adds much. One noisy neighbourhood no longer decides, which is what
    Fukunaga and Flick held against local weights. Where no share changes anywhere, all features weigh the same.

    Reading: built from the review's description; FF1, and SF1 to SF4 as in `LocalRisk`. Sample weights count, in the
    slopes and in the mean.

    Parameters: ``n_near``, how many cases slopes are estimated from; ``target_bins``, into how many intervals of about
    equally many cases a target that is a number is cut.

    Attributes: ``weights_`` (Global), with mean 1.

    References: fukunaga1984; wettschereck1997, sect. 3.4.

    >>> cases = [[0.0, 0.0], [0.1, 0.9], [0.2, 0.4], [0.8, 0.1], [0.9, 0.6], [1.0, 1.0]]
    >>> GlobalRisk().fit(cases, ["a", "a", "a", "b", "b", "b"]).weights_
    Global(2 features; x0: 1.19, x1: 0.809)
    """

    id = "fukunaga-flick"
    place = PRESET_GLOBAL
    reference = "fukunaga1984, wettschereck1997"

    def __init__(self, n_near: int = 50, target_bins: int = BINS) -> None:
        self.n_near = n_near
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        amounts = problem.target.weights
        found = dot(amounts / max(float(amounts.sum()), 1e-300), self._around(problem))
        if not found.any():
            return Global(np.ones(len(problem.features)), problem.features)
        return Global(found / found.mean(), problem.features)
