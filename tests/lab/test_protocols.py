"""Cross-validation: every case is tested once, nothing is learned from test cases, refusals are told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise
from nearwise import AutoClassifier, AutoRegressor, KNNClassifier, KNNRegressor
from nearwise.cases.frames import raw_table
from nearwise.errors import InputError, NearwiseWarning
from nearwise.estimators import by_name as names
from nearwise.estimators.by_name import by_name
from nearwise.lab.comparing import compare
from nearwise.lab.entrants import FEW
from nearwise.lab.measures import balanced_accuracy
from nearwise.lab.protocols import folds_of

X = [{"size": i, "hue": "red" if i % 3 else "blue"} for i in range(30)]
Y = ["small" if i < 15 else "big" for i in range(30)]


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=60), st.integers(2, 4), st.integers(0, 99))
def test_folds_hold_every_case_once_and_deal_classes_evenly(labels, folds, seed):
    parts = folds_of(labels, folds, np.random.default_rng(seed))
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(labels)))
    for label in set(labels):
        counts = [sum(labels[i] == label for i in part) for part in parts]
        assert max(counts) - min(counts) <= 1
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_the_same_seed_gives_the_same_scores():
    first, second = compare(X, Y, ["none"], seed=5), compare(X, Y, ["none"], seed=5)
    assert first.results[0].scores == second.results[0].scores
    assert len(first.results[0].scores) == len(first.results[0].k) == 10


def test_scores_are_those_of_fits_by_hand():
    found = compare(X, Y, ["ig"], folds=3, seed=1).results[0]
    by_hand, right = [], 0
    for rows in folds_of(Y, 3, np.random.default_rng(1)):
        train = [i for i in range(30) if i not in rows]
        model = KNNClassifier(feature_weights="ig").fit([X[i] for i in train], [Y[i] for i in train])
        hits = model.predict([X[i] for i in rows]) == np.array([Y[i] for i in rows])
        by_hand.append(hits.mean())
        right += hits.sum()
    assert found.scores == tuple(by_hand)
    assert found.pooled == right / 30
    assert found.mean == pytest.approx(np.mean(by_hand))
    assert found.spread == pytest.approx(np.std(by_hand, ddof=1))


@pytest.mark.parametrize(("method", "model"), [("default", KNNClassifier()), ("auto", AutoClassifier(random_state=1))])
def test_default_and_auto_are_the_estimators_of_these_names(method, model):
    found = compare(X, Y, [method], folds=3, seed=1).results[0]
    by_hand = []
    for rows in folds_of(Y, 3, np.random.default_rng(1)):
        train = [i for i in range(30) if i not in rows]
        model.fit([X[i] for i in train], [Y[i] for i in train])
        by_hand.append(np.mean(model.predict([X[i] for i in rows]) == np.array([Y[i] for i in rows])))
    assert found.scores == tuple(by_hand)
    assert (len(found.k), found.learned) == (3 if method == "default" else 0, True)


def test_names_stand_for_estimators():
    weights = np.array([1.0, 2.0])
    assert type(by_name("auto", regression=True)) is AutoRegressor
    assert by_name("default", regression=True).get_params() == KNNRegressor().get_params()
    assert by_name(weights, n_neighbors=3).feature_weights is weights
    with pytest.raises(InputError, match=r"n_neighbors was given: leave that out"):
        by_name("auto", n_neighbors=3)


def test_a_warning_is_told_once_with_the_name_of_the_method():
    with pytest.warns(NearwiseWarning, match=r"^relief-f: n_neighbors=10 asks for more cases") as told:
        compare(X, Y, ["relief-f", "none"], folds=2)
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore:relief-f")
def test_with_no_method_named_the_sensible_few_are_compared():
    found = compare(X, Y, folds=2)
    assert [r.method for r in found.results] == list(FEW[False])
    assert FEW[False][:2] == FEW[True][:2] == ("default", "auto")
    assert not found.baseline.learned


def test_balanced_accuracy_counts_every_class_alike():
    assert balanced_accuracy(np.array(list("aaab")), np.array(list("aabb"))) == pytest.approx((2 / 3 + 1) / 2)
    y = ["big"] * 24 + ["small"] * 6
    found = compare(X, y, ["none"], folds=3)
    assert (found.baseline.pooled, found.baseline.balanced) == (0.8, 0.5)
    assert found.to_json()["baseline"]["balanced"] == 0.5
    numbers = compare(X, [float(i) for i in range(30)], ["none"], folds=3, regression=True)
    assert np.isnan(numbers.results[0].balanced)


def test_nothing_is_learned_from_test_cases(monkeypatch):
    seen = []

    class Watched(KNNClassifier):
        def fit(self, X, y=None, sample_weight=None):
            seen.append([X.labels[i] for i in range(len(X))])
            return super().fit(X, y, sample_weight)

        def predict(self, X=None):
            assert not set(X.labels) & set(seen[-1])
            assert len(X.labels) + len(seen[-1]) == 30
            return super().predict(X)

    monkeypatch.setattr(names, "KNNClassifier", Watched)
    table = raw_table(X)
    labelled = type(table)(table.names, table.columns, table.n, tuple(range(30)), True)
    compare(labelled, Y, ["mdw"], folds=5)
    assert len(seen) == 5


def test_the_baseline_predicts_the_larger_class_of_the_training_part():
    y = ["big"] * 20 + ["small"] * 10
    found = compare(X, y, ["none"], folds=5).baseline
    assert found.method == "majority class"
    assert found.scores == pytest.approx([2 / 3] * 5)


def test_a_method_that_refuses_the_table_is_reported_with_its_reason():
    words = [{**case, "note": f"note {i}"} for i, case in enumerate(X)]
    found = compare(words, Y, ["none", "ig"], folds=3, schema={"note": nearwise.Text()})
    refused = found.results[1]
    assert not refused.applicable
    assert "note" in refused.reason
    assert refused.to_json() == {"method": "ig", "applicable": False, "reason": refused.reason}
    assert found.best.method == "none"


def test_when_every_method_refuses_that_is_an_error():
    words = [{**case, "note": f"note {i}"} for i, case in enumerate(X)]
    with pytest.raises(InputError, match="note"):
        compare(words, Y, ["ig"], folds=3, schema={"note": nearwise.Text()})


def test_repeats_draw_other_folds():
    found = compare(X, Y, ["none"], folds=3, repeats=4)
    assert len(found.results[0].scores) == 12
    assert found.test_share == 0.5


def test_methods_may_be_named_objects():
    found = compare(X, Y, {"mine": {"size": 2.0, "hue": 0.0}}, folds=3)
    assert found.results[0].method == "mine"


def test_numbers_are_scored_by_their_mean_absolute_error_and_r_squared():
    y = [float(case["size"]) for case in X]
    found = compare(X, y, ["none"], folds=3, regression=True, n_neighbors=1)
    assert (found.measure, found.told) == ("mae", "mean absolute error")
    assert found.results[0].mean < found.baseline.mean
    assert found.results[0].pooled > 0.9 > found.baseline.pooled
    assert found.best.method == "none"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"folds": 1}, "folds=1"), ({"folds": 31}, "at most one per case"), ({"repeats": 0}, "repeats=0")],
)
def test_impossible_protocols_are_refused(change, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(X, Y, ["none"], **change)


def test_a_target_of_another_length_is_refused():
    with pytest.raises(InputError, match="30 cases, 29 values"):
        compare(X, Y[1:], ["none"])
