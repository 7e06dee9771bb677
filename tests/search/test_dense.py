"""The dense engine on cases made to mislead single precision equals the double precision scan to the last bit."""

import numpy as np
import pytest

from nearwise import NearestCases
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.matrix_blocks import MatrixBlocks
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.matrix import MatrixIndex
from nearwise.search.index.scan import ScanIndex
from nearwise.search.layout.contrasts import contrasts
from nearwise.weights import Global, Matrix, PerCase, PerClass, PerQuery, Stored

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")


def normal(rng, n):
    return rng.normal(size=(n, 5))


def far_clusters(rng, n):
    return rng.normal(size=(n, 5)) + 1e6 * rng.integers(0, 3, (n, 1))


def one_outlier(rng, n):
    X = rng.normal(size=(n, 5))
    X[n // 2] = 1e6
    return X


def offset(rng, n):
    return 1e9 + rng.normal(size=(n, 5))


def duplicates(rng, n):
    return np.repeat(rng.normal(size=(n // 10 + 1, 5)), 10, axis=0)[:n]


def grid(rng, n):
    return rng.integers(0, 3, (n, 5)).astype(float)


def all_equal(rng, n):
    return np.ones((n, 5))


def huge(rng, n):
    return rng.normal(size=(n, 5)) * 1e200


def tiny(rng, n):
    return rng.normal(size=(n, 5)) * 1e-200


def denormal(rng, n):
    return rng.integers(0, 5, (n, 5)) * 5e-324


def uneven_scales(rng, n):
    return rng.normal(size=(n, 5)) * [1e-30, 1e-3, 1.0, 1e3, 1e30]


def with_holes(rng, n):
    X = rng.normal(size=(n, 5))
    X[rng.random((n, 5)) < 0.1] = np.nan
    return X


def one_feature(rng, n):
    return rng.normal(size=(n, 1))


def wide(rng, n):
    return rng.normal(size=(n, 70))


MAPPED = np.array([1, 2], np.uint8)
"""a column that decides and one that proposes"""
SHAPES = (
    normal, far_clusters, one_outlier, offset, duplicates, grid, all_equal, huge, tiny, denormal, uneven_scales,
    with_holes, one_feature, wide,
)  # fmt: skip


def distance_of(X, p, scale, weigh):
    table = CaseTable.of(X)
    metric = Metric.fit(table, p=p, scale=scale)
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 3, len(X))

    def some(*size):
        return rng.random(size) * (rng.random(size) < 0.7)

    if weigh is Global:
        weights = Global(rng.random(X.shape[1]) + 0.1, metric.names)
    elif weigh is PerClass:
        weights = PerClass(some(3, X.shape[1]), metric.names, ["a", "b", "c"], [0.4, 0.3, 0.3])
    elif weigh is Matrix:
        weights = Matrix(rng.normal(size=(4, X.shape[1])), metric.names)
    else:
        weights = weigh(
            some(len(X) if weigh is PerCase else 60, X.shape[1]) * 10.0 ** rng.integers(-2, 3), metric.names
        )
    payload = Payload(classes, rng.random((len(X), 1)), 3)
    return Distance(metric, weights, Stored(metric.measure(table), classes)), payload


def assert_equal_to_the_scan(shape, p, scale, weigh, scan, fast):
    """`scan` and `fast` make the engines, which answer near queries, far ones and beyond all."""
    rng = np.random.default_rng(0)
    X = shape(rng, 700)
    distance, payload = distance_of(X, p, scale, weigh)
    near = np.where(np.isnan(X[:60]), 0.0, X[:60])
    far = shape(rng, 60)
    for asked, leave_out in ((near, np.arange(60)), (far, None), (np.full((60, X.shape[1]), 3e7), None)):
        queries = distance.metric.measure(CaseTable.like(asked, CaseTable.of(X).schema))
        for k in (1, 10, 800):
            slow = scan(distance).nearest(queries, k, payload, leave_out)
            for made in fast:
                found = made(distance).nearest(queries, k, payload, leave_out)
                np.testing.assert_array_equal(found.indices, slow.indices)
                np.testing.assert_array_equal(found.sums, slow.sums)
                np.testing.assert_array_equal(found.inside, slow.inside)
                np.testing.assert_array_equal(found.tied, slow.tied)
                np.testing.assert_allclose(found.tie_sums, slow.tie_sums, rtol=1e-12)


def without_bytes(distance):
    engine = DenseIndex(distance, 2)
    engine._bytes = None
    return engine


@pytest.mark.parametrize("weigh", [Global, PerClass])
@pytest.mark.parametrize(("p", "scale"), [(1, "range"), (2, "range"), (2, "none")])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_proposal_and_decision_equal_the_plain_scan(shape, p, scale, weigh):
    fast = (DenseIndex, lambda d: DenseIndex(d, 2), without_bytes)
    assert_equal_to_the_scan(shape, p, scale, weigh, ScanIndex, fast)


@pytest.mark.parametrize(
    ("p", "scale", "weigh"), [(3, "range", Global), (1.5, "none", PerClass), (9.5, "range", Global)]
)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_any_power_equals_the_plain_scan(shape, p, scale, weigh):
    assert_equal_to_the_scan(shape, p, scale, weigh, ScanIndex, (lambda d: DenseIndex(d, 2),))


@pytest.mark.parametrize("weigh", [PerCase, PerQuery])
@pytest.mark.parametrize(("p", "scale"), [(1, "range"), (2, "none"), (2.5, "range")])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_weights_of_cases_and_queries_equal_the_plain_scan(shape, p, scale, weigh):
    assert_equal_to_the_scan(shape, p, scale, weigh, ScanIndex, (lambda d: DenseIndex(d, 2),))


@pytest.mark.parametrize("scale", ["range", "none"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_a_matrix_of_weights_equals_the_blocks(shape, scale):
    assert_equal_to_the_scan(shape, 2, scale, Matrix, MatrixBlocks, (lambda d: MatrixIndex(d, 2),))


@pytest.mark.parametrize(
    ("weigh", "p"), [(Matrix, 1), (Matrix, 2), *((weigh, p) for weigh in (PerCase, PerQuery) for p in (1, 2, 3, 2.5))]
)
def test_single_precision_serves_ordinary_cases(monkeypatch, weigh, p):
    """Without a scan: else the tests above would show nothing."""
    X = np.random.default_rng(0).normal(size=(2000, 5))
    distance, payload = distance_of(X, p, "range", weigh)
    queries = distance.metric.measure(CaseTable.like(X[:60], CaseTable.of(X).schema))
    for engine in (ScanIndex, BlockEngine):
        monkeypatch.setattr(engine, "nearest", None)
    made = MatrixIndex if weigh is Matrix else DenseIndex
    assert (made(distance).nearest(queries, 3, payload).indices[:, 0] == np.arange(60)).all()


def test_few_cases_are_left_to_the_next_finer_precision():
    X = np.random.default_rng(0).normal(size=(20_000, 8))
    engine = NearestCases(10, engine="dense").fit(X).plan_.engine
    asked = np.ascontiguousarray(X[:100] + 0.01)
    nothing = np.full(100, -1)
    codes, values = np.zeros(20_000, dtype=np.int32), np.zeros((20_000, 1))
    question = (asked, nothing, 10, 1e-12, codes, values, 1)
    assert engine._singles.nearest(*question, 0, 1)[5].mean() < 12
    assert core().CoarseIndex(*engine._arguments()).nearest(*question, 1)[5].mean() < 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k must be in"),
        ({"queries": np.zeros((2, 3))}, "queries must have shape"),
        ({"queries": np.zeros((2, 2), dtype=np.float32)}, "queries must be an array of float64"),
        ({"form": 2}, "form must be"),
        ({"queries": np.full((2, 2), np.nan)}, "missing number, which form 0 cannot serve"),
        ({"group_codes": np.full(4, 5, dtype=np.int32)}, "group_codes must be in"),
        ({"exclude": np.zeros(3, dtype=np.int64)}, "exclude must have shape"),
    ],
)
def test_wrong_arrays_are_refused_before_they_are_read(change, message):
    columns = [np.arange(4.0), np.ones(4)]
    index = core().DenseIndex(
        columns, np.zeros(2, np.uint8), np.zeros(4, np.int32), np.ones((1, 2)), np.ones(2), np.ones(2), 2
    )
    arguments = {
        "queries": np.zeros((2, 2)), "exclude": np.full(2, -1), "k": 1, "tolerance": 1e-12,
        "group_codes": np.zeros(4, np.int32), "group_values": np.zeros((4, 1)), "n_groups": 1, "form": 0,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        index.nearest(**{**arguments, **change})


@pytest.mark.parametrize("metric", ["hvdm", "ivdm", "wvdm"])
@pytest.mark.parametrize("classes", [1, 2, 4])
@pytest.mark.parametrize("per_class", [False, True])
def test_vectors_proposed_in_one_dimension_less_equal_the_scan(monkeypatch, metric, classes, per_class):
    """Queries beyond the training range have shares that do not add up to 1, which the proposal leaves out."""
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 600)
    columns = {f"n{j}": rng.normal(size=600) + y for j in range(3)}
    columns["s"] = np.array(list("abcdef"))[(y + rng.integers(0, 3, 600)) % 6]
    table = CaseTable.of(columns)
    target = Target(y, np.arange(classes), rng.uniform(0.5, 2, 600))
    policy = "value" if per_class else "max"
    fitted = Metric.fit(table, target, differences=metric, missing=policy)
    asked = {f"n{j}": np.append(rng.normal(size=40) * 3, np.nan) for j in range(3)}
    asked["s"] = np.array([*"abcdz" * 8, "a"])
    queries = fitted.measure(CaseTable.like(asked, table.schema))
    weights = Global(rng.random(4), fitted.names)
    if per_class:
        weights = PerClass(rng.random((classes, 4)), fitted.names, list(range(classes)), np.full(classes, 1 / classes))
    distance = Distance(fitted, weights, Stored(fitted.measure(table), y))
    payload = Payload(y, np.ones((600, 1)), classes)
    dense, native, scanned = DenseIndex(distance), ScanIndex(distance), []
    scan = ScanIndex.nearest
    monkeypatch.setattr(ScanIndex, "nearest", lambda e, q, *rest: scanned.append(len(q)) or scan(e, q, *rest))
    for by_bytes in (True, False):
        dense._bytes = dense._bytes if by_bytes else None
        for k in (1, 7):
            one, two = dense.nearest(queries, k, payload), scan(native, queries, k, payload)
            for field in ("sums", "indices", "inside", "tied", "tie_sums"):
                np.testing.assert_array_equal(getattr(one, field), getattr(two, field), err_msg=field)
    assert max(scanned, default=0) < 35, "the proposal served too few of the 41 queries to show anything"


def test_contrasts_are_orthonormal_and_add_up_to_nothing():
    for c in range(1, 7):
        rows = contrasts(c)
        np.testing.assert_allclose(rows @ rows.T, np.eye(c - 1), atol=1e-15)
        np.testing.assert_allclose(rows.sum(axis=1), 0, atol=1e-15)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"joined": np.array([1, 0], np.uint8)}, "only numbers can be joined"),
        ({"joined": np.zeros(3, np.uint8)}, "joined must have shape"),
        ({"role": np.array([0, 3], np.uint8)}, "role is not in"),
        ({"slack": np.full(4, -1.0)}, "slack must be from 0"),
        ({"slack": np.zeros(3)}, "slack must have shape"),
    ],
)
def test_an_index_refuses_impossible_roles(extra, message):
    rest = (np.zeros(2, np.uint8), np.zeros(4, np.int32), np.ones((1, 2)), np.ones(2), np.ones(2), 2)
    with pytest.raises(ValueError, match=message):
        core().DenseIndex([np.arange(4.0), np.ones(4)], *rest, **extra)


