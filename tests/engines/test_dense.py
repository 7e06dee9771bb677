"""The dense engine on cases made to mislead single precision equals the double precision scan to the last bit."""

import numpy as np
import pytest

from nearwise import NearestCases
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Metric
from nearwise.engines.base import Distance, Payload
from nearwise.engines.dense import DenseEngine
from nearwise.engines.native import NativeEngine, core
from nearwise.weights import Global, PerClass, Stored

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


SHAPES = (
    normal, far_clusters, one_outlier, offset, duplicates, grid, all_equal, huge, tiny, denormal, uneven_scales,
    with_holes, one_feature, wide,
)  # fmt: skip


def distance_of(X, p, scale, per_class):
    table = CaseTable.of(X)
    metric = Metric.fit(table, p=p, scale=scale)
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 3, len(X))
    weights = Global(rng.random(X.shape[1]) + 0.1, metric.names)
    if per_class:
        values = rng.random((3, X.shape[1])) * (rng.random((3, X.shape[1])) < 0.7)
        weights = PerClass(values, metric.names, ["a", "b", "c"], [0.4, 0.3, 0.3])
    payload = Payload(classes, rng.random((len(X), 1)), 3)
    return Distance(metric, weights, Stored(metric.measure(table), classes)), payload


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize(("p", "scale"), [(1, "range"), (2, "range"), (2, "none")])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_proposal_and_decision_equal_the_plain_scan(shape, p, scale, per_class):
    rng = np.random.default_rng(0)
    X = shape(rng, 700)
    distance, payload = distance_of(X, p, scale, per_class)
    near = np.where(np.isnan(X[:50]), 0.0, X[:50])
    far = shape(rng, 60)
    for asked, leave_out in ((near, np.arange(50)), (far, None), (np.full((2, X.shape[1]), 3e7), None)):
        queries = distance.metric.measure(CaseTable.like(asked, CaseTable.of(X).schema))
        for k in (1, 10, 800):
            slow = NativeEngine(distance).nearest(queries, k, payload, leave_out)
            for threads, by_bytes in ((1, True), (2, True), (2, False)):
                engine = DenseEngine(distance, threads)
                if not by_bytes:
                    engine._bytes = None
                fast = engine.nearest(queries, k, payload, leave_out)
                np.testing.assert_array_equal(fast.indices, slow.indices)
                np.testing.assert_array_equal(fast.sums, slow.sums)
                np.testing.assert_array_equal(fast.inside, slow.inside)
                np.testing.assert_array_equal(fast.tied, slow.tied)
                np.testing.assert_allclose(fast.tie_sums, slow.tie_sums, rtol=1e-12)


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


def test_an_index_refuses_columns_that_do_not_fit():
    rest = (np.zeros(1, np.uint8), np.zeros(4, np.int32), np.ones((1, 1)), np.ones(1), np.ones(1), 2)
    with pytest.raises(ValueError, match="columns must have shape"):
        core().DenseIndex([np.arange(3.0)], *rest)
    with pytest.raises(ValueError, match="contiguous"):
        core().DenseIndex([np.arange(8.0)[::2]], *rest)
    with pytest.raises(ValueError, match="codes of symbols"):
        core().DenseIndex([np.full(4, -1.0)], np.ones(1, np.uint8), *rest[1:])
