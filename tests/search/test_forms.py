"""The search under quadratic forms: what single precision proposes is all that double precision would have found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearwise import Numeric, Symbolic
from nearwise.cases.table import CaseTable
from nearwise.differences.metric import Metric
from nearwise.search import Distance, Payload
from nearwise.search.fallback.form_blocks import FormBlocks
from nearwise.search.index.forms import FormsIndex
from nearwise.weights import Forms, Stored

FLAVOURS = {
    "real": lambda rng, *size: rng.normal(size=size),
    "ties": lambda rng, *size: rng.integers(0, 6, size) / 10,
    "far from 0": lambda rng, *size: 1e9 + rng.normal(size=size),
    "nearly equal": lambda rng, *size: 1 + rng.integers(0, 9, size) * 1e-12,
    "clusters": lambda rng, *size: rng.choice([0.0, 1e6], size) + 1e-3 * rng.normal(size=size),
    "tiny": lambda rng, *size: rng.normal(size=size) * 1e-40,
    "huge": lambda rng, *size: rng.normal(size=size) * 1e40,
}


def compared(rng, flavour, n, k, by="range", holes=0.0, symbols=False, maps=None):
    """The engine and the blocks on the same cases and queries."""
    given, asked = (FLAVOURS[flavour](rng, many, 4) for many in (n, 6))
    asked[::2] = given[rng.integers(0, n, 3)]
    for values in (given, asked):
        values[rng.random(values.shape) < holes] = np.nan
    schema = {f"x{f}": Numeric(difference=by) for f in range(4)}
    columns, queries = ({name: values[:, f] for f, name in enumerate(schema)} for values in (given, asked))
    if symbols:
        schema["hue"] = Symbolic()
        columns["hue"], queries["hue"] = (np.array(list("rgb"))[rng.integers(0, 3, many)] for many in (n, 6))
    rows, others = (
        [dict(zip(c, row)) for row in zip(*(column.tolist() for column in c.values()))] for c in (columns, queries)
    )
    table = CaseTable.of(rows, schema=schema)
    metric = Metric.fit(table, None, p=1, missing="usual")
    p = len(schema)
    maps = rng.normal(size=(6, p, p)) if maps is None else maps
    distance = Distance(metric, Forms(maps, metric.names), Stored(metric.measure(table)))
    payload = Payload(rng.integers(0, 3, n), np.ones((n, 1)), 3)
    measured = metric.measure(CaseTable.of(others, schema=schema))
    leave_out = rng.integers(-1, n, 6)
    for skip in (None, leave_out):
        one, two = (
            made.nearest(measured, k, payload, skip) for made in (FormsIndex(distance, 2), FormBlocks(distance))
        )
        for name in ("indices", "sums", "inside", "tied", "tie_sums"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(sorted(FLAVOURS)), st.sampled_from([1, 17, 300, 5_000]),
    st.sampled_from([1, 5, 40]), st.sampled_from(["range", "none"]), st.sampled_from([0.0, 0.2]), st.booleans(),
)  # fmt: skip
def test_forms_equal_their_blocks_to_the_last_bit(seed, flavour, n, k, by, holes, symbols):
    compared(np.random.default_rng(seed), flavour, n, k, by, holes, symbols)


@pytest.mark.parametrize(
    "maps",
    [
        np.zeros((1, 4, 4)), np.full((1, 1, 4), 1e-30), np.diag([1e20, 1.0, 1.0, 1e-20])[None],
        np.array([[[1.0, -1.0, 0.0, 0.0]]]), np.full((1, 2, 4), 1e200), np.triu(np.ones((4, 4)))[None, ::-1],
    ],
)  # fmt: skip
@pytest.mark.parametrize("flavour", ["real", "ties", "far from 0"])
def test_forms_that_single_precision_hardly_holds_are_searched_all_the_same(maps, flavour):
    for k in (1, 60):
        compared(np.random.default_rng(0), flavour, 4_000, k, maps=maps)
