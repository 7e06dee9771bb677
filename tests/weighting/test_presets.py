"""The preset methods over counts: each against its equation written as loops, and what they all keep to."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, KNNRegressor, load, weighting
from nearwise.cases.kinds import Custom, Cyclic, Ordinal, Set, Text, Vector
from nearwise.errors import InputError, NearwiseWarning
from tests.cases.test_cuts import slow_mdl
from tests.examples import examples
from tests.weighting.tables import mixed, problem_of

COUNTABLE = ["number", "hour", "symbol", "mvdm", "rank"]
BY_TABLE = ["ig", "gr", "mi", "mi-norm", "chi2", "sv", "gini"]
ALL = [*BY_TABLE, "fisher", "sd", "battiti"]


# ------------------------------------------------------------------------------------------- the obvious twins


def slow_values(problem, f, how):
    """The values of feature f as they are counted, None where a case is left out."""
    column, measure = problem.table.columns[f], problem.metric.measures[f]
    values = [column.value(i) for i in range(len(column))]
    if column.levels is None:
        if isinstance(measure.kind, Cyclic):
            values = [None if v is None else np.mod(v, measure.kind.period) for v in values]
        known = [v for v in values if v is not None]
        if how == "mdl":
            classes, weights = problem.target.values, problem.target.weights
            cuts = slow_mdl([(v, c, w) for v, c, w in zip(values, classes, weights, strict=True) if v is not None])
            values = [None if v is None else sum(v > cut for cut in cuts) for v in values]
        elif known:
            low, high = min(known), max(known)
            cuts = [low + k * (high - low) / 8 for k in range(1, 8)] if high > low else []
            values = [None if v is None else sum(v >= cut for cut in cuts) for v in values]
    return ["missing" if v is None and measure.policy == "value" else v for v in values]


def slow_table(rows, columns, weights):
    """{(row, column): weight} and the totals of rows and columns."""
    cells, of_row, of_column = {}, {}, {}
    for r, c, w in zip(rows, columns, weights, strict=True):
        if r is None or c is None:
            continue
        cells[r, c] = cells.get((r, c), 0) + w
        of_row[r] = of_row.get(r, 0) + w
        of_column[c] = of_column.get(c, 0) + w
    return cells, of_row, of_column


def slow_entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def slow_score(method, cells, of_row, of_column):
    n = sum(of_row.values())
    if len(of_row) < 2:
        return 0.0
    if method == "chi2":
        return sum(
            (cells.get((r, c), 0) - a * b / n) ** 2 / (a * b / n)
            for r, a in of_row.items()
            for c, b in of_column.items()
        )
    if method == "sv":
        smaller = min(len(of_row), len(of_column)) - 1
        return slow_score("chi2", cells, of_row, of_column) / (n * smaller) if smaller else 0.0
    if method == "gini":
        impurity = 1 - sum((b / n) ** 2 for b in of_column.values())
        inside = sum(a / n * (1 - sum((cells.get((r, c), 0) / a) ** 2 for c in of_column)) for r, a in of_row.items())
        return impurity - inside
    if method in ("mi", "mi-norm"):
        bits = sum(w / n * math.log2(w * n / (of_row[r] * of_column[c])) for (r, c), w in cells.items())
        return bits / math.log2(len(of_row)) if method == "mi-norm" else bits
    inside = sum(a / n * slow_entropy([cells.get((r, c), 0) for c in of_column]) for r, a in of_row.items())
    gain = slow_entropy(of_column.values()) - inside
    return gain / slow_entropy(of_row.values()) if method == "gr" else gain


def way(method):
    return "mdl" if method in ("mi", "mi-norm", "battiti") else "width"


@pytest.mark.parametrize("method", BY_TABLE)
@settings(max_examples=examples(40))
@given(made=mixed(features=COUNTABLE, max_cases=14, weighted=True))
def test_a_weight_equals_its_equation_written_as_loops(method, made):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    found = weighting.get(method).learn(problem).values
    for f in range(len(schema)):
        expected = slow_score(method, *slow_table(slow_values(problem, f, way(method)), y, w))
        assert found[f] == pytest.approx(expected, abs=1e-11)


@settings(max_examples=examples(40))
@given(made=mixed(features=COUNTABLE, max_cases=12, weighted=True), beta=st.sampled_from([0.0, 0.25, 1.0]))
@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
def test_redundancy_is_taken_from_relevance(made, beta):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    values = [slow_values(problem, f, "mdl") for f in range(len(schema))]
    relevance = np.array([slow_score("mi", *slow_table(v, y, w)) for v in values])
    redundancy = np.zeros(len(values))
    for f, s in combinations(range(len(values)), 2):
        bits = slow_score("mi", *slow_table(values[f], values[s], w))
        redundancy[[f, s]] += bits / (len(values) - 1)
    expected = np.maximum(0, relevance - beta * redundancy)
    method = weighting.get("battiti", beta=beta)
    found = method.learn(problem).values
    if (expected > 1e-9).any():
        assert found == pytest.approx(expected, abs=1e-11)
    elif (expected < 1e-12).all():
        assert found == pytest.approx(relevance, abs=1e-11)
    assert method.relevance_ == pytest.approx(relevance, abs=1e-11)


def slow_points(problem, f):
    """Feature f of each case as a list of coordinates, None where a case is left out."""
    column, kind = problem.table.columns[f], problem.metric.measures[f].kind
    values = [column.value(i) for i in range(len(column))]
    if isinstance(kind, Ordinal):
        return [None if v is None else [kind.levels.index(v)] for v in values]
    if isinstance(kind, Cyclic):
        angles = [None if v is None else v / kind.period * 2 * math.pi for v in values]
        return [None if a is None else [math.cos(a), math.sin(a)] for a in angles]
    if column.levels is None:
        return [None if v is None else [v] for v in values]
    values = slow_values(problem, f, "width")
    return [None if v is None else [float(v == level) for level in (*column.levels, "missing")] for v in values]


@settings(max_examples=examples(60))
@given(made=mixed(features=COUNTABLE, max_cases=12, weighted=True))
def test_fisher_equals_its_equation_written_as_loops(made):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema)
    found = weighting.get("fisher").learn(problem).values
    for f in range(len(schema)):
        points = slow_points(problem, f)
        rows = [i for i, point in enumerate(points) if point is not None]
        between = within = 0.0
        for k in range(len(points[rows[0]]) if rows else 0):
            x = {i: points[i][k] for i in rows}
            mean = sum(w[i] * x[i] for i in rows) / sum(w[i] for i in rows)
            for label in set(y):
                inside = [i for i in rows if y[i] == label]
                n = sum(w[i] for i in inside)
                if n:
                    centre = sum(w[i] * x[i] for i in inside) / n
                    between += n * (centre - mean) ** 2
                    within += sum(w[i] * (x[i] - centre) ** 2 for i in inside)
        whole = between + within
        expected = between / max(within, 1e-6 * whole) if between > 1e-12 * whole else 0.0
        if len({tuple(points[i]) for i in rows}) < 2:
            expected = 0.0  # what these sums have of one value is rounding
        assert found[f] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@settings(max_examples=examples(60))
@given(
    made=mixed(features=["number", "hour", "symbol", "rank"], max_cases=10, weighted=True),
    scale=st.sampled_from(["range", "sigma", "none"]),
    power=st.sampled_from([1, 2]),
)
def test_deviation_is_half_the_mean_squared_difference_of_two_cases(made, scale, power):
    records, y, w, schema = made
    problem = problem_of(records, y, w, schema, scale=scale)
    found = weighting.get("sd", power=power).learn(problem).values
    for f in range(len(schema)):
        measure, cases = problem.metric.measures[f], problem.cases.columns[f]
        rows = [i for i in range(len(y)) if not problem.table.columns[f].missing[i]]
        total = sum(w[i] for i in rows)
        squares = [w[i] * w[j] * (measure.pair(cases, i, cases, j) * measure.scale(1)) ** 2 for i in rows for j in rows]
        variance = sum(squares) / (2 * total**2) if rows else 0.0
        if variance > 1e-12:
            assert found[f] == pytest.approx(variance ** (-power / 2), rel=1e-6)
        elif len({problem.table.value(i, f) for i in rows}) < 2:
            assert found[f] == 0


# -------------------------------------------------------------------------------- numbers of others, and by hand

PRINTED = {
    "gr": """0.02489153561762 0.0275521913217519 0.0186767871825241 0.0526207502827795 0.0476992307522364
    0.0244719107537514 0.0349532034130508 0.0439838644377128 0.0468167047455071 0.0428445870345557 0.185070180760327
    0.325371814230901""",
    "ig": """0.0309710639303116 0.0608600380250444 0.0395628573954507 0.0525412269188521 0.0745232247242611
    0.106044327143115 0.123486677007526 0.0971987603234996 0.0457523814670218 0.213887591411729 0.669704582861074
    1.27807624584789""",
    "sv": """0.021410183990701 0.0304066451548693 0.0176974022371078 0.0374990189622109 0.0481614165149028
    0.0346483099738823 0.0417918183959887 0.0306485672298861 0.0564753634899925 0.0762436694064095 0.233998145488354
    0.596896311429044""",
    "chi2": """128.418283576224 364.758115277812 212.298037236345 449.838231470682 288.872176256387 415.641126446692
    501.334653478281 367.660212489714 169.369615106487 914.619058199289 2807.0417532783 7160.36815190281""",
}
"""what TiMBL 6.5 writes of dimin.train with -W"""


@pytest.mark.parametrize("method", PRINTED)
def test_dimin_has_the_weights_that_timbl_prints(method, dimin):
    rows = [line.split(",") for line in dimin.read_text(encoding="latin-1").split()]
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    assert (len(X), len(X[0])) == (2999, 12)
    schema = {f"x{f}": "symbolic" for f in range(12)}
    clf = KNNClassifier(1, feature_weights=method, schema=schema).fit(np.array(X, dtype=object), np.array(y))
    assert clf.feature_weights_.values == pytest.approx(np.array(PRINTED[method].split(), dtype=float), rel=1e-9)


def test_quinlans_weather_gives_the_gain_ratios_of_his_book():
    sky = {"s": "sunny", "o": "overcast", "r": "rain"}
    outlook, windy, play = [sky[o] for o in "ssorrrossrsoor"], list("ftfffttfffttft"), list("NNPPPNPNPPPPPN")
    X = [{"outlook": a, "windy": b} for a, b in zip(outlook, windy, strict=True)]
    assert weighting.get("gr").fit(X, play).feature_importances_.round(3).tolist() == [0.156, 0.049]


def test_small_tables_worked_by_hand():
    X = [{"s": s} for s in "aaabbb"]
    y = list("uuvvvv")  # a: 2 u, 1 v; b: 3 v
    weights = {m: weighting.get(m).fit(X, y).feature_importances_[0] for m in ALL if m != "battiti"}
    # expected in (a,u) (a,v) (b,u) (b,v): 1, 2, 1, 2, so 1 + 1/2 + 1 + 1/2
    assert weights["chi2"] == pytest.approx(3.0)
    assert weights["sv"] == pytest.approx(3.0 / 6)
    # 1 - (1/9 + 4/9) - (1/2)(1 - 4/9 - 1/9)
    assert weights["gini"] == pytest.approx(4 / 9 - 2 / 9)
    # a is 1 in both u and in one of four v: means 1, 1/4, overall 1/2: 2/4 + 4/16 over 4 * 3/16
    assert weights["fisher"] == pytest.approx(1.0)
    # two cases differ every other time
    assert weights["sd"] == pytest.approx(2.0)
    assert weights["mi"] == pytest.approx(weights["ig"])
    assert weights["mi-norm"] == pytest.approx(weights["ig"])  # log2 of two values is 1


# ------------------------------------------------------------------------------------------ what all keep to


@pytest.mark.parametrize("method", ALL)
def test_one_valued_features_have_exactly_0(method):
    for n in (1, 2, 7, 30):
        rng = np.random.default_rng(n)
        X = [{"number": 0.1, "symbol": "a", "none": None} for _ in range(n)]
        fitted = weighting.get(method).fit(X, rng.choice(list("uvw"), n), schema={"none": "numeric"})
        assert fitted.feature_importances_.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("method", ALL)
def test_one_class_one_case_a_class_and_huge_numbers_give_finite_weights(method):
    X = [{"x": v, "s": s} for v, s in zip([1e308, -1e308, 1e-308, 0.0], "abcd", strict=True)]
    for y in (["u"] * 4, list("uvwz"), list("uuuv")):
        found = weighting.get(method).fit(X, y).feature_importances_
        assert np.isfinite(found).all()
        assert (found >= 0).all()


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=examples(25))
@given(made=mixed(features=["symbol", "rank"], max_cases=10), times=st.integers(2, 3))
@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
def test_repeating_the_table_and_renaming_it_change_nothing(method, made, times):
    records, y, _, schema = made
    once = weighting.get(method).learn(problem_of(records, y, None, schema)).values
    again = weighting.get(method).learn(problem_of(records * times, np.tile(y, times), None, schema)).values
    heavy = weighting.get(method).learn(problem_of(records, y, np.full(len(y), times), schema)).values
    factor = times if method == "chi2" else 1  # chi-squared grows with the cases, all features alike
    assert again == pytest.approx(once * factor, rel=1e-9, abs=1e-11)
    assert heavy == pytest.approx(again, rel=1e-9, abs=1e-11)
    renamed = [{k: v if v is None or k == "rank" else f"-{v}" for k, v in r.items()} for r in records]
    relabelled = np.array([{"no": "z", "yes": "a", "perhaps": "m"}[c] for c in y])
    assert weighting.get(method).learn(problem_of(renamed, relabelled, None, schema)).values == pytest.approx(
        once, rel=1e-9, abs=1e-11
    )


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=examples(25))
@given(made=mixed(features=COUNTABLE, min_cases=4, max_cases=10, weighted=True), data=st.data())
@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
def test_adding_and_removing_cases_equals_one_fit(method, made, data):
    records, y, w, schema = made
    n = len(y)
    cut = data.draw(st.integers(1, n - 1))
    gone = data.draw(st.lists(st.integers(0, n - 1), max_size=n - 1, unique=True))
    grown = weighting.get(method).fit(records[:cut], y[:cut], w[:cut], schema=schema)
    grown.partial_fit(records[cut:], y[cut:], w[cut:])
    full = weighting.get(method).fit(records, y, w, schema=schema)
    assert grown.weights_.values == pytest.approx(full.weights_.values, rel=1e-7, abs=1e-10)
    kept = [i for i in range(n) if i not in gone]
    grown.remove(gone)
    fresh = weighting.get(method).learn(problem_of([records[i] for i in kept], y[kept], w[kept], schema, full.classes_))
    assert grown.weights_.values == pytest.approx(fresh.values, rel=1e-7, abs=1e-10)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(
    ("kind", "value"),
    [(Text(), "abc"), (Set(), ["a"]), (Vector(), [1.0, 2.0]), (Custom(function=lambda x, q: 0.0), 3)],
    ids=["text", "set", "vector", "custom"],
)
def test_kinds_without_countable_values_are_refused_with_the_way_out(method, kind, value):
    with pytest.raises(InputError, match=rf"'{method}'.*feature 'notes'.*'mdw'.*ignore=\['notes'\]"):
        weighting.get(method).fit([{"notes": value}, {"notes": value}], ["u", "v"], schema={"notes": kind})


@pytest.mark.filterwarnings("ignore:Every feature tells more:nearwise.errors.NearwiseWarning")
@pytest.mark.filterwarnings("ignore:Column 'id' has a different value:nearwise.errors.NearwiseWarning")
@pytest.mark.parametrize("method", ALL)
def test_ten_thousand_symbols_are_counted(method):
    n = 10_000
    X = {"id": np.array([f"case {i}" for i in range(n)], dtype=object), "half": np.arange(n) % 2}
    y = np.arange(n) % 4
    found = weighting.get(method).fit(X, y, schema={"half": "symbolic"}).feature_importances_
    expected = {"ig": [2, 1], "gr": [2 / math.log2(n), 1], "chi2": [3 * n, n], "sv": [1, 1], "gini": [0.75, 0.25]}
    expected |= {"mi": [2, 1], "mi-norm": [2 / math.log2(n), 1], "battiti": [1.5, 0.5], "sd": [2**0.5, 2]}
    if method in expected:
        assert found == pytest.approx(expected[method], rel=1e-3)


def test_numbers_are_cut_as_asked():
    rng = np.random.default_rng(0)
    x, y = rng.random(200), rng.choice(["u", "v"], 200)
    by_hand = weighting.get("gr", discretise=[0.5]).fit(x[:, None], y)
    symbols = weighting.get("gr").fit([{"x": bool(v >= 0.5)} for v in x], y)
    assert by_hand.feature_importances_ == pytest.approx(symbols.feature_importances_)
    frequent = weighting.get("gini", discretise="frequency", bins=4).fit(x[:, None], y)
    quarters = weighting.get("gini").fit([{"x": str(int((x < v).sum() // 50))} for v in x], y)
    assert frequent.feature_importances_ == pytest.approx(quarters.feature_importances_)
    for wrong, sentence in (({"z": [1]}, "names 'z'"), ("widht", "width"), ([2, 1], "ascending")):
        with pytest.raises(InputError, match=sentence):
            weighting.get("chi2", discretise=wrong).fit(x[:, None], y)


def test_a_copy_takes_weight_from_its_original_and_too_much_is_told():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    s, t = np.where(rng.random(300) < 0.9, y, 1 - y), np.where(rng.random(300) < 0.8, y, 1 - y)
    X = [{"s": str(a), "copy": str(a), "t": str(b)} for a, b in zip(s, t, strict=True)]
    plain, corrected = (weighting.get(m).fit(X, y).feature_importances_ for m in ("mi", "battiti"))
    assert plain[0] == plain[1] > plain[2]
    assert corrected[0] == corrected[1] < corrected[2]
    with pytest.warns(NearwiseWarning, match="Give a smaller beta"):
        assert weighting.get("battiti", beta=50).fit(X, y).feature_importances_ == pytest.approx(plain)
    with pytest.raises(InputError, match="beta must be a number from 0"):
        weighting.get("battiti", beta=-1).fit(X, y)


def test_deviation_needs_no_classes_and_serves_a_regression():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)) * [1, 10, 100], rng.random(40)
    grown = weighting.get("sd").fit(X[:20]).partial_fit(X[20:])
    assert grown.feature_importances_ == pytest.approx(weighting.get("sd").fit(X).feature_importances_)
    assert grown.feature_importances_ == pytest.approx(np.ptp(X, axis=0) / X.std(axis=0))
    model = KNNRegressor(3, feature_weights="sd").fit(X, y)
    assert model.feature_weights_.values == pytest.approx(np.ptp(X, axis=0) / X.std(axis=0))
    two = KNNRegressor(3, feature_weights=weighting.get("sd", power=2), p=2, scale="none").fit(X, y)
    standardised = np.sqrt((((X - X[0]) / X.std(axis=0)) ** 2).sum(axis=1))
    assert two.kneighbors(X[:1], 40)[0][0] == pytest.approx(np.sort(standardised))
    with pytest.raises(InputError, match="power must be a positive number"):
        weighting.get("sd", power=0).fit(X)


@pytest.mark.parametrize("method", ALL)
def test_a_classifier_learns_saves_grows_and_forgets_with_it(method, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.choice(["u", "v", "w"], 90)
    X = [{"x": float(rng.normal() + 3 * (c == "u")), "s": c if rng.random() < 0.7 else "?", "t": str(rng.integers(3))}
         for c in y]  # fmt: skip
    clf = KNNClassifier(3, feature_weights=method).fit(X[:60], y[:60])
    clf.partial_fit(X[60:], y[60:])
    clf.forget(range(10))
    fresh = KNNClassifier(3, feature_weights=method).fit(X[10:], y[10:])
    assert clf.feature_weights_.values == pytest.approx(fresh.feature_weights_.values)
    assert clf.predict(X).tolist() == fresh.predict(X).tolist()
    clf.save(tmp_path / "model.nearwise")
    again = load(tmp_path / "model.nearwise")
    assert again.predict(X).tolist() == fresh.predict(X).tolist()
    explained = again.explain(X[:1])[0].neighbours[0]
    assert sum(explained.contributions.values()) == pytest.approx(explained.distance**clf.p_)


@pytest.mark.parametrize("method", ALL)
def test_many_cases_weigh_the_same_on_threads_and_without_the_core(method, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 25_000)
    X = {"x": rng.normal(size=25_000) + y, "n": rng.normal(size=25_000), "r": np.round(rng.normal(size=25_000) + y, 1)}
    X["s"] = np.array(["a", "b", "c", "d"])[(y + (rng.random(25_000) < 0.3)) % 4]
    threaded = weighting.get(method).fit(X, y).feature_importances_
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert weighting.get(method).fit(X, y).feature_importances_ == pytest.approx(threaded, rel=1e-12)
