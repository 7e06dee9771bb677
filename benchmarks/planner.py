"""What the planner takes beside the engines that it leaves: the measurements behind its rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks import dense, ours, symbolic
from benchmarks.dense import K
from benchmarks.timing import Contender, Ready, Work

QUERIES = 2_000
CHOICE = 0.7
"""an engine that was left takes at least this share of the time of the one that was taken"""
DIMENSIONS = (2, 4, 6, 8, 12)
VALUES = (2, 5, 50, 1_000)


def of_numbers(engine: str, data: Any) -> Ready:
    from nearwise import NearestCases

    model = NearestCases(n_neighbors=K, scale="none", p=data.p, engine=engine).fit(data.X)
    return Ready(lambda m: model.kneighbors(data.Q[:m])[0], note=ours.engine_of(model))


def of_symbols(engine: str, data: Any) -> Ready:
    from nearwise import NearestCases

    cases, asked = symbolic.columns(data.X), symbolic.columns(data.Q)
    weights = dict(zip(cases, data.gain_ratio, strict=True))
    model = NearestCases(n_neighbors=K, feature_weights=weights, p=1, engine=engine).fit(cases)
    return Ready(lambda m: model.kneighbors({f: c[:m] for f, c in asked.items()})[0], note=ours.engine_of(model))


def work(name: str, title: str, data: Any, make: Any, engines: Sequence[str]) -> Work:
    contenders = [Contender(ours.NAME, partial(make, "auto"), ours=True)]
    contenders += [Contender(f"engine {each}", partial(make, each), ours=True) for each in engines]
    return Work(name, f"{title}, {QUERIES:,} queries", data, contenders, repeats=3)


WORKS = (
    *(
        work(
            f"plan-numbers-{d}", f"100,000 x {d} numbers",
            lambda tiny, d=d: dense.independent(100_000, QUERIES, d, tiny), of_numbers, ("tree", "dense", "scan"),
        )
        for d in DIMENSIONS
    ),
    *(
        work(
            f"plan-symbols-{values}", f"100,000 x 10 symbols of {values:,} values",
            lambda tiny, v=values: symbolic.draw(v, "overlap", tiny, m=QUERIES), of_symbols,
            ("codes", "dense", "scan"),
        )
        for values in VALUES
    ),
)  # fmt: skip
