"""What is explored: one immutable state at a time, and those before it.

Whoever asks takes the state of the moment and keeps it to the end of the answer. Changes are made one after the other,
each as a new state that takes the place of the old one when it is whole.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.app.explorer.source import Source
from nearwise.app.explorer.typing import kind_of, typed_case
from nearwise.cases.kinds import Kind
from nearwise.errors import InputError, did_you_mean
from nearwise.estimators.searching import StoredCases
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.stopping import heed, kept

__all__ = ["LEFT_OUT_MOST", "Score", "Session", "State", "Step"]

LEFT_OUT_MOST = 5_000
"""cases that are left out one by one for the score; of more, so many are drawn by their content"""
MOST_UNDONE = 40
"""states that are kept to go back to"""
CELLS_UNDONE = 20_000_000
"""values that these may hold together; the last two are kept in any case"""
MOST_FITTED = 8
"""estimators that are kept for choosing a method again and for comparing"""


@dataclass(frozen=True)
class Score:
    """How well a state predicts cases that are left out."""

    value: float
    rows: NDArray[np.intp]
    """(r,) the cases that were left out"""
    said: NDArray[Any]
    """(r,) what was said of each"""
    wrong: NDArray[np.intp]
    """the cases that were answered wrong; empty for numbers"""


@dataclass(frozen=True)
class Step:
    """What was done to a fitted model: ``"weights"`` with one number per feature, or ``"critique"``."""

    what: str
    weights: Mapping[str, float]
    query: Mapping[str, Any]
    correct: Any = None
    because: Mapping[str, str] | None = None


@dataclass(frozen=True)
class State:
    """Everything that an answer depends on."""

    version: int
    method: str
    kinds: Mapping[str, Kind]
    """those that were given by hand"""
    estimator: Any
    score: Score
    steps: tuple[Step, ...] = ()
    """what was done since the method was fitted"""
    undoes: str | None = None
    """what `undo` would take back"""
    cut: str | None = None
    """what the method has kept, where it was cancelled before its end"""

    @property
    def table(self) -> Any:
        return self.estimator._fitted().table

    @property
    def weights(self) -> dict[str, float]:
        """One number per feature: the weights themselves, or how much a feature counts where there are several."""
        found = self.estimator._fitted().learned_weights
        return dict(zip(found.features, found.importances.tolist(), strict=True))

    @property
    def has_moved(self) -> bool:
        return any(step.what == "weights" for step in self.steps)


class Session:
    """The states of one exploration."""

    def __init__(self, source: Source, method: str) -> None:
        self.source = source
        self._lock = threading.Lock()
        self._fits: dict[Any, Any] = {}
        self._fits_lock = threading.Lock()
        self._past: list[tuple[str, State]] = []
        estimator = self.fit_of(method, source.kinds)
        self._state = State(1, method, dict(source.kinds), estimator, score_of(estimator))

    @property
    def state(self) -> State:
        """The state of the moment."""
        return self._state

    def fit_of(self, method: str, kinds: Mapping[str, Kind]) -> Any:
        """An estimator by a method; the last few are kept, unless they were cancelled before their end."""
        key = (method, tuple(sorted((name, repr(kind)) for name, kind in kinds.items())))
        with self._fits_lock:
            found = self._fits.pop(key, None)
        if found is None:
            found = self.source.fitted(method, kinds)
            if kept() is not None:
                return found
        with self._fits_lock:
            self._fits[key] = found
            while len(self._fits) > MOST_FITTED:
                self._fits.pop(next(iter(self._fits)))
        return found

    # ---------------------------------------------------------------- changes

    def change_kind(self, feature: str, text: str) -> State:
        """Another kind for a feature; the model is fitted again."""

        def changed(state: State) -> State:
            self._known(state, feature)
            kinds = {**state.kinds, feature: kind_of(feature, text)}
            return self._fresh(state, state.method, kinds)

        return self._change(f"{feature} as {text}", changed)

    def choose_method(self, method: str) -> State:
        """Other weights, learned by a method."""
        return self._change(f"method {method}", lambda state: self._fresh(state, method, state.kinds))

    def set_weights(self, weights: Mapping[str, float]) -> State:
        """Weights by hand; features that are not named keep theirs."""

        def changed(state: State) -> State:
            for name in weights:
                self._known(state, name)
            asked = {**state.weights, **weights}
            if not any(asked.values()):
                raise InputError("No feature would count: leave the weight of at least one above 0.")
            estimator = state.estimator.with_weights(asked)
            kept = state.steps[:-1] if state.steps and state.steps[-1].what == "weights" else state.steps
            steps = (*kept, Step("weights", asked, {}))
            return self._next(state, estimator=estimator, score=score_of(estimator, state.score.rows), steps=steps)

        told = f"weight of {next(iter(weights))}" if len(weights) == 1 else f"weights of {len(weights)} features"
        return self._change(told, changed, together=True)

    def critique(self, query: Any, correct: str, because: Mapping[str, str]) -> State:
        """Correct the answer to a query, as the expert."""
        if self.source.regression:
            raise InputError("A critique is about classes, and the target is a number: move weights instead.")

        def changed(state: State) -> State:
            case = state_case(state, query)
            estimator = copy.copy(state.estimator)
            made = estimator.critique(case, correct, because)
            steps = (*state.steps, Step("critique", {}, case, made.correct_class, dict(because)))
            return self._next(state, estimator=estimator, score=score_of(estimator, state.score.rows), steps=steps)

        return self._change(f"critique: {correct}", changed)

    def undo(self) -> State:
        """Go back to the state before the last change."""
        with self._lock:
            if not self._past:
                raise InputError("There is nothing to undo.")
            _, before = self._past.pop()
            told = self._past[-1][0] if self._past else None
            self._state = replace(before, version=self._state.version + 1, undoes=told)
            return self._state

    def _change(self, told: str, change: Callable[[State], State], together: bool = False) -> State:
        """Put a new state in the place of the old one; changes ``together`` are undone at once."""
        with self._lock:
            heed()  # cancelled while another change was being made
            before = self._state
            after = replace(change(before), undoes=told)
            if not (together and self._past and self._past[-1][0] == told):
                self._past = [*self._past, (told, before)][-_undone(after) :]
            self._state = after
            return after

    def _fresh(self, state: State, method: str, kinds: Mapping[str, Kind]) -> State:
        estimator = self.fit_of(method, kinds)
        made = {"method": method, "kinds": dict(kinds), "estimator": estimator, "steps": (), "cut": kept()}
        return self._next(state, score=score_of(estimator), **made)

    @staticmethod
    def _next(state: State, **changes: Any) -> State:
        return replace(state, version=state.version + 1, **changes)

    @staticmethod
    def _known(state: State, feature: str) -> None:
        names = state.table.schema.names
        if feature not in names:
            raise InputError(f"There is no feature {feature!r}. {did_you_mean(feature, names)}")


def _undone(state: State) -> int:
    """How many states like this one are kept."""
    cells = max(1, len(state.table) * len(state.table.schema))
    return min(MOST_UNDONE, max(2, CELLS_UNDONE // cells))


def stored(state: State, row: int) -> int:
    """The number of a stored case, if there is one."""
    StoredCases([row]).within(len(state.table))
    return row


def state_case(state: State, query: Any) -> dict[str, Any]:
    """The values of a query: those of a stored case by its number, or those that were typed."""
    from nearwise.explain import case_values

    if isinstance(query, int):
        return case_values(state.table, stored(state, query))
    return typed_case(state.table, query)


def score_of(estimator: Any, rows: NDArray[np.intp] | None = None) -> Score:
    """Leave stored cases out one by one; ``rows`` are those to leave out where they were drawn before."""
    model = estimator._fitted()
    if rows is None:
        rows = drawn_cases(model.problem.metric, model.problem.cases, model.target, LEFT_OUT_MOST)
    said = estimator.predict(None if len(rows) == len(model.table) else StoredCases(rows.tolist()))
    truth = np.asarray(estimator._targets(model))[rows]
    value = float(estimator._score(truth, said, model.target.weights[rows]))
    wrong = rows[said != truth] if model.target.classes is not None else rows[:0]
    return Score(value, rows, said, wrong)
