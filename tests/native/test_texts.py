"""The two-stage kernel counts edits as rapidfuzz does and finds what computing every pair finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Numeric, Symbolic, Text
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.native import core as native_core
from nearwise.search.base import Distance, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.texts import TextStages
from nearwise.search.index.two_stage import TwoStageIndex
from nearwise.weights import Global, PerClass, Stored

from ..search.obvious import reference
from ..search.tables import typed
from ..search.test_agreement import assert_same_neighbours

pytestmark = pytest.mark.skipif(native_core() is None, reason="the native core is not built")
LETTERS = "abcdeé\0𝄞"


def tables(rng, order, longest, holes, n, m):
    kinds = {"number": Numeric(), "symbol": Symbolic(), "text": Text(), "raw": Text(difference="levenshtein-raw")}
    schema = {name: kinds[name] for name in order}

    def text(letters):
        return "".join(rng.choice(list(letters), rng.integers(0, longest + 1)))

    def some(size, letters):
        draw = {"number": lambda: float(rng.integers(0, 5)), "symbol": lambda: "xyz"[rng.integers(0, 3)]}
        return {
            name: [
                None if rng.random() < holes else draw.get(name, lambda: text(letters))()
                for _ in range(size)
            ]
            for name in order
        }  # fmt: skip

    return typed(some(n, LETTERS), schema), typed(some(m, LETTERS + "?z"), schema)


@given(
    st.integers(0, 2**32 - 1), st.permutations(["number", "symbol", "text", "raw"]),
    st.sampled_from([0, 3, 20, 64, 90]), st.sampled_from([1, 2]),
    st.sampled_from(["max", "value"]), st.sampled_from([0.0, 0.3]), st.booleans(),
    st.integers(1, 50), st.booleans(), st.integers(1, 3),
)  # fmt: skip
def test_the_kernel_equals_every_pair_to_the_last_bit(
    seed, order, longest, p, policy, holes, per_class, k, alone, threads
):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 60)), 6
    table, queries = tables(rng, order, longest, holes, n, m)
    target = Target(rng.integers(0, 2, n), np.array(["p", "q"]), rng.integers(1, 3, n).astype(float))
    metric = Metric.fit(table, target, missing=policy, p=p)
    if per_class:
        weights = PerClass(rng.integers(0, 3, (2, 4)) / 2, metric.names, ["p", "q"], [0.5, 0.5])
    else:
        weights = Global(rng.integers(0, 3, 4) / 2, metric.names)
    distance = Distance(metric, weights, Stored(metric.measure(table), target.values))
    assert TextStages.refuses(distance) == ""
    payload, asked = Payload(target.values, target.weights[:, None], 2), metric.measure(queries)
    leave_out = None if alone else rng.integers(-1, n, m)
    found = TwoStageIndex(distance, threads).nearest(asked, k, payload, leave_out)
    expected = BlockEngine(distance).nearest(asked, k, payload, leave_out)
    assert_same_neighbours(found, expected)
    np.testing.assert_array_equal(found.sums, expected.sums)


def distance_of(values, asked):
    kinds = {"number": Numeric(), "text": Text()}
    table = typed({"number": [float(i % 7) for i in range(len(values))], "text": values}, kinds)
    metric = Metric.fit(table)
    distance = Distance(metric, Global([1.0, 1.0], metric.names), Stored(metric.measure(table)))
    payload = Payload(np.zeros(len(values), dtype=np.intp), np.ones((len(values), 1)), 1)
    return distance, metric.measure(typed({"number": [1.0] * len(asked), "text": asked}, kinds)), payload


def test_a_query_of_more_than_255_letters_is_served_without_the_kernel():
    distance, queries, payload = distance_of(["ab" * (i % 30) for i in range(50)], ["ab" * 140, "a"])
    assert TextStages.refuses(distance) == ""
    assert_same_neighbours(
        TwoStageIndex(distance).nearest(queries, 3, payload), BlockEngine(distance).nearest(queries, 3, payload)
    )


def test_what_the_kernel_refuses():
    assert "more than 255 letters" in TextStages.refuses(distance_of(["a" * 256, "b"], ["a"])[0])
    many = ["".join(map(chr, range(start, start + 50))) for start in range(100, 400, 50)]
    assert "more than 255 different letters" in TextStages.refuses(distance_of(many, ["a"])[0])


def same(distance, queries, payload, k, leave_out=None, threads=1):
    found = TwoStageIndex(distance, threads).nearest(queries, k, payload, leave_out)
    expected = reference(distance).nearest(queries, k, payload, leave_out)
    assert_same_neighbours(found, expected)
    np.testing.assert_array_equal(found.sums, expected.sums)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 200])
@pytest.mark.parametrize("k", [1, 3, 250])
def test_chunks_that_are_and_are_not_full(n, k):
    rng = np.random.default_rng(n)
    values = ["".join(rng.choice(list("abc𝄞"), rng.integers(0, 6))) for _ in range(n)]
    same(*distance_of(values, ["", "ab", "𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞", values[0]]), k, np.array([0, -1, n - 1, 0]))


@given(st.integers(0, 2**32 - 1), st.sampled_from([65, 128, 129, 200, 255]), st.sampled_from(["ab", "abcdefghij"]))
def test_long_texts_equal_the_reference(seed, longest, letters):
    rng = np.random.default_rng(seed)

    def text():
        return "".join(rng.choice(list(letters), rng.integers(0, longest + 1)))

    values = [text() for _ in range(20)]
    near = [values[i][: rng.integers(0, 260)] + "z" for i in range(3)]
    same(*distance_of(values, [text()[:254], *(t[:255] for t in near), "a" * 255]), 4)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]), st.booleans(), st.integers(1, 12))
def test_texts_that_many_cases_share_equal_the_reference(seed, p, near, k):
    rng = np.random.default_rng(seed)
    names = ["".join(rng.choice(list("abcd"), rng.integers(3, 12))) for _ in range(5)]
    values = [names[i] for i in rng.integers(0, 5, 150)]
    kinds = {"number": Numeric(difference="none"), "text": Text(), "again": Text(difference="levenshtein-raw")}

    def table(numbers, texts):
        return typed({"number": numbers, "text": texts, "again": texts[::-1]}, kinds)

    stored = table(rng.normal(size=150).tolist(), values)
    metric = Metric.fit(stored, p=p)
    weights = Global([1.0 if near else 0.01, 1.0, 0.5], metric.names)
    distance = Distance(metric, weights, Stored(metric.measure(stored)))
    payload = Payload(np.zeros(150, dtype=np.intp), np.ones((150, 1)), 1)
    same(distance, metric.measure(table([0.0, 1.0, -2.0], [names[0], "ab", "dcba"])), payload, k)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1.0, 1e12, 1e30, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("p", [1, 2])
def test_numbers_that_single_precision_cannot_tell_apart(size, offset, p):
    rng = np.random.default_rng(3)
    kinds = {"number": Numeric(difference="none"), "other": Numeric(difference="none"), "text": Text()}

    def table(rows):
        numbers = size * (offset + rng.normal(size=rows))
        texts = ["".join(rng.choice(list("abc"), 3)) for _ in range(rows)]
        return typed({"number": numbers.tolist(), "other": rng.normal(size=rows).tolist(), "text": texts}, kinds)

    stored = table(300)
    metric = Metric.fit(stored, p=p)
    payload = Payload(np.zeros(300, dtype=np.intp), np.ones((300, 1)), 1)
    for weights in ([1.0, 1.0, 1.0], [size, 0.0, size], [0.0, 1.0, 1e-40]):
        distance = Distance(metric, Global(weights, metric.names), Stored(metric.measure(stored)))
        same(distance, metric.measure(table(4)), payload, 5)


def test_no_cases_are_served():
    distance, queries, _ = distance_of(["a"], ["b"])
    stored = Stored(distance.stored.cases.take(slice(0, 0)))
    empty = Distance(distance.metric, distance.weights, stored)
    found = TwoStageIndex(empty).nearest(queries, 2, Payload(np.zeros(0, dtype=np.intp), np.ones((0, 1)), 1))
    assert found.indices.tolist() == [[-1, -1]]


def parts(**changed):
    """Two numbers, two cases, the text 'ba' of both."""
    made = {
        "columns": np.zeros((2, 2)), "is_symbol": np.zeros(2, np.uint8), "segment": np.zeros(2, np.int32),
        "coefficients": np.ones((1, 2)), "one_missing": np.ones(2), "both_missing": np.ones(2), "power": 2,
        "letters": np.array([[0, 2, 1]], np.uint8), "counts": np.zeros((1, 32), np.uint8),
        "lengths": np.array([2], np.int16), "text_of": np.zeros((1, 2), np.int32),
        "text_terms": np.array([[2.0, 1.0, 1.0, 1.0]]), "text_coefficients": np.ones((1, 1)),
    }  # fmt: skip
    return made | changed


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"power": 3}, "power must be 1 or 2"),
        ({"segment": np.array([0, 1], np.int32)}, "segment must be in 0 .. g - 1"),
        ({"coefficients": np.array([[1.0, -1.0]])}, "coefficients must be finite and not negative; it is not at 1"),
        ({"text_coefficients": np.array([[np.nan]])}, "text_coefficients must be finite"),
        ({"lengths": np.array([4], np.int16)}, "lengths must be at most 3"),
        ({"lengths": np.array([-2], np.int16)}, "lengths must be at most 3, or -1"),
        ({"lengths": np.array([1], np.int16)}, "letters must be 0 before a text"),
        ({"letters": np.array([[0, 2, 0]], np.uint8)}, "letters must be 0 before a text and codes from 1 in it"),
        ({"counts": np.zeros((1, 31), np.uint8)}, r"counts must have shape \(1, 32\)"),
        ({"text_of": np.ones((1, 2), np.int32)}, "text_of must be in 0 .. d - 1"),
        ({"text_terms": np.array([[3.0, 1.0, 1.0, 1.0]])}, "the places of texts"),
        ({"text_terms": np.array([[0.5, 1.0, 1.0, 1.0]])}, "the places of texts"),
    ],
)
def test_a_wrong_part_is_named_when_the_index_is_made(core, changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        core.TextIndex(**parts(**changed))


def asked(**changed):
    made = {
        "queries": np.zeros((1, 2)), "letters": np.zeros((1, 1, 4), np.uint8), "counts": np.zeros((1, 1, 32), np.uint8),
        "lengths": np.array([[4]], np.int16), "exclude": np.array([-1]), "k": 1, "tolerance": 0.0,
        "group_codes": np.zeros(2, np.int32), "group_values": np.ones((2, 1)), "n_groups": 1,
    }  # fmt: skip
    return made | changed


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"k": 0}, "TextIndex: k must be in 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"tolerance": np.nan}, "tolerance must be in"),
        ({"lengths": np.array([[5]], np.int16)}, "lengths must be at most 4"),
        ({"exclude": np.array([2])}, "exclude must be -1 or a position below n"),
        ({"queries": np.zeros((1, 3))}, "queries must have shape"),
        ({"group_codes": np.array([0, 1], np.int32)}, "group_codes must be in"),
    ],
)
def test_a_wrong_question_is_named_before_it_is_asked(core, changed, sentence):
    index = core.TextIndex(**parts())
    assert index.nearest(**asked())[1].tolist() == [[0]]
    with pytest.raises(ValueError, match=sentence):
        index.nearest(**asked(**changed))
