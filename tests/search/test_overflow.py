"""Differences that are too large for a number, and features that do not count, in every engine."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise.errors import InputError, NearwiseWarning
from nearwise.search.base import Distance
from nearwise.search.plan import ENGINES
from nearwise.weights import Matrix, Weights

from .obvious import reference
from .tables import make_weights, problem, seeds

SHAPES = ("global", "per-class", "per-case", "scaled", "scaled-by-class", "per-query", "per-value", "directed")
POWERS = (1, 2, 3, 2.5)
FAR = "too large for a number"


def assert_alike(engine, distance, queries, payload, k):
    expected = reference(distance).nearest(queries, k, payload)
    found = engine(distance).nearest(queries, k, payload)
    for name in ("sums", "indices", "inside", "tied", "tie_sums"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=f"{engine.name}: {name}")


def serving(distance):
    """Every engine that accepts this distance."""
    return [engine for engine in ENGINES.values() if not engine.refuses(distance)]


@given(
    seeds, st.lists(st.sampled_from(["huge", "numeric", "symbolic"]), min_size=1, max_size=4), st.integers(1, 9),
    st.sampled_from(POWERS), st.sampled_from(["max", "value", "ignore"]), st.sampled_from(SHAPES),
)  # fmt: skip
def test_infinite_sums_rank_last_and_alike_in_every_engine(seed, kinds, k, p, policy, shape):
    if shape == "directed" and "symbolic" in kinds:
        kinds = [kind for kind in kinds if kind != "symbolic"] or ["huge"]
    distance, queries, payload = problem(seed, kinds, p=p, policy=policy, shape=shape)
    for engine in serving(distance):
        assert_alike(engine, distance, queries, payload, k)


@given(seeds, st.lists(st.sampled_from(["huge", "text"]), min_size=2, max_size=3), st.sampled_from([1, 2, 3]))
def test_infinite_sums_rank_alike_beside_texts(seed, kinds, p):
    distance, queries, payload = problem(seed, ["huge", "text", *kinds], p=p)
    for engine in serving(distance):
        assert_alike(engine, distance, queries, payload, 3)


@given(seeds)
def test_infinite_sums_rank_alike_under_a_matrix(seed):
    distance, queries, payload = problem(seed, ["huge", "numeric", "huge"], holes=0.0)
    values = np.random.default_rng(seed).integers(-1, 2, (2, 3)).astype(float)
    mapped = Distance(distance.metric, Matrix(values, distance.metric.names), distance.stored)
    for engine in serving(mapped):
        assert_alike(engine, mapped, queries, payload, 3)


@given(seeds, st.sampled_from(POWERS), st.sampled_from(["global", "per-class", "per-case"]))
def test_zero_weight_equals_dropping_the_feature_whatever_its_values(seed, p, shape):
    distance, queries, payload = problem(seed, ["huge", "numeric", "huge"], p=p, holes=0.1)
    rng = np.random.default_rng(seed)
    weights = make_weights(rng, shape, distance.metric, None, len(distance.stored), len(queries))
    values = np.array(weights.values)
    values[..., [0, 2]] = 0.0
    distance = Distance(distance.metric, _with_values(weights, values), distance.stored)
    for engine in serving(distance):
        assert np.isfinite(engine(distance).nearest(queries, 9, payload).sums).all(), engine.name
        assert_alike(engine, distance, queries, payload, 3)


def _with_values(weights: Weights, values):
    more = (weights.classes, weights.priors) if weights.classes else ()
    return type(weights)(values, weights.features, *more)


@pytest.mark.parametrize("engine", ["auto", "dense", "scan", "blocks", "reference"])
def test_a_huge_value_of_weight_0_does_not_count(engine):
    if nw.native.core() is None and engine in ("dense", "scan"):
        pytest.skip("the native core is not built")
    X, y = [[1e200, 1.0], [0, 2.0], [0, 9.0]], list("abc")
    made = nw.KNNClassifier(2, [0, 1], scale="none", engine=engine).fit(X, y)
    distances, indices = made.kneighbors([[0.0, 1.0]])
    assert (distances.tolist(), indices.tolist()) == ([[0.0, 1.0]], [[0, 1]])
    assert made.predict([[0.0, 2.0]]).tolist() == ["b"]


def test_cases_that_are_too_far_apart_are_told_when_they_are_learned():
    with pytest.warns(NearwiseWarning, match=f"Feature 'big' has .*{FAR}"):
        made = nw.KNNClassifier(1, "none", scale="none").fit([{"big": 1e200}, {"big": 0.0}], ["a", "b"])
    assert made.predict([{"big": 1.0}]).tolist() == ["b"]  # what is infinitely far is not among the neighbours
    with pytest.warns(NearwiseWarning, match=FAR) as told:
        assert made.kneighbors([{"big": 1.0}], 2)[0].tolist() == [[1.0, np.inf]]
    assert len(told) == 1


@pytest.mark.parametrize("p", [3, 2.5])
@pytest.mark.parametrize("ties", ["fair", "distances", "index", "random"])
def test_a_query_beyond_all_numbers_is_told_once_and_explained(p, ties):
    X, y = [[1, 1.0], [0, 2.0], [0, 9.0]], list("abc")
    made = nw.KNNClassifier(2, "none", p=p, ties=ties).fit(X, y)
    queries = [[1e200, 1.0], [-1e200, 0.0]]
    with pytest.warns(NearwiseWarning, match=f"Feature 'x0' differs .*{FAR}") as told:
        shares = made.predict_proba(queries)
    assert len(told) == 1
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    with pytest.warns(NearwiseWarning, match=FAR) as told:
        why = made.explain(queries)
    assert len(told) == 1
    assert "inf" in str(why)
    assert "x0" in why.to_html()
    assert len(why.to_frame())
    json.dumps(why.to_json())
    for each in why:
        assert each.unlike.target != each.prediction


def test_cases_that_are_all_infinitely_far_vote_as_one_tie():
    made = nw.KNNClassifier(2, "none", p=3).fit([[1, 1.0], [0, 2.0], [0, 9.0]], list("aab"))
    with pytest.warns(NearwiseWarning, match=FAR):
        np.testing.assert_allclose(made.predict_proba([[1e200, 1.0]]), [[2 / 3, 1 / 3]])


def test_the_sum_of_two_large_terms_is_explained_too():
    made = nw.KNNClassifier(1, "none", scale="none", p=1).fit([[1e308, 1e308], [9e307, 9e307]], list("ab"))
    with pytest.warns(NearwiseWarning, match=FAR):
        why = made.explain([[0.0, 0.0]])[0]
    assert "60px" in why.to_html()


def test_a_unit_without_a_power_is_refused_by_name():
    with pytest.raises(InputError, match="unit of feature 'x0' is 1000, and its power p = 150 is too large"):
        nw.KNNClassifier(1, "none", p=150).fit([[0.0], [1000.0]], ["a", "b"])
    with pytest.raises(InputError, match=r"unit of feature 'x0' is 0\.001, and its power p = 150 is too small"):
        nw.KNNClassifier(1, "none", p=150).fit([[0.0], [0.001]], ["a", "b"])


@pytest.mark.parametrize("method", ["ga", "rmhc", "forward", "each", "nca-diagonal", "knn-vsm", "permutation"])
def test_searches_over_weights_are_not_led_astray_by_a_huge_feature_without_a_range(method):
    """A feature that is constant but for its size is out of every sum."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(40, 1e300), rng.normal(size=40)])
    y = np.where(X[:, 1] > 0, "a", "b")
    made = nw.weighting.get(method, **nw.weighting.methods()[method].check_parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", NearwiseWarning)
        found = nw.KNNClassifier(1, made, scale="none").fit(X, y)
    assert np.isfinite(found.feature_importances_).all()
    assert found.predict([[1e300, 2.0], [0.0, -2.0]]).tolist() == ["a", "b"]
