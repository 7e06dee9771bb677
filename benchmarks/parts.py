"""Tables in parts: one fit, streamed, and on two workers of Dask, each in a process of its own, with its peak memory.

python -m benchmarks.parts STAGE FOLDER runs one stage on the tables in the folder and prints what it took as JSON;
python -m benchmarks.parts grow 1000000 4000000 16000000 fits tables of these sizes streamed, whose peak should be flat.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import ROOT, peak_mb
from benchmarks.timing import Contender, Ready, Timed, Work

CASES, NUMBERS, SYMBOLS, QUERIES, TEXTS = 2_000_000, 8, 4, 20_000, 500_000
NEIGHBOURS, MEMORY, ROW_GROUP, AT_ONCE = 10, "1GB", 100_000, 1_000_000
TABLE, ASKED, SAID = "table.parquet", "asked.parquet", "said.npy"
LEVELS = 20
RESOLVED: dict[str, Any] = {
    "n_neighbors": NEIGHBOURS, "feature_weights": "gr", "differences": {"Symbolic": "shares"},
    "answer": "vote", "local_scale": None,
}  # fmt: skip
"""what a table in parts takes where nothing is said, so that all three answer alike"""


@dataclass(frozen=True)
class Stored:
    """Tables in a folder that is there as long as this."""

    n: int
    m: int
    queries: int = 1

    @cached_property
    def folder(self) -> Any:
        from pyarrow import parquet

        folder = tempfile.TemporaryDirectory(prefix="nearwise-parts-")
        groups, first = min(ROW_GROUP, self.n // 8), mixed(min(self.n, AT_ONCE), 0)
        with parquet.ParquetWriter(Path(folder.name) / TABLE, first.schema) as out:
            for start in range(0, self.n, AT_ONCE):
                some = mixed(min(AT_ONCE, self.n - start), start) if start else first
                out.write_table(some, row_group_size=groups)
        parquet.write_table(mixed(self.m, 1).drop(["y"]), Path(folder.name) / ASKED)
        return folder

    def stage(self, name: str) -> dict[str, Any]:
        """What one stage took, in a fresh process."""
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.parts", name, self.folder.name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"The stage {name!r} ended with {done.returncode}: {done.stderr[-300:]}")
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found


def mixed(n: int, seed: int) -> Any:
    """Numbers and symbols, of which some tell the class."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(NUMBERS)}
    codes = rng.integers(0, LEVELS, (SYMBOLS, n))
    columns |= {f"s{j}": texts(own, LEVELS) for j, own in enumerate(codes)}
    score = columns["x0"] + 0.7 * columns["x1"] + codes[0] / LEVELS + rng.normal(size=n) / 2
    return pa.table({**columns, "y": texts(np.digitize(score, [0.0, 1.0]), 3)})


def texts(codes: Any, levels: int) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), [f"value {i}" for i in range(levels)])


def tables(tiny: bool) -> Stored:
    return Stored(4_000, 100) if tiny else Stored(CASES, QUERIES)


# ------------------------------------------------------------------------------------------------- in the process


Stage = Callable[[Path], tuple[Any, dict[str, Any]]]


def in_one_process(folder: Path) -> tuple[Any, dict[str, Any]]:
    import pandas as pd

    from nearwise import KNNClassifier

    start = time.perf_counter()
    X = pd.read_parquet(folder / TABLE)
    model = KNNClassifier(**RESOLVED, n_jobs=2).fit(X.drop(columns="y"), X["y"])
    fitted = time.perf_counter()
    said = model.predict(pd.read_parquet(folder / ASKED))
    return said, {"fit": fitted - start, "seconds": time.perf_counter() - start}


def streamed(folder: Path) -> tuple[Any, dict[str, Any]]:
    from pyarrow import parquet

    from nearwise import fit_parquet
    from nearwise.parts.predicting import predict_file

    start = time.perf_counter()
    model = fit_parquet(folder / TABLE, target="y", memory=MEMORY, n_neighbors=NEIGHBOURS, n_jobs=2)
    fitted = time.perf_counter()
    predict_file(model, folder / ASKED, folder / "said.parquet")
    seconds = time.perf_counter() - start
    said = parquet.read_table(folder / "said.parquet").column("prediction").to_numpy()
    return said, {"fit": fitted - start, "seconds": seconds, "parts": len(model.searches.starts)}


