"""How our time and memory grow with n, d and k; every point in a process of its own."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks import dense, mixed, presets, symbolic
from benchmarks.memory import measure, peak_mb
from benchmarks.targets import EXTRA_MB, LINEAR

QUERIES = 1_000


@dataclass(frozen=True)
class Setting:
    kind: str
    n: int
    d: int = 16
    k: int = 10
    m: int = QUERIES


@dataclass(frozen=True)
class Point:
    setting: Setting
    seconds: float
    peak_mb: float | None
    input_mb: float
    engine: str


@dataclass(frozen=True)
class Curve:
    title: str
    along: str
    points: list[Point]

    def complaints(self) -> list[str]:
        """What grows faster than it may."""
        if self.along != "n":
            return []
        out = []
        at = {p.setting.n: p for p in self.points}
        last = max(at, default=0)
        if last // 10 in at and last >= 100_000:  # below, a search is too short to tell
            growth = at[last].seconds / at[last // 10].seconds / 10
            if growth > LINEAR:
                out.append(f"time a case grows {growth:.2f} times from n = {last // 10:,} to {last:,}")
        for p in self.points:
            if p.peak_mb is not None and p.peak_mb > p.input_mb + EXTRA_MB:
                extra = p.peak_mb - p.input_mb
                out.append(f"memory at n = {p.setting.n:,} is {extra:,.0f} MB above the input's {p.input_mb:,.0f} MB")
        return out


def _columns_mb(table: dict[str, Any]) -> float:
    return sum(column.nbytes for column in table.values()) / 2**20


def _numbers(s: Setting) -> tuple[Any, Any, Any, float]:
    data = dense.independent(s.n, s.m, s.d, tiny=False)
    return dense.nearwise(data), data.Q, None, data.input_mb


def _mixed(s: Setting) -> tuple[Any, Any, Any, float]:
    import numpy as np

    from nearwise import KNNClassifier
    from nearwise.weights import PerClass

    data = mixed.draw(False, s.n, s.m)
    cases, asked = mixed.table(data.X, data.S), mixed.table(data.QX, data.QS)
    size = _columns_mb(cases) + _columns_mb(asked)
    weights = PerClass(data.W, list(cases), list(range(mixed.CLASSES)), np.full(mixed.CLASSES, 1 / mixed.CLASSES))
    y = data.y
    del data
    return KNNClassifier(n_neighbors=s.k, feature_weights=weights, scale="none", p=2).fit(cases, y), asked, None, size


def _symbols(s: Setting) -> tuple[Any, Any, Any, float]:
    data = symbolic.draw(50, "overlap", False, s.n, s.m)
    cases, asked, y = symbolic.columns(data.X), symbolic.columns(data.Q), data.y
    model = symbolic.model(data).set_params(n_jobs=None)
    del data
    return model.fit(cases, y), asked, None, _columns_mb(cases) + _columns_mb(asked)


KINDS: dict[str, Callable[[Setting], tuple[Any, Any, Any, float]]] = {
    "numbers": _numbers,
    "numbers and symbols": _mixed,
    "symbols": _symbols,
}


LEARNING = "learning "
"""begins a kind that is the fit of the method it goes on with"""


def point(setting: Setting) -> Point:
    """Measured here and now; `measured` does it in a child."""
    if setting.kind.startswith(LEARNING):
        data = presets.mixture(setting.n, setting.d)
        ready = presets.learning(setting.kind.removeprefix(LEARNING), data)
        return Point(setting, timed(lambda: ready.ask(1)), peak_mb(), data.input_mb, setting.kind)
    model, asked, _, size = KINDS[setting.kind](setting)
    seconds = timed(lambda: model.kneighbors(asked, setting.k))
    return Point(setting, seconds, peak_mb(), size, model.plan_.engine.name)


def timed(work: Callable[[], Any]) -> float:
    """The median of three calls after a first one, or one call that takes long."""
    times = []
    for _ in range(4):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if times[-1] > 20:
            break
    return statistics.median(times[1:] or times)


def measured(setting: Setting) -> Point | None:
    found = measure("--point", json.dumps(asdict(setting)))
    return None if found is None else Point(setting, **found)


def settings(tiny: bool) -> list[tuple[str, str, list[Setting]]]:
    sizes = [500, 5_000] if tiny else [1_000, 10_000, 100_000, 300_000, 1_000_000]
    n, m = (500, 50) if tiny else (100_000, QUERIES)
    wide, many = ([2, 8], [1, 10]) if tiny else ([2, 4, 8, 16, 32, 64, 128], [1, 5, 10, 20, 50, 100])
    told = {
        "numbers": "16 numbers",
        "numbers and symbols": "10 numbers and 10 symbols, weights per class",
        "symbols": "10 symbols",
    }
    kinds = ["numbers"] if tiny else list(KINDS)
    return [
        *((f"{told[kind]}, n grows", "n", [Setting(kind, size, m=m) for size in sizes]) for kind in kinds),
        (f"{n:,} cases of d numbers, d grows", "d", [Setting("numbers", n, d=d, m=m) for d in wide]),
        (f"{n:,} x 16 numbers, k grows", "k", [Setting("numbers", n, k=k, m=m) for k in many]),
        *learning(tiny),
    ]


def learning(tiny: bool) -> list[tuple[str, str, list[Setting]]]:
    """The fits of the preset methods, on numbers and symbols half and half."""
    methods = presets.methods()[:1] if tiny else presets.methods()
    sizes, wide, n = ([500, 5_000], [2, 4], 500) if tiny else ([10_000, 100_000, 1_000_000], [4, 8, 16, 32], 100_000)
    out = []
    for method in methods:
        kind = LEARNING + method
        out.append((f"fit of `{method}`, 16 features, n grows", "n", [Setting(kind, size, m=1) for size in sizes]))
        out.append((f"fit of `{method}`, {n:,} cases, d grows", "d", [Setting(kind, n, d=d, m=1) for d in wide]))
    return out


def curves(tiny: bool, say: Any) -> list[Curve]:
    out = []
    for title, along, asked in settings(tiny):
        say(f"\ngrowth: {title} ({asked[0].m:,} queries)")
        points = []
        for setting in asked:
            found = measured(setting)
            if found is None:
                raise RuntimeError(f"The point {setting} of a growth curve could not be measured.")
            points.append(found)
            peak = "?" if found.peak_mb is None else f"{found.peak_mb:,.0f}"
            say(
                f"  {along} = {getattr(setting, along):>9,}  {found.seconds:10.4f} s  peak {peak:>6} MB, "
                f"input {found.input_mb:,.0f} MB  ({found.engine})"
            )
        out.append(Curve(title, along, points))
        for complaint in out[-1].complaints():
            say(f"  {complaint}")
    return out
