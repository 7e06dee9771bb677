"""Cases that come to projections and go again: few of them are not sorted in, and every answer is that of a new fit."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import Cyclic, Numeric, Ordinal, ProjectionClassifier, ProjectionRegressor, Symbolic, load
from nearwise.native import core
from nearwise.statistics.projections import can_be_patched

SCHEMA = {
    "number": Numeric(), "real": Numeric(), "hour": Cyclic(24), "size": Ordinal(("S", "M", "L")),
    "job": Symbolic(missing="value"),
}  # fmt: skip
CLASSES = ("a", "b", "c")


def cases_of(rng, n, holes=0.15):
    """Cases with few different values, so that many tie; real numbers are all different."""

    def one():
        case = {
            "number": float(rng.integers(-3, 5)) / 10, "real": rng.normal(), "hour": float(rng.integers(0, 24)),
            "size": "SML"[rng.integers(3)], "job": f"job {rng.integers(3)}",
        }  # fmt: skip
        return {name: None if rng.random() < holes else value for name, value in case.items()}

    return [one() for _ in range(n)]


def target_of(rng, n, kind):
    return 10.0 + rng.normal(size=n) if kind == "numbers" else np.array(CLASSES)[rng.integers(0, 3, n)]


def weights_of(rng, n, kind):
    return np.ones(n) if kind == "classes" else rng.integers(1, 4, n) / 3


def fitted(kind, k, cases, y, weights):
    """A new model, which knows all classes."""
    if kind == "numbers":
        return ProjectionRegressor(k, "none", schema=SCHEMA, n_jobs=1).fit(cases, y, weights)
    model = ProjectionClassifier(k, "none", schema=SCHEMA, n_jobs=1)
    return model.partial_fit(cases, y, np.array(CLASSES), weights)


def assert_same(one, other, queries):
    for ask in ("predict", "feature_votes", "undetermined"):
        np.testing.assert_array_equal(getattr(one, ask)(queries), getattr(other, ask)(queries))
    if isinstance(one, ProjectionClassifier):
        np.testing.assert_array_equal(one.predict_proba(queries), other.predict_proba(queries))


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(["classes", "weighted", "numbers"]), st.integers(1, 7),
    st.lists(st.booleans(), min_size=1, max_size=5),
)  # fmt: skip
def test_whatever_comes_and_goes_the_answers_are_those_of_a_new_fit(seed, kind, k, steps):
    rng = np.random.default_rng(seed)
    cases, n = cases_of(rng, 60), 40
    y, weights = target_of(rng, 60, kind), weights_of(rng, 60, kind)
    model, there = fitted(kind, k, cases[:n], y[:n], weights[:n]), list(range(n))
    queries = cases_of(rng, 8)
    for adds in steps:
        if adds and n < 60:
            more = int(rng.integers(1, 60 - n + 1))
            new = slice(n, n + more)
            model.partial_fit(cases[new], y[new], sample_weight=weights[new])
            there, n = there + list(range(n, n + more)), n + more
        elif len(there) > 1:
            gone = rng.choice(there, int(rng.integers(1, min(len(there), 9))), replace=False)
            model.forget(gone)
            there = sorted(set(there) - set(gone.tolist()))
        new = fitted(kind, k, [cases[i] for i in there], y[there], weights[there])
        assert model.case_ids_.tolist() == there
        assert_same(model, new, queries)
        assert_same(model, new, None if len(there) > 1 else queries)


@pytest.mark.parametrize("kind", ["classes", "weighted", "numbers"])
def test_real_numbers_are_not_sorted_again_and_nothing_else_changes(kind, tmp_path):
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(3_000, 4)), rng.normal(size=(200, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y, weights = target_of(rng, 3_000, kind), weights_of(rng, 3_000, kind)
    make = ProjectionRegressor if kind == "numbers" else ProjectionClassifier
    model = make(5, "none").fit(X[:2_960], y[:2_960], weights[:2_960])
    sorted_once = model._model.axes
    model.partial_fit(X[2_960:], y[2_960:], sample_weight=weights[2_960:])
    gone = np.r_[0:20, 2_970:2_980]
    model.forget(gone[::2]).forget(gone[1::2])
    assert (model._model.axes is sorted_once) == (core() is not None)
    left = np.delete(np.arange(3_000), gone)
    new = make(5, "none").fit(X[left], y[left], weights[left])
    for asked in (queries, X[::50], None):
        assert_same(model, new, asked)
    assert str(model.explain(queries[:2])) == str(new.explain(queries[:2]))
    assert model.score_loo() == new.score_loo()
    assert model.describe() == new.describe()
    model.save(tmp_path / "model")
    for again in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert_same(again, new, queries)
        assert_same(again.forget(again.case_ids_[5:9]), make(5, "none").fit(
            np.delete(X[left], range(5, 9), 0), np.delete(y[left], range(5, 9)), np.delete(weights[left], range(5, 9))
        ), queries)  # fmt: skip


def test_a_value_beyond_the_range_moves_the_unit_both_ways():
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.4, 0.2], [0.2, 0.6]] * 3, ["a", "b", "c", "a"] * 3
    model = ProjectionClassifier(2, "none").fit(X, y).partial_fit([[9.0, -7.0]], ["c"])
    query = [[0.3, 0.45], [5.0, -2.0]]
    assert_same(model, ProjectionClassifier(2, "none").fit([*X, [9.0, -7.0]], [*y, "c"]), query)
    assert_same(model.forget([12]), ProjectionClassifier(2, "none").fit(X, y), query)
    assert_same(model.forget([0, 4, 8]), ProjectionClassifier(2, "none").fit(
        [x for x in X if x != [0.0, 0.0]], [c for x, c in zip(X, y) if x != [0.0, 0.0]]
    ), query)  # fmt: skip


def test_many_that_came_are_sorted_in_and_so_is_a_new_symbol():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    model = ProjectionClassifier(3, "none").fit(X[:100], y[:100])
    first = model._model.axes
    assert can_be_patched(first, 64) == (core() is not None)
    assert not can_be_patched(first, 65)
    assert (model.partial_fit(X[100:160], y[100:160])._model.axes is first) == (core() is not None)
    assert model.partial_fit(X[160:], y[160:])._model.axes is not first
    assert_same(model, ProjectionClassifier(3, "none").fit(X, y), X[:20] + 0.1)
    coat = [{"hue": "red"}, {"hue": "blue"}] * 5
    seen = ProjectionClassifier(1, "none").fit(coat, list("ab") * 5).partial_fit([{"hue": "green"}], ["b"])
    assert_same(
        seen, ProjectionClassifier(1, "none").fit([*coat, {"hue": "green"}], [*"ab" * 5, "b"]), [{"hue": "green"}]
    )
    assert seen.forget([10]).feature_votes([{"hue": "green"}]).tolist() == [[[0.5, 0.5]]]


def test_labels_of_cases_stay_theirs():
    model = ProjectionClassifier(1, "none").fit([[1.0], [2.0], [3.0]], list("aab"))
    model.partial_fit([[4.0], [5.0]], list("ab")).forget([1]).partial_fit([[6.0]], ["a"])
    assert [model._model.table.label(i) for i in range(5)] == [0, 2, 3, 4, 4]
    assert model._model.table.columns[0].values.tolist() == [1.0, 3.0, 4.0, 5.0, 6.0]
