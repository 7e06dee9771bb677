"""Filters before retrieval: what is found is what a search of all cases finds, without the cases left out."""

import datetime as dt
import gc
import weakref

import numpy as np
import pytest
from sklearn.base import clone

from nearwise import KNNClassifier, KNNRegressor, NearestCases, Ordinal
from nearwise.errors import InputError, NearwiseWarning
from nearwise.estimators import filtered
from nearwise.estimators.choosing_cases import chosen_cases

from .every_kind import SCHEMA, cases_of, labels_of

CASES, NUMBERS = cases_of(60)
LABELS = labels_of(NUMBERS)
QUERIES = cases_of(7, seed=1)[0]
RNG = np.random.default_rng(3)
NUMERIC = RNG.normal(size=(80, 4)).round(1)
CLASSES = np.where(NUMERIC[:, 0] + NUMERIC[:, 1] > 0, "a", "b")


def obvious(made, X, k, rows, **settings):
    """All cases by distance, those that are not asked about struck out."""
    n = made.n_samples_fit_
    distances, indices = made.kneighbors(X, n - (X is None), **settings)
    near = [
        [(d, i) for d, i in zip(*pair, strict=True) if i in set(rows)][:k]
        for pair in zip(distances, indices, strict=True)
    ]
    return np.array([[d for d, _ in row] for row in near]), np.array([[i for _, i in row] for row in near])


def check(made, X, k, where, **settings):
    rows = np.flatnonzero(where)
    distances, indices = made.kneighbors(X, k, where=where, **settings)
    expected = obvious(made, X, k, rows, **settings)
    np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_array_equal(distances, expected[0])


@pytest.mark.parametrize(
    "made",
    [
        NearestCases(3, schema=SCHEMA),
        NearestCases(3, schema=SCHEMA, local_scale=5),
        NearestCases(3, schema=SCHEMA, missing="ignore", engine="blocks"),
        KNNClassifier(3, "mdw", schema=SCHEMA),
        KNNClassifier(schema=SCHEMA),
    ],
)
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_among_some_cases_of_every_kind_the_same_are_found(made):
    made = clone(made).fit(CASES, LABELS)
    where = RNG.random(60) < 0.4
    check(made, QUERIES, 3, where)
    check(made, None, 3, where)


@pytest.mark.parametrize("weights", ["none", "relief-f", "mdw", "ib4", "dann", "scythe", "nca", "vdm", "gcm-isw"])
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_weights_of_every_shape_stay_those_of_all_cases(weights):
    made = KNNClassifier(3, weights).fit(NUMERIC, CLASSES)
    where = np.arange(80) % 3 == 0
    distances, indices = made.kneighbors(NUMERIC[:9] + 0.05, 4, where=where)
    expected = obvious(made, NUMERIC[:9] + 0.05, 4, np.flatnonzero(where))
    np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-12)


def test_weights_tried_for_one_call_are_filtered_too():
    made = NearestCases(3).fit(NUMERIC)
    where = NUMERIC[:, 3] > 0
    check(made, NUMERIC[:2] + 0.5, 5, where, feature_weights=[[1, 0, 0, 0], [0, 2, 1, 0]])
    check(made, NUMERIC[:2] + 0.5, 5, where, feature_weights={"x0": 3})


def test_conditions_by_feature_are_met_together():
    made = NearestCases(1).fit([[1.0, "a"], [2.0, "b"], [3.0, "b"], [9.0, "b"]])
    assert made.kneighbors([[0.0, "a"]], where={"x1": "b", "x0": (None, 4)})[1].tolist() == [[1]]
    assert made.kneighbors([[0.0, "a"]], where={"x0": (2.5, None)}, return_distance=False).tolist() == [[2]]
    assert made.kneighbors([[9.0, "a"]], where=lambda case: case["x0"] < 3)[1].tolist() == [[0]]
    assert made.kneighbors_graph([[9.0, "a"]], where={"x1": ["a", "c"]}).toarray().tolist() == [[1, 0, 0, 0]]


