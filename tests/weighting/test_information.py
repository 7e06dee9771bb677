import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Cyclic, Ordinal, Set, Symbolic, Text, Vector
from nearwise.errors import InputError
from nearwise.weighting import InformationGain
from tests.weighting.tables import mixed, problem_of

COUNTABLE = ["number", "hour", "symbol", "mvdm", "rank"]


def entropy(labels, weights):
    total = sum(weights)
    shares = [sum(w for c, w in zip(labels, weights, strict=True) if c == k) / total for k in set(labels)]
    return -sum(s * math.log2(s) for s in shares if s > 0)


def slow_gain(values, labels, weights):
    """H(C) - sum over v of P(v) H(C | v), by looking at every case for every value."""
    if not values:
        return 0.0
    left = 0.0
    for v in set(values):
        rows = [i for i, u in enumerate(values) if u == v]
        inside = [weights[i] for i in rows]
        left += sum(inside) / sum(weights) * entropy([labels[i] for i in rows], inside)
    return entropy(labels, weights) - left


def slow_values(problem, f):
    """The values of feature f as the gain counts them, None where a case is left out."""
    column, measure = problem.table.columns[f], problem.metric.measures[f]
    values = [column.value(i) for i in range(len(column))]
    known = [v for v in values if v is not None]
    if problem.table.schema[measure.name].storage == "number" and known:
        if isinstance(measure.kind, Cyclic):
            values = [None if v is None else np.mod(v, measure.kind.period) for v in values]
            known = [v for v in values if v is not None]
        low, high = min(known), max(known)
        cuts = [low + k * (high - low) / 8 for k in range(1, 8)]
        values = [None if v is None else sum(v >= cut for cut in cuts) for v in values]
        values = [0 if v is not None and low == high else v for v in values]
    return ["missing" if v is None and measure.policy == "value" else v for v in values]


@given(made=mixed(features=COUNTABLE, max_cases=12, weighted=True))
def test_gain_equals_a_loop_over_values_and_cases(made):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    found = InformationGain().learn(problem).values
    for f in range(len(schema)):
        values = slow_values(problem, f)
        rows = [i for i, v in enumerate(values) if v is not None]
        expected = slow_gain([values[i] for i in rows], [y[i] for i in rows], [w[i] for i in rows])
        assert found[f] == pytest.approx(expected, abs=1e-12)


def test_quinlans_weather_gives_the_gains_of_his_paper():
    table = """sunny hot high false N|sunny hot high true N|overcast hot high false P|rain mild high false P
    |rain cool normal false P|rain cool normal true N|overcast cool normal true P|sunny mild high false N
    |sunny cool normal false P|rain mild normal false P|sunny mild normal true P|overcast mild high true P
    |overcast hot normal false P|rain mild high true N"""
    rows = [line.split() for line in table.split("|")]
    X = [dict(zip(("outlook", "temperature", "humidity", "windy"), row, strict=False)) for row in rows]
    gains = InformationGain().fit(X, [row[4] for row in rows]).feature_importances_
    assert gains.round(3).tolist() == [0.247, 0.029, 0.152, 0.048]


def test_numbers_worked_by_hand_in_eight_bins():
    x = [0.0, 1.0, 2.0, 8.0]  # bins [0,1) [1,2) [2,3) and [7,8]: every case alone, so all of H(C) = 1 is gained
    y = ["u", "u", "v", "v"]
    assert InformationGain().fit([[v] for v in x], y).feature_importances_.tolist() == [1.0]
    # two bins: [0,4) holds u, u, v and [4,8] holds v
    left = 0.75 * -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    assert InformationGain(bins=2).fit([[v] for v in x], y).feature_importances_ == pytest.approx([1 - left])


@pytest.mark.parametrize("n", range(2, 40))
def test_a_one_valued_feature_has_exactly_0(n):
    rng = np.random.default_rng(n)
    X = [{"number": 0.1, "symbol": "a"} for _ in range(n)]
    assert InformationGain().fit(X, rng.choice(list("uvw"), n)).feature_importances_.tolist() == [0.0, 0.0]


