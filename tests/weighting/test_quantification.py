"""QM2 against dense one-hot algebra, the engines against the obvious sum, and the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import KNNClassifier, load
from nearwise.cases.kinds import Cyclic, Numeric, Ordinal, Symbolic, Text
from nearwise.cases.table import CaseTable
from nearwise.errors import InputError, NearwiseWarning
from nearwise.search.base import Distance
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.index.matrix import MatrixIndex
from nearwise.statistics.counts import moments
from nearwise.weighting import QuantificationDistance, QuantificationWeights
from nearwise.weights import Global, Matrix
from tests.examples import examples
from tests.weighting.tables import problem_of

METHODS = [QuantificationWeights, QuantificationDistance]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.id)
SCHEMA = {"x": Numeric(), "far": Numeric(), "sky": Symbolic(), "wind": Symbolic()}


def table(seed, n=40, holes=0.15, policy="max", classes="uvw"):
    """Numbers and symbols that depend on the class, with holes; a number far from 0."""
    rng = np.random.default_rng(seed)
    y = rng.choice(list(classes), n)
    shift = np.array([list(classes).index(c) for c in y], dtype=float)
    columns = {
        "x": rng.normal(size=n) + shift,
        "far": 1e6 + rng.normal(size=n) - shift**2,
        "sky": [("sun", "rain", "fog")[int(s + rng.integers(0, 2)) % 3] for s in shift],
        "wind": rng.choice(["weak", "strong"], n),
    }
    records = [{k: None if rng.random() < holes else v[i] for k, v in columns.items()} for i in range(n)]
    weights = rng.choice([0.5, 1.0, 2.0], n)
    return records, y, weights, {k: kind.with_(missing=policy) for k, kind in SCHEMA.items()}


def one_hot(problem, records, w):
    """(n, w) the binarised table in units, missing values at the weighted mean; written out value by value."""
    columns = []
    for f, name in enumerate(problem.features):
        measure, values = problem.metric.measures[f], [r[name] for r in records]
        if measure.kind.name == "Numeric":
            known = np.array([v is not None for v in values])
            made = np.array([0.0 if v is None else v / measure.fitted.bounds[0] for v in values])[:, None]
        else:
            own = measure.policy == "value"
            levels = [*sorted({v for v in values if v is not None}), *([None] if own else [])]
            known = np.array([v is not None or own for v in values])
            made = np.array([[1.0 if v == level and k else 0.0 for level in levels] for v, k in zip(values, known)])
        made[~known] = (w[known] @ made[known]) / w[known].sum()
        columns.append(made)
    return np.hstack(columns)


def slow_directions(X, y, w, k):
    """Eigenvectors of pinv(T) B, scaled to a'Ta = 1, the largest component positive."""
    w = w / w.sum()
    X = X - w @ X
    T = sum(wi * np.outer(x, x) for wi, x in zip(w, X))
    B = np.zeros_like(T)
    for c in np.unique(y):
        inside = y == c
        mean = w[inside] @ X[inside] / w[inside].sum()
        B += w[inside].sum() * np.outer(mean, mean)
    values, vectors = np.linalg.eig(np.linalg.pinv(T, rcond=1e-10, hermitian=True) @ B)
    order = np.argsort(-values.real)[:k]
    out = []
    for a in vectors.real[:, order].T:
        a = a / np.sqrt(a @ T @ a)
        out.append(a if a[np.flatnonzero(np.abs(a) >= (1 - 1e-9) * np.abs(a).max())[0]] > 0 else -a)
    return np.array(out), values.real[order]


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("policy", ["max", "value"])
@pytest.mark.parametrize("seed", range(3))
def test_new_features_equal_dense_algebra(seed, policy, weighted, counted, monkeypatch):
    monkeypatch.setattr(moments, "COUNT", 0.0 if counted else 1e9)
    monkeypatch.setattr(moments, "BLOCK_BYTES", 1)  # many blocks
    monkeypatch.setattr(moments, "CHUNK", 7)
    records, y, w, schema = table(seed, n=150, policy=policy)
    w = w if weighted else np.ones(len(y))
    problem = problem_of(records, y, w, schema)
    method = QuantificationDistance()
    found = method.learn(problem)
    expected, ratios = slow_directions(one_hot(problem, records, w), y, w, 2)
    assert found.values == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert method.ratios_ == pytest.approx(ratios, rel=1e-9)
    given = QuantificationWeights().learn(problem)
    assert np.concatenate(given.values) == pytest.approx(np.abs(expected).sum(axis=0) ** 2, rel=1e-9, abs=1e-9)


