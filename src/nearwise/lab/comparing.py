"""How well methods do on cases they have not seen, with all learning in the training part.

Each method learns its weights, the ranges of numbers and k from the training part of a split and is asked about the
rest. Every method sees the same splits, so differences between methods are differences of pairs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cache_folder import user_folder
from nearwise.cases.frames import raw_table
from nearwise.cases.schema import Schema
from nearwise.cases.table import left_out
from nearwise.errors import InputError, NearwiseWarning, check_whole, did_you_mean, is_number, warn
from nearwise.lab.cell import Answers, Cases
from nearwise.lab.entrants import Entrant, Entry, entrants
from nearwise.lab.finished import Finished, NoAnswerError, finished
from nearwise.lab.kept import Kept
from nearwise.lab.measures import MEASURES, NUMBERS
from nearwise.lab.protocols import Protocol, Split, protocol_of
from nearwise.lab.result import Comparison
from nearwise.lab.running import Cell, computed
from nearwise.lab.scored import Scorer, baseline
from nearwise.progress import Forecast, counted, parts, progress

__all__ = ["checked_cases", "compare"]


def compare(
    X: Any,
    y: Sequence[Any] | NDArray[Any],
    methods: Iterable[Any] | Mapping[str, Any] | None = None,
    protocol: Protocol | int | str | Sequence[Any] | NDArray[Any] | None = None,
    *,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 0,
    regression: bool = False,
    measure: str | None = None,
    schema: Mapping[str, Any] | None = None,
    ignore: Iterable[str] = (),
    baselines: bool = False,
    n_jobs: int | None = None,
    cache: bool | str | Path | None = None,
    budget: float | None = None,
    time_limit: float | None = None,
    give_up: float | None = None,
    **settings: Any,
) -> Comparison:
    """Compare methods on the same splits.

    Parameters
    ----------
    methods
        Names ("default", "auto", ids of weightings, "projections", baselines such as "random-forest"), weightings,
        metrics (``metrics.OM``), estimators of nearwise or scikit-learn; or a mapping from a name of your own to one of
        these, to feature weights, or to settings (``metrics.OM()``, ``{"feature_weights": "mdw", "p": 2}``). None
        compares a sensible few.
    protocol
        A number of folds, "leave-one-out", "random", a protocol of `nearwise.lab.protocols`, a fold for every case, or
        pairs (rows to learn from, rows to test). None is ``folds`` stratified folds, ``repeats`` times.
    measure
        What methods are compared by: "accuracy", "balanced", "log-loss", "brier", "auc"; "mae", "rmse", "r2". A
        method without a value, such as one that gives no shares of classes under "auc", is not applicable.
    ignore
        Columns that no method sees.
    baselines
        Whether to add learners of scikit-learn: nearest neighbours on coded symbols, forest, boosting, logistic.
    cache
        A folder where finished cells are kept, so that a run goes on where it was killed; True is the user's own.
    budget
        Seconds of a processor that a method may take on one split. One that takes longer is reported so, and not asked
        again.
    time_limit
        Seconds after which it ends: what is there is kept, as after Ctrl-C. A first answer is waited for.
    give_up
        Seconds after which a first answer is no longer waited for: that none came is an error, a `NoAnswerError`.
    settings
        Parameters of `KNNClassifier` or `KNNRegressor` for methods that are given by name or weights. k is chosen in
        the training part; ``n_neighbors=range(1, 101)`` says from which. With a ``cost_matrix`` the score is the
        mean cost.

    A method that refuses the table is reported with its reason; when every one does, that is an error. Ctrl-C keeps the
    splits that all methods have answered, or else the methods that have answered most, and ``interrupted`` says so.

    >>> X = [[i % 7, i // 6] for i in range(12)]
    >>> found = compare(X, ["low"] * 6 + ["high"] * 6, ["none"], 3)
    >>> found.results[0].mean > found.baseline.mean == 0.5
    True
    """
    check_whole("seed", seed, 0)
    table, schema = left_out(X, schema, ignore)
    cases = checked_cases(table, y, regression)
    for name, given in (("budget", budget), ("time_limit", time_limit), ("give_up", give_up)):
        if given is not None and not (is_number(given) and given > 0):
            raise InputError(f"{name}={given!r}: expected seconds above 0, or None for no limit.")
    dealt = protocol_of(protocol, folds, repeats)
    splits = dealt.splits(_strata(cases, regression), seed)
    # kinds are read off the values once, so that every split has the same features; everything else is learned inside
    kinds = Schema.infer(cases.table, schema)
    taking_part = entrants(_asked(methods, baselines, regression), Entry(kinds, regression, seed, settings))
    scorer = Scorer.of(cases, _measure(measure, regression, settings), settings.get("cost_matrix"), dealt.by_case)
    kept = Kept(_folder(cache), cases)
    found = _answers(taking_part, cases, splits, kept, n_jobs, budget, _Limits(time_limit, give_up))
    splits = list(found.splits)
    _tell(found.answers)
    if found.interrupted:
        warn(f"{found.interrupted}.")
    results = [scorer.result(name, answers, splits) for name, answers in found.answers.items()]
    if not any(r.applicable for r in results):
        is_late = any(answers.over for held in found.answers.values() for answers in held)
        raise NoAnswerError(results[0].reason, {r.method: r.reason for r in results}, is_late)
    tested, learned = sum(len(s.test) for s in splits), sum(len(s.train) for s in splits)
    return Comparison(
        tuple(results), baseline(scorer, splits), len(cases.target), dealt, seed, scorer.measure, regression,
        tested / learned, tuple(cases.target[s.test] for s in splits), tuple(s.test for s in splits),
        found.interrupted,
    )  # fmt: skip


def checked_cases(X: Any, y: Any, regression: bool) -> Cases:
    """A table and its target as all methods are asked about them; what does not fit together is refused."""
    table = raw_table(X)
    try:
        target = np.asarray(y, dtype=np.float64 if regression else None)
    except (TypeError, ValueError):
        raise InputError(
            "The target holds values that are no numbers: leave out regression to predict classes."
        ) from None
    if target.ndim != 1 or len(target) != len(table):
        told = f"{len(target)} values" if target.ndim == 1 else f"an array of shape {target.shape}"
        raise InputError(f"Expected one target value per case: {len(table)} cases, {told}.")
    try:
        return Cases(table, target, None if regression else np.unique(target))
    except TypeError:
        raise InputError(
            "The target holds holes, or values of several types: give every case a class of one type."
        ) from None


def _strata(cases: Cases, regression: bool) -> NDArray[Any]:
    return np.zeros(len(cases.target)) if regression else cases.target


def _asked(methods: Any, baselines: bool, regression: bool) -> Any:
    """The methods with the baselines behind them, where these are wanted."""
    from nearwise.lab.baselines import BASELINES
    from nearwise.lab.entrants import FEW

    if not baselines:
        return methods
    first = FEW[regression] if methods is None else [methods] if isinstance(methods, str) else methods
    if isinstance(first, Mapping):
        return {**first, **{name: name for name in BASELINES if name not in first}}
    listed = list(first)
    return [*listed, *(name for name in BASELINES if not any(isinstance(m, str) and m == name for m in listed))]


def _measure(given: str | None, regression: bool, settings: Mapping[str, Any]) -> str:
    by_cost = settings.get("cost_matrix") is not None and not regression
    known = NUMBERS if regression else (*MEASURES, "cost") if by_cost else MEASURES
    if given is None:
        return "cost" if by_cost else known[0]
    if given not in known:
        raise InputError(f"There is no measure {given!r} here. {did_you_mean(str(given), known)}")
    return given


def _folder(cache: bool | str | Path | None) -> Path | None:
    if cache is None or cache is False:
        return None
    return user_folder() / "cells" if cache is True else Path(cache)


@dataclass(frozen=True)
class _Limits:
    """Seconds after which a comparison ends, with answers and without."""

    time_limit: float | None
    give_up: float | None

    def over(self, seconds: float, answered: bool) -> float | None:
        """The limit that is over; None where there is time."""
        limits = (self.time_limit if answered else None, self.give_up)
        return next((limit for limit in limits if limit is not None and seconds > limit), None)


def _answers(
    taking_part: list[Entrant], cases: Cases, splits: list[Split], kept: Kept, n_jobs: int | None,
    budget: float | None, limits: _Limits,
) -> Finished:  # fmt: skip
    """What every method answers, split by split; a method that refuses one split is asked about no other.

    All methods are asked about the first split before any about the second: the pace tells early what the whole will
    take, and what is there after Ctrl-C can be compared.
    """
    cells = [Cell(entrant, cases, split, kept, entrant.name) for split in splits for entrant in taking_part]
    held: dict[str, dict[int, Answers]] = {entrant.name: {} for entrant in taking_part}
    whole, why, begun = True, "interrupted", time.monotonic()

    def over() -> float | None:
        answered = any(not answers.reason for found in held.values() for answers in found.values())
        return limits.over(time.monotonic() - begun, answered)

    try:
        foretold = Forecast("The comparison", "Ctrl-C keeps what is finished")
        with parts(), foretold if limits.time_limit is None else nullcontext():
            steps = counted(computed(cells, n_jobs, budget, lambda: over() is not None), len(cells))
            for place, answers in progress(steps, len(cells), "comparing"):
                held[cells[place].entrant.name][place // len(taking_part)] = answers
        if (limit := over()) is not None:
            whole, why = _is_whole(held, len(splits)), f"the {limit:.3g} seconds were over"
    except KeyboardInterrupt:
        whole = False
    found = finished(held, splits, whole, why)
    if found is None and why == "interrupted":
        raise KeyboardInterrupt
    if found is None:
        reasons = {name: _first_reason(answers) or f"It had no answer when {why}." for name, answers in held.items()}
        raise NoAnswerError(f"No method had an answer when {why}.", reasons, True)
    return found


def _first_reason(answers: Mapping[int, Answers]) -> str:
    return next((each.reason for each in answers.values() if each.reason), "")


def _is_whole(held: Mapping[str, Mapping[int, Answers]], splits: int) -> bool:
    """Whether every method that refused nothing has answered every split."""
    return all(len(found) == splits or any(answers.reason for answers in found.values()) for found in held.values())


def _tell(found: Mapping[str, Sequence[Answers]]) -> None:
    """Each warning once, with the methods that gave it; and those of others as they came."""
    told: dict[tuple[str, str], list[str]] = {}
    for name, answers in found.items():
        notes = [("", held.note) for held in answers if held.note][:1]
        for said in dict.fromkeys([*notes, *(pair for held in answers for pair in held.passed_on)]):
            told.setdefault(said, []).append(name)
    for (category, text), names in told.items():
        of = f"{category}: " if category else ""
        warn(f"{', '.join(names)}: {of}{text}", _category(category) if category else NearwiseWarning)


def _category(name: str) -> type[Warning]:
    import builtins

    found = getattr(builtins, name, UserWarning)
    return found if isinstance(found, type) and issubclass(found, Warning) else UserWarning
