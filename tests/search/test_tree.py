"""The kd engine equals the reference for every distance it accepts, and the planner knows when it pays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.tree import TreeIndex
from nearwise.search.plan import plan
from nearwise.weights import Global, PerClass, Stored

from .obvious import reference
from .tables import problem, seeds
from .test_agreement import compare

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")
LINES = ("numeric", "gaussian", "ordinal")


def numbers(X, Q, weights=None, p=2, scale="range", policy="max", seed=0):
    """(distance, measured queries, payload) over arrays; weights (p,) or (3, p) per class."""
    rng = np.random.default_rng(seed)
    n, width = X.shape
    table = CaseTable.of({f"x{f}": column for f, column in enumerate(X.T)})
    target = Target(rng.integers(0, 3, n), np.array(["a", "b", "c"]), rng.random(n))
    metric = Metric.fit(table, target, scale=scale, missing=policy, p=p)
    queries = metric.measure(CaseTable.of({f"x{f}": column for f, column in enumerate(Q.T)}, schema=table.schema))
    weights = np.ones(width) if weights is None else np.asarray(weights)
    made = (
        Global(weights, metric.names)
        if weights.ndim == 1
        else PerClass(weights, metric.names, ["a", "b", "c"], np.full(3, 1 / 3))
    )
    payload = Payload(target.values, target.weights[:, None], 3)
    return Distance(metric, made, Stored(metric.measure(table), target.values)), queries, payload


def assert_bits(distance, queries, payload, k, leave_out=None, truth=BlockEngine):
    found = TreeIndex(distance).nearest(queries, k, payload, leave_out)
    expected = truth(distance).nearest(queries, k, payload, leave_out)
    for name in ("sums", "indices", "inside", "tied", "tie_sums"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@given(
    seeds,
    st.lists(st.sampled_from(LINES), min_size=1, max_size=5),
    st.integers(1, 60),
    st.sampled_from([1, 2]),
    st.sampled_from(["max", "usual", "ignore", "value", "mean"]),
    st.booleans(),
    st.sampled_from([0, 1, 9, 45]),
)
def test_the_tree_equals_the_reference_to_the_last_bit(seed, kinds, k, p, policy, per_class, n):
    shape = "per-class" if per_class else "global"
    distance, queries, payload = problem(seed, kinds, n=n, p=p, policy=policy, holes=0.0, shape=shape)
    leave_out = np.arange(len(queries)) % (n + 1) - 1
    compare(TreeIndex, distance, queries, payload, k, leave_out)
    assert_bits(distance, queries, payload, k, leave_out, reference)


@pytest.mark.parametrize("policy", ["max", "usual", "ignore", "value", "mean"])
@pytest.mark.parametrize("per_class", [False, True])
def test_queries_with_missing_values_are_answered_in_their_places(policy, per_class):
    rng = np.random.default_rng(0)
    Q = rng.random((40, 3))
    Q[rng.random(Q.shape) < 0.3] = np.nan
    weights = rng.random((3, 3)) if per_class else rng.random(3)
    distance, queries, payload = numbers(rng.random((250, 3)), Q, weights, policy=policy)
    leave_out = rng.integers(-1, 250, 40)
    compare(TreeIndex, distance, queries, payload, 4, leave_out)
    assert_bits(distance, queries, payload, 4, leave_out)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("scale", ["range", "none"])
@pytest.mark.parametrize("kind", ["uniform", "grid", "equal", "apart", "offset", "constant", "tiny", "huge"])
def test_leave_one_out_equals_the_blocks_to_the_last_bit(kind, p, scale):
    rng = np.random.default_rng(1)
    n = 700
    X = rng.random((n, 3))
    if kind == "grid":
        X = rng.integers(0, 4, (n, 3)).astype(float)
    elif kind == "equal":
        X[:] = [0.1, 0.2, 0.3]
    elif kind == "apart":
        X += rng.integers(0, 3, (n, 1)) * 1e6
    elif kind == "offset":
        X += 1e9
    elif kind == "constant":
        X[:, 1] = 5.0
    elif kind == "tiny":
        X = rng.integers(0, 50, (n, 3)) * 5e-324
    elif kind == "huge":
        X *= 1e149
    for weights in ([1.0, 0.0, 0.3], rng.random((3, 3))):
        distance, _, payload = numbers(X, X[:1], weights, p=p, scale=scale)
        assert_bits(distance, distance.stored.cases, payload, 10, np.arange(n))


def test_no_query_and_no_case_give_empty_answers():
    distance, queries, payload = numbers(np.random.default_rng(0).random((50, 2)), np.zeros((2, 2)))
    none = queries.take(slice(0, 0))
    assert TreeIndex(distance).nearest(none, 3, payload).sums.shape == (0, 3)
    assert TreeIndex(distance).within(none, np.zeros(0)) == []


def test_a_query_whose_square_is_infinite_is_left_to_the_scan():
    X, Q = np.random.default_rng(0).random((50, 2)), np.array([[1e200, 0], [0.5, 0.5]])
    distance, queries, payload = numbers(X, Q, scale="none")
    with np.errstate(over="ignore"):
        assert_bits(distance, queries, payload, 3)


def test_any_number_of_threads_and_any_chunk_give_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    distance, queries, payload = numbers(np.round(rng.random((3000, 3)), 1), rng.random((200, 3)))
    expected = TreeIndex(distance, threads=1).nearest(queries, 7, payload)
    monkeypatch.setattr("nearwise.search.index.tree.CHUNK_SECONDS", 0.0)
    monkeypatch.setattr("nearwise.search.index.tree.GRAIN", 7)
    for threads in (1, 2, 5):
        found = TreeIndex(distance, threads=threads).nearest(queries, 7, payload)
        for name in ("sums", "indices", "inside", "tied", "tie_sums"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def planned(X, weights=None):
    return plan(numbers(X, X[:1], weights)[0])


def test_the_planner_takes_the_tree_by_intrinsic_dimension_not_by_the_number_of_features():
    rng = np.random.default_rng(0)
    sheet = rng.normal(size=(20_000, 2)) @ rng.normal(size=(2, 16))
    assert planned(sheet).engine.name == "tree"
    assert planned(rng.random((20_000, 3))).engine.name == "tree"
    assert planned(rng.normal(size=(20_000, 16))).engine.name == "dense"
    few_matter = np.where(np.arange(16) < 2, 1.0, 0.0)
    assert planned(rng.normal(size=(20_000, 16)), few_matter).engine.name == "tree"


def test_the_plan_says_what_a_search_visits():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 2))
    assert "a search visits" in planned(X).describe()
    assert planned(X).describe() == planned(X).describe()  # the probe is the same every time
    rejected = planned(rng.normal(size=(20_000, 16)))
    assert "not tree: a search would visit about" in rejected.describe()
    assert "not tree: fewer than 4000 cases are not worth a tree" in planned(rng.random((100, 2))).describe()


def test_the_tree_can_be_asked_for_where_the_planner_would_not_take_it():
    distance, _, _ = numbers(np.random.default_rng(0).random((100, 20)), np.zeros((1, 20)))
    assert plan(distance, "tree").engine.name == "tree"


@pytest.mark.parametrize(
    ("kinds", "arguments", "why"),
    [
        (["symbolic"], {}, "does not compare feature"),
        (["cyclic"], {}, "does not compare feature"),
        (["numeric"], {"holes": 0.9}, "missing in stored cases"),
        (["numeric"], {"p": 3}, "p=3"),
        (["numeric"], {"shape": "per-case"}, "per-case weights"),
    ],
)
def test_the_engine_says_why_it_cannot_serve(kinds, arguments, why):
    distance, _, _ = problem(0, kinds, **{"holes": 0.0, **arguments})
    assert why in TreeIndex.refuses(distance)
