"""Folds that a seed draws from the cases themselves, so that the order of the rows does not matter.

Each case gets a number from its content, its class and the seed; the cases of a class, sorted by it, are dealt out
like cards. Equal cases are numbered first and may fall into different folds.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded, Measure, Measured, Metric
from nearwise.errors import InputError

__all__ = ["given_folds", "seed_of", "shuffled_folds"]

Words = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_MISSING = np.uint64(0xD1B54A32D192ED03)


def seed_of(random_state: Any) -> int:
    """A whole number from a seed, a generator or None, which is a seed too: the same cases give the same result.

    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if not isinstance(random_state, int | np.integer) or isinstance(random_state, bool) or random_state < 0:
        raise InputError(f"random_state={random_state!r}: expected a whole number from 0, a generator or None.")
    return int(random_state)


def shuffled_folds(metric: Metric, cases: Measured, target: Target, folds: int, seed: int) -> NDArray[np.int32]:
    """(n,) the fold of each case: stratified, sizes that differ by one at the most (Reading P8).

    Depends on the values, the names of the features, the classes and the seed, not on the order of cases or features.
    """
    words = _shuffled_words(metric, cases, target, seed)
    classes = np.zeros(len(target), dtype=np.intp) if target.classes is None else target.values
    order = np.argsort(words)
    small = classes.astype(np.int16) if classes.max(initial=0) < 1 << 15 else classes  # int16 is sorted by radix
    order = order[np.argsort(small[order], kind="stable")]
    out = np.empty(len(target), dtype=np.int32)
    out[order] = np.arange(len(target)) % folds
    return out


def given_folds(folds: Any, metric: Metric, cases: Measured, target: Target, seed: int) -> NDArray[np.int32]:
    """(n,) folds from their number, of which no more are made than there are cases, or from one number a case."""
    n = len(target)
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        if folds < 2:
            raise InputError(f"folds={folds!r}: expected a whole number from 2, or the fold of each case.")
        return shuffled_folds(metric, cases, target, min(int(folds), n), seed)
    found = np.asarray(folds)
    if found.shape != (n,) or found.dtype.kind not in "iu" or (n and found.min() < 0):
        raise InputError(f"folds={folds!r}: expected a whole number from 2, or one whole number from 0 per case ({n}).")
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def _shuffled_words(metric: Metric, cases: Measured, target: Target, seed: int) -> Words:
    """(n,) one word a case, the same for equal cases but for their number among their like."""
    words = np.zeros(len(cases), dtype=np.uint64)
    for measure, column in zip(metric.measures, cases.columns, strict=True):
        words += _mixed(_words(measure, column) ^ _salt(measure.name))  # a sum does not depend on the order of features
    weights = (target.weights + 0.0).view(np.uint64)
    words = _mixed(words ^ _mixed(weights ^ _mixed(_values(target))))
    words = _mixed(words ^ _salt(f"seed {seed}"))
    return _numbered(words)


def _values(target: Target) -> Words:
    return np.asarray(target.values, dtype=np.float64).view(np.uint64)


def _words(measure: Measure, column: Encoded) -> Words:
    key = getattr(measure.fitted, "key", None)
    if key is None:
        words = (np.asarray(column.values, dtype=np.float64) + 0.0).view(np.uint64).copy()  # + 0.0: -0.0 is 0.0
    else:
        seen = column.missing if column.missing is not None else np.zeros(len(column.values), dtype=bool)
        digests = [b"\0" * 8 if gone else _digest(key(v)) for v, gone in zip(column.values, seen, strict=True)]
        words = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
    if column.missing is not None:
        words[column.missing] = _MISSING
    return words


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
    out[order] = np.where(number > 0, _mixed(ranked ^ _mixed(number.astype(np.uint64))), ranked)
    return out


def _digest(key: bytes) -> bytes:
    return blake2b(key, digest_size=8).digest()


def _salt(name: str) -> np.uint64:
    return np.uint64(int.from_bytes(_digest(name.encode()), "little"))


def _mixed(words: Words) -> Words:
    """Every bit of a word spread over all of them (the finaliser of splitmix64)."""
    out = words + _STEP
    spare = np.empty_like(out)
    for shift, factor in _FACTORS:
        out ^= np.right_shift(out, np.uint64(shift), out=spare)
        out *= np.uint64(factor)
    out ^= np.right_shift(out, np.uint64(31), out=spare)
    return np.asarray(out)
