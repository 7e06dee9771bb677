"""Words of 64 bits that stand for the content of values, the same in every process."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.differences.metric import Encoded, Measure, Measured, Metric

__all__ = ["Words", "case_blocks", "mixed", "salt", "target_words"]

Words = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_MISSING = np.uint64(0xD1B54A32D192ED03)
_BLOCK = 1 << 14
"""words at a time: mixing goes over them eight times, so they should stay near"""


def case_blocks(metric: Metric, cases: Measured) -> Iterator[tuple[slice, list[tuple[slice, Words]]]]:
    """Some cases after the other: which, and of some features after the other which, and (features, cases) words."""
    together = max(1, _BLOCK // max(1, len(cases)))
    columns = list(zip(metric.measures, cases.columns, strict=True))
    groups = [slice(start, start + together) for start in range(0, len(columns), together)]
    for start in range(0, len(cases), _BLOCK):
        rows = slice(start, start + _BLOCK)
        yield rows, [(some, np.stack([value_words(m, c.take(rows)) for m, c in columns[some]])) for some in groups]


def value_words(measure: Measure, column: Encoded) -> Words:
    """(n,) one word a case, the same for equal values of the feature; a missing value has its own."""
    key = getattr(measure.fitted, "key", None)
    if key is None:
        words = (np.asarray(column.values, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0: -0.0 is 0.0
    else:
        seen = column.missing if column.missing is not None else np.zeros(len(column.values), dtype=bool)
        digests = [b"\0" * 8 if gone else _digest(key(v)) for v, gone in zip(column.values, seen, strict=True)]
        words = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
    if column.missing is not None:
        words[column.missing] = _MISSING
    return words


def target_words(target: Target) -> Words:
    """(n,) one word a case, the same for equal classes, or numbers, of equal weight."""
    values = np.asarray(target.values, dtype=np.float64).view(np.uint64)
    return mixed((target.weights + 0.0).view(np.uint64) ^ mixed(values))


def salt(text: str) -> np.uint64:
    """One word for a text."""
    return np.uint64(int.from_bytes(_digest(text.encode()), "little"))


def mixed(words: Words) -> Words:
    """Every bit of a word spread over all of them (the finaliser of splitmix64)."""
    out = words + _STEP
    spare = np.empty_like(out)
    for shift, factor in _FACTORS:
        out ^= np.right_shift(out, np.uint64(shift), out=spare)
        out *= np.uint64(factor)
    out ^= np.right_shift(out, np.uint64(31), out=spare)
    return np.asarray(out)


def _digest(key: bytes) -> bytes:
    return blake2b(key, digest_size=8).digest()
