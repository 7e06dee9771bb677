"""Random mutation hill climbing over feature subsets (Skalak)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_whole
from nearwise.progress import stage
from nearwise.statistics.trials.classes import Evaluator
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_SELECTION
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import FEWER
from nearwise.weighting.wrapping import Wrapper

__all__ = ["RandomMutation"]

Array = NDArray[np.float64]
Bits = NDArray[np.bool_]

AHEAD = 16
"""mutations that are tried at once; those behind one that is kept are thrown away, so it changes no result"""


@with_parameters
class RandomMutation(Wrapper):
    r"""Features kept or dropped by flipping one at random while 1-NN gets better.

    .. math:: w_f \in \{0, 1\}, \qquad w \leftarrow w \oplus e_f \;\text{ if }\; accuracy(w \oplus e_f) > accuracy(w)

    Starts from a random subset, flips one feature drawn at random and keeps the new subset if it classifies more of the
    training cases right, each by all others. Ends after ``patience`` flips without a better subset. The empty subset
    tells no cases apart and is never kept. Where the target is a number, R squared stands for the accuracy.

    Reading: only strictly better subsets are kept ("keeps the string with the higher classification accuracy");
    ``accept_equal=True`` also moves along plateaus, as other random mutation hill climbers do. The accuracy on the
    training set leaves the case itself out. Skalak's number of iterations is not in the review: ours is ``patience``.

    Parameters
    ----------
    patience : int
        Flips in a row without a better subset.
    max_iterations : int
        Flips in all.
    accept_equal : bool
    n_neighbors : int
    folds : int, array or None
        None leaves one out; a number of folds is for large tables.
    max_time : float or None
        Seconds after which the search stops with the best so far.
    random_state : int or None
        Seed; None is a fixed seed.
    n_jobs : int or None
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content and the seed. None
        learns from all.

    Attributes
    ----------
    weights_ : Global
        0 and 1.
    accuracy_ : float
        Of the weights, on the cases that chose them: a kind figure.
    history_ : array
        The best accuracy at the start and after each flip.
    seed_ : int
    stopped_ : str
        "patience", "time", "interrupt", or empty where ``max_iterations`` ended it.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" that their accuracy keeps to with the "confidence".

    Notes
    -----
    References: skalak1994; wettschereck1997, sect. 3.1.1.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 4))
    >>> RandomMutation().fit(X, X[:, 2] > 0.5).weights_
    Global(4 features; x0: 1, x2: 1, x3: 1, x1: 0)
    """

    id = "rmhc"
    place = FEEDBACK_SELECTION
    reference = "skalak1994, wettschereck1997"
    check_parameters = {"patience": 30}  # noqa: RUF012 - a constant of the class

    patience: int = 100
    max_iterations: int = 10_000
    accept_equal: bool = False
    n_neighbors: int = 1
    folds: Any = None
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        for name, least in (("patience", 1), ("max_iterations", 0), ("n_neighbors", 1)):
            check_whole(name, getattr(self, name), least)
        if not isinstance(self.accept_equal, bool | np.bool_):
            raise InputError(f"accept_equal={self.accept_equal!r}: expected True or False.")

    def _even(self, problem: Problem, why: str) -> Array:
        return np.ceil(super()._even(problem, why))

    def _search(self, scorer: Evaluator, problem: Problem) -> Array:
        rng, p = np.random.default_rng([self.seed_, 0]), len(problem.features)
        drawn: Bits = rng.random(p) < 0.5
        if not drawn.any():
            drawn[rng.integers(p)] = True
        subsets = _Subsets(scorer, self.n_neighbors)
        waited, history, best = 0, [np.nan], np.ones(p, dtype=bool)
        start = f"{self.id!r} keeps every feature"
        with Budget("hill climbing", self.max_time, start, FEWER, "at least about") as budget:
            trials = max(1.0, min(p, self.patience) / AHEAD)  # a subset is tried once, so no more than p flips are new
            with stage(1.0 / AHEAD, trials):
                history, best = subsets.accuracies([drawn]), drawn
            budget.has_result = True
            flips: list[int] = []
            costs = [float(step % AHEAD == 0) for step in range(self.max_iterations)]
            for _ in budget.rounds(self.max_iterations, trials, costs):
                if waited >= self.patience:
                    budget.stopped = "patience"
                    break
                flips = flips or rng.integers(0, p, AHEAD).tolist()
                subsets.accuracies([_flipped(best, f) for f in flips])
                asked = _flipped(best, flips.pop(0))
                accuracy = subsets.accuracies([asked])[0]
                waited = 0 if accuracy > history[-1] else waited + 1
                if accuracy > history[-1] or (self.accept_equal and accuracy == history[-1]):
                    best = asked
                history.append(max(accuracy, history[-1]))
        self.accuracy_, self.history_, self.stopped_ = history[-1], np.array(history), budget.stopped
        return best.astype(np.float64)


class _Subsets:
    """Accuracies of subsets, each found once."""

    def __init__(self, scorer: Evaluator, k: int) -> None:
        self.scorer, self.k = scorer, k
        self.known: dict[bytes, float] = {}

    def accuracies(self, subsets: list[Bits]) -> list[float]:
        """One each; the empty subset has less than any other."""
        new = {s.tobytes(): s for s in subsets if s.any() and s.tobytes() not in self.known}
        if new:
            vectors = np.array(list(new.values()), dtype=np.float64)
            for rows, found in self.scorer.in_turns(vectors, self.k):
                self.known.update(zip(list(new)[rows], found.tolist(), strict=True))
        return [self.known.get(s.tobytes(), -np.inf) for s in subsets]


def _flipped(bits: Bits, f: int) -> Bits:
    out = bits.copy()
    out[f] = not out[f]
    return out
