"""What wrong answers cost: the answer that is expected to cost least, beside plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import AutoClassifier, Ensemble, KNNClassifier, load
from nearwise.errors import InputError, NearwiseWarning
from nearwise.lab.advice import advice
from nearwise.lab.comparing import compare
from nearwise.lab.significance import against_first
from nearwise.vote import costs_of, decide, read_costs

CLASSES = np.array(["sick", "well"])
X, Y = [[0.0], [1.0], [2.0], [3.0], [9.0]], ["well", "well", "sick", "well", "sick"]


def three(**settings):
    return KNNClassifier(3, "none", vote="majority", **settings).fit(X, Y)


def slow_answer(shares, near, priors, costs):
    """The cheapest answer; where several are, the nearest, then the commonest, then the first."""
    c = len(shares)
    risk = [sum(costs[truth][answer] * shares[truth] for truth in range(c)) for answer in range(c)]
    least, most = min(risk), max(risk)
    cheap = [a for a in range(c) if risk[a] <= least + 1e-12 * most]
    return min(cheap, key=lambda a: (near[a], -priors[a], a))


def test_an_answer_by_hand():
    """1 of 3 neighbours is sick. "sick" is expected to cost 2/3 * 1, "well" 1/3 * 10."""
    clf = three(cost_matrix={"sick": {"well": 10}})
    np.testing.assert_allclose(clf.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])
    np.testing.assert_allclose(clf.expected_costs([[1.0]]), [[2 / 3, 10 / 3]])
    assert clf.predict([[1.0]]).tolist() == ["sick"]
    assert three().predict([[1.0]]).tolist() == ["well"]
    np.testing.assert_allclose(three().expected_costs([[1.0]]), [[2 / 3, 1 / 3]])


def test_rows_are_true_classes_and_columns_answers():
    """The other mistake is dear: calling the well sick."""
    assert three(cost_matrix={"well": {"sick": 10}}).predict([[2.4]]).tolist() == ["well"]
    given = {"sick": {"well": 10.0}}
    table = [[0.0, 10.0], [1.0, 0.0]]
    for same in (given, table, np.array(table), pd.DataFrame(table, index=CLASSES, columns=CLASSES)):
        assert costs_of(same, CLASSES).tolist() == table
        assert three(cost_matrix=same).predict([[1.0]]).tolist() == ["sick"]


@given(st.data(), st.integers(2, 4))
def test_every_answer_equals_the_loops(data, c):
    small = st.integers(0, 4).map(float)
    m = data.draw(st.integers(1, 6))
    votes, near, costs = (
        np.array(data.draw(st.lists(st.lists(small, min_size=c, max_size=c), min_size=n, max_size=n)))
        for n in (m, m, c)
    )
    priors = np.array(data.draw(st.lists(small, min_size=c, max_size=c)))
    expected = [slow_answer(v, d, priors, costs) for v, d in zip(votes, near, strict=True)]
    assert decide(votes, near, priors, costs).tolist() == expected


@given(st.data(), st.integers(2, 4))
def test_where_all_mistakes_cost_alike_the_most_votes_win(data, c):
    row = st.lists(st.integers(0, 9).map(float), min_size=c, max_size=c)
    votes = np.array(data.draw(st.lists(row, min_size=1, max_size=6)))
    near, priors = np.zeros(votes.shape), np.arange(c, dtype=np.float64)
    assert decide(votes, near, priors, 1.0 - np.eye(c)).tolist() == decide(votes, near, priors).tolist()


@pytest.mark.parametrize("vote_ties", ["nearest", "next"])
@pytest.mark.parametrize("ties", ["fair", "distances", "index"])
def test_k_is_chosen_by_the_mean_cost_of_leaving_one_out(ties, vote_ties):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (40, 2)).astype(float)
    y = np.where(rng.random(40) < 0.3, "sick", "well")
    costs = {"sick": {"well": 5}, "well": {"sick": 2}}
    settings = {"vote": "majority", "ties": ties, "vote_ties": vote_ties, "cost_matrix": costs}
    chosen = KNNClassifier([1, 2, 3, 5], "none", **settings).fit(X, y)
    means = []
    for k in (1, 2, 3, 5):
        said = KNNClassifier(k, "none", **settings).fit(X, y).predict(None)
        means.append(np.mean([0 if a == t else costs[t][a] for t, a in zip(y, said, strict=True)]))
    np.testing.assert_allclose(chosen.loo_errors_[[0, 1, 2, 4]], means)
    assert chosen.n_neighbors_ == (1, 2, 3, 5)[int(np.argmin(means))]


def test_a_tie_of_costs_asks_the_next_neighbour():
    """Of one sick and one well neighbour "sick" costs 1/2 * 3 and "well" 1/2 * 3: the third, well, decides."""
    clf = KNNClassifier(2, "none", vote="majority", vote_ties="next", cost_matrix=[[0, 3], [3, 0]])
    clf.fit([[0.0], [1.0], [3.0], [3.5]], ["sick", "well", "well", "sick"])
    assert clf.predict([[0.2]]).tolist() == ["well"]


def test_explanations_and_descriptions_tell_of_costs():
    clf = three(cost_matrix={"sick": {"well": 10}})
    why = clf.explain([[1.0]])[0]
    assert why.prediction == "sick"
    assert why.expected_costs == pytest.approx({"sick": 2 / 3, "well": 10 / 3})
    assert "sick (well 67%, sick 33%), expected cost: sick 0.667, well 3.33" in str(why)
    assert why.to_json()["expected_costs"]["well"] == pytest.approx(10 / 3)
    assert "cost_matrix: given" in clf.describe()
    assert three().explain([[1.0]])[0].expected_costs == {}


@pytest.mark.parametrize(
    "made",
    [
        lambda costs: KNNClassifier(cost_matrix=costs),
        lambda costs: AutoClassifier(cost_matrix=costs, random_state=0),
        lambda costs: Ensemble([KNNClassifier(1, "none", cost_matrix=costs), KNNClassifier(5, cost_matrix=costs)]),
    ],
    ids=["recipe", "auto", "ensemble"],
)
def test_all_that_answer_by_shares_answer_by_costs(made, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(scale=0.7, size=60) > 0.6, "sick", "well")
    costs = {"sick": {"well": 20}}
    clf, asked = made(costs).fit(X, y), rng.normal(size=(30, 2))
    shares, plain = clf.predict_proba(asked), made(None).fit(X, y)
    np.testing.assert_array_equal(shares, plain.predict_proba(asked))
    expected = np.where(shares[:, 0] * 20 > shares[:, 1], "sick", "well")
    assert clf.predict(asked).tolist() == expected.tolist()
    assert (expected != plain.predict(asked)).any()
    assert [why.prediction for why in clf.explain(asked)] == expected.tolist()
    assert all(why.expected_costs for why in clf.explain(asked[:2]))
    inside = clf.predict_set(asked, 0.5)
    assert inside[np.arange(30), np.searchsorted(clf.classes_, expected)].all()
    clf.save(tmp_path / "model.nearwise")
    assert load(tmp_path / "model.nearwise").predict(asked).tolist() == expected.tolist()


def test_members_with_different_costs_are_refused():
    members = [KNNClassifier(1, "none", cost_matrix={"sick": {"well": 2}}), KNNClassifier(1, "none")]
    with pytest.raises(InputError, match="different cost_matrix"):
        Ensemble(members).fit(X, Y)


def test_a_class_that_comes_later_costs_1_where_nothing_is_said_of_it():
    clf = three(cost_matrix={"sick": {"well": 10}})
    clf.partial_fit([[50.0]], ["dead"])
    assert clf._costs(clf._model.target).tolist() == [[0, 1, 1], [1, 0, 10], [1, 1, 0]]


def test_a_label_that_is_no_class_is_told():
    with pytest.warns(NearwiseWarning, match="cost_matrix names 'sikc', which is no class.*Did you mean 'sick'"):
        three(cost_matrix={"sikc": {"well": 10}})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([[0, 1]], r"has the shape \(1, 2\), and there are 2 classes"),
        ([0, 1], r"has the shape \(2,\)"),
        ("costs.csv", "expected a dict of dicts"),
        ({"sick": 3}, r"cost_matrix\['sick'\] is 3: expected a dict of dicts"),
        ({"sick": {"well": -1}}, "class 'sick' 'well' costs -1: expected a finite number from 0"),
        ({"sick": {"well": "much"}}, "costs 'much'"),
        ([[0, np.nan], [1, 0]], "class 'sick' 'well' costs"),
        (pd.Series({"sick": 2.0}), "cost_matrix is a Series"),
        (3, "has the shape"),
    ],
)
def test_costs_that_cannot_be_meant_are_refused(given, told):
    with pytest.raises(InputError, match=told):
        three(cost_matrix=given)


@pytest.mark.parametrize("name", ["costs.csv", "costs.json"])
def test_costs_come_from_a_file(name, tmp_path):
    text = "true,sick,well\nsick,0,10\nwell,1,\n" if name.endswith("csv") else '{"sick": {"well": 10}}'
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert costs_of(read_costs(tmp_path / name), CLASSES).tolist() == [[0, 10], [1, 0]]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("c.csv", "true,sick,well\n", "expected a line of answers, then"),
        ("c.csv", "true,sick,well\nsick,0\n", "line 2: expected 2 costs as in line 1, got 1"),
        ("c.csv", "true,sick,well\nsick,0,much\n", "line 2: expected a cost, got 'much'"),
        ("c.csv", "true,sick\nsick,0\nsick,1\n", "line 3: a class is named twice"),
        ("c.json", "[1]", "expected an object such as"),
        ("c.json", "{", "it is not JSON"),
        ("none.csv", None, "There is no file"),
    ],
)
def test_a_file_that_holds_no_costs_is_told(name, text, told, tmp_path):
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_costs(tmp_path / name)


def test_one_class_and_one_case_give_an_answer():
    assert KNNClassifier(1, "none", cost_matrix={"sick": {"sick": 3}}).fit([[1.0]], ["sick"]).predict([[2.0]]) == "sick"


def test_methods_are_compared_by_their_mean_cost():
    """Every fold tests 1 sick and 2 well; always "sick" costs 2 * 1 / 3, always "well" 1 * 10 / 3."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), ["sick", "well", "well"] * 10
    costs = {"sick": {"well": 10}}
    settings = {"folds": 10, "n_neighbors": 3, "vote": "majority"}
    dear = compare(X, y, ["none"], cost_matrix=costs, **settings)
    plain = compare(X, y, ["none"], **settings)
    assert (dear.told, plain.told) == ("mean cost", "accuracy")
    assert dear.baseline.method == "cheapest class"
    assert dear.baseline.mean == pytest.approx(2 / 3)
    found = dear.results[0]
    assert 0 < found.mean <= 10 / 3
    assert found.pooled < plain.results[0].pooled  # fewer right answers, and cheaper ones
    assert "costs 0.6667 on average" in advice(dear, against_first(dear)).why


def test_the_cheaper_method_is_the_better_one():
    X = [[float(i % 2), float(i * 7 % 5)] for i in range(40)]
    y = ["sick" if i % 2 else "well" for i in range(40)]
    found = compare(X, y, {"blind": [0, 1], "none": "none"}, folds=4, n_neighbors=3, cost_matrix={"sick": {"well": 5}})
    assert found.best.method == "none"
    assert against_first(found)[0].better
    assert found.to_json()["measure"] == "mean cost"
