"""The rule by which published and obtained numbers agree, with numbers worked by hand."""

import math

import pytest

from nearwise.lab.reproduce.agreement import agreement, binomial_error

NAN = float("nan")


def test_a_number_that_rounds_to_the_printed_one_is_exact():
    assert agreement(93.3, 1, 0.0, 93.349, 0.0) == "exact"
    assert agreement(93.3, 1, 0.0, 93.351, 0.0) != "exact"
    assert agreement(96, 0, 0.0, 95.6, 0.0) == "exact"


@pytest.mark.parametrize(("obtained", "expected"), [(89.9, "within"), (90.1, "differs"), (70.1, "within")])
def test_two_standard_errors_of_both_together_are_within(obtained, expected):
    # the spread of both is the root of 3^2 + 4^2 = 5, so 80 ± 10
    assert agreement(80.0, 1, 3.0, obtained, 4.0) == expected


def test_an_unknown_spread_counts_as_none():
    assert agreement(80.0, 1, NAN, 81.9, 1.0) == "within"
    assert agreement(80.0, 1, NAN, 82.1, 1.0) == "differs"
    assert agreement(80.0, 1, NAN, 80.1, NAN) == "differs"


def test_the_sign_of_the_effect_decides_where_numbers_are_apart():
    assert agreement(80.0, 1, 0.5, 90.0, 0.5, (2.0, 9.0)) == "same sign"
    assert agreement(80.0, 1, 0.5, 90.0, 0.5, (-2.0, 9.0)) == "differs"
    assert agreement(80.0, 1, 0.5, 90.0, 0.5, (0.4, -0.4)) == "same sign"
    assert agreement(80.0, 1, 0.5, 90.0, 0.5, (0.4, -0.6)) == "differs"
    assert agreement(80.0, 1, 0.5, 90.0, 0.5, None) == "differs"


def test_what_was_not_printed_cannot_agree():
    assert agreement(None, 0, NAN, 90.0, 1.0) == "not printed"


def test_the_binomial_error_by_hand():
    assert binomial_error(80.0, 100) == pytest.approx(100 * math.sqrt(0.8 * 0.2 / 100))
    assert binomial_error(100.0, 10) == 0.0
    assert math.isnan(binomial_error(80.0, None))
