"""A table with numbers, symbols, text, sets, a vector and holes goes through everything."""

import numpy as np
import pytest

import nearwise
from nearwise import KNNClassifier, KNNRegressor, NearestCases
from nearwise.errors import InputError, NearwiseWarning
from nearwise.weights import PerQuery

from .cases import SCHEMA, mixed


@pytest.fixture(scope="module")
def table():
    return mixed(60)


def test_the_whole_way_from_fit_to_forget(table, tmp_path):
    cases, labels = table
    clf = KNNClassifier(schema=SCHEMA).fit(cases[:40], labels[:40])
    queries = cases[40:]
    answers, shares = clf.predict(queries), clf.predict_proba(queries)
    assert set(answers) <= {"a", "b"}
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.mean(answers == np.array(labels[40:])) > 0.6  # the classes do differ; the exact path is tested elsewhere

    why = clf.explain(queries[:3])
    for explanation, answer in zip(why, answers):
        assert explanation.prediction == answer
        for neighbour in explanation.neighbours:
            assert sum(neighbour.contributions.values()) == pytest.approx(neighbour.distance**clf.p_, rel=1e-9)

    clf.save(tmp_path / "model.nearwise")
    again = nearwise.load(tmp_path / "model.nearwise")
    np.testing.assert_array_equal(again.predict(queries), answers)
    np.testing.assert_array_equal(again.predict_proba(queries), shares)

    again.partial_fit(cases[40:50], labels[40:50])
    whole = KNNClassifier(schema=SCHEMA).fit(cases[:50], labels[:50])
    np.testing.assert_allclose(again.feature_weights_.values, whole.feature_weights_.values, rtol=1e-9)
    assert again.n_neighbors_ == whole.n_neighbors_
    np.testing.assert_allclose(again.predict_proba(queries), whole.predict_proba(queries), rtol=1e-9)

    again.forget(again.case_ids_[40:])
    np.testing.assert_allclose(again.feature_weights_.values, clf.feature_weights_.values, rtol=1e-9)
    np.testing.assert_allclose(again.predict_proba(queries), shares, rtol=1e-9)


def test_forgetting_equals_never_having_known(table):
    cases, labels = table
    clf = KNNClassifier(schema=SCHEMA).fit(cases, labels)
    gone = [0, 7, 33, 59]
    clf.forget(gone)
    kept = [i for i in range(60) if i not in gone]
    fresh = KNNClassifier(schema=SCHEMA).fit([cases[i] for i in kept], [labels[i] for i in kept])
    np.testing.assert_allclose(clf.feature_weights_.values, fresh.feature_weights_.values, rtol=1e-9)
    np.testing.assert_allclose(clf.predict_proba(cases), fresh.predict_proba(cases), rtol=1e-9)
    np.testing.assert_array_equal(clf.case_ids_, kept)
    with pytest.raises(InputError, match="no stored case with the id 7"):
        clf.forget([7])


def test_ids_are_never_reused(table):
    cases, labels = table
    clf = KNNClassifier(schema=SCHEMA, n_neighbors=1).fit(cases[:10], labels[:10])
    clf.forget([9]).partial_fit(cases[10:12], labels[10:12])
    np.testing.assert_array_equal(clf.case_ids_, [*range(9), 10, 11])


def test_new_classes_and_symbols_may_come_later():
    clf = KNNClassifier(n_neighbors=1).fit([{"x": "p"}, {"x": "q"}], ["one", "two"])
    clf.partial_fit([{"x": "r"}], ["three"])
    assert clf.classes_.tolist() == ["one", "three", "two"]
    assert clf.predict([{"x": "r"}, {"x": "p"}]).tolist() == ["three", "one"]


def test_a_class_that_is_forgotten_stays_a_class(table):
    clf = KNNClassifier(1, "mdw").fit([[1.0], [2.0], [9.0]], ["a", "a", "b"])
    with pytest.warns(NearwiseWarning, match="one class only"):
        clf.forget([2])
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.predict([[9.0]])[0] == "a"


def test_an_order_of_levels_survives_more_cases():
    from nearwise import Ordinal

    schema = {"size": Ordinal(("small", "medium", "large"))}
    clf = NearestCases(1, schema=schema).fit([{"size": "small"}, {"size": "large"}])
    clf.partial_fit([{"size": "medium"}])
    distances, indices = clf.kneighbors([{"size": "small"}], 3)
    assert indices.tolist() == [[0, 2, 1]]
    np.testing.assert_allclose(distances, [[0, 0.5, 1]])