@settings(max_examples=examples(40))
@given(st.integers(0, 10_000), st.sampled_from(["max", "value"]), st.integers(1, 3))
def test_engines_equal_the_reference_and_the_equations(seed, policy, components):
    records, y, _, schema = table(seed, n=12, policy=policy)
    y[:3] = list("uvw")
    for name in schema:
        records[0][name] = records[0][name] or {"sky": "sun", "wind": "weak"}.get(name, 1.0)
    problem = problem_of(records, y, None, schema, default_p=1)
    queries = [dict(records[0]), {**records[1], "sky": "snow"}, {**records[2], "x": None, "wind": None}]
    asked = problem.metric.measure(CaseTable.like(queries, problem.table.schema))
    weights = QuantificationDistance(n_components=components).learn(problem)
    distance = Distance(problem.metric, weights, problem.stored)
    reference = ReferenceEngine(distance).sums(asked)
    scale = reference.max()
    assert MatrixIndex(distance).sums(asked) == pytest.approx(reference, rel=1e-9, abs=1e-9 * scale)
    if policy == "max":  # eq. 25 on the one-hot table, query and cases alike
        known = one_hot(problem, [*records, queries[0]], np.append(np.ones(12), 0.0))
        mapped = known @ weights.values.T
        expected = np.square(mapped[:12] - mapped[12]).sum(axis=1)
        assert reference[0] == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)
    given = QuantificationWeights(n_components=components).learn(problem)
    distance = Distance(problem.metric, given, problem.stored)
    assert BlockEngine(distance).sums(asked) == pytest.approx(ReferenceEngine(distance).sums(asked), rel=1e-12)


@every_method
def test_no_order_of_the_cases_changes_a_bit(method):
    records, y, _, schema = table(3, n=80)
    order = np.random.default_rng(3).permutation(80)
    one = method().fit(records, y, schema=schema)
    two = method().fit([records[i] for i in order], y[order], schema=schema)
    assert np.array_equal(one.feature_importances_, two.feature_importances_)
    assert np.array_equal(one.ratios_, two.ratios_)


def test_a_direction_worked_by_hand():
    # one number, u at 0 and 2, v at 8 and 10: range 10, so 0, 0.2, 0.8, 1; mean 0.5, T = 0.17, B = 0.4^2 = 0.16
    cases, y = [[0.0], [2.0], [8.0], [10.0]], list("uuvv")
    qm2y = KNNClassifier(1, "qm2y").fit(cases, y)
    assert qm2y.weighting_.ratios_ == pytest.approx([0.16 / 0.17])
    assert qm2y.feature_weights_.values == pytest.approx(np.array([[1 / np.sqrt(0.17)]]))
    assert qm2y.kneighbors([[1.0]], 3)[0][0] == pytest.approx([0.01 / 0.17, 0.01 / 0.17, 0.49 / 0.17])  # no root
    rooted = KNNClassifier(1, "qm2y", p=2).fit(cases, y)
    assert rooted.kneighbors([[1.0]], 1)[0][0] == pytest.approx([0.1 / np.sqrt(0.17)])
    qm2m = KNNClassifier(1, "qm2m").fit(cases, y)
    assert isinstance(qm2m.feature_weights_, Global)
    assert qm2m.kneighbors([[1.0]], 1)[0][0] == pytest.approx([0.1 / np.sqrt(0.17)])


def test_symbols_worked_by_hand():
    # a b as classes u v, of two values: columns of variance 1/4 that are each other's opposite; the pseudo-inverse
    # shares the direction: (1, -1), whose values 1 and -1 have variance 1
    cases, y = [{"f": "a"}, {"f": "a"}, {"f": "b"}, {"f": "b"}], list("uuvv")
    qm2y = KNNClassifier(1, "qm2y").fit(cases, y)
    assert qm2y.feature_weights_.values == pytest.approx(np.array([[1.0, -1.0]]))
    assert qm2y.kneighbors([{"f": "a"}], 4)[0][0] == pytest.approx([0, 0, 4, 4], abs=1e-12)
    assert qm2y.kneighbors([{"f": "new"}], 4)[0][0] == pytest.approx([1, 1, 1, 1])
    assert qm2y.kneighbors([{"f": None}], 4)[0][0] == pytest.approx([1, 1, 1, 1])  # at the mean
    qm2m = KNNClassifier(1, "qm2m").fit(cases, y)
    assert qm2m.kneighbors([{"f": "a"}], 4)[0][0] ** 2 == pytest.approx([0, 0, 2, 2])  # eq. 23: 1 and 1