SHARED = {"shared": np.ones((1, 2)), "scales": np.ones(2)}


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"by_case": np.ones((3, 2))}, "by_case must have shape"),
        ({"by_case": np.full((4, 2), -1.0)}, "by_case must be finite and not negative"),
        ({"by_case": np.ones((4, 2)), "by_query": True}, "by_query needs one segment"),
        ({"case_factors": np.ones(3), **SHARED}, "case_factors must have shape"),
        ({"case_factors": -np.ones(4), **SHARED}, "case_factors must be finite and not negative"),
        ({"case_factors": np.ones(4), "scales": np.ones(2)}, "shared and scales come together"),
        ({"case_factors": np.ones(4), **SHARED, "by_case": np.ones((4, 2))}, "and no by_case"),
        ({"case_factors": np.ones(4), **SHARED, "by_query": True}, "by_query needs one segment"),
        ({"tables": [np.ones((1, 1))] * 2}, "tables and units come together"),
        ({"tables": [np.ones((1, 1))] * 2, "units": np.ones(2)}, "a mapping needs power 2, one segment and roles"),
        ({"tables": [np.ones((1, 1))], "units": np.ones(2), "role": MAPPED}, "tables must be one a column"),
        ({"tables": [np.ones((0, 1))] * 2, "units": np.ones(2), "role": MAPPED}, "a table must not be empty"),
    ],
)
def test_an_index_refuses_impossible_weights(extra, message):
    rest = (np.zeros(2, np.uint8), np.zeros(4, np.int32), np.ones((1, 2)), np.ones(2), np.ones(2), 2)
    with pytest.raises(ValueError, match=message):
        core().DenseIndex([np.arange(4.0), np.ones(4)], *rest, **extra)


