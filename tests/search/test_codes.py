"""The coded engine against the reference, to the last bit, whether it branches or scans."""

import os
import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Symbolic
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.codes import LEAF, CodesIndex
from nearwise.search.plan import plan
from nearwise.weights import Global, PerClass, Stored

from .obvious import reference
from .tables import problem, seeds, typed

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")

BRANCH, SCAN = 1, 10**9
LEAVES = (BRANCH, LEAF, SCAN)


def same(found, expected):
    """Equal to the last bit, field by field."""
    for name in expected.__dataclass_fields__:
        a, b = getattr(found, name), getattr(expected, name)
        assert a.dtype == b.dtype, name
        np.testing.assert_array_equal(a, b, err_msg=name)


def compare(distance, queries, payload, k, leave_out=None, leaf=LEAF, against=reference, threads=1):
    assert CodesIndex.refuses(distance) == ""
    fast, slow = CodesIndex(distance, threads, leaf), against(distance)
    same(fast.nearest(queries, k, payload, leave_out), slow.nearest(queries, k, payload, leave_out))
    same(fast.levels(queries, k, payload, leave_out), slow.levels(queries, k, payload, leave_out))


def coded_problem(
    seed, n, m, p, cardinality, *, difference="overlap", policy="max", holes=0.0, per_class=False, weights=None,
    power=None, values=None, unseen=0,
):  # fmt: skip
    """A symbolic problem; queries draw from `unseen` more symbols than the stored cases."""
    rng = np.random.default_rng(seed)
    schema = {f"f{j}": Symbolic(difference=difference) for j in range(p)}

    def table(rows, symbols):
        codes = rng.integers(0, symbols, (p, rows))
        lost = rng.random((p, rows)) < holes
        return typed(
            {f"f{j}": [None if lost[j, i] else f"v{codes[j, i]}" for i in range(rows)] for j in range(p)}, schema
        )

    stored_table = table(n, cardinality)
    target = Target(rng.integers(0, 3, n), np.array(["p", "q", "r"]), rng.integers(1, 3, n).astype(float))
    metric = Metric.fit(stored_table, target, missing=policy, p=power)
    queries = metric.measure(table(m, cardinality + unseen))
    if weights is None:
        weights = rng.uniform(0.02, 0.35, (3, p) if per_class else p)
    shape = (
        PerClass(weights, metric.names, ["p", "q", "r"], [0.5, 0.3, 0.2])
        if per_class
        else Global(weights, metric.names)
    )
    payload = Payload(target.values, rng.integers(1, 4, (n, 1)) * 1.0 if values is None else values(rng, n), 3)
    return Distance(metric, shape, Stored(metric.measure(stored_table), target.values)), queries, payload


@given(
    seeds, st.lists(st.sampled_from(["symbolic", "mvdm"]), min_size=1, max_size=5), st.integers(1, 12),
    st.sampled_from([1, 2, 3, 0.5]), st.sampled_from(["max", "value"]), st.booleans(), st.booleans(),
    st.sampled_from(LEAVES), st.integers(0, 20), st.integers(1, 3),
)  # fmt: skip
def test_the_coded_engine_equals_the_reference_to_the_last_bit(
    seed, kinds, k, p, policy, per_class, alone, leaf, n, threads
):
    shape = "per-class" if per_class else "global"
    distance, queries, payload = problem(seed, kinds, n=n, p=p, policy=policy, shape=shape)
    leave_out = None if alone or n < 4 else np.arange(len(queries)) - 1
    compare(distance, queries, payload, k, leave_out, leaf, threads=threads)


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("difference", ["overlap", "mvdm"])
@pytest.mark.parametrize("cardinality", [2, 5, 50, 1000])
@pytest.mark.parametrize("k", [1, 7])
def test_many_cases_equal_the_blocks(leaf, difference, cardinality, k):
    distance, queries, payload = coded_problem(1, 2000, 70, 8, cardinality, difference=difference, holes=0.02, unseen=1)
    compare(distance, queries, payload, k, np.arange(70) - 1, leaf, BlockEngine)


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("difference", ["overlap", "mvdm"])
def test_weights_per_class_share_one_result(leaf, difference):
    distance, queries, payload = coded_problem(2, 900, 40, 6, 4, difference=difference, per_class=True, holes=0.05)
    compare(distance, queries, payload, 5, None, leaf, BlockEngine, threads=2)


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("k", [1, 3, 500])
def test_heavy_ties_and_duplicates(leaf, k):
    distance, queries, payload = coded_problem(3, 400, 33, 4, 2, weights=np.ones(4))
    compare(distance, queries, payload, k, np.arange(33), leaf, BlockEngine)
    assert CodesIndex(distance)._index.patterns <= 16


def test_fractions_are_added_in_the_order_of_the_cases():
    distance, queries, payload = coded_problem(4, 300, 20, 3, 2, values=lambda rng, n: rng.normal(size=(n, 2)))
    compare(distance, queries, payload, 2, np.arange(20), against=BlockEngine)


