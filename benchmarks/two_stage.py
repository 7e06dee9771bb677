"""Two-stage search against computing every pair: python benchmarks/two_stage.py [cases] [queries].

Every table has five uniform numbers and one costly feature; k = 10. Both engines run in turns, three times; printed are
medians, their ratio, the ratio of processor time (steadier on a busy machine, and blind to threads), and, for what is
not in the C++ core, the share of the costly differences that two-stage search computes and of queries that it hands to
blocks of every pair.
"""

from __future__ import annotations

import sys
import time
import warnings
from statistics import median

import numpy as np

from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import Custom, Numeric, Set, Text
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Metric
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.functions import CallbackEngine
from nearwise.search.index.two_stage import Costly, TwoStageIndex
from nearwise.weights import Global, Stored

K, ROUNDS = 10, 3


def vocabulary(rng, size=500):
    return ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), rng.integers(3, 9))) for _ in range(size)]


def random_words(rng, n):
    """Texts of 40 letters that have nothing to do with each other: the nearest differ in half their letters."""
    words = vocabulary(rng)
    return [" ".join(rng.choice(words, 14))[:40] for _ in range(n)]


def records(rng, n, kinds=200, typos=3):
    """Texts of 40 letters as registers hold them: one of a few hundred names, with typing errors."""
    names, letters = random_words(rng, kinds), list("abcdefghijklmnopqrstuvwxyz ")
    out = []
    for which in rng.integers(0, kinds, n):
        text = list(names[which])
        for at in rng.integers(0, len(text), rng.integers(0, typos + 1)):
            text[at] = letters[rng.integers(0, len(letters))]
        out.append("".join(text))
    return out


def tag_sets(rng, n):
    words = vocabulary(rng)
    return [set(rng.choice(words, rng.integers(1, 8)).tolist()) for _ in range(n)]


def point_sets(rng, n):
    return [rng.normal(size=(rng.integers(2, 6), 4)).tolist() for _ in range(n)]


def letter_gap(x, q):
    return len(set(x) ^ set(q))


TABLES = {
    "random words, equal weights": (Text(), random_words, 1.0, 1),
    "random words, p = 1": (Text(), random_words, 1.0, 1, 1),
    "records with typing errors, equal weights": (Text(), records, 1.0, 1),
    "random words, weight 100 (text decides)": (Text(), random_words, 100.0, 1),
    "tags, jaccard": (Set(members="symbols"), tag_sets, 1.0, 1),
    "tags, jaccard, weight 100": (Set(members="symbols"), tag_sets, 100.0, 1),
    "point sets, min linkage": (Set(members="vectors"), point_sets, 1.0, 10),
    "point sets, min linkage, weight 100": (Set(members="vectors"), point_sets, 100.0, 10),
    "a Python function": (Custom(letter_gap), records, 1.0, 50),
}
"""name -> kind, values, weight of the costly feature, how many times fewer queries, p"""


def problem(kind, values, weight, n, m, p=2):
    rng = np.random.default_rng(0)
    numbers, costly = rng.random((n + m, 5)), values(rng, n + m)
    schema = Schema({**{f"number {f}": Numeric() for f in range(5)}, "costly": kind})

    def table(rows):
        columns = [*numbers[rows].T.tolist(), costly[rows]]
        raw = tuple(RawColumn("object", column) for column in columns)
        return CaseTable.like(RawTable(tuple(schema), raw, len(columns[0]), None, True), schema)

    cases = table(slice(0, n))
    metric = Metric.fit(cases, p=p)
    weights = Global([1.0] * 5 + [weight], metric.names)
    payload = Payload(np.zeros(n, dtype=np.intp), np.ones((n, 1)), 1)
    return Distance(metric, weights, Stored(metric.measure(cases))), metric.measure(table(slice(n, n + m))), payload


def share_computed(engine, queries, payload):
    """Costly differences that were asked for, over all pairs, and queries that went over to blocks, over all."""
    count, add = [0, 0], Costly.add

    def counting(self, total, rows, p):
        count[0] += len(rows)
        add(self, total, rows, p)

    def blocks(queries, weights):
        count[1] += len(queries)
        return type(engine).block(engine, queries, weights)

    Costly.add, engine.block = counting, blocks
    try:
        engine.nearest(queries, K, payload)
    finally:
        Costly.add = add
        del engine.block
    pairs = len(queries) * len(engine.distance.stored)
    return count[0] / pairs, count[1] / len(queries)


def main(n=20_000, m=1_000):
    warnings.simplefilter("ignore")
    print(f"{n} cases, {m} queries, k = {K}; milliseconds a query")
    print(f"{'':44}{'every pair':>12}{'two stages':>12}{'ratio':>8}{'cpu':>8}{'computed':>10}{'in blocks':>10}")
    for name, (kind, values, weight, fewer, *p) in TABLES.items():
        asked = max(1, m // fewer)
        distance, queries, payload = problem(kind, values, weight, n, asked, *p)
        engines = [CallbackEngine(distance), TwoStageIndex(distance)]
        times, works, found = [[], []], [[], []], [None, None]
        for _ in range(ROUNDS):
            for e, engine in enumerate(engines):
                started, worked = time.perf_counter(), time.process_time()
                found[e] = engine.nearest(queries, K, payload)
                times[e].append((time.perf_counter() - started) / asked * 1e3)
                works[e].append(time.process_time() - worked)
        assert all(np.array_equal(getattr(found[0], a), getattr(found[1], a)) for a in ("sums", "indices", "tied"))
        (every, staged), (work, less) = map(median, times), map(median, works)
        print(f"{name:44}{every:12.3f}{staged:12.3f}{every / staged:8.1f}{work / less:8.1f}", end="")
        if engines[1]._texts is None:
            print("{:10.1%}{:10.1%}".format(*share_computed(engines[1], queries, payload)), end="")
        print(flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
