"""What to take: one sentence that follows from the folds and claims no more than they show."""

import pytest

from nearwise.lab.advice import advice
from nearwise.lab.protocols import KFold
from nearwise.lab.result import Comparison, Result
from nearwise.lab.significance import against_first

LEVEL = (0.70, 0.72, 0.71, 0.69, 0.70)


def told(scores, baseline=0.5, regression=False):
    """The advice after a comparison with these scores by fold; a method without scores refused the table."""
    results = tuple(
        Result(name, tuple(each), (), 0.0, 1.0, "" if each else "it refuses") for name, each in scores.items()
    )
    base = Result("baseline", (baseline,) * 5, (), 0.0, 0.0)
    measure = "mae" if regression else "accuracy"
    comparison = Comparison(results, base, 100, KFold(5), 0, measure, regression, 1 / 4)
    return advice(comparison, against_first(comparison))


def test_the_first_is_taken_where_folds_do_not_tell_methods_apart():
    found = told({"default": LEVEL, "auto": (0.75, 0.70, 0.74, 0.66, 0.75)})
    assert found.method == "default"
    assert found.why == (
        "Take default, which is right in 70.4%: auto is right in 72.0%, a difference that may be chance; always saying "
        "the commonest class is right in 50.0%."
    )


def test_the_first_is_taken_where_it_has_the_best_mean():
    found = told({"default": LEVEL, "none": [s - 0.2 for s in LEVEL], "gr": ()})
    assert found.why.startswith("Take default, which is right in 70.4%: no other method has a better mean;")


def test_a_method_that_is_better_by_more_than_chance_is_taken_the_best_of_several():
    found = told({"default": LEVEL, "auto": [s + 0.1 for s in LEVEL], "gr": [s + 0.2 for s in LEVEL]})
    assert found.method == "gr"
    assert "it is better than default by more than chance explains" in found.why


def test_nothing_is_taken_that_does_not_beat_the_baseline():
    found = told({"default": LEVEL, "none": LEVEL}, baseline=0.8)
    assert found.method is None
    assert found.why == (
        "Take none: default is right in 70.4%, always saying the commonest class is right in 80.0%, so nothing here "
        "does better."
    )


def test_a_gain_over_the_baseline_that_may_be_chance_is_called_so():
    found = told({"default": (0.5, 0.9, 0.3, 0.8, 0.4)}, baseline=0.5)
    assert (found.method, "nothing else was compared" in found.why) == ("default", True)
    assert found.why.endswith("right in 50.0%, and that difference may be chance.")


def test_another_is_taken_where_the_first_does_not_beat_the_baseline():
    found = told({"default": (0.4, 0.5, 0.5, 0.4, 0.5), "gr": (0.5, 0.8, 0.3, 0.9, 0.4)}, baseline=0.5)
    assert found.method == "gr"
    assert "it has the best mean, and default is right in 46.0%" in found.why


@pytest.mark.parametrize(("error", "taken"), [(0.9, "default"), (0.1, "auto")])
def test_less_is_better_where_numbers_are_predicted(error, taken):
    found = told({"default": LEVEL, "auto": [s + error - 0.7 for s in LEVEL]}, baseline=2.0, regression=True)
    assert found.method == taken
    assert "always saying the mean is off by 2" in found.why
