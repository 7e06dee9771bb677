"""Weights of cases and queries: numbers worked by hand, slow twins, and every question an estimator is asked."""

import math

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNClassifier, weighting
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, WeightShapeError
from nearwise.search import Distance, Payload, plan
from nearwise.weighting import Problem
from nearwise.weights import Blended, DirectedCases

from .slow_local import slow_directed, slow_gcm_isw

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


# ----------------------------------------------------------------------------------------- every such method

LOCAL = [name for name, m in weighting.methods().items() if m.learns_again]
every_method = pytest.mark.parametrize("name", LOCAL)


def test_the_methods_of_the_review_are_here():
    assert {"gcm-isw", "directed"} <= set(LOCAL)


@every_method
def test_the_planned_engine_equals_the_reference_ties_included(name):
    rows, y = mixed(60)
    model = KNNClassifier(3, name).fit(rows, y)
    asked = model._model.problem.metric.measure(CaseTable.of(mixed(25, seed=7)[0], schema=model.schema_))
    payload = Payload.nothing(60)
    slow = plan(Distance(model._model.problem.metric, model.feature_weights_, model._model.problem.stored), "reference")
    for leave_out in (None, np.arange(25)):
        one, two = (e.nearest(asked, 4, payload, leave_out) for e in (model._model.engine, slow.engine))
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
