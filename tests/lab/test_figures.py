"""What a report shows, against slow twins and by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise.cases.frames import raw_table
from nearwise.cases.table import CaseTable
from nearwise.datasets import make_led
from nearwise.datasets.cars import SCHEMA, make_cars
from nearwise.lab.comparing import compare
from nearwise.lab.figures import learned as module
from nearwise.lab.figures.glance import glance_of
from nearwise.lab.figures.learned import FEWEST, draw, learned, weigh
from nearwise.lab.figures.neighbours import errors_by_k
from nearwise.lab.figures.redrawn import bootstrap
from nearwise.lab.figures.redundant import redundant, uncertainty
from nearwise.lab.figures.unseen import Unseen, calibration_error, unseen
from nearwise.lab.significance import interval


def test_every_value_of_a_column_is_in_one_place():
    cars, _ = make_cars(120)
    table = CaseTable.of(cars, schema=SCHEMA)
    found = {each.name: each for each in glance_of(table)}
    assert list(found) == list(table.schema.names)
    for name, each in found.items():
        kind = table.schema[name].name
        if each.spread is not None and kind != "Set":
            assert sum(each.spread.counts) + each.missing == len(cars), name
        assert (each.spread is None) == (kind in ("Vector", "Custom")), name
    makes = Counter(car["make"] for car in cars if car["make"] is not None)
    assert dict(zip(found["make"].spread.places, found["make"].spread.counts, strict=True))["BMW"] == makes["BMW"]


codes = st.lists(st.integers(0, 3), min_size=2, max_size=30)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=40))
def test_shared_information_equals_the_sum_over_all_cells(pairs):
    a, b = np.array(pairs).T

    def entropy(values):
        return -sum(c / len(pairs) * math.log2(c / len(pairs)) for c in Counter(values).values())

    one, other, both = entropy(a.tolist()), entropy(b.tolist()), entropy(pairs)
    expected = 2 * (one + other - both) / (one + other) if one + other else 0.0
    assert uncertainty(a, b) == pytest.approx(expected, abs=1e-12)


def test_only_features_that_say_the_same_are_told():
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 200)
    size = rng.normal(size=200)
    rows = [
        {"kind": k, "code": {"a": "x", "b": "y", "c": "z"}[k], "size": s, "twice": 2 * s, "else": e, "id": f"n{i}"}
        for i, (k, s, e) in enumerate(zip(kind, size, rng.normal(size=200), strict=True))
    ]
    found = redundant(CaseTable.of(rows, schema={"id": "symbolic"}))
    assert {(pair.first, pair.second) for pair in found.pairs} == {("kind", "code"), ("size", "twice")}
    assert all(pair.value == pytest.approx(1) for pair in found.pairs)
    assert (found.compared, found.of) == (6, 6)


def test_looking_for_features_that_say_the_same_ends_when_it_is_told():
    table = CaseTable.of([dict.fromkeys("abcdef", i) for i in range(40)])
    asked = iter([False, False, False, True])
    found = redundant(table, lambda: next(asked))
    assert {(pair.first, pair.second) for pair in found.pairs} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert (found.compared, found.of) == (3, 6)


def test_weights_are_those_of_the_method_and_intervals_those_of_its_draws():
    table, digits = make_led(200, irrelevant=3)
    found = learned(raw_table(table), digits, ["gr", "mdw", "qm2y"], time_limit=30, n_jobs=2)
    assert "gr" in found.ranking.methods
    expected = nw.weighting.get("gr").fit(table, digits).feature_importances_
    at = found.ranking.methods.index("gr")
    assert found.ranking.weights[at] == pytest.approx(expected / expected.max())
    assert found.draws[at] >= FEWEST
    assert (found.low[at] <= found.high[at]).all()
    assert set(found.ranking.methods) | set(found.ranking.left_out) == {"gr", "mdw", "qm2y"}


def test_an_interval_is_that_of_draws_by_hand():
    table, digits = make_led(60, irrelevant=1)
    names, weights, _ = weigh(raw_table(table), list(digits), "gr", False, None, 0)
    drawn = draw(raw_table(table), list(digits), "gr", False, None, 0, 60.0)
    assert len(drawn) == 30
    chance, answers = np.random.default_rng(0), np.array(digits)
    part = bootstrap(answers, chance, False)
    many = np.repeat(part.rows, part.weights.astype(int))
    first = nw.weighting.get("gr").fit([table[i] for i in many], answers[many]).feature_importances_
    assert drawn[0] == pytest.approx(first / first.max())
    assert len(names) == len(weights) == drawn.shape[1]


class Watch:
    """A clock in place of `time`, which goes on when it is told."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


