"""Which cases are learned from and which are tested, the same for every method that is compared.

A protocol is a small class that deals out splits; a seed and the target decide them, never a method. What is in neither
part of a split is not used in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, did_you_mean, is_number, is_whole
from nearwise.lab.given import GivenFolds, GivenSplits
from nearwise.lab.splits import Protocol, Rows, Split, without

__all__ = [
    "FixedFolds",
    "GivenFolds",
    "GivenSplits",
    "KFold",
    "LeaveOneOut",
    "Protocol",
    "RandomSplits",
    "Rows",
    "Split",
    "folds_of",
    "protocol_of",
]


@dataclass(frozen=True)
class KFold(Protocol):
    """Every case is tested once, or ``repeats`` times; classes are dealt out evenly."""

    folds: int = 10
    repeats: int = 1

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        if not is_whole(self.folds) or not 2 <= self.folds <= len(labels):
            raise InputError(f"folds={self.folds}: expected at least 2 and at most one per case ({len(labels)}).")
        _check_repeats(self.repeats)
        rng = np.random.default_rng(seed)
        parts = [rows for _ in range(self.repeats) for rows in folds_of(labels, self.folds, rng)]
        return [without(rows, len(labels)) for rows in parts]

    def describe(self, stratified: bool = True) -> str:
        strata = "stratified " if stratified else ""
        return f"{self.folds}-fold {strata}cross-validation{_times(self.repeats)}"


@dataclass(frozen=True)
class RandomSplits(Protocol):
    """Cases drawn at random for the test part, ``repeats`` times anew; classes are not dealt out.

    ``test`` and ``train`` are numbers of cases or shares of them; where one is left out it is all the other leaves.
    """

    repeats: int = 25
    test: float | int | None = None
    train: float | int | None = None

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        _check_repeats(self.repeats)
        train, test = self._sizes(len(labels))
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(len(labels)) for _ in range(self.repeats)]
        return [Split(np.sort(order[test : test + train]), np.sort(order[:test])) for order in orders]

    def _sizes(self, n: int) -> tuple[int, int]:
        test, train = _size("test", self.test, n), _size("train", self.train, n)
        if test is None:
            test = n // 3 if train is None else n - train
        train = n - test if train is None else train
        if test < 1 or train < 1 or train + test > n:
            raise InputError(
                f"{train} cases to learn from and {test} to test do not fit into {n}: give train= and test= that do."
            )
        return train, test

    def describe(self, stratified: bool = True) -> str:
        asked = [f"{size} {name}" for size, name in ((self.train, "to learn from"), (self.test, "to test")) if size]
        return f"{self.repeats} random splits" + (f" ({', '.join(asked)})" if asked else " (a third to test)")


@dataclass(frozen=True)
class LeaveOneOut(Protocol):
    """Each case is tested once, by all others."""

    by_case = True

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        if len(labels) < 2:
            raise InputError(f"Leaving one out needs at least 2 cases, and there is {len(labels)}.")
        return [without(np.array([case]), len(labels)) for case in range(len(labels))]

    def describe(self, stratified: bool = True) -> str:
        return "leave-one-out"


@dataclass(frozen=True)
class FixedFolds(Protocol):
    """``folds`` parts of ``size`` cases, each tested once by the others; left-over cases are unused."""

    folds: int
    size: int
    repeats: int = 1

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        _check_repeats(self.repeats)
        n = len(labels)
        if not (is_whole(self.folds, 2) and is_whole(self.size, 1)):
            raise InputError(
                f"FixedFolds({self.folds!r}, {self.size!r}): expected a number of folds, from 2, and of cases."
            )
        used = self.folds * self.size
        if used > n:
            raise InputError(f"{self.folds} folds of {self.size} cases do not fit into {n}: take fewer or smaller.")
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(n)[:used].reshape(self.folds, self.size) for _ in range(self.repeats)]
        return [
            Split(np.sort(np.delete(order, fold, axis=0).ravel()), np.sort(order[fold]))
            for order in orders
            for fold in range(self.folds)
        ]

    def describe(self, stratified: bool = True) -> str:
        return f"{self.folds} folds of {self.size} cases{_times(self.repeats)}, left-over cases unused"


def protocol_of(given: Any, folds: int = 10, repeats: int = 1) -> Protocol:
    """A protocol from what people pass: one, a number of folds, "leave-one-out", a fold per case, or pairs of rows.

    >>> protocol_of(None), protocol_of(5), protocol_of("loo")
    (KFold(folds=10, repeats=1), KFold(folds=5, repeats=1), LeaveOneOut())
    >>> protocol_of([([0, 1], [2]), ([1, 2], [0])]), protocol_of(np.array([0, 1, 0, 1]))
    (GivenSplits(2), GivenFolds(4 cases))
    """
    if given is None:
        return KFold(folds, repeats)
    if isinstance(given, Protocol):
        return given
    if is_whole(given):
        return KFold(int(given), repeats)
    if isinstance(given, str):
        return _named(given, folds, repeats)
    if hasattr(given, "split") and hasattr(given, "get_n_splits"):
        raise InputError(
            f"protocol={given!r} is a splitter of scikit-learn: pass list(splitter.split(X, y)), pairs of rows."
        )
    return _listed(given)


def _named(name: str, folds: int, repeats: int) -> Protocol:
    known: dict[str, Protocol] = {
        "k-fold": KFold(folds, repeats), "leave-one-out": LeaveOneOut(), "loo": LeaveOneOut(),
        "random": RandomSplits(repeats if repeats > 1 else RandomSplits.repeats),
    }  # fmt: skip
    if name not in known:
        raise InputError(f"There is no protocol {name!r}. {did_you_mean(name, known)}")
    return known[name]


def _listed(given: Any) -> Protocol:
    """A fold for every case, one pair of rows, or several."""
    try:
        items = list(given)
    except TypeError:
        raise InputError(
            f"protocol={given!r}: expected a number of folds, 'leave-one-out', a protocol such as RandomSplits(25), a "
            "fold for every case, or pairs (rows to learn from, rows to test)."
        ) from None
    if items and all(_is_rows(item) for item in items):
        if len(items) == 2 and not any(_is_rows(inner) for item in items for inner in np.asarray(item, dtype=object)):
            return GivenSplits([(items[0], items[1])])
        if all(len(item) == 2 for item in items):
            return GivenSplits(items)
        raise InputError("protocol: given splits are pairs, rows to learn from and rows to test, for every split.")
    return GivenFolds(items)


def _is_rows(item: Any) -> bool:
    return hasattr(item, "__len__") and not isinstance(item, str)


def folds_of(labels: Sequence[Any] | NDArray[Any], folds: int, rng: np.random.Generator) -> list[Rows]:
    """The test cases of each fold: every case once, every class dealt out evenly.

    The cases of each class are shuffled and dealt like cards; the next class goes on where the last one stopped, so
    fold sizes differ by one at the most.

    >>> parts = folds_of(["a", "a", "b", "b"], 2, np.random.default_rng(0))
    >>> [["aabb"[i] for i in rows] for rows in parts]
    [['a', 'b'], ['a', 'b']]
    """
    _, codes = np.unique(np.asarray(labels), return_inverse=True)
    dealt = [rng.permutation(np.flatnonzero(codes == code)) for code in range(codes.max() + 1)]
    deck = np.concatenate(dealt)
    return [np.sort(deck[fold::folds]) for fold in range(folds)]


def _check_repeats(repeats: int) -> None:
    if not is_whole(repeats, 1):
        raise InputError(f"repeats={repeats}: expected at least 1.")


def _times(repeats: int) -> str:
    return "" if repeats == 1 else f", {repeats} times"


def _size(name: str, given: Any, n: int) -> int | None:
    """A number of cases, from one or from a share."""
    if given is None:
        return None
    if is_whole(given, 1):
        return int(given)
    if is_number(given) and 0 < given < 1:
        return max(1, round(float(given) * n))
    raise InputError(f"{name}={given!r}: expected a number of cases, or a share between 0 and 1.")
