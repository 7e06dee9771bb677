"""Why the recipe answers so: the cases with their weights, and what each feature adds to the answer.

An answer is taken apart as it was put together. The vote gives every neighbour a share; the regression gives the
weighted mean of its neighbours and, for each feature, slope times (the query's value - the neighbours' mean). What
smoothing and clipping changed is told as ``limits``, so that the parts add up to the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nearwise.answers.answering import Answering, Choice, finite
from nearwise.answers.linear import one_fit
from nearwise.answers.measures import Probabilities
from nearwise.answers.ties import Reach
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Measured
from nearwise.estimators.model import Model
from nearwise.explain import LIMITS, NEIGHBOURS, Explanation, Explanations, Query
from nearwise.search.base import Floats, Ints, Neighbours

if TYPE_CHECKING:
    from nearwise.estimators.voting import Voting

__all__ = ["explained"]

LISTED = 5
"""cases that are listed where none votes"""


def explained(
    estimator: Voting, model: Model, asked: CaseTable, queries: Measured, leave_out: Ints | None, n_listed: int | None
) -> Explanations:
    """The explanations of some queries; ``n_listed`` says how many cases are listed, not how many count."""
    answering = estimator._answers_by(model)
    choice = estimator._chosen.within(len(model.table) - (leave_out is not None))
    parts = _Parts(answering, choice, model)
    engine = model.engine.settled(queries, leave_out)
    each = estimator._queries(model, model.engine, asked, queries, leave_out)
    out = []
    for rows, found in answering.searched(queries, max(choice.listed, min(n_listed or 1, len(model.table))), leave_out):
        columns = answering.asked(choice, asked, rows, leave_out)
        answers, near = answering.answers(choice, found, columns, model.root_for(choice.rule, queries, rows, leave_out))
        decided = estimator._decided(model, answers, near).tolist()
        for row, j in enumerate(rows):
            groups = range(answers.shape[1])
            query = each[j]
            one = _with_ties(answering, found.take(slice(row, row + 1)), query)
            cases, sums = one.indices[0], one.sums[0]
            told = parts.of(one, None if columns is None else columns[row], answers[row], query.factor)
            weights = told.weights
            listed = _listed(choice, weights, n_listed)
            shown = [(int(cases[at]), float(sums[at]), float(weights[at])) for at in listed]
            rest = np.delete(weights, listed)
            distribution = estimator._distribution(model, answers[row])
            by_class = {label: told.of_group(g) for g, label in zip(groups, distribution, strict=False)}
            out.append(
                Explanation(
                    query.label,
                    decided[row],
                    distribution,
                    estimator._explained(model, engine, query, shown),
                    estimator.p_,
                    unlike=estimator._unlike(model, engine, query, decided[row]),
                    parts=by_class.get(decided[row]) or told.of_group(0),
                    others=int(np.count_nonzero(rest)),
                    others_share=float(rest.sum()),
                    parts_by_class=by_class,
                    case_weights={int(cases[at]): float(weights[at]) for at in np.flatnonzero(weights)},
                    expected_costs=estimator._told_costs(model, answers[row]),
                )
            )
    return Explanations(out)


def _with_ties(answering: Answering, one: Neighbours, query: Query) -> Neighbours:
    """What was found for a query, with every case of the tie at the last place: each has its share in the answer."""
    whole = int(one.inside[0] + one.tied[0])
    if whole <= one.sums.shape[1]:
        return one
    return query.nearest(answering.engine, whole, answering.measure.payload)


def _listed(choice: Choice, weights: Floats, wanted: int | None) -> Ints:
    """Places of the cases to list: as many of the nearest as vote."""
    return np.arange(min(wanted or choice.k or LISTED, len(weights)))


@dataclass(frozen=True)
class _Told:
    """One answer taken apart, for every group."""

    answers: Floats
    """(g,)"""
    neighbours: Floats
    """(g,) what the cases say"""
    features: dict[str, Floats]
    """feature -> (g,) what it adds"""
    weights: Floats
    """(listed,) of each case"""

    def of_group(self, group: int) -> dict[str, float]:
        told = {NEIGHBOURS: float(self.neighbours[group])}
        told |= {_free(name): float(part[group]) for name, part in self.features.items()}
        told[LIMITS] = float(self.answers[group]) - sum(told.values())
        return told


class _Parts:
    """Takes answers apart."""

    def __init__(self, answering: Answering, choice: Choice, model: Model) -> None:
        self.answering, self.choice, self.names = answering, choice, model.problem.features
        self.voters, self.root = answering.measure.voters, model.problem.metric.root
        self.by_vote, self.by_line = choice.shares

    def of(self, one: Neighbours, asked: Floats | None, answers: Floats, factor: float) -> _Told:
        weights = np.zeros(one.sums.shape[1])
        said = self._vote(one, weights, factor)
        features: dict[str, Floats] = {}
        if asked is not None:
            said = said + self._regression(one, asked, weights, features)
        return _Told(answers, said, features, weights)

    def _vote(self, one: Neighbours, weights: Floats, factor: float) -> Floats:
        choice, measure = self.choice, self.answering.measure
        if choice.rule is None or choice.k is None:
            return np.zeros(self.voters.n_groups)
        listed = self.answering.listed(one, lambda sums: np.asarray(self.root(sums) * factor))
        places = listed.shares(choice.k, choice.rule)[0]
        cases = one.indices[0, : len(places)]
        shares = places * measure.weights[cases]
        shares *= self.by_vote / shares.sum() if shares.sum() > 0 else 0.0
        if isinstance(measure, Probabilities):
            shares *= 1.0 - measure.drawn(choice.k)
        weights[: len(places)] += shares
        return np.asarray(shares @ self.voters.answers(cases))

    def _regression(self, one: Neighbours, asked: Floats, weights: Floats, features: dict[str, Floats]) -> Floats:
        choice, design = self.choice, self.answering.design
        if choice.size is None or choice.ridge is None or design is None:
            return np.zeros(self.voters.n_groups)
        reach = Reach(one, self.answering.measure.payload, choice.size)
        if not reach.counting.any():
            return self._tie(one, reach, weights)
        listed = choice.size + 1
        distances, cases = finite(self.root(one.sums[0, :listed])), one.indices[0, :listed]
        rows, places, of_rows = design.near(cases)
        fit = one_fit(rows, asked, distances, places, self.voters.of(of_rows), choice.size, choice.ridge)
        weights[: choice.size] += self.by_line * fit.weights
        for f in np.unique(design.feature):
            features[self.names[f]] = self.by_line * fit.parts[design.feature == f].sum(axis=0)
        return self.by_line * fit.mean

    def _tie(self, one: Neighbours, reach: Reach, weights: Floats) -> Floats:
        """The mean of cases that are all as far as the next one."""
        cases = one.indices[0]
        own = np.where(reach.tied[0], self.voters.weights[cases], 0.0)
        own *= self.by_line / own.sum() if own.sum() > 0 else 0.0
        weights += own
        return np.asarray(own @ self.voters.answers(cases))


def _free(feature: str) -> str:
    """A feature that is called as a part is, is told apart from it."""
    return f"feature {feature}" if feature in (NEIGHBOURS, LIMITS) else feature
