"""Answers of the default, of forests and of members together hang neither on the order of rows nor of columns."""

import numpy as np
import pytest

from nearwise import AutoClassifier, AutoRegressor, KNNClassifier, KNNRegressor

from .every_kind import EVERY, cases_of, made, schema_of, target_of

pytestmark = pytest.mark.usefixtures("few_trees")


def said(model, queries, target):
    return model.predict_proba(queries) if target == "classes" else model.predict(queries)


def shuffled(cases, rng):
    """The cases with their features in another order, the same for all."""
    names = rng.permutation(list(cases[0])).tolist()
    return [{name: case[name] for name in names} for case in cases]


@pytest.mark.parametrize(("target", "name"), EVERY)
def test_the_order_of_rows_changes_nothing(target, name):
    cases, y = cases_of(60)
    labels, queries = target_of(target, y), cases_of(15, seed=1)[0]
    one = made(target, name, schema=schema_of()).fit(cases, labels)
    order = np.random.default_rng(0).permutation(60)
    other = made(target, name, schema=schema_of()).fit([cases[i] for i in order], labels[order])
    np.testing.assert_allclose(said(other, queries, target), said(one, queries, target), rtol=1e-7, atol=1e-9)
    left, right = one.left_out_answers()[1], other.left_out_answers()[1]
    np.testing.assert_allclose(right, left[order], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("target", "name"), EVERY)
def test_the_order_of_columns_changes_nothing(target, name):
    cases, y = cases_of(60)
    labels, queries = target_of(target, y), cases_of(15, seed=1)[0]
    rng = np.random.default_rng(0)
    one = made(target, name, schema=schema_of()).fit(cases, labels)
    mixed = shuffled([*cases, *queries], rng)
    other = made(target, name, schema=schema_of()).fit(mixed[:60], labels)
    np.testing.assert_allclose(said(other, mixed[60:], target), said(one, queries, target), rtol=1e-7, atol=1e-9)


def copies(rng, n=90):
    """Few different cases, each many times: ties everywhere."""
    return [{"a": "uvw"[rng.integers(3)], "b": "xy"[rng.integers(2)], "n": float(rng.integers(2))} for _ in range(n)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "made_",
    [
        KNNClassifier, KNNRegressor, lambda: KNNClassifier(answer="vote"), lambda: KNNClassifier(answer="linear"),
        lambda: KNNRegressor(answer="vote"), lambda: KNNRegressor(answer="both"),
        lambda: KNNClassifier(local_scale=None), lambda: KNNRegressor(local_scale=None),
    ],
    ids=["classifier", "regressor", "vote", "linear", "mean", "both", "unscaled", "unscaled regressor"],
)  # fmt: skip
def test_ties_are_fair_whatever_the_order_of_rows(made_, seed):
    rng = np.random.default_rng(seed)
    cases = copies(rng)
    y = rng.normal(size=90) + np.array([case["n"] for case in cases])
    is_class = isinstance(made_(), KNNClassifier)
    labels = np.digitize(y, [0.0, 1.0]) if is_class else y
    order = rng.permutation(90)
    one, other = made_().fit(cases, labels), made_().fit([cases[i] for i in order], labels[order])
    target = "classes" if is_class else "numbers"
    np.testing.assert_allclose(said(other, cases, target), said(one, cases, target), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(other.left_out_answers()[1], one.left_out_answers()[1][order], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("made_", [KNNClassifier, KNNRegressor])
@pytest.mark.parametrize("seed", range(3))
def test_ties_are_fair_whatever_the_order_of_columns(made_, seed):
    rng = np.random.default_rng(seed)
    cases = copies(rng)
    y = rng.normal(size=90) + np.array([case["n"] for case in cases])
    labels = np.digitize(y, [0.0, 1.0]) if made_ is KNNClassifier else y
    mixed = shuffled(cases, rng)
    target = "classes" if made_ is KNNClassifier else "numbers"
    one, other = made_().fit(cases, labels), made_().fit(mixed, labels)
    np.testing.assert_allclose(said(other, mixed, target), said(one, cases, target), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_what_values_and_classes_are_called_changes_nothing(target):
    rng = np.random.default_rng(0)
    cases = copies(rng)
    y = rng.normal(size=90) + np.array([case["n"] for case in cases])
    labels = target_of(target, y)
    called = {"u": "zz", "v": "b", "w": "a", "x": "1", "y": "0"}
    renamed = [{**case, "a": called[case["a"]], "b": called[case["b"]]} for case in cases]
    kind = KNNClassifier if target == "classes" else KNNRegressor
    one, other = kind().fit(cases, labels), kind().fit(renamed, labels)
    np.testing.assert_allclose(said(other, renamed, target), said(one, cases, target), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("target", "name"), [pair for pair in EVERY if pair[1] in ("default", "vote", "forest")])
def test_threads_change_no_bit(target, name):
    cases, y = cases_of(60)
    labels = target_of(target, y)
    found = []
    for n_jobs in (1, 2, None):
        model = made(target, name, schema=schema_of()).set_params(n_jobs=n_jobs).fit(cases, labels)
        found.append(said(model, cases[:20], target).tobytes() + model.left_out_answers()[1].tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("made_", [AutoClassifier, AutoRegressor])
def test_threads_change_no_bit_of_members_together(made_):
    cases, y = cases_of(60)
    labels = target_of("classes" if made_ is AutoClassifier else "numbers", y)
    models = [made_(schema=schema_of(), random_state=0, n_jobs=n).fit(cases, labels) for n in (1, 2)]
    assert models[0].weights_.tolist() == models[1].weights_.tolist()
    assert models[0]._answers(cases[:20]).tobytes() == models[1]._answers(cases[:20]).tobytes()


def test_the_cases_that_a_regression_is_tried_on_do_not_go_by_their_places(monkeypatch):
    monkeypatch.setattr("nearwise.estimators.voting.MOST_REGRESSED", 60)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    order = rng.permutation(300)
    one, other = KNNClassifier().fit(X, y), KNNClassifier().fit(X[order], y[order])
    assert len(one._left_out.rows) == 60
    assert set(one._left_out.rows) == set(order[other._left_out.rows])
    assert "of 60 cases, drawn by their content" in one.describe()
    np.testing.assert_allclose(one.predict_proba(X[:40]), other.predict_proba(X[:40]), rtol=1e-9)
