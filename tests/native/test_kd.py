"""The native kd-tree against its twin, the obvious loops, bit by bit."""

import itertools
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

WHOLE = (1_000_000, 0)
"""numbers that leaves may hold: all, or none, and then they have bytes"""
RESULTS = ("sums", "indices", "inside", "tied", "tie_sums")


def twin(cases, asked):
    """Every sum of every query, feature by feature in order; then what the tree must return."""
    m, k, values = len(asked["queries"]), asked["k"], asked["group_values"]
    sums, indices = np.full((m, k), np.inf), np.full((m, k), -1)
    inside, tied = np.zeros(m, int), np.zeros(m, int)
    tie_sums = np.zeros((m, asked["n_groups"], values.shape[1]))
    for j in range(m):
        total = row_of_sums(cases, asked["queries"][j])
        there = np.flatnonzero(cases["index"] != asked["exclude"][j])
        there = there[np.lexsort((cases["index"][there], total[there]))]
        found = list(zip(total[there].tolist(), cases["index"][there].tolist(), strict=True))
        for place, (s, i) in enumerate(found[:k]):
            sums[j, place], indices[j, place] = s, i
        if not found:
            continue
        kth = found[:k][-1][0]
        margin = 0.0 if math.isinf(kth) else asked["tolerance"] * kth
        inside[j] = sum(s < kth - margin for s, _ in found)
        ties = sorted(i for s, i in found if kth - margin <= s <= kth + margin)
        tied[j] = len(ties)
        for i in ties:
            tie_sums[j, asked["group_codes"][i]] += values[i]
    return sums, indices, inside, tied, tie_sums


def row_of_sums(cases, query):
    """(n,) in the order of the segments; one addition per feature, as in the blocks. A coefficient of 0 adds 0."""
    coefficients = np.repeat(cases["coefficients"], np.diff(cases["segments"]), axis=0)
    total = np.zeros(cases["columns"].shape[1])
    with np.errstate(over="ignore"):
        for f, x in enumerate(cases["columns"][:, cases["index"]]):
            raw = np.abs(query[f] - x)
            term = coefficients[:, f] * np.where(coefficients[:, f] == 0, 0, raw * raw if cases["power"] == 2 else raw)
            total += term
    return total


def problem(X, Q, k=3, power=2, coefficients=None, segments=None, exclude=None, tolerance=1e-12, threads=1, seed=0):
    """(arguments of the tree, arguments of the search) for X (n, p) and Q (m, p)."""
    rng = np.random.default_rng(seed)
    n, p = X.shape
    index = rng.permutation(n).astype(np.int64)
    cases = {
        "columns": np.ascontiguousarray(X[np.argsort(index)].T, dtype=float),
        "segments": np.array([0, n] if segments is None else segments, np.int64),
        "coefficients": np.ones((1, p)) if coefficients is None else np.array(coefficients, float),
        "index": index,
        "power": power,
    }
    asked = {
        "queries": np.ascontiguousarray(Q, dtype=float),
        "exclude": np.full(len(Q), -1, np.int64) if exclude is None else np.array(exclude, np.int64),
        "k": k,
        "tolerance": tolerance,
        "group_codes": rng.integers(0, 2, n).astype(np.int32),
        "group_values": rng.random((n, 1)),
        "n_groups": 2,
        "threads": threads,
    }
    return cases, asked


def check(core, cases, asked):
    """The tree equals its twin, with numbers and with bytes; returns how many cases it visited per query."""
    expected = twin(cases, asked)
    for whole in WHOLE:
        *found, visited = core.KdTree(**cases, most_whole=whole).nearest(**asked)
        for name, a, e in zip(RESULTS, found, expected):
            assert a.shape == e.shape, name
            np.testing.assert_array_equal(a, e, err_msg=name)  # exact: no tolerance, infinity equals infinity
    return visited


