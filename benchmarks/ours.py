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


def evaluator() -> Callable[[Any], Ready] | None:
    """What evaluates many weight vectors at once; None as long as nearwise has no such engine.

    `nearwise.engines.evaluator` has to offer ``fold_accuracies(X, y, folds, W)``: the 1-NN accuracy of each row of W.
    """
    try:
        from nearwise.engines import evaluator as found
    except ImportError:
        return None
    accuracies = getattr(found, "fold_accuracies", None)
    if accuracies is None:
        return None

    def ready(data: Any) -> Ready:
        return Ready(lambda m: accuracies(data.X, data.y, data.folds, data.W[:m]), note="evaluator")

    return ready