@pytest.mark.parametrize("leaf", LEAVES)
def test_thirds_that_tie_by_rounding_only(leaf):
    weights = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.15, 0.15])
    distance, queries, payload = coded_problem(5, 800, 40, 8, 3, weights=weights)
    for k in (1, 4, 30):
        compare(distance, queries, payload, k, None, leaf, BlockEngine)


@pytest.mark.parametrize(
    "weights", [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1e-320, 5e-324, 0.0], [1e308, 1e308, 1e308], [1e-300, 1.0, 1e300]]
)
@pytest.mark.parametrize("difference", ["overlap", "mvdm"])
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_zero_tiny_and_huge_weights(weights, difference):
    distance, queries, payload = coded_problem(
        6, 60, 12, 3, 3, difference=difference, weights=np.array(weights), unseen=2
    )
    for k, leaf in product((1, 5, 100), LEAVES):
        compare(distance, queries, payload, k, np.arange(12), leaf)


@pytest.mark.parametrize(
    ("n", "m", "p"), [(0, 3, 2), (1, 3, 2), (1, 0, 1), (5, 0, 3), (40, 5, 1), (60, 9, 60), (50, 5, 300)]
)
@pytest.mark.parametrize("difference", ["overlap", "mvdm"])
def test_shapes_at_the_edge(n, m, p, difference):
    distance, queries, payload = coded_problem(7, n, m, p, 3, difference=difference)
    for k, leaf in product((1, 2, 50), LEAVES):
        compare(distance, queries, payload, k, None, leaf)


@pytest.mark.parametrize("difference", ["overlap", "mvdm"])
def test_ten_thousand_symbols(difference):
    distance, queries, payload = coded_problem(8, 12_000, 10, 3, 10_000, difference=difference, unseen=1000)
    compare(distance, queries, payload, 3, np.arange(10), against=BlockEngine)


def test_rows_of_large_tables_are_made_for_a_few_queries_at_a_time(monkeypatch):
    distance, queries, payload = coded_problem(9, 200, 30, 4, 20, difference="mvdm", holes=0.1, unseen=3)
    monkeypatch.setattr("nearwise.search.index.codes.TABLE_BYTES", 5000)
    assert CodesIndex(distance)._tables is None
    compare(distance, queries, payload, 3, np.arange(30), against=BlockEngine)


def test_only_unseen_and_missing_symbols():
    for policy in ("max", "value"):
        distance, queries, payload = coded_problem(10, 50, 20, 4, 3, holes=0.6, policy=policy, unseen=30)
        compare(distance, queries, payload, 4)


def test_the_answer_does_not_depend_on_threads_or_pieces_of_time(monkeypatch):
    distance, queries, payload = coded_problem(11, 3000, 200, 6, 6)
    expected = CodesIndex(distance, 1).nearest(queries, 5, payload)
    monkeypatch.setattr("nearwise.search.index.codes.PIECE_SECONDS", 0.0)
    for threads in (1, 2, 7):
        same(CodesIndex(distance, threads).nearest(queries, 5, payload), expected)


def test_the_planner_takes_it_for_symbols_and_describes_the_tree():
    chosen = plan(coded_problem(12, 100, 1, 2, 3)[0])
    assert chosen.engine.name == "codes"
    assert "9 different cases of 100, in a tree of" in chosen.describe()
    assert plan(problem(0, ["numeric", "symbolic"])[0]).engine.name == "dense"


@pytest.mark.parametrize(
    ("kinds", "policy", "shape", "sentence"),
    [
        (["numeric"], "max", "global", "does not compare feature"),
        (["symbolic"], "ignore", "global", "missing policy 'ignore'"),
        (["symbolic"], "mean", "global", "missing policy 'mean'"),
        (["symbolic"], "max", "per-case", "per-case weights"),
    ],
)
def test_it_says_why_it_refuses(kinds, policy, shape, sentence):
    assert sentence in CodesIndex.refuses(problem(0, kinds, policy=policy, shape=shape)[0])


def test_the_baseline_instructions_give_the_same_bits(tmp_path):
    program = (
        "import pickle, sys; from nearwise.search.index.codes import CodesIndex; import nearwise._core as core\n"
        "d, q, p = pickle.load(open(sys.argv[1], 'rb')); e = CodesIndex(d, 1)\n"
        "pickle.dump((e.nearest(q, 5, p), e.levels(q, 5, p)), open(sys.argv[2], 'wb')); print(core.instruction_set())"
    )
    for difference in ("overlap", "mvdm"):
        given_problem = coded_problem(13, 1500, 100, 8, 7, difference=difference)
        with open(tmp_path / "problem", "wb") as file:
            pickle.dump(given_problem, file)
        done = subprocess.run(
            [sys.executable, "-c", program, tmp_path / "problem", tmp_path / "found"],
            env={**os.environ, "NEARWISE_INSTRUCTIONS": "baseline"}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == "baseline"
        with open(tmp_path / "found", "rb") as file:
            nearest, levels = pickle.load(file)
        distance, queries, payload = given_problem
        engine = CodesIndex(distance, 1)
        same(nearest, engine.nearest(queries, 5, payload))
        same(levels, engine.levels(queries, 5, payload))
