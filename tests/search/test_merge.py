"""Lists over parts of the cases, put together in any grouping, say what one search over all of them says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.search.base import Neighbours, Payload
from nearwise.search.selection.merge import Listed
from nearwise.search.selection.smallest import empty_neighbours, fill_nearest


def searched(sums, k, payload):
    out = empty_neighbours(len(sums), k, payload)
    for row, own in enumerate(sums):
        fill_nearest(out, row, own, -1, payload)
    return out


def listed(sums, at, k):
    return Listed.of(searched(sums[:, at], min(k, len(at)), Payload.nothing(len(at))), at)


@st.composite
def shards(draw):
    n, m, k = draw(st.integers(3, 14)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    values = st.sampled_from([0.0, 1.0, 1.0 + 1e-13, 1.0 + 3e-12, 2.0, 5.0])
    sums = np.array(draw(st.lists(st.lists(values, min_size=n, max_size=n), min_size=m, max_size=m)))
    part = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    return sums, [np.flatnonzero(part == p) for p in range(3) if (part == p).any()], k


@given(shards(), st.integers(0, 6))
def test_any_grouping_gives_the_answer_of_one_search(made, spare):
    sums, parts, k = made
    n = sums.shape[1]
    payload = Payload(np.arange(n) % 2, np.linspace(1, 2, n)[:, None], 2)
    lists = [listed(sums, at, k + spare) for at in parts]
    left, right = lists[0], lists[-1]
    for one in lists[1:]:
        left = left.merged(one)
    for one in lists[-2::-1]:
        right = one.merged(right)
    expected = searched(sums, k, payload)
    for found, unsure in (left.nearest(k, payload), right.nearest(k, payload)):
        sure = np.setdiff1d(np.arange(len(sums)), unsure)
        for field in vars(expected):
            np.testing.assert_allclose(getattr(found, field)[sure], getattr(expected, field)[sure], rtol=1e-12)
        np.testing.assert_array_equal(found.indices[sure], expected.indices[sure])


def test_a_tie_group_that_may_go_on_behind_the_lists_is_told():
    sums = np.ones((1, 6))
    found, unsure = listed(sums, np.arange(6), 3).nearest(2, Payload.nothing(6))
    assert unsure.tolist() == [0]
    assert found.indices.tolist() == [[0, 1]]
    assert listed(sums, np.arange(6), 6).nearest(2, Payload.nothing(6))[1].tolist() == []


def test_a_case_that_does_not_count_is_not_found():
    sums = np.array([[1.0, 2.0, 3.0]])
    found = Listed.of(searched(sums, 3, Payload.nothing(3)), np.array([-1, 7, 4])).nearest(2, Payload.nothing(9))[0]
    assert isinstance(found, Neighbours)
    assert found.indices.tolist() == [[7, 4]]
    assert found.sums.tolist() == [pytest.approx([2.0, 3.0])]
