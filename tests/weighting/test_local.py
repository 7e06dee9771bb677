"""Weights of cases and queries, method by method: numbers worked by hand, and slow twins."""

import math

import numpy as np
import pytest

from nearwise import KNNClassifier, NearestCases, weighting
from nearwise.cases.table import CaseTable
from nearwise.native import core
from nearwise.search import Distance, Payload, plan
from nearwise.search.base import Engine
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.weights import Blended, Forms, PerQuery
from nearwise.weights.discriminant import triangular

from .local_tables import mixed, problem_of
from .slow_local import (
    slow_dann,
    slow_directed,
    slow_gcm_isw,
    slow_rc,
    slow_scythe,
    slow_slopes,
    slow_spreads,
)

POLICIES = ["max", "ignore", "value", "mean", "usual"]
LINE = [[0.0], [1.0], [4.0]], ["a", "a", "b"]


def learned(method, problem):
    """In the order of the table's features, as the slow twin has them."""
    return method._learn(problem)


# ------------------------------------------------------------------------------------------------- gcm-isw


def test_gcm_isw_worked_by_hand():
    found = weighting.InstanceWeights(step=0.2).fit(*LINE).weights_
    # 1 meets its like 0 at 1/4: 0.5 + 0.2 * sqrt(3/4) * (3/4 - 0.5); 4 meets 1 at 3/4, of another class
    assert found.values.ravel() == pytest.approx([0.5 + 0.2 * math.sqrt(0.75) * 0.25, 0.55 + 0.2 * 0.5 * 0.2, 0.59])
    assert found.common == pytest.approx([0.59])


@pytest.mark.parametrize("missing", POLICIES)
def test_gcm_isw_equals_its_slow_twin(missing):
    problem = problem_of(*mixed(), missing)
    own, common = slow_gcm_isw(problem, 0.2)
    found = learned(weighting.InstanceWeights(step=0.2), problem)
    assert found.values == pytest.approx(np.array(own), rel=1e-12)
    assert found.common == pytest.approx(common, rel=1e-12)


def test_blended_weights_are_the_cases_own_near_it_and_common_far_off():
    model = KNNClassifier(1, Blended([[4.0], [1.0]], ["x0"], [2.0])).fit([[0.0], [8.0]], ["a", "b"])
    near = model.explain([[0.0], [6.0], [16.0]])
    assert near[0].neighbours[0].distance == 0
    share = math.sqrt(1 - 0.25)  # of 6 from 8, a quarter of the range
    assert near[1].neighbours[0].distance == pytest.approx(math.sqrt((share + 2 * (1 - share)) / 16))
    assert near[2].neighbours[0].distance == pytest.approx(math.sqrt(2))  # as far as the range: the common one alone
    doubled = model.feature_weights_.times(np.array([2.0, 3.0]), None)
    assert doubled.of_cases(np.array([1])).common.tolist() == [[6.0]]


# ------------------------------------------------------------------------------------------------- directed


def test_directed_weights_worked_by_hand():
    found = weighting.DirectedWeights(passes=1).fit(*LINE).weights_
    # 0 and 1 come nearer to each other by 0.1 * 1/4; 4 pushes 1 away, above it, by 0.2 * 3/4
    assert found.values[:, :, 0].tolist() == [[1.0, 0.975, 1.0], [0.975, pytest.approx(1.15), 1.0]]


@pytest.mark.parametrize("missing", POLICIES)
def test_directed_weights_equal_their_slow_twin(missing):
    problem = problem_of(*mixed(), missing)
    found = learned(weighting.DirectedWeights(passes=2), problem)
    assert found.values == pytest.approx(np.array(slow_directed(problem, 0.1, 0.2, 2)), rel=1e-12)


