"""What methods share whose weights are worked out for each query."""

from __future__ import annotations

import numpy as np

from nearwise.search import Distance, plan
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.weighting.base import Problem
from nearwise.weights import Forms, Weights
from nearwise.weights.local import Local

__all__ = ["with_mean"]

SHOWN = 200
"""training cases over which the weights that people read are averaged; of more, so many are drawn by their content"""


def with_mean(problem: Problem, made: Local) -> Weights:
    """The same weights with their mean around the training cases, each left out of its own neighbourhood.

    The weights of each case are divided by their mean over features first, so that all cases count alike.
    """
    if len(problem.cases) < 2:
        return made
    rows = drawn_cases(problem.metric, problem.cases, problem.target, SHOWN)
    engine = plan(Distance(problem.metric, made, problem.stored)).engine
    found = engine.settled(problem.asking.take(rows), rows).distance.weights
    own = np.square(found.values).sum(axis=1) if isinstance(found, Forms) else np.asarray(found.values)
    means = own.mean(axis=1, keepdims=True)
    return made.with_mean(np.where(means > 0, own / np.where(means > 0, means, 1.0), 1.0).mean(axis=0))