def test_values_of_every_kind_meet_conditions():
    cases = [
        {"day": dt.date(2024, 1, d), "tags": tags, "size": size, "note": note}
        for d, tags, size, note in ((1, {"x"}, "s", "n"), (5, {"x", "y"}, "m", None), (9, set(), "l", "n"))
    ]
    schema = {"tags": "set", "size": Ordinal(("s", "m", "l"))}
    table = NearestCases(1, schema=schema).fit(cases)._model.table
    for where, expected in (
        ({"day": (dt.date(2024, 1, 2), None)}, [1, 2]),
        ({"day": dt.date(2024, 1, 5)}, [1]),
        ({"tags": "x"}, [0, 1]),
        ({"tags": {"x", "y"}}, [1]),
        ({"size": ("m", "l")}, [1, 2]),
        ({"size": (None, "s")}, [0]),
        ({"note": None}, [1]),
        ({"note": {"n"}}, [0, 2]),
        ([True, False, True], [0, 2]),
    ):
        assert chosen_cases(table, where).tolist() == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"x5": 1}, "where names 'x5', no such feature"),
        ({"x0": (1, 2, 3)}, "expected a value, \\(from, to\\), or a set of values"),
        ({"x0": ("a", None)}, "where compares 'x0' with \\('a', None\\), which its values are not"),
        ({"x0": 77}, "No stored case is left by where={'x0': 77}"),
        ([True], "expected one truth value per stored case, a dict .* there are 3 stored cases, got shape \\(1,\\)"),
        ([0, 1, 2], "expected one truth value per stored case"),
        ("x0 > 1", "expected one truth value per stored case"),
    ],
)
def test_a_filter_that_says_nothing_is_refused(where, message):
    with pytest.raises(InputError, match=message):
        NearestCases(1).fit([[0.0], [1.0], [4.0]]).kneighbors([[1.0]], where=where)


def test_too_few_cases_left_are_told():
    made = NearestCases(2).fit([[0.0], [1.0], [4.0]])
    with pytest.raises(InputError, match="n_neighbors = 2, n_samples_fit = 3, of which where= leaves 1"):
        made.kneighbors([[0.0]], where=[True, False, False])
    with pytest.raises(InputError, match="leaves 2, and a case is not its own neighbour"):
        made.kneighbors(None, where=[True, False, True])
    assert made.kneighbors(None, 1, where=[True, False, True])[1].tolist() == [[2], [0], [0]]


def test_explanations_of_chosen_cases_add_up():
    made = NearestCases(2).fit(NUMERIC)
    where = NUMERIC[:, 0] > 0
    for why in made.explain(NUMERIC[:3] + 0.1, where=where):
        assert [where[n.index] for n in why.neighbours] == [True, True]
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**2)
    assert len(made.explain(NUMERIC[:1], 50, where=np.arange(80) < 4)[0].neighbours) == 4


def test_an_index_is_built_once_and_goes_with_the_model():
    made = KNNRegressor(2, "none").fit(NUMERIC, NUMERIC[:, 0])
    engine = made.plan_.engine
    for _ in range(3):
        made.kneighbors(NUMERIC[:2], where=NUMERIC[:, 1] > 0)
    assert len(filtered._kept[engine]) == 1
    for limit in range(filtered.KEPT + 2):
        made.kneighbors(NUMERIC[:2], 1, where=NUMERIC[:, 1] > limit / 10)
    assert len(filtered._kept[engine]) == filtered.KEPT
    alive = weakref.ref(engine)
    made.fit(NUMERIC[:20], NUMERIC[:20, 0])
    del engine
    gc.collect()
    assert alive() is None


def test_infinitely_far_cases_are_told_of_under_a_filter_too():
    made = NearestCases(1, p=3).fit([[1.0], [0.0], [2.0]])
    with pytest.warns(NearwiseWarning, match="infinitely far"):
        made.kneighbors([[1e200]], where=[False, True, True])
