"""One cell of a comparison: a method learns from the training part of a split and answers about its test part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import RawTable, frame_of
from nearwise.errors import InputError, MissingDependencyError, NearwiseWarning
from nearwise.lab.protocols import Split

__all__ = ["FAILED", "Answers", "Cases", "answer", "attempt"]

FAILED = "It failed:"
"""how the reason begins where an error is a bug and not a refusal"""


@dataclass(frozen=True)
class Cases:
    """The table that all methods are asked about; ``classes`` is None where numbers are predicted."""

    table: RawTable
    target: NDArray[Any]
    classes: NDArray[Any] | None


@dataclass(frozen=True)
class Answers:
    """What a method answered about the test part of one split, or why it cannot."""

    predicted: NDArray[Any]
    """(m,) codes of classes, or numbers"""
    shares: NDArray[np.float64] | None = None
    """(m, c) the share of every class; None for numbers, and for methods that give none"""
    k: int | None = None
    seconds: float = 0.0
    """learning and answering"""
    reason: str = ""
    note: str = ""
    """the first warning; those of other splits are like it"""
    passed_on: tuple[tuple[str, str], ...] = field(default=())
    """warnings of others: (category, text)"""
    over: float = 0.0
    """the budget in seconds that it took longer than; 0 where it did not"""


def answer(estimator: Any, ours: bool, cases: Cases, split: Split) -> Answers:
    """Fit and ask. A refusal of ours is an `InputError`; foreign learners refuse by whatever they raise."""
    table = cases.table if ours else _frame(cases.table)
    refusals = (InputError, MissingDependencyError) if ours else (Exception,)
    try:
        with _noted() as told:
            found = _asked(estimator, table, ours, cases, split)
    except refusals as error:
        kind = "" if isinstance(error, InputError | MissingDependencyError) else f"{type(error).__name__}: "
        return Answers(np.zeros(0), reason=kind + " ".join(str(error).split())[:1_000])
    return Answers(**found, **told)


def attempt(estimator: Any, ours: bool, cases: Cases, split: Split) -> Answers:
    """`answer`, with an error that is no refusal told as a reason too: one method must not end a study of all.

    Its seconds are those of the processor, probabilities included, which do not depend on what else the machine does.
    """
    started = time.process_time()
    try:
        return replace(answer(estimator, ours, cases, split), seconds=time.process_time() - started)
    except Exception as error:
        told = " ".join(str(error).split())[:1_000]
        return Answers(np.zeros(0), reason=f"{FAILED} {type(error).__name__}: {told}")


def _asked(estimator: Any, table: Any, ours: bool, cases: Cases, split: Split) -> dict[str, Any]:
    def part(rows: NDArray[np.intp]) -> Any:
        if ours:
            return table.take(rows)
        return table.iloc[rows] if hasattr(table, "iloc") else table[rows]

    started = time.perf_counter()
    estimator.fit(part(split.train), cases.target[split.train])
    asked = part(split.test)
    said = np.asarray(estimator.predict(asked))
    seconds = time.perf_counter() - started
    found = {"seconds": seconds, "k": _k(estimator)}
    if cases.classes is None:
        return {**found, "predicted": said.astype(np.float64).reshape(len(split.test))}
    codes = _codes(said.reshape(len(split.test)), cases.classes)
    return {**found, "predicted": codes, "shares": _shares(estimator, asked, cases.classes)}


def _k(estimator: Any) -> int | None:
    k = getattr(estimator, "n_neighbors_", None)
    return None if k is None else int(k)


def _codes(said: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Places of labels among the classes, which hold every label there is."""
    at = np.minimum(np.searchsorted(classes, said), len(classes) - 1)
    if (classes[at] != said).any():
        strange = said[classes[at] != said][0]
        raise InputError(f"It answered {strange!r}, which is none of the classes.")
    return at.astype(np.intp)


def _shares(estimator: Any, asked: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """(m, c) with a column of zeros for classes that the training part does not have."""
    try:
        given = np.asarray(estimator.predict_proba(asked), dtype=np.float64)
    except (AttributeError, NotImplementedError):
        return None
    found = np.zeros((len(given), len(classes)))
    found[:, _codes(np.asarray(estimator.classes_), classes)] = given
    return found


@contextmanager
def _noted() -> Iterator[dict[str, Any]]:
    """Keep the first of our own warnings, to be told once with the name of the method; and all others, to pass on."""
    told: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield told
    ours = [str(each.message) for each in caught if issubclass(each.category, NearwiseWarning)]
    told["note"] = ours[0] if ours else ""
    others = [each for each in caught if not issubclass(each.category, NearwiseWarning)]
    told["passed_on"] = tuple(dict.fromkeys((each.category.__name__, str(each.message)) for each in others))


def _frame(table: RawTable) -> Any:
    """What learners of others take: numbers as an array, else a data frame."""
    if all(column.sort == "number" for column in table.columns):
        return np.stack([column.values for column in table.columns], axis=1)
    return frame_of({name: column.objects() for name, column in zip(table.names, table.columns, strict=True)})
