"""What every difference keeps to; they are found by themselves, and a toy one beside them."""

import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import nearwise as nw
from nearwise import differences
from nearwise.cases.frames import RawColumn, RawTable
from nearwise.cases.kinds import KINDS, POLICIES, Custom, Cyclic, Ordinal, Set, Symbolic
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.base import Fitted
from nearwise.differences.metric import Metric
from nearwise.errors import InputError, NearwiseWarning, SchemaError
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.reference import ReferenceEngine
from nearwise.search.plan import ENGINES
from nearwise.weights import Global, Stored

TOY = Path(__file__).with_name("great_circle.py")
FORMS = {"line", "circle", "overlap", "table", "profile", "pair"}
SETTINGS = {
    "bent-number": {"steps": (1.0, 3.0), "gains": (0.5, 2.0), "knots": (0.0, 4.0), "heights": (0.0, 1.0)},
    "bent-symbol": {"levels": ("a", "b"), "rows": ((0.0, 1.0), (2.0, 0.5), (1.0, 1.0), (3.0, 0.0))},
}
"""name -> settings, where those by themselves make no difference at all"""
LEVELS = ("low", "mid", "high")
N, M = 40, 9


@pytest.fixture(autouse=True, scope="module")
def toy(tmp_path_factory):
    """The toy difference in the folder of differences, as far as the walk can tell."""
    folder = tmp_path_factory.mktemp("differences")
    shutil.copy(TOY, folder)
    differences.__path__.append(str(folder))
    differences.found.cache_clear()
    yield
    differences.__path__.remove(str(folder))
    differences.found.cache_clear()
    sys.modules.pop("nearwise.differences.great_circle", None)


def length_gap(a, b):
    return float(abs(len(a) - 2 * len(b)))


TREE = {"top": {"left": ["a", "b"], "right": {"c": ["d"]}}}
KIND = {
    "Symbolic": Symbolic(tree=TREE),
    "Cyclic": Cyclic(period=24.0),
    "Ordinal": Ordinal(levels=LEVELS),
    "Set": Set(members="symbols"),
    "Set of vectors": Set(members="vectors"),
    "Custom": Custom(length_gap),
}


def kind_of(name):
    return KIND.get(name) or KINDS[name]()


DRAW = {
    "Numeric": lambda rng: float(rng.integers(0, 20)) / 4,
    "Cyclic": lambda rng: float(rng.integers(0, 24)),
    "Symbolic": lambda rng: "abcd"[rng.integers(0, 4)],
    "Ordinal": lambda rng: LEVELS[rng.integers(0, 3)],
    "Text": lambda rng: " ".join("".join(rng.choice(list("abc"), rng.integers(0, 7))) for _ in range(2)),
    "Set": lambda rng: set(rng.choice(list("vwxyz"), rng.integers(0, 4)).tolist()),
    "Set of vectors": lambda rng: rng.integers(0, 5, (rng.integers(1, 4), 2)).tolist(),
    "Vector": lambda rng: rng.integers(0, 90, 2).astype(float).tolist(),
    "Custom": lambda rng: "x" * int(rng.integers(0, 5)),
}


def every():
    """(name, kind) of every difference there is, the toy too."""
    found = [(name, kind) for name, (made, _) in differences.found().items() for kind in served(made)]
    return [*found, ("great-circle", "Vector")]


def served(made):
    for kind in DRAW:
        if made.serves(kind_of(kind)):
            yield kind


each = pytest.mark.parametrize(("name", "kind"), every(), ids=lambda part: part)


def made(name, kind, policy="max"):
    """(metric, stored table, query table, target) of a table with this difference beside a number."""
    rng = np.random.default_rng(3)
    difference = differences.get({"name": name, **SETTINGS.get(name, {})})
    schema = {"f": kind_of(kind).with_(difference=difference), "beside": KINDS["Numeric"]()}

    def table(n):
        columns = [[None if rng.random() < 0.15 else DRAW[k](rng) for _ in range(n)] for k in (kind, "Numeric")]
        raw = RawTable(("f", "beside"), tuple(RawColumn("object", c) for c in columns), n, None, True)
        return CaseTable.like(raw, Schema(schema))

    stored, queries = table(N), table(M)
    target = Target(rng.integers(0, 3, N), np.array(["p", "q", "r"]), np.ones(N))
    return Metric.fit(stored, target, missing=policy), stored, queries, target


