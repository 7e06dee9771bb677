"""Faults planted on purpose, to see that the fuzzer finds them.

The tie rule and some of the bounds reach the kernels from Python (the width of a tie, the slack of shortened vectors,
the bound of edits by length), so a wrong number there is a kernel with a wrong rule. Bounds that live in C++ are
imitated by what they guard against: single precision that decides instead of proposing, a leaf that is passed over.
`fuzz.kernels` goes further: it compiles the core with a fault in its source.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np

Patches = list[Any]


def _tie(*modules: str, width: float) -> Callable[[], Patches]:
    return lambda: [mock.patch(f"nearwise.search.{module}.TIE", width) for module in modules]


def _answer(engine: str, spoil: Callable[..., Any]) -> Callable[[], Patches]:
    """An engine whose `nearest` is spoilt after the fact: ``spoil(engine, found, queries, k, payload, leave_out)``."""

    def patches() -> Patches:
        from nearwise.search.plan import ENGINES

        made = ENGINES[engine]
        honest = made.nearest

        def nearest(self: Any, queries: Any, k: int, payload: Any, leave_out: Any = None) -> Any:
            found = honest(self, queries, k, payload, leave_out)
            return spoil(self, found, queries, k, payload, leave_out) if type(self) is made else found

        return [mock.patch.object(made, "nearest", nearest)]

    return patches


def _last_of_ties(engine: Any, found: Any, queries: Any, k: int, payload: Any, leave_out: Any) -> Any:
    """Equal sums in the order of the larger index."""
    indices = found.indices.copy()
    for row, sums in enumerate(found.sums):
        order = np.lexsort((-indices[row], sums))
        indices[row] = indices[row][order]
    return replace(found, indices=indices)


def _single_precision(engine: Any, found: Any, queries: Any, k: int, payload: Any, leave_out: Any) -> Any:
    """What a bound without its margin would let through: the nearest by sums in single precision."""
    from nearwise.search.selection.smallest import empty_neighbours, fill_nearest

    out = empty_neighbours(len(queries), k, payload)
    for row, sums in enumerate(engine.sums(queries)):
        with np.errstate(all="ignore"):
            coarse = np.asarray(np.asarray(sums, dtype=np.float32), dtype=np.float64)
        fill_nearest(out, row, coarse, -1 if leave_out is None else int(leave_out[row]), payload)
    chosen = np.maximum(out.indices, 0)
    exact = np.take_along_axis(engine.sums(queries), chosen, axis=1)
    order = np.lexsort((out.indices, np.where(out.indices < 0, np.inf, exact)), axis=1)
    indices = np.take_along_axis(out.indices, order, axis=1)
    sums = np.take_along_axis(np.where(out.indices < 0, np.inf, exact), order, axis=1)
    return replace(found, indices=indices, sums=sums)


def _passed_over(engine: Any, found: Any, queries: Any, k: int, payload: Any, leave_out: Any) -> Any:
    """A box of the tree that is never opened: one case of the last place is not seen where others tie with it."""
    return replace(found, tied=np.where(found.tied > 1, found.tied - 1, found.tied))


def _edits_by_length() -> Patches:
    from nearwise.differences import text

    def bound(shorter: Any, longer: Any) -> Any:
        return 1.05 * (longer - shorter) / np.maximum(longer, 1.0) + 0.05

    return [
        mock.patch.object(text.EditShare, "bound_by_lengths", staticmethod(bound)),
        mock.patch(
            "nearwise.search.index.texts.TextStages.refuses", return_value="a fault was planted in NumPy's bound"
        ),
    ]


def _votes_of_ties() -> Patches:
    from nearwise import vote

    honest = vote.Fair.at

    def at(self: Any, k: int) -> Any:
        sums, amounts = honest(self, k)
        return sums, np.where(amounts < 1, 0.0, amounts)

    return [mock.patch.object(vote.Fair, "at", at)]


def _keeps_the_forgotten() -> Patches:
    from nearwise.weighting.base import Mergeable

    def relearn(self: Any, after: Any, *, added: Any = None, removed: Any = None) -> Any:
        known = self._statistics if added is None else self._statistics.merge(self._partial(added))
        self._problem, self._statistics = after, known
        self.weights_ = self._finish(known, after)
        return self.weights_

    return [mock.patch.object(Mergeable, "relearn", relearn)]


def _no_checksum() -> Patches:
    return [mock.patch("nearwise.storage.container.hashlib.sha256", _Anything)]


class _Anything:
    """A checksum that fits everything."""

    def __init__(self, *_: Any) -> None:
        self.update = lambda piece: None

    def digest(self) -> Any:
        return _Equal(32)


class _Equal(bytes):
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


def _saves_in_place() -> Patches:
    """A model that is written where the old one stood."""
    from pathlib import Path

    from nearwise.storage import container

    honest = container._fill

    def fill(temporary: Path, content: Any, arrays: Any) -> None:
        target = temporary.with_name("model.nearwise")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(target)
        honest(target, content, arrays)
        os.link(target, temporary)

    return [mock.patch.object(container, "_fill", fill)]


def _lets_tracebacks_out() -> Patches:
    return [mock.patch("nearwise.cases.readers.files.UnicodeError", ZeroDivisionError, create=True)]


def _dies(engine: Any, *_: Any) -> Any:
    os.abort()


def _hangs(engine: Any, *_: Any) -> Any:
    time.sleep(1e6)


TIES = ("codes", "tree", "scan", "proposals", "texts")
"""indexes that tell their kernel how wide a tie is"""
FAULTS: dict[str, Callable[[], Patches]] = {
    "": list,
    "codes-ties-too-narrow": _tie("index.codes", width=0.0),
    "codes-ties-too-wide": _tie("index.codes", width=1e-2),
    "tree-ties-too-narrow": _tie("index.tree", width=0.0),
    "tree-ties-too-wide": _tie("index.tree", width=1e-2),
    "dense-ties-too-narrow": _tie("index.proposals", width=0.0),
    "dense-ties-too-wide": _tie("index.proposals", width=1e-2),
    "scan-ties-too-narrow": _tie("index.scan", width=0.0),
    "scan-ties-too-wide": _tie("index.scan", width=1e-2),
    "texts-ties-too-wide": _tie("index.texts", width=1e-2),
    "every-tie-too-wide": _tie(*(f"index.{name}" for name in TIES), "selection.smallest", width=1e-2),
    "dense-last-of-ties": _answer("dense", _last_of_ties),
    "tree-last-of-ties": _answer("tree", _last_of_ties),
    "dense-single-precision-decides": _answer("dense", _single_precision),
    "codes-single-precision-decides": _answer("codes", _single_precision),
    "tree-box-passed-over": _answer("tree", _passed_over),
    "two-stage-bound-too-tight": _edits_by_length,
    "votes-of-ties-dropped": _votes_of_ties,
    "forgotten-cases-stay": _keeps_the_forgotten,
    "no-checksum": _no_checksum,
    "saves-in-place": _saves_in_place,
    "reader-lets-tracebacks-out": _lets_tracebacks_out,
    "dense-dies": _answer("dense", _dies),
    "dense-hangs": _answer("dense", _hangs),
}


@contextlib.contextmanager
def planted(fault: str) -> Iterator[None]:
    """A fault for a while; none without a name."""
    with contextlib.ExitStack() as stack:
        for patch in FAULTS[fault]():
            stack.enter_context(patch)
        yield