@every_method
def test_renaming_and_doubling_change_nothing(method):
    records, y, _, schema = table(5, n=60)
    one = distances(method(), records, y, schema)
    names = {"sun": "9", "rain": "zebra", "fog": "a", "weak": "w", "strong": "x", None: None}
    renamed = [{k: names.get(v, v) if isinstance(v, str) else v for k, v in r.items()} for r in records]
    labels = np.array([{"u": "z", "v": "a", "w": "m"}[c] for c in y])
    assert distances(method(), renamed, labels, schema) == pytest.approx(one, rel=1e-9, abs=1e-9)
    assert distances(method(), records * 2, np.tile(y, 2), schema)[:60, :60] == pytest.approx(one, rel=1e-9, abs=1e-9)


def distances(method, records, y, schema):
    problem = problem_of(records, y, None, schema, default_p=method.p)
    distance = Distance(problem.metric, method.learn(problem), problem.stored)
    return (MatrixIndex if method.id == "qm2y" else BlockEngine)(distance).sums(problem.cases)


@pytest.mark.parametrize("policy", ["max", "value"])
@every_method
def test_adding_and_removing_cases_equals_one_fit(method, policy):
    records, y, w, schema = table(7, n=90, policy=policy)
    for r in records[:30]:
        r["sky"] = "hail" if r["sky"] == "fog" else r["sky"]  # a symbol comes and another goes
        r["far"] = None if r["far"] is None else r["far"] - 1e3
    grown = method().fit(records[:50], y[:50], w[:50], schema=schema).partial_fit(records[50:], y[50:], w[50:])
    same(grown.weights_, method().fit(records, y, w, schema=schema).weights_)
    grown.remove(range(30))
    fresh = method().fit(records[30:], y[30:], w[30:], schema=schema).weights_
    found, expected = (dict(zip(zip(*keys(m)), m.columns()["weight"])) for m in (grown.weights_, fresh))
    assert {k: v for k, v in found.items() if "hail" not in k} == pytest.approx(expected, rel=1e-7, abs=1e-7)


def keys(weights):
    columns = weights.columns()
    return [columns[name] for name in ("feature", "new_feature", "value") if name in columns]


def same(one, two):
    assert one.levels == two.levels
    for a, b in zip(one.values, two.values, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-8)


