"""Every engine equals the obvious reference for every distance it accepts, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.errors import InputError, NearwiseWarning
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.functions import CallbackEngine
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.index.codes import CodesIndex
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.matrix import MatrixIndex
from nearwise.search.index.scan import ScanIndex
from nearwise.search.plan import BEFORE, ENGINES, check_engine, plan
from nearwise.weights import Matrix

from .obvious import reference
from .tables import CORE, EMBEDDED, KINDS, VECTORISED, kind_lists, problem, seeds

SHAPES = (
    "global", "per-class", "per-case", "scaled", "scaled-by-class", "per-query", "per-value", "per-value-stored",
    "per-value-class", "per-value-stored-class", "per-value-both", "per-value-both-class",
)  # fmt: skip
CODED = (
    "symbolic", "mvdm", "vdm", "jeffrey", "jensen-shannon", "hvdm", "rare", "overlap number", "mvdm number",
    "jeffrey number", "mvdm angle", "mvdm rank",
)  # fmt: skip
POLICIES = ("max", "usual", "ignore", "value", "mean")
POWERS = (1, 2, 3, 1.5)


def assert_same_neighbours(found, expected):
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-12)
    np.testing.assert_array_equal(found.inside, expected.inside)
    np.testing.assert_array_equal(found.tied, expected.tied)
    np.testing.assert_allclose(found.tie_sums, expected.tie_sums, rtol=1e-12)


def compare(engine, distance, queries, payload, k, leave_out):
    slow = reference(distance)
    fast = engine(distance)
    assert_same_neighbours(fast.nearest(queries, k, payload, leave_out), slow.nearest(queries, k, payload, leave_out))
    levels, expected = fast.levels(queries, k, payload, leave_out), slow.levels(queries, k, payload, leave_out)
    np.testing.assert_allclose(levels.sums, expected.sums, rtol=1e-12)
    np.testing.assert_array_equal(levels.counts, expected.counts)
    np.testing.assert_allclose(levels.payload, expected.payload, rtol=1e-12)
    np.testing.assert_allclose(fast.sums(queries), slow.sums(queries), rtol=1e-12, atol=0)
    limits = np.full(len(queries), 1.0)
    for (sums, near), (wanted, cases) in zip(
        fast.within(queries, limits, leave_out), slow.within(queries, limits, leave_out)
    ):
        np.testing.assert_array_equal(near, cases)
        np.testing.assert_allclose(sums, wanted, rtol=1e-12)


powers = st.sampled_from([1, 2, 3, 0.5, np.inf])


@given(
    seeds, kind_lists(VECTORISED), st.integers(1, 12), powers, st.sampled_from(POLICIES),
    st.sampled_from(SHAPES), st.booleans(),
)  # fmt: skip
def test_blocks_equal_the_reference(seed, kinds, k, p, policy, shape, alone):
    distance, queries, payload = problem(seed, kinds, p=p, policy=policy, shape=shape)
    compare(BlockEngine, distance, queries, payload, k, None if alone else np.arange(len(queries)) - 1)


@given(
    seeds,
    kind_lists(CORE),
    st.integers(1, 12),
    st.sampled_from(POWERS),
    st.sampled_from(["max", "value"]),
    st.sampled_from(["global", "per-class", "per-case", "scaled", "scaled-by-class", "per-query"]),
)
def test_the_native_engines_equal_the_reference_to_the_last_bit(seed, kinds, k, p, policy, shape):
    if core() is None:
        pytest.skip("the native core is not built")
    distance, queries, payload = problem(seed, kinds, p=p, policy=policy, shape=shape)
    leave_out = np.arange(len(queries)) - 1
    expected = reference(distance).nearest(queries, k, payload, leave_out).sums
    for engine in (ScanIndex, DenseIndex) if shape in ("global", "per-class") else (DenseIndex,):
        assert engine.refuses(distance) == ""
        compare(engine, distance, queries, payload, k, leave_out)
        np.testing.assert_array_equal(engine(distance).nearest(queries, k, payload, leave_out).sums, expected)


@given(
    seeds, kind_lists(CORE), st.integers(1, 12), st.sampled_from(POWERS), st.sampled_from(POLICIES),
    st.sampled_from(SHAPES), st.booleans(),
)  # fmt: skip
def test_the_weighed_engine_equals_the_reference_to_the_last_bit(seed, kinds, k, p, policy, shape, alone):
    if core() is None:
        pytest.skip("the native core is not built")
    distance, queries, payload = problem(seed, kinds, p=p, policy=policy, shape=shape)
    leave_out = None if alone else np.arange(len(queries)) - 1
    if ScanIndex.refuses(distance):
        assert policy == "ignore"
        assert shape not in ("global", "per-class")
        return
    compare(ScanIndex, distance, queries, payload, k, leave_out)
    expected = reference(distance).nearest(queries, k, payload, leave_out).sums
    np.testing.assert_array_equal(ScanIndex(distance).nearest(queries, k, payload, leave_out).sums, expected)


@given(seeds, kind_lists(EMBEDDED), st.integers(1, 12), st.sampled_from(["max", "value"]), st.booleans())
def test_vectors_in_the_native_engines_equal_the_reference_to_the_last_bit(seed, kinds, k, policy, per_class):
    if core() is None:
        pytest.skip("the native core is not built")
    shape = "per-class" if per_class else "global"
    distance, queries, payload = problem(seed, kinds, policy=policy, shape=shape)
    leave_out = np.arange(len(queries)) - 1
    expected = reference(distance).nearest(queries, k, payload, leave_out).sums
    for engine in (ScanIndex, DenseIndex):
        assert engine.refuses(distance) == ""
        compare(engine, distance, queries, payload, k, leave_out)
        np.testing.assert_array_equal(engine(distance).nearest(queries, k, payload, leave_out).sums, expected)


@given(seeds, st.integers(1, 12), st.sampled_from(["max", "value"]), st.sampled_from([1, 2]))
def test_every_symbolic_difference_in_the_coded_engine_equals_the_reference(seed, k, policy, p):
    if core() is None:
        pytest.skip("the native core is not built")
    rng = np.random.default_rng(seed)
    distance, queries, payload = problem(seed, rng.choice(CODED, 3).tolist(), policy=policy, p=p)
    assert CodesIndex.refuses(distance) == ""
    compare(CodesIndex, distance, queries, payload, k, np.arange(len(queries)) - 1)


@given(seeds, st.integers(1, 12))
def test_the_callback_engine_equals_the_reference(seed, k):
    distance, queries, payload = problem(seed, ["custom", "numeric", "symbolic"])
    with pytest.warns(NearwiseWarning, match="'f0' is compared by a Python function"):
        compare(CallbackEngine, distance, queries, payload, k, None)


def test_a_case_that_is_left_out_is_not_within_an_endless_limit():
    distance, queries, _ = problem(3, ["numeric", "symbolic"])
    limits, leave_out = np.full(len(queries), np.inf), np.arange(len(queries))
    for engine in (ReferenceEngine, BlockEngine):
        for j, (_, near) in enumerate(engine(distance).within(queries, limits, leave_out)):
            assert sorted(near.tolist()) == [i for i in range(len(distance.stored)) if i != j]


@given(seeds, st.integers(1, 4))
def test_directed_weights_depend_on_the_side_of_the_query(seed, k):
    distance, queries, payload = problem(seed, ["numeric", "gaussian"], shape="directed", holes=0.0)
    compare(BlockEngine, distance, queries, payload, k, None)


@given(seeds)
def test_a_matrix_of_weights_is_euclidean_distance_after_the_map(seed):
    distance, queries, _ = problem(seed, ["numeric", "gaussian", "ordinal"], holes=0.0)
    matrix = np.random.default_rng(seed).normal(size=(2, 3))
    mapped = Distance(distance.metric, Matrix(matrix, distance.metric.names), distance.stored)
    units = np.sqrt(distance.metric.scales())
    x, q = (np.stack([c.values for c in m.columns], axis=1) * units for m in (distance.stored.cases, queries))
    expected = np.square((q[:, None] - x[None]) @ matrix.T).sum(axis=2)
    np.testing.assert_allclose(MatrixIndex(mapped).sums(queries), expected, rtol=1e-9, atol=1e-12)
    assert plan(mapped).engine.name == "matrix"


@given(
    seeds,
    kind_lists(("numeric", "ordinal", "symbolic", "mvdm")),
    st.integers(1, 9),
    st.sampled_from([1, 2]),
    st.booleans(),
)
def test_a_matrix_over_symbols_equals_the_reference(seed, kinds, k, p, own):
    distance, queries, payload = problem(seed, kinds, p=p, policy="value" if own else "max")
    levels = [
        (*m.fitted.levels, *((None,) if own else ())) if m.kind.name == "Symbolic" else ()
        for m in distance.metric.measures
    ]
    matrix = np.random.default_rng(seed).integers(-3, 4, size=(2, sum(max(1, len(level)) for level in levels)))
    mapped = Distance(distance.metric, Matrix(matrix, distance.metric.names, levels), distance.stored)
    fast, slow = MatrixIndex(mapped).sums(queries), ReferenceEngine(mapped).sums(queries)
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-12)
    near = MatrixIndex(mapped).nearest(queries, k, payload)
    np.testing.assert_allclose(near.sums, np.sort(slow, axis=1)[:, :k], rtol=1e-9, atol=1e-12)


@given(seeds, st.lists(st.sampled_from(["numeric", "gaussian", "ordinal"]), min_size=1, max_size=5), st.integers(1, 12))
def test_a_matrix_over_numbers_equals_the_reference_to_the_last_bit(seed, kinds, k):
    distance, queries, payload = problem(seed, kinds)
    matrix = np.random.default_rng(seed).normal(size=(3, len(kinds)))
    mapped = Distance(distance.metric, Matrix(matrix, distance.metric.names), distance.stored)
    leave_out = np.arange(len(queries)) - 1
    found, expected = (e(mapped).nearest(queries, k, payload, leave_out) for e in (MatrixIndex, ReferenceEngine))
    assert_same_neighbours(found, expected)
    np.testing.assert_array_equal(found.sums, expected.sums)


def test_zero_weight_equals_dropping_the_feature():
    distance, queries, _ = problem(3, ["numeric", "symbolic"], holes=0.0)
    weights = type(distance.weights)([1.0, 0.0], distance.metric.names)
    with_zero = BlockEngine(Distance(distance.metric, weights, distance.stored)).sums(queries)
    x, q = distance.stored.cases.columns[0], queries.columns[0]
    measure = distance.metric.measures[0]
    np.testing.assert_array_equal(with_zero, measure.scale(2) * measure.block(x, q) ** 2)


def test_a_case_is_at_distance_zero_from_itself():
    distance, _, _ = problem(5, VECTORISED, holes=0.0)
    sums = BlockEngine(distance).sums(distance.stored.cases)
    assert (np.diag(sums) == 0).all()


def test_every_feature_left_out_counts_as_the_largest_difference():
    distance, queries, _ = problem(1, ["numeric", "symbolic"], policy="ignore", holes=1.0)
    reference = ReferenceEngine(distance).sums(queries)
    np.testing.assert_array_equal(BlockEngine(distance).sums(queries), reference)


def test_more_neighbours_than_cases_leave_empty_places():
    distance, queries, payload = problem(2, ["numeric"], n=3)
    found = BlockEngine(distance).nearest(queries, 5, payload)
    assert (found.indices[:, 3:] == -1).all()
    assert np.isinf(found.sums[:, 3:]).all()
    assert sorted(found.indices[0, :3]) == [0, 1, 2]


def test_a_block_of_bounded_memory_gives_the_same_neighbours(monkeypatch):
    distance, queries, payload = problem(4, ["numeric", "symbolic", "text"], n=30, m=20, shape="per-query")
    whole = BlockEngine(distance).nearest(queries, 3, payload)
    monkeypatch.setattr("nearwise.search.fallback.blocks.BLOCK_BYTES", 1)
    assert_same_neighbours(BlockEngine(distance).nearest(queries, 3, payload), whole)


@pytest.mark.parametrize(("old", "new"), BEFORE.items())
def test_names_of_engines_in_old_models_mean_those_of_now(old, new):
    assert check_engine(old) == new
    assert new in ENGINES


def test_the_planner_says_what_it_chose_and_why():
    plain = plan(problem(0, ["numeric", "symbolic"])[0])
    mixed = plan(problem(0, ["numeric", "text"])[0])
    if core() is not None:
        assert plain.engine.name == "dense"
    assert mixed.engine.name == "blocks"
    assert "not scan" in mixed.describe()
    with pytest.warns(NearwiseWarning):
        assert plan(problem(0, ["custom"])[0]).engine.name == "callback"


def test_an_engine_that_cannot_serve_says_why():
    with pytest.raises(InputError, match=r"does not compare feature|not built"):
        plan(problem(0, ["text"])[0], "scan")
    with pytest.raises(InputError, match="Did you mean 'blocks'"):
        plan(problem(0, ["text"])[0], "block")


def test_every_kind_and_engine_is_in_these_tests():
    assert {kind.name for kind, _ in KINDS.values()} == {
        "Numeric", "Cyclic", "Symbolic", "Ordinal", "Text", "Set", "Vector", "Custom",
    }  # fmt: skip
    assert set(ENGINES) == {
        "codes", "tree", "dense", "scan", "matrix", "two-stage", "blocks", "callback", "reference",
        "forms", "local",  # in tests/weighting/test_local.py
    }  # fmt: skip


def test_the_payload_adds_up_over_a_tie_group():
    payload = Payload(np.array([0, 1, 1]), np.array([[1.0], [2.0], [3.0]]), 2)
    np.testing.assert_array_equal(payload.sum(np.array([0, 2])), [[1.0], [3.0]])