VALUES = {
    "ordinary": st.floats(-3, 3, allow_nan=False).map(lambda x: x + 0.1),
    "few": st.sampled_from([0.0, 1.0, 2.0]),  # ties and duplicates are the rule
    "tiny": st.sampled_from([0.0, 5e-324, 1e-310, 3e-162, 1e-160]),  # squares are denormal or vanish
    "huge": st.sampled_from([1e300, -1e300, 1e154, 0.0]),  # squares overflow to infinity
    "far": st.sampled_from([0.0, 1.0]).flatmap(lambda c: st.floats(0, 1).map(lambda x: 1e9 + 1e6 * c + x)),
}
WEIGHTS = st.sampled_from([0.0, 0.1, 1 / 3, 1.0, 2.5])


@st.composite
def problems(draw):
    n, m, p = draw(st.integers(0, 150)), draw(st.integers(0, 6)), draw(st.integers(0, 6))
    g = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pool = np.array(draw(st.lists(VALUES[draw(st.sampled_from(sorted(VALUES)))], min_size=1, max_size=12)))
    cuts = np.sort(rng.integers(0, n + 1, g - 1))
    coefficients = np.array(draw(st.lists(WEIGHTS, min_size=g * p, max_size=g * p))).reshape(g, p)
    return problem(
        rng.choice(pool, (n, p)),
        rng.choice(pool, (m, p)),
        k=draw(st.sampled_from([1, 2, 10, 40, 200])),
        power=draw(st.sampled_from([1, 2])),
        coefficients=coefficients,
        segments=[0, *cuts, n],
        exclude=rng.integers(-1, max(n, 1), m),
        tolerance=draw(st.sampled_from([0.0, 1e-12, 0.3])),
        threads=draw(st.integers(1, 3)),
    )


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(both=problems())
def test_the_tree_equals_its_twin_exactly(core, both):
    check(core, *both)


def clusters(rng, n, p, apart, offset=0.0):
    return rng.integers(0, 4, (n, 1)) * apart + rng.normal(size=(n, p)) + offset


TABLES = {
    "uniform": lambda rng, n: rng.random((n, 4)),
    "sixteen features on two dimensions": lambda rng, n: (
        rng.normal(size=(n, 2)) @ np.linspace(-1, 1, 32).reshape(2, 16)
    ),
    "integer grid": lambda rng, n: rng.integers(0, 5, (n, 3)).astype(float),
    "clusters 1e6 apart": lambda rng, n: clusters(rng, n, 3, 1e6),
    "offset 1e9": lambda rng, n: clusters(rng, n, 3, 10, 1e9),
    "one far away": lambda rng, n: np.vstack([rng.random((n - 1, 2)), [[1e9, -1e9]]]),
    "constant features": lambda rng, n: np.column_stack([np.full(n, 7.0), rng.random(n), np.full(n, 0.1)]),
    "all rows equal": lambda rng, n: np.full((n, 3), 0.1),
    "half the rows equal": lambda rng, n: np.where(np.arange(n)[:, None] % 2, 0.3, rng.random((n, 3))),
    "sides of very different lengths": lambda rng, n: rng.random((n, 5)) * [1e-20, 1e-9, 1, 1e6, 1e-150],
    "denormals": lambda rng, n: rng.integers(0, 9, (n, 2)) * 5e-324,
    "a single feature": lambda rng, n: rng.random((n, 1)),
    "thirds": lambda rng, n: rng.integers(0, 30, (n, 4)) / 3,
}


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("name", TABLES)
def test_a_deep_tree_equals_its_twin_exactly(core, name, power):
    rng = np.random.default_rng(1)
    X = TABLES[name](rng, 5000)
    own = X[::400]
    asked = np.vstack([own, own + rng.normal(size=own.shape) * X.std(axis=0), own * 3 + 1])
    weights = rng.random((1, X.shape[1])) + 0.1
    check(core, *problem(X, asked, k=10, power=power, coefficients=weights, threads=2))