def test_cases_that_are_kept_learn_from_all():
    rows, y = mixed(60)
    model = KNNClassifier(1, weighting.DirectedWeights(passes=2), cases="ib2").fit(rows, y)
    problem, kept = problem_of(rows, y), model.case_ids_
    assert 0 < len(kept) < 60
    expected = np.array(slow_directed(problem, 0.1, 0.2, 2, kept.tolist()))[:, kept]
    assert model.feature_weights_.values == pytest.approx(expected, rel=1e-9)


def test_few_directed_cases_do_nearly_as_well_as_all():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    plain = KNNClassifier(1, "none", cases="ib2").fit(X[:100], y[:100])
    few = KNNClassifier(1, "directed", cases="ib2").fit(X[:100], y[:100])
    assert len(few.case_ids_) < 30
    assert few.score(X[100:], y[100:]) >= max(plain.score(X[100:], y[100:]), 0.9)


def test_a_weight_stays_within_bounds_however_often_a_case_is_punished():
    rows = [[0.0]] + [[1.0]] * 30
    found = weighting.DirectedWeights(punish=50.0, passes=3).fit(rows, ["a"] + ["b"] * 30).weights_
    assert found.values.max() <= 1e6
    assert found.values.min() >= 1e-6


# ------------------------------------------------------------------------------------------------- dann


def test_dann_worked_by_hand():
    X, y = [[0.0], [1.0], [3.0], [4.0], [6.0]], ["a", "a", "b", "b", "b"]
    model = KNNClassifier(1, weighting.DiscriminantNeighbours(n_metric=5)).fit(X, y)
    # from 2 the cases lie at -1/3, -1/6, 1/6, 1/3 and 2/3 of the range; the last, at h, has tricube 0
    near, far = (63 / 64) ** 3, (7 / 8) ** 3
    mean = (far / 3 + near / 6) / (near + far)
    within = (far * (1 / 3 - mean) ** 2 + near * (1 / 6 - mean) ** 2) / (near + far)
    form = (mean**2 / within + 1) / within
    distances, cases = model.kneighbors([[2.0]], 5)
    assert cases.tolist() == [[1, 2, 0, 3, 4]]
    assert distances[0] == pytest.approx(form * np.array([1 / 36, 1 / 36, 1 / 9, 1 / 9, 4 / 9]))
    assert model.explain([[2.0]])[0].neighbours[0].weights["x0"] == pytest.approx(form)


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize(("asks", "rounds", "ridge"), [(12, 1, 0.0), (9, 2, 0.5), (39, 1, 0.1)])
def test_dann_equals_its_slow_twin(missing, asks, rounds, ridge):
    problem = problem_of(*mixed(), missing)
    method = weighting.DiscriminantNeighbours(n_metric=asks, iterations=rounds, ridge=ridge, epsilon=0.7)
    engine = plan(Distance(problem.metric, method._learn(problem), problem.stored)).engine
    rows = np.arange(40)
    found = engine.settled(problem.cases, rows).distance.weights.values
    for q in range(0, 40, 3):
        expected = slow_dann(problem, q, asks, 0.7, ridge, rounds)
        assert found[q].T @ found[q] == pytest.approx(expected, rel=1e-6, abs=1e-8 * np.abs(expected).max())


def test_a_form_takes_one_feature_more_with_every_row():
    rng = np.random.default_rng(0)
    maps = rng.normal(size=(5, 4, 4))
    found = triangular(maps)
    assert np.einsum("qrf,qrg->qfg", found, found) == pytest.approx(np.einsum("qrf,qrg->qfg", maps, maps))
    assert (np.count_nonzero(found, axis=2) == np.arange(1, 5)).all()


