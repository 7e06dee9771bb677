"""A search that is told how far the answer can reach lists all up to there as it would without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.native import core
from nearwise.search.plan import ENGINES

from .tables import problem, seeds

SERVED = {"codes": ["symbolic", "mvdm"], "tree": ["numeric", "gaussian"], "dense": ["numeric", "gaussian", "symbolic"]}
needs_core = pytest.mark.skipif(core() is None, reason="the C++ core is not built")


@needs_core
@pytest.mark.parametrize("name", [*SERVED, "scan"])
@given(seeds, st.integers(1, 8), st.sampled_from([1, 2]), st.sampled_from(["global", "per-class"]), st.booleans())
def test_what_is_within_reach_is_listed_with_its_ties(name, seed, k, p, shape, alone) -> None:
    kinds = SERVED.get(name, SERVED["dense"])
    distance, queries, payload = problem(seed, kinds, p=p, shape=shape, holes=0.0 if name == "tree" else 0.2)
    if ENGINES[name].refuses(distance):
        return
    engine, m = ENGINES[name](distance), len(queries)
    skip = None if alone else np.arange(m) - 1
    whole = engine.nearest(queries, k, payload, skip)
    rng = np.random.default_rng(seed)
    other = engine.nearest(queries, rng.integers(1, k + 3), payload, skip).sums[:, -1]
    for reach in (other, np.where(np.isinf(other), 1.0, other) * rng.choice([0.0, 0.5, 1.0], m), np.full(m, np.inf)):
        found = engine.nearest_up_to(queries, k, payload, reach, skip)
        there = whole.sums <= reach[:, None]
        np.testing.assert_array_equal(found.indices[there], whole.indices[there])
        np.testing.assert_array_equal(found.sums[there], whole.sums[there])
        full = there.all(axis=1) & (whole.indices[:, -1] >= 0)
        np.testing.assert_array_equal(found.inside[full], whole.inside[full])
        np.testing.assert_array_equal(found.tied[full], whole.tied[full])
        np.testing.assert_array_equal(found.tie_sums[full], whole.tie_sums[full])


@needs_core
@pytest.mark.parametrize("name", SERVED)
def test_what_is_out_of_reach_is_not_searched_for(name) -> None:
    distance, queries, payload = problem(3, SERVED[name], n=400, holes=0)
    engine, m = ENGINES[name](distance), len(queries)
    none = engine.nearest_up_to(queries, 400, payload, np.zeros(m))
    assert (none.indices >= 0).sum() < (engine.nearest(queries, 400, payload).indices >= 0).sum()


@needs_core
@pytest.mark.parametrize("name", SERVED)
@pytest.mark.parametrize("wrong", [-1.0, np.nan])
def test_a_reach_that_is_no_sum_is_refused(name, wrong) -> None:
    distance, queries, payload = problem(3, SERVED[name], n=400, holes=0)
    with pytest.raises(ValueError, match="reach must not be negative"):
        ENGINES[name](distance).nearest_up_to(queries, 2, payload, np.full(len(queries), wrong))
