"""How many threads to use, and work that is done feature by feature on all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from nearwise.errors import InputError, is_whole, warn

__all__ = ["side_by_side", "threads"]

WORTH = 20_000
"""cases from which features are worth a thread"""
Made = TypeVar("Made")


def threads(n_jobs: int | None) -> int:
    """Threads from n_jobs: None and -1 mean all cores; workers of joblib keep to their share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return min(cores, _share() or cores)
    if not is_whole(n_jobs):
        raise InputError(f"n_jobs={n_jobs!r}: expected a whole number of threads, -1 for all cores, or None.")
    wanted = int(n_jobs)
    return max(1, min(cores, wanted if wanted > 0 else cores + 1 + wanted))


def _share() -> int:
    """The threads that OMP_NUM_THREADS allows, 0 where it does not say.

    OpenMP takes a list, one number for each level of nesting, of which the first is ours.
    """
    told = os.environ.get("OMP_NUM_THREADS", "")
    first = told.split(",")[0].strip()
    if not first:
        return 0
    if not (first.isascii() and first.isdecimal() and len(first) < 10 and int(first) > 0):
        warn(
            f"OMP_NUM_THREADS={told[:40]!r} is not a number of threads: expected a whole number from 1. All cores work."
        )
        return 0
    return int(first)


def side_by_side(
    work: Callable[[Any], Made], items: Iterable[Any], cases: int, n_jobs: int | None = None
) -> list[Made]:
    """``work`` of every item, in their order; on all cores where there are many cases.

    Sorting and counting let go of Python's lock, so threads are enough. They are joined before this returns.

    >>> side_by_side(abs, [-1, 2, -3], cases=50_000)
    [1, 2, 3]
    """
    held = list(items)
    jobs = min(threads(n_jobs), len(held))
    if jobs < 2 or cases < WORTH:
        return [work(item) for item in held]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, held))
