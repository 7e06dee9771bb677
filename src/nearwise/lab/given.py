"""Folds and splits that were given: as a paper or a repository has them, or by another library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, is_number, is_whole
from nearwise.lab.splits import Protocol, Rows, Split, without

__all__ = ["GivenFolds", "GivenSplits"]


class GivenFolds(Protocol):
    """Folds that were named case by case, by numbers or texts; -1, None and NaN are in the training part of every fold.

    >>> [split.test.tolist() for split in GivenFolds([0, 0, 1, 1, -1]).splits(np.zeros(5), 0)]
    [[0, 1], [2, 3]]
    """

    def __init__(self, of_case: Sequence[Any] | NDArray[Any]) -> None:
        self.of_case = [_fold(given) for given in of_case]

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        if len(self.of_case) != len(labels):
            raise InputError(f"Folds were given for {len(self.of_case)} cases, and there are {len(labels)}.")
        names = sorted(
            {fold for fold in self.of_case if fold is not None}, key=lambda fold: (isinstance(fold, str), fold)
        )
        if not names or (len(names) == 1 and len(labels) == sum(fold == names[0] for fold in self.of_case)):
            raise InputError("Given folds need at least two names, or one and cases of -1, which are never tested.")
        parts = (np.array([place for place, fold in enumerate(self.of_case) if fold == name]) for name in names)
        return [without(rows, len(labels)) for rows in parts]

    def describe(self, stratified: bool = True) -> str:
        return "the given folds"

    def __repr__(self) -> str:
        return f"GivenFolds({len(self.of_case)} cases)"


class GivenSplits(Protocol):
    """Pairs of rows: cases to learn from, cases to test."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs = [_pair(given) for given in pairs]
        if not self.pairs:
            raise InputError("There is no split: give pairs, rows to learn from and rows to test.")

    def splits(self, labels: NDArray[Any], seed: int) -> list[Split]:
        n = len(labels)
        found = []
        for i, (train, test) in enumerate(self.pairs):
            split = Split(_rows(train, n, f"split {i}, training"), _rows(test, n, f"split {i}, test"))
            if len(both := np.intersect1d(split.train, split.test)):
                raise InputError(f"split {i}: case {both[0]} is learned from and tested; take it out of one part.")
            found.append(split)
        return found

    def describe(self, stratified: bool = True) -> str:
        return "the given split" if len(self.pairs) == 1 else f"{len(self.pairs)} given splits"

    def __repr__(self) -> str:
        return f"GivenSplits({len(self.pairs)})"


def _fold(given: Any) -> int | str | None:
    """The name of a fold; None is in no fold."""
    if isinstance(given, str):
        return str(given)
    if given is None or (is_number(given) and (given == -1 or given != given)):
        return None
    if isinstance(given, bool | np.bool_):
        raise InputError(
            "Folds are named by numbers or texts, got truth values: a split is (rows to learn from, rows to test)."
        )
    if not (is_whole(given) or (is_number(given) and float(given).is_integer())):
        raise InputError(
            f"Folds are named by whole numbers or texts, -1 for cases that are never tested; got {given!r}."
        )
    return int(given)


def _pair(given: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        train, test = given
        return np.asarray(train), np.asarray(test)
    except (TypeError, ValueError):
        raise InputError(f"A split is a pair, rows to learn from and rows to test, got {given!r}.") from None


def _rows(given: NDArray[Any], n: int, what: str) -> Rows:
    """Rows from numbers or from one truth value per case."""
    if given.dtype == bool:
        if len(given) != n:
            raise InputError(f"{what}: expected {n} truth values, one per case, got {len(given)}.")
        given = np.flatnonzero(given)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise InputError(f"{what}: expected the numbers of some rows, got {given!r}.")
    if given.min() < 0 or given.max() >= n:
        raise InputError(f"{what}: rows go from 0 to {n - 1}, got {given.min()} to {given.max()}.")
    return given.astype(np.intp)
