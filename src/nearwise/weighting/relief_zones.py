"""SURF and MultiSURF: Relief without k. Who is near is a matter of distance, and far cases may count the other way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.progress import stage
from nearwise.search.base import TIE
from nearwise.statistics.contrasts.numbers import RegressionContrast
from nearwise.statistics.scattered import Collected
from nearwise.weighting.asking import AUTO, Asked, Asking
from nearwise.weighting.base import with_parameters
from nearwise.weighting.relief import ReliefLike, contrast_weights

__all__ = ["SURF", "MultiSURF", "MultiSURFStar", "SURFStar"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@with_parameters
class Zones(ReliefLike):
    """Near cases are those nearer than a limit, far ones those beyond another; each class counts by its mean."""

    per_case: ClassVar[bool]
    """whether each case has limits of its own, or all have the mean distance of all pairs"""
    usual_asking = 5_000
    uses_far: ClassVar[bool] = False
    """whether far cases count, the other way round"""

    n_samples: int | str | None = AUTO
    drop: float | None = None
    keep: float = 0.5
    unknown: str = "probabilities"
    ramp: tuple[float, float] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _scores(self, asking: Asking) -> Asked | None:
        contrast, target = asking.contrast, asking.target
        weigh, found = contrast_weights(target), Collected(len(contrast.measures))
        members = (contrast.groups[:, None] == np.arange(contrast.n_groups)).astype(np.float64)  # (n, c)
        overall = None if self.per_case else self._mean_distance(asking)
        with asking.budget:
            for at, piece, sums, (nearer, farther) in self._zoned(asking, overall):
                near, far = sums < nearer[:, None], sums > farther[:, None]
                coefficients = np.zeros_like(sums)
                for zone, sign in ((near, 1.0), (far, -1.0))[: 1 + self.uses_far]:
                    zone[np.arange(len(piece)), piece] = False
                    inside = zone @ members  # (m, c) how many of each class
                    each = sign * weigh[contrast.groups[piece]] / np.maximum(inside, 1.0)
                    coefficients += zone * each[:, contrast.groups]
                found.add(at, piece, contrast.blocked(piece, coefficients * target.weights[piece][:, None]))
                asking.note(piece)
        return asking.mean(found, wide=2.0 * (1 + self.uses_far))

    def _number_scores(self, asking: Asking) -> Asked | None:
        """The formula of `RReliefF` with the zone as neighbours, less that with the far zone where far cases count."""
        contrast, target = asking.contrast, asking.target
        zones = [RegressionContrast(contrast, target) for _ in range(1 + self.uses_far)]
        totals = Collected(len(zones))
        overall = None if self.per_case else self._mean_distance(asking)
        with asking.budget:
            for number, piece, sums, (nearer, farther) in self._zoned(asking, overall):
                weight = np.zeros(len(zones))
                for at, inside in enumerate((sums < nearer[:, None], sums > farther[:, None])[: len(zones)]):
                    inside[np.arange(len(piece)), piece] = False
                    sizes = inside.sum(axis=1)
                    asks = np.where(sizes > 0, target.weights[piece], 0.0)  # an empty zone says nothing
                    weight[at] = asks.sum()
                    zones[at].add_block(number, piece, inside * (asks / np.maximum(sizes, 1))[:, None])
                totals.add(number, piece, weight)
                asking.note(piece)
        found = [asking.regression(zone, float(total)) for zone, total in zip(zones, totals.total, strict=True)]
        near, far = found[0], found[-1]
        if near is None or far is None or not self.uses_far:
            return near
        return Asked(near.scores - far.scores, far.rows, near.wide + far.wide)

    def _zoned(
        self, asking: Asking, overall: float | None
    ) -> Iterator[tuple[int, Ints, Floats, tuple[Floats, Floats]]]:
        """Pieces of (number, rows, sums, limits).

        Where Ctrl-C came while the mean distance was sought, the mean so far limits the zones, of as many cases as can
        ask in a moment.
        """
        passes = 1.0 if self.per_case else 2.0
        if overall is None and not self.per_case:
            return
        with stage(1.0, passes, passes - 1.0):
            for at, piece, sums in asking.contrast.blocks(asking.rows):
                yield at, piece, sums, self._limits(sums, piece, overall)
                if asking.budget.is_spent:
                    return

    def _mean_distance(self, asking: Asking) -> float | None:
        """Of the cases that ask from all others; None where Ctrl-C came before the first."""
        contrast, found = asking.contrast, Collected(1)
        with asking.budget, stage(1.0, 2.0):
            for at, piece, sums in contrast.blocks(asking.rows):
                found.add(at, piece, np.array([_without_self(sums, piece).sum()]))
                asking.budget.start = f"{self.id!r} goes by as many cases as can ask in a moment"
        pairs = max(1, len(found.rows) * (len(contrast) - 1))
        return float(found.total[0]) / pairs if len(found) else None

    def _limits(self, sums: Floats, rows: Ints, overall: float | None) -> tuple[Floats, Floats]:
        """(m,) nearer than the first is near, farther than the second is far; a distance at the limit is neither."""
        others = max(1, sums.shape[1] - 1)
        if overall is not None:
            middle, band = np.full(len(sums), overall), np.zeros(len(sums))
        else:
            middle = _without_self(sums, rows).sum(axis=1) / others
            gaps = _without_self(np.square(sums - middle[:, None]), rows)
            band = np.sqrt(gaps.sum(axis=1) / others) / 2.0
        rounding = TIE * middle  # equal distances must not be told apart by how they were added up
        return middle - band - rounding, middle + band + rounding


def _without_self(sums: Floats, rows: Ints) -> Floats:
    """(m, n) with 0 where a case meets itself."""
    out = sums.copy()
    out[np.arange(len(rows)), rows] = 0.0
    return out


class SURF(Zones):
    r"""Relief with all cases nearer than the mean distance of all pairs as neighbours.

    .. math::
        w_f = \frac1m \sum_i \Bigl[ \sum_{c \ne c_i} \frac{P(c)}{1 - P(c_i)} \bar\delta_f(i, N_c(i))
              - \bar\delta_f(i, N_{c_i}(i)) \Bigr], \qquad N_c(i) = \{ j \in c : d(i, j) < \bar d \}

    d is the sum of differences. A class with no case in the zone adds 0.

    Reading: classes, missing values and negative scores as in `ReliefF` (F1, F2, F4 to F8, F10); a distance that
    equals the limit is not inside (F11). A target that is a number has the score of `RReliefF` with the cases in the
    zone as neighbours, each of equal influence; cases whose zone is empty do not ask (F14).

    Parameters: ``n_samples``, ``drop``, ``keep``, ``unknown``, ``ramp``, ``n_jobs`` and ``random_state`` as in
    `ReliefF`, but for "auto", which asks up to 5,000 cases: each is compared with all others. With a sample the mean
    distance is that of the cases that ask.

    Attributes: ``weights_`` (Global), ``scores_`` (p,), ``stopped_`` and ``sampled_`` as in `ReliefF`.

    References: greene2009; urbanowicz2018.

    >>> cases = [{"size": 1, "hue": "red"}, {"size": 2, "hue": "blue"},
    ...          {"size": 9, "hue": "red"}, {"size": 7, "hue": "blue"}]
    >>> SURF().fit(cases, ["small", "small", "big", "big"]).scores_.round(3).tolist()
    [0.625, -1.0]
    """

    id = "surf"
    reference = "greene2009, urbanowicz2018"
    per_case = False


class SURFStar(Zones):
    r"""SURF, with the cases farther than the mean distance counting the other way round.

    .. math:: w_f = w_f^{near} - w_f^{far}

    with :math:`w^{near}` as in `SURF` and :math:`w^{far}` the same over the cases with d(i, j) above the mean distance:
    a far hit that differs speaks for the feature, a far miss that differs against it.

    Reading: as `SURF` (F1, F2, F4 to F8, F10); a distance that equals the limit is in neither zone (F11).

    Parameters: as `SURF`. Attributes: ``weights_`` (Global), ``scores_`` (p,).

    References: greene2010; urbanowicz2018.

    >>> cases = [{"a": a, "b": b, "c": c} for a in "01" for b in "01" for c in "01"]
    >>> SURFStar().fit(cases, [case["a"] == case["b"] for case in cases]).scores_.round(3).tolist()
    [1.0, 1.0, -1.5]
    """

    id = "surf-star"
    reference = "greene2010, urbanowicz2018"
    per_case = False
    uses_far = True


class MultiSURF(Zones):
    r"""Relief with the cases clearly nearer than a case's own mean distance as its neighbours.

    .. math:: N_c(i) = \{ j \in c : d(i, j) < \mu_i - \sigma_i / 2 \}

    in the equation of `SURF`, with the mean and the standard deviation of the distances of case i from all others.

    Reading: as `SURF` (F1, F2, F4 to F8, F10, F11); the deviation divides by the number of other cases (F12).

    Parameters: as `SURF`. Attributes: ``weights_`` (Global), ``scores_`` (p,).

    References: urbanowicz2018.

    >>> cases = [{"a": a, "b": b, "c": c} for a in "01" for b in "01" for c in "01"]
    >>> MultiSURF().fit(cases, [case["a"] == case["b"] for case in cases]).scores_.round(3).tolist()
    [0.5, 0.5, -1.0]
    """

    id = "multisurf"
    reference = "urbanowicz2018"
    per_case = True


class MultiSURFStar(Zones):
    r"""MultiSURF, with the cases clearly farther than a case's own mean distance counting the other way round.

    .. math:: w_f = w_f^{near} - w_f^{far}, \qquad F_c(i) = \{ j \in c : d(i, j) > \mu_i + \sigma_i / 2 \}

    Reading: as `MultiSURF` (F1, F2, F4 to F8, F10 to F12).

    Parameters: as `SURF`. Attributes: ``weights_`` (Global), ``scores_`` (p,).

    References: granizo2013; urbanowicz2018.

    >>> cases = [{"a": a, "b": b, "c": c} for a in "01" for b in "01" for c in "01"]
    >>> MultiSURFStar().fit(cases, [case["a"] == case["b"] for case in cases]).scores_.round(3).tolist()
    [1.5, 1.5, 0.0]
    """

    id = "multisurf-star"
    reference = "granizo2013, urbanowicz2018"
    per_case = True
    uses_far = True
