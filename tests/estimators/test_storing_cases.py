"""Which cases are stored (IB2, IB3) and how far each is trusted (PEBLS)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load
from nearwise.errors import InputError
from nearwise.statistics.trials.storing import case_factors, cases_to_store
from nearwise.weights import Directed, Global, PerClass
from tests.examples import examples
from tests.weighting.slow_online import TIE, bounds, nearest, total
from tests.weighting.tables import mixed, problem_of

KINDS = ["number", "symbol", "rank", "mvdm", "text", "tags"]


def noisy(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    y = np.where(X[:, 0] > 0.5, "u", "v")
    wrong = rng.random(n) < 0.1
    return X, np.where(wrong, np.where(y == "u", "v", "u"), y)


# ---------------------------------------------------------------------- IB2 and IB3 from their descriptions


def slow_ib2(problem, weights):
    stored = []
    for x in range(len(problem.target)):
        said = None if not stored else problem.target.values[nearest(problem, weights, x, stored)]
        if said != problem.target.values[x]:
            stored.append(x)
    return sorted(stored)


def slow_ib3(problem, weights, seed):
    rng, y = np.random.default_rng(seed), problem.target.values
    stored, uses, right, seen = [], {}, {}, []

    def share(c):
        return sum(1 for s in seen if s == c)

    def acceptable(case):
        return bounds(right[case], uses[case], 1.6448536)[0] > bounds(share(y[case]), len(seen), 1.6448536)[1]

    def poor(case):
        return bounds(right[case], uses[case], 1.0364334)[1] < bounds(share(y[case]), len(seen), 1.0364334)[0]

    for x in range(len(y)):
        wrong = True
        if stored:
            sums = {s: total(problem, weights, s, x) for s in stored}
            good = [s for s in stored if acceptable(s)]
            if good:
                least = min(sums[s] for s in good)
                asked = min(s for s in good if sums[s] <= least + TIE * least)
            else:
                asked = sorted(stored, key=lambda s: (sums[s], s))[rng.integers(len(stored))]
            wrong = y[asked] != y[x]
            near = [s for s in stored if sums[s] <= sums[asked]]
            for s in near:
                uses[s] += 1
                right[s] += y[s] == y[x]
            stored = [s for s in stored if s not in near or not poor(s)]
        if wrong:
            stored.append(x)
            uses[x] = right[x] = 0
        seen.append(y[x])
    good = [s for s in stored if acceptable(s)]
    return sorted(good or stored)


@given(made=mixed(features=KINDS, min_cases=2, max_cases=14), data=st.data())
def test_ib2_equals_plain_loops(made, data):
    records, y, _, schema = made
    problem = problem_of(records, y, None, schema)
    weights = np.array([data.draw(st.sampled_from([0.3, 1.0, 2.0])) for _ in schema])
    shape = Global(weights, problem.features)
    kept = cases_to_store("ib2", problem.metric, problem.cases, problem.target, shape)
    assert kept.tolist() == slow_ib2(problem, weights)


@pytest.mark.parametrize("seed", range(6))
def test_ib3_equals_plain_loops(seed):
    X, y = noisy(70, seed)
    problem = problem_of([dict(zip("abc", row.round(1), strict=True)) for row in X], y)
    shape = Global(np.array([2.0, 0.1, 0.1]), problem.features)
    kept = cases_to_store("ib3", problem.metric, problem.cases, problem.target, shape, seed=seed)
    assert kept.tolist() == slow_ib3(problem, shape.values, seed)


def test_ib2_worked_by_hand():
    # 0 is stored; 1 is told u by 0, not stored; 2 is told u, stored; 3 is told v by 2, not stored; 4 is told v, stored
    clf = KNNClassifier(1, "none", cases="ib2").fit([[0.0], [1.0], [8.0], [9.0], [6.0]], list("uuvvu"))
    assert clf.case_ids_.tolist() == [0, 2, 4]
    assert clf.predict([[7.5], [6.4]]).tolist() == ["v", "u"]
    assert clf.n_samples_fit_ == 3


def test_stored_cases_are_few_and_answer_nearly_as_well():
    X, y = noisy(600)
    Q = np.random.default_rng(9).random((300, 3))
    truth = np.where(Q[:, 0] > 0.5, "u", "v")
    weights = {"x0": 1.0, "x1": 0.05, "x2": 0.05}
    all_of_them = KNNClassifier(1, weights).fit(X, y)
    two, three = (KNNClassifier(1, weights, cases=how).fit(X, y) for how in ("ib2", "ib3"))
    assert len(three.case_ids_) < len(two.case_ids_) < 0.5 * len(y)
    # noise is what IB2 stores and IB3 does not
    assert two.score(Q, truth) < all_of_them.score(Q, truth) < three.score(Q, truth)


def test_ids_name_the_cases_that_were_kept_and_neighbours_point_into_them():
    X, y = noisy(60)
    clf = KNNClassifier(1, "none", cases="ib2").fit(X, y)
    _, near = clf.kneighbors(X[clf.case_ids_], 1)
    assert near.ravel().tolist() == list(range(len(clf.case_ids_)))
    assert clf.explain(X[:1])[0].neighbours[0].index < len(clf.case_ids_)


def test_ranges_are_those_of_all_cases_and_loo_is_one_neighbour():
    X = [[0.0], [1.0], [8.0], [9.0], [10.0]]
    clf = KNNClassifier(feature_weights="none", cases="ib2").fit(X, list("uuvvv"))
    assert clf.case_ids_.tolist() == [0, 2]
    assert clf.n_neighbors_ == 1
    assert clf.kneighbors([[5.0]], 1)[0] == pytest.approx(0.3)  # (8 - 5) / 10


def test_adding_cases_goes_on_with_the_pass():
    X, y = noisy(120)
    whole = KNNClassifier(1, "none", cases="ib2", scale="none").fit(X, y)
    grown = KNNClassifier(1, "none", cases="ib2", scale="none").fit(X[:70], y[:70]).partial_fit(X[70:], y[70:])
    assert grown.case_ids_.tolist() == whole.case_ids_.tolist()
    third = KNNClassifier(1, "none", cases="ib3").fit(X[:70], y[:70])
    before = third.case_ids_.tolist()
    after = third.partial_fit(X[70:], y[70:]).case_ids_.tolist()
    assert after[: len(before)] == before
    third.forget(after[0])
    assert third.case_ids_.tolist() == after[1:]


def test_weights_that_merge_are_learned_from_what_is_stored_when_cases_are_added():
    X, y = noisy(120)
    grown = KNNClassifier(1, "ig", cases="ib2").fit(X[:70], y[:70])
    stored = X[:70][grown.case_ids_], y[:70][grown.case_ids_]
    grown.partial_fit(X[70:], y[70:])
    expected = KNNClassifier(1, "ig").fit(np.concatenate([stored[0], X[70:]]), np.concatenate([stored[1], y[70:]]))
    assert grown.feature_importances_ == pytest.approx(expected.feature_importances_)


# ---------------------------------------------------------------------------------------------- case weights


def slow_factors(problem, weights):
    n, y = len(problem.target), problem.target.values
    uses, right = [1.0] * n, [1.0] * n
    for x in range(n):
        sums = {s: total(problem, weights, s, x) for s in range(n) if s != x}
        least = min(sums.values())
        tied = [s for s, v in sums.items() if abs(v - least) <= TIE * least]
        for s in tied:
            uses[s] += problem.target.weights[x] / len(tied)
            right[s] += problem.target.weights[x] / len(tied) * (y[s] == y[x])
    return [u / r for u, r in zip(uses, right, strict=True)]


@settings(max_examples=examples(60))
@given(made=mixed(features=KINDS, min_cases=2, max_cases=12, weighted=True))
def test_case_factors_equal_plain_loops(made):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    shape = Global(np.ones(len(schema)), problem.features)
    found = case_factors(problem.metric, problem.cases, problem.target, shape)
    assert found == pytest.approx(slow_factors(problem, shape.values))


def test_case_weights_worked_by_hand():
    # 0 and 1 are nearest to each other and right; 2 is nearest to 3 and wrong, 3 to 2 and wrong, 4 to 3 and right
    X, y = [[0.0], [1.0], [5.0], [5.5], [7.0]], list("uuuvv")
    clf = KNNClassifier(1, "none", case_weights="pebls", scale="none").fit(X, y)
    assert clf.case_weights_.tolist() == [1.0, 1.0, 2.0, 1.5, 1.0]
    distances, near = clf.kneighbors([[6.2]], 3)
    assert near.tolist() == [[4, 3, 2]]
    assert distances == pytest.approx(np.array([[0.8, 0.7 * 1.5, 1.2 * 2]]))


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("method", ["none", "ig", "mdw"])
def test_explanations_add_up_under_case_weights(method, p):
    X, y = noisy(60)
    clf = KNNClassifier(3, method, case_weights="pebls", p=p).fit(X, y)
    assert clf.case_weights_.max() > 1
    for why in clf.explain(X[:10] + 0.01):
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**p)
    plain = KNNClassifier(3, method, p=p).fit(X, y)
    distances, near = clf.kneighbors(X[:5] + 0.01, 60)
    for j in range(5):
        apart = plain.kneighbors(X[j : j + 1] + 0.01, 60)
        by_case = dict(zip(apart[1][0].tolist(), apart[0][0].tolist(), strict=True))
        for d, i in zip(distances[j], near[j].tolist(), strict=True):
            assert d == pytest.approx(by_case[i] * clf.case_weights_[i])
    assert clf.feature_weights_ == plain.feature_weights_


def test_case_weights_follow_added_and_forgotten_cases():
    X, y = noisy(60)
    clf = KNNClassifier(1, "none", case_weights="pebls").fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert clf.case_weights_.tolist() == KNNClassifier(1, "none", case_weights="pebls").fit(X, y).case_weights_.tolist()
    clf.forget(range(20))
    assert len(clf.case_weights_) == 40
    assert KNNClassifier(1, "none").fit(X, y).case_weights_.tolist() == [1.0] * 60


def test_the_order_of_cases_does_not_change_case_weights():
    X, y = noisy(60)
    order = np.random.default_rng(1).permutation(60)
    one, two = (KNNClassifier(1, "none", case_weights="pebls").fit(X[r], y[r]) for r in (np.arange(60), order))
    assert two.case_weights_.tolist() == one.case_weights_[order].tolist()


def test_a_loaded_model_learns_on_from_its_feature_weights(tmp_path):
    X, y = noisy(60)
    clf = KNNClassifier(2, "each", case_weights="pebls", cases="ib2").fit(X, y)
    clf.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.case_weights_.tolist() == clf.case_weights_.tolist()
    assert again.case_ids_.tolist() == clf.case_ids_.tolist()
    with pytest.warns(UserWarning, match="stay as they were"):
        again.partial_fit(X[:5], y[:5])
    with pytest.warns(UserWarning, match="stay as they were"):
        clf.partial_fit(X[:5], y[:5])
    assert again.predict(X).tolist() == clf.predict(X).tolist()
    assert again.case_ids_.tolist() == clf.case_ids_.tolist()


def test_strict_leaving_one_out_weighs_cases_too():
    X, y = noisy(30)
    assert 0 < KNNClassifier(1, "none", case_weights="pebls").fit(X, y).score_loo(strict=True) <= 1


def test_other_weights_for_one_call_keep_the_case_weights():
    X, y = noisy(30)
    clf = KNNClassifier(1, "none", case_weights="pebls").fit(X, y)
    per_class = PerClass(np.ones((2, 3)), ["x0", "x1", "x2"], ["u", "v"], [0.5, 0.5])
    for weights in ([1.0, 1.0, 1.0], per_class):
        assert clf.kneighbors(X, 2, feature_weights=weights)[0] == pytest.approx(clf.kneighbors(X, 2)[0])
    with pytest.raises(InputError, match="'per-query' cannot be combined with weights of cases"):
        clf.kneighbors(X, 2, feature_weights=np.ones((30, 3)))


def test_what_cannot_be_done_is_told():
    X, y = noisy(30)
    with pytest.raises(InputError, match="cases='ib5': expected one of all, ib2, ib3"):
        KNNClassifier(1, "none", cases="ib5").fit(X, y)
    with pytest.raises(InputError, match="case_weights='each'"):
        KNNClassifier(1, "none", case_weights="each").fit(X, y)
    directed = Directed(np.ones((2, 3)), ["x0", "x1", "x2"])
    with pytest.raises(InputError, match="'directed' cannot be combined with weights of cases"):
        KNNClassifier(1, directed, case_weights="pebls").fit(X, y)
