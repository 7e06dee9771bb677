"""OneR and CFP: worked by hand, against an obvious version, with holes, saved, and on the command line."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from nearwise import FeaturePartitioning, OneR, Ordinal, load
from nearwise.errors import ModelFileError
from nearwise.estimators.partitioning import Partition
from nearwise.lab.comparing import compare
from tests.estimators.every_kind import cases_of, labels_of, schema_of

WEATHER = [
    ("sunny", 85), ("sunny", 80), ("overcast", 83), ("rainy", 70), ("rainy", 68), ("rainy", 65), ("overcast", 64),
    ("sunny", 72), ("sunny", 69), ("rainy", 75), ("sunny", 75), ("overcast", 72), ("overcast", 81), ("rainy", 71),
]  # fmt: skip
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


def table():
    return [{"outlook": outlook, "temperature": float(t)} for outlook, t in WEATHER]


def test_one_rule_on_the_weather_worked_by_hand():
    clf = OneR(min_cases=3).fit(table(), PLAY)
    # sunny: 3 of 5 no, overcast: 4 of 4 yes, rainy: 3 of 5 yes: 10 of 14 right
    assert clf.feature_ == "outlook"
    assert clf.accuracies_[0] == pytest.approx(10 / 14)
    assert clf.predict(table()[:4]).tolist() == ["no", "no", "yes", "yes"]
    np.testing.assert_allclose(clf.predict_proba(table()[:1]), [[0.6, 0.4]])
    assert clf.predict([{"outlook": "snow", "temperature": None}])[0] == "yes"
    assert "outlook = sunny says no 0.6" in str(clf.explain(table()[:1])[0])


def test_intervals_hold_enough_cases_and_join_where_their_class_is_the_same():
    X = [[v] for v in (1.0, 2.0, 2.0, 3.0, 7.0, 8.0, 9.0, 9.5)]
    clf = OneR(min_cases=2).fit(X, ["a", "b", "a", "a", "b", "b", "b", "a"])
    # 1 2 2 3 | 7 8 9 | 9.5: three intervals, cut half way
    assert clf._fitted().rules[0].cuts.tolist() == [5.0, 9.25]
    joined = OneR(min_cases=1).fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    assert joined._fitted().rules[0].cuts.tolist() == [2.5]


def test_a_missing_value_is_a_value_of_its_own_to_one_rule():
    X = [{"n": 1.0}, {"n": 2.0}, {"n": None}, {"n": None}]
    clf = OneR(min_cases=1).fit(X, ["a", "a", "b", "b"])
    assert clf.predict([{"n": None}, {"n": 1.5}]).tolist() == ["b", "a"]


def test_a_partition_worked_by_hand():
    line = Partition(reach=2.0)
    for value, code in ((1.0, 0), (2.5, 0), (6.0, 1), (4.0, 1), (3.0, 1)):
        line.add(value, code, 1.0)
    # 2.5 is within 2 of 1, 4 within 2 of 6, and 3 within 1 of that
    assert line.segments == [(1.0, 2.5, 0, 2.0), (3.0, 6.0, 1, 3.0)]
    line.add(4.5, 0, 1.0)
    assert line.segments == [(1.0, 2.5, 0, 2.0), (3.0, 4.5, 1, 1.5), (4.5, 4.5, 0, 1.0), (4.5, 6.0, 1, 1.5)]
    assert [line.says(v) for v in (0.0, 1.0, 2.7, 4.0, 4.5, 5.0)] == [-1, 0, -1, 1, 0, 1]


def slow_partition(reach, cases):
    """CFP from its description: a list of intervals that is searched from end to end."""
    found = []
    for value, code in cases:
        here = [s for s in found if s[0] <= value <= s[1]]
        own = [s for s in here if s[2] == code]
        point = [s for s in own if s[0] == s[1]]
        if own:
            (point or own)[0][3] += 1.0
            continue
        inside = [s for s in here if s[0] < value < s[1]]
        if inside:
            low, high, other, n = inside[0]
            found.remove(inside[0])
            found.append([low, value, other, n * ((value - low) / (high - low))])
            found.append([value, high, other, n * (1 - (value - low) / (high - low))])
        if here:
            found.append([value, value, code, 1.0])
            continue
        sides = []
        below, above = [s for s in found if s[1] < value], [s for s in found if s[0] > value]
        if below:
            nearest = max(s[1] for s in below)
            at = [s for s in below if s[1] == nearest]
            # of those that end there, a point or an interval that begins there is the outermost
            outer = max(at, key=lambda s: s[0])
            sides += [(value - nearest, s) for s in at if s[2] == code and s[:2] == outer[:2]]
        if above:
            nearest = min(s[0] for s in above)
            at = [s for s in above if s[0] == nearest]
            outer = min(at, key=lambda s: s[1])
            sides += [(nearest - value, s) for s in at if s[2] == code and s[:2] == outer[:2]]
        sides = [pair for pair in sides if pair[0] <= reach]
        if sides:
            nearest = min(gap for gap, _ in sides)
            taken = next(s for gap, s in sides if gap == nearest)
            taken[0], taken[1], taken[3] = min(taken[0], value), max(taken[1], value), taken[3] + 1.0
        else:
            found.append([value, value, code, 1.0])
    return sorted(map(tuple, found))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=25), st.sampled_from([0.0, 1.0, 2.0, 5.0]))
def test_partitions_equal_the_obvious_version(cases, reach):
    line = Partition(reach)
    for value, code in cases:
        line.add(float(value), code, 1.0)
    expected = slow_partition(reach, [(float(v), c) for v, c in cases])
    got = sorted(line.segments)
    assert [s[:3] for s in got] == [s[:3] for s in expected]
    np.testing.assert_allclose([s[3] for s in got], [s[3] for s in expected])
    ends = [s[:2] for s in line.segments]
    assert all(a[1] <= b[0] for a, b in pairwise(ends))
    assert sum(s[3] for s in line.segments) == pytest.approx(len(cases))


def test_weights_grow_and_shrink_with_right_and_wrong_predictions():
    # the first feature says the class, the second one says the wrong class each time it says anything
    X = [[1.0, 5.0], [2.0, 5.0], [1.0, 5.0], [2.0, 5.0]]
    clf = FeaturePartitioning(limit=0.0, delta=0.5).fit(X, ["a", "b", "a", "b"])
    # right twice: 1.5^2; the second feature: b is called a, then a (tied counts: the first class) right, b wrong
    np.testing.assert_allclose(clf.feature_importances_, [1.0, 0.5 * 1.5 * 0.5 / 1.5**2])
    assert (FeaturePartitioning(delta=0.0).fit(X, list("abab")).feature_importances_ == 1).all()


def test_numbers_whose_range_is_too_large_for_a_number_have_partitions():
    clf = FeaturePartitioning().fit([[1e308], [-1e308], [0.0]], ["u", "v", "u"])
    assert clf.predict([[1e308], [-1e308], [0.0]]).tolist() == ["u", "v", "u"]


def test_symbols_and_levels_have_partitions_too():
    X = [{"hue": "red", "size": "S"}, {"hue": "red", "size": "M"}, {"hue": "blue", "size": "L"}]
    clf = FeaturePartitioning(limit=1.0, schema={"size": Ordinal(("S", "M", "L"))}).fit(X, ["u", "u", "v"])
    assert clf.intervals("hue") == [("blue", "blue", "v", 1.0), ("red", "red", "u", 2.0)]
    assert clf.intervals("size") == [(0.0, 1.0, "u", 2.0), (2.0, 2.0, "v", 1.0)]
    assert clf.predict([{"hue": "green", "size": None}])[0] == "u"
    assert not clf.feature_votes([{"hue": "green", "size": None}]).any()
    with pytest.raises(ValueError, match="no feature 'hu'"):
        clf.intervals("hu")


def test_taking_cases_in_later_equals_taking_them_in_at_once():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    ranges = np.ptp(X, axis=0)
    whole = FeaturePartitioning().fit(X, y)
    parts = FeaturePartitioning().partial_fit(X[:100], y[:100], classes=[0, 1, 2]).partial_fit(X[100:], y[100:])
    if (np.ptp(X[:100], axis=0) == ranges).all():
        np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    assert parts.score(X, y) > 0.85
    new = FeaturePartitioning().fit([["a"], ["b"]], ["u", "v"]).partial_fit([["c"], ["a"]], ["t", "t"])
    assert new.classes_.tolist() == ["t", "u", "v"]
    assert new.predict([["c"], ["b"]]).tolist() == ["t", "v"]


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("make", [OneR, FeaturePartitioning])
def test_rules_are_saved_and_loaded(make, tmp_path):
    cases, y = cases_of(60)
    labels, queries = labels_of(y), cases_of(20, seed=3)[0]
    clf = make(schema=schema_of()).fit(cases, labels)
    clf.save(tmp_path / "rules")
    again = load(tmp_path / "rules")
    np.testing.assert_array_equal(again.predict_proba(queries), clf.predict_proba(queries))
    np.testing.assert_array_equal(again.feature_votes(queries), clf.feature_votes(queries))
    assert again.get_params()["ignore"] is None
    assert len(again.explain(queries)) == 20
    if make is OneR:
        assert again.feature_ == clf.feature_
    else:
        again.partial_fit(queries, labels_of(cases_of(20, seed=3)[1]))


def test_a_file_with_impossible_rules_is_refused(tmp_path, monkeypatch):
    from nearwise.estimators import saving_rules

    clf = FeaturePartitioning().fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    pack = saving_rules._pack_rule
    for wrong in ({"reach": -1.0}, {"reach": "far"}):
        monkeypatch.setattr(saving_rules, "_pack_rule", lambda p, rule, wrong=wrong: {**pack(p, rule), **wrong})
        clf.save(tmp_path / "wrong")
        with pytest.raises(ModelFileError, match="generalisation limit"):
            load(tmp_path / "wrong")


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (OneR(min_cases=0), "min_cases"), (FeaturePartitioning(limit=-1), "limit"),
        (FeaturePartitioning(delta=1), "delta"),
        (FeaturePartitioning(limit={"weight": 0.1}), "no such feature"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_in_a_sentence(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(table(), PLAY)


def test_tables_without_numbers_or_symbols_are_refused():
    with pytest.raises(ValueError, match="no feature is one of these"):
        OneR(schema={"x0": "text"}).fit([["some words"], ["other words"]], ["a", "b"])


def test_iris_has_the_accuracies_that_are_known_of_these_rules():
    X, y = load_iris(return_X_y=True)
    found = {r.method: r.mean for r in compare(X, y, {"one-r": "one-r", "cfp": "cfp"}).results}
    assert 0.92 <= found["one-r"] <= 0.97
    assert 0.88 <= found["cfp"] <= 0.97
