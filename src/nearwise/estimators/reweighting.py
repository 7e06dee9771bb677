"""An estimator under other feature weights, with everything else as it was chosen."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from nearwise.answers.answering import Choice, LeftOut
from nearwise.errors import InputError
from nearwise.estimators.recipe import MOST_ASKED
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.weighting.user import UserWeights

if TYPE_CHECKING:
    from nearwise.estimators.base import Neighbors
    from nearwise.search.base import Floats

__all__ = ["left_out_under", "reweighted"]

Fitted = TypeVar("Fitted", bound="Neighbors")
STAYS = ("_chosen_k", "_chosen")
"""what was chosen by leaving one out under the learned weights"""


def reweighted(estimator: Fitted, feature_weights: Any) -> Fitted:
    """A copy of a fitted estimator; the estimator itself, and whoever asks it meanwhile, sees nothing of it."""
    model = estimator._fitted()
    if estimator._settings.bends:
        raise InputError(
            "with_weights: the axes were bent together with the weights (differences='forest'): fit again instead."
        )
    estimator.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
    weighting = UserWeights(feature_weights)
    weights = weighting.learn(model.problem)
    made = copy.copy(estimator)
    made.weighting_ = weighting
    kept = {name: value for name, value in vars(estimator).items() if name in STAYS}
    made._set(made._model_of(model.problem, weights, model.ids, model.next_id))
    vars(made).update(kept)
    return made


def left_out_under(estimator: Any) -> LeftOut:
    """What the recipe says of cases that are left out, under the weights in use; what a model file keeps of them."""
    model, chosen = estimator._fitted(), estimator._chosen
    rows = drawn_cases(model.problem.metric, model.problem.cases, model.target, MOST_ASKED)
    table, queries = model.table.keep(rows), model.problem.asking.take(rows)

    def said(choice: Choice) -> Floats:
        answers: Floats = estimator._answered(model, choice, table, queries, rows)[0]
        return answers

    by_vote = None if chosen.k is None else said(replace(chosen, size=None, ridge=None))
    by_line = None if chosen.size is None else said(replace(chosen, rule=None, k=None))
    return LeftOut(rows, by_vote, by_line, chosen.line)
