"""What a model holds: time and memory of fit, predict, save and load, each in a process of its own.

    python -m benchmarks.footprint                 # all tables and stages, as a table of Markdown
    python -m benchmarks.footprint STAGE TABLE FOLDER   # one stage on the table in the folder, as JSON

Memory is what the stage adds to a process that has Python, nearwise and the user's table in it, at its peak and
afterwards, maps of the model file included. It is told beside the *encoded table*: what a model must hold of the cases,
8 bytes for a number, 4 for a symbol, and 24 for the class, the weight and the id of a case. The model file is as large.
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

from benchmarks.memory import ROOT, held_mb, peak_mb, peaks_from_now
from benchmarks.timing import Contender, Ready, Timed, Work

CASES, QUERIES, NEIGHBOURS = 1_000_000, 10_000, 5
TABLE, MODEL = "table.npz", "model.nearwise"
OF_CASE = 24
"""bytes of the class, the weight and the id of a case"""


@dataclass(frozen=True)
class Sort:
    """What the cases are made of, and by which weights they are compared."""

    numbers: int
    symbols: int
    weights: str | None
    title: str

    @property
    def bytes_of_case(self) -> int:
        return 8 * self.numbers + 4 * self.symbols + OF_CASE


SORTS = {
    "footprint": Sort(20, 0, "ig", "20 numbers of which 2 tell the class, the tree searches"),
    "footprint-dense": Sort(20, 0, "none", "20 numbers that count alike, the dense engine searches"),
    "footprint-default": Sort(20, 0, None, "20 numbers under `KNNClassifier()` as it is"),
    "footprint-mixed": Sort(12, 8, "ig", "12 numbers and 8 symbols that all tell the class, the dense engine searches"),
}


@dataclass(frozen=True)
class Stored:
    """A table in a folder that is there as long as this."""

    name: str
    n: int
    m: int
    queries: int = 1

    @property
    def encoded_mb(self) -> float:
        return self.n * SORTS[self.name].bytes_of_case / 2**20

    @cached_property
    def folder(self) -> Any:
        folder, sort = tempfile.TemporaryDirectory(prefix="nearwise-footprint-"), SORTS[self.name]
        rng = np.random.default_rng(0)
        X, S = rng.random((self.n, sort.numbers)), rng.integers(0, 12, (self.n, sort.symbols)).astype(np.int32)
        telling = X[:, :2].sum(axis=1) - 1 if not sort.symbols else X.sum(axis=1) - 6 + (S.sum(axis=1) - 44) / 12
        np.savez(Path(folder.name) / TABLE, X=X, S=S, y=(telling > 0).astype(np.int64))
        return folder

    def stage(self, stage: str) -> dict[str, Any]:
        """What one stage took, in a fresh process."""
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.footprint", stage, self.name, self.folder.name]
        done = subprocess.run([*command, str(self.m)], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"The stage {stage!r} ended with {done.returncode}: {done.stderr[-300:]}")
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found


def table(name: str, tiny: bool) -> Stored:
    return Stored(name, 2_000, 100) if tiny else Stored(name, CASES, QUERIES)


# ------------------------------------------------------------------------------------------------- in the process


@dataclass(frozen=True)
class Asked:
    """What a stage works on."""

    name: str
    folder: Path
    m: int

    @cached_property
    def cases(self) -> tuple[Any, Any]:
        """The user's table and classes: an array, or a data frame where there are symbols."""
        with np.load(self.folder / TABLE) as found:
            X, S, y = found["X"], found["S"], found["y"]
        return (self._frame(X, S) if S.shape[1] else X), y

    @cached_property
    def few(self) -> Any:
        """The first cases, as queries, without the others."""
        with np.load(self.folder / TABLE) as found:
            X, S = found["X"][: self.m].copy() + 1e-3, found["S"][: self.m].copy()
        return self._frame(X, S) if S.shape[1] else X

    @staticmethod
    def _frame(X: Any, S: Any) -> Any:
        import pandas as pd

        names = [f"level {code}" for code in range(12)]
        columns = {f"x{f}": column for f, column in enumerate(X.T)}
        return pd.DataFrame(
            {**columns, **{f"s{f}": pd.Categorical.from_codes(codes, names) for f, codes in enumerate(S.T)}}
        )

    def estimator(self, jobs: int | None = None) -> Any:
        from nearwise import KNNClassifier

        weights = SORTS[self.name].weights
        return KNNClassifier(n_jobs=jobs) if weights is None else KNNClassifier(NEIGHBOURS, weights, n_jobs=jobs)


