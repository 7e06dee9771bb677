"""Why the recipe answers so: the cases with their weights, and what each feature adds to the answer.

An answer is taken apart as it was put together. The vote gives every neighbour a share; the regression gives the
weighted mean of its neighbours and, for each feature, slope times (the query's value - the neighbours' mean). What
smoothing and clipping changed is told as ``limits``, so that the parts add up to the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.answering import Answering, Choice
from nearwise.answers.linear import one_fit
from nearwise.answers.measures import Probabilities
from nearwise.answers.votes import shares_of_places
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Measured
from nearwise.engines.base import Neighbours
from nearwise.estimators.model import Model
from nearwise.explain import LIMITS, NEIGHBOURS, Explanation, Explanations

if TYPE_CHECKING:
    from nearwise.estimators.voting import Voting

__all__ = ["explained"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

LISTED = 5
"""cases that are listed at least, where there are so many"""


def explained(
    estimator: Voting, model: Model, asked: CaseTable, queries: Measured, leave_out: Ints | None, n_listed: int | None
) -> Explanations:
    """The explanations of some queries; ``n_listed`` says how many cases are listed, not how many count."""
    answering = estimator._answers_by(model)
    choice = estimator._chosen.within(len(model.table) - (leave_out is not None))
    parts = _Parts(answering, choice, model)
    factors = np.ones(len(queries)) if model.local is None else model.local.query_factors(queries, leave_out)
    out = []
    for rows, found in answering.searched(queries, max(choice.listed, min(n_listed or 1, len(model.table))), leave_out):
        columns = _columns(answering, choice, asked, rows, leave_out)
        answers, near = answering.answers(choice, found, columns, model.root_for(choice.rule, queries, rows, leave_out))
        decided = estimator._decided(model, answers, near).tolist()
        for row, j in enumerate(rows):
            group = int(np.argmax(answers[row])) if model.target.classes is None else _code(model, decided[row])
            told, weights = parts.of(found, row, columns, group, float(answers[row, group]), factors[j])
            listed = _listed(choice, weights, n_listed)
            shown = [(int(found.indices[row, at]), float(found.sums[row, at]), float(weights[at])) for at in listed]
            skip = -1 if leave_out is None else int(leave_out[j])
            rest = np.delete(weights, listed)
            out.append(
                Explanation(
                    asked.label(int(j)),
                    decided[row],
                    estimator._distribution(model, answers[row]),
                    estimator._explained(model, model.engine, asked, queries, int(j), shown, float(factors[j])),
                    estimator.p_,
                    unlike=estimator._unlike(
                        model, model.engine, asked, queries, int(j), skip, decided[row], float(factors[j])
                    ),
                    parts=told,
                    others=int(np.count_nonzero(rest)),
                    others_share=float(rest.sum()),
                )
            )
    return Explanations(out)


def _code(model: Model, label: Any) -> int:
    classes = model.target.classes
    assert classes is not None
    return int(np.flatnonzero(classes == label)[0])


def _columns(
    answering: Answering, choice: Choice, asked: CaseTable, rows: Ints, leave_out: Ints | None
) -> Floats | None:
    """(m, d) the design of some queries, if the answer needs it."""
    if answering.design is None or choice.size is None:
        return None
    if leave_out is not None:
        return np.asarray(answering.design.asking[leave_out[rows]])
    return answering.design.of_queries(asked.take(rows))


def _listed(choice: Choice, weights: Floats, wanted: int | None) -> Ints:
    """Places of the cases to list: the nearest of those that count."""
    counting = np.flatnonzero(weights)
    return np.arange(wanted) if wanted is not None else counting[: max(LISTED, choice.k or 0)]


class _Parts:
    """An answer taken apart."""

    def __init__(self, answering: Answering, choice: Choice, model: Model) -> None:
        self.answering, self.choice, self.features = answering, choice, model.problem.features
        self.voters, self.root = answering.measure.voters, model.problem.metric.root
        self.half = 0.5 if choice.rule is not None and choice.size is not None else 1.0

    def of(
        self, found: Neighbours, row: int, columns: Floats | None, group: int, answer: float, factor: float
    ) -> tuple[dict[str, float], Floats]:
        """What adds up to the answer, and (listed,) the weight of each case that is listed in ``found``."""
        told = {NEIGHBOURS: 0.0}
        weights = np.zeros(found.sums.shape[1])
        self._add_vote(found, row, group, told, weights, factor)
        self._add_regression(found, row, columns, group, told, weights)
        told[LIMITS] = answer - sum(told.values())
        return told, weights

    def _add_vote(
        self, found: Neighbours, row: int, group: int, told: dict[str, float], weights: Floats, factor: float
    ) -> None:
        choice, measure = self.choice, self.answering.measure
        if choice.rule is None or choice.k is None:
            return
        one = Neighbours(*(getattr(found, n)[row : row + 1] for n in ("sums", "indices", "inside", "tied", "tie_sums")))
        places = shares_of_places(one, choice.k, choice.rule, lambda sums: np.asarray(self.root(sums) * factor))[0]
        cases = one.indices[0, : len(places)]
        shares = places * measure.weights[cases]
        shares *= self.half / shares.sum() if shares.sum() > 0 else 0.0
        if isinstance(measure, Probabilities):
            shares *= 1.0 - measure.drawn(choice.k)
        weights[: len(places)] += shares
        told[NEIGHBOURS] += float(shares @ self.voters.answers_of(cases, group))

    def _add_regression(
        self, found: Neighbours, row: int, columns: Floats | None, group: int, told: dict[str, float], weights: Floats
    ) -> None:
        choice, design = self.choice, self.answering.design
        if choice.size is None or choice.ridge is None or columns is None or design is None:
            return
        listed = choice.size + 1
        distances, cases = self.root(found.sums[row, :listed]), found.indices[row, :listed]
        fit = one_fit(design.stored, columns[row], distances, cases, self.voters, choice.size, choice.ridge)
        weights[: choice.size] += self.half * fit.weights
        told[NEIGHBOURS] += self.half * float(fit.mean[group])
        of_feature = np.bincount(design.feature, weights=fit.parts[:, group], minlength=len(self.features))
        for f in np.unique(design.feature):
            told[_free(self.features[f])] = self.half * float(of_feature[f])


def _free(feature: str) -> str:
    """A feature that is called as a part is, is told apart from it."""
    return f"feature {feature}" if feature in (NEIGHBOURS, LIMITS) else feature
