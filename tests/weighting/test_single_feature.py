"""Single-feature accuracy: the fast ways equal a loop over cases, for every kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from nearwise import KNNClassifier
from nearwise.cases.kinds import Cyclic, Ordinal, Symbolic
from nearwise.errors import InputError, NearwiseWarning
from nearwise.statistics.draws.folds import given_folds
from nearwise.weighting import SingleFeatureAccuracy

from .tables import COLUMNS, mixed, problem_of


def slow_sfa(problem, f, folds, k):
    """Right over all, from the definition: the k nearest known cases of other folds vote, ties share their places."""
    measure, column, target = problem.metric.measures[f], problem.cases.columns[f], problem.target
    missing, n, p = problem.table.columns[f].missing, len(problem.table), problem.metric.p
    known = [i for i in range(n) if measure.policy == "value" or not missing[i]]
    prior = [sum(target.weights[i] for i in known if target.values[i] == c) for c in range(target.n_classes)]
    right = 0.0
    for q in known:
        near = sorted(
            (measure.scale(p) * measure.pair(column, i, column, q) ** p, i) for i in known if folds[i] != folds[q]
        )
        if not near:
            continue
        last = near[min(k, len(near)) - 1][0]
        inside = [(s, i) for s, i in near if s < last * (1 - 1e-12)]
        tied = [(last, i) for s, i in near if last * (1 - 1e-12) <= s <= last * (1 + 1e-12)]
        share = (min(k, len(near)) - len(inside)) / len(tied)
        votes, nearest = [0.0] * target.n_classes, [np.inf] * target.n_classes
        for amount, group in ((1.0, inside), (share, tied)):
            for s, i in group:
                c = target.values[i]
                votes[c] += amount * target.weights[i]
                nearest[c] = min(nearest[c], s)
        best = [c for c in range(target.n_classes) if votes[c] >= max(votes) * (1 - 1e-12)]
        best = [c for c in best if nearest[c] <= min(nearest[b] for b in best) * (1 + 1e-12)]
        best = [c for c in best if prior[c] == max(prior[b] for b in best)]
        right += target.weights[q] * (target.values[q] == best[0])
    return right / target.weights.sum()


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@given(made=mixed(max_cases=9, features=[n for n in COLUMNS if n != "function"], weighted=True), k=st.integers(1, 3))
def test_it_equals_a_loop_over_cases_for_every_kind(made, k):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    folds = given_folds(3, problem.metric, problem.cases, problem.target, 0)
    found = SingleFeatureAccuracy(k, folds=3).learn(problem).values
    for f in range(len(schema)):
        assert found[f] == pytest.approx(slow_sfa(problem, f, folds, k), abs=1e-12), (f, schema)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_ties_by_index_and_by_distances_equal_a_loop(target):
    rng = np.random.default_rng(0)
    cases = [{"n": float(v), "s": "abc"[rng.integers(3)]} for v in rng.integers(0, 6, 40)]
    y = rng.integers(0, 3, 40) if target == "classes" else rng.normal(size=40)
    folds = np.arange(40) % 4
    for ties in ("index", "distances"):
        found = SingleFeatureAccuracy(2, folds=folds, ties=ties).fit(cases, y).weights_.values
        for f, name in enumerate(("n", "s")):
            gained = 0.0
            for q in range(40):
                far = {
                    i: abs(cases[i]["n"] - cases[q]["n"]) if name == "n" else float(cases[i]["s"] != cases[q]["s"])
                    for i in range(40) if folds[i] != folds[q]
                }  # fmt: skip
                level = sorted(set(far.values()))[:2][-1]
                voters = (
                    sorted(far, key=lambda i: (far[i], i))[:2]
                    if ties == "index"
                    else [i for i in far if far[i] <= level]
                )
                if target == "numbers":
                    error = (np.mean(y[voters]) - y[q]) ** 2
                    gained += 1 - error / (np.var(y) * (1 + 1 / len(voters)))
                    continue
                votes = np.bincount(y[voters], minlength=3)
                best = [c for c in range(3) if votes[c] == votes.max()]
                near = [min(far[i] for i in voters if y[i] == c) for c in best]
                best = [c for c, d in zip(best, near, strict=True) if d == min(near)]
                prior = np.bincount(y, minlength=3)
                gained += y[q] == max(best, key=lambda c: prior[c])
            assert found[f] == pytest.approx(max(0.0, gained / 40), abs=1e-12), (ties, name)


def test_the_sepal_length_of_iris_has_about_0_7_with_fair_ties_and_0_6_with_random_ones():
    X, y = load_iris(return_X_y=True)
    means = {
        ties: np.mean([SingleFeatureAccuracy(ties=ties, random_state=s).fit(X, y).weights_.values for s in range(8)], 0)
        for ties in ("fair", "random")
    }
    assert means["fair"] == pytest.approx([0.708, 0.509, 0.923, 0.954], abs=0.02)
    assert means["random"] == pytest.approx([0.615, 0.474, 0.921, 0.925], abs=0.03)


def test_random_ties_give_less_than_fair_ones_and_depend_on_the_seed_only():
    X, y = load_iris(return_X_y=True)
    fair = SingleFeatureAccuracy().fit(X, y).weights_.values
    drawn = SingleFeatureAccuracy(ties="random", random_state=1).fit(X, y).weights_.values
    again = SingleFeatureAccuracy(ties="random", random_state=1).fit(X, y).weights_.values
    np.testing.assert_array_equal(drawn, again)
    assert 0.68 < fair[0] < 0.75
    assert 0.56 < drawn[0] < 0.68
    with pytest.raises(InputError, match="ties"):
        SingleFeatureAccuracy(ties="never").fit(X, y)


def test_a_tiny_step_back_from_midnight_is_tiny():
    cases, y = [{"hour": 1e-12}, {"hour": -5e-28}, {"hour": 0.0}], np.array(["no", "yes", "no"])
    problem = problem_of(cases, y, np.ones(3), {"hour": Cyclic(period=24)})
    folds = given_folds([0, 1, 2], problem.metric, problem.cases, problem.target, 0)
    found = SingleFeatureAccuracy(1, folds=[0, 1, 2]).learn(problem).values
    assert found[0] == pytest.approx(slow_sfa(problem, 0, folds, 1))


def test_worked_by_hand():
    # folds 0 1 0 1: each case is classified by the nearest of the other fold
    X = [{"x": 1.0, "s": "r"}, {"x": 2.0, "s": "r"}, {"x": 2.5, "s": "b"}, {"x": 9.0, "s": "b"}]
    # x: 1 by 2 (u, right), 2 by 2.5 (v, wrong), 2.5 by 2 (u, wrong), 9 by 2.5 (v, right)
    # s: every symbol has one case of either class in the other fold: right throughout
    weights = SingleFeatureAccuracy(folds=[0, 1, 0, 1]).fit(X, list("uuvv")).weights_.values
    assert weights.tolist() == [0.5, 1.0]


def test_a_missing_value_is_no_prediction_and_wrong():
    X = [{"x": v} for v in [1.0, 1.1, None, 5.0, 5.1, None]]
    assert SingleFeatureAccuracy(folds=[0, 1, 0, 1, 0, 1]).fit(X, list("uuuvvv")).weights_.values == pytest.approx(
        [4 / 6]
    )
    X = [{"x": v} for v in [1.0, 1.1, None, 5.0, 5.1, None]]
    told = SingleFeatureAccuracy(folds=[0, 1, 0, 1, 0, 1]).fit(X, list("uuwvvw"), missing="value")
    assert told.weights_.values.tolist() == [1.0]  # as a value of its own it finds its like


def test_an_always_missing_feature_gets_0_and_all_of_them_a_warning():
    X = [{"x": None}, {"x": None}, {"x": None}]
    with pytest.warns(NearwiseWarning, match="all weights are 0"):
        assert SingleFeatureAccuracy().fit(X, list("uvu"), schema={"x": "numeric"}).weights_.values.tolist() == [0.0]


class Majority:
    """The smallest classifier that can be."""

    def fit(self, X, y):
        names, counts = np.unique(y, return_counts=True)
        self.name_ = names[counts.argmax()]
        self.shape_ = X.shape
        return self

    def predict(self, X):
        assert X.shape[1] == self.shape_[1]
        return np.full(len(X), self.name_)


def test_any_classifier_with_fit_and_predict_will_do():
    rng = np.random.default_rng(0)
    X = [{"x": float(v), "s": s, "o": o} for v, s, o in zip(rng.random(30), "abc" * 10, ["low", "high"] * 15)]
    y = np.array(["u"] * 20 + ["v"] * 10)
    schema = {"s": Symbolic(), "o": Ordinal(("low", "high"))}
    weights = SingleFeatureAccuracy(classifier=Majority()).fit(X, y, schema=schema).weights_.values
    assert weights == pytest.approx([2 / 3] * 3)


def test_scikit_learns_nearest_neighbour_gives_what_ours_does():
    from sklearn.neighbors import KNeighborsClassifier

    X = np.random.default_rng(0).random((80, 3))
    y = X[:, 0] + 0.3 * X[:, 1] > 0.6
    ours = SingleFeatureAccuracy(3).fit(X, y).weights_.values
    theirs = SingleFeatureAccuracy(classifier=KNeighborsClassifier(3)).fit(X, y).weights_.values
    np.testing.assert_allclose(ours, theirs)


def test_order_threads_and_names_change_nothing_but_the_order_of_weights():
    rng = np.random.default_rng(1)
    cases = [{"a": float(rng.integers(5)), "b": rng.choice(list("xyz")), "c": float(rng.random())} for _ in range(50)]
    y = rng.choice(list("uv"), 50)
    plain = SingleFeatureAccuracy(2, n_jobs=1).fit(cases, y).weights_.values
    order = rng.permutation(50)
    moved = SingleFeatureAccuracy(2, n_jobs=2).fit([{k: cases[i][k] for k in "cab"} for i in order], y[order])
    np.testing.assert_allclose(moved.weights_.values, plain[[2, 0, 1]], rtol=1e-12)


def test_it_works_by_its_id_and_with_one_case():
    X = np.random.default_rng(0).random((40, 3))
    clf = KNNClassifier(1, "sfa").fit(X, X[:, 2] > 0.5)
    assert clf.feature_importances_.argmax() == 2
    with pytest.warns(NearwiseWarning, match="1 case only"):
        assert SingleFeatureAccuracy().fit([[1.0, 2.0]], ["u"]).weights_.values.tolist() == [1.0, 1.0]


def test_features_without_time_get_the_mean_of_the_others(monkeypatch):
    X = np.random.default_rng(0).random((40, 5))
    monkeypatch.setattr("nearwise.weighting.budget.Budget.is_over", property(lambda self: self.has_result))
    with pytest.warns(NearwiseWarning, match="time for 1 of 5 features"):
        weights = SingleFeatureAccuracy(n_jobs=1).fit(X, X[:, 0] > 0.5).weights_.values
    assert weights.tolist() == [weights[0]] * 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"n_neighbors": 0}, "n_neighbors=0"), ({"classifier": 3}, "fit and predict"), ({"folds": "ten"}, "folds='ten'")],
)
def test_wrong_parameters_are_told(parameters, message):
    with pytest.raises(InputError, match=message):
        SingleFeatureAccuracy(**parameters).fit([[1.0], [2.0]], ["u", "v"])