def test_retrieval_needs_no_target(table):
    cases, _ = table
    finder = NearestCases(3, schema=SCHEMA).fit(cases)
    distances, indices = finder.kneighbors(cases[:5])
    complete = [i for i in range(5) if None not in cases[i].values()]
    assert all(indices[i][0] == i and distances[i][0] == 0 for i in complete)
    why = finder.explain(cases[:2])
    assert why[0].prediction is None
    assert len(why[0].neighbours) == 3


def test_weights_can_be_tried_at_the_query(table):
    cases, _ = table
    finder = NearestCases(2, schema=SCHEMA).fit(cases)
    only_age = {name: float(name == "age") for name in finder.schema_.names}
    found = finder.kneighbors(cases[:4], feature_weights=only_age)[1]
    ages = NearestCases(2, schema={}, ignore=None).fit([{"age": c["age"]} for c in cases])
    np.testing.assert_array_equal(found, ages.kneighbors([{"age": c["age"]} for c in cases[:4]])[1])
    rows = np.zeros((4, len(finder.schema_)))
    rows[:, 0] = 1
    np.testing.assert_array_equal(finder.kneighbors(cases[:4], feature_weights=rows)[1], found)
    with pytest.raises(InputError, match="given for 4 queries, asked are 3"):
        finder.kneighbors(cases[:3], feature_weights=rows)
    with pytest.raises(InputError, match="come with the queries"):
        NearestCases(2, PerQuery(rows, finder.schema_.names), schema=SCHEMA).fit(cases)


def test_regression_on_a_mixed_table(table):
    cases, labels = table
    numbers = [float(label == "b") + i / 1000 for i, label in enumerate(labels)]
    model = KNNRegressor(schema=SCHEMA).fit(cases, numbers)
    assert model.score_loo() > 0
    why = model.explain(cases[:2])
    assert why[0].unlike is None
    assert sum(n.vote_share for n in why[0].neighbours) + why[0].others_share == pytest.approx(1)
    with pytest.raises(InputError, match="learns from classes"):
        KNNRegressor(feature_weights="pcf", schema=SCHEMA, ignore=["notes", "tags", "shapes", "spot"]).fit(
            cases, numbers
        )


def test_leaving_one_out_strictly_learns_again_without_the_case(table):
    cases, labels = mixed(14, seed=3)
    clf = KNNClassifier(3, "mdw", schema=SCHEMA).fit(cases, labels)
    right = 0
    for i in range(14):
        rest = [j for j in range(14) if j != i]
        less = KNNClassifier(3, "mdw", schema=SCHEMA).fit([cases[j] for j in rest], [labels[j] for j in rest])
        right += less.predict([cases[i]])[0] == labels[i]
    assert clf.score_loo(strict=True) == pytest.approx(right / 14)


def test_the_index_of_the_frame_labels_the_cases():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1.0, 2.0, 9.0]}, index=["ann", "bob", "cy"])
    clf = KNNClassifier(1).fit(frame, ["a", "a", "b"])
    why = clf.explain(pd.DataFrame({"x": [8.0]}, index=["dee"]))[0]
    assert (why.query, why.neighbours[0].label, why.unlike.label) == ("dee", "cy", "bob")
    assert "case cy" in str(why)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library_give_the_same_answers(library, table):
    module = pytest.importorskip(library)
    cases = [{"age": c["age"], "job": c["job"]} for c in table[0]]
    columns = {name: [c[name] for c in cases] for name in ("age", "job")}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    plain = KNNClassifier().fit(cases, table[1])
    framed = KNNClassifier().fit(frame, table[1])
    np.testing.assert_array_equal(framed.predict(frame), plain.predict(cases))
    np.testing.assert_array_equal(framed.feature_weights_.values, plain.feature_weights_.values)


def test_predict_is_safe_from_several_threads(table):
    from concurrent.futures import ThreadPoolExecutor

    cases, labels = table
    clf = KNNClassifier(schema=SCHEMA).fit(cases, labels)
    expected = clf.predict_proba(cases)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: clf.predict_proba(cases), range(24)):
            np.testing.assert_array_equal(found, expected)