def known_values(metric, table):
    """(n,) encoded values of the first feature, where they are known."""
    encoded = metric.measure(table).columns[0]
    return encoded.values if encoded.missing is None else encoded.values[~encoded.missing]


@each
def test_it_declares_kinds_a_form_and_a_name(name, kind):
    made_by, _ = differences.found()[name]
    assert set(made_by.kinds) | set(made_by.converts) <= set(KINDS)
    assert made_by.__doc__
    fitted = made(name, kind)[0].measures[0].fitted
    assert fitted.form in FORMS
    assert fitted.form != "table" or fitted.levels is not None


def test_no_two_differences_have_one_name():
    names = [
        name
        for made_by in {made_by for made_by, _ in differences.found().values()}
        for name in vars(made_by).get("names") or [made_by.name]
    ]
    assert len(names) == len(set(names)) == len(differences.NAMES)


@each
def test_a_block_equals_the_loop_over_pairs(name, kind, loop):
    metric, stored, queries, _ = made(name, kind)
    fitted, X, Q = metric.measures[0].fitted, known_values(metric, stored), known_values(metric, queries)
    expected = loop(fitted, X, Q)
    np.testing.assert_allclose(fitted.block(X, Q), expected, rtol=1e-12, atol=1e-15)
    for p in (1, 2, 3):
        terms = np.array([[fitted.term(x, q, p) for x in X] for q in Q])
        np.testing.assert_allclose(fitted.block_terms(X, Q, p), terms, rtol=1e-11, atol=1e-15)
        np.testing.assert_allclose(terms, expected**p, rtol=1e-11, atol=1e-15)


@each
def test_it_is_finite_and_never_negative(name, kind):
    metric, stored, queries, _ = made(name, kind)
    raw = metric.measures[0].fitted.block(known_values(metric, stored), known_values(metric, queries))
    assert np.isfinite(raw).all()
    assert (raw >= 0).all()


@each
def test_its_bound_is_at_most_the_difference_and_some_equal_the_block(name, kind):
    metric, stored, queries, _ = made(name, kind)
    fitted, X, Q = metric.measures[0].fitted, known_values(metric, stored), known_values(metric, queries)
    expected, prepared = fitted.block(X, Q), fitted.prepare(X)
    for j in range(len(Q)):
        asked = prepared.ask(Q[j : j + 1])
        np.testing.assert_array_equal(asked.some(np.arange(len(X))), expected[j])
        if asked.lower is not None:
            assert (asked.lower >= 0).all()
            assert (asked.lower <= expected[j]).all()


@each
def test_it_is_symmetric_where_it_says_so(name, kind):
    metric, stored, _, _ = made(name, kind)
    fitted, X = metric.measures[0].fitted, known_values(metric, stored)
    if fitted.symmetric:
        there = fitted.block(X, X)
        np.testing.assert_allclose(there, there.T, rtol=1e-12, atol=1e-15)


@each
def test_its_embedding_says_the_same_as_the_pairs(name, kind):
    metric, stored, queries, _ = made(name, kind)
    fitted, X, Q = metric.measures[0].fitted, known_values(metric, stored), known_values(metric, queries)
    if not fitted.embeds:
        return
    p = fitted.embeds_at
    gaps = (np.abs(fitted.embed(Q)[:, None] - fitted.embed(X)[None]) ** p).sum(axis=2)
    gaps = np.where(np.isnan(gaps), fitted.maximum**p, gaps)
    np.testing.assert_allclose(gaps, fitted.block_terms(X, Q, p), rtol=1e-9, atol=1e-12)


@each
def test_its_expected_difference_is_a_mean_over_the_training_values(name, kind):
    metric, stored, queries, _ = made(name, kind)
    fitted, X, Q = metric.measures[0].fitted, known_values(metric, stored), known_values(metric, queries)
    np.testing.assert_allclose(fitted.expected(Q), fitted.block(X, Q).mean(axis=1), rtol=1e-9, atol=1e-12)
    assert fitted.expected_both == pytest.approx(float(fitted.block(X, X).mean()), rel=1e-9, abs=1e-12)


