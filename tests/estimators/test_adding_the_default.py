"""Adding and forgetting cases equals a fit of those that remain, bit by bit, for what nobody chose."""

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor
from nearwise.errors import NearwiseWarning

from .every_kind import cases_of, made, schema_of, target_of

pytestmark = pytest.mark.usefixtures("few_trees")

ANSWERS = ["default", "vote", "linear", "both"]


def answers(model, queries):
    found = [model.predict(queries), model.predict(None)]
    if hasattr(model, "predict_proba"):
        found += [model.predict_proba(queries), model.predict_proba(None)]
    return found


def assert_same_bits(changed, fresh, queries):
    assert changed.n_neighbors_ == fresh.n_neighbors_
    assert changed.linear_neighbors_ == fresh.linear_neighbors_
    assert changed.feature_importances_.tobytes() == fresh.feature_importances_.tobytes()
    for one, other in zip(answers(changed, queries), answers(fresh, queries), strict=True):
        assert one.tobytes() == other.tobytes()
    for one, other in zip(changed.left_out_answers(), fresh.left_out_answers(), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("weights", ["one", "fractions"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ANSWERS)
def test_added_cases_count_as_if_they_had_been_there(target, name, weights):
    cases, y = cases_of(60)
    labels, queries = target_of(target, y), cases_of(12, seed=1)[0]
    w = np.ones(60) if weights == "one" else np.random.default_rng(0).integers(1, 5, 60) / 4
    changed = made(target, name, schema=schema_of()).fit(cases[:40], labels[:40], sample_weight=w[:40])
    changed.partial_fit(cases[40:50], labels[40:50], sample_weight=w[40:50])
    changed.partial_fit(cases[50:], labels[50:], sample_weight=w[50:])
    fresh = made(target, name, schema=schema_of()).fit(cases, labels, sample_weight=w)
    assert_same_bits(changed, fresh, queries)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ANSWERS)
def test_forgotten_cases_were_never_there(target, name):
    cases, y = cases_of(60)
    labels, queries = target_of(target, y), cases_of(12, seed=1)[0]
    changed = made(target, name, schema=schema_of()).fit(cases, labels)
    gone = [0, 7, 33, 59]
    changed.forget(gone)
    kept = [i for i in range(60) if i not in gone]
    fresh = made(target, name, schema=schema_of()).fit([cases[i] for i in kept], labels[kept])
    assert changed.case_ids_.tolist() == kept
    assert_same_bits(changed, fresh, queries)


def test_what_came_and_went_leaves_no_trace():
    cases, y = cases_of(50)
    labels, queries = target_of("classes", y), cases_of(12, seed=1)[0]
    changed = KNNClassifier(schema=schema_of()).fit(cases[:40], labels[:40])
    changed.partial_fit(cases[40:], labels[40:]).forget(np.arange(40, 50))
    assert_same_bits(changed, KNNClassifier(schema=schema_of()).fit(cases[:40], labels[:40]), queries)


def test_a_new_class_and_new_symbols_may_come():
    rng = np.random.default_rng(0)
    cases = [{"job": str(rng.choice(list("abc"))), "age": float(rng.normal())} for _ in range(50)]
    labels = np.array(["no", "yes"])[rng.integers(0, 2, 50)]
    later = [{"job": "new", "age": float(i)} for i in range(5)]
    changed = KNNClassifier().fit(cases, labels).partial_fit(later, ["perhaps"] * 5)
    fresh = KNNClassifier().fit(cases + later, [*labels, *["perhaps"] * 5])
    assert changed.classes_.tolist() == ["no", "perhaps", "yes"]
    assert_same_bits(changed, fresh, cases[:9] + later)


@pytest.mark.parametrize("name", ["forest", "auto"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_a_forest_stays_as_it_was_with_a_warning(target, name):
    cases, y = cases_of(50)
    labels = target_of(target, y)
    model = made(target, name, schema=schema_of()).fit(cases[:45], labels[:45])
    with pytest.warns(NearwiseWarning, match="stay as"):
        model.partial_fit(cases[45:], labels[45:])
    with pytest.warns(NearwiseWarning, match="stay as"):
        model.forget([0, 1])
    assert len(model.case_ids_) == 48
    found = model.predict_proba(cases) if target == "classes" else model.predict(cases)
    assert np.isfinite(found).all()
    rows, left = model.left_out_answers()
    assert rows.tolist() == list(range(48))
    assert np.isfinite(left).all()


def test_the_weights_of_an_ensemble_stay_with_a_warning():
    cases, y = cases_of(50)
    model = made("numbers", "ensemble", schema=schema_of()).fit(cases[:45], y[:45])
    before = model.weights_.copy()
    with pytest.warns(NearwiseWarning, match="The weights of the members stay as they were"):
        model.partial_fit(cases[45:], y[45:])
    assert model.weights_.tolist() == before.tolist()
    whole = KNNRegressor(schema=schema_of(), random_state=0, n_jobs=1).fit(cases, y)
    assert model.members_[0].predict(cases).tobytes() == whole.predict(cases).tobytes()


def test_a_failed_addition_changes_no_member():
    cases, y = cases_of(40)
    model = made("numbers", "ensemble", schema=schema_of()).fit(cases, y)
    before = model.predict(cases)
    with pytest.raises(ValueError, match="3"):
        model.partial_fit(cases[:3], y[:2])
    with pytest.raises(ValueError, match="id"):
        model.forget([999])
    assert model.predict(cases).tolist() == before.tolist()
    assert len(model.case_ids_) == 40
