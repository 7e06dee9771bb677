"""Two-stage search equals the obvious reference and compares fewer costly values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Numeric, Set, Text, Vector
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.errors import NearwiseWarning
from nearwise.native import core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.two_stage import FEW, FEW_TEXTS, TwoStageIndex
from nearwise.search.plan import plan
from nearwise.weights import Global, PerQuery, Stored

from .tables import KINDS, problem, seeds, typed
from .test_agreement import SHAPES, compare

COSTLY = ("text", "tags", "shapes", "vector")
CHEAP = tuple(name for name in KINDS if name not in (*COSTLY, "custom"))
DIFFERENCES = {
    "text": ("levenshtein", "levenshtein-raw", "jaro-winkler", "token-dice"),
    "tags": ("jaccard", "dice"),
    "shapes": ("min", "hausdorff", "average"),
    "vector": ("euclidean", "cosine"),
}
powers = st.sampled_from([1, 2, 3, 0.5])


@st.composite
def mixed_kinds(draw):
    """At least one cheap and one costly kind, in any order."""
    names = [draw(st.sampled_from(CHEAP)), draw(st.sampled_from(COSTLY))]
    names += draw(st.lists(st.sampled_from(CHEAP + COSTLY), max_size=3))
    return draw(st.permutations(names))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr("nearwise.search.index.two_stage.FIRST", 1)
    monkeypatch.setattr("nearwise.search.index.two_stage.GROWTH", 1)
    monkeypatch.setattr("nearwise.search.index.two_stage.LEAST", 2)


@given(
    seeds, mixed_kinds(), st.integers(1, 12), powers, st.sampled_from(["max", "value", "mean"]),
    st.sampled_from(SHAPES), st.booleans(), st.sampled_from([1.0, 3.0]), st.sampled_from([1, 2, 9, 25]), st.booleans(),
)  # fmt: skip
def test_two_stages_equal_the_reference(seed, kinds, k, p, policy, shape, alone, gain, n, native):
    distance, queries, payload = problem(seed, kinds, n=n, p=p, policy=policy, shape=shape)

    def engine(distance):
        made = TwoStageIndex(distance)
        made._blocks_gain = gain
        made._texts = made._texts if native else None
        return made

    compare(engine, distance, queries, payload, k, None if alone else np.arange(len(queries)) % (n + 1) - 1)


@given(seeds, mixed_kinds(), st.integers(1, 12))
def test_the_policy_error_is_served(seed, kinds, k):
    distance, queries, payload = problem(seed, kinds, policy="error", holes=0.0)
    compare(TwoStageIndex, distance, queries, payload, k, None)


@given(seeds, mixed_kinds(), st.integers(1, 4), st.booleans())
def test_zero_weights_on_all_cheap_or_all_costly_features(seed, kinds, k, cheap):
    distance, queries, payload = problem(seed, kinds, n=20)
    weights = Global([float((kind in CHEAP) != cheap) for kind in kinds], distance.metric.names)
    distance = Distance(distance.metric, weights, distance.stored)
    compare(TwoStageIndex, distance, queries, payload, k, None)


@given(seeds, st.integers(1, 6), st.permutations(["numeric", "custom", "symbolic", "text"]))
def test_python_functions_are_served_with_a_warning(seed, k, kinds):
    distance, queries, payload = problem(seed, kinds)
    with pytest.warns(NearwiseWarning, match="is compared by a Python function"):
        compare(TwoStageIndex, distance, queries, payload, k, None)


@given(seeds, st.sampled_from([(kind, name) for kind, names in DIFFERENCES.items() for name in names]))
def test_no_lower_bound_exceeds_the_difference(seed, chosen):
    kind, name = chosen
    rng = np.random.default_rng(seed)
    far, wide = float(10.0 ** rng.integers(-3, 6)), int(rng.integers(1, 6))
    draw = {
        "text": lambda: "".join(rng.choice(list("ab c"), rng.integers(0, 9))),
        "tags": lambda: set(rng.choice(list("uvwxyz"), rng.integers(0, 6)).tolist()),
        "shapes": lambda: (far * rng.integers(0, 2) + rng.normal(size=(rng.integers(1, 5), wide))).tolist(),
        "vector": lambda: (far * rng.integers(0, 2) + rng.normal(size=wide)).tolist(),
    }[kind]
    made = {"text": Text(), "tags": Set(members="symbols"), "shapes": Set(members="vectors"), "vector": Vector()}[kind]
    tables = [typed({"f": [draw() for _ in range(12)]}, {"f": made}) for _ in range(2)]
    measure = Metric.fit(tables[0], differences={"f": name}).measures[0]
    x, q = (measure.encode(table, 0).values for table in tables)
    expected, prepared = measure.fitted.block(x, q), measure.fitted.prepare(x)
    for j in range(len(q)):
        asked = prepared.ask(q[j : j + 1])
        rows = rng.permutation(len(x))[: rng.integers(0, len(x) + 1)]
        np.testing.assert_array_equal(asked.some(rows), expected[j, rows])
        if asked.lower is not None:
            assert (asked.lower >= 0).all()
            assert (asked.lower <= expected[j]).all()


def separated(n, m, function, weights=(1.0, 1.0)):
    """A number that tells cases far apart, beside a function of costly values."""
    rng = np.random.default_rng(0)
    numbers, texts = rng.permutation(n + m).astype(float), ["x" * int(c) for c in rng.integers(0, 5, n + m)]
    kinds = {"number": Numeric(difference="none"), "costly": Custom(function)}
    table = typed({"number": numbers[:n].tolist(), "costly": texts[:n]}, kinds)
    metric = Metric.fit(table, None)
    queries = metric.measure(typed({"number": numbers[n:].tolist(), "costly": texts[n:]}, kinds))
    stored = Stored(metric.measure(table), np.zeros(n, dtype=np.intp))
    payload = Payload(np.zeros(n, dtype=np.intp), np.ones((n, 1)), 1)
    return Distance(metric, Global(weights, metric.names), stored), queries, payload


@pytest.mark.filterwarnings("ignore::nearwise.errors.NearwiseWarning")
def test_fewer_costly_differences_are_computed_than_there_are_pairs():
    calls = []

    def function(x, q):
        calls.append(1)
        return abs(len(x) - len(q))

    distance, queries, payload = separated(1000, 20, function)
    calls.clear()
    TwoStageIndex(distance).nearest(queries, 3, payload)
    assert 0 < len(calls) < 1000 * 20 / 50
    calls.clear()
    BlockEngine(distance).nearest(queries, 3, payload)
    assert len(calls) == 1000 * 20


def test_bounds_that_tell_nothing_end_in_a_block_of_every_pair():
    distance, queries, payload = problem(7, ["numeric", "text"], n=60, holes=0.0)
    weights = Global([0.0, 1.0], distance.metric.names)
    distance = Distance(distance.metric, weights, distance.stored)
    engine, seen = TwoStageIndex(distance), []
    engine._texts = None
    block = engine.rest.block
    engine.rest.block = lambda queries, weights: seen.append(len(queries)) or block(queries, weights)
    compare(lambda _: engine, distance, queries, payload, 2, None)
    assert seen


def test_weights_of_queries_follow_the_queries_into_the_block(monkeypatch):
    distance, queries, payload = problem(11, ["numeric", "text"], n=40, m=12, shape="per-query", holes=0.0)
    assert isinstance(distance.weights, PerQuery)
    monkeypatch.setattr("nearwise.search.index.two_stage.BLOCK_BYTES", 32 * 40 * 5)
    monkeypatch.setattr("nearwise.search.index.two_stage.CACHED", 1)
    compare(TwoStageIndex, distance, queries, payload, 2, None)


def test_a_tie_group_of_all_cases_is_complete():
    n = 300
    kinds = {"number": Numeric(), "word": Text()}
    table = typed({"number": [0.0, 1.0] * (n // 2), "word": ["ab", "ac"] * (n // 2)}, kinds)
    target = Target(np.zeros(n, dtype=np.intp), np.array(["p"]), np.ones(n))
    metric = Metric.fit(table, target)
    queries = metric.measure(typed({"number": [0.5], "word": ["ad"]}, kinds))
    distance = Distance(metric, Global([0.1, 0.7], metric.names), Stored(metric.measure(table), target.values))
    payload = Payload(target.values, np.ones((n, 1)), 1)
    found = TwoStageIndex(distance).nearest(queries, 2, payload)
    assert found.tied[0] == n
    assert found.indices.tolist() == [[0, 1]]
    compare(TwoStageIndex, distance, queries, payload, 2, None)


def test_the_planner_takes_two_stages_where_there_are_enough_cases():
    few, many = (problem(0, ["numeric", "tags"], n=n, m=1)[0] for n in (FEW, FEW + 1))
    assert plan(few).engine.name == "blocks"
    assert "not two-stage: 2000 cases are few" in plan(few).describe()
    assert plan(few, "two-stage").engine.name == "two-stage"
    assert plan(many).engine.name == "two-stage"
    assert "'f1' compared only for cases" in plan(many).describe()


def test_the_planner_takes_two_stages_for_texts_where_the_core_serves_them(monkeypatch):
    few, many = (problem(0, ["numeric", "text"], n=n, m=1)[0] for n in (FEW_TEXTS, FEW_TEXTS + 1))
    assert plan(few).engine.name == "blocks"
    assert plan(many).engine.name == ("blocks" if core() is None else "two-stage")
    monkeypatch.setenv("NEARWISE_NATIVE", "0")
    assert plan(many).engine.name == "blocks"
    assert "texts outside the C++ core are faster in blocks" in plan(many).describe()


def test_what_two_stages_refuse():
    assert "no feature is costly" in TwoStageIndex.refuses(problem(0, ["numeric"])[0])
    assert "every feature is costly" in TwoStageIndex.refuses(problem(0, ["text"])[0])
    assert "'ignore'" in TwoStageIndex.refuses(problem(0, ["numeric", "text"], policy="ignore")[0])
