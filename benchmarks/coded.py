"""The coded engine against TiMBL, one thread each: nearest distance (k = 1) of uniform random symbols.

    python benchmarks/coded.py [--cases 100000] [--queries 10000] [--repeats 5] [--data FOLDER]

Prints medians in seconds and their ratio. TiMBL (`apt install timbl`) is taken from PATH; where it is slow it answers
fewer queries and is scaled up, which the table says. The nearest distances of both are compared.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import nearwise
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Symbolic
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.base import FitContext
from nearwise.differences.metric import Encoded, Measure, Measured, Metric
from nearwise.differences.symbolic import Overlap, ValueDifference
from nearwise.engines.base import Distance, Payload
from nearwise.engines.coded import CodedEngine
from nearwise.engines.native import NativeEngine
from nearwise.weights import Global, Stored

CLASSES = 20
SLOW = {("overlap", 5): 10_000, ("mvdm", 5): 10_000}  # queries that TiMBL answers; elsewhere 100


def problem(n, m, p, symbols, difference, seed=0):
    """(distance, queries, payload, codes (n + m, p), classes) with weights like gain ratios."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, symbols, (n + m, p)).astype(np.int32)
    classes = rng.integers(0, CLASSES, n + m)
    target = Target(classes[:n], np.array([f"c{c}" for c in range(CLASSES)]), np.ones(n))
    made = Overlap() if difference == "overlap" else ValueDifference(power=1)
    measures = []
    for f in range(p):
        column = Column(codes[:n, f], tuple(f"v{v}" for v in range(symbols)))
        measures.append(
            Measure(f"f{f}", Symbolic(), made, made.fit(column, FitContext(f"f{f}", Symbolic(), target)), "max")
        )
    metric = Metric(tuple(measures), 1)

    def measured(rows):
        return Measured(tuple(Encoded(np.ascontiguousarray(rows[:, f]), None) for f in range(p)), len(rows))

    stored = Stored(measured(codes[:n]), classes[:n])
    weights = Global(rng.uniform(0.02, 0.35, p), metric.names)
    payload = Payload(classes[:n], np.ones((n, 1)), CLASSES)
    return Distance(metric, weights, stored), measured(codes[n:]), payload, codes, classes


def write(path, codes, classes):
    lines = (" ".join([*(f"v{v}" for v in row), f"c{c}"]) for row, c in zip(codes.tolist(), classes.tolist()))
    path.write_text("\n".join(lines) + "\n")


def timbl(folder, difference):
    """(seconds that TiMBL says it took to answer, nearest distances)"""
    done = subprocess.run(
        ["timbl", "-f", "train", "-t", "test", "-F", "Columns", "-a0", "-k1", "-w", "weights", "+vdi", "-o", "out",
         "-mO" if difference == "overlap" else "-mM"],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = re.search(r"Seconds taken: ([\d.]+)", done.stdout + done.stderr)
    distances = [float(line.split()[-1]) for line in (folder / "out").read_text().splitlines()]
    unit = 1.0 if difference == "overlap" else 2.0  # TiMBL halves the value difference
    return float(found.group(1)), unit * np.array(distances)


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def compare(difference, symbols, arguments):
    n, m = arguments.cases, arguments.queries
    distance, queries, payload, codes, classes = problem(n, m, 10, symbols, difference)
    build, engine = timed(lambda: CodedEngine(distance, 1))
    few = min(m, SLOW.get((difference, symbols), 100))
    ours, theirs, agree = [], [], "-"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "train", codes[:n], classes[:n])
        write(folder / "test", codes[n : n + few], classes[n : n + few])
        (folder / "weights").write_text(
            "".join(f"{f + 1}\t{w!r}\n" for f, w in enumerate(distance.weights.values.tolist()))
        )
        for repeat in range(arguments.repeats):
            seconds, found = timed(lambda: engine.levels(queries, 1, payload))
            ours.append(seconds)
            if shutil.which("timbl") and (few == m or repeat == 0):
                seconds, distances = timbl(folder, difference)
                theirs.append(seconds * m / few)
                agree = str(bool(np.allclose(distances, found.sums[:few, 0], rtol=0, atol=1e-9)))
    own, other = statistics.median(ours), statistics.median(theirs) if theirs else float("nan")
    print(
        f"{difference:8} {symbols:6} {build:9.3f} {own:10.4f} {other:10.3f} {other / own:8.0f}x"
        f"  {'all' if few == m else few} queries  same distances: {agree}",
        flush=True,
    )


def leave_one_out(folder, name, repeats):
    """A symbolic set of the shared data, every case left out once, against the native scan."""
    entry = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["sets"][name]
    raw, labels = nearwise.read(folder / entry["file"], target="class", missing=("",))
    table = CaseTable.like(raw, Schema({name: Symbolic() for name in raw.names}))
    known, classes = np.unique([str(label) for label in labels], return_inverse=True)
    metric = Metric.fit(table, Target(classes, known, np.ones(len(classes))), p=1)
    stored = Stored(metric.measure(table), classes)
    distance = Distance(metric, Global(np.linspace(0.1, 1, len(metric.names)), metric.names), stored)
    payload = Payload(classes, np.ones((len(stored), 1)), len(known))
    rows = np.arange(len(stored))
    times = {engine: [] for engine in (CodedEngine, NativeEngine)}
    for _ in range(repeats):
        for engine, seconds in times.items():
            seconds.append(timed(lambda e=engine: e(distance, 1).nearest(stored.cases, 10, payload, rows))[0])
    own, other = (statistics.median(seconds) for seconds in times.values())
    print(f"{name:16} {len(stored):6} cases {own:10.4f} {other:10.4f} {other / own:8.1f}x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data", type=Path, help="the folder of the shared data sets")
    arguments = parser.parse_args()
    print("metric   symbols  build s     coded s    TiMBL s    ratio")
    for difference in ("overlap", "mvdm"):
        for symbols in (5, 50, 1000):
            compare(difference, symbols, arguments)
    if arguments.data:
        print("leave one out, k = 10, with the build    coded s   native s    ratio")
        for name in ("tic-tac-toe", "car", "splice", "nursery", "mushroom"):
            leave_one_out(arguments.data, name, arguments.repeats)


if __name__ == "__main__":
    main()