def test_an_independent_feature_has_exactly_0():
    X = [{"s": s} for s in "abc" * 7]
    y = [c for c in "uvuvuvv" for _ in range(3)]
    assert InformationGain().fit(X, y).feature_importances_.tolist() == [0.0]


@given(made=mixed(features=COUNTABLE), times=st.integers(2, 3))
def test_repeating_the_table_changes_nothing(made, times):
    records, y, _, schema = made
    once = InformationGain().learn(problem_of(records, y, None, schema)).values
    again = InformationGain().learn(problem_of(records * times, np.tile(y, times), None, schema)).values
    weighted = InformationGain().learn(problem_of(records, y, np.full(len(y), times), schema)).values
    assert again == pytest.approx(once, abs=1e-12)
    assert weighted.tolist() == again.tolist()


@given(made=mixed(features=["symbol", "rank"]))
def test_renaming_values_and_classes_changes_nothing(made):
    records, y, _, schema = made
    renamed = [{k: v if v is None or k == "rank" else f"-{v}" for k, v in r.items()} for r in records]
    relabelled = np.array([{"no": "z", "yes": "a", "perhaps": "m"}[c] for c in y])
    one = InformationGain().learn(problem_of(records, y, None, schema)).values
    two = InformationGain().learn(problem_of(renamed, relabelled, None, schema)).values
    assert two == pytest.approx(one, abs=1e-12)


@given(made=mixed(features=COUNTABLE, min_cases=4, max_cases=10, weighted=True), data=st.data())
def test_partial_fit_and_remove_equal_one_fit(made, data):
    records, y, w, schema = made
    n = len(y)
    cut = data.draw(st.integers(1, n - 1))
    gone = data.draw(st.lists(st.integers(0, n - 1), max_size=n - 1, unique=True))
    ig = InformationGain().fit(records[:cut], y[:cut], w[:cut], schema=schema)
    ig.partial_fit(records[cut:], y[cut:], w[cut:])
    full = InformationGain().fit(records, y, w, schema=schema)
    assert ig.weights_.values == pytest.approx(full.weights_.values, abs=1e-12)
    kept = [i for i in range(n) if i not in gone]
    ig.remove(gone)
    fresh = InformationGain().learn(problem_of([records[i] for i in kept], y[kept], w[kept], schema, full.classes_))
    assert ig.weights_.values == pytest.approx(fresh.values, abs=1e-12)


def test_a_feature_that_is_always_missing_has_0():
    X = [{"none": None, "x": "a"}, {"none": None, "x": "b"}]
    gains = InformationGain().fit(X, ["u", "v"], schema={"none": Symbolic()}).feature_importances_
    assert gains.tolist() == [0.0, 1.0]


def test_levels_count_by_value_and_circles_by_their_turn():
    schema = {"o": Ordinal(("low", "mid", "high")), "h": Cyclic(period=24.0)}
    X = [{"o": "low", "h": 1.0}, {"o": "mid", "h": 25.0}, {"o": "high", "h": 13.0}, {"o": "high", "h": -11.0}]
    assert InformationGain().fit(X, list("uuvv"), schema=schema).feature_importances_.tolist() == [1.0, 1.0]
    assert InformationGain().fit(X, list("uvuv"), schema=schema).feature_importances_.tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Text(), "abc"), (Set(), ["a"]), (Vector(), [1.0, 2.0]), (Custom(function=lambda x, q: 0.0), 3)],
    ids=["text", "set", "vector", "custom"],
)
def test_kinds_without_countable_values_are_refused_with_the_way_out(kind, value):
    with pytest.raises(InputError, match=r"feature 'notes'.*'mdw', which works for any kind.*ignore=\['notes'\]"):
        InformationGain().fit([{"notes": value}, {"notes": value}], ["u", "v"], schema={"notes": kind})


@pytest.mark.parametrize("bins", [0, -1, 2.5, "eight"])
def test_a_wrong_number_of_bins_is_told(bins):
    with pytest.raises(InputError, match=r"bins.*a whole number"):
        InformationGain(bins=bins).fit([[1.0], [2.0]], ["u", "v"])
