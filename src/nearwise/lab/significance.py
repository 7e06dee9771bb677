r"""Whether methods differ by more than luck: the corrected resampled t-test and others, and Holm's correction.

The scores of J folds overlap in what they were learned from, so the plain paired t-test claims too much. Nadeau and
Bengio correct the variance by the share of tested to training cases:

.. math:: t = \frac{\bar d}{\sqrt{\left(\frac{1}{J} + \frac{n_{test}}{n_{train}}\right) s_d^2}}, \quad J - 1
   \text{ degrees of freedom}

Each method is compared with the first one named, not with the winner: which one is the first was decided before
looking at the scores, the winner was not.

References: nadeau2003, sect. 3.1; holm1979; for the other tests `nearwise.lab.paired`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearwise.errors import InputError, check_choice
from nearwise.lab.paired import ERRORS, mcnemar, more_often_right, three_errors, wilcoxon
from nearwise.lab.result import Comparison, Result

__all__ = [
    "LEVEL", "TESTS", "Difference", "PairedTest", "against_first", "check_test", "corrected_t", "holm", "in_words",
    "interval",
    "over_sets",
]  # fmt: skip

LEVEL = 0.05
"""a difference is called significant where its corrected p-value is below this"""
NAN = float("nan")


@dataclass(frozen=True)
class Difference:
    """A method against another on the same folds."""

    method: str
    against: str
    difference: float
    """mean score of ``method`` minus mean score of ``against``"""
    t: float
    """the statistic of the test, with the sign of its direction: t; positive minus negative ranks; how many more cases
    are right; the difference in standard errors"""
    p: float
    """NaN under "three-errors", which has none"""
    p_holm: float
    better: bool
    """whether ``method`` has the better mean"""
    test: str = "corrected-t"
    """a name of `TESTS`"""
    over: str = "splits"
    """what was counted, and may not tell methods apart: splits, cases or data sets"""

    @property
    def significant(self) -> bool:
        """Whether the test tells the two apart, and in the direction of the means: ranks may point the other way."""
        if self.t * self.difference <= 0:
            return False
        return abs(self.t) > ERRORS if self.test == "three-errors" else self.p_holm < LEVEL

    def to_json(self) -> dict[str, Any]:
        finite = {name: x if math.isfinite(x) else None for name in ("t", "p", "p_holm") for x in [getattr(self, name)]}
        return {**asdict(self), **finite, "significant": self.significant}


@dataclass(frozen=True)
class PairedTest:
    """A test of two methods: what it computes from their results, and how people are told of it."""

    name: str
    statistic: Callable[[Comparison, Result, Result], tuple[float, float]]
    how: str
    """what it is, for a sentence that begins "Each method is compared with the first, x, by" """
    clear: str = "more than chance explains"
    """what is said of a difference that it finds"""
    corrected: bool = True
    """whether p is corrected where there are several methods"""
    over: str = "splits"
    """what it counts"""


def corrected_t(differences: Sequence[float], test_share: float) -> tuple[float, float]:
    """(t, two-sided p) of paired score differences; ``test_share`` is test cases over training cases.

    Differences that are all 0 give p = 1; all equal and not 0, t is infinite and p = 0.

    >>> t, p = corrected_t([0.1, 0.0, 0.2, 0.1], 1 / 3)
    >>> round(t, 4), round(p, 4)
    (1.6036, 0.2071)
    """
    from scipy.special import stdtr

    folds = len(differences)
    if folds < 2:
        return 0.0, 1.0
    mean = math.fsum(differences) / folds
    variance = math.fsum((d - mean) ** 2 for d in differences) / (folds - 1)
    if variance <= 1e-24:  # rounding of equal differences
        return (0.0, 1.0) if abs(mean) <= 1e-12 else (math.copysign(math.inf, mean), 0.0)
    t = mean / math.sqrt((1 / folds + test_share) * variance)
    return t, float(2 * stdtr(folds - 1, -abs(t)))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, step down; in the order given.

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = largest
    return corrected


def _differences(comparison: Comparison, other: Result, first: Result) -> list[float]:
    return [a - b for a, b in zip(other.scores, first.scores, strict=True)]


def _corrected(comparison: Comparison, other: Result, first: Result) -> tuple[float, float]:
    return corrected_t(_differences(comparison, other, first), comparison.test_share)


def _ranked(comparison: Comparison, other: Result, first: Result) -> tuple[float, float]:
    return wilcoxon(_differences(comparison, other, first))


def _in_errors(comparison: Comparison, other: Result, first: Result) -> tuple[float, float]:
    return three_errors(_differences(comparison, other, first)), NAN


def _disagreeing(comparison: Comparison, other: Result, first: Result) -> tuple[float, float]:
    if not (other.predicted and first.predicted and comparison.truth and comparison.tests):
        raise InputError(
            "McNemar's test counts answers that are right and wrong, and this comparison holds no answers."
        )
    right, base = (
        [said == truth for said, truth in zip(result.predicted, comparison.truth, strict=True)]
        for result in (other, first)
    )
    return mcnemar(*more_often_right(comparison.tests, right, base))


TESTS: Mapping[str, PairedTest] = {
    test.name: test
    for test in (
        PairedTest("corrected-t", _corrected, f"the corrected resampled t-test of Nadeau and Bengio at {LEVEL:.0%}"),
        PairedTest(
            "wilcoxon", _ranked,
            f"Wilcoxon's signed-rank test over the splits at {LEVEL:.0%}, which takes splits for independent and "
            "so claims too much where they share cases",
        ),
        PairedTest(
            "mcnemar", _disagreeing,
            f"McNemar's test at {LEVEL:.0%} on the cases that only one of the two has right (a case that is tested "
            "several times counts once, for the method that has it right more often)",
            over="cases",
        ),
        PairedTest(
            "three-errors", _in_errors,
            "the rule that means must differ by more than three standard errors of the paired differences, which "
            "takes splits for independent, is not corrected for several methods and has no p",
            "more than three standard errors", corrected=False,
        ),
    )
}  # fmt: skip
"""name -> test: the names that `against_first` and the command line know"""


def interval(comparison: Comparison, result: Result, share: float = 0.95) -> float:
    """Half of the interval of a method's mean: by the corrected t, since splits share their training cases.

    NaN for one split; where each split tests one case, cases are independent and nothing is corrected.
    """
    from scipy.special import stdtrit

    count = len(result.scores)
    if count < 2:
        return NAN
    mean = sum(result.scores) / count
    variance = sum((score - mean) ** 2 for score in result.scores) / (count - 1)
    shared = 0.0 if result.by_case else comparison.test_share
    return float(stdtrit(count - 1, 0.5 + share / 2) * ((1 / count + shared) * variance) ** 0.5)


def check_test(test: str, measure: str = "accuracy") -> None:
    """Refuse a test that is not there, or that says nothing about the measure."""
    check_choice("test", test, TESTS)
    if test == "mcnemar" and measure != "accuracy":
        raise InputError(
            f"McNemar's test counts right and wrong answers, so it goes with accuracy, not with {measure}: take "
            "'wilcoxon' or 'corrected-t'."
        )


def against_first(comparison: Comparison, test: str = "corrected-t") -> list[Difference]:
    """Every applicable method against the first applicable one; ``test`` is a name of `TESTS`."""
    check_test(test, comparison.measure)
    if not comparison.applicable:
        return []
    first, *others = comparison.applicable
    tested = [(other, *TESTS[test].statistic(comparison, other, first)) for other in others]
    p_values = [p for _, _, p in tested]
    corrected = holm(p_values) if TESTS[test].corrected else p_values
    merit, over = comparison.merit, TESTS[test].over
    return [
        Difference(o.method, first.method, o.mean - first.mean, t, p, adjusted, merit(o) > merit(first), test, over)
        for (o, t, p), adjusted in zip(tested, corrected, strict=True)
    ]


def over_sets(scores: Mapping[str, Sequence[float]], less_is_better: bool = False) -> list[Difference]:
    """Every method against the first by Wilcoxon's test over data sets, with Holm's correction.

    ``scores`` has for each method a score on every data set, in the same order; sets are independent of each other, as
    the splits of one are not, so here the test holds what it promises.

    >>> found = over_sets({"none": [0.7, 0.8, 0.6, 0.9, 0.5, 0.7], "gr": [0.8, 0.9, 0.8, 0.95, 0.6, 0.9]})
    >>> found[0].p, found[0].better, found[0].significant
    (0.03125, True, True)
    """
    methods = list(scores)
    columns = list(scores.values())
    if len({len(column) for column in columns}) > 1 or not all(math.isfinite(x) for column in columns for x in column):
        raise InputError("Methods are compared over data sets that all of them have a score on: leave out the others.")
    if not columns or not len(columns[0]):
        return []
    first, sets = columns[0], len(columns[0])
    tested = [wilcoxon([a - b for a, b in zip(column, first, strict=True)]) for column in columns[1:]]
    means = [math.fsum(column) / sets - math.fsum(first) / sets for column in columns[1:]]
    return [
        Difference(method, methods[0], mean, t, p, adjusted, better, "wilcoxon", "data sets")
        for method, mean, better, (t, p), adjusted in zip(
            methods[1:],
            means,
            ((mean < 0) == less_is_better and mean != 0 for mean in means),
            tested,
            holm([p for _, p in tested]),
            strict=True,
        )
    ]


def in_words(difference: Difference, regression: bool = False) -> str:
    """One sentence that claims no more than the test does; of ``regression``, and of costs, not in points."""
    d, test = difference, TESTS[difference.test]
    size = f"{abs(d.difference):.3g}" if regression else f"{100 * abs(d.difference):.1f} points"
    if abs(d.difference) < 1e-12:
        return f"{d.method} and {d.against} do equally well on these {d.over}."
    how = "better" if d.better else "worse"
    told = f"p = {d.p_holm:.2g}" if test.corrected else f"{abs(d.t):.2g} standard errors"
    if d.significant:
        return f"{d.method} is {how} than {d.against} by {size}, {test.clear} ({told})."
    doubt = "may be chance" if test.corrected else "is not more than three standard errors"
    return (
        f"{d.method} is {how} than {d.against} by {size}, which {doubt} ({told}): these {d.over} do "
        "not tell them apart."
    )
