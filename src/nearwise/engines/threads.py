"""How many threads to use."""

from __future__ import annotations

import os

__all__ = ["threads"]


def threads(n_jobs: int | None) -> int:
    """Threads from n_jobs: None and -1 mean all cores; workers of joblib keep to their share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(share)) if share.isdigit() and int(share) > 0 else cores
    return max(1, min(cores, n_jobs if n_jobs > 0 else cores + 1 + n_jobs))
