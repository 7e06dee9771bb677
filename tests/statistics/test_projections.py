"""Votes of single features: the core, the NumPy version and the search all equal the obvious loops, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import Cyclic, Numeric, Ordinal, Symbolic, Text
from nearwise.cases.frames import raw_table
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.search.base import TIE, Payload
from nearwise.statistics.projections import Projections
from nearwise.statistics.projections.searched import Searched

SCHEMA = {
    "number": Numeric(), "hour": Cyclic(24), "size": Ordinal(("S", "M", "L")), "job": Symbolic(),
    "town": Symbolic(missing="value"), "notes": Text(), "same": Numeric(),
}  # fmt: skip


def tables(rng, n, holes=0.15):
    """Cases with few different values, so that many tie."""

    def one():
        case = {
            "number": float(rng.integers(0, 8)) / 10, "hour": float(rng.integers(0, 24)),
            "size": "SML"[rng.integers(3)], "job": f"job {rng.integers(5)}", "town": f"town {rng.integers(3)}",
            "notes": "ab" * int(rng.integers(1, 4)), "same": 3.0,
        }  # fmt: skip
        return {name: None if rng.random() < holes and name != "same" else value for name, value in case.items()}

    return [one() for _ in range(n)]


def measured(cases, queries, **given):
    schema = Schema(SCHEMA)
    table, asked = (CaseTable.like(raw_table(c), schema) for c in (cases, queries))
    metric = Metric.fit(table, Target(np.zeros(len(cases), dtype=int), np.array(["a"]), np.ones(len(cases))), **given)
    return metric, metric.measure(table), metric.measure(asked)


def payload_of(rng, n, kind):
    if kind == "numbers":
        weights, y = rng.random(n), rng.normal(size=n)
        return Payload(np.zeros(n, dtype=np.intp), np.stack([weights, weights * y], axis=1), 1)
    weights = np.ones(n) if kind == "classes" else rng.integers(0, 4, n) / 3
    return Payload(rng.integers(0, 3, n), weights[:, None], 3)


def slow(metric, cases, queries, payload, k, leave_out=None):
    """(m, p, g, v) votes and (m, p, g) nearest differences: loops over queries, features and cases."""
    m, p, (g, v) = len(queries), len(metric.measures), payload.shape
    votes, near = np.zeros((m, p, g, v)), np.full((m, p, g), np.inf)
    for f, measure in enumerate(metric.measures):
        X, Q = cases.columns[f], queries.columns[f]
        counts = measure.as_value
        known = [i for i in range(len(cases)) if counts or X.missing is None or not X.missing[i]]
        for j in range(m):
            if Q.missing is not None and Q.missing[j] and not counts:
                continue
            near_by = sorted((measure.pair(X, i, Q, j), i) for i in known if leave_out is None or i != leave_out[j])
            if not near_by:
                continue
            places = min(k, len(near_by))
            last = near_by[places - 1][0]
            inside = [(d, i) for d, i in near_by if d < last - TIE * last]
            tied = [(d, i) for d, i in near_by if last - TIE * last <= d <= last + TIE * last]
            for group, share in ((inside, 1.0), (tied, (places - len(inside)) / len(tied))):
                for d, i in group:
                    votes[j, f, payload.codes[i]] += share * payload.values[i]
                    if payload.values[i, 0] > 0 and measure.scale(1) > 0:
                        at = near[j, f, payload.codes[i]]
                        near[j, f, payload.codes[i]] = min(at, d * measure.scale(1))
    return votes, near


def check(seed, n, k, kind, loo, **given):
    rng = np.random.default_rng(seed)
    metric, cases, queries = measured(tables(rng, n), tables(rng, 7), **given)
    leave_out = None
    if loo:
        leave_out = np.arange(n)
        queries = cases
    payload = payload_of(rng, n, kind)
    weights = rng.random(len(metric.measures)) * (rng.random(len(metric.measures)) > 0.2)
    made = Projections.of(metric, cases, payload)
    votes, near = slow(metric, cases, queries, payload, k, leave_out)
    total = np.tensordot(votes, weights, axes=(1, 0)).reshape(len(queries), *payload.shape)
    near = np.where(weights[None, :, None] > 0, near, np.inf).min(axis=1)
    fast = made.votes(queries, k, weights, leave_out=leave_out, by_feature=True)
    plain = made.votes(queries, k, weights, leave_out=leave_out, by_feature=True, native=False)
    np.testing.assert_allclose(fast.by_feature, votes, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fast.total, total.reshape(fast.total.shape), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(fast.near, near, rtol=1e-11)
    for name in ("total", "near", "by_feature"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name))
    alone = made.votes(queries, k, weights, leave_out=leave_out)
    np.testing.assert_array_equal(alone.total, fast.total)
    np.testing.assert_array_equal(alone.near, fast.near)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000), st.integers(1, 14), st.integers(1, 6), st.sampled_from(["classes", "weighted", "numbers"]),
    st.booleans(),
)  # fmt: skip
def test_the_core_and_numpy_equal_the_obvious_loops(seed, n, k, kind, loo):
    check(seed, n, k, kind, loo)


def test_numbers_by_intervals_and_value_differences_vote_too():
    check(3, 30, 3, "classes", False, differences={"number": "overlap", "job": "mvdm"})
    check(3, 30, 3, "classes", True, differences={"number": "overlap", "job": "mvdm-l1"})


@pytest.mark.parametrize("kind", ["classes", "weighted", "numbers"])
def test_a_search_on_each_feature_gives_what_the_axes_give(kind):
    rng = np.random.default_rng(5)
    metric, cases, queries = measured(tables(rng, 40), tables(rng, 12))
    payload = payload_of(rng, 40, kind)
    made = Projections.of(metric, cases, payload)
    assert list(made.axes) == [0, 1, 2, 3, 4, 6]
    fast = made.votes(queries, 4, np.ones(7), by_feature=True)
    for f, (measure, column) in enumerate(zip(metric.measures, cases.columns, strict=True)):
        searched = Searched(measure, column, payload, 1)
        votes, _ = searched.votes(queries.columns[f], 4, "fair", None, np.random.default_rng(0))
        np.testing.assert_allclose(fast.by_feature[:, f], votes, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ties", ["index", "random", "distances"])
def test_other_rules_for_ties_vote_with_cases_that_are_near_enough(ties):
    rng = np.random.default_rng(6)
    metric, cases, queries = measured(tables(rng, 25), tables(rng, 9))
    payload = payload_of(rng, 25, "classes")
    made = Projections.of(metric, cases, payload)
    k = 3
    found = made.votes(queries, k, np.ones(7), ties=ties, by_feature=True, seed=1).by_feature[..., 0]
    for f, measure in enumerate(metric.measures):
        X, Q = cases.columns[f], queries.columns[f]
        known = [i for i in range(25) if X.missing is None or not X.missing[i] or measure.as_value]
        for j in range(9):
            if Q.missing is not None and Q.missing[j] and not measure.as_value:
                assert not found[j, f].any()
                continue
            ranked = sorted((round(measure.pair(X, i, Q, j), 9), i) for i in known)
            if ties == "distances":
                limit = sorted({d for d, _ in ranked})[:k][-1]
                voters = [i for d, i in ranked if d <= limit]
                np.testing.assert_array_equal(found[j, f], np.bincount(payload.codes[voters], minlength=3))
            elif ties == "index" and measure.name != "hour":
                exact = sorted((measure.pair(X, i, Q, j), i) for i in known)[:k]
                voters = [i for _, i in exact]
                np.testing.assert_array_equal(found[j, f], np.bincount(payload.codes[voters], minlength=3))
            else:
                last = ranked[k - 1][0]
                sure = np.bincount([payload.codes[i] for d, i in ranked if d < last], minlength=3)
                most = np.bincount([payload.codes[i] for d, i in ranked if d <= last], minlength=3)
                assert found[j, f].sum() == k
                assert (found[j, f] >= sure).all()
                assert (found[j, f] <= most).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 6))
def test_changed_axes_equal_those_built_anew(seed, n, added):
    rng = np.random.default_rng(seed)
    first = tables(rng, n)
    kept = np.flatnonzero(rng.random(n) < 0.7)
    now = [first[i] for i in kept] + tables(rng, added)
    if not now:
        return
    before, cases, _ = measured(first, first)
    was = Projections.of(before, cases, payload_of(rng, n, "classes"))
    metric, cases, queries = measured(now, tables(rng, 5))
    payload = payload_of(rng, len(now), "classes")
    new = Projections.of(metric, cases, payload)
    changed = was.changed(metric, cases, payload, kept)
    for leave_out, asked in ((None, queries), (np.arange(len(now)), cases)):
        a = new.votes(asked, 3, np.ones(7), leave_out=leave_out, by_feature=True)
        b = changed.votes(asked, 3, np.ones(7), leave_out=leave_out, by_feature=True)
        np.testing.assert_array_equal(a.by_feature, b.by_feature)


def test_a_symbol_never_seen_has_the_votes_of_all_cases():
    rng = np.random.default_rng(0)
    cases = [{**c, "job": f"job {i % 2}"} for i, c in enumerate(tables(rng, 8, holes=0))]
    metric, stored, queries = measured(cases, [{**cases[0], "job": "king"}])
    payload = Payload(np.array([0, 1, 1, 1] * 2), np.ones((8, 1)), 2)
    found = Projections.of(metric, stored, payload).votes(queries, 4, np.ones(7), by_feature=True)
    np.testing.assert_array_equal(found.by_feature[0, 3, :, 0], [1.0, 3.0])