@each
@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "error"])
def test_every_engine_that_accepts_it_equals_the_reference(name, kind, policy):
    metric, stored, queries, target = made(name, kind, policy)
    payload = Payload(target.values, target.weights[:, None], 3)
    asked = metric.measure(queries)
    for p in (1, 2):
        measured = Metric(metric.measures, p)
        weights = Global([1.0, 0.25], metric.names)
        distance = Distance(measured, weights, Stored(measured.measure(stored), target.values))
        expected = ReferenceEngine(distance).nearest(asked, 3, payload)
        for engine in ENGINES.values():
            if engine is ReferenceEngine or engine.refuses(distance):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NearwiseWarning)  # of Python functions
                found = engine(distance).nearest(asked, 3, payload)
            np.testing.assert_array_equal(found.indices, expected.indices, err_msg=engine.name)
            np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-12, err_msg=engine.name)
            np.testing.assert_array_equal(found.tied, expected.tied, err_msg=engine.name)


@each
@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_a_saved_model_measures_as_before(name, kind, tmp_path):
    rng = np.random.default_rng(5)
    cases = [{"f": None if i % 7 == 3 else DRAW[kind](rng), "beside": float(i % 5)} for i in range(N)]
    asked = [{"f": DRAW[kind](rng), "beside": 1.0} for _ in range(M)]
    difference = differences.get({"name": name, **SETTINGS.get(name, {})})
    schema = {"f": kind_of(kind).with_(difference=difference)}
    knn = nw.KNNClassifier(3, "none", schema=schema).fit(cases, ["p", "q"] * (N // 2))
    knn.save(tmp_path / "model.nearwise")
    again = nw.load(tmp_path / "model.nearwise", functions={"f": length_gap} if kind == "Custom" else None)
    for before, after in zip(knn.kneighbors(asked), again.kneighbors(asked), strict=True):
        np.testing.assert_array_equal(before, after)


@each
def test_its_json_makes_an_equal_difference(name, kind):
    difference = differences.get({"name": name, **SETTINGS.get(name, {})})
    assert differences.get(difference.to_json()) == difference
    assert differences.NAMES[name]() == differences.get(name)


def test_one_file_is_enough_for_a_difference():
    cases = [{"place": [0.0, 179.0]}, {"place": [0.0, 90.0]}, {"place": [0.0, 1.0]}]
    near = nw.NearestCases(1, schema={"place": nw.Vector(difference="great-circle")}).fit(cases)
    assert near.kneighbors([{"place": [0.0, -179.0]}])[1].tolist() == [[0]]  # two degrees apart
    assert "great-circle" in differences.served_by(nw.Vector)
    with pytest.raises(SchemaError, match="Did you mean 'great-circle'"):
        nw.Vector(difference="great-circel")


def test_a_difference_of_ones_own_is_taken_as_an_object():
    from nearwise.differences.numeric import Line, Scaled

    class Steps(Scaled):
        @property
        def name(self):
            return "steps"

        def fit(self, column, context):
            return Line(column.values // 10, "range", None)

    near = nw.NearestCases(1, differences={"x": Steps()}).fit([{"x": 1.0}, {"x": 30.0}])
    assert "steps" in near.plan_.describe()
    with pytest.raises(InputError, match="has no difference 'steps'"):
        nw.NearestCases(1, schema={"x": nw.Text()}, differences={"x": Steps()}).fit([{"x": "a"}])


def test_a_kind_made_before_the_differences_were_loaded_is_checked_when_it_is_fitted(monkeypatch):
    from nearwise.cases.kinds import Kind

    monkeypatch.setattr(Kind, "served_by", None)
    schema = {"x": KINDS["Numeric"](difference="jaccrad"), "y": KINDS["Numeric"](difference="jaccard")}
    with pytest.raises(SchemaError, match=r"'x' is Numeric.*no difference 'jaccrad'"):
        nw.NearestCases(1, schema={"x": schema["x"]}).fit([{"x": 1.0}, {"x": 2.0}])
    with pytest.raises(InputError, match=r"'y' is Numeric.*no difference 'jaccard'"):
        nw.NearestCases(1, schema={"y": schema["y"]}).fit([{"y": 1.0}, {"y": 2.0}])


def test_every_fitted_difference_says_what_it_writes():
    def below(parent):
        for child in parent.__subclasses__():
            yield child
            yield from below(child)

    assert all("written" in vars(fitted) for fitted in below(Fitted))
