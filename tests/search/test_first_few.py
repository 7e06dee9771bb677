"""A search that asks a few of the cases first answers as one that does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.native import core
from nearwise.search.base import Distance
from nearwise.search.index import first_few
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.first_few import FirstFew, features_that_count
from nearwise.weights import Global

from .obvious import reference
from .tables import CORE, EMBEDDED, kind_lists, problem, seeds

pytestmark = pytest.mark.skipif(core() is None, reason="the C++ core is not built")


@given(
    seeds, kind_lists((*CORE, *EMBEDDED)), st.integers(1, 6), st.sampled_from([1, 2, 3, 1.5]),
    st.sampled_from(["global", "per-class", "per-case", "per-query"]), st.booleans(), st.integers(1, 30),
)  # fmt: skip
def test_answers_are_those_of_the_obvious_search(seed, kinds, k, p, shape, alone, few) -> None:
    distance, queries, payload = problem(seed, kinds, n=40, m=7, p=p, shape=shape)
    if DenseIndex.refuses(distance):
        return
    skip = None if alone else np.arange(len(queries)) * 5
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DenseIndex, "_few_count", True)
        for name, value in {"FEW": few, "TIMES": 1, "EACH": 0, "QUERIES": 1}.items():
            patch.setattr(first_few, name, value)
        patch.setattr(
            FirstFew,
            "pays",
            lambda distance, m, k, pays=FirstFew.pays: len(distance.stored) == 40 and pays(distance, m, k),
        )
        reach = FirstFew.reach
        patch.setattr(FirstFew, "reach", lambda *given: asked.append(0) or reach(*given))
        found = DenseIndex(distance).nearest(queries, k, payload, skip)
    assert bool(asked) == (shape in ("global", "per-class"))
    slow = reference(distance).nearest(queries, k, payload, skip)
    np.testing.assert_array_equal(found.indices, slow.indices)
    np.testing.assert_allclose(found.sums, slow.sums, rtol=1e-12)
    for name in ("inside", "tied"):
        np.testing.assert_array_equal(getattr(found, name), getattr(slow, name))
    np.testing.assert_allclose(found.tie_sums, slow.tie_sums, rtol=1e-12)


def test_a_large_table_is_asked_in_this_way() -> None:
    distance, queries, payload = problem(1, ["numeric", "symbolic", "gaussian"], n=25_000, m=300)
    engine = DenseIndex(distance)
    assert engine._few_count
    assert FirstFew.pays(distance, 300, 5)
    assert not FirstFew.pays(distance, 300, 100)
    assert not FirstFew.pays(distance, 20, 5)
    skip = np.arange(300) * 80
    found, plain = engine.nearest(queries, 5, payload, skip), engine._nearest(queries, 5, payload, skip, {})
    for name in ("sums", "indices", "inside", "tied", "tie_sums"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))


def test_features_that_count_are_counted() -> None:
    """Equal ones count in full, one that outweighs the others alone."""
    distance, _, _ = problem(1, ["gaussian"] * 10, n=2000, holes=0.0)

    def under(values) -> float:
        return features_that_count(Distance(distance.metric, Global(values, distance.metric.names), distance.stored))

    assert 8 < under(np.ones(10)) <= 10
    assert 1 <= under(np.array([1000.0, *[1.0] * 9])) < 1.1
    assert under(np.zeros(10)) == np.inf
