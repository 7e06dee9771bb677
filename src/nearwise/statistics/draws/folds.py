"""Folds that a seed draws from the cases themselves, so that the order of the rows does not matter.

Each case gets a number from its content, its class and the seed; the cases of a class, sorted by it, are dealt out
like cards. Equal cases are numbered first and may fall into different folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.errors import InputError, is_whole
from nearwise.statistics.draws.feature_words import feature_words
from nearwise.statistics.draws.words import Words, case_blocks, mixed, salt, target_words

__all__ = ["drawn_cases", "given_folds", "shuffled_folds", "stratified_cases"]


def shuffled_folds(metric: Metric, cases: Measured, target: Target, folds: int, seed: int) -> NDArray[np.int32]:
    """(n,) the fold of each case: stratified, sizes that differ by one at the most (Reading P8).

    Depends on the values, the classes and the seed, not on the order of cases or features, nor on what features are
    called.
    """
    words = _shuffled_words(metric, cases, target, seed)
    classes = np.zeros(len(target), dtype=np.intp) if target.classes is None else target.values
    order = np.argsort(words, kind="stable")
    small = classes.astype(np.int16) if classes.max(initial=0) < 1 << 15 else classes  # int16 is sorted by radix
    order = order[np.argsort(small[order], kind="stable")]
    out = np.empty(len(target), dtype=np.int32)
    out[order] = np.arange(len(target)) % folds
    return out


def given_folds(folds: Any, metric: Metric, cases: Measured, target: Target, seed: int) -> NDArray[np.int32]:
    """(n,) folds from their number, of which no more are made than there are cases, or from one number a case."""
    n = len(target)
    if is_whole(folds):
        if folds < 2:
            raise InputError(f"folds={folds!r}: expected a whole number from 2, or the fold of each case.")
        return shuffled_folds(metric, cases, target, min(int(folds), n), seed)
    found = np.asarray(folds)
    if found.shape != (n,) or found.dtype.kind not in "iu" or (n and found.min() < 0):
        raise InputError(f"folds={folds!r}: expected a whole number from 2, or one whole number from 0 per case ({n}).")
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def _shuffled_words(metric: Metric, cases: Measured, target: Target, seed: int) -> Words:
    """(n,) one word a case, the same for equal cases but for their number among their like."""
    words, features = target_words(target), feature_words(metric, cases, target)
    for rows, values in case_blocks(metric, cases):
        for some, own in values:  # a sum does not depend on the order of features
            words[rows] += mixed(own ^ features[some, None]).sum(axis=0)
    return _numbered(mixed(mixed(words) ^ salt(f"seed {seed}")))


def _numbered(words: Words) -> Words:
    """Equal words made different by their number among their like."""
    ranked = np.sort(words)
    new = np.ones(len(words), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    if new.all():
        return words
    order = np.argsort(words, kind="stable")
    starts = np.flatnonzero(new)
    number = np.arange(len(words)) - np.repeat(starts, np.diff(np.append(starts, len(words))))
    out = words.copy()
    out[order] = np.where(number > 0, mixed(ranked ^ mixed(number.astype(np.uint64))), ranked)
    return out


def drawn_cases(metric: Metric, cases: Measured, target: Target, size: int, seed: int = 0) -> NDArray[np.intp]:
    """(at most size,) places of cases drawn by their content, so that the order of the cases does not matter."""
    if len(target) <= size:
        return np.arange(len(target))
    words = _shuffled_words(metric, cases, target, seed)
    return np.sort(np.argpartition(words, size)[:size])


def stratified_cases(metric: Metric, cases: Measured, target: Target, size: int, seed: int = 0) -> NDArray[np.intp]:
    """(size,) places of cases drawn by their content, of each class its share, so that no order of cases matters.

    Cases of weight 0 are not drawn; where there are no more than ``size`` others, all of these are.
    """
    there = np.flatnonzero(target.weights > 0)
    if len(there) <= size:
        return there
    words = _shuffled_words(metric, cases, target, seed)[there]
    order = np.argsort(words)
    if target.classes is not None:
        order = order[np.argsort(target.values[there][order], kind="stable")]
    upto = np.arange(len(there) + 1) * size // len(there)  # as many of the first i as their share of all
    return np.sort(there[order[np.diff(upto) > 0]])
