"""Tests of pairs, with numbers worked by hand, slow twins, and SciPy beside them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nearwise.errors import InputError
from nearwise.lab.paired import mcnemar, mid_ranks, more_often_right, three_errors, wilcoxon
from nearwise.lab.protocols import KFold
from nearwise.lab.result import Comparison, Result
from nearwise.lab.significance import TESTS, against_first, in_words, over_sets


def twin(differences):
    """Every way to give the ranks signs, one by one."""
    known = [d for d in differences if d]
    ranks = [sum(abs(e) < abs(d) for e in known) + (sum(abs(e) == abs(d) for e in known) + 1) / 2 for d in known]
    total = sum(r * math.copysign(1, d) for r, d in zip(ranks, known, strict=True))
    sums = [
        sum(r * s for r, s in zip(ranks, signs, strict=True)) for signs in itertools.product((1, -1), repeat=len(ranks))
    ]
    return total, sum(abs(s) >= abs(total) for s in sums) / len(sums)


def test_signed_ranks_by_hand():
    # 6 pairs, all positive: 2 of 2^6 ways are as far; one of rank 1 negative: 21 - 2 = 19, so 4 of 64
    assert wilcoxon([1, 2, 3, 4, 5, 6]) == (21.0, 2 / 64)
    assert wilcoxon([-1, 2, 3, 4, 5, 6]) == (19.0, 4 / 64)
    # two tie at ranks 1 and 2, which are 1.5 each: sums 1.5 + 1.5, 0, 0, -3
    assert wilcoxon([0.5, 0.5]) == (3.0, 0.5)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_signed_ranks_are_those_of_all_ways_to_give_signs(differences):
    total, p = wilcoxon(differences)
    assert (total, p) == pytest.approx(twin(differences))


@pytest.mark.parametrize("n", [6, 13, 40, 150])
def test_signed_ranks_are_those_of_scipy_where_nothing_ties(n):
    differences = np.random.default_rng(n).normal(0.2, 1, n)
    assert wilcoxon(differences)[1] == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


def test_many_signed_ranks_are_normal_as_scipy_has_it():
    differences = np.random.default_rng(1).integers(-9, 11, 400)
    theirs = stats.wilcoxon(differences, correction=True, zero_method="wilcox", method="approx").pvalue
    assert wilcoxon(differences)[1] == pytest.approx(theirs)


def test_differences_that_are_equal_but_for_rounding_tie():
    assert 0.8 - 0.7 != 0.7 - 0.6
    assert wilcoxon([0.8 - 0.7, 0.6 - 0.7]) == (0.0, 1.0)


@pytest.mark.parametrize("differences", [[], [0.0, 0.0], [float("nan"), 0.1]])
def test_without_any_difference_nothing_is_told_apart(differences):
    assert wilcoxon(differences) == (0.0, 1.0)


def test_mid_ranks_are_those_of_scipy():
    values = np.random.default_rng(0).integers(0, 9, 40).astype(float)
    assert mid_ranks(values).tolist() == stats.rankdata(values).tolist()


def test_few_disagreements_are_counted_exactly():
    assert mcnemar(0, 0) == (0.0, 1.0)
    assert mcnemar(3, 3) == (0.0, 1.0)
    assert mcnemar(0, 6) == (-6.0, 2 / 64)
    for more, fewer in ((1, 23), (12, 10), (4, 9)):
        assert mcnemar(more, fewer)[1] == pytest.approx(stats.binomtest(more, more + fewer).pvalue)


def test_from_25_disagreements_on_it_is_chi_squared_with_a_correction():
    # 30 against 10: (20 - 1)^2 / 40 = 9.025
    assert mcnemar(30, 10) == (20.0, pytest.approx(stats.chi2.sf(9.025, 1)))
    assert mcnemar(13, 12)[1] == mcnemar(12, 13)[1] == 1.0
    assert mcnemar(24, 1)[1] == pytest.approx(stats.chi2.sf(22**2 / 25, 1))


def test_over_single_cases_signed_ranks_and_mcnemar_are_one_test():
    assert wilcoxon([1] * 7 + [-1] * 2 + [0] * 30)[1] == pytest.approx(mcnemar(7, 2)[1])


def test_a_case_that_is_tested_twice_counts_once():
    rows = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    one = [np.array([True, True, False]), np.array([True, False, True])]
    other = [np.array([False, False, False]), np.array([False, True, False])]
    # case 0: 2 to 0; case 1: 1 to 1; case 2: 1 to 0
    assert more_often_right(rows, one, other) == (2, 0)
    assert more_often_right(rows, other, one) == (0, 2)


def test_standard_errors_by_hand():
    # mean 0.2, deviations 0.1 each way: sd = 0.1 * sqrt 2, error 0.1
    assert three_errors([0.1, 0.3]) == pytest.approx(2.0)
    assert three_errors([-0.1, -0.3]) == pytest.approx(-2.0)
    assert (three_errors([0.2]), three_errors([0.0, 0.0]), three_errors([0.1, 0.1])) == (0.0, 0.0, math.inf)


def answered(name, *answers):
    """A method's result on cases of which all are "a"."""
    said = tuple(np.array(list(part)) for part in answers)
    scores = tuple(float(np.mean(part == "a")) for part in said)
    return Result(name, scores, (), float(np.mean(scores)), 1.0, predicted=said)


