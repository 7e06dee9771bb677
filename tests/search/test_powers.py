"""Powers of the distance beyond 1 .. 3: the largest difference (p = infinity) and dissimilarities (p < 1)."""

import json

import numpy as np
import pytest

import nearwise as nw
from nearwise import weighting
from nearwise.errors import InputError
from nearwise.search.plan import ENGINES
from tests.weighting.tables import SCHEMA

CASES = [{"age": 20.0, "job": "cook"}, {"age": 30.0, "job": "judge"}, {"age": 60.0, "job": "cook"}]
QUERY = [{"age": 24.0, "job": "judge"}]
SMOOTH_OR_MAPPED = ("vsm", "knn-vsm", "nca", "nca-diagonal", "qm2y", "dann")
"""weightings that follow a slope, or give a matrix"""


def test_the_largest_weighted_difference_is_the_distance():
    """Ages over their range of 40, weight 2; jobs with weight 0.3."""
    near = nw.NearestCases(3, {"age": 2.0, "job": 0.3}, p=np.inf).fit(CASES)
    distances, indices = near.kneighbors(QUERY)
    assert indices.tolist() == [[0, 1, 2]]  # 0.3 of the job and 0.3 of the age tie, by index
    assert distances == pytest.approx(np.array([[0.3, 0.3, 1.8]]))


def test_below_1_many_small_differences_are_farther_than_one_large_one():
    table = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}, {"x": 0.25, "y": 0.25}, {"x": 0.64, "y": 0.0}]
    distances, indices = nw.NearestCases(4, p=0.5).fit(table).kneighbors([table[0]])
    assert indices.tolist() == [[0, 3, 2, 1]]
    assert distances == pytest.approx(np.array([[0.0, 0.64, 1.0, 4.0]]))  # (0.5 + 0.5)^2, (1 + 1)^2


def test_the_plan_says_what_the_distance_is():
    assert "the largest weight * difference of a feature" in nw.NearestCases(p=np.inf).fit(CASES).plan_.describe()
    assert "a dissimilarity" in nw.NearestCases(p=0.5).fit(CASES).plan_.describe()


@pytest.mark.parametrize("p", [0.5, np.inf])
def test_engines_that_do_not_refuse_agree(p):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, 4)).round(1), rng.normal(size=(20, 4)).round(1)
    expected = nw.NearestCases(7, p=p, engine="reference").fit(X).kneighbors(Q)
    served = []
    for name in ENGINES:
        try:
            found = nw.NearestCases(7, p=p, engine=name).fit(X).kneighbors(Q)
        except InputError:
            continue
        served.append(name)
        assert (found[1] == expected[1]).all(), name
        assert found[0] == pytest.approx(expected[0], rel=1e-12), name
    assert {"blocks", "reference"} <= set(served)


@pytest.mark.parametrize("p", [0.5, np.inf])
def test_missing_values_are_left_out_of_a_largest_difference(p):
    X = [{"a": 0.0, "b": 0.0}, {"a": 4.0, "b": None}, {"a": None, "b": 2.0}, {"a": None, "b": None}]
    found = [
        nw.NearestCases(4, {"a": 1.0, "b": 3.0}, p=p, missing="ignore", engine=engine).fit(X).kneighbors([X[0]])
        for engine in ("reference", "auto")
    ]
    assert (found[0][1] == found[1][1]).all()
    assert found[0][0] == pytest.approx(found[1][0])
    if p == np.inf:  # range 4 and 2: 4/4 * 1, 2/2 * 3, and the largest there can be
        assert found[0][0] == pytest.approx(np.array([[0.0, 1.0, 3.0, 3.0]]))


def test_contributions_under_a_largest_difference():
    model = nw.KNNClassifier(1, "none", p=np.inf).fit(CASES, ["a", "b", "a"])
    why = model.explain(QUERY)[0]
    first = why.neighbours[0]
    assert first.distance == max(first.contributions.values())
    assert first.contributions == pytest.approx({"age": 6 / 40, "job": 0.0})
    assert "age 24 / 30 counts 0.15" in str(why)
    assert json.loads(json.dumps(why.to_json(), allow_nan=False))["p"] == "inf"


@pytest.mark.parametrize("p", [0.5, np.inf])
@pytest.mark.parametrize("weights", ["none", "mdw", "relief-f"])
def test_a_model_file_keeps_the_power(p, weights, tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    model = nw.KNNClassifier(3, weights, p=p).fit(X, y)
    model.save(tmp_path / "model.nw")
    loaded = nw.load(tmp_path / "model.nw")
    assert loaded.p == p
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("p", [0.5, np.inf])
@pytest.mark.parametrize("name", sorted(weighting.methods()))
def test_every_weighting_learns_under_it_or_says_why_not(name, p):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(40, 2)), rng.integers(0, 3, 40)])
    y = (X[:, 0] > 0).astype(int)
    made = weighting.methods()[name]
    method = made(**made.check_parameters)
    if name == "user":
        method = weighting.get(name, weights={"x0": 1.0})
    if name in SMOOTH_OR_MAPPED and not (name == "nca-diagonal" and p == 0.5):
        with pytest.raises(InputError, match="p="):
            nw.KNNClassifier(3, method, p=p).fit(X, y)
        return
    model = nw.KNNClassifier(3, method, p=p).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_every_kind_has_a_largest_difference():
    rows = [
        {"number": 1.0, "hour": 3.0, "symbol": "a", "rank": "low", "text": "cat", "tags": {"x"}, "place": [0.0, 1.0]},
        {"number": 2.0, "hour": 9.0, "symbol": "b", "rank": "mid", "text": "cart", "tags": {"y"}, "place": [1.0, 1.0]},
        {"number": 4.0, "hour": 3.0, "symbol": "a", "rank": "high", "text": "dog", "tags": {"x"}, "place": [0.0, 0.0]},
    ]
    schema = {name: SCHEMA[name] for name in rows[0]}
    model = nw.NearestCases(3, p=np.inf, schema=schema).fit(rows)
    for j, why in enumerate(model.explain(rows)):
        assert why.neighbours[0].index == j
        for n in why.neighbours:
            assert n.distance == pytest.approx(max(n.contributions.values()))
