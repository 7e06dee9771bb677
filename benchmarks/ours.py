"""Our side: public estimators, with the engine that the planner picks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.timing import Contender, Ready

NAME = "nearwise"


def search(make: Callable[[Any], Any], k: int) -> Contender:
    """`kneighbors` of an estimator that ``make`` fits to the data, which has queries ``Q``."""

    def ready(data: Any) -> Ready:
        model = make(data)
        return Ready(lambda m: model.kneighbors(data.Q[:m], k)[0], note=engine_of(model))

    return Contender(NAME, ready, ours=True)


def engine_of(model: Any) -> str:
    return f"engine {model.plan_.engine.name}"


def evaluator(data: Any) -> Ready:
    """The accuracy of each weight vector in ``data.W``, 1-NN over the folds; packing the cases is not timed."""
    import os

    from nearwise import KNNClassifier
    from nearwise.statistics.evaluator import Evaluator

    model = KNNClassifier(n_neighbors=1, feature_weights="none", scale="none", p=2).fit(data.X, data.y)
    problem, threads = model._model.problem, len(os.sched_getaffinity(0))
    made = Evaluator(problem.metric, problem.cases, problem.target, data.folds, threads=threads)
    return Ready(lambda m: made.accuracies(data.W[:m]), note="evaluator")