def comparison(*results, measure="accuracy"):
    sizes = [len(part) for part in results[0].predicted]
    ends = np.cumsum([0, *sizes])
    tests = tuple(np.arange(a, b) for a, b in itertools.pairwise(ends))
    truth = tuple(np.full(size, "a") for size in sizes)
    return Comparison(results, results[0], sum(sizes), KFold(2), 0, measure, truth=truth, tests=tests)


def test_mcnemar_of_a_comparison_counts_cases():
    first, other = answered("first", "abab", "bbbb"), answered("other", "aaaa", "aaab")
    found = against_first(comparison(first, other), "mcnemar")[0]
    # right only in other: 2 + 3; right only in first: none
    assert (found.t, found.p, found.test, found.over) == (5.0, 2 / 32, "mcnemar", "cases")
    said = "other is better than first by 62.5 points, which may be chance (p = 0.062): these cases do not tell"
    assert in_words(found) == f"{said} them apart."


def test_the_rule_of_three_errors_has_no_p_and_claims_no_chance():
    first, other = answered("first", "abbb", "abbb", "abbb"), answered("other", "aaaa", "aaaa", "aaab")
    found = against_first(comparison(first, other), "three-errors")[0]
    assert found.significant
    assert found.to_json()["p"] is found.to_json()["p_holm"] is None
    assert (
        in_words(found)
        == "other is better than first by 66.7 points, more than three standard errors (8 standard errors)."
    )
    near = answered("near", "abbb", "abbb", "aabb")
    said = in_words(against_first(comparison(first, near), "three-errors")[0])
    assert "which is not more than three standard errors (1 standard errors): these splits do not tell" in said
    assert "chance" not in said


def test_wilcoxon_of_a_comparison_is_over_splits_and_corrected():
    first = answered("first", *["ab"] * 6)
    found = against_first(comparison(first, answered("x", *["aa"] * 6), answered("y", *["bb"] * 6)), "wilcoxon")
    assert [(d.t, d.p, d.p_holm, d.better) for d in found] == [
        (21.0, 2 / 64, 4 / 64, True),
        (-21.0, 2 / 64, 4 / 64, False),
    ]


def test_a_test_that_points_the_other_way_than_the_means_proves_nothing():
    first = answered("first", *["ab"] * 8, "aaaaaaaaaa")
    other = answered("other", *["bb"] * 8, "aaaaaaaaaa")
    found = against_first(comparison(first, other), "wilcoxon")[0]
    assert found.significant
    assert not type(found)(**{**vars(found), "difference": 0.1}).significant


def test_tests_that_are_not_there_or_do_not_fit_are_refused():
    one = answered("first", "ab")
    with pytest.raises(InputError, match="Did you mean 'wilcoxon'"):
        against_first(comparison(one), "wilcoxen")
    with pytest.raises(InputError, match="goes with accuracy, not with mae"):
        against_first(comparison(one, measure="mae"), "mcnemar")
    bare = Result("bare", (0.5,), (), 0.5, 0.0)
    with pytest.raises(InputError, match="holds no answers"):
        against_first(comparison(one, bare), "mcnemar")


@pytest.mark.parametrize("test", TESTS)
def test_every_test_leaves_equal_methods_alone_and_does_not_care_about_the_order(test):
    first, same = answered("first", "ab", "aa", "bb"), answered("same", "ab", "aa", "bb")
    found = against_first(comparison(first, same), test)[0]
    assert not found.significant
    assert "do equally well on these" in in_words(found)
    other = answered("other", "aa", "aa", "ab")
    there, back = (against_first(comparison(a, b), test)[0] for a, b in ((first, other), (other, first)))
    assert (there.t, there.difference) == (-back.t, -back.difference)
    assert there.p == back.p or (math.isnan(there.p) and math.isnan(back.p))


def test_methods_are_compared_over_data_sets():
    # Demsar's rule: six sets, all better, p = 2 / 2^6
    found = over_sets({"none": [1.0, 2, 3, 4, 5, 6], "less": [0.9, 1.8, 2.7, 3.6, 4.5, 5.4]}, less_is_better=True)[0]
    assert (found.p, found.better, found.significant, found.over) == (2 / 64, True, True, "data sets")
    for wrong in ({"a": [1.0, 2.0], "b": [1.0]}, {"a": [1.0], "b": [float("nan")]}):
        with pytest.raises(InputError, match="all of them have a score on"):
            over_sets(wrong)
    assert over_sets({}) == []


@settings(max_examples=30)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_p_is_a_chance(differences):
    assert 0 <= wilcoxon(differences)[1] <= 1
