"""Which cells the study has, and how they are computed: two processes with one thread each, kept cells first."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from benchmarks.accuracy import cells, methods, sets
from benchmarks.accuracy.cells import Cell

CAP, LARGE_CAP, TINY_CAP = 1_000, 4_000, 120
SEEDS = (0, 1, 2)
WORKERS = 2
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TINY = ("iris", "zoo", "breast-cancer", "prestige", "prof")

Found = dict[Cell, dict[str, float]]


def plan(tiny: bool) -> list[Cell]:
    """Every cell, those of the first seed first, so that a run that is cut short says most."""
    if tiny:
        return [cell for name in TINY for cell in _of(name, 0, TINY_CAP)]
    usual = [cell for seed in SEEDS for name in (*sets.NUMBERS, *sets.CLASSES) for cell in _of(name, seed, CAP)]
    return usual + [cell for name in sets.LARGE for cell in _of(name, SEEDS[0], LARGE_CAP)]


def _of(name: str, seed: int, cap: int) -> Iterator[Cell]:
    pool = methods.REGRESSORS if name in sets.NUMBERS else methods.CLASSIFIERS
    for method in pool:
        if method.name != methods.CATBOOST or name not in sets.NO_CATBOOST:
            yield Cell(name, seed, method.name, cap)


def kept(wanted: list[Cell]) -> Found:
    """The measures of those cells that were computed before, by this run or another."""
    return {cell: known for cell in wanted if (known := cells.kept(cell)) is not None}


def run(wanted: list[Cell], say: Any = print) -> list[str]:
    """Compute and keep what is not there yet; returns what failed."""
    known = kept(wanted)
    rest = [cell for cell in wanted if cell not in known]
    say(f"{len(known)} cells are there, {len(rest)} are to compute")
    failures, began = [], time.monotonic()
    for cell, measured, why in _computed(rest):
        who = f"{cell.set}, at most {cell.cap:,} cases, seed {cell.seed}, {cell.method}"
        if why:
            failures.append(f"{who}: {why}")
            say(f"FAILED: {failures[-1]}")
        else:
            measure, value = next(iter(measured.items()))
            say(f"{time.monotonic() - began:6.0f} s  {who}: {measure} {value:.4g}")
    return failures


def _computed(rest: list[Cell]) -> Iterator[tuple[Cell, dict[str, float], str]]:
    """(cell, measures, why there are none) as they come."""
    if not rest:
        return
    with _one_thread(), ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
        asked = {pool.submit(_one, cell): cell for cell in rest}
        for done in as_completed(asked):
            yield asked[done], *done.result()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that start meanwhile use one thread each: libraries read this when they load."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _one(cell: Cell) -> tuple[dict[str, float], str]:
    """(measures, why there are none)."""
    warnings.simplefilter("ignore")  # peers warn of one another and of their own future
    try:
        return cells.compute(cell), ""
    except Exception as error:
        return {}, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