def degenerate(seed):
    """Cases whose classes are told apart in full, by several features at once: equal ratios and singular variances."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(10, 50)), int(rng.integers(2, 5))
    y = np.array(list("uvwx"))[rng.integers(0, c, n)]
    code = np.array(["uvwx".index(label) for label in y])
    columns = {
        "same": [f"is {label}" for label in y],
        "many": [f"m{v}" for v in rng.integers(0, 8, n)],
        "rank": np.array(["low", "mid", "high"])[rng.integers(0, 3, n)].tolist(),
        "code": code.astype(float).tolist(),
        "twice": (2.0 * code).tolist(),
        "wide": (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 9, n)).tolist(),  # cases far out come and go
    }
    names = [name for name in columns if rng.random() < 0.6] or ["many"]
    schema = {name: Numeric() if name in ("code", "twice", "wide") else Symbolic() for name in names}
    if "rank" in schema:
        schema["rank"] = Ordinal(("low", "mid", "high"))
    holes = rng.choice([0.0, 0.1])
    records = [{name: None if rng.random() < holes else columns[name][i] for name in names} for i in range(n)]
    return records, y, schema, rng


def every_distance(model, queries):
    distances, ids = model.kneighbors(queries, len(model.case_ids_))
    return np.take_along_axis(distances, np.argsort(ids, axis=1), axis=1)


@pytest.mark.filterwarnings("ignore:No feature has a different mean")
@every_method
@settings(max_examples=examples(25))
@given(seed=st.integers(0, 10_000))
def test_cases_that_came_and_went_and_the_order_of_rows_leave_no_trace(method, seed):
    records, y, schema, rng = degenerate(seed)
    half = len(y) // 2
    model = KNNClassifier(1, method.id, schema=schema).fit(records[:half], y[:half])
    model.partial_fit(records[half:], y[half:])
    gone = rng.choice(len(y), len(y) // 3, replace=False)
    model.forget(gone)
    kept = np.setdiff1d(np.arange(len(y)), gone)
    fresh = KNNClassifier(1, method.id, schema=schema).fit([records[i] for i in kept], y[kept])
    expected = every_distance(fresh, records)  # also for symbols that were there once
    assert every_distance(model, records) == pytest.approx(expected, rel=1e-9, abs=1e-9 * expected.max())
    order = rng.permutation(len(kept))
    shuffled = KNNClassifier(1, method.id, schema=schema).fit([records[i] for i in kept[order]], y[kept[order]])
    found = np.empty_like(expected)
    found[:, order] = every_distance(shuffled, records)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 * expected.max())


@every_method
def test_fewer_components(method):
    records, y, _, schema = table(2, n=80)
    both, one = method().fit(records, y, schema=schema), method(n_components=1).fit(records, y, schema=schema)
    assert one.ratios_ == pytest.approx(both.ratios_[:1])
    assert len(both.ratios_) == 2
    if method is QuantificationDistance:
        assert one.weights_.values == pytest.approx(both.weights_.values[:1])
    for wrong in (0, -1, 1.5, True, "all"):
        with pytest.raises(InputError, match="expected a whole number"):
            method(n_components=wrong).fit(records, y, schema=schema)


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
@every_method
def test_odd_features_have_sensible_weights(method):
    cases = [
        {"c": "c", "id": f"case {i}", "gone": None, "one": 1.0, "nan": None, "x": 2.0 * i, "hour": i, "big": 1e300 * i}
        for i in range(12)
    ]
    y = ["once", *("uv"[i % 2] for i in range(11))]
    schema = {"gone": Symbolic(), "one": Numeric(), "nan": Numeric(), "hour": Cyclic(period=24.0)}
    clf = KNNClassifier(1, method.id, schema=schema).fit(cases, y)
    assert np.isfinite(clf.feature_importances_).all()
    assert (clf.feature_importances_ >= 0).all()
    assert (clf.feature_importances_[[0, 2, 3, 4]] <= 1e-9).all()
    assert np.isfinite(clf.kneighbors(cases, 12)[0]).all()
    for why in clf.explain([{**cases[3], "id": "new", "gone": "there", "nan": 2.0}, {**cases[0], "x": None}]):
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-9, abs=1e-12)


@every_method
def test_nothing_between_classes_falls_back_with_a_warning(method):
    cases = [{"x": 1.0, "f": "a"}, {"x": 2.0, "f": "b"}] * 2
    for y in (list("uuvv"), list("uuuu")):
        with pytest.warns(NearwiseWarning, match="all features get the same weight"):
            weights = method().fit(cases, y).weights_
        assert weights == Global([1.0, 1.0], ["x", "f"])


@every_method
def test_too_many_symbols_and_other_kinds_are_refused_by_name(method):
    cases = [{"id": f"s{i}", "f": "ab"[i % 2]} for i in range(5000)]
    with pytest.raises(InputError, match=r"5002 of them.*'id' alone has 5000 values.*ignore=\['id'\]"):
        method().fit(cases, np.arange(5000) % 2, schema={"id": Symbolic()})
    with pytest.raises(InputError, match=r"feature 'notes'.*ignore=\['notes'\]"):
        method().fit([{"notes": "abc"}, {"notes": "abd"}], ["u", "v"], schema={"notes": Text()})


@every_method
def test_a_model_is_saved_explained_grown_and_shrunk(method, tmp_path):
    records, y, _, schema = table(4, n=80)
    clf = KNNClassifier(3, method.id, schema=schema).fit(records[:60], y[:60])
    clf.partial_fit(records[60:], y[60:]).forget(range(5))
    fresh = KNNClassifier(3, method.id, schema=schema).fit(records[5:], y[5:])
    queries = [{"x": 0.1, "far": 1e6, "sky": "snow", "wind": None}, records[9]]
    assert clf.kneighbors(queries)[0] == pytest.approx(fresh.kneighbors(queries)[0], rel=1e-6)
    clf.save(tmp_path / "m.nearwise")
    again = load(tmp_path / "m.nearwise")
    assert again.kneighbors(queries)[0].tolist() == clf.kneighbors(queries)[0].tolist()
    assert again.feature_weights_ == clf.feature_weights_
    assert again.weighting_.ratios_.tolist() == clf.weighting_.ratios_.tolist()
    for why in again.explain(queries):
        for n in why.neighbours:
            assert sum(n.contributions.values()) == pytest.approx(n.distance**clf.p_, rel=1e-9, abs=1e-12)


def test_a_matrix_that_does_not_fit_the_features_is_told():
    cases = [{"x": 1.0, "f": "a"}, {"x": 2.0, "f": "b"}]
    with pytest.raises(InputError, match="'f' is not on a line, and the matrix has no columns for its levels"):
        KNNClassifier(1, Matrix([[1.0, 1.0]], ["x", "f"])).fit(cases, ["u", "v"])
    with pytest.raises(InputError, match="'x' is not compared by its levels"):
        KNNClassifier(1, Matrix([[1.0, 1.0, 1.0, 1.0]], ["x", "f"], [("a", "b"), ("a", "b")])).fit(cases, ["u", "v"])
    with pytest.raises(InputError, match="needs p=2, or p=1"):
        KNNClassifier(1, Matrix([[1.0, 1.0, 0.0]], ["x", "f"], [(), ("a", "b")]), p=3).fit(cases, ["u", "v"])