def test_an_index_refuses_codes_beyond_the_tables_of_a_mapping():
    levels, new = np.array([0, 1, 1, 2], np.int32), np.array([0.0, 1.0, 1.0, 5.0])
    rest = (np.array([1, 0], np.uint8), np.zeros(4, np.int32), np.ones((1, 2)), np.zeros(2), np.zeros(2), 2)
    made = {"role": MAPPED, "units": np.zeros(2)}
    with pytest.raises(ValueError, match="a code is beyond its table"):
        core().DenseIndex([levels, new], *rest, tables=[np.zeros((1, 2)), np.zeros((0, 1))], **made)
    index = core().DenseIndex([levels, new], *rest, tables=[np.array([[0.0, 1.0, 5.0]]), np.zeros((0, 1))], **made)
    asked = np.array([[1.0, 1.0]]), np.full(1, -1), 2, 1e-12, np.zeros(4, np.int32), np.zeros((4, 1)), 1, 0
    assert index.nearest(*asked)[1].tolist() == [[1, 2]]
    with pytest.raises(ValueError, match="a code that is beyond its table"):
        index.nearest(np.array([[3.0, 1.0]]), *asked[1:])
    with pytest.raises(ValueError, match="by_query must be as the index was made for"):
        index.nearest(*asked, by_query=np.ones((1, 2)))
    with pytest.raises(ValueError, match="blur must be from 0"):
        index.nearest(*asked, blur=np.full(1, -1.0))


def test_an_index_refuses_columns_that_do_not_fit():
    rest = (np.zeros(1, np.uint8), np.zeros(4, np.int32), np.ones((1, 1)), np.ones(1), np.ones(1), 2)
    with pytest.raises(ValueError, match="columns must have shape"):
        core().DenseIndex([np.arange(3.0)], *rest)
    with pytest.raises(ValueError, match="contiguous"):
        core().DenseIndex([np.arange(8.0)[::2]], *rest)
    with pytest.raises(ValueError, match="codes of symbols"):
        core().DenseIndex([np.full(4, 2**30, np.int32)], np.ones(1, np.uint8), *rest[1:])
    with pytest.raises(ValueError, match="a column of symbols must be an array of int32"):
        core().DenseIndex([np.zeros(4)], np.ones(1, np.uint8), *rest[1:])
