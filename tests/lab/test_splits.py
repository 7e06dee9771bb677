"""Every protocol: what it learns from and tests, the same for all methods; what cannot be dealt out is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearwise.errors import InputError
from nearwise.lab.comparing import compare
from nearwise.lab.protocols import (
    FixedFolds,
    GivenFolds,
    GivenSplits,
    KFold,
    LeaveOneOut,
    RandomSplits,
    protocol_of,
)

X = [[float(i), float(i * 7 % 5)] for i in range(12)]
Y = ["low"] * 6 + ["high"] * 6


@st.composite
def dealt(draw):
    """A protocol, labels that it fits, and a seed."""
    n = draw(st.integers(6, 40))
    labels = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    folds, repeats = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["k", "random", "loo", "fixed", "given"]))
    if kind == "given":
        named = draw(st.lists(st.sampled_from([0, 1, "x", -1, None]), min_size=n - 2, max_size=n - 2))
        return GivenFolds([0, 1, *named]), labels, draw(st.integers(0, 99))
    protocol = {
        "k": KFold(folds, repeats), "loo": LeaveOneOut(), "fixed": FixedFolds(folds, n // folds, repeats),
        "random": RandomSplits(repeats, draw(st.sampled_from([None, 2, 0.3])), draw(st.sampled_from([None, 3, 0.4]))),
    }[kind]  # fmt: skip
    return protocol, labels, draw(st.integers(0, 99))


@given(dealt())
def test_no_case_is_learned_from_and_tested_and_a_seed_decides_all(made):
    protocol, labels, seed = made
    splits, again = protocol.splits(labels, seed), protocol.splits(labels, seed)
    assert splits
    for split, twin in zip(splits, again, strict=True):
        both = np.concatenate([split.train, split.test])
        assert len(split.train) > 0 < len(split.test)
        assert len(np.unique(both)) == len(both)
        assert 0 <= both.min() <= both.max() < len(labels)
        assert (split.train.tolist(), split.test.tolist()) == (twin.train.tolist(), twin.test.tolist())
    assert isinstance(protocol.describe(), str)


def counts(protocol, n, seed=0):
    """(cases to learn from, cases to test) of every split, and how often each case is tested."""
    splits = protocol.splits(np.array(["a", "b"] * n)[:n], seed)
    tested = np.bincount(np.concatenate([split.test for split in splits]), minlength=n)
    return [(len(s.train), len(s.test)) for s in splits], tested


def test_sizes_by_hand():
    assert counts(KFold(3), 10)[0] == [(6, 4), (7, 3), (7, 3)]
    assert counts(RandomSplits(2), 10)[0] == [(7, 3)] * 2  # a third
    assert counts(RandomSplits(2, test=2, train=5), 10)[0] == [(5, 2)] * 2
    assert counts(RandomSplits(1, train=0.75), 8)[0] == [(6, 2)]
    assert counts(LeaveOneOut(), 4)[0] == [(3, 1)] * 4
    # Howe & Cardie: ten folds of 14 of 148 cases leave 8 unused
    sizes, tested = counts(FixedFolds(10, 14), 148)
    assert sizes == [(126, 14)] * 10
    assert sorted(tested.tolist()) == [0] * 8 + [1] * 140


def test_repeats_test_every_case_as_often():
    assert set(counts(KFold(4, 3), 11)[1].tolist()) == {3}
    assert set(counts(LeaveOneOut(), 7)[1].tolist()) == {1}


def test_left_over_cases_of_fixed_folds_are_in_neither_part():
    for split in FixedFolds(3, 3).splits(np.zeros(11), 5):
        assert len(np.union1d(split.train, split.test)) == 9


def test_given_folds_are_tested_as_named_and_others_never():
    named = ["b", "a", "a", None, -1, float("nan"), "b"]
    splits = GivenFolds(named).splits(np.zeros(7), 0)
    assert [s.test.tolist() for s in splits] == [[1, 2], [0, 6]]
    assert splits[0].train.tolist() == [0, 3, 4, 5, 6]
    # whole numbers that a data frame with holes made floats
    assert [s.test.tolist() for s in GivenFolds(np.array([1.0, 0.0, np.nan, 1.0])).splits(np.zeros(4), 0)] == [
        [1],
        [0, 3],
    ]


def test_given_splits_are_rows_or_truth_values():
    mask = np.arange(5) < 3
    splits = GivenSplits([([0, 1], [4]), (mask, ~mask)]).splits(np.zeros(5), 0)
    assert [(s.train.tolist(), s.test.tolist()) for s in splits] == [([0, 1], [4]), ([0, 1, 2], [3, 4])]


@pytest.mark.parametrize(
    ("given_", "made"),
    [
        (7, "KFold(folds=7, repeats=1)"),
        (np.int64(3), "KFold(folds=3, repeats=1)"),
        ("random", "RandomSplits(repeats=25, test=None, train=None)"),
        ("k-fold", "KFold(folds=10, repeats=1)"),
        ([0, 1, 0], "GivenFolds(3 cases)"),
        (np.array(["a", "b"]), "GivenFolds(2 cases)"),
        (([0, 1], [2]), "GivenSplits(1)"),
        ([([0, 1], [2]), ([2], [0])], "GivenSplits(2)"),
        ([(np.arange(3), np.arange(3, 5))], "GivenSplits(1)"),
    ],
)
def test_a_protocol_is_made_from_what_people_pass(given_, made):
    assert repr(protocol_of(given_)) == made


@pytest.mark.parametrize(
    ("protocol", "sentence"),
    [
        ([0, 1], "Folds were given for 2 cases, and there are 12"),
        ([0.5] * 12, r"named by whole numbers or texts.*got 0\.5"),
        (np.arange(12) < 4, "got truth values"),
        ([[0], [1], [2]], "given splits are pairs"),
        (np.zeros(12), "at least two names"),
        ([-1] * 12, "at least two names"),
        ([float("inf")] * 12, "got inf"),
        ([object()] * 12, "named by whole numbers or texts"),
        ([([0, 1], [1, 2])], "split 0: case 1 is learned from and tested"),
        ([([0.0, 1.0], [2.0])], "expected the numbers of some rows"),
        ([([0, 1], [12])], "rows go from 0 to 11, got 12 to 12"),
        ([([0, 1], [-1])], "rows go from 0 to 11, got -1 to -1"),
        ([([0, 1], [])], "expected the numbers of some rows"),
        ([([True, False], [2])], "expected 12 truth values"),
        ([([0, [1]], [2])], "A split is a pair"),
        ("stratified", "There is no protocol 'stratified'"),
        ("leave-one", "Did you mean 'leave-one-out'"),
        (5.0, "expected a number of folds"),
        (True, "expected a number of folds"),
        (1, "folds=1"),
        (KFold(3, 0), "repeats=0"),
        (FixedFolds(4, 4), "4 folds of 4 cases do not fit into 12"),
        (FixedFolds(4, 0), "expected a number of folds, from 2, and of cases"),
        (FixedFolds("4", 2), "expected a number of folds, from 2, and of cases"),
        (RandomSplits(2, test=12), "0 cases to learn from and 12 to test"),
        (RandomSplits(2, test=8, train=8), "8 cases to learn from and 8 to test"),
        (RandomSplits(2, test=1.5), "a number of cases, or a share"),
        (RandomSplits(0), "repeats=0"),
    ],
)
def test_what_is_no_protocol_is_refused_in_a_sentence(protocol, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(X, Y, ["none"], protocol)


def test_no_splits_and_no_pairs_are_refused():
    for wrong in ([], [1, 2]):
        with pytest.raises(InputError, match=r"There is no split|A split is a pair"):
            GivenSplits(wrong)
    with pytest.raises(InputError, match="at least 2 cases, and there is 1"):
        LeaveOneOut().splits(np.zeros(1), 0)


def test_a_splitter_of_scikit_learn_is_told_how_to_become_pairs():
    selection = pytest.importorskip("sklearn.model_selection")
    splitter = selection.KFold(3)
    with pytest.raises(InputError, match=r"pass list\(splitter.split\(X, y\)\)"):
        compare(X, Y, ["none"], splitter)
    found = compare(X, Y, ["none"], list(splitter.split(X, Y)))
    assert [rows.tolist() for rows in found.tests] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_leaving_one_out_has_the_standard_error_over_cases():
    found = compare(X, Y, ["none"], "loo", n_neighbors=1).results[0]
    rights = np.array(found.scores)
    assert set(found.scores) <= {0.0, 1.0}
    assert found.spread == pytest.approx(rights.std(ddof=1) / np.sqrt(12), nan_ok=True)
    assert found.spread == found.error
