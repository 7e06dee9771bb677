"""Local scaling against plain loops: distances over the root of how far the k-th neighbours of both cases are."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, NearestCases
from nearwise.errors import InputError
from tests.examples import examples

seeds = st.integers(0, 2**32 - 1)
WEIGHTS = {"n": 2.0, "m": 0.5, "c": 1.0}


def rows(rng, n, coarse):
    """Two numbers and a symbol; coarse ones repeat each other."""
    out = []
    for _ in range(n):
        a, b = (float(rng.integers(0, 3)), float(rng.integers(0, 2))) if coarse else rng.normal(size=2).tolist()
        out.append({"n": a, "m": b, "c": "xy"[int(rng.integers(2))]})
    return out


class Twin:
    """Every number by a loop; no engine, no arrays."""

    def __init__(self, cases, k, p):
        self.cases, self.k, self.p = cases, k, p
        self.ranges = {f: max(c[f] for c in cases) - min(c[f] for c in cases) for f in "nm"}
        self.raw = [self.kth([self.plain(x, c) for j, c in enumerate(cases) if j != i]) for i, x in enumerate(cases)]
        self.smallest = min([s for s in self.raw if s > 0], default=1.0)
        self.scales = [s or self.smallest for s in self.raw]

    def plain(self, x, q):
        total = WEIGHTS["c"] * (x["c"] != q["c"])
        for f in "nm":
            if self.ranges[f] > 0:
                total += WEIGHTS[f] * (abs(x[f] - q[f]) / self.ranges[f]) ** self.p
        return total ** (1 / self.p)

    def kth(self, distances):
        return sorted(distances)[min(self.k, len(distances)) - 1] if distances else 0.0

    def scale_of(self, q):
        return self.kth([self.plain(x, q) for x in self.cases]) or self.smallest

    def scaled(self, i, q, scale):
        return self.plain(self.cases[i], q) / math.sqrt(self.scales[i] * scale)

    def of_query(self, q):
        """Scaled distances of all stored cases."""
        return [self.scaled(i, q, self.scale_of(q)) for i in range(len(self.cases))]

    def of_stored(self, i):
        """The same for a stored case, which keeps its scale; infinite for itself."""
        return [math.inf if j == i else self.scaled(j, self.cases[i], self.scales[i]) for j in range(len(self.cases))]


def made(kind, cases, k, p, **more):
    if kind is NearestCases:
        return NearestCases(3, WEIGHTS, local_scale=k, p=p, **more).fit(cases)
    y = ["no", "yes"] * len(cases) if kind is KNNClassifier else np.arange(2.0 * len(cases))
    return kind(3, WEIGHTS, local_scale=k, p=p, **more).fit(cases, y[: len(cases)])


@settings(max_examples=examples(20))
@given(
    seeds, st.integers(2, 15), st.sampled_from([1, 2, 7]), st.booleans(), st.sampled_from([1, 2, 3]),
    st.sampled_from([NearestCases, KNNClassifier, KNNRegressor]),
)  # fmt: skip
def test_distances_are_those_of_plain_loops(seed, n, k, coarse, p, kind):
    rng = np.random.default_rng(seed)
    cases, queries = rows(rng, n, coarse), rows(rng, 4, coarse)
    twin, model = Twin(cases, k, p), made(kind, cases, k, p)
    for asked, expected in (
        (queries, [twin.of_query(q) for q in queries]),
        (None, [twin.of_stored(i) for i in range(n)]),
    ):
        listed = n - (asked is None)
        distances, indices = model.kneighbors(asked, listed)
        for j, wanted in enumerate(expected):
            np.testing.assert_allclose(distances[j], sorted(wanted)[:listed], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose([wanted[i] for i in indices[j]], distances[j], rtol=1e-9, atol=1e-12)
        radius = 1.234567
        near, found = model.radius_neighbors(asked, radius)
        for j, wanted in enumerate(expected):
            assert sorted(found[j]) == [i for i, d in enumerate(wanted) if d <= radius]
            np.testing.assert_allclose(near[j], [wanted[i] for i in found[j]], rtol=1e-9, atol=1e-12)


@settings(max_examples=examples(15))
@given(seeds, st.booleans(), st.sampled_from([1, 2]), st.sampled_from([NearestCases, KNNClassifier, KNNRegressor]))
def test_explanations_have_scaled_and_plain_distances(seed, coarse, p, kind):
    rng = np.random.default_rng(seed)
    cases, queries = rows(rng, 9, coarse), rows(rng, 3, coarse)
    twin, model = Twin(cases, 2, p), made(kind, cases, 2, p)
    for asked in (queries, None):
        for j, why in enumerate(model.explain(asked)):
            query = cases[j] if asked is None else queries[j]
            scale = twin.scales[j] if asked is None else twin.scale_of(query)
            for near in why.neighbours:
                assert near.distance == pytest.approx(twin.scaled(near.index, query, scale), rel=1e-9, abs=1e-12)
                plain = twin.plain(cases[near.index], query)
                assert near.plain_distance == pytest.approx(plain, rel=1e-9, abs=1e-12)
                assert sum(near.contributions.values()) == pytest.approx(near.distance**p, abs=1e-9)


def test_copies_of_a_case_take_the_smallest_scale_that_is_not_0():
    # positions 0, 0, 0, 1, 5: the nearest other case is 0, 0, 0, 1 and 4 away, of a range of 5
    model = NearestCases(1, local_scale=1).fit([[0.0], [0.0], [0.0], [1.0], [5.0]])
    scales = np.array([0.2, 0.2, 0.2, 0.2, 0.8])
    expected = np.array([0.0, 0.0, 0.0, 0.2, 1.0]) / np.sqrt(scales * 0.2)  # a query on the copies: s = 0, so 0.2
    np.testing.assert_allclose(model.kneighbors([[0.0]], 5)[0][0], expected)


@pytest.mark.parametrize("kind", [NearestCases, KNNClassifier, KNNRegressor])
def test_where_all_cases_are_equal_the_scale_is_1(kind):
    cases = [{"n": 1.0, "m": 2.0, "c": "x"}] * 4
    model = made(kind, cases, 3, 2)
    np.testing.assert_array_equal(model.kneighbors([{"n": 1.0, "m": 2.0, "c": "y"}], 4)[0], np.ones((1, 4)))


def test_one_case_has_no_neighbour_and_the_scale_1():
    model = NearestCases(1, {"c": 4.0}, local_scale=7).fit([{"c": "x"}])
    # the query's own scale is its distance from the one case, which is 2
    np.testing.assert_allclose(model.kneighbors([{"c": "y"}])[0], [[2.0 / math.sqrt(2.0 * 1.0)]])


def test_retrieval_is_unchanged_unless_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    assert NearestCases().local_scale is None
    plain, scaled = NearestCases(5).fit(X), NearestCases(5, local_scale=7).fit(X)
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import MinMaxScaler

    by_range = MinMaxScaler().fit_transform(X)
    theirs = NearestNeighbors(n_neighbors=5).fit(by_range).kneighbors(by_range)
    np.testing.assert_allclose(plain.kneighbors(X)[0], theirs[0], atol=1e-12)
    assert not np.allclose(scaled.kneighbors(X)[0], theirs[0])


def test_a_scaled_retrieval_is_saved_and_told(tmp_path):
    import nearwise

    rng = np.random.default_rng(1)
    model = NearestCases(3, local_scale=2).fit(rows(rng, 12, True))
    model.save(tmp_path / "m")
    again = nearwise.load(tmp_path / "m")
    queries = rows(rng, 5, True)
    for one, other in zip(model.kneighbors(queries), again.kneighbors(queries), strict=True):
        assert one.tobytes() == other.tobytes()
    assert "local_scale: by the distance to neighbour 2" in again.describe()
    assert "local_scale: none" in NearestCases().fit(rows(rng, 5, True)).describe()


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "some", [3]])
def test_what_is_no_number_of_a_neighbour_is_refused(wrong):
    for kind in (NearestCases, KNNClassifier, KNNRegressor):
        with pytest.raises(InputError, match="local_scale="):
            kind(local_scale=wrong).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("kind", [NearestCases, KNNClassifier, KNNRegressor])
def test_weights_tried_for_one_call_are_not_scaled(kind):
    rng = np.random.default_rng(2)
    cases, queries = rows(rng, 12, False), rows(rng, 3, False)
    scaled, plain = made(kind, cases, 2, 2), made(kind, cases, None, 2)
    tried = {"n": 1.0, "m": 3.0, "c": 0.0}
    np.testing.assert_allclose(
        scaled.kneighbors(queries, feature_weights=tried)[0], plain.kneighbors(queries, feature_weights=tried)[0]
    )
    for one, other in zip(
        scaled.explain(queries, feature_weights=tried), plain.explain(queries, feature_weights=tried), strict=True
    ):
        assert one.neighbours == other.neighbours
        for near in one.neighbours:
            assert near.plain_distance == near.distance


@pytest.mark.parametrize("engine", ["dense", "scan", "blocks", "reference"])
def test_every_engine_that_takes_weights_of_cases_serves_it(engine):
    rng = np.random.default_rng(3)
    cases, queries = rows(rng, 40, True), rows(rng, 5, True)
    if engine in ("dense", "scan"):
        from nearwise.native import core

        if core() is None:
            pytest.skip("the native core is not built")
    usual = made(NearestCases, cases, 3, 2)
    asked = made(NearestCases, cases, 3, 2, engine=engine)
    assert asked.plan_.engine.name == engine
    for one, other in zip(usual.kneighbors(queries, 9), asked.kneighbors(queries, 9), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("vote", ["triangle", "distance", "majority", "linear", "exponential", "gaussian"])
@pytest.mark.parametrize("k", [3, "auto", "loo", range(1, 9)])
@pytest.mark.parametrize("kind", [KNNClassifier, KNNRegressor])
@pytest.mark.parametrize("weights", [None, "none"])
def test_what_is_chosen_by_leaving_one_out_is_what_leaving_one_out_says(vote, k, kind, weights):
    rng = np.random.default_rng(4)
    cases = rows(rng, 25, False)
    y = rng.integers(0, 2, 25) if kind is KNNClassifier else rng.normal(size=25)
    model = kind(k, weights, vote=vote, local_scale=3, answer="vote").fit(cases, y)
    by = model.predict_proba(None) if kind is KNNClassifier else model.predict(None)[:, None]
    np.testing.assert_allclose(model.left_out_answers()[1], by, rtol=1e-9, atol=1e-12)
    if hasattr(model, "loo_errors_"):
        found = model.predict(None)
        error = np.mean(found != y) if kind is KNNClassifier else np.mean((found - y) ** 2)
        assert model.loo_errors_[model.n_neighbors_ - 1] == pytest.approx(error)


@pytest.mark.parametrize("vote", ["exponential", lambda d: 1 / (1 + d)])
def test_votes_by_distance_count_ties_that_no_list_holds(vote):
    # 70 copies of one case, more than are listed for the regression, and 20 others
    rng = np.random.default_rng(5)
    numbers = np.concatenate([np.zeros(70), rng.normal(3, 1, 20)])
    labels = np.concatenate([np.arange(70) % 3 == 0, np.arange(20) % 4 > 0])
    queries = np.array([[0.0], [0.1], [3.0], [4.0]])
    model = KNNClassifier(2, vote=vote, local_scale=3, answer="both").fit(numbers[:, None], labels)
    order = rng.permutation(90)
    mixed = KNNClassifier(2, vote=vote, local_scale=3, answer="both").fit(numbers[order, None], labels[order])
    np.testing.assert_allclose(mixed.predict_proba(queries), model.predict_proba(queries), atol=1e-12)
