"""Is a query like anything stored? How far its neighbours are, beside how far those of stored cases are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nearwise.errors import InputError
from nearwise.estimators.local_scale import last_sums
from nearwise.explain import told_difference
from nearwise.search.base import Floats

if TYPE_CHECKING:
    from nearwise.estimators.base import Neighbors

__all__ = ["novelty", "why_novel"]

PLACE = 3
"""the neighbour whose distance counts: one odd case nearby makes nothing ordinary"""


def novelty(estimator: Neighbors, X: Any) -> tuple[Floats, Floats]:
    """(m,) shares of the stored cases that are nearer to their neighbours, and (m,) distances to these."""
    model = estimator._fitted()
    if len(model.table) < 2:
        raise InputError("Novelty compares with how far stored cases are from each other, and only one is stored.")
    engine = model.engine if model.local is None else model.local.engine
    _, queries, leave_out = estimator._asked(X, model)
    everything = np.arange(len(model.table))
    if model.local is None:
        usual = last_sums(engine, model.problem.cases, PLACE, everything)
    else:  # among the cases that scales are measured by
        rows = model.local.rows
        usual = last_sums(engine, model.problem.cases.take(rows), PLACE, np.arange(len(rows)))
        if leave_out is not None and len(rows) < len(everything):
            leave_out = None
    away = last_sums(engine, queries, PLACE, leave_out)
    return np.searchsorted(np.sort(usual), away, side="left") / len(usual), model.problem.metric.root(away)


def why_novel(estimator: Neighbors, X: Any) -> list[str]:
    """One sentence for each query."""
    scores, distances = novelty(estimator, X)
    told = []
    for score, distance, why in zip(scores, distances, estimator.explain(X, 1), strict=True):
        near = why.neighbours[0] if why.neighbours else None
        reason = "" if near is None else f" Its nearest case is {near.label}{told_difference(near)}."
        told.append(
            f"query {why.query}: {score:.0%} of the stored cases are nearer to their like (its neighbours are "
            f"{distance:.4g} away).{reason}"
        )
    return told
