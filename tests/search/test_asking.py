"""Stored cases that ask without their own labels: every engine equals the obvious one, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.scan import ScanIndex
from nearwise.search.plan import plan
from nearwise.weighting import Problem
from nearwise.weights import Global, PerCase, PerClass, Scaled

from .obvious import reference
from .tables import seeds
from .test_agreement import assert_same_neighbours, compare

SHAPES = ("global", "per-class", "per-case", "scaled", "scaled-by-class")
BY_CASE = ("per-case", "scaled", "scaled-by-class")


def asking(seed, n, n_classes, shape, policy, values=4, numbers=False, holes=0.15):
    """(distance, stored cases as queries, payload): symbols by shares beside numbers and symbols by overlap."""
    rng = np.random.default_rng(seed)

    def drawn(draw):
        return [None if rng.random() < holes else draw() for _ in range(n)]

    columns = {
        "shares": drawn(lambda: f"v{rng.integers(values)}"),
        "number": drawn(lambda: float(rng.integers(0, 4))),
        "intervals": drawn(lambda: float(rng.integers(0, 9))),
        "plain": drawn(lambda: "pq"[rng.integers(2)]),
        "more": drawn(lambda: "xyz"[rng.integers(3)]),
    }
    kinds = {"number": "numeric", "intervals": "numeric"}
    table = CaseTable.of(columns, schema={name: kinds.get(name, "symbolic") for name in columns})
    weights = rng.integers(0, 3, n) / 2 + 0.5
    if numbers:
        target = Target(rng.integers(0, 5, n).astype(float), None, weights)
        codes = np.zeros(n, dtype=np.intp)
    else:
        target = Target(rng.integers(0, n_classes, n), np.arange(n_classes), weights)
        codes = target.values
    problem = Problem.of(
        table, target, p=1, missing=policy,
        differences={"shares": "shares", "intervals": "shares", "more": "shares", "plain": "overlap"},
    )  # fmt: skip
    distance = Distance(problem.metric, weights_of(shape, rng, problem, n, max(1, n_classes)), problem.stored)
    return distance, problem.asking, Payload(codes, target.weights[:, None], 1 if numbers else n_classes)


def weights_of(shape, rng, problem, n, n_classes):
    names = problem.features

    def some(*size):
        return rng.integers(0, 4, size) / 2

    if shape == "per-case":
        return PerCase(some(len(names)) * (rng.integers(1, 5, (n, 1)) / 3), names)
    if shape.startswith("scaled"):  # local scaling gives such weights: a factor for each case
        common = some(n_classes, len(names)) if shape.endswith("class") else some(len(names))
        rows = rng.integers(0, n_classes, n) if shape.endswith("class") else None
        return Scaled(common, rng.integers(1, 5, n) / 3, names, rows)
    if shape == "per-class":
        return PerClass(some(n_classes, len(names)), names, list(range(n_classes)), np.full(n_classes, 1 / n_classes))
    return Global(some(len(names)), names)


@pytest.mark.skipif(core() is None, reason="the native core is not built")
@given(
    seeds, st.integers(2, 16), st.sampled_from([1, 2, 3, 25]), st.sampled_from(SHAPES),
    st.sampled_from(["max", "value"]), st.integers(1, 12),
)  # fmt: skip
def test_the_core_equals_the_reference_to_the_last_bit(seed, n, n_classes, shape, policy, k):
    distance, queries, payload = asking(seed, n, n_classes, shape, policy)
    leave_out = np.arange(n)
    expected = reference(distance).nearest(queries, k, payload, leave_out)
    for engine in (ScanIndex, DenseIndex):
        if engine is ScanIndex and shape in BY_CASE:
            continue
        assert engine.refuses(distance) == ""
        for threads in (1, 2):
            found = engine(distance, threads).nearest(queries, k, payload, leave_out)
            assert_same_neighbours(found, expected)
            np.testing.assert_array_equal(found.sums, expected.sums)


@pytest.mark.skipif(core() is None, reason="the native core is not built")
@given(seeds, st.sampled_from(["global", "per-case", "scaled"]), st.sampled_from(["max", "value"]))
def test_a_number_as_target_asks_in_the_core_as_in_the_reference(seed, shape, policy):
    distance, queries, payload = asking(seed, 14, 0, shape, policy, numbers=True)
    expected = reference(distance).nearest(queries, 6, payload, np.arange(14))
    found = DenseIndex(distance).nearest(queries, 6, payload, np.arange(14))
    assert_same_neighbours(found, expected)
    np.testing.assert_array_equal(found.sums, expected.sums)


@given(
    seeds, st.sampled_from([2, 5]), st.sampled_from(SHAPES), st.sampled_from(["max", "value", "ignore", "mean"]),
    st.integers(1, 9),
)  # fmt: skip
def test_blocks_and_the_planned_engine_equal_the_reference(seed, n_classes, shape, policy, k):
    distance, queries, payload = asking(seed, 12, n_classes, shape, policy)
    leave_out = np.arange(12)
    compare(BlockEngine, distance, queries, payload, k, leave_out)
    expected = reference(distance).nearest(queries, k, payload, leave_out)
    assert_same_neighbours(plan(distance, "auto", 2).engine.nearest(queries, k, payload, leave_out), expected)


@pytest.mark.skipif(core() is None, reason="the native core is not built")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("n_classes", "values"), [(2, 300), (26, 5), (3, 1)])
def test_many_cases_are_proposed_and_decided_as_the_blocks_have_them(shape, n_classes, values):
    distance, queries, payload = asking(7, 900, n_classes, shape, "value", values=values, holes=0.05)
    leave_out = np.arange(900)
    expected = BlockEngine(distance).nearest(queries, 20, payload, leave_out)
    found = DenseIndex(distance, 2).nearest(queries, 20, payload, leave_out)
    assert_same_neighbours(found, expected)


@pytest.mark.skipif(core() is None, reason="the native core is not built")
def test_some_queries_may_ask_as_stored_cases_while_others_are_new():
    distance, queries, payload = asking(3, 30, 3, "per-case", "max")
    mixed = distance.stored.cases.take(np.arange(15))
    new = reference(distance).nearest(mixed, 4, payload)
    found = DenseIndex(distance).nearest(mixed, 4, payload)
    assert_same_neighbours(found, new)
    some = np.array([4, 4, 9, 2])  # any rows, in any order, more than once
    found = DenseIndex(distance).nearest(queries.take(some), 4, payload, some)
    assert_same_neighbours(found, reference(distance).nearest(queries.take(some), 4, payload, some))
