"""CCF, PCF, VDM and CDW against loops over cases, on paper numbers, and at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load
from nearwise.cases.kinds import Cyclic, Numeric, Symbolic, Text
from nearwise.differences.symbolic import ValueFitted
from nearwise.errors import InputError, NearwiseWarning
from nearwise.search.base import Distance
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.weighting import ClassDistribution, CrossCategory, PerCategory, ValueWeights
from nearwise.weights import PerClass
from tests.examples import examples
from tests.weighting.tables import mixed, problem_of

COUNTABLE = ["number", "hour", "symbol", "rank"]
METHODS = [CrossCategory, PerCategory, ValueWeights, ClassDistribution]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.id)
UNSEEN = "a symbol never seen"


def made_problem(method, records, y, w, schema, **settings):
    return problem_of(records, y, w, schema, differences=method.suggested_differences, default_p=method.p, **settings)


def value_of(problem, f, raw):
    """A value as the method sees it: a symbol, an interval, None where it is missing."""
    measure = problem.metric.measures[f]
    if raw is None:
        return None
    cuts = measure.fitted.coding.cuts
    if cuts is None:
        return raw
    number = raw if not isinstance(measure.kind, Cyclic) else np.mod(raw, measure.kind.period)
    below = [c for c in cuts.points if (c <= number if cuts.closed == "left" else c < number)]
    return ("interval", len(below))


def shares(problem, f, values, y, w, value):
    """P(c | v), by looking at every case; the priors for a value that no case has."""
    classes, own = problem.target.classes, problem.metric.measures[f].policy == "value"
    rows = [i for i, v in enumerate(values) if v == value and (v is not None or own)]
    total = sum(w[i] for i in rows)
    if not rows:
        return [sum(w[y == c]) / sum(w) for c in classes]
    return [sum(w[i] for i in rows if y[i] == c) / total for c in classes]


def slow_weight(method, p, c):
    if isinstance(method, PerCategory):
        return p[c]
    square = sum(share**2 for share in p)
    return math.sqrt(square) if isinstance(method, ValueWeights) else square


def slow_sum(method, problem, records, y, w, i, query):
    """The sum over features of weight * difference^p between stored case i and a query, straight from the equations."""
    total, codes = 0.0, problem.target.values
    for f, name in enumerate(problem.features):
        measure = problem.metric.measures[f]
        own = measure.policy == "value"
        values = [value_of(problem, f, r[name]) for r in records]
        x, q = values[i], value_of(problem, f, query[name])
        if (x is None or q is None) and not own:
            apart = 2.0 if isinstance(method, ValueWeights) else 1.0
        elif x == q:
            continue
        elif isinstance(method, ValueWeights):
            strange = q not in values
            px, pq = (shares(problem, f, values, y, w, v) for v in (x, q))
            apart = 2.0 if strange else sum((a - b) ** 2 for a, b in zip(px, pq, strict=True))
        else:
            apart = 1.0
        of_x, of_q = (slow_weight(method, shares(problem, f, values, y, w, v), codes[i]) for v in (x, q))
        if isinstance(method, ValueWeights):
            weight = of_q if method.by == "query" else of_x
        else:
            many = len({v for v in values if own or v is not None}) > 2 or isinstance(method, CrossCategory)
            weight = of_x + of_q if many else of_x
        total += weight * apart
    return total


@pytest.mark.parametrize(
    "method", [CrossCategory(), PerCategory(), ValueWeights(), ValueWeights(by="stored")], ids=repr
)
@settings(max_examples=examples(25))
@given(
    made=mixed(features=COUNTABLE, max_cases=8, weighted=True),
    others=mixed(features=COUNTABLE, min_cases=2, max_cases=3),
    seed=st.randoms(),
)
def test_distances_equal_loops_over_the_equations(method, made, others, seed):
    records, y, w, schema = made
    schema = {name: kind.with_(missing=seed.choice(["max", "value"])) for name, kind in schema.items()}
    problem = made_problem(method, records, y, w, schema)
    queries = [{name: r.get(name, records[0][name]) for name in schema} for r in others[0][:4]]
    if "symbol" in schema:
        queries[0]["symbol"] = UNSEEN
    weights = type(method)(**method.get_params()).learn(problem)
    distance = Distance(problem.metric, weights, problem.stored)
    asked = problem.metric.measure(type(problem.table).like(queries, problem.table.schema))
    found = ReferenceEngine(distance).sums(asked)
    for j, query in enumerate(queries):
        for i in range(len(records)):
            expected = slow_sum(method, problem, records, y, w, i, query)
            assert found[j, i] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert BlockEngine(distance).sums(asked) == pytest.approx(found, rel=1e-12)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@settings(max_examples=examples(40))
@given(made=mixed(features=COUNTABLE, max_cases=10, weighted=True))
def test_class_distributions_equal_loops_over_the_equation(made):
    records, y, w, schema = made
    method = ClassDistribution()
    problem = made_problem(method, records, y, w, schema)
    method.learn(problem)
    scores = np.zeros((problem.target.n_classes, len(schema)))
    for f, name in enumerate(schema):
        own = problem.metric.measures[f].policy == "value"
        values = [value_of(problem, f, r[name]) for r in records]
        rows = [i for i, v in enumerate(values) if own or v is not None]
        for k, c in enumerate(problem.target.classes):
            inside, outside = [i for i in rows if y[i] == c], [i for i in rows if y[i] != c]
            if not inside or not outside:
                continue
            for v in {values[i] for i in rows}:
                one, two = (
                    sum(w[i] for i in side if values[i] == v) / sum(w[i] for i in side) for side in (inside, outside)
                )
                scores[k, f] += abs(one - two)
    assert method.scores_ == pytest.approx(scores, abs=1e-9)
    expected = [row / row.sum() if row.sum() > 1e-9 else np.full(len(row), 1 / len(row)) for row in scores]
    assert method.weights_.values == pytest.approx(np.array(expected), abs=1e-9)


# ------------------------------------------------------------------------------------------- numbers worked by hand

SKY = [{"sky": s} for s in ("sun", "sun", "sun", "rain", "rain", "fog")]
OUTING = ["go", "go", "stay", "stay", "stay", "perhaps"]  # sun: 2/3 go, 1/3 stay; priors 1/3, 1/6, 1/2


def test_ccf_and_pcf_worked_by_hand():
    ccf = KNNClassifier(1, "ccf").fit(SKY, OUTING)
    assert dict(zip(ccf.feature_weights_.levels[0], ccf.feature_weights_.values[0])) == pytest.approx(
        {"fog": 1, "rain": 1, "sun": 5 / 9}
    )
    # a mismatch of sun and rain counts 5/9 + 1; an unseen symbol 1/9 + 1/36 + 1/4 = 7/18 and that of the stored value
    assert ccf.kneighbors([{"sky": "rain"}], 6)[0][0] == pytest.approx(np.sqrt([0, 0, 14 / 9, 14 / 9, 14 / 9, 2]))
    assert ccf.kneighbors([{"sky": "snow"}], 1)[0][0] == pytest.approx([math.sqrt(7 / 18 + 5 / 9)])
    pcf = KNNClassifier(1, "pcf").fit(SKY, OUTING)
    assert pcf.feature_weights_.classes == ("go", "perhaps", "stay")
    assert pcf.feature_weights_.values[0] == pytest.approx(np.array([[0, 0, 2 / 3], [1, 0, 0], [0, 1, 1 / 3]]))
    # rain against the stored sun of "go" (0 + 2/3), the sun of "stay" (1 + 1/3) and the fog of "perhaps" (0 + 1)
    found, cases = pcf.kneighbors([{"sky": "rain"}], 6)
    assert cases[0].tolist() == [3, 4, 0, 1, 5, 2]
    assert found[0] ** 2 == pytest.approx([0, 0, 2 / 3, 2 / 3, 1, 4 / 3])
    # an unseen symbol against the sun of "stay": 1/2 + 1/3; against that of "go": 1/3 + 2/3
    assert pcf.kneighbors([{"sky": "snow"}], 3)[0][0] ** 2 == pytest.approx([5 / 6, 1, 1])


@pytest.mark.parametrize("values", [("no", "yes"), (False, True), ("x", "a")], ids=str)
def test_both_values_of_a_two_valued_feature_count_in_ccf_and_the_stored_one_in_pcf(values):
    cases, y = [{"f": values[i]} for i in (0, 0, 0, 1)], list("uuvv")
    ccf, pcf = KNNClassifier(1, "ccf").fit(cases, y), KNNClassifier(1, "pcf").fit(cases, y)
    assert ccf.kneighbors([{"f": values[1]}], 4)[0][0] ** 2 == pytest.approx([0, 14 / 9, 14 / 9, 14 / 9])  # 5/9 + 1
    assert ccf.kneighbors([{"f": values[0]}], 4)[0][0] ** 2 == pytest.approx([0, 0, 0, 14 / 9])
    assert pcf.feature_weights_.by == ("stored",)
    assert pcf.kneighbors([{"f": values[1]}], 4)[0][0] ** 2 == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3])
    assert pcf.kneighbors([{"f": values[0]}], 4)[0][0] ** 2 == pytest.approx([0, 0, 0, 1])


def test_the_table_of_payne_and_edwards():
    counts = {"X": (7, 0, 3), "Y": (4, 5, 1), "Z": (6, 1, 3)}  # of ten cases each, as in their table 1
    cases = [{"a": v} for v, of in counts.items() for _ in range(sum(of))]
    y = [c for of in counts.values() for c, times in zip(("c1", "c2", "c3"), of, strict=True) for _ in range(times)]
    vdm = KNNClassifier(1, "vdm").fit(cases, y)
    assert vdm.p_ == 1
    fitted = vdm._model.problem.metric.measures[0].fitted
    assert isinstance(fitted, ValueFitted)
    assert fitted.pair(0, 1) == pytest.approx(0.38)  # their delta('X', 'Y')
    weights = dict(zip(vdm.feature_weights_.levels[0], vdm.feature_weights_.values[0]))
    assert weights == pytest.approx({"X": math.sqrt(0.58), "Y": math.sqrt(0.42), "Z": math.sqrt(0.46)})
    distances = vdm.kneighbors([{"a": "X"}], 30)[0][0]
    assert distances[-1] == pytest.approx(0.38 * math.sqrt(0.58))  # no root
    stored = KNNClassifier(1, ValueWeights(by="stored")).fit(cases, y)
    assert stored.kneighbors([{"a": "X"}], 30)[0][0][-1] == pytest.approx(0.38 * math.sqrt(0.42))
    # unseen: difference 2, weight of the priors 17/30, 6/30, 7/30
    unseen = vdm.kneighbors([{"a": "?"}], 1)[0][0]
    assert unseen == pytest.approx([2 * math.sqrt(17**2 + 6**2 + 7**2) / 30])


def test_overlap_with_value_weights_is_omvw():
    cases, y = SKY, OUTING
    omvw = KNNClassifier(1, "vdm", differences="overlap", p=1).fit(cases, y)
    assert omvw.kneighbors([{"sky": "sun"}], 6)[0][0] == pytest.approx([0, 0, 0, *[math.sqrt(5) / 3] * 3])


def test_numbers_stay_cut_in_the_distance():
    x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] * 5
    y = ["u" if v <= 4 else "v" for v in x]
    ccf = KNNClassifier(1, "ccf").fit([[v] for v in x], y)
    assert ccf.feature_weights_.levels == (("<= 4.5", "> 4.5"),)
    assert ccf.kneighbors([[4.0]], 21)[0][0] ** 2 == pytest.approx([0] * 20 + [2])
    three = KNNClassifier(1, CrossCategory(discretise=[2.5, 6.5])).fit([[v] for v in x], y)
    assert three.feature_weights_.values[0].tolist() == [1.0, 0.5, 1.0]
    assert three.kneighbors([[4.0]], 21)[0][0] ** 2 == pytest.approx([0] * 20 + [1.5])


# ------------------------------------------------------------------------------------------------ what changes nothing


def distances(method, problem):
    weights = type(method)(**method.get_params()).learn(problem)
    return ReferenceEngine(Distance(problem.metric, weights, problem.stored)).sums(problem.cases)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
@settings(max_examples=examples(20))
@given(made=mixed(features=["symbol", "rank"]))
def test_renaming_values_and_classes_changes_nothing(method, made):
    records, y, _, schema = made
    renamed = [
        {k: v if v is None or k == "rank" else f"-{'cba'['abc'.index(v)]}" for k, v in r.items()} for r in records
    ]
    relabelled = np.array([{"no": "z", "yes": "a", "perhaps": "m"}[c] for c in y])
    one = distances(method(), made_problem(method(), records, y, None, schema))
    two = distances(method(), made_problem(method(), renamed, relabelled, None, schema))
    assert two == pytest.approx(one, rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
@settings(max_examples=examples(20))
@given(made=mixed(features=["symbol", "rank"]))
def test_doubling_the_table_changes_nothing(method, made):
    records, y, _, schema = made
    n = len(y)
    once = distances(method(), made_problem(method(), records, y, None, schema))
    twice = distances(method(), made_problem(method(), records * 2, np.tile(y, 2), None, schema))
    assert twice[:n, :n] == pytest.approx(once, rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
@settings(max_examples=examples(20))
@given(made=mixed(features=COUNTABLE, min_cases=4, max_cases=10, weighted=True), data=st.data())
def test_partial_fit_and_remove_equal_one_fit(method, made, data):
    records, y, w, schema = made
    cut = data.draw(st.integers(1, len(y) - 1))
    gone = data.draw(st.lists(st.integers(0, len(y) - 1), max_size=len(y) - 1, unique=True))
    grown = method().fit(records[:cut], y[:cut], w[:cut], schema=schema).partial_fit(records[cut:], y[cut:], w[cut:])
    full = method().fit(records, y, w, schema=schema)
    same(grown.weights_, full.weights_)
    kept = [i for i in range(len(y)) if i not in gone]
    grown.remove(gone)
    problem = problem_of(
        [records[i] for i in kept], y[kept], w[kept], schema, full.classes_,
        differences=method().suggested_differences, default_p=method.p,
    )  # fmt: skip
    if {r["symbol"] for r in records} - {None} <= {records[i]["symbol"] for i in kept} if "symbol" in schema else True:
        same(grown.weights_, method().learn(problem))


def same(one, two):
    assert type(one) is type(two)
    if isinstance(one, PerClass):
        assert one.values == pytest.approx(two.values, abs=1e-9)
        return
    assert one.levels == two.levels
    assert one.by == two.by
    for a, b in zip(one.values, two.values, strict=True):
        assert a == pytest.approx(b, abs=1e-9)
    assert one.unseen == pytest.approx(two.unseen, abs=1e-9)
    assert one.importances == pytest.approx(two.importances, abs=1e-9)


# ------------------------------------------------------------------------------------------------------------ edges


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
def test_odd_features_have_sensible_weights(method):
    cases = [{"constant": "c", "id": f"case {i}", "gone": None, "number": 1.0, "sky": "ab"[i % 2]} for i in range(12)]
    y = ["once", *("uv"[i % 2] for i in range(11))]
    schema = {"gone": Symbolic(), "number": Numeric()}
    clf = KNNClassifier(1, method.id, schema=schema).fit(cases, y)
    importances = clf.feature_importances_
    assert np.isfinite(importances).all()
    assert (importances >= 0).all()
    assert np.isfinite(clf.kneighbors(cases, 12)[0]).all()
    for why in clf.explain([{**cases[3], "id": "new", "gone": "there"}, {**cases[0], "sky": None}]):
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-9, abs=1e-12)
    one = method().fit(cases, ["same"] * 12, schema=schema)
    assert np.isfinite(one.feature_importances_).all()


@pytest.mark.filterwarnings("ignore:Column 'x0' has a different value in every case")
@every_method
def test_ten_thousand_symbols(method):
    n = 10_000
    cases = np.array([[f"s{i}", "ab"[i % 2]] for i in range(n)], dtype=object)
    y = np.arange(n) // 2 % 3
    fitted = method().fit(cases, y)
    assert fitted.feature_importances_[0] > fitted.feature_importances_[1]


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
def test_a_model_is_saved_explained_grown_and_shrunk(method, tmp_path):
    rng = np.random.default_rng(0)
    sky, wind = rng.choice(["sun", "rain", "fog", None], 60), rng.normal(size=60)
    cases = [{"sky": s, "wind": float(w)} for s, w in zip(sky, wind, strict=True)]
    y = np.where((wind > 0) == (sky == "sun"), "go", "stay")
    clf = KNNClassifier(3, method.id, missing="value").fit(cases[:40], y[:40])
    clf.partial_fit(cases[40:], y[40:]).forget(range(5))
    fresh = KNNClassifier(3, method.id, missing="value").fit(cases[5:], y[5:])
    assert clf.feature_importances_ == pytest.approx(fresh.feature_importances_, abs=1e-9)
    clf.save(tmp_path / "m.nearwise")
    again = load(tmp_path / "m.nearwise")
    queries = [{"sky": "snow", "wind": 0.1}, {"sky": None, "wind": None}, {"sky": "sun", "wind": -2.0}]
    assert again.kneighbors(queries)[0].tolist() == clf.kneighbors(queries)[0].tolist()
    assert again.feature_weights_ == clf.feature_weights_
    for why in again.explain(queries):
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-9, abs=1e-12)


@every_method
def test_kinds_without_countable_values_are_refused_with_the_way_out(method):
    with pytest.raises(InputError, match=r"feature 'notes'.*'mdw', which works for any kind.*ignore=\['notes'\]"):
        method().fit([{"notes": "abc"}, {"notes": "abd"}], ["u", "v"], schema={"notes": Text()})


def test_a_side_that_is_none_is_told():
    with pytest.raises(InputError, match="by='both': the weight is that of the 'query' value"):
        ValueWeights(by="both").fit(SKY, OUTING)


@every_method
def test_numbers_that_stay_numbers_have_one_weight(method):
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] * 5)
    cases = [{"x": v, "noise": float(i % 3)} for i, v in enumerate(x)]
    clf = KNNClassifier(1, method.id, differences={"Numeric": "range"}).fit(cases, np.where(x <= 4, "u", "v"))
    assert clf.feature_importances_[0] > clf.feature_importances_[1]
    sums = clf.kneighbors([{"x": 1.5, "noise": 0.0}], 40)[0][0]
    assert len(set(sums.round(9))) > 4


def test_a_class_that_is_like_the_rest_falls_back_with_a_warning():
    cases = [{"f": v, "g": v} for v in "abab"]
    with pytest.warns(NearwiseWarning, match="distributed alike in class 'u', 'v'"):
        weights = ClassDistribution().fit(cases, list("uuvv")).weights_
    assert weights.values.tolist() == [[0.5, 0.5]] * 2
    with pytest.warns(NearwiseWarning, match="one class only"):
        weights = ClassDistribution().fit(cases, list("uuuu")).weights_
    assert weights.values.tolist() == [[0.5, 0.5]]
