"""Weights of cases and queries: every question that an estimator is asked under them, and what is refused."""

import numpy as np
import pytest

import nearwise as nw
from nearwise import KNNClassifier, weighting
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, WeightShapeError
from nearwise.search import Payload, plan
from nearwise.weights import Blended, DirectedCases

from .local_tables import LINE, mixed

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
