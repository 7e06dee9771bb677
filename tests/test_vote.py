"""Votes: kernels worked by hand, ties as an expectation, winners in a stated order."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, vote
from nearwise.errors import InputError

INF = np.inf
small_tables = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("ab")), min_size=3, max_size=8)


@pytest.mark.parametrize(
    ("rule", "distances", "weights"),
    [
        (vote.Majority(), [0.0, 2.0, 3.0], [1, 1, 1]),
        (vote.InverseDistance(), [0.5, 1.0, 2.0], [2, 1, 0.5]),
        (vote.InverseDistance(), [0.0, 0.0, 2.0], [1, 1, 0]),
        (vote.InverseLinear(), [1.0, 2.0, 3.0], [1, 0.5, 0]),
        (vote.InverseLinear(), [2.0, 2.0, 2.0], [1, 1, 1]),
        (vote.InverseLinear(), [1.0, 3.0, INF], [1, 0, 0]),
        (vote.Exponential(alpha=np.log(2)), [1.0, 2.0, 3.0], [1, 0.5, 0.25]),
        (vote.Exponential(alpha=np.log(2), beta=2), [0.0, 1.0, 2.0], [1, 0.5, 1 / 16]),
        (vote.Gaussian(bandwidth=1), [0.0, 1.0, 2.0], [1, np.exp(-0.5), np.exp(-2.0)]),
        (vote.Gaussian(), [0.0, 2.0, 4.0], [1, np.exp(-1 / 8), np.exp(-0.5)]),
        (vote.Gaussian(), [0.0, 0.0, 0.0], [1, 1, 1]),
    ],
)
def test_a_kernel_weighs_distances_as_worked_by_hand(rule, distances, weights):
    np.testing.assert_allclose(rule.kernel(np.array([distances])), [weights], rtol=1e-12)


def test_tiny_distances_do_not_overflow():
    weights = vote.InverseDistance().kernel(np.array([[5e-324, 1e-323, 1.0]]))
    assert np.isfinite(weights).all()
    assert weights[0, 0] / weights[0, 1] == pytest.approx(2)


@pytest.mark.parametrize("rule", [vote.Exponential(), vote.Exponential(2, 3), vote.Gaussian(1e-200), vote.Gaussian()])
@pytest.mark.parametrize("size", [1e3, 1e150, 1e300, 1e301, 1.7e308])
def test_however_far_all_are_the_nearest_counts_most(rule, size):
    weights = rule.kernel(np.array([[0.5, 0.5, 1.0, INF]]) * size)[0]
    assert weights[:2].tolist() == [1.0, 1.0]
    assert 0.0 <= weights[2] < 1.0
    assert weights[2] < 1e-200 or rule == vote.Gaussian()


def test_distances_that_tie_far_out_count_the_same():
    far = np.nextafter(1e301, np.inf)
    assert vote.Exponential().kernel(np.array([[1e301, far, 2e301]])).tolist() == [[1.0, 1.0, 0.0]]
    assert vote.Exponential().kernel(np.array([[1e20, np.nextafter(1e20, INF)]])).tolist() == [[1.0, 1.0]]


def test_an_exponential_vote_beyond_1e300_goes_to_the_nearest():
    model = KNNClassifier(3, "none", vote="exponential", scale="none", p=1)
    model.fit([[2e301], [6e301], [7e301]], list("abb"))
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0, 0.0]]


def test_votes_come_by_name_object_or_function():
    assert vote.get("linear") == vote.InverseLinear()
    assert vote.get(vote.Gaussian(2)) == vote.Gaussian(2)
    np.testing.assert_array_equal(vote.get(lambda d: d + 1).kernel(np.array([[1.0, 2.0]])), [[2.0, 3.0]])
    with pytest.raises(InputError, match="Did you mean 'majority'"):
        vote.get("majorty")
    with pytest.raises(InputError, match="one weight, not negative, per distance"):
        vote.get(lambda d: -d).kernel(np.array([[1.0]]))


def test_a_tied_vote_goes_to_the_nearest_case_then_the_prior_then_the_label():
    def winner(votes, near, priors):
        return vote.decide(np.array([votes]), np.array([near]), np.array(priors))[0]

    assert winner([1.0, 2.0], [0.0, 5.0], [0.9, 0.1]) == 1
    assert winner([1.0, 1.0], [2.0, 1.0], [0.9, 0.1]) == 1
    assert winner([1.0, 1.0], [1.0, 1.0], [0.4, 0.6]) == 1
    assert winner([1.0, 1.0], [1.0, 1.0], [0.5, 0.5]) == 0
    assert winner([0.1 + 0.2, 0.3], [2.0, 1.0], [0.5, 0.5]) == 1  # equal to rounding is equal


def distances_to(cases, query):
    return [((a - query[0]) ** 2 + (b - query[1]) ** 2) ** 0.5 / 2 for a, b, _ in cases]


def expected_votes(cases, query, k, weigh):
    """The votes averaged over every way to break ties at the k-th place."""
    distances = distances_to(cases, query)
    order = sorted(range(len(cases)), key=lambda i: distances[i])
    last = distances[order[min(k, len(cases)) - 1]]
    inside = [i for i in order if distances[i] < last - 1e-9]
    tied = [i for i in order if abs(distances[i] - last) <= 1e-9]
    total = {"a": 0.0, "b": 0.0}
    draws = list(combinations(tied, min(k, len(cases)) - len(inside)))
    for drawn in draws:
        chosen = inside + list(drawn)
        zero = [i for i in chosen if distances[i] == 0]
        for i in chosen:
            if weigh == "majority":
                weight = 1.0
            elif zero:
                weight = 1.0 if i in zero else 0.0
            else:
                weight = 1.0 / distances[i]
            total[cases[i][2]] += weight / len(draws)
    return total


@given(small_tables, st.integers(1, 6), st.sampled_from(["majority", "distance"]), st.integers(0, 2), st.integers(0, 2))
def test_a_fair_tie_is_the_expectation_over_all_ways_to_break_it(cases, k, weigh, a, b):
    # the range of every column is made 2, so that distances are easy to say
    cases = [*cases, (0, 0, "a"), (2, 2, "b")]
    X, y = [[a, b] for a, b, _ in cases], [c for _, _, c in cases]
    clf = KNNClassifier(n_neighbors=k, feature_weights="none", vote=weigh).fit(X, y)
    expected = expected_votes(cases, (a, b), min(k, len(cases)), weigh)
    shares = {c: v / sum(expected.values()) for c, v in expected.items()}
    found = clf.predict_proba([[a, b]])[0]
    assert dict(zip(clf.classes_, found)) == pytest.approx({c: shares[c] for c in clf.classes_})


@given(small_tables, st.integers(1, 5), st.sampled_from(["fair", "distances"]), st.randoms())
def test_shuffling_the_rows_never_changes_a_prediction(cases, k, ties, random):
    shuffled = list(cases)
    random.shuffle(shuffled)
    queries = [[a, b] for a in range(3) for b in range(3)]
    found = []
    for rows in (cases, shuffled):
        clf = KNNClassifier(n_neighbors=k, feature_weights="none", ties=ties)
        clf.fit([[a, b] for a, b, _ in rows], [c for _, _, c in rows])
        found.append((clf.predict(queries), clf.predict_proba(queries)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-9, atol=1e-12)


def test_ties_by_distances_count_every_case_at_the_k_smallest_distances():
    X, y = [[0], [0], [1], [1], [1], [4]], list("aabbba")
    clf = KNNClassifier(n_neighbors=2, feature_weights="none", vote="majority", ties="distances").fit(X, y)
    np.testing.assert_allclose(clf.predict_proba([[0]]), [[2 / 5, 3 / 5]])
    fair = KNNClassifier(n_neighbors=2, feature_weights="none", vote="majority").fit(X, y)
    np.testing.assert_allclose(fair.predict_proba([[0]]), [[1, 0]])


def test_ties_by_index_take_the_first_rows():
    clf = KNNClassifier(n_neighbors=1, feature_weights="none", ties="index").fit([[0], [0], [3]], ["b", "a", "a"])
    assert clf.predict([[0]])[0] == "b"


def test_random_ties_follow_the_seed_and_reach_every_tied_case():
    X, y = [[0]] * 6 + [[9]], ["a"] * 3 + ["b"] * 3 + ["b"]
    answers = set()
    for seed in range(20):
        clf = KNNClassifier(n_neighbors=1, feature_weights="none", ties="random", random_state=seed).fit(X, y)
        first, second = clf.predict([[0]] * 5), clf.predict([[0]] * 5)
        np.testing.assert_array_equal(first, second)
        answers.update(first.tolist())
    assert answers == {"a", "b"}


@pytest.mark.filterwarnings("ignore:Leaving one out:nearwise.errors.NearwiseWarning")  # the labels are random
@pytest.mark.parametrize("ties", ["fair", "distances", "index"])
@pytest.mark.parametrize("rule", ["majority", "distance", "linear", "triangle", "gaussian", "exponential"])
def test_every_k_from_one_pass_equals_one_pass_for_every_k(ties, rule):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 2)), rng.integers(0, 3, 40)
    loo = KNNClassifier(feature_weights="none", ties=ties, vote=rule).fit(X, y)
    for k, error in enumerate(loo.loo_errors_, start=1):
        clf = KNNClassifier(n_neighbors=k, feature_weights="none", ties=ties, vote=rule).fit(X, y)
        assert 1 - clf.score_loo() == pytest.approx(error), k
    assert loo.n_neighbors_ == 1 + int(np.argmin(loo.loo_errors_))


@given(
    st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 12), st.sampled_from(["fair", "index"]),
    st.sampled_from(["majority", "distance", "exponential"]), st.sampled_from([1, 3, 40]),
)  # fmt: skip
def test_the_native_vote_for_every_k_equals_the_vote_for_each(seed, n, k, ties, rule, values):
    from nearwise import NearestCases
    from nearwise.search.base import Payload
    from nearwise.search.selection.every_k import winners_for_every_k

    rng = np.random.default_rng(seed)
    engine = NearestCases(1).fit(rng.integers(0, values, (n, 2))).plan_.engine
    payload = Payload(rng.integers(0, 3, n), rng.integers(0, 3, (n, 1)).astype(float), 3)
    queries = engine.distance.stored.cases
    ballots = vote.collect(engine, queries, k, payload, ties, np.arange(n))
    kernel, root, priors = vote.get(rule), engine.distance.metric.root, np.array([0.4, 0.2, 0.4])
    sums = ballots.found.sums
    weights = np.where(np.isfinite(sums), kernel.kernel(root(sums)), 0.0)
    fast = winners_for_every_k(ballots.found, weights, payload, priors, ties == "fair")
    if fast is None:
        pytest.skip("the native core is not built")
    for places in range(1, k + 1):
        total, near, _ = vote.tally(*ballots.at(places), kernel, root)
        np.testing.assert_array_equal(fast[:, places - 1], vote.decide(total[:, :, 0], near, priors))


def test_regression_is_the_mean_of_votes_with_fair_ties():
    X, y = [[0], [1], [1], [1], [9]], [0.0, 10.0, 20.0, 30.0, 90.0]
    model = KNNRegressor(n_neighbors=2, vote="majority").fit(X, y)
    assert model.predict([[0]])[0] == pytest.approx((0 + 20) / 2)
    weighted = KNNRegressor(n_neighbors=2, vote="majority").fit(X, y, sample_weight=[1, 1, 1, 2, 1])
    # the three tied cases share one place, by their weights: (10 + 20 + 2 * 30) / 4 = 22.5, in all 4/3 votes
    assert weighted.predict([[0]])[0] == pytest.approx((0 + (10 + 20 + 60) / 3) / (1 + 4 / 3))


def test_class_weights_change_votes_and_balanced_ones_undo_priors():
    X, y = [[0], [0], [0], [5]], ["a", "a", "b", "b"]
    plain = KNNClassifier(n_neighbors=3, feature_weights="none", vote="majority").fit(X, y)
    heavy = KNNClassifier(n_neighbors=3, feature_weights="none", vote="majority", class_weight={"b": 3}).fit(X, y)
    np.testing.assert_allclose(plain.predict_proba([[0]]), [[2 / 3, 1 / 3]])
    np.testing.assert_allclose(heavy.predict_proba([[0]]), [[2 / 5, 3 / 5]])
    with pytest.raises(InputError, match="class_weight names 'c'"):
        KNNClassifier(n_neighbors=1, class_weight={"c": 1}, feature_weights="none").fit(X, y).predict([[0]])
