"""What a tied vote goes by: the nearest case, or the vote of one neighbour more, as in TiMBL."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, NearestCases, load, vote
from nearwise.errors import InputError
from nearwise.search.base import Payload

QUERY = [[0.0]]
small_tables = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("abc")), min_size=3, max_size=9)


def classifier(k=2, vote_ties="next", **more):
    settings = {"feature_weights": "none", "vote": "majority", "scale": "none", "p": 1, **more}
    return KNNClassifier(k, vote_ties=vote_ties, **settings)


def test_a_tie_goes_to_the_nearest_case_unless_the_next_is_asked():
    X, y = [[1], [2], [3]], ["a", "b", "b"]
    assert classifier(vote_ties="nearest").fit(X, y).predict(QUERY)[0] == "a"
    assert KNNClassifier(2, "none", vote="majority").fit(X, y).predict(QUERY)[0] == "a"  # the default
    assert classifier().fit(X, y).predict(QUERY)[0] == "b"


def test_the_shares_are_those_of_the_vote_that_decides():
    X, y = [[1], [2], [3]], ["a", "b", "b"]
    np.testing.assert_allclose(classifier(vote_ties="nearest").fit(X, y).predict_proba(QUERY), [[0.5, 0.5]])
    np.testing.assert_allclose(classifier().fit(X, y).predict_proba(QUERY), [[1 / 3, 2 / 3]])


def test_the_next_distance_may_elect_a_class_that_had_not_tied():
    X, y = [[1], [1], [2], [2], [2]], ["a", "b", "c", "c", "c"]
    assert classifier(1, ties="distances").fit(X, y).predict(QUERY)[0] == "c"


def test_where_the_next_ties_too_the_larger_class_of_the_first_tie_wins_with_the_first_shares():
    X, y = [[1], [2], [3], [8], [8], [8], [9]], ["a", "b", "c", "c", "c", "c", "b"]
    clf = classifier().fit(X, y)
    assert clf.predict(QUERY)[0] == "b"  # not "a", which is nearer, and not "c", which is larger
    np.testing.assert_allclose(clf.predict_proba(QUERY), [[0.5, 0.5, 0.0]])


def test_the_vote_of_one_more_weighs_the_neighbours_anew():
    """Inverse linear: two distances count 1 and 0, so "a" and "b" tie; three count 1, 1/2 and 0."""
    X, y = [[1], [1], [2], [3]], ["a", "b", "b", "a"]
    clf = classifier(vote="linear", ties="distances").fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(QUERY), [[1 / 2.5, 1.5 / 2.5]])


@pytest.mark.parametrize("ties", ["fair", "distances", "index", "random"])
def test_where_no_case_is_left_to_ask_the_larger_class_wins(ties):
    clf = classifier(9, ties=ties).fit([[1], [2]], ["b", "a"])
    assert clf.predict(QUERY)[0] == "a"  # equal priors: the first label
    assert clf.predict(None).tolist() == ["a", "b"]


def slow_answer(cases, query, k, skip=-1):
    """All cases at the k nearest distances vote; a tie asks one distance more, then goes to the larger class."""
    levels = {}
    for i, (a, b, label) in enumerate(cases):
        if i != skip:
            levels.setdefault(abs(a - query[0]) + abs(b - query[1]), Counter())[label] += 1
    near = [levels[d] for d in sorted(levels)]
    leaders = [most(sum(near[:places], Counter())) for places in (k, k + 1)]
    tied = leaders[1] if len(leaders[0]) > 1 and len(leaders[1]) == 1 else leaders[0]
    size = Counter(label for _, _, label in cases)
    return min(tied, key=lambda label: (-size[label], label))


def most(votes):
    return [label for label in votes if votes[label] == max(votes.values())]


@given(small_tables, st.integers(1, 5))
def test_next_equals_the_loop_in_prediction_leaving_one_out_and_explanation(cases, k):
    X, y = [[a, b] for a, b, _ in cases], [label for _, _, label in cases]
    queries = [[a, b] for a in range(3) for b in range(3)]
    clf = classifier(k, ties="distances").fit(X, y)
    expected = [slow_answer(cases, query, k) for query in queries]
    assert clf.predict(queries).tolist() == expected
    assert [why.prediction for why in clf.explain(queries)] == expected
    assert clf.predict(None).tolist() == [slow_answer(cases, query, k, i) for i, query in enumerate(X)]


@pytest.mark.filterwarnings("ignore:Leaving one out:nearwise.errors.NearwiseWarning")  # the labels are random
@pytest.mark.parametrize("ties", ["fair", "distances", "index"])
@pytest.mark.parametrize("rule", ["majority", "distance", "linear", "gaussian", "exponential"])
def test_every_k_from_one_pass_asks_the_next_as_one_pass_for_every_k_does(ties, rule):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 2)), rng.integers(0, 3, 40)
    settings = {"feature_weights": "none", "ties": ties, "vote": rule, "vote_ties": "next"}
    loo = KNNClassifier(**settings).fit(X, y)
    for k, error in enumerate(loo.loo_errors_, start=1):
        assert 1 - KNNClassifier(n_neighbors=k, **settings).fit(X, y).score_loo() == pytest.approx(error), k
    assert loo.n_neighbors_ == 1 + int(np.argmin(loo.loo_errors_))
    assert len(loo.loo_errors_) == 39


def test_asking_the_next_can_change_the_k_that_is_chosen():
    X, y = [[1], [2], [3], [11], [12], [13]], list("abbbaa")
    told = {v: classifier("loo", v).fit(X, y).loo_errors_.tolist() for v in vote.VOTE_TIES}
    assert told["nearest"] != told["next"]


@pytest.mark.parametrize("ties", ["fair", "distances", "index"])
def test_an_explanation_lists_the_neighbours_of_the_vote_that_decides(ties):
    X, y = [[1], [2], [3], [-1], [-1.5]], ["a", "b", "b", "a", "a"]
    clf = classifier(ties=ties).fit(X, y)
    tied, clear = clf.explain([[1.5], [-1.2]])  # 1.5: "a" and "b" at 0.5, then "b" at 1.5
    assert tied.prediction == clf.predict([[1.5]])[0]
    assert tied.distribution == dict(zip(clf.classes_, clf.predict_proba([[1.5]])[0]))
    assert sum(n.vote_share for n in tied.neighbours) + tied.tied_share == pytest.approx(1)
    assert len(tied.neighbours) == 3
    assert [n.index for n in clear.neighbours] == [3, 4]
    assert len(clf.explain(None)) == 5


@pytest.mark.parametrize("vote_ties", vote.VOTE_TIES)
@pytest.mark.parametrize("ties", ["fair", "distances", "index"])
def test_weights_given_with_the_queries_stay_with_them_in_explanations(ties, vote_ties):
    X, y = [[1, 0], [0, 2], [3, 3], [0, 9]], ["a", "b", "b", "a"]
    clf = classifier(1, vote_ties, ties=ties).fit(X, y)
    rows = [[0.0, 0.0], [2.0, 1.0], [0.0, 0.0]]
    weights = np.array([[2.0, 1.0], [1.0, 1.0], [1.0, 9.0]])
    told = clf.explain(rows, n_neighbors=2, feature_weights=weights)
    alone = [clf.explain(rows[j : j + 1], n_neighbors=2, feature_weights=weights[j : j + 1])[0] for j in range(3)]
    assert [str(why).partition(":")[2] for why in told] == [str(why).partition(":")[2] for why in alone]


def test_a_saved_model_asks_as_before(tmp_path):
    clf = classifier().fit([[1], [2], [3]], ["a", "b", "b"])
    clf.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.vote_ties == "next"
    assert again.predict(QUERY)[0] == "b"


def test_predictions_follow_a_parameter_that_is_set_later():
    clf = classifier(vote_ties="nearest").fit([[1], [2], [3]], ["a", "b", "b"])
    assert clf.set_params(vote_ties="next").predict(QUERY)[0] == "b"


@pytest.mark.parametrize("wrong", ["nxt", None, 1, ["next"], np.array(["next", "nearest"])])
def test_anything_else_is_an_error_that_names_both(wrong):
    with pytest.raises(InputError, match=r"vote_ties=.*expected one of nearest, next"):
        classifier(vote_ties=wrong).fit([[1], [2]], ["a", "b"])


def test_where_nothing_else_is_said_a_plain_vote_asks_the_next():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (40, 2)), rng.integers(0, 2, 40)
    clf = KNNClassifier(4, vote="majority", vote_ties="next", local_scale=None).fit(X, y)
    assert clf.predict(X).tolist() == [why.prediction for why in clf.explain(X)]
    with pytest.raises(InputError, match="take answer='vote', or vote_ties='nearest'"):
        KNNClassifier(answer="both", vote_ties="next").fit(X, y)


def test_a_regressor_has_no_vote_that_ties():
    with pytest.raises(TypeError):
        KNNRegressor(vote_ties="next")


@given(
    st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 12), st.sampled_from(["fair", "index"]),
    st.sampled_from(["majority", "distance", "exponential"]), st.sampled_from([1, 3, 40]),
)  # fmt: skip
def test_the_vote_for_every_k_asks_the_next_as_the_vote_for_each(seed, n, k, ties, rule, values):
    rng = np.random.default_rng(seed)
    engine = NearestCases(1).fit(rng.integers(0, values, (n, 2))).plan_.engine
    payload = Payload(rng.integers(0, 3, n), rng.integers(0, 3, (n, 1)).astype(float), 3)
    ballots = vote.collect(engine, engine.distance.stored.cases, k + 1, payload, ties, np.arange(n))
    kernel, root, priors = vote.get(rule), engine.distance.metric.root, np.array([0.4, 0.2, 0.4])
    fast = vote.winners(ballots, k, kernel, root, priors, vote_ties="next")
    for places in range(1, k + 1):
        votes, more = (vote.tally(*ballots.at(at), kernel, root)[0][:, :, 0] for at in (places, places + 1))
        settled = vote.are_tied(votes) & ~vote.are_tied(more)
        expected = np.where(settled, vote.decide(more, None, priors), vote.decide(votes, None, priors))
        np.testing.assert_array_equal(fast[:, places - 1], expected)
