"""Two stages: numbers are cheap and bound the distance from below, text is compared for the survivors only.

Four tables of 5 numbers and a text of 40 letters, and the 10 nearest. How much is spared depends on how near they are:

- offers of products, 20 of each: all ten are offers of the same product, as where prices are compared;
- records of things, 20 of each, with more noise in numbers and text;
- offers with 4 of each: most of the ten are other products, whose titles differ in most letters;
- numbers and random words that have nothing to do with each other: no two texts are near, and little can be spared.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.timing import Contender, Ready, Work

K, NUMBERS, LETTERS = 10, 5, 40
ALPHABET = np.array(list("abcdefghijklmnopqrstuvwxyz "))


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


def sizes(tiny: bool) -> tuple[int, int]:
    return (400, 20) if tiny else (20_000, 1_000)


def vocabulary(rng: np.random.Generator, size: int) -> list[str]:
    return ["".join(rng.choice(ALPHABET[:26], rng.integers(3, 10))) for _ in range(size)]


def mistyped(rng: np.random.Generator, title: str) -> str:
    """Up to three letters replaced, left out, doubled or swapped with the next."""
    letters = list(title)
    for _ in range(rng.integers(0, 4)):
        at = int(rng.integers(0, len(letters) - 1))
        how = rng.integers(0, 4)
        if how == 0:
            letters[at] = str(rng.choice(ALPHABET))
        elif how == 1:
            del letters[at]
        elif how == 2:
            letters.insert(at, letters[at])
        else:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)[:LETTERS]


def offers(each: int, tiny: bool) -> Texts:
    """Offers of products, ``each`` of a product on average: what kind of thing it is tells its sizes and its title.

    A title is brand, kind of thing, number of the model and qualities, cut at 40 letters. A product varies about its
    kind, an offer about its product: a little noise in the numbers, up to three typing errors in the title.
    """
    n, m = sizes(tiny)
    rng = np.random.default_rng(0)
    kinds, products = 200, max(1, n // each)
    things, brands, qualities = vocabulary(rng, kinds), vocabulary(rng, 150), vocabulary(rng, 300)
    usual = rng.random((kinds, NUMBERS))
    kind = rng.integers(0, kinds, products)
    numbers = usual[kind] + 0.1 * rng.standard_normal((products, NUMBERS))
    titles = [
        " ".join([str(rng.choice(brands)), things[which], str(rng.integers(10, 10_000)), *rng.choice(qualities, 8)])
        for which in kind
    ]

    def draw(rows: int) -> tuple[Any, list[str]]:
        at = rng.integers(0, products, rows)
        noise = 0.02 * rng.standard_normal((rows, NUMBERS))
        return numbers[at] + noise, [mistyped(rng, titles[which][:LETTERS]) for which in at]

    return Texts(*draw(n), *draw(m))


def records(tiny: bool) -> Texts:
    """Records of things that come up about twenty times each: numbers with noise, a tenth of the letters wrong."""
    n, m = sizes(tiny)
    rng = np.random.default_rng(0)
    things = max(1, n // 20)
    numbers = rng.random((things, NUMBERS))
    titles = rng.integers(0, len(ALPHABET), (things, LETTERS))

    def draw(rows: int) -> tuple[Any, list[str]]:
        at = rng.integers(0, things, rows)
        typed = titles[at].copy()
        wrong = rng.random(typed.shape) < 0.1
        typed[wrong] = rng.integers(0, len(ALPHABET), int(wrong.sum()))
        return numbers[at] + 0.05 * rng.standard_normal((rows, NUMBERS)), ["".join(ALPHABET[row]) for row in typed]

    return Texts(*draw(n), *draw(m))


def unrelated(tiny: bool) -> Texts:
    """Uniform numbers beside random words: the nearest texts still differ in most of their letters."""
    n, m = sizes(tiny)
    rng = np.random.default_rng(0)
    words = vocabulary(rng, 500)

    def draw(rows: int) -> tuple[Any, list[str]]:
        return rng.random((rows, NUMBERS)), [" ".join(rng.choice(words, 14))[:LETTERS] for _ in range(rows)]

    return Texts(*draw(n), *draw(m))


def columns(X: Any, T: list[str]) -> dict[str, Any]:
    return {**{f"n{j}": x for j, x in enumerate(X.T)}, "title": list(T)}


def nearwise(engine: str, data: Texts) -> Ready:
    from nearwise import NearestCases, Text

    model = NearestCases(n_neighbors=K, scale="none", p=2, schema={"title": Text()}, engine=engine)
    model.fit(columns(data.X, data.T))
    return Ready(lambda m: model.kneighbors(columns(data.QX[:m], data.QT[:m]))[0], note=ours.engine_of(model))


def every_pair(data: Texts) -> Ready:
    """All edit distances with rapidfuzz, all sums, then the nearest; a few queries at a time, all cores."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    def nearest(apart: Any, QX: Any) -> Any:
        sums = apart**2
        for j in range(NUMBERS):
            sums += (QX[:, j, None] - data.X[None, :, j]) ** 2
        return np.sqrt(np.sort(np.partition(sums, K - 1, axis=1)[:, :K], axis=1))

    def ask(m: int) -> Any:
        found, cores = [], peers.cores()
        with ThreadPoolExecutor(cores) as pool:
            for start in range(0, m, 100):
                end = min(m, start + 100)
                apart = cdist(
                    data.QT[start:end], data.T, scorer=Levenshtein.normalized_distance, dtype=np.float64, workers=cores
                )
                found += pool.map(nearest, np.array_split(apart, cores), np.array_split(data.QX[start:end], cores))
        return np.concatenate(found)

    return Ready(ask)


CONTENDERS = (
    Contender(ours.NAME, partial(nearwise, "auto"), ours=True),
    Contender("every pair", every_pair),
    Contender("nearwise, engine blocks", partial(nearwise, "blocks"), ours=True),
)

WORKS = (
    Work(
        "text", "20,000 offers (20 a product) x (5 numbers + 40 letters), 1,000 queries", partial(offers, 20),
        CONTENDERS,
    ),
    Work("text records", "20,000 records (20 a thing) x (5 numbers + 40 letters), 1,000 queries", records, CONTENDERS),
    Work(
        "text few alike", "20,000 offers (4 a product) x (5 numbers + 40 letters), 1,000 queries", partial(offers, 4),
        CONTENDERS,
    ),
    Work(
        "text unrelated", "20,000 x (5 numbers + 40 letters of unrelated random words), 1,000 queries", unrelated,
        CONTENDERS,
    ),
)  # fmt: skip
