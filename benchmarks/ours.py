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


def problem(data: Any) -> Any:
    """Cases as they are, without a weighting."""
    from nearwise import KNNClassifier

    model = KNNClassifier(n_neighbors=1, feature_weights="none", scale="none", p=2).fit(data.X, data.y)
    return model._model.problem


def evaluator(data: Any) -> Ready:
    """The accuracy of each weight vector in ``data.W``, 1-NN over the folds; packing the cases is not timed."""
    made = scorer(data)
    return Ready(lambda m: made.accuracies(data.W[:m]), note="evaluator")


def scorer(data: Any) -> Any:
    import os

    from nearwise.statistics.trials.classes import Evaluator

    cases, threads = problem(data), len(os.sched_getaffinity(0))
    return Evaluator(cases.metric, cases.cases, cases.target, data.folds, threads=threads)
