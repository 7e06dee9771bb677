"""AutoClassifier and AutoRegressor: the most accurate answer in one line, by members together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, is_number, warn
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.ensemble import Together
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.voting import Voting
from nearwise.progress import is_part, progress

__all__ = ["AutoClassifier", "AutoRegressor"]

FOREST_TAKES = 3.0
"""how much longer the member with a forest takes than the one before it, at the most that was seen"""


@dataclass(eq=False, repr=False, kw_only=True)
class _Auto(Together):
    """Members that need no choice."""

    schema: Any = None
    ignore: Any = None
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Any = None
    _weighs_answers = True
    _made: ClassVar[type[Voting]]
    _bent_answer: ClassVar[str]
    """what the member answers by whose distance a forest bends"""

    def _planned(self) -> list[dict[str, Any]]:
        """The settings of the members, the quickest first."""
        plain: dict[str, Any] = {"answer": "both"}
        if find_spec("sklearn") is None:
            warn(
                "scikit-learn is not there, so the member whose distance a forest bends is left out: "
                "pip install 'nearwise[sklearn]'."
            )
            return [plain]
        return [plain, {"answer": self._bent_answer, "differences": "forest"}]

    def _members(self, fit: Callable[[Any], Voting]) -> list[Voting]:
        limit = self.time_limit
        if limit is not None and not (is_number(limit) and limit > 0):
            raise InputError(f"time_limit={limit!r}: expected a number of seconds above 0, or None.")
        names = ("schema", "ignore", "cost_matrix", "n_jobs", "random_state")
        shared = {n: getattr(self, n) for n in names if hasattr(self, n)}
        planned, start = self._planned(), time.monotonic()
        out: list[Voting] = []
        for settings in progress(planned, len(planned), "fitting members"):
            spent = time.monotonic() - start
            if out and limit is not None and spent * (1 + FOREST_TAKES) > limit:
                warn(
                    f"time_limit={limit:g} leaves no time for a further member, so {len(out)} of {len(planned)} answer."
                )
                break
            try:
                out.append(fit(self._made(**shared, **settings)))
            except KeyboardInterrupt:
                if not out or is_part():
                    raise
                warn(
                    f"Interrupted after {time.monotonic() - start:.1f} s: {len(out)} of {len(planned)} members answer."
                )
                break
        return out


@dataclass(eq=False, repr=False, kw_only=True)
class AutoClassifier(_Auto):
    """The most accurate classifier in one line: two distances, two answers each, weighted by leaving one out.

    One member has the recipe's distance, the other one that a forest has bent (docs/defaults.md). Both answer by a vote
    and by local regression, and all four answers have weights of their own. Without scikit-learn there is one member.

    Parameters
    ----------
    schema, ignore
        Kinds by feature name where the guess is wrong; columns to leave out.
    cost_matrix
        What wrong answers cost, as for `KNNClassifier`.
    time_limit : seconds or None
        A member that would not be done by then is not begun; the first always is.
    n_jobs : int or None
        Threads; None takes all cores.
    random_state
        Seed of the forest.

    Attributes
    ----------
    classes_, members_, weights_, feature_importances_, case_ids_

    >>> auto = AutoClassifier(random_state=0).fit([[float(i)] for i in range(20)], ["low"] * 10 + ["high"] * 10)
    >>> auto.predict([[2.0], [17.0]])
    array(['low', 'high'], dtype='<U4')
    """

    cost_matrix: Any = None
    _made = KNNClassifier
    _bent_answer = "both"
    _estimator_type = "classifier"

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; the forest and the weights of the members stay as they were, with a warning.

        ``classes`` may name classes in advance; a new class may also simply come.
        """
        return self._add(X, y, sample_weight, classes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(m, c) probabilities of the classes."""
        return self._answers(X)


class AutoRegressor(_Auto):
    """The most accurate regressor in one line; parameters and attributes are those of `AutoClassifier`.

    One member answers by a vote and by local regression under the recipe's distance, the other by local regression
    under a distance that a forest has bent (docs/defaults.md). All three answers have weights of their own.

    >>> auto = AutoRegressor(random_state=0).fit([[float(i)] for i in range(40)], [2.0 * i for i in range(40)])
    >>> bool(abs(auto.predict([[20.5]])[0] - 41) < 1)
    True
    """

    _made = KNNRegressor
    _bent_answer = "linear"
    _estimator_type = "regressor"

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add cases; the forest and the weights of the members stay as they were, with a warning."""
        return self._add(X, y, sample_weight)
