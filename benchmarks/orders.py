"""What the kept order of an index saves: building indexes of a million cases with and without it, and its file.

python -m benchmarks.orders                # processor seconds of one thread, the least of some runs, as Markdown
python -m benchmarks.orders 20000          # the same of fewer cases, to try it
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CASES, RUNS, NEIGHBOURS = 1_000_000, 5, 5
LEVELS = 20
SORTS: dict[str, tuple[str, int, int]] = {
    "tree, 4 numbers": ("tree", 4, 0),
    "tree, 12 numbers": ("tree", 12, 0),
    "dense (bytes), 12 numbers": ("dense", 12, 0),
    "dense (bytes), 8 numbers and 4 symbols": ("dense", 8, 4),
    "codes, 12 symbols": ("codes", 0, 12),
}
"""what is searched: the engine, and how many numbers and symbols the cases have"""


def table(n: int, numbers: int, symbols: int) -> tuple[Any, Any]:
    """Cases of which some features tell the class."""
    import pandas as pd

    rng = np.random.default_rng(0)
    X: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(numbers)}
    codes = rng.integers(0, LEVELS, (symbols, n))
    for j, own in enumerate(codes):
        X[f"s{j}"] = pd.Categorical.from_codes(own, [f"value {i}" for i in range(LEVELS)])
    score = X["x0"] if numbers else codes[0] / LEVELS - 0.5
    return pd.DataFrame(X), np.where(score + rng.normal(size=n) / 2 > 0, "high", "low")


def processor(made: Callable[[], Any]) -> float:
    """The least processor seconds of some runs."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        made()
        times.append(time.process_time() - start)
    return min(times)


def row(title: str, n: int) -> str:
    from nearwise import KNNClassifier
    from nearwise.search.orders import Orders
    from nearwise.storage import container
    from nearwise.storage.orders import pack_orders, unpack_orders
    from nearwise.storage.values import Packer, Unpacker

    name, numbers, symbols = SORTS[title]
    X, y = table(n, numbers, symbols)
    model = KNNClassifier(NEIGHBOURS, "gr", differences={"Symbolic": "overlap"}, engine=name, n_jobs=1).fit(X, y)
    engine: Any = model._fitted().plan.engine
    distance, orders = engine.distance, engine.orders()
    fresh = processor(lambda: type(engine).by(distance, 1, {}))
    by_order = processor(lambda: type(engine).by(distance, 1, orders))
    with tempfile.TemporaryDirectory() as folder:
        path, pack = Path(folder) / "index.nearwise", Packer()
        container.write(path, {"index": pack_orders(pack, Orders(name, orders))}, pack.arrays)

        def read() -> Any:
            content, arrays = container.read(path)
            return unpack_orders(Unpacker(arrays), content["index"], n)

        reading, size = processor(read), path.stat().st_size
    return f"| {title} | {fresh:.2f} s | {by_order:.2f} s | {reading:.3f} s | {size / 1e6:.1f} MB |"


def main(n: int) -> None:
    print(f"{n:,} cases\n")
    print("| index | built without an order | by its order | its file, read and checked | size of the file |")
    print("| --- | --- | --- | --- | --- |")
    for title in SORTS:
        print(row(title, n), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CASES)
