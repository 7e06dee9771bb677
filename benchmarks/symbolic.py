"""Symbols against TiMBL: weighted overlap and value differences, the nearest distance, one thread each."""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.memory import peak_mb
from benchmarks.timing import Contender, Ready, Timed, Work

FEATURES, CLASSES = 10, 20
PRINTED = 1e-6
"""TiMBL prints distances with 13 digits after the point"""


@dataclass(frozen=True)
class Symbols:
    X: Any
    y: Any
    Q: Any
    yq: Any
    difference: str

    @property
    def queries(self) -> int:
        return len(self.Q)

    @property
    def input_mb(self) -> float:
        return (self.X.nbytes + self.Q.nbytes) / 2**20

    @cached_property
    def gain_ratio(self) -> Any:
        """(p,) the weights that TiMBL takes by default."""

        def entropy(p: Any) -> Any:
            return -np.sum(np.where(p > 0, p * np.log2(np.where(p > 0, p, 1)), 0), axis=-1)

        n, out = len(self.y), []
        whole = entropy(np.bincount(self.y, minlength=CLASSES) / n)
        for x in self.X.T:
            counts = np.bincount(x * CLASSES + self.y, minlength=(x.max() + 1) * CLASSES).reshape(-1, CLASSES)
            seen = counts.sum(axis=1)
            left = (seen / n) @ entropy(counts / np.maximum(1, seen)[:, None])
            out.append((whole - left) / max(float(entropy(seen / n)), 1e-12))
        return np.array(out)


def draw(values: int, difference: str, tiny: bool, n: int = 100_000, m: int = 10_000) -> Symbols:
    """Zipf's values, and features that tell the class more or less well."""
    n, m = (min(n, 1_000), 50) if tiny else (n, m)
    rng = np.random.default_rng(0)
    every = n + m
    zipf = 1 / np.arange(1, CLASSES + 1)
    y = rng.choice(CLASSES, every, p=zipf / zipf.sum())
    often = 1 / np.arange(1, values + 1)
    steps = np.cumsum(often / often.sum())
    X = np.empty((every, FEATURES), dtype=np.int64)
    for f in range(FEATURES):
        base = np.minimum(np.searchsorted(steps, rng.random(every)), values - 1)
        told = (base + rng.integers(0, values, CLASSES)[y]) % values
        X[:, f] = np.where(rng.random(every) < 0.8 - 0.07 * f, told, base)
    return Symbols(X[:n], y[:n], X[n:], y[n:], difference)


def columns(codes: Any) -> dict[str, Any]:
    """As a user has it: a dict of columns of strings."""
    names = np.array([f"v{v}" for v in range(int(codes.max()) + 1)])
    return {f"f{j}": names[column] for j, column in enumerate(codes.T)}


def model(data: Symbols) -> Any:
    """Every case at the nearest distance votes, as in TiMBL; its value difference is half of ours."""
    from nearwise import KNNClassifier

    differences, half = ("overlap", 1.0) if data.difference == "overlap" else ("mvdm-l1", 0.5)
    return KNNClassifier(
        n_neighbors=1, feature_weights=data.gain_ratio * half, differences=differences, p=1, ties="distances",
        vote="majority", n_jobs=1,
    )  # fmt: skip


def fitted(data: Symbols) -> Any:
    return model(data).fit(columns(data.X), data.y)


def nearwise(data: Symbols) -> Ready:
    model = fitted(data)
    asked = columns(data.Q)

    def some(m: int) -> dict[str, Any]:
        return {f: c[:m] for f, c in asked.items()}

    return Ready(lambda m: model.predict(some(m)), lambda m: model.kneighbors(some(m))[0][:, 0], ours.engine_of(model))


def nearwise_search(data: Symbols) -> Ready:
    """Without turning strings into codes, which the estimator does for every call."""
    from nearwise.search.base import Payload

    model = fitted(data)
    learned = model._fitted()
    _, queries, _ = model._asked(columns(data.Q), learned)
    payload = Payload(learned.target.values, np.ones((len(data.y), 1)), learned.target.n_classes)

    def ask(m: int) -> Any:
        return learned.engine.levels(queries.take(slice(0, m)), 1, payload).sums[:, 0]

    return Ready(ask, note=ours.engine_of(model))


def timbl(data: Symbols) -> Ready:
    """Its own clock for testing, which includes reading the queries and not the training."""
    folder = tempfile.TemporaryDirectory()
    at = Path(folder.name)
    _write(at / "train", data.X, data.y)
    metric = "-mO" if data.difference == "overlap" else "-mM"

    def ask(m: int) -> Timed:
        _write(at / "test", data.Q[:m], data.yq[:m])
        command = [peers.TIMBL, "-f", "train", "-t", "test", "-F", "Columns", "-k1", metric, "+vdi", "-o", "out"]
        process = subprocess.Popen(
            command, cwd=folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        peaks = [0.0]
        watcher = threading.Thread(target=_watch, args=(process, peaks), daemon=True)
        watcher.start()
        told = process.communicate()[0]
        watcher.join()
        seconds = re.search(r"Seconds taken: ([\d.]+)", told)
        if process.returncode or seconds is None:
            raise RuntimeError(f"timbl ended with {process.returncode}: {told[-200:]}")
        distances = np.array([float(line.split()[-1]) for line in (at / "out").read_text().splitlines()])
        return Timed(float(seconds[1]), distances, peaks[0] or None)

    return Ready(ask, note="its own clock")


def _watch(process: subprocess.Popen[str], peaks: list[float]) -> None:
    while process.poll() is None:
        peaks[0] = max(peaks[0], peak_mb(process.pid) or 0.0)
        time.sleep(0.02)


def _write(path: Path, codes: Any, classes: Any) -> None:
    rows = (" ".join([*(f"v{v}" for v in row), f"c{c}"]) for row, c in zip(codes.tolist(), classes.tolist()))
    path.write_text("\n".join(rows) + "\n")


def imblearn_vdm(data: Symbols) -> Ready:
    """The matrix alone, unweighted."""
    from imblearn.metrics.pairwise import ValueDifferenceMetric

    if len(np.unique(data.Q)) > len(np.unique(data.X)):
        raise ValueError("it cannot compare symbols that were not in training")
    metric = ValueDifferenceMetric(k=1, r=1).fit(data.X, data.y)
    return Ready(lambda m: metric.pairwise(data.Q[:m], data.X), note="matrix only, unweighted: easier work")


def work(values: int, difference: str) -> Work:
    told = "weighted overlap" if difference == "overlap" else "weighted value difference"
    contenders = [
        Contender(ours.NAME, nearwise, ours=True),
        Contender("nearwise, coded queries", nearwise_search, ours=True),
        Contender("TiMBL", timbl, (peers.TIMBL,), tolerance=PRINTED),
    ]
    if difference == "mvdm":
        contenders.append(Contender("imbalanced-learn", imblearn_vdm, ("imblearn.metrics.pairwise",), compared=False))
    title = f"100,000 x 10 symbols of {values} values, {told}, nearest distance, one thread, 10,000 queries"
    return Work(f"{difference}-{values}", title, partial(draw, values, difference), contenders)


WORKS = tuple(work(values, difference) for difference in ("overlap", "mvdm") for values in (5, 50, 1000))