@pytest.mark.parametrize("name", TABLES)
def test_leave_one_out_and_weights_by_segment(core, name):
    rng = np.random.default_rng(2)
    X = TABLES[name](rng, 3000)
    p = X.shape[1]
    weights = np.vstack([rng.random(p), np.zeros(p), np.ones(p), rng.integers(0, 2, p)])
    cases, asked = problem(X, X[::100], k=5, coefficients=weights, segments=[0, 1000, 1000, 1033, 3000])
    asked["exclude"] = np.ascontiguousarray(cases["index"][::100])
    check(core, cases, asked)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 65, 128, 129, 2048, 2049, 4097])
def test_every_number_of_leaves_is_searched(core, n):
    rng = np.random.default_rng(n)
    for k in (1, n or 1, n + 3):
        check(core, *problem(rng.random((n, 2)), rng.random((4, 2)), k=k))


def test_a_search_in_few_dimensions_visits_few_cases(core):
    rng = np.random.default_rng(0)
    visited = check(core, *problem(rng.random((20_000, 2)), rng.random((20, 2)), k=5))
    assert visited.mean() < 400


def test_a_tie_group_can_be_all_cases(core):
    cases, asked = problem(np.ones((70_000, 2)), np.zeros((3, 2)), k=2)
    _, indices, inside, tied, tie_sums, _ = core.KdTree(**cases).nearest(**asked)
    assert indices.tolist() == [[0, 1]] * 3
    assert inside.tolist() == [0] * 3
    assert tied.tolist() == [70_000] * 3
    expected = np.bincount(asked["group_codes"], weights=asked["group_values"][:, 0])
    np.testing.assert_array_equal(tie_sums[:, :, 0], [expected] * 3)  # in the order of the index, so to the last bit


def test_a_neighbour_at_the_edge_of_the_tolerance_is_tied(core):
    rng = np.random.default_rng(0)
    X = np.concatenate([1 + rng.integers(-40, 40, 3000) * 1e-13, rng.random(3000) * 2])[:, None]
    check(core, *problem(X, np.zeros((1, 1)), k=700, power=1))
    check(core, *problem(X, np.zeros((1, 1)), k=700, power=2))


@given(both=problems(), scale=st.sampled_from([0.0, 0.5, 1.0, 100.0, np.inf]))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_within_finds_all_cases_up_to_the_limit(core, both, scale):
    cases, asked = both
    limits = np.full(len(asked["queries"]), scale)
    for whole in WHOLE:
        tree = core.KdTree(**cases, most_whole=whole)
        ends, sums, indices = tree.within(asked["queries"], limits, asked["exclude"], asked["threads"])
        for j, query in enumerate(asked["queries"]):
            total = row_of_sums(cases, query)
            found = sorted(zip(total.tolist(), cases["index"].tolist()))
            expected = [(s, i) for s, i in found if s <= limits[j] and i != asked["exclude"][j]]
            assert list(zip(sums[ends[j] : ends[j + 1]], indices[ends[j] : ends[j + 1]])) == expected


def large_problem(power=2):
    rng = np.random.default_rng(3)
    X = np.round(rng.random((6000, 5)), 2)
    return problem(
        X, rng.random((300, 5)), k=8, power=power, coefficients=rng.random((2, 5)), segments=[0, 2500, 6000],
        exclude=rng.integers(-1, 6000, 300),
    )  # fmt: skip


def test_results_do_not_depend_on_the_number_of_threads(core):
    cases, asked = large_problem()
    expected = core.KdTree(**cases, most_whole=0).nearest(**asked)
    for threads in (2, 3, 50):
        found = core.KdTree(**cases, threads=threads, most_whole=0).nearest(**{**asked, "threads": threads})
        for a, e in zip(found, expected):
            np.testing.assert_array_equal(a, e)


def test_several_searches_may_share_a_tree(core):
    cases, asked = large_problem()
    tree = core.KdTree(**cases, most_whole=0)
    expected = tree.nearest(**asked)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: tree.nearest(**asked), range(8)):
            np.testing.assert_array_equal(found[1], expected[1])


def test_the_order_of_the_places_brings_neighbouring_queries_together(core):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 2))
    places = core.KdTree(**problem(X, X)[0]).places(X)
    in_order = X[np.argsort(places, kind="stable")]
    assert np.abs(np.diff(in_order, axis=0)).mean() < 0.3 * np.abs(np.diff(X, axis=0)).mean()


