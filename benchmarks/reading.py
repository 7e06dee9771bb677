"""Reading a large CSV file by each parser that is installed, beside the exact reader: time, memory, and the same table.

    python -m benchmarks.reading                    # 1,000,000 rows of 20 columns, each mix three times
    python -m benchmarks.reading words dates --rows 200000 --times 5

Every reading is a process of its own that reads twice and tells of the second one; contenders take turns. Told are the
smallest seconds, the smallest processor seconds of all threads, and the most memory.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import ROOT, peak_mb
from benchmarks.peers import machine

EXACT = "exact"
AT_ONCE = 50_000
"""rows that are written at once"""

Texts = Callable[[np.random.Generator, int], list[str]]


def floats(rng: np.random.Generator, n: int) -> list[str]:
    return [repr(x) for x in rng.normal(size=n).round(6).tolist()]


def whole(rng: np.random.Generator, n: int) -> list[str]:
    return [str(x) for x in rng.integers(0, 100_000, n).tolist()]


def words(different: int, form: str, missing: float = 0.0) -> Texts:
    known = [form.format(i) for i in range(different)] + [""]

    def of(rng: np.random.Generator, n: int) -> list[str]:
        codes = np.where(rng.random(n) < missing, different, rng.integers(0, different, n))
        return [known[code] for code in codes.tolist()]

    return of


def days(rng: np.random.Generator, n: int) -> list[str]:
    return [str(day) for day in np.datetime64("2000-01-01") + rng.integers(0, 9_000, n)]


def moments(rng: np.random.Generator, n: int) -> list[str]:
    return [str(moment) for moment in np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 100_000_000, n)]


quoted, bare, many = (
    words(20, '"word, {}"'),
    words(1_000, "word {}", missing=0.05),
    words(5_000, "word {}", missing=0.02),
)
MIXES: dict[str, list[Texts]] = {
    "numbers": [floats] * 20,
    "mixed": [floats] * 5 + [whole] * 5 + [quoted] * 4 + [bare] * 4 + [days] * 2,
    "words": [words(10, "word {}")] * 6 + [words(200, '"word, {}"')] * 6 + [many] * 6 + [whole] * 2,
    "letters": [words(5, "v{}")] * 16 + [words(9, "{}")] * 4,
    "dates": [days] * 8 + [moments] * 4 + [floats] * 8,
}


def write(path: Path, columns: list[Texts], n: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"x{j}" for j in range(len(columns))) + "\n")
        for start in range(0, n, AT_ONCE):
            rows = zip(*(column(rng, min(AT_ONCE, n - start)) for column in columns), strict=True)
            file.writelines(",".join(row) + "\n" for row in rows)


def read_once(path: Path, parser: str) -> dict[str, Any]:
    """One reading by this parser in a process that has it loaded."""
    import nearwise
    from nearwise.cases.readers import fast_csv

    if parser != EXACT:
        __import__(parser)
    fast_csv._PARSERS = {name: held for name, held in fast_csv._PARSERS.items() if name == parser}
    for _ in range(1 if parser == EXACT else 2):
        used, start = time.process_time(), time.perf_counter()
        table = nearwise.read(path)
        took = {"seconds": time.perf_counter() - start, "processor": time.process_time() - used}
        peak = peak_mb()
        digest = _digest(table)
        del table
    return {**took, "peak_mb": peak, "digest": digest}


def _digest(table: Any) -> str:
    """Of everything that the columns hold."""
    found = hashlib.sha256()
    for name, column in zip(table.names, table.columns, strict=True):
        found.update(repr((name, column.sort, column.unit, column.holds, column.whole, column.remark)).encode())
        different, codes = column.distinct()
        used, first = np.unique(codes, return_index=True)
        order = used[np.argsort(first)]  # in which they appear: the place of the missing one is free
        place = np.empty(len(different), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        found.update(repr([different[i] for i in order.tolist()]).encode())
        found.update(place[codes].tobytes())
    return found.hexdigest()


def child(path: Path, parser: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.reading", "--child", str(path), parser]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main(arguments: list[str]) -> int:
    asked = argparse.ArgumentParser("python -m benchmarks.reading", description="Time the readers of CSV.")
    asked.add_argument("mixes", nargs="*", choices=[[], *MIXES], help=f"of {', '.join(MIXES)}; all unless named")
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--times", type=int, default=3)
    asked.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = asked.parse_args(arguments)
    if given.child:
        print(json.dumps(read_once(Path(given.child[0]), given.child[1])))
        return 0
    parsers = [*(name for name in ("pyarrow", "polars") if find_spec(name) is not None), EXACT]
    print(f"CSV of {given.rows:,} rows, on {machine()}", flush=True)
    differ = 0
    for mix in given.mixes or MIXES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.csv")
            write(path, MIXES[mix], given.rows)
            print(f"\n{mix}: {len(MIXES[mix])} columns, {path.stat().st_size / 1e6:.0f} MB", flush=True)
            found: dict[str, list[dict[str, Any]]] = {parser: [] for parser in parsers}
            for _ in range(given.times):
                for parser in parsers:
                    found[parser].append(child(path, parser))
        least = {
            parser: {what: min(run[what] for run in runs) for what in ("seconds", "processor")}
            for parser, runs in found.items()
        }
        for parser, runs in found.items():
            seconds, processor = least[parser]["seconds"], least[parser]["processor"]
            same = {run["digest"] for run in runs} == {found[EXACT][0]["digest"]}
            differ += not same
            print(
                f"  {parser:<8} {seconds:6.2f} s, {processor:6.2f} s of processors, {runs[0]['peak_mb'] or 0:5.0f} MB; "
                f"{least[EXACT]['seconds'] / seconds:5.1f}x, {least[EXACT]['processor'] / processor:5.1f}x; "
                f"{'the same table' if same else 'ANOTHER TABLE'}",
                flush=True,
            )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
