"""IB4: how often a feature speaks for the class of the nearest case, counted online."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.statistics.trials.online import Pool, first_smallest
from nearwise.statistics.trials.records import Records
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.one_pass import MAX_PASSED, OnePass
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weights import Global, PerClass, Weights

__all__ = ["IB4"]

Array = NDArray[np.float64]


@with_parameters
class IB4(Weighting):
    r"""IB4: a feature counts by how much more often than not it agrees with the answer of the nearest case.

    .. math:: w_f = \max\Bigl(\frac{C_f}{N_f} - \frac12,\; 0\Bigr), \qquad
       C_f \mathrel{+}= (1 - \Lambda) \begin{cases} 1 - \delta(x_f, y_f) & \text{if } x_c = y_c \\
       \delta(x_f, y_f) & \text{otherwise} \end{cases}, \qquad N_f \mathrel{+}= 1 - \Lambda

    For each case x in the given order, y is the nearest of the cases before it under the weights at hand, and
    :math:`\Lambda = \max(P(x_c), P(y_c))`, so that an answer about common classes counts less. :math:`\delta` is the
    difference over the feature's largest one. A feature that the missing policy leaves out of the pair does not
    change. The share :math:`C_f / N_f` of an irrelevant feature with values spread evenly tends to 1/2, and its weight
    to 0.

    Reading: the bracket of eq. 13 is (1 - delta)(1 - Lambda), as Aha has it; with the printed one nothing tends to 1/2
    (B1); the increment is added in both cases (B2); before the first update a weight is 1 (B3); P is that of the whole
    training set (B4); one vector, or with ``per_class`` one per concept, as Aha (B5): the vector of class c learns from
    "c or not c" alone, with neighbours of its own, and serves the stored cases of class c; y is the nearest case, or
    with ``acceptable`` the nearest one that IB3 accepts (B6); the distance is the root of the sum of w * delta^2 (B7).
    A case of sample weight 0 is skipped; other sample weights count in P only.

    Parameters
    ----------
    per_class : bool
    acceptable : bool
        Ask the nearest case that is right significantly more often (90%) than its class comes up, where there is one.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: they are its classes. With
        more than two, cases of different classes are so common that most scores fall below 0.
    max_cases : int or None
        Where there are more cases, the pass takes so many of them, of each class its share, drawn by their content, in
        the given order. None takes all.

    Attributes
    ----------
    weights_ : Global or PerClass
    scores_ : array
        (p,) or (c, p): C / N - 1/2, before clipping at 0.
    stopped_ : str
        "interrupt" where Ctrl-C ended the pass, else nothing.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" of a share counted over them, with its "confidence".

    Notes
    -----
    References: aha1992; wettschereck1997, eqs. 12-13; aha1991.

    >>> cases = [{"hue": "red", "shape": "round"}, {"hue": "red", "shape": "long"}, {"hue": "blue", "shape": "long"}]
    >>> IB4().fit(cases, ["ripe", "ripe", "raw"]).scores_.tolist()
    [0.5, 0.0]
    """

    id = "ib4"
    numbers = "binned"
    place = FEEDBACK_GLOBAL
    reference = "aha1992, wettschereck1997, aha1991"
    by_order = True

    per_class: bool = False
    acceptable: bool = False
    target_bins: int = 2
    max_cases: int | None = MAX_PASSED

    def _learn(self, problem: Problem) -> Weights:
        target = problem.target
        classes = [] if target.classes is None else target.classes.tolist()
        once = OnePass(self.id, max(1, len(classes)) if self.per_class else 1)
        if not self.per_class:
            self.scores_ = self._pass(problem, target.values, target.priors, once)
            self.stopped_ = once.stopped
            return Global(np.maximum(self.scores_, 0.0), problem.features)
        concepts: list[Array] = []
        for code, share in enumerate(target.priors):
            if once.is_interrupted:  # a class without a pass has the mean of the others
                concepts.append(np.mean(concepts[:code], axis=0))
                continue
            members = (target.values == code).astype(np.intp)
            concepts.append(self._pass(problem, members, np.array([1.0 - share, share]), once))
        self.scores_, self.stopped_ = np.array(concepts), once.stopped
        weights = np.maximum(self.scores_, 0.0)
        weights[~weights.any(axis=1)] = 1.0  # a class without weights would be at distance 0 from everything
        return PerClass(weights, problem.features, classes, target.priors)

    def _pass(self, problem: Problem, classes: NDArray[np.intp], priors: Array, once: OnePass) -> Array:
        """(p,) C / N - 1/2 after one pass over the cases."""
        names = problem.features
        pool, records = Pool(problem.metric, problem.cases, asking=problem.asking), Records(classes, len(priors))
        sums, norms = np.zeros(len(names)), np.zeros(len(names))
        rows = np.flatnonzero(problem.target.weights > 0)
        with once:
            for case in once.over(rows.tolist()):
                if len(pool):
                    other = self._neighbour(pool, case, Global(np.maximum(_scores(sums, norms), 0.0), names), records)
                    gaps = pool.differences(case, other)
                    known = ~np.isnan(gaps)
                    amount = 1.0 - max(priors[classes[case]], priors[classes[other]])
                    agree = 1.0 - gaps if classes[case] == classes[other] else gaps
                    sums[known] += amount * agree[known]
                    norms[known] += amount
                pool.add(case)
                records.seen[classes[case]] += 1
        return _scores(sums, norms)

    def _neighbour(self, pool: Pool, case: int, weights: Weights, records: Records) -> int:
        """The nearest case before this one, or the nearest acceptable one, whose like are then put on record."""
        if not self.acceptable:
            return pool.nearest(case, weights)
        ids, found = pool.ids, pool.sums(case, weights)
        good = np.flatnonzero(records.are_acceptable(ids))
        at = int(good[first_smallest(found[good], ids[good])]) if len(good) else first_smallest(found, ids)
        records.note(ids[found <= found[at]], int(records.classes[case]))
        return int(ids[at])


def _scores(sums: Array, norms: Array) -> Array:
    """C / N - 1/2, and 1 before the first update (B3)."""
    return np.where(norms > 0, sums / np.where(norms > 0, norms, 1.0) - 0.5, 1.0)
