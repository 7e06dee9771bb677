"""The smooth error from its equations, with plain loops over cases, neighbours, classes and features."""

import math

from nearwise.search import Distance, plan
from nearwise.weights import Global, Stored

TIE = 1e-12


def distances(problem, weights):
    """Sums before the root of every pair (query i, stored j), from the obvious engine."""
    distance = Distance(problem.metric, Global(weights, problem.features), Stored(problem.cases))
    return plan(distance, "reference").engine.sums(problem.cases)


def neighbourhood(sums, i, k):
    """[(case, share of a place)]: the k nearest others, those that tie at the last place sharing what is left."""
    others = sorted((s, j) for j, s in enumerate(sums) if j != i)
    k = min(k, len(others))
    last = others[k - 1][0]
    inside = [j for s, j in others if s < last - TIE * last]
    tied = [j for s, j in others if abs(s - last) <= TIE * last]
    return [(j, 1.0) for j in inside] + [(j, (k - len(inside)) / len(tied)) for j in tied]


def inverse(found, sums, p):
    d = {j: sums[j] ** (1 / p) for j, _ in found}
    if any(v == 0 for v in d.values()):
        return {j: float(v == 0) for j, v in d.items()}
    return {j: 1 / v for j, v in d.items()}


def variable(width, nearest):
    def kernel(found, sums, p):
        d = {j: sums[j] ** (1 / p) for j, _ in found}
        places = sorted((d[j], share) for j, share in found)
        left, total, used = float(nearest), 0.0, 0.0
        for value, share in places:  # equal distances, so it does not matter which of them fill the last places
            part = min(share, left)
            total, used, left = total + part * value, used + part, left - part
        sigma = width * total / used
        if sigma == 0:
            return {j: float(v == 0) for j, v in d.items()}
        nearest_square = min(d.values()) ** 2  # a common factor, so that not all votes underflow
        return {j: math.exp(-(v * v - nearest_square) / (2 * sigma * sigma)) for j, v in d.items()}

    return kernel


def slow_mistakes(problem, weights, k, kernel=inverse):
    """The share of cases that are wrong leaving one out; of j classes that tie the right one is one j-th right."""
    target, sums, wrong = problem.target, distances(problem, weights), 0.0
    for i in range(len(target)):
        found = neighbourhood(sums[i], i, k)
        weight = kernel(found, sums[i], problem.metric.p)
        votes = [0.0] * target.n_classes
        for j, share in found:
            votes[target.values[j]] += share * target.weights[j] * weight[j]
        if not sum(votes) > 0:
            votes = list(target.priors)
        ahead = [c for c, vote in enumerate(votes) if vote >= (1 - TIE) * max(votes)]
        wrong += target.weights[i] * (1 - (target.values[i] in ahead) / len(ahead))
    return wrong / sum(target.weights)


def smooth_error(problem, weights, k, kernel=inverse, fixed=None):
    """E; ``fixed`` holds the neighbourhoods, else they are those under the weights."""
    target = problem.target
    sums = distances(problem, weights)
    total = 0.0
    for i in range(len(target)):
        found = neighbourhood(sums[i], i, k) if fixed is None else fixed[i]
        weight = kernel(found, sums[i], problem.metric.p)
        votes = [0.0] * target.n_classes
        for j, share in found:
            votes[target.values[j]] += share * target.weights[j] * weight[j]
        for c in range(target.n_classes):
            probability = votes[c] / sum(votes) if sum(votes) > 0 else target.priors[c]
            total += target.weights[i] * (float(target.values[i] == c) - probability) ** 2
    return total


def neighbourhoods(problem, weights, k):
    sums = distances(problem, weights)
    return [neighbourhood(sums[i], i, k) for i in range(len(sums))]


def slow_gradient(problem, weights, k, kernel=inverse, h=1e-6):
    """Central differences of E with the neighbours held fixed (Reading S2)."""
    fixed = neighbourhoods(problem, weights, k)
    out = []
    for f in range(len(weights)):
        up, down = weights.copy(), weights.copy()
        up[f] += h
        down[f] -= h
        ends = [smooth_error(problem, w, k, kernel, fixed) for w in (up, down)]
        out.append((ends[0] - ends[1]) / (2 * h))
    return out
