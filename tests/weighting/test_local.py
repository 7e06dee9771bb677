"""Weights of cases and queries: numbers worked by hand, slow twins, and every question an estimator is asked."""

import math

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNClassifier, NearestCases, weighting
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, WeightShapeError
from nearwise.native import core
from nearwise.search import Distance, Payload, plan
from nearwise.search.base import Engine
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.weighting import Problem
from nearwise.weights import Blended, DirectedCases, Forms, PerQuery
from nearwise.weights.discriminant import triangular

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


def mixed(n=40, seed=0):
    """Numbers, symbols and holes, with many equally near cases; the class comes of the first two."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        case = {
            "size": float(rng.integers(0, 6)),
            "hue": str(rng.choice(list("rgb"))),
            "noise": float(rng.integers(0, 4)),
        }
        rows.append({k: None if rng.random() < 0.1 else v for k, v in case.items()})
    y = ["u" if (row["size"] or 0) > 2 and row["hue"] != "g" else "v" for row in rows]
    return rows, y


def problem_of(rows, y, missing="max"):
    labels, codes = np.unique(y, return_inverse=True)
    table = CaseTable.of(rows)
    return Problem.of(table, Target(codes.astype(np.intp), labels, np.ones(len(y))), missing=missing)


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


# ----------------------------------------------------------------------------------------- every such method

LOCAL = [name for name, m in weighting.methods().items() if m.learns_again and name != "ebl"]  # which needs rules
every_method = pytest.mark.parametrize("name", LOCAL)


def test_the_methods_of_the_review_are_here():
    assert set(LOCAL) >= {"gcm-isw", "directed", "dann", "scythe", "rc", "short-fukunaga"}


@every_method
def test_the_planned_engine_equals_the_reference_ties_included(name):
    rows, y = mixed(60)
    model = KNNClassifier(3, name).fit(rows, y)
    asked = model._model.problem.metric.measure(CaseTable.of(mixed(25, seed=7)[0], schema=model.schema_))
    payload = Payload.nothing(60)
    for leave_out in (None, np.arange(25)):
        slow = plan(model._model.engine.settled(asked, leave_out).distance, "reference").engine
        one, two = (e.nearest(asked, 4, payload, leave_out) for e in (model._model.engine, slow))
        assert one.sums == pytest.approx(two.sums, rel=1e-12)
        assert one.tied.tolist() == two.tied.tolist()
        assert one.indices.tolist() == two.indices.tolist()


@every_method
def test_explanations_add_up(name):
    rows, y = mixed(50)
    model = KNNClassifier(3, name).fit(rows, y)
    for asked in (rows[:4], None):
        for why in model.explain(asked)[:4]:
            for near in [*why.neighbours, why.unlike]:
                assert sum(near.contributions.values()) == pytest.approx(near.distance**model.p_, abs=1e-12)


@every_method
def test_a_saved_model_answers_alike(name, tmp_path):
    rows, y = mixed(50)
    model = KNNClassifier(3, name).fit(rows, y)
    model.save(tmp_path / "model")
    again = nw.load(tmp_path / "model")
    assert again.feature_weights_ == model.feature_weights_
    for asked in (mixed(20, seed=3)[0], None):
        assert again.predict_proba(asked).tolist() == model.predict_proba(asked).tolist()


@every_method
def test_cases_that_come_and_go_are_learned_again(name):
    rows, y = mixed(50)
    model = KNNClassifier(3, name).fit(rows[:40], y[:40]).partial_fit(rows[40:], y[40:]).forget(np.arange(5))
    fresh = KNNClassifier(3, name).fit(rows[5:], y[5:])
    assert model.predict_proba(rows) == pytest.approx(fresh.predict_proba(rows), abs=1e-12)


@every_method
@pytest.mark.parametrize("store", ["ib2", "ib3"])
def test_it_works_where_few_cases_are_stored(name, store):
    rows, y = mixed(50)
    model = KNNClassifier(1, name, cases=store).fit(rows, y)
    assert set(model.predict(rows)) <= {"u", "v"}


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
def test_odd_tables_give_finite_answers(name):
    tables = {
        "one class": ([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]], ["a"] * 3),
        "two cases": ([[1.0], [2.0]], ["a", "b"]),
        "constant": ([[1.0, 5.0], [1.0, 6.0], [1.0, 9.0]], ["a", "b", "b"]),
        "equal": ([[1.0, 1.0]] * 4, ["a", "b", "a", "b"]),
        "many symbols": ([[f"s{i}", i % 3] for i in range(40)], ["a", "b"] * 20),
        "holes": ([[None, 1.0], [2.0, None], [3.0, 3.0], [None, None]], ["a", "b", "a", "b"]),
    }
    for rows, y in tables.values():
        model = KNNClassifier(1, name).fit(rows, y)
        assert np.isfinite(model.feature_importances_).all()
        assert np.isfinite(model.predict_proba(rows)).all()
        assert np.isfinite(model.kneighbors(rows)[0]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: weighting.InstanceWeights(step=2).fit(*LINE), "step=2: expected a number from 0 to 1"),
        (lambda: weighting.DirectedWeights(reward=1).fit(*LINE), "reward=1: expected a number from 0 to below 1"),
        (lambda: weighting.DirectedWeights(punish=-1).fit(*LINE), "punish=-1: expected a number from 0"),
        (lambda: weighting.DiscriminantNeighbours(n_metric=0).fit(*LINE), "n_metric=0: expected a whole number from 1"),
        (lambda: weighting.DiscriminantNeighbours(epsilon=-1).fit(*LINE), "epsilon=-1: expected a number from 0"),
        (lambda: weighting.DiscriminantNeighbours(scope="x").fit(*LINE), "scope='x': expected one of query, global"),
        (lambda: KNNClassifier(1, "dann", p=3).fit(*LINE), "a quadratic form needs p=2"),
        (lambda: KNNClassifier(1, "dann", local_scale=2).fit(*LINE), "cannot be combined with weights of cases"),
        (
            lambda: weighting.ContextSelection(tolerance=1).fit(*LINE),
            "tolerance=1: expected a number from 0 to below 1",
        ),
        (lambda: weighting.LocalRisk(n_near=1).fit(*LINE), "n_near=1: expected a whole number from 2"),
        (lambda: weighting.RecursiveScales(fraction=1).fit(*LINE), "fraction=1: expected a number between 0 and 1"),
        (lambda: weighting.DirectedWeights(passes=0).fit(*LINE), "passes=0: expected a whole number from 1"),
    ],
)
def test_parameters_that_cannot_be_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Blended([[1.0]], ["a"], [1.0, 2.0]), "common weights must be one per feature"),
        (lambda: Blended([[1.0]], ["a"], [-1.0]), "finite and not negative"),
        (lambda: DirectedCases([[[1.0]]], ["a"]), "two rows, below and above; got 1"),
        (lambda: KNNClassifier(1, Blended([[1.0]], ["x0"], [1.0])).fit(*LINE).predict([[1.0]]), "for 1 cases, stored"),
        (lambda: KNNClassifier(1, DirectedCases([[[1.0]]] * 2, ["x0"])).fit(*LINE).predict([[1.0]]), "stored are 3"),
    ],
)
def test_weights_that_cannot_be_are_refused(make, message):
    with pytest.raises(WeightShapeError, match=message):
        make()
