import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.cases.columns import Column, symbol_column
from nearwise.cases.cuts import Cuts, equal_width
from nearwise.cases.target import Target
from nearwise.errors import InputError
from nearwise.statistics.counts.values import content_key, count_values

CLASSES = np.array([0, 1, 2])


def objects(values):
    held = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        held[i] = value
    return Column(held)


MAKERS = {
    "number": lambda vs: Column(np.array([np.nan if v is None else float(v) for v in vs])),
    "symbol": lambda vs: symbol_column([None if v is None else "abcd"[v] for v in vs]),
    "text": lambda vs: objects([None if v is None else "abcd"[v] for v in vs]),
    "list": lambda vs: objects([None if v is None else [v, [v]] for v in vs]),
    "array": lambda vs: objects([None if v is None else np.full((2, 2), float(v)) for v in vs]),
    "vector": lambda vs: Column(np.array([[np.nan] * 2 if v is None else [float(v), 1.0] for v in vs]).reshape(-1, 2)),
}
rows = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 3)), st.integers(0, 2), st.sampled_from([1.0, 1.0, 0.1])), min_size=1
)


def counted(maker, cases, missing_as_value=True):
    values, classes, weights = zip(*cases, strict=True) if cases else ((), (), ())
    target = Target(np.array(classes, dtype=np.intp), CLASSES, np.array(weights, dtype=float))
    return count_values(MAKERS[maker](values), target, missing_as_value)


def as_dict(counts):
    """(value, class) -> (cases, weight), with None for missing."""
    found = {}
    for at, c, k, w in zip(counts.value_at, counts.class_at, counts.cases, counts.entry_weights, strict=True):
        found[content_key(counts.values[at]), int(c)] = (int(k), pytest.approx(float(w)))
    for c in np.flatnonzero(counts.missing_cases):
        found[None, int(c)] = (int(counts.missing_cases[c]), pytest.approx(float(counts.missing[c])))
    return found


@pytest.mark.parametrize("maker", MAKERS)
@given(cases=rows)
def test_counting_equals_a_loop_over_the_cases(maker, cases):
    counts = counted(maker, cases)
    expected = {}
    for value, c, w in cases:
        one = counted(maker, [(value, c, w)])
        key = content_key(one.values[0]) if value is not None else None
        k, sum_ = expected.get((key, c), (0, 0.0))
        expected[key, c] = (k + 1, sum_ + w)
    assert as_dict(counts) == expected
    assert counts.table.sum() == pytest.approx(sum(w for v, _, w in cases if v is not None))
    assert np.array_equal(counts.rows(0, counts.n_values), counts.table)
    assert (np.diff(counts.value_at) >= 0).all()


@pytest.mark.parametrize("maker", MAKERS)
@given(one=rows, two=rows)
def test_merging_equals_counting_together_and_removing_undoes_it(maker, one, two):
    merged = counted(maker, one).merge(counted(maker, two))
    assert as_dict(merged) == as_dict(counted(maker, one + two))
    left = merged.remove(counted(maker, two))
    assert as_dict(left) == as_dict(counted(maker, one))
    assert sorted(map(repr, left.values)) == sorted(map(repr, counted(maker, one).values))


def test_removal_leaves_no_dust():
    heavy, light = [(0, 0, 0.1)], [(0, 0, 0.3), (1, 1, 0.2)]
    left = counted("number", heavy + light).remove(counted("number", light))
    assert left.values.tolist() == [0.0]
    assert left.cases.tolist() == [1]
    empty = left.remove(counted("number", heavy))
    assert empty.n_values == 0
    assert empty.table.shape == (0, 3)


def test_removing_what_is_not_there_is_an_error():
    with pytest.raises(InputError, match="not among the cases"):
        counted("symbol", [(0, 0, 1.0)]).remove(counted("symbol", [(1, 0, 1.0)]))


def test_missing_values_are_left_out_unless_they_are_a_value():
    cases = [(None, 0, 1.0), (1, 1, 1.0)]
    assert counted("number", cases, missing_as_value=False).missing.tolist() == [0, 0, 0]
    assert counted("number", cases).missing.tolist() == [1, 0, 0]


def test_many_classes_take_no_more_room_than_the_cases():
    n = 2000
    target = Target(np.arange(n), np.arange(n), np.ones(n))
    counts = count_values(Column(np.arange(n, dtype=float) // 2), target)
    assert len(counts.value_at) == n
    assert counts.n_values == n // 2


def test_bins_are_half_open_and_the_maximum_is_in_the_last():
    values = np.array([0.0, 1.0, 2.0, 7.0, 8.0])
    assert Cuts(equal_width(values, 8)).place(values).tolist() == [0, 1, 2, 7, 7]
    assert len(equal_width(np.array([3.0, 3.0]), 8)) == 0
    assert np.isfinite(equal_width(np.array([-1.7e308, 1.7e308]), 8)).all()
