"""The two-stage kernel counts edits as rapidfuzz does and finds what computing every pair finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.kinds import Numeric, Symbolic, Text
from nearwise.cases.target import Target
from nearwise.differences.metric import Metric
from nearwise.engines.base import Distance, Payload
from nearwise.engines.blocks import BlockEngine
from nearwise.engines.native import core
from nearwise.engines.staged import StagedEngine
from nearwise.engines.texts import TextStages
from nearwise.weights import Global, PerClass, Stored

from ..engines.tables import typed
from ..engines.test_agreement import assert_same_neighbours

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not built")
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
    st.integers(0, 2**32 - 1), st.permutations(["number", "symbol", "text", "raw"]), st.sampled_from([0, 3, 20, 64]),
    st.sampled_from([1, 2]), st.sampled_from(["max", "value"]), st.sampled_from([0.0, 0.3]), st.booleans(),
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
    found = StagedEngine(distance, threads).nearest(asked, k, payload, leave_out)
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


def test_a_query_of_more_than_64_letters_is_served_without_the_kernel():
    distance, queries, payload = distance_of(["ab" * (i % 30) for i in range(50)], ["ab" * 140, "a"])
    assert TextStages.refuses(distance) == ""
    assert_same_neighbours(
        StagedEngine(distance).nearest(queries, 3, payload), BlockEngine(distance).nearest(queries, 3, payload)
    )


def test_what_the_kernel_refuses():
    assert "more than 255 letters" in TextStages.refuses(distance_of(["a" * 256, "b"], ["a"])[0])
    many = ["".join(map(chr, range(start, start + 50))) for start in range(100, 400, 50)]
    assert "more than 255 different letters" in TextStages.refuses(distance_of(many, ["a"])[0])


def test_a_text_that_is_too_long_is_refused_at_the_border():
    distance, queries, payload = distance_of(["ab", "abc"], ["a"])
    stages = TextStages(distance, 1)
    stages.stored[0, 1, 96] = 65
    with pytest.raises(ValueError, match=r"stored_texts must be at most 64.* at 1"):
        stages.nearest(queries, 1, payload, None)
