"""The coded search against its twin, bit by bit, and its border."""

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TIE = 1e-12
BRANCH, SCAN = 1, 10**9


def problem(seed=0, n=9, m=5, p=3, g=1, v=1, values=3, by_table=False, leaf=4, k=2, distinct=False, **changed):
    """A small valid call, of which a test changes what it is about: the arguments of the index and of the search."""
    rng = np.random.default_rng(seed)
    is_table = np.full(p, by_table, np.uint8)
    index = {
        "codes": rng.integers(0, values, (p, n)).astype(np.int32),
        "values": np.full(p, values, np.int32),
        "is_table": is_table,
        "part": rng.integers(0, g, n).astype(np.int32),
        "coefficients": rng.choice([0.0, 0.1, 0.2, 0.3, 1.0], (g, p)),
        "leaf": leaf,
    }
    search = {
        "codes": rng.integers(-1, values, (m, p)).astype(np.int32),
        "rows": rng.integers(0, 2, (m, p)).astype(np.int32),
        "tables": [rng.choice([0.0, 0.5, 1.0, 2.0], (2, values)) if by_table else np.empty((0, 0)) for _ in range(p)],
        "exclude": rng.integers(-1, n, m) if n else np.full(m, -1),
        "group_codes": rng.integers(0, 2, n).astype(np.int32),
        "group_values": rng.integers(0, 4, (n, v)) / rng.choice([1, 3]),
        "n_groups": 2,
        "k": k,
        "tolerance": TIE,
        "distinct": distinct,
    }
    for name, value in changed.items():
        (index if name.startswith("index_") else search)[name.removeprefix("index_")] = value
    return index, search


def found_by(core, index, search, threads=1, seconds=1.0):
    asked = core.CodesSearch(core.CodesIndex(**index), **search)
    while asked.run(threads, seconds) < len(search["codes"]):
        pass
    return asked.result()


def twin(index, search):
    """The search as obvious loops: slow, and the definition of what the core must return."""
    codes, (m, p), k = index["codes"], search["codes"].shape, search["k"]
    n, v, groups = codes.shape[1], search["group_values"].shape[1], search["n_groups"]
    sums, indices = np.full((m, k), np.inf), np.full((m, k), 0 if search["distinct"] else -1)
    inside, tied = np.zeros(m, int), np.zeros(m, int)
    payload = np.zeros((m, k, groups, v) if search["distinct"] else (m, groups, v))

    def add(out, cases):
        for i in sorted(cases):
            out[search["group_codes"][i]] += search["group_values"][i]

    for j in range(m):
        ranked = []
        for i in range(n):
            total = 0.0
            for f in range(p):
                coefficient = float(index["coefficients"][index["part"][i], f])
                if index["is_table"][f]:
                    total += coefficient * float(search["tables"][f][search["rows"][j, f], codes[f, i]])
                else:
                    total += coefficient * float(search["codes"][j, f] != codes[f, i])
            if i != search["exclude"][j]:
                ranked.append((total, i))
        ranked.sort()
        if not search["distinct"] and ranked:
            for place, (total, i) in enumerate(ranked[:k]):
                sums[j, place], indices[j, place] = total, i
            kth = ranked[:k][-1][0]
            inside[j] = sum(total < kth - TIE * kth for total, _ in ranked)
            group = [i for total, i in ranked if kth - TIE * kth <= total <= kth + TIE * kth]
            tied[j] = len(group)
            add(payload[j], group)
        for level in range(k if search["distinct"] else 0):
            if not ranked:
                break
            start = ranked[0][0]
            group = [i for total, i in ranked if total <= start + TIE * start]
            sums[j, level], indices[j, level] = start, len(group)
            add(payload[j, level], group)
            ranked = ranked[len(group) :]
    return sums, indices, inside, tied, payload


def assert_same(found, expected):
    for a, e in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.ravel(), e.ravel())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(0, 40), m=st.integers(0, 40), p=st.integers(0, 6),
    g=st.integers(1, 3), v=st.integers(0, 2), values=st.integers(1, 5), by_table=st.booleans(),
    leaf=st.sampled_from([BRANCH, 4, SCAN]), k=st.integers(1, 45), distinct=st.booleans(), threads=st.integers(1, 3),
)  # fmt: skip
def test_the_search_equals_its_twin_exactly(core, threads, **sizes):
    index, search = problem(**sizes)
    assert_same(found_by(core, index, search, threads), twin(index, search))