@pytest.mark.parametrize("missing", ["max", "value", "usual", "mean", "ignore"])
@pytest.mark.parametrize("leave_out", [None, np.arange(30)])
def test_forms_equal_the_reference_ties_included(missing, leave_out):
    rows, y = mixed(150, seed=2)
    problem = problem_of([*rows, {"size": 9.0, "hue": "r", "noise": 1.0}], [*y, "u"], missing)
    asked = problem.metric.measure(CaseTable.of(mixed(30, seed=5)[0], schema=problem.table.schema))
    rng = np.random.default_rng(1)
    maps = rng.integers(-2, 3, (30, 3, 3)).astype(float)
    distance = Distance(problem.metric, Forms(maps, problem.features), problem.stored)
    payload = Payload(problem.target.values, problem.target.weights[:, None], 2)
    fast, slow = plan(distance).engine, plan(distance, "reference").engine
    assert fast.name == "forms"
    for k in (1, 5, 200):
        one, two = (e.nearest(asked, k, payload, leave_out) for e in (fast, slow))
        for name in ("sums", "indices", "inside", "tied", "tie_sums"):
            assert getattr(one, name).tolist() == getattr(two, name).tolist()
    one, two = (e.levels(asked, 3, payload, leave_out) for e in (fast, slow))
    assert one.counts.tolist() == two.counts.tolist()
    limits = np.full(30, 1.5)
    one, two = (e.within(asked, limits, leave_out) for e in (fast, slow))
    assert [c.tolist() for _, c in one] == [c.tolist() for _, c in two]


def test_the_global_form_has_the_directions_of_the_mean_between_classes():
    rng = np.random.default_rng(0)
    X = rng.random((80, 3))
    y = np.where(X[:, 0] + X[:, 1] > 1, "u", "v")
    method = weighting.DiscriminantNeighbours(scope="global", n_metric=20, n_components=1).fit(X, y)
    (row,) = method.weights_.values[0]
    assert abs(row[0]) == pytest.approx(abs(row[1]), rel=0.3)
    assert abs(row[2]) < 0.3 * abs(row[0])
    problem = problem_of([dict(zip("abc", x, strict=True)) for x in X.tolist()], y)
    mean = np.mean([slow_spreads(problem, q, 20)[1] for q in range(80)], axis=0)
    sizes, vectors = np.linalg.eigh(mean)
    assert np.outer(row, row) == pytest.approx(sizes[-1] * np.outer(vectors[:, -1], vectors[:, -1]), rel=1e-6)


def test_indexes_are_built_once_and_serve_every_call(monkeypatch):
    X = np.random.default_rng(0).random((400, 4))
    model = KNNClassifier(3, "dann").fit(X, (X[:, 0] > 0.5).astype(str))
    model.predict(X[:5])

    def refuse(*given, **named):
        raise AssertionError("a call builds no index")

    monkeypatch.setattr(Engine, "__init__", refuse)
    monkeypatch.setattr(BlockEngine, "__init__", lambda self, distance, threads=1: vars(self).update(distance=distance))
    assert len(model.predict(X)) == 400
    model.explain(X[:2])


@pytest.mark.skipif(core() is None, reason="the native core is not built")
def test_rows_of_weights_with_a_call_share_one_index():
    X = np.random.default_rng(0).random((300, 4))
    rows = np.random.default_rng(1).random((300, 4))
    problem = NearestCases(1).fit(X)._model.problem
    even = Distance(problem.metric, PerQuery(np.ones((1, 4)), problem.features), problem.stored)
    for name in ("dense", "scan"):
        base = plan(even, name).engine
        asked, payload = even.stored.cases, Payload.nothing(300)
        base.nearest(asked, 2, payload)
        under = base.under(PerQuery(rows, even.weights.features))
        index = "_singles" if name == "dense" else "_cases"
        assert vars(under)[index] is vars(base)[index]
        fresh = plan(Distance(even.metric, PerQuery(rows, even.weights.features), even.stored), name).engine
        for k in (1, 7):
            one, two = under.nearest(asked, k, payload), fresh.nearest(asked, k, payload)
            assert one.sums.tolist() == two.sums.tolist()
            assert one.indices.tolist() == two.indices.tolist()


# ------------------------------------------------------------------------------------------------- rc


