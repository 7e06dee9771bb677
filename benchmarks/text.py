"""Two stages: numbers are cheap and bound the distance from below, text is compared for the survivors only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.timing import Contender, Ready, Work

K, NUMBERS, LETTERS = 10, 5, 40


@dataclass(frozen=True)
class Texts:
    X: Any
    T: list[str]
    QX: Any
    QT: list[str]

    @property
    def queries(self) -> int:
        return len(self.QT)

    @property
    def input_mb(self) -> float:
        return float((self.X.nbytes + self.QX.nbytes + LETTERS * (len(self.T) + len(self.QT))) / 2**20)


def records(tiny: bool) -> Texts:
    """Records of things that come up about twenty times each: numbers with noise, text with typing errors."""
    n, m = (400, 20) if tiny else (20_000, 1_000)
    rng = np.random.default_rng(0)
    things = max(1, n // 20)
    numbers = rng.random((things, NUMBERS))
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz "))
    titles = rng.integers(0, len(letters), (things, LETTERS))

    def draw(rows: int) -> tuple[Any, list[str]]:
        at = rng.integers(0, things, rows)
        typed = titles[at].copy()
        wrong = rng.random(typed.shape) < 0.1
        typed[wrong] = rng.integers(0, len(letters), int(wrong.sum()))
        return numbers[at] + 0.05 * rng.standard_normal((rows, NUMBERS)), ["".join(letters[row]) for row in typed]

    return Texts(*draw(n), *draw(m))


def columns(X: Any, T: list[str]) -> dict[str, Any]:
    return {**{f"n{j}": x for j, x in enumerate(X.T)}, "title": list(T)}


def nearwise(engine: str, data: Texts) -> Ready:
    from nearwise import NearestCases, Text

    model = NearestCases(n_neighbors=K, scale="none", p=2, schema={"title": Text()}, engine=engine)
    model.fit(columns(data.X, data.T))
    return Ready(lambda m: model.kneighbors(columns(data.QX[:m], data.QT[:m]))[0], note=ours.engine_of(model))


def every_pair(data: Texts) -> Ready:
    """All edit distances with rapidfuzz on all cores, all sums, then the nearest; a few queries at a time."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    def ask(m: int) -> Any:
        found = []
        for start in range(0, m, 100):
            end = min(m, start + 100)
            apart = cdist(
                data.QT[start:end], data.T, scorer=Levenshtein.normalized_distance, dtype=np.float64,
                workers=peers.cores(),
            )  # fmt: skip
            sums = apart**2
            for j in range(NUMBERS):
                sums += (data.QX[start:end, j, None] - data.X[None, :, j]) ** 2
            found.append(np.sqrt(np.sort(np.partition(sums, K - 1, axis=1)[:, :K], axis=1)))
        return np.concatenate(found)

    return Ready(ask)


WORKS = (
    Work(
        "text", "20,000 x (5 numbers + a text of 40 letters), 1,000 queries", records,
        (
            Contender(ours.NAME, partial(nearwise, "auto"), ours=True),
            Contender("every pair", every_pair),
            Contender("nearwise, engine blocks", partial(nearwise, "blocks"), ours=True),
        ),
    ),
)  # fmt: skip
