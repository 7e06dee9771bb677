"""What descent costs: one gradient of the smooth neighbour error against the search it contains."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.feedback import Labelled, blobs
from benchmarks.timing import Contender, Ready, Work

K = 10
SEARCH = "one leave-one-out search"


def fitted(data: Labelled) -> Any:
    from nearwise import KNNClassifier

    model = KNNClassifier(n_neighbors=K, feature_weights="none", scale="none", p=2)
    return model.fit(data.X, data.y)


def gradient(data: Labelled) -> Ready:
    """Error and gradient at one weight vector: search, differences of the neighbours, votes and slopes."""
    from nearwise.statistics.descent.classes import SmoothError

    model = fitted(data)
    problem, threads = model._model.problem, len(os.sched_getaffinity(0))
    made = SmoothError(problem.metric, problem.cases, problem.target, K, threads=threads)
    weights = np.ones((1, data.X.shape[1]))
    return Ready(lambda _: made.gradients(weights)[1], note=ours.engine_of(model))


def search(data: Labelled) -> Ready:
    model = fitted(data)
    return Ready(lambda _: model.kneighbors(), note=ours.engine_of(model))


WORKS = (
    Work(
        "gradient", f"one gradient of knn-vsm, k = {K}, 20,000 x 20 numbers", blobs,
        (
            Contender(ours.NAME, gradient, ours=True),
            Contender(SEARCH, search, compared=False),
        ),
    ),
)  # fmt: skip