def test_the_baseline_loops_give_the_same_bits(core, tmp_path):
    for power, whole in itertools.product((1, 2), WHOLE):
        cases, asked = large_problem(power)
        cases["most_whole"] = whole
        np.savez(tmp_path / "cases.npz", **cases)
        np.savez(tmp_path / "asked.npz", **asked)
        program = (
            "import sys, numpy as np; import nearwise._core as core\n"
            "a, b = ({k: (v.item() if v.ndim == 0 else v) for k, v in np.load(f).items()} for f in sys.argv[1:3])\n"
            "np.savez(sys.argv[3], *core.KdTree(**a).nearest(**b)); print(core.instruction_set())"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, *(tmp_path / f"{name}.npz" for name in ("cases", "asked", "result"))],
            env={**os.environ, "NEARWISE_INSTRUCTIONS": "baseline"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "baseline"
        expected = core.KdTree(**cases).nearest(**asked)
        with np.load(tmp_path / "result.npz") as result:
            for name, e in zip(result.files, expected):
                np.testing.assert_array_equal(result[name], e)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"power": 3}, "power must be 1 or 2"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"columns": np.zeros((2, 5), np.float32)}, "columns must be an array of float64"),
        ({"columns": np.full((2, 5), np.nan)}, "columns must be finite"),
        ({"columns": np.full((2, 5), np.inf)}, "columns must be finite"),
        ({"columns": np.zeros((5, 2)).T}, "columns must be contiguous"),
        ({"segments": np.array([0, 4])}, "segments must start at 0 and end at n = 5"),
        ({"segments": np.array([0, 7, 5]), "coefficients": np.ones((2, 2))}, "segments must not decrease"),
        ({"segments": np.zeros(0, np.int64)}, "segments must have shape"),
        ({"coefficients": -np.ones((1, 2))}, "coefficients must not be negative"),
        ({"coefficients": np.full((1, 2), np.inf)}, "coefficients must be finite"),
        ({"coefficients": np.ones((1, 3))}, r"coefficients must have shape \(1, 2\)"),
        ({"index": np.array([0, 1, 2, 3, 5])}, "index must hold each"),
        ({"index": np.array([0, 1, 2, 3, -1])}, "index must hold each"),
        ({"index": np.array([0, 1, 2, 3, 3])}, "index must hold each"),
        ({"index": np.arange(4)}, "index must have shape"),
    ],
)
def test_a_wrong_case_is_named_before_it_is_used(core, changed, sentence):
    cases, _ = problem(np.zeros((5, 2)), np.zeros((3, 2)))
    with pytest.raises(ValueError, match=sentence):
        core.KdTree(**{**cases, **changed})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"k": 0}, "k must be in 1"),
        ({"k": 2**40}, "k must be in 1"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"n_groups": -1}, "n_groups"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"queries": np.ones((3, 3))}, r"queries must have shape \(3, 2\)"),
        ({"queries": np.full((3, 2), np.nan)}, "queries must be finite"),
        ({"exclude": np.zeros(2, np.int64)}, "exclude must have shape"),
        ({"group_codes": np.full(5, 2, np.int32)}, "group_codes must be in"),
        ({"group_codes": np.zeros(4, np.int32)}, "group_codes must have shape"),
        ({"group_values": np.ones((4, 1))}, "group_values must have shape"),
    ],
)
def test_a_wrong_question_is_named_before_it_is_used(core, changed, sentence):
    cases, asked = problem(np.zeros((5, 2)), np.zeros((3, 2)))
    tree = core.KdTree(**cases)
    with pytest.raises(ValueError, match=sentence):
        tree.nearest(**{**asked, **changed})


def test_within_checks_its_limits(core):
    cases, asked = problem(np.zeros((5, 2)), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="limits must have shape"):
        core.KdTree(**cases).within(asked["queries"], np.zeros(2), asked["exclude"])
