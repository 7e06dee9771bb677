"""Explanations: contributions that add up, shares that add up, the nearest case that says otherwise."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier, NearestCases
from nearwise.weights import Matrix

from .estimators.cases import SCHEMA, mixed


@given(
    st.integers(0, 1000), st.sampled_from(["fair", "distances", "index", "random"]),
    st.sampled_from(["distance", "majority", "linear"]), st.sampled_from(["max", "usual", "ignore", "value", "mean"]),
    st.sampled_from([None, 1, 2, 3]),
)  # fmt: skip
def test_contributions_add_up_to_the_distance_and_shares_to_one(seed, ties, vote, missing, p):
    cases, labels = mixed(12, seed=seed, holes=0.2)
    if len(set(labels)) < 2:
        labels[0] = "b" if labels[0] == "a" else "a"
    settings = {"ties": ties, "vote": vote, "missing": missing, "p": p, "random_state": 0}
    clf = KNNClassifier(3, {"age": 2.0}, schema=SCHEMA, **settings).fit(cases, labels)
    queries = mixed(3, seed=seed + 1)[0]
    for why, answer, shares in zip(clf.explain(queries), clf.predict(queries), clf.predict_proba(queries), strict=True):
        assert why.prediction == answer
        assert list(why.distribution.values()) == pytest.approx(shares.tolist())
        assert sum(n.vote_share for n in why.neighbours) + why.tied_share == pytest.approx(1)
        for n in [*why.neighbours, why.unlike]:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-9, abs=1e-12)
            assert list(n.contributions) == list(clf.schema_)
        assert why.unlike.target != answer


def test_listed_neighbours_are_those_of_kneighbors():
    cases, labels = mixed(30)
    clf = KNNClassifier(4, schema=SCHEMA, ties="index").fit(cases, labels)
    distances, indices = clf.kneighbors(cases[:5])
    for j, why in enumerate(clf.explain(cases[:5])):
        assert [n.index for n in why.neighbours] == indices[j].tolist()
        assert [n.distance for n in why.neighbours] == distances[j].tolist()


def test_the_nearest_unlike_case_is_the_nearest_of_another_class():
    cases, labels = mixed(30, holes=0.0)
    clf = KNNClassifier(3, schema=SCHEMA).fit(cases, labels)
    distances, indices = clf.kneighbors(cases[:6], 30)
    for j, why in enumerate(clf.explain(cases[:6])):
        others = [(d, i) for d, i in zip(distances[j], indices[j]) if labels[i] != why.prediction]
        assert (why.unlike.distance, why.unlike.index) == (pytest.approx(others[0][0]), others[0][1])


def test_a_summary_without_an_answer_tells_the_nearest_case():
    near = NearestCases(2, "none").fit([{"age": 20.0, "job": "cook"}, {"age": 40.0, "job": "judge"}])
    said = near.explain({"age": 25.0, "job": "cook"})[0].summary()
    assert said.splitlines()[1].startswith("  the nearest of 2 similar cases is case 0, distance 0.25")
    assert "the one similar case is case 1" in near.explain({"age": 40.0, "job": "judge"}, 1)[0].summary()


def test_ties_are_told_in_one_line():
    clf = KNNClassifier(1, feature_weights="none").fit([["x"]] * 5 + [["y"]], list("aabbab"))
    why = clf.explain([["x"]])[0]
    assert (why.tied, len(why.neighbours)) == (5, 1)
    assert why.neighbours[0].vote_share == pytest.approx(1 / 5)
    assert why.tied_share == pytest.approx(4 / 5)
    assert "5 tied cases" in str(why)


def test_what_was_left_out_is_named_with_the_factor():
    clf = KNNClassifier(1, {"x": 3, "y": 1}, missing="ignore").fit(
        [{"x": 0.0, "y": 0.0}, {"x": 9.0, "y": 1.0}], ["a", "b"]
    )
    neighbour = clf.explain([{"x": None, "y": 0.5}])[0].neighbours[0]
    assert neighbour.factor == 4.0
    assert neighbour.notes == {"x": "ignore"}
    assert neighbour.contributions == {"x": 0.0, "y": pytest.approx(4 * 0.25)}
    assert "rescaled by 4" in str(clf.explain([{"x": None, "y": 0.5}]))


def test_explaining_the_stored_cases_leaves_each_one_out():
    clf = KNNClassifier(1).fit([[0.0], [1.0], [5.0], [6.0]], list("aabb"))
    assert [why.neighbours[0].index for why in clf.explain()] == [1, 0, 3, 2]


def test_a_matrix_is_explained_by_its_new_features():
    finder = NearestCases(1, Matrix([[1.0, 1.0], [0.0, 2.0]], ["x0", "x1"])).fit([[0.0, 0.0], [1.0, 1.0]])
    neighbour = finder.explain([[0.0, 0.5]])[0].neighbours[0]
    assert neighbour.contributions == {"z0": pytest.approx(0.25), "z1": pytest.approx(1.0)}
    assert neighbour.distance == pytest.approx(np.sqrt(1.25))


def test_retrieval_is_explained_without_a_prediction_or_votes():
    told = str(NearestCases(1).fit([[1.0, "a"], [5.0, "b"]]).explain([[1.0, "b"]])[0])
    assert told.splitlines()[0] == "query 0"
    assert "None" not in told
    assert "vote" not in told


def test_explanations_come_as_text_frame_html_and_json():
    cases, labels = mixed(20, holes=0.1)
    cases[0]["notes"] = "<b>loud</b>"
    clf = KNNClassifier(2, schema=SCHEMA).fit(cases, labels)
    why = clf.explain(cases[:2])
    frame = why.to_frame()
    assert len(frame) == 2 * 2 * len(clf.schema_)
    summed = frame.groupby(["query", "rank"])["contribution"].sum().to_numpy()
    np.testing.assert_allclose(summed, [n.distance for e in why for n in e.neighbours], rtol=1e-9, atol=1e-12)
    assert "<b>loud" not in why.to_html()
    assert json.loads(json.dumps(why.to_json()))[0]["prediction"] == why[0].prediction
    assert str(why).count("nearest otherwise") == 2
