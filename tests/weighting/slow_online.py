"""EACH, IB4 and WOM from their equations: plain loops over cases, predecessors and features."""

import math

from nearwise.search import Distance
from nearwise.search.terms import terms
from nearwise.weights import Global

TIE = 1e-12


def total(problem, weights, i, j):
    """The sum before the root of stored case i and query j."""
    found, factor = terms(
        Distance(problem.metric, Global(weights, problem.features), problem.stored), i, problem.cases, j
    )
    added = 0.0
    for term in found:
        added = added + term if problem.metric.adds else max(added, term)
    return added * factor


def nearest(problem, weights, case, pool):
    """The nearest of the pool; of those that equal it to rounding the first."""
    sums = {y: total(problem, weights, y, case) for y in pool}
    least = min(sums.values())
    return min(y for y, s in sums.items() if s <= least + TIE * least)


def differences(problem, case, other):
    """delta / its largest value, None where the policy leaves the feature out."""
    out = []
    for measure, column in zip(problem.metric.measures, problem.cases.columns, strict=True):
        raw = measure.pair(column, other, column, case)
        largest = measure.fitted.maximum
        out.append(None if raw is None else 0.0 if largest == 0 else min(1.0, raw / largest))
    return out


def slow_rewards(problem, step, multiply, tolerance, pool="earlier"):
    """EACH (WAM eq. 11) and WOM (PE eq. 7)."""
    w, n = [1.0] * len(problem.features), len(problem.target)
    for x in range(n):
        others = [y for y in range(n) if (y < x if pool == "earlier" else y != x)]
        if not others:
            continue
        y = nearest(problem, [max(0.0, v) for v in w], x, others)
        right = problem.target.values[x] == problem.target.values[y]
        for f, gap in enumerate(differences(problem, x, y)):
            if gap is None:
                continue
            change = step if (gap <= tolerance) == right else -step
            w[f] = w[f] * (1 + change) if multiply else w[f] + change
    return w


def bounds(right, n, z):
    """The confidence interval of a share, z deviations to either side (Aha, Kibler & Albert)."""
    if n == 0:
        return 0.0, 1.0
    p = right / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def nearest_acceptable(problem, weights, x, classes, uses, right):
    """The nearest case before x that is right significantly more often than its class comes up, or the nearest of all.

    Every case at least as near is put on record.
    """
    before, z = range(x), 1.6448536269514722
    often = {c: bounds(sum(1 for y in before if classes[y] == c), x, z)[1] for c in set(classes)}
    good = [y for y in before if bounds(right[y], uses[y], z)[0] > often[classes[y]]]
    asked = nearest(problem, weights, x, good or before)
    reach = total(problem, weights, asked, x)
    for y in before:
        if total(problem, weights, y, x) <= reach:
            uses[y] += 1
            right[y] += classes[y] == classes[x]
    return asked, bool(good)


def slow_ib4(problem, classes, priors, acceptable=False):
    """C / N - 1/2 by WAM eqs. 12-13 as Readings B1-B4 have them; with B6, also how often a case was acceptable."""
    p, n = len(problem.features), len(classes)
    total_, norm = [0.0] * p, [0.0] * p
    uses, right, accepted = [0] * n, [0] * n, 0

    def scores():
        return [total_[f] / norm[f] - 0.5 if norm[f] > 0 else 1.0 for f in range(p)]

    for x in range(1, n):
        weights = [max(0.0, s) for s in scores()]
        if acceptable:
            y, was_good = nearest_acceptable(problem, weights, x, classes, uses, right)
            accepted += was_good
        else:
            y = nearest(problem, weights, x, range(x))
        amount = 1 - max(priors[classes[x]], priors[classes[y]])
        for f, gap in enumerate(differences(problem, x, y)):
            if gap is not None:
                total_[f] += amount * ((1 - gap) if classes[x] == classes[y] else gap)
                norm[f] += amount
    return (scores(), accepted) if acceptable else scores()