def test_rc_worked_by_hand():
    # each case is nearest to its like, from which it differs by 0.1 in x0, which counts as the same, and by 0.9 in x1;
    # without x1 everyone is still right
    found = weighting.ContextSelection().fit([[0.0, 0.0], [0.1, 0.9], [0.9, 0.1], [1.0, 1.0]], ["a", "a", "b", "b"])
    assert found.weights_.values.tolist() == [[1.0, 0.0]] * 4
    # with a tolerance of 0 the two differ in everything they have, and nothing is left out
    found = weighting.ContextSelection(tolerance=0).fit([[0.0, 0.0], [0.1, 0.9], [0.9, 0.1], [1.0, 1.0]], list("aabb"))
    assert found.weights_.values.tolist() == [[1.0, 1.0]] * 4


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("tolerance", [0.0, 0.25])
def test_rc_equals_its_slow_twin(missing, tolerance):
    problem = problem_of(*mixed(24, seed=4), missing)
    found = learned(weighting.ContextSelection(tolerance=tolerance, rounds=3), problem)
    assert found.values.tolist() == slow_rc(problem, tolerance, 3)


# ------------------------------------------------------------------------- short-fukunaga and fukunaga-flick


def test_slopes_worked_by_hand():
    problem = problem_of([{"x": x} for x in (0.0, 1.0, 2.0, 4.0)], ["a", "a", "b", "b"])
    # from 0 the share of "a" goes from 1 at a quarter of the range to 0 at a half, and 4 is farthest: it does not
    # count. So the slopes are -4 for "a" and 4 for "b"
    assert weighting.GlobalRisk()._around(problem)[0] == pytest.approx([32.0])


@pytest.mark.parametrize("missing", POLICIES)
def test_risk_weights_equal_their_slow_twin(missing):
    problem = problem_of(*mixed(), missing)
    expected = np.array([slow_slopes(problem, q, 9) for q in range(40)])
    assert weighting.LocalRisk(9)._around(problem) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    means = expected.mean(axis=1, keepdims=True)
    own = np.where(means > 0, expected / np.where(means > 0, means, 1), 1)
    assert learned(weighting.LocalRisk(9), problem).values == pytest.approx(own, rel=1e-9, abs=1e-12)
    everywhere = expected.mean(axis=0)
    found = learned(weighting.GlobalRisk(9), problem).values
    assert found == pytest.approx(everywhere / everywhere.mean(), rel=1e-9)


# ------------------------------------------------------------------------------------------------- scythe


def test_scythe_worked_by_hand():
    X = [[0.0, 0.0], [0.25, 1.0], [0.5, 0.5], [1.0, 0.25]]
    model = KNNClassifier(1, weighting.RecursiveScales(n_left=2, fraction=0.5)).fit(X, ["a", "a", "b", "b"])
    # from (0, 0) x0 keeps the first two, all "a": 2 (1 - 1/2)^2 - 4/3 (1/2 - 1/4) 1/2 = 1/3 above 0; x1 keeps one of
    # each and gains nothing. So x0 is cut to 1/4, x1 stays at 1: weights 16 and 1, which have the mean 17/2
    why = model.explain([[0.0, 0.0]])[0].neighbours[0]
    assert why.weights == pytest.approx({"x0": 32 / 17, "x1": 2 / 17})


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize(("left", "fraction"), [(5, 0.3), (12, 0.6), (60, 0.3)])
def test_scythe_equals_its_slow_twin(missing, left, fraction):
    problem = problem_of(*mixed(), missing)
    made = learned(weighting.RecursiveScales(n_left=left, fraction=fraction), problem)
    engine = plan(Distance(problem.metric, made, problem.stored)).engine
    found = engine.settled(problem.cases, np.arange(40)).distance.weights.values
    for q in range(40):
        assert found[q] == pytest.approx(slow_scythe(problem, q, left, fraction), rel=1e-9)
