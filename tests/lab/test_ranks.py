"""Friedman's test, Iman and Davenport's F and Nemenyi's critical difference: by hand, as printed, and beside SciPy."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from nearwise.errors import InputError
from nearwise.lab.ranks import chi_squared, critical_difference, iman_davenport, ranking


def test_ranks_and_chi_squared_by_hand():
    # ranks: set 0 a 1, b 2, c 3; set 1 a 1.5, b 1.5, c 3. Means 1.25, 1.75, 3; squares around 2: .5625 + .0625 + 1
    found = ranking({"a": [0.9, 0.8], "b": [0.8, 0.8], "c": [0.7, 0.1]})
    assert found.mean_ranks == (1.25, 1.75, 3.0)
    # 12 * 2 / 12 * 1.625 = 3.25, over 1 - 6 / (2 * 3 * 8) = 0.875
    assert found.chi_squared == pytest.approx(3.25 / 0.875)
    assert found.f == pytest.approx(found.chi_squared / (4 - found.chi_squared))


def test_the_example_that_demsar_prints():
    # sect. 3.2.3: 4 methods on 14 sets
    assert chi_squared([3.143, 2.000, 2.893, 1.964], 14) == pytest.approx(9.28, abs=0.005)
    assert iman_davenport(9.28, 14, 4) == pytest.approx(3.69, abs=0.005)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_values_that_demsar_prints(k, q):
    assert critical_difference(k, 6) / math.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=0.001)


@pytest.mark.parametrize("values", [4, 1000])
def test_chi_squared_is_that_of_scipy_with_and_without_ties(values):
    table = np.random.default_rng(values).integers(0, values, (5, 12)) + np.arange(5)[:, None]
    found = ranking({f"m{i}": row.tolist() for i, row in enumerate(table)})
    theirs = stats.friedmanchisquare(*table)
    assert (found.chi_squared, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.p_f == pytest.approx(stats.f.sf(found.f, 4, 44))


def test_less_is_better_turns_the_ranks_over():
    scores = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 5.0]}
    assert ranking(scores).mean_ranks == (2.0, 1.0)
    assert ranking(scores, less_is_better=True).mean_ranks == (1.0, 2.0)


def test_scores_that_are_equal_but_for_rounding_tie():
    assert ranking({"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.4]}).mean_ranks == (1.25, 1.75)


def test_methods_that_are_alike_everywhere_and_methods_that_never_are():
    alike = ranking({"a": [0.5, 0.5], "b": [0.5, 0.5]})
    assert (alike.chi_squared, alike.p, alike.p_f) == (0.0, 1.0, 1.0)
    assert "may be chance" in alike.in_words()
    never = ranking({"a": [0.9] * 9, "b": [0.5] * 9})
    assert (never.f, never.p_f) == (math.inf, 0.0)
    assert never.cliques == []
    assert "it differs from every other" in never.in_words()
    assert json.loads(json.dumps(never.to_json(), allow_nan=False))["f"] is None


def test_words_name_those_that_the_best_is_not_told_from():
    found = ranking({"a": [9, 9, 9, 9, 8, 9], "b": [8, 8, 8, 8, 9, 8], "c": [7] * 6, "d": [6] * 6})
    assert found.cliques[0][:2] == ("a", "b")
    assert "On 6 data sets a has the best mean rank, 1.17 of 4" in found.in_words()
    assert "they do not tell it from b" in found.in_words()
    assert "over 6 data sets" in found.chart()


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ({"a": [1.0, 2.0]}, "at least two methods, and there is 1"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "got a 2, b 1"),
        ({"a": [1.0], "b": [1.0]}, "at least two data sets, and there is 1"),
        ({"a": [1.0, 2.0], "b": [1.0, float("nan")]}, "b has no score on data set 1"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, sentence):
    with pytest.raises(InputError, match=sentence):
        ranking(scores)