def in_turn(watch, seconds):
    """Tasks one after the other, each of so many seconds of the watch; ended as `done` ends them."""

    def done(tasks, n_jobs, budget, enough):
        for place, task in enumerate(tasks):
            for _ in range(seconds):
                watch.now += 1
                if enough():
                    return
            yield place, getattr(module, task.function)(*task.arguments)

    return done


def test_a_method_without_time_is_left_out_with_its_reason(monkeypatch):
    table, digits = make_led(60)
    watch = Watch()
    monkeypatch.setattr(module, "time", watch)
    monkeypatch.setattr(module, "done", in_turn(watch, 5))
    monkeypatch.setattr(Watch, "process_time", Watch.monotonic, raising=False)
    found = learned(raw_table(table), digits, ["gr", "ig", "mdw", "sd"], time_limit=10)
    assert found.ranking.methods == ("gr",)
    assert found.ranking.left_out["ig"] == "it was not done when the 10 seconds for weights were over"
    assert found.ranking.left_out["mdw"] == "it was not begun: the 10 seconds for weights were over"
    assert found.draws == (0,)
    assert np.isnan(found.low).all()
    assert watch.now <= 11


def test_a_first_method_is_not_waited_for_beyond_the_limit(monkeypatch):
    table, digits = make_led(60)
    watch = Watch()
    monkeypatch.setattr(module, "time", watch)
    monkeypatch.setattr(module, "done", in_turn(watch, 1_000))
    found = learned(raw_table(table), digits, ["gr", "ig"], time_limit=10)
    assert found.ranking.methods == ()
    assert set(found.ranking.left_out) == {"gr", "ig"}
    assert watch.now == 11


def test_every_method_has_its_turn_before_any_has_draws():
    table, digits = make_led(60)
    asked = []

    def done(tasks, n_jobs, budget, enough):
        for place, task in enumerate(tasks):
            asked.append(task.function)
            yield place, getattr(module, task.function)(*task.arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "done", done)
        found = learned(raw_table(table), digits, ["gr", "ig", "mdw"], time_limit=60)
    assert asked == ["weigh"] * 3 + ["draw"] * 3
    assert found.draws == (30, 30, 30)
    assert np.isfinite(found.high).all()


@pytest.mark.parametrize(("at", "methods", "draws"), [(1, ("gr",), (0,)), (4, ("gr", "ig", "mdw"), (30, 0, 0))])
def test_weights_and_intervals_that_were_done_before_an_interruption_are_kept(monkeypatch, at, methods, draws):
    begun = []

    def stopped(tasks, n_jobs, budget, enough):
        for place, task in enumerate(tasks):
            if len(begun) == at:
                raise KeyboardInterrupt
            begun.append(task.function)
            yield place, getattr(module, task.function)(*task.arguments)

    monkeypatch.setattr(module, "done", stopped)
    X, y = [[i % 7, i % 5] for i in range(30)], ["pq"[i % 7 > 3] for i in range(30)]
    found = learned(raw_table(X), y, ["gr", "ig", "mdw"], time_limit=60)
    assert not found.is_whole
    assert found.ranking.methods == methods
    assert sorted(found.draws, reverse=True) == list(draws)
    assert set(found.ranking.left_out) == {"gr", "ig", "mdw"} - set(methods)
    assert set(found.ranking.left_out.values()) <= {"Ctrl-C came before"}


