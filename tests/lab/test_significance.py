"""The corrected resampled t-test and Holm's correction, with numbers worked by hand."""

import math

import pytest

from nearwise.lab.protocols import KFold
from nearwise.lab.result import Comparison, Result
from nearwise.lab.significance import against_first, corrected_t, holm, in_words


def result(name, *scores):
    return Result(name, scores, (1,) * len(scores), sum(scores) / len(scores), 0.0)


def comparison(*results, folds=4, regression=False):
    measure = "mae" if regression else "accuracy"
    return Comparison(results, results[0], 100, KFold(folds), 0, measure, regression, 1 / (folds - 1))


def test_t_by_hand():
    # mean 0.1; squares 0, 0.01, 0.01, 0 -> variance 0.02 / 3; (1/4 + 1/3) * 0.02 / 3 = 0.0038889; root 0.0623610
    t, p = corrected_t([0.1, 0.0, 0.2, 0.1], 1 / 3)
    assert t == pytest.approx(0.1 / math.sqrt((1 / 4 + 1 / 3) * 0.02 / 3))
    assert t == pytest.approx(1.6035675)
    # with 3 degrees of freedom P(T < t) = 1/2 + (x / (1 + x^2) + atan x) / pi, where x = t / sqrt 3
    x = t / math.sqrt(3)
    assert p == pytest.approx(2 * (0.5 - (x / (1 + x * x) + math.atan(x)) / math.pi))


def test_without_test_cases_it_is_the_plain_paired_t_test():
    # two folds, one degree of freedom: mean 2, variance 2, t = 2 / sqrt(2 / 2) = 2, p = 1 - 2 atan(2) / pi
    t, p = corrected_t([1.0, 3.0], 0.0)
    assert t == pytest.approx(2)
    assert p == pytest.approx(1 - 2 * math.atan(2) / math.pi)


def test_the_correction_makes_the_test_more_careful():
    scores = [0.02, 0.05, 0.01, 0.04, 0.03]
    assert corrected_t(scores, 0.25)[1] > corrected_t(scores, 0.0)[1]


def test_swapping_the_methods_turns_the_sign_only():
    t, p = corrected_t([0.1, 0.0, 0.2], 0.5)
    assert corrected_t([-0.1, 0.0, -0.2], 0.5) == (-t, p)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0, 0.0, 0.0], (0.0, 1.0)),
        ([0.1, 0.1, 0.1], (math.inf, 0.0)),
        ([-0.1, -0.1], (-math.inf, 0.0)),
        ([0.3], (0, 1)),
    ],
)
def test_differences_without_variance(scores, expected):
    assert corrected_t(scores, 0.1) == expected


def test_holm_by_hand():
    # sorted .01 .03 .04 -> .01 * 3, .03 * 2, and .04 * 1 raised to .06 so that the order is kept
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_methods_are_compared_with_the_first_and_corrected_for_their_number():
    found = against_first(
        comparison(
            result("none", 0.5, 0.6, 0.5, 0.6), result("mdw", 0.6, 0.6, 0.7, 0.7), result("ig", 0.5, 0.5, 0.5, 0.6)
        )
    )
    assert [(d.method, d.against) for d in found] == [("mdw", "none"), ("ig", "none")]
    assert found[0].p == pytest.approx(corrected_t([0.1, 0.0, 0.2, 0.1], 1 / 3)[1])
    assert found[0].p_holm == pytest.approx(2 * found[0].p)
    assert found[0].better
    assert not found[1].better


def test_methods_that_refused_are_left_out():
    refused = Result("ig", (), (), float("nan"), 0.0, "text")
    found = against_first(comparison(refused, result("none", 0.5, 0.6), result("mdw", 0.6, 0.6), folds=2))
    assert [(d.method, d.against) for d in found] == [("mdw", "none")]


def test_the_words_claim_no_more_than_the_test():
    clear = against_first(comparison(result("none", *[0.5] * 4), result("mdw", 0.9, 0.9, 0.9, 0.901)))[0]
    chance = against_first(comparison(result("none", 0.5, 0.6, 0.5, 0.6), result("mdw", 0.6, 0.6, 0.7, 0.7)))[0]
    same = against_first(comparison(result("none", 0.5, 0.6), result("mdw", 0.5, 0.6), folds=2))[0]
    assert "mdw is better than none by 40.0 points, more than chance explains" in in_words(clear)
    assert "by 10.0 points, which may be chance" in in_words(chance)
    assert in_words(same) == "mdw and none do equally well on these splits."


def test_a_smaller_error_is_the_better_one():
    found = against_first(comparison(result("none", 2.0, 2.1), result("mine", 1.0, 1.2), folds=2, regression=True))[0]
    assert found.better
    assert "mine is better than none by 0.95" in in_words(found, regression=True)


def test_json_has_no_infinity():
    found = against_first(comparison(result("none", 0.5, 0.5), result("mdw", 0.75, 0.75), folds=2))[0]
    assert found.to_json()["t"] is None
    assert found.to_json()["significant"] is True
