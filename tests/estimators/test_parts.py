"""Explanations add up: contributions to distance ** p, parts to the probability or the number, for every answer."""

import json

import numpy as np
import pytest

from nearwise import KNNClassifier, KNNRegressor
from nearwise.explain import LIMITS, NEIGHBOURS

from .every_kind import EVERY, cases_of, gap, gaps, made, schema_of, target_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:Feature .* is compared by a Python function"),
    pytest.mark.usefixtures("few_trees"),
]


def assert_adds_up(model, queries, target):
    """Every explanation of these queries is that of the prediction, to 1e-9."""
    whys = model.explain(queries)
    answers = model.predict(queries)
    shares = model.predict_proba(queries) if target == "classes" else None
    assert len(whys) == len(queries)
    for j, why in enumerate(whys):
        assert why.prediction == (answers[j] if target == "classes" else pytest.approx(answers[j], abs=1e-9))
        for each in (why, *why.members):
            assert_distances_add_up(each)
        if target == "numbers":
            assert sum(why.parts.values()) == pytest.approx(answers[j], abs=1e-9)
            assert why.parts_by_class == {}
        else:
            assert list(why.distribution.values()) == pytest.approx(shares[j].tolist(), abs=1e-12)
            assert sum(why.parts.values()) == pytest.approx(why.distribution[why.prediction], abs=1e-9)
            assert list(why.parts_by_class) == list(why.distribution)
            for label, share in why.distribution.items():
                assert sum(why.parts_of(label).values()) == pytest.approx(share, abs=1e-9)
        assert why.case_weights.keys() >= {n.index for n in why.neighbours if n.vote_share}
        told = sum(n.vote_share for n in why.neighbours) + why.others_share + why.tied_share
        assert told == pytest.approx(sum(why.case_weights.values()) + why.tied_share, abs=1e-9)
        json.dumps(why.to_json())
        assert str(why)
        assert len(why.summary().splitlines()) == 2


def assert_distances_add_up(why):
    for near in [*why.neighbours, *([] if why.unlike is None else [why.unlike])]:
        assert sum(near.contributions.values()) == pytest.approx(near.distance**near.p, rel=1e-9, abs=1e-9)
        assert all(np.isfinite(part) and part >= 0 for part in near.contributions.values())


@pytest.mark.parametrize("function", [None, gaps], ids=["no function", "a function"])
@pytest.mark.parametrize(("target", "name"), EVERY)
def test_parts_add_up_on_every_kind(target, name, function):
    cases, y = cases_of(50, function=function)
    model = made(target, name, schema=schema_of(function)).fit(cases, target_of(target, y))
    assert_adds_up(model, cases_of(10, seed=1, function=function)[0], target)


@pytest.mark.parametrize(("target", "name"), [pair for pair in EVERY if pair[1] in ("default", "vote", "auto")])
def test_parts_add_up_where_a_function_compares_two_values(target, name):
    cases, y = cases_of(40, function=gap)
    model = made(target, name, schema=schema_of(gap)).fit(cases, target_of(target, y))
    assert_adds_up(model, cases_of(8, seed=1, function=gap)[0], target)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["vote", "linear", "both", "ensemble"])
@pytest.mark.parametrize("missing", ["max", "usual", "ignore", "value", "mean"])
def test_parts_add_up_under_every_policy(target, name, missing):
    cases, y = cases_of(45, holes=0.3)
    model = made(target, name, schema=schema_of(), missing=missing).fit(cases, target_of(target, y))
    assert_adds_up(model, cases_of(10, seed=2, holes=0.3)[0], target)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["vote", "linear", "both"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_parts_add_up_for_every_power(target, name, p):
    cases, y = cases_of(45)
    model = made(target, name, schema=schema_of(), p=p).fit(cases, target_of(target, y))
    assert_adds_up(model, cases_of(10, seed=3)[0], target)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["vote", "linear", "both", "default"])
def test_stored_cases_explain_themselves_without_themselves(target, name):
    cases, y = cases_of(50)
    model = made(target, name, schema=schema_of()).fit(cases, target_of(target, y))
    answers = model.predict_proba(None).max(axis=1) if target == "classes" else model.predict(None)
    for i, why in enumerate(model.explain()):
        assert i not in why.case_weights
        assert_distances_add_up(why)
        assert sum(why.parts.values()) == pytest.approx(answers[i], abs=1e-9)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["vote", "linear", "both", "ensemble"])
def test_what_the_neighbours_say_is_what_their_weights_say(target, name):
    # with ties of 20 copies and more: all of them count, whether listed or not
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 3, (6, 2)).astype(float), 40, axis=0)
    y = rng.normal(size=240) + X[:, 0]
    labels = target_of(target, y)
    model = made(target, name).fit(X, labels)
    for why in model.explain(np.unique(X, axis=0) + 0.01):
        if target == "numbers":
            said = sum(weight * y[case] for case, weight in why.case_weights.items())
        else:
            said = sum(weight for case, weight in why.case_weights.items() if labels[case] == why.prediction)
        assert why.parts[NEIGHBOURS] == pytest.approx(said, abs=1e-9)
        if target == "numbers" and name == "vote":
            assert why.parts[LIMITS] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n_listed", [1, 3, 30, 1000])
@pytest.mark.parametrize(("target", "name"), [pair for pair in EVERY if pair[1] in ("default", "vote", "ensemble")])
def test_any_number_of_cases_can_be_listed(n_listed, target, name):
    cases, y = cases_of(34)
    model = made(target, name, schema=schema_of()).fit(cases, target_of(target, y))
    for why in model.explain(cases[:2], n_listed):
        assert len(why.neighbours) <= min(n_listed, 34)
        assert name == "ensemble" or len(why.neighbours) == min(n_listed, 34)
        told = sum(n.vote_share for n in why.neighbours) + why.others_share
        assert told == pytest.approx(sum(why.case_weights.values()), abs=1e-9)
    if name != "ensemble":
        for why in model.explain(None, n_listed)[:2]:
            assert len(why.neighbours) == min(n_listed, 33)


def test_the_parts_of_an_ensemble_are_those_of_its_members():
    cases, y = cases_of(60)
    for target in ("classes", "numbers"):
        model = made(target, "ensemble", schema=schema_of()).fit(cases, target_of(target, y))
        assert model.weights_.sum() == pytest.approx(1)
        for why in model.explain(cases_of(6, seed=4)[0]):
            assert [each.weight for each in why.members] == [w for w in model.weights_ if w > 0]
            for name, part in why.parts.items():
                expected = sum(each.weight * each.parts_of(why.prediction).get(name, 0.0) for each in why.members)
                assert part == pytest.approx(expected, abs=1e-12)
            for case, weight in why.case_weights.items():
                expected = sum(each.weight * each.case_weights.get(case, 0.0) for each in why.members)
                assert weight == pytest.approx(expected, abs=1e-12)
        assert not hasattr(model, "kneighbors")


def test_a_feature_called_as_a_part_is_told_apart():
    rng = np.random.default_rng(0)
    table = {"neighbours": rng.normal(size=50), "limits": rng.normal(size=50)}
    for model in (KNNClassifier(), KNNRegressor()):
        model.fit(table, (table["limits"] > 0) if isinstance(model, KNNClassifier) else table["limits"])
        why = model.explain({"neighbours": [0.3], "limits": [0.2]})[0]
        assert set(why.parts) == {NEIGHBOURS, LIMITS, "feature neighbours", "feature limits"}
        answer = why.distribution.get(why.prediction, why.prediction)
        assert sum(why.parts.values()) == pytest.approx(answer, abs=1e-9)
