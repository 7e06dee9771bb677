"""The peers: what they are called, whether they start here, and the machine in words."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

PACKAGES = {
    "sklearn.neighbors": "scikit-learn", "sklearnex.neighbors": "scikit-learn-intelex", "faiss": "faiss-cpu",
    "scipy.spatial": "scipy", "gower": "gower", "imblearn.metrics.pairwise": "imbalanced-learn",
    "fast_select": "fast-select", "skrebate": "skrebate", "pandas": "pandas", "catboost": "catboost",
    "pyarrow": "pyarrow", "dask.dataframe": "dask", "distributed": "distributed",
}  # fmt: skip
"""module -> the package that brings it; each is optional"""
TIMBL = "timbl"
"""a program, from Debian"""


@functools.cache
def absent(module: str) -> str:
    """Why a peer cannot take part; empty where it can. Tried in a process of its own, which may crash."""
    if module == TIMBL:
        return "" if shutil.which(TIMBL) else "not installed (Debian package timbl)"
    try:
        code = f"import {module}"
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "does not start (timed out)"
    if done.returncode == 0:
        return ""
    told = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return "not installed" if "ModuleNotFoundError" in told else f"does not start ({told[:120]})"


def why_absent(modules: Sequence[str]) -> str:
    return next((f"{PACKAGES.get(m, m)} {why}" for m in modules if (why := absent(m))), "")


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions() -> dict[str, str]:
    """Of everything that may have taken part."""
    found = {"Python": platform.python_version()}
    for package in ("nearwise", "numpy", "rapidfuzz", *PACKAGES.values()):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    found["TiMBL"] = _timbl_version() if shutil.which(TIMBL) else "absent"
    return found


def _timbl_version() -> str:
    told = subprocess.run([TIMBL, "-V"], capture_output=True, text=True, check=False)
    words = (told.stdout + told.stderr).split()
    return next((w for w in words if w[:1].isdigit() and "." in w), "present")


def machine() -> str:
    """Cores, processor family and instruction set, in words."""
    instructions = "the NumPy engine"
    try:
        import nearwise._core as core

        instructions = f"{core.instruction_set()} in use"
    except ImportError:
        pass
    return f"{cores()} cores, {platform.machine()}, {instructions}, {platform.system()}"


class Sgemm:
    """The rate of the machine's single-precision matrix product, all cores, measured in turns with the others."""

    def __init__(self, side: int) -> None:
        rng = np.random.default_rng(0)
        self.a = rng.random((side, side), dtype=np.float32)
        self.b = rng.random((side, side), dtype=np.float32)
        self.flop = 2.0 * side**3

    def rate(self) -> float:
        """Floating-point operations a second, the best of a few."""
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            self.a @ self.b
            best = min(best, time.perf_counter() - start)
        return self.flop / best


def limited(blas: int) -> Any:
    """A context in which every BLAS uses so many threads."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=blas, user_api="blas")