@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("p", [24, 25, 60])
def test_many_features_are_bounded_in_words(core, p, tables):
    index, search = problem(1, n=150, m=40, p=p, values=4, by_table=tables, k=3)
    assert_same(found_by(core, index, search, 2), twin(index, search))


@pytest.mark.parametrize("tables", [False, True])
def test_symbols_that_share_an_entry(core, tables):
    index, search = problem(2, n=300, m=40, p=3, values=15_000, by_table=tables, k=3)
    index["codes"][:] = np.random.default_rng(0).choice([0, 1, 256, 257, 9000, 14_999], index["codes"].shape)
    search["codes"][:] = np.random.default_rng(1).choice([-1, 0, 1, 256, 257, 9000, 14_999], search["codes"].shape)
    assert_same(found_by(core, index, search), twin(index, search))


def test_pieces_of_time_and_threads_change_nothing(core):
    index, search = problem(3, n=500, m=200, p=5)
    expected = found_by(core, index, search)
    for threads in (1, 2, 50):
        assert_same(found_by(core, index, search, threads, 0.0), expected)


def test_an_index_serves_several_threads_at_once(core):
    index, search = problem(4, n=2000, m=100, p=5)
    shared, results = core.CodesIndex(**index), []

    def ask():
        asked = core.CodesSearch(shared, **search)
        while asked.run(1, 0.001) < 100:
            pass
        results.append(asked.result())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        assert_same(result, results[0])


def test_the_search_outlives_its_arrays(core):
    index, search = problem(5, n=50, m=30)
    expected = twin(index, search)
    asked = core.CodesSearch(core.CodesIndex(**index), **{**search, "codes": search["codes"].copy()})
    del index
    assert asked.run(1, 10.0) == 30
    assert_same(asked.result(), expected)


def test_a_result_is_given_when_the_search_is_finished(core):
    index, search = problem()
    with pytest.raises(ValueError, match="not finished"):
        core.CodesSearch(core.CodesIndex(**index), **search).result()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"index_codes": np.zeros((3, 9))}, "codes must be an array of int32"),
        ({"index_codes": np.full((3, 9), 3, np.int32)}, r"codes of feature 0 must be in 0 \.\. 2; it is not at 0"),
        ({"index_codes": np.full((3, 9), -1, np.int32)}, "codes of feature 0 must be in"),
        ({"index_values": np.zeros(3, np.int32)}, "values must be at least 1"),
        ({"index_values": np.ones(2, np.int32)}, "values must have shape"),
        ({"index_part": np.ones(9, np.int32)}, "part must be in"),
        ({"index_coefficients": np.full((1, 3), -1.0)}, "finite and not negative"),
        ({"index_coefficients": np.full((1, 3), np.nan)}, "finite and not negative"),
        ({"index_coefficients": np.full((1, 3), np.inf)}, "finite and not negative"),
        ({"index_leaf": 0}, "leaf must be at least 1"),
        ({"codes": np.full((5, 3), 3, np.int32)}, "query codes of feature 0"),
        ({"codes": np.full((5, 3), -2, np.int32)}, "query codes of feature 0"),
        ({"codes": np.zeros((5, 2), np.int32)}, "codes must have shape"),
        ({"rows": np.full((5, 3), 2, np.int32), "tables": [np.zeros((2, 3))] * 3}, "rows of feature 0"),
        ({"rows": np.full((5, 3), -1, np.int32), "tables": [np.zeros((2, 3))] * 3}, "rows of feature 0"),
        ({"tables": [np.zeros((2, 3))] * 2}, "one table a feature"),
        ({"tables": [np.zeros((2, 4))] * 3}, r"tables\[0\] must have shape"),
        ({"exclude": np.full(5, 9)}, "exclude must be -1 or a position"),
        ({"exclude": np.full(5, -2)}, "exclude must be -1 or a position"),
        ({"group_codes": np.full(9, 2, np.int32)}, "group_codes must be in"),
        ({"group_values": np.zeros((8, 1))}, "group_values must have shape"),
        ({"k": 0}, "k must be in 1"),
        ({"k": 2**40}, "k must be in 1"),
        ({"tolerance": 1.0}, "tolerance must be in"),
        ({"tolerance": np.nan}, "tolerance must be in"),
    ],
)
def test_a_wrong_argument_is_named_before_it_is_used(core, changed, sentence):
    index, search = problem(by_table="tables" in changed, **changed)
    with pytest.raises(ValueError, match=sentence):
        core.CodesSearch(core.CodesIndex(**index), **search)
