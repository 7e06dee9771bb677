"""An engine by the order of an earlier one, or by any order that a file may hold, is the engine that is built anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.native import core
from nearwise.search.index.codes import CodesIndex
from nearwise.search.index.dense import BYTES, SINGLES, DenseIndex
from nearwise.search.index.tree import TreeIndex
from nearwise.search.orders import Orders
from nearwise.search.plan import ENGINES, plan

from .tables import problem, seeds

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")
RESULTS = ("sums", "indices", "inside", "tied", "tie_sums")
SORTS = {
    "tree": (TreeIndex, ("numeric", "gaussian", "ordinal"), 0.0),
    "codes": (CodesIndex, ("symbolic", "mvdm"), 0.1),
    "dense": (DenseIndex, ("numeric", "gaussian", "symbolic"), 0.0),
    "dense, holes": (DenseIndex, ("numeric", "gaussian"), 0.2),
}
asked = st.tuples(
    seeds, st.sampled_from(sorted(SORTS)), st.sampled_from([0, 1, 33, 200]), st.booleans(), st.sampled_from([1, 2])
)


def made(seed, sort, n, per_class, p):
    """(engine, queries, payload) over a random table."""
    engine, kinds, holes = SORTS[sort]
    rng = np.random.default_rng(seed)
    chosen = [str(kind) for kind in rng.choice(kinds, int(rng.integers(1, 5)))]
    shape = "per-class" if per_class else "global"
    distance, queries, payload = problem(seed, chosen, n=n, m=7, p=p, holes=holes, shape=shape)
    return engine(distance), queries, payload


def assert_same(one, other, queries, payload):
    leave_out = np.arange(len(queries)) % (len(payload.codes) + 1) - 1
    found, expected = (engine.nearest(queries, 5, payload, leave_out) for engine in (one, other))
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def by(engine, orders):
    return type(engine).by(engine.distance, engine.threads, orders)


@given(asked)
def test_an_engine_by_its_orders_is_the_same_engine(given_):
    fresh, queries, payload = made(*given_)
    orders = fresh.orders()
    again = by(fresh, orders)
    for name, order in again.orders().items():
        np.testing.assert_array_equal(order, orders[name])
    assert again.orders().keys() == orders.keys()
    assert_same(again, fresh, queries, payload)


@given(asked, st.data())
def test_an_order_that_anybody_changed_never_changes_an_answer(given_, data):
    fresh, queries, payload = made(*given_)
    rng = np.random.default_rng(data.draw(seeds))
    crafted = {}
    for name, order in fresh.orders().items():
        changed = order.copy()
        how = data.draw(st.sampled_from(["bytes", "values", "mixed", "cut", "doubles", "repeated"]))
        if how == "bytes" and len(order):
            changed.view(np.uint8)[rng.integers(0, changed.nbytes, 3)] ^= rng.integers(1, 256, 3).astype(np.uint8)
        elif how == "values" and len(order):
            changed[rng.integers(0, len(order), 2)] = rng.integers(-2, len(order) + 2, 2)
        elif how == "mixed":
            changed = rng.permutation(order)
        elif how == "cut":
            changed = order[:-1]
        elif how == "doubles":
            changed = order.astype(np.float64)
        else:
            changed[:] = 0
        crafted[name] = changed
    assert_same(by(fresh, crafted), fresh, queries, payload)


@given(seeds)
def test_leaves_in_any_order_answer_alike(seed):
    fresh, queries, payload = made(seed, "tree", 200, False, 2)
    order = np.random.default_rng(seed).permutation(200).astype(np.int32)
    again = by(fresh, {"leaves": order})
    np.testing.assert_array_equal(again.orders()["leaves"], order)  # it was taken
    assert_same(again, fresh, queries, payload)


def test_many_leaves_of_several_segments_are_those_of_the_search_for_them():
    distance, queries, payload = problem(3, ["gaussian"] * 5, n=9_000, m=20, holes=0.0, shape="per-class")
    fresh = TreeIndex(distance, threads=2)
    again = by(fresh, fresh.orders())
    np.testing.assert_array_equal(again.orders()["leaves"], fresh.orders()["leaves"])
    assert again.visits == fresh.visits
    assert_same(again, fresh, queries, payload)


def test_the_core_says_what_is_wrong_with_an_order():
    values = np.random.default_rng(0).random(6)
    segments, index = np.array([0, 3, 6]), np.arange(6)

    def leaves(order):
        core().KdTree([values], segments, np.ones((2, 1)), index, 2, 1, order)

    for order in ([0, 1, 2, 3, 4, 6], [0, 1, 2, 3, 4, -1], [0, 1, 2, 3, 4, 4]):
        with pytest.raises(ValueError, match=r"order must hold each of 0 \.\. n - 1 once"):
            leaves(np.array(order, np.int32))
    with pytest.raises(ValueError, match="order must keep the cases of a segment together"):
        leaves(np.array([3, 1, 2, 0, 4, 5], np.int32))
    with pytest.raises(ValueError, match=r"order must have shape \(6\)"):
        leaves(np.arange(5, dtype=np.int32))
    with pytest.raises(ValueError, match="order must be an array of int32"):
        leaves(np.arange(6))

    def codes(order):
        part = np.array([0, 0, 0, 1, 1, 1], np.int32)
        cases = np.array([[2, 1, 1, 0, 2, 1]], np.int32)
        core().CodesIndex(cases, np.array([3], np.int32), np.zeros(1, np.uint8), part, np.ones((2, 1)), 4, order)

    codes(np.array([1, 2, 0, 3, 5, 4], np.int32))
    for order in ([0, 1, 2, 3, 5, 4], [2, 1, 0, 3, 5, 4], [1, 1, 0, 3, 5, 4]):
        with pytest.raises(ValueError, match="order is not that of these codes"):
            codes(np.array(order, np.int32))
    for order in ([1, 2, 3, 0, 5, 4], [1, 2, 9, 3, 5, 4], [1, 2, -1, 3, 5, 4]):
        with pytest.raises(ValueError, match="order must hold the cases of one part after those of another"):
            codes(np.array(order, np.int32))

    zeros = np.zeros(1)
    for index in (core().CoarseIndex, core().DenseIndex):
        cases = [np.array([3.0, 1.0, 2.0, 9.0])], np.zeros(1, np.uint8), None, np.ones((1, 1)), zeros, zeros, 2.0
        order = index(*cases).order()
        np.testing.assert_array_equal(index(*cases, order=order).order(), order)
        with pytest.raises(ValueError, match="order is not that of these cases"):
            index(*cases, order=order[::-1].copy())
        with pytest.raises(ValueError, match=r"order must hold each of 0 \.\. n - 1 once"):
            index(*cases, order=np.array([4, 0, 1, 2], np.int32))


def test_a_plan_takes_the_orders_of_its_own_engine_alone():
    distance, queries, payload = problem(1, ["gaussian"] * 3, n=300, holes=0.0)
    order = np.random.default_rng(0).permutation(300).astype(np.int32)
    taken = plan(distance, "tree", 1, Orders("tree", {"leaves": order}))
    np.testing.assert_array_equal(taken.orders.of["leaves"], order)
    other = plan(distance, "tree", 1, Orders("dense", {"leaves": order}))
    assert (other.orders.of["leaves"] != order).any()
    assert_same(taken.engine, other.engine, queries, payload)


@pytest.mark.parametrize("name", ["scan", "blocks", "reference"])
def test_an_engine_that_sorts_nothing_has_no_orders(name):
    distance, queries, payload = problem(5, ["gaussian"] * 2, n=60, m=4, holes=0.0)
    fresh = ENGINES[name](distance)
    assert fresh.orders() == {}
    assert plan(distance, name).orders is None
    assert_same(by(fresh, {}), fresh, queries, payload)


def test_single_precision_gives_its_order_once_it_was_asked():
    fresh, queries, payload = made(4, "dense, holes", 200, False, 2)
    assert fresh.orders().keys() == {SINGLES}
    plain, *_ = made(4, "dense", 200, False, 2)
    assert plain.orders().keys() == {BYTES if core().instruction_set() != "baseline" else SINGLES}
    assert_same(by(fresh, fresh.orders()), fresh, queries, payload)