def with_dask(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Two processes of one thread; the cluster is there before, and has imported what it needs."""
    with cluster() as client:
        from dask import dataframe

        from nearwise.dask import KNNClassifier

        X = dataframe.read_parquet(folder / TABLE, split_row_groups=2)
        warmed(client)
        start = time.perf_counter()
        model = KNNClassifier(NEIGHBOURS, client=client).fit(X.drop(columns="y"), X["y"])
        fitted = time.perf_counter()
        said = model.predict(dataframe.read_parquet(folder / ASKED).compute())
        told = {"fit": fitted - start, "seconds": time.perf_counter() - start, "parts": len(model.searches.starts)}
        workers = list(client.run(peak_mb).values())
        return said, {**told, "workers_mb": workers}


def a_batch(folder: Path) -> tuple[Any, dict[str, Any]]:
    """One query to a small table in eight parts: what a batch costs anyway."""
    with cluster() as client:
        model, asked = warmed(client)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            said = model.predict(asked)
            times.append(time.perf_counter() - start)
        return said, {"fit": float("nan"), "seconds": sorted(times)[2]}


def cluster() -> Any:
    from distributed import Client

    return Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0")


def warmed(client: Any) -> tuple[Any, Any]:
    from dask import dataframe

    from nearwise.dask import KNNClassifier

    X = mixed(400, 2).to_pandas()
    lazy = dataframe.from_pandas(X, npartitions=8)
    model = KNNClassifier(3, client=client).fit(lazy.drop(columns="y"), lazy["y"])
    model.predict(X.drop(columns="y")[:1])
    return model, X.drop(columns="y")[:1]


NEEDS = ("pyarrow", "pandas")
WITH_DASK = (*NEEDS, "dask.dataframe", "distributed")
STAGES: dict[str, Stage] = {
    "one process, two threads": in_one_process,
    "streamed within 1 GB": streamed,
    "Dask, two workers of one thread": with_dask,
    "Dask, a batch of one query": a_batch,
}


def choosing_k(folder: Path) -> tuple[Any, dict[str, Any]]:
    """A streamed fit that chooses k by 1,000 cases, and a prediction."""
    from nearwise import fit_parquet
    from nearwise.cases.readers import read

    start = time.perf_counter()
    model = fit_parquet(folder / TABLE, target="y", memory=MEMORY, loo_sample=1000, n_jobs=2)
    fitted = time.perf_counter()
    said = model.predict(read(folder / ASKED))
    return said, {
        "fit": fitted - start, "predict": time.perf_counter() - fitted, "parts": len(model.searches.starts),
        "processor": time.process_time(),
    }  # fmt: skip


GROWING = "streamed, k chosen by 1,000 cases"
STAGES[GROWING] = choosing_k


def grow(sizes: list[int]) -> None:
    for n in sizes:
        print(n, json.dumps(Stored(n, 1000).stage(GROWING)), flush=True)


def main(name: str, folder: str) -> None:
    said, told = STAGES[name](Path(folder))
    codes = np.unique(said, return_inverse=True)[1]
    np.save(Path(folder) / SAID, codes)
    print(json.dumps({**told, "peak_mb": peak_mb()}))


# ------------------------------------------------------------------------------------------------- in the harness


def stage(name: str, compared: bool = True) -> Contender:
    def make(data: Stored) -> Ready:
        first = data.stage(name)
        said = np.load(Path(data.folder.name) / SAID)
        workers = first.get("workers_mb", [])
        told = [f"{first['parts']} parts"] if "parts" in first else []
        told += [f"workers {', '.join(f'{each:,.0f}' for each in workers)} MB"] if workers else []

        def ask(_: int) -> Timed:
            found = data.stage(name)
            return Timed(found["seconds"], said, max([found["peak_mb"] or 0, *found.get("workers_mb", [])]))

        return Ready(ask, check=lambda _: said, note=", ".join(told), fit=first["fit"])

    return Contender(name, make, needs=WITH_DASK if "Dask" in name else NEEDS, ours=True, compared=compared)


@dataclass(frozen=True)
class Texts:
    """A column of texts, as it may come."""

    codes: Any
    queries: int = 1


def of_texts(tiny: bool) -> Texts:
    return Texts(np.random.default_rng(0).integers(0, 1000, 2_000 if tiny else TEXTS))


def typing(how: str) -> Contender:
    """From a column to the codes of a table."""

    def make(data: Texts) -> Ready:
        import pyarrow as pa

        from nearwise.cases.frames import raw_table
        from nearwise.cases.schema import Schema
        from nearwise.cases.table import CaseTable

        column = texts(data.codes, 1000)
        if how != "a dictionary of Arrow":
            column = column.cast(pa.string())
        given: Any = pa.table({"s": column})
        if how == "a list of Python":
            given = {"s": column.to_pylist()}

        def ask(_: int) -> Any:
            raw = raw_table(given)
            return CaseTable.like(raw, Schema.infer(raw)).columns[0]

        def check(_: int) -> Any:
            typed = ask(_)
            return np.argsort(np.argsort(np.array(typed.levels)))[typed.values]

        return Ready(ask, check)

    return Contender(how, make, needs=("pyarrow",), ours=True)


WORKS = (
    Work(
        "parts",
        f"a table in parts: fit to {CASES:,} x {NUMBERS + SYMBOLS} of Parquet and predict {QUERIES:,}, each in "
        "processes of its own",
        tables,
        (*map(stage, list(STAGES)[:3]), stage("Dask, a batch of one query", compared=False)),
        repeats=3,
    ),
    Work(
        "parts-texts",
        f"typing {TEXTS:,} texts: as Arrow has them, and as a list of Python",
        of_texts,
        tuple(map(typing, ("strings of Arrow", "a dictionary of Arrow", "a list of Python"))),
    ),
)

if __name__ == "__main__":
    grow([int(size) for size in sys.argv[2:]]) if sys.argv[1] == "grow" else main(*sys.argv[1:])