def fit(asked: Asked, jobs: int | None = None) -> Callable[[], Any]:
    X, y = asked.cases
    asked.estimator().fit(X[:100], y[:100]).predict(X[:2])  # so that what is imported late is there
    return lambda: asked.estimator(jobs).fit(X, y)


def predict(asked: Asked, jobs: int | None = None) -> Callable[[], Any]:
    model, Q = fit(asked, jobs)(), asked.few
    return lambda: (model, model.predict(Q))


def save(asked: Asked) -> Callable[[], Any]:
    model = fit(asked)()
    return lambda: (model, model.save(asked.folder / MODEL))


def load(asked: Asked) -> Callable[[], Any]:
    from nearwise import load

    Q = asked.few
    small = asked.folder / "small.nearwise"
    asked.estimator().fit(Q[:50], np.arange(50) % 2).save(small)
    load(small).predict(Q[:2])
    return lambda: load(asked.folder / MODEL)


def load_and_predict(asked: Asked) -> Callable[[], Any]:
    model, Q = load(asked)(), asked.few
    return lambda: (model, model.predict(Q))


STAGES: dict[str, Callable[[Asked], Callable[[], Any]]] = {
    "fit": fit,
    "fit, then predict": predict,
    "fit, then predict on one thread": partial(predict, jobs=1),
    "fit, then save": save,
    "load": load,
    "load, then predict": load_and_predict,
}
"""name -> what makes the call that is measured; the first prediction of a loaded model makes its index"""
FROM_FILE = ("load", "load, then predict")


def main(stage: str, name: str, folder: str, m: str) -> None:
    """One stage in this process, as JSON."""
    work = STAGES[stage](Asked(name, Path(folder), int(m)))
    peaks_from_now()
    before, start, used = held_mb() or 0.0, time.perf_counter(), time.process_time()
    kept = work()
    seconds, processor = time.perf_counter() - start, time.process_time() - used
    took = {"seconds": seconds, "processor": processor, "peak_mb": peak_mb()}
    print(json.dumps({**took, "own_mb": (peak_mb() or 0.0) - before, "held_mb": (held_mb() or 0.0) - before}))
    del kept  # held until its memory was read


# ------------------------------------------------------------------------------------------------- in the harness


def told(found: dict[str, Any], encoded_mb: float) -> str:
    """What a stage added, beside the encoded table."""
    own, held = found["own_mb"], found["held_mb"]
    beside = f"{own / encoded_mb:.2f}x the encoded table of {encoded_mb:,.0f}"
    return f"adds {own:,.0f} MB, {beside}, and holds {held:,.0f} afterwards"


def stage(name: str, needs: tuple[str, ...]) -> Contender:
    def make(data: Stored) -> Ready:
        if name in FROM_FILE:
            data.stage("fit, then save")
        first = [data.stage(name)]
        note = told(first[0], data.encoded_mb)

        def ask(_: int) -> Timed:
            found = first.pop() if first else data.stage(name)
            return Timed(found["seconds"], peak_mb=found["peak_mb"])

        return Ready(ask, note=note, fit=float("nan"))

    return Contender(name, make, needs, ours=True, compared=False)


WORKS = tuple(
    Work(
        name,
        f"what a model holds: {CASES:,} cases of {sort.title}; {QUERIES:,} queries, each stage in a process of its own",
        partial(table, name),
        tuple(stage(each, ("pandas",) if sort.symbols else ()) for each in STAGES),
        repeats=3,
    )
    for name, sort in SORTS.items()
)


def report() -> None:
    """All tables and stages once."""
    print("| table | stage | seconds | processor | adds MB | x encoded | holds MB |")
    print("| --- " * 7 + "|")
    for name in SORTS:
        data = table(name, tiny=False)
        for each in STAGES:
            found = data.stage(each)
            cells = f"{found['seconds']:.2f} | {found['processor']:.2f} | {found['own_mb']:,.0f}"
            ratio = found["own_mb"] / data.encoded_mb
            print(f"| {name} | {each} | {cells} | {ratio:.2f} | {found['held_mb']:,.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:]) if sys.argv[1:] else report()
