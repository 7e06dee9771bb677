"""How many threads to use, and work that is done feature by feature on all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

__all__ = ["side_by_side", "threads"]

WORTH = 20_000
"""cases from which features are worth a thread"""
Made = TypeVar("Made")


def threads(n_jobs: int | None) -> int:
    """Threads from n_jobs: None and -1 mean all cores; workers of joblib keep to their share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(share)) if share.isdigit() and int(share) > 0 else cores
    return max(1, min(cores, n_jobs if n_jobs > 0 else cores + 1 + n_jobs))


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
