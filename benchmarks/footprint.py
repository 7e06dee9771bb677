"""What a model holds: time and peak memory of fit, predict, save and load, each in a process of its own.

python -m benchmarks.footprint STAGE FOLDER runs one stage on the table in the folder and prints what it took as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import ROOT, held_mb, peak_mb
from benchmarks.timing import Contender, Ready, Timed, Work

CASES, FEATURES, QUERIES, NEIGHBOURS = 1_000_000, 20, 10_000, 5
TABLE, MODEL = "table.npz", "model.nearwise"


@dataclass(frozen=True)
class Stored:
    """A table in a folder that is there as long as this."""

    n: int
    m: int
    queries: int = 1

    @property
    def input_mb(self) -> float:
        return self.n * FEATURES * 8 / 2**20

    @cached_property
    def folder(self) -> Any:
        folder = tempfile.TemporaryDirectory(prefix="nearwise-footprint-")
        rng = np.random.default_rng(0)
        X = rng.random((self.n, FEATURES))
        np.savez(Path(folder.name) / TABLE, X=X, y=(X[:, 0] + X[:, 1] > 1).astype(np.int64), Q=X[: self.m] + 1e-3)
        return folder

    def stage(self, name: str) -> dict[str, Any]:
        """What one stage took, in a fresh process."""
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.footprint", name, self.folder.name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"The stage {name!r} ended with {done.returncode}: {done.stderr[-300:]}")
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found


def table(tiny: bool) -> Stored:
    return Stored(2_000, 100) if tiny else Stored(CASES, QUERIES)


# ------------------------------------------------------------------------------------------------- in the process


def _arrays(folder: Path, *names: str) -> list[Any]:
    with np.load(folder / TABLE) as found:
        return [found[name] for name in names]


def fit(folder: Path, jobs: int | None = None) -> Callable[[], Any]:
    from nearwise import KNNClassifier

    X, y = _arrays(folder, "X", "y")
    KNNClassifier(1, "ig").fit(X[:100], y[:100])  # so that what is imported late is there
    return lambda: KNNClassifier(NEIGHBOURS, "ig", n_jobs=jobs).fit(X, y)


def predict(folder: Path, jobs: int | None = None) -> Callable[[], Any]:
    model, (Q,) = fit(folder, jobs)(), _arrays(folder, "Q")
    return lambda: model.predict(Q)


def save(folder: Path) -> Callable[[], Any]:
    model = fit(folder)()
    return lambda: model.save(folder / MODEL)


def load(folder: Path) -> Callable[[], Any]:
    from nearwise import load

    return lambda: load(folder / MODEL)


def load_and_predict(folder: Path) -> Callable[[], Any]:
    model, (Q,) = load(folder)(), _arrays(folder, "Q")
    return lambda: model.predict(Q)


STAGES: dict[str, Callable[[Path], Callable[[], Any]]] = {
    "fit": fit,
    "fit, then predict": predict,
    "fit, then predict on one thread": partial(predict, jobs=1),
    "fit, then save": save,
    "load": load,
    "load, then predict": load_and_predict,
}
"""name -> what makes the call that is timed; memory is that of the whole process"""
FROM_FILE = ("load", "load, then predict")


def main(name: str, folder: str) -> None:
    work = STAGES[name](Path(folder))
    start = time.perf_counter()
    kept = work()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb(), "held_mb": held_mb()}))
    del kept  # held until its memory was read


# ------------------------------------------------------------------------------------------------- in the harness


def stage(name: str) -> Contender:
    def make(data: Stored) -> Ready:
        if name in FROM_FILE:
            data.stage("fit, then save")
        held = data.stage(name)["held_mb"]

        def ask(_: int) -> Timed:
            found = data.stage(name)
            return Timed(found["seconds"], peak_mb=found["peak_mb"])

        return Ready(ask, note="" if held is None else f"holds {held:,.0f} MB afterwards", fit=float("nan"))

    return Contender(name, make, ours=True, compared=False)


WORKS = (
    Work(
        "footprint",
        f"what a model holds: {CASES:,} x {FEATURES} numbers, {QUERIES:,} queries, each stage in a process of its own",
        table,
        tuple(stage(name) for name in STAGES),
        repeats=3,
    ),
)

if __name__ == "__main__":
    main(*sys.argv[1:])
