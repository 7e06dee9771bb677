"""EACH, IB4 and WOM from their equations: plain loops over cases, predecessors and features."""

from nearwise.engines import Distance
from nearwise.engines.reference import terms
from nearwise.weights import Global

TIE = 1e-12


def total(problem, weights, i, j):
    """The sum before the root of stored case i and query j."""
    found, factor = terms(
        Distance(problem.metric, Global(weights, problem.features), problem.stored), i, problem.cases, j
    )
    added = 0.0
    for term in found:
        added += term
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


def slow_rewards(problem, step, multiply, tolerance):
    """EACH (WAM eq. 11) and WOM (PE eq. 7)."""
    w = [1.0] * len(problem.features)
    for x in range(1, len(problem.target)):
        y = nearest(problem, [max(0.0, v) for v in w], x, range(x))
        right = problem.target.values[x] == problem.target.values[y]
        for f, gap in enumerate(differences(problem, x, y)):
            if gap is None:
                continue
            change = step if (gap <= tolerance) == right else -step
            w[f] = w[f] * (1 + change) if multiply else w[f] + change
    return w


def slow_ib4(problem, classes, priors):
    """C / N - 1/2 by WAM eqs. 12-13 as Readings B1-B4 have them."""
    p = len(problem.features)
    total_, norm = [0.0] * p, [0.0] * p

    def scores():
        return [total_[f] / norm[f] - 0.5 if norm[f] > 0 else 1.0 for f in range(p)]

    for x in range(1, len(classes)):
        y = nearest(problem, [max(0.0, s) for s in scores()], x, range(x))
        amount = 1 - max(priors[classes[x]], priors[classes[y]])
        for f, gap in enumerate(differences(problem, x, y)):
            if gap is not None:
                total_[f] += amount * ((1 - gap) if classes[x] == classes[y] else gap)
                norm[f] += amount
    return scores()