def test_features_that_a_method_makes_for_itself_are_no_features_of_the_table():
    rows = [{"age": age, "smoker": smoker} for age in (30, 40, 60, 70) for smoker in ("yes", "no")] * 10
    ill = [row["age"] > 50 and row["smoker"] == "yes" for row in rows]
    found = learned(raw_table(rows), ill, ["gr", "ib3-ci"], time_limit=60, n_jobs=1)
    assert found.ranking.features == ("age", "smoker")
    assert found.ranking.methods == ("gr", "ib3-ci")


def test_a_method_that_refuses_says_so():
    cars, bands = make_cars(60)
    found = learned(raw_table(cars), bands, ["gr", "mdw"], schema=SCHEMA, time_limit=30, n_jobs=1)
    assert found.ranking.methods == ("mdw",)
    assert "gr" in found.ranking.left_out


def test_errors_by_k_are_those_of_leaving_one_out():
    table, digits = make_led(60, irrelevant=2)
    (found,) = errors_by_k(table, digits, ["gr"], False, None, 0)
    for k in (1, 4):
        model = nw.KNNClassifier(k, "gr").fit(table, digits)
        assert found.errors[k - 1] == pytest.approx(1 - model.score_loo())


@pytest.fixture(scope="module")
def answered():
    table, digits = make_led(120, irrelevant=2)
    compared = compare(table, digits, ["gr"], 4)
    return compared, unseen(compared, "gr", np.unique(digits))


def test_unseen_answers_are_those_of_the_comparison(answered):
    compared, found = answered
    right = (found.truth == found.predicted).mean()
    assert right == pytest.approx(compared["gr"].pooled)
    assert found.rows.tolist() == list(range(120))
    table, digits = make_led(120, irrelevant=2)
    test = compared.tests[1]
    train = np.setdiff1d(np.arange(120), test)
    model = nw.KNNClassifier(feature_weights="gr", random_state=0).fit(
        [table[i] for i in train], [digits[i] for i in train]
    )
    assert found.shares[test] == pytest.approx(model.predict_proba([table[i] for i in test]))
    assert np.trace(found.confusion) == (found.truth == found.predicted).sum()
    assert found.confusion.sum() == 120


def test_the_hardest_are_wrong_and_the_typical_are_right(answered):
    _, found = answered
    hard = found.hardest(5)
    assert (found.truth[hard] != found.predicted[hard]).all()
    wrong = found.truth != found.predicted
    assert found.trouble[hard[0]] == found.trouble[wrong].max()
    typical = found.typical(np.zeros(len(found.rows)))
    assert (found.truth[typical] == found.predicted[typical]).all()
    assert len(set(found.truth[typical].tolist())) == len(typical)


def test_calibration_by_hand():
    shares = np.array([[0.95, 0.05], [0.95, 0.05], [0.6, 0.4], [0.2, 0.8]])
    found = Unseen(np.arange(4), np.array([0, 1, 0, 1]), shares.argmax(axis=1), shares, np.array(["a", "b"]))
    parts = found.calibration()
    assert [(round(p.said, 2), p.found, p.count) for p in parts] == [(0.6, 1.0, 1), (0.8, 1.0, 1), (0.95, 0.5, 2)]
    assert calibration_error(parts) == pytest.approx((0.4 + 0.2 + 2 * 0.45) / 4)


def test_the_interval_of_a_mean_by_hand():
    table, digits = make_led(60, irrelevant=2)
    compared = compare(table, digits, ["none"], 4)
    scores = np.array(compared["none"].scores)
    half_width = 3.182446305284263 * math.sqrt((1 / 4 + 1 / 3) * scores.var(ddof=1))  # t of 3 degrees
    assert interval(compared, compared["none"]) == pytest.approx(half_width)
