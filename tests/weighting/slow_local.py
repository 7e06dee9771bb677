"""Local weights from their equations: plain loops over cases and features."""

import math
from dataclasses import replace

import numpy as np

from nearwise.search import Distance
from nearwise.search.terms import terms
from nearwise.weights import Global

TIE = 1e-12


def gap(problem, f, x, q):
    """The difference of feature f between stored case x and case q in its unit; None where the policy leaves it out."""
    measure, column = problem.metric.measures[f], problem.cases.columns[f]
    raw = measure.pair(column, x, column, q)
    return None if raw is None else raw * measure.scale(1)


def total(problem, weights, x, q):
    """The sum before the root of stored case x and query q; weights (p,) are those of this very pair."""
    distance = Distance(problem.metric, Global(weights, problem.features), problem.stored)
    found, factor = terms(distance, x, problem.cases, q)
    added = 0.0
    for term in found:
        added += term
    return added * factor


def first_of(sums):
    """The smallest of {case: sum}; of those that equal it to rounding the first."""
    least = min(sums.values())
    return min(x for x, s in sums.items() if s <= least + TIE * least)


def blended(problem, own, common, x, q):
    """(p,) eq. 27 with Reading G1."""
    out = []
    for f in range(len(problem.features)):
        s = math.sqrt(max(0.0, 1.0 - (gap(problem, f, x, q) or 0.0)))
        out.append(own[x][f] * s + common[f] * (1.0 - s))
    return out


def shares(problem, x, q):
    """(p,) differences over the largest one there is, None where left out: what feedback goes by."""
    out = []
    for f, measure in enumerate(problem.metric.measures):
        column, largest = problem.cases.columns[f], measure.fitted.maximum
        raw = measure.pair(column, x, column, q)
        out.append(None if raw is None else 0.0 if largest == 0 else min(1.0, raw / largest))
    return out


def slow_gcm_isw(problem, step):
    """The weights of cases and the common ones after one pass."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    own, common = [[0.5] * p for _ in range(n)], [0.5] * p
    for q in range(n):
        sums = {x: total(problem, blended(problem, own, common, x, q), x, q) for x in range(q)}
        hits, misses = ({x: s for x, s in sums.items() if (y[x] == y[q]) == hit} for hit in (True, False))
        for group, hit in ((hits, True), (misses, False)):
            if not group:
                continue
            x = first_of(group)
            for f, d in enumerate(shares(problem, x, q)):
                if d is None:
                    continue
                a = 1 - d if hit else d
                own[x][f] += step * math.sqrt(1 - d) * (a - own[x][f])
                common[f] += step * (a - common[f])
        own[q] = list(common)
    return own, common


def side(problem, f, x, q):
    """0 where q lies below x, 1 where above, None where there is no side."""
    measure, column = problem.metric.measures[f], problem.cases.columns[f]
    if measure.fitted.form != "line" or (column.missing is not None and (column.missing[x] or column.missing[q])):
        return None
    return 0 if column.values[q] < column.values[x] else 1 if column.values[q] > column.values[x] else None


def directed(problem, own, x, q):
    """(p,) eq. 28."""
    out = []
    for f in range(len(problem.features)):
        at = side(problem, f, x, q)
        out.append((own[0][x][f] + own[1][x][f]) / 2 if at is None else own[at][x][f])
    return out


def slow_directed(problem, reward, punish, passes, stored=None):
    """The weights of cases for queries below and above."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    stored = range(n) if stored is None else stored
    own = [[[1.0] * p for _ in range(n)] for _ in range(2)]
    for _ in range(passes):
        for q in range(n):
            sums = {x: total(problem, directed(problem, own, x, q), x, q) for x in stored if x != q}
            if not sums:
                continue
            asked = [first_of(sums)]
            hits = {x: s for x, s in sums.items() if y[x] == y[q]}
            if y[asked[0]] != y[q] and hits:
                asked.append(first_of(hits))
            for x in asked:
                for f, d in enumerate(shares(problem, x, q)):
                    at = side(problem, f, x, q)
                    for row in (0, 1) if at is None else (at,):
                        factor = 1 - reward * (d or 0.0) if y[x] == y[q] else 1 + punish * (d or 0.0)
                        own[row][x][f] = min(max(own[row][x][f] * factor, 1e-6), 1e6)
    return own


def signed(problem, x, q):
    """(p,) differences of stored case x from case q in their units, with a sign for numbers."""
    out = []
    for f in range(len(problem.features)):
        out.append((-1.0 if side(problem, f, x, q) == 1 else 1.0) * (gap(problem, f, x, q) or 0.0))
    return out


def slow_spreads(problem, q, asks, form=None):
    """W and B of DANN around case q, which is left out; loops over cases, features and classes."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    u = {x: np.array(signed(problem, x, q)) for x in range(n) if x != q}
    if form is None:  # the plain Euclidean distance, in which "ignore" rescales
        plain = Distance(replace(problem.metric, p=2.0), Global(np.ones(p), problem.features), problem.stored)
        away = {}
        for x in u:
            parts, factor = terms(plain, x, problem.cases, q)
            away[x] = math.sqrt(sum(parts) * factor)
    else:
        away = {x: math.sqrt(max(0.0, u[x] @ form @ u[x])) for x in u}
    near = sorted(u, key=lambda x: (round(away[x] ** 2, 12), x))[:asks]
    h = max(away[x] for x in near)
    weight = {x: (1 - (away[x] / h) ** 3) ** 3 if h > 0 else 1.0 for x in near}
    if sum(weight.values()) <= 0:
        weight = dict.fromkeys(near, 1.0)
    total = sum(weight.values())
    mean = sum(weight[x] * u[x] for x in near) / total
    within, between = np.zeros((p, p)), np.zeros((p, p))
    for c in set(y[near]):
        members = [x for x in near if y[x] == c]
        mass = sum(weight[x] for x in members)
        if mass <= 0:
            continue
        own = sum(weight[x] * u[x] for x in members) / mass
        between += mass / total * np.outer(own - mean, own - mean)
        for x in members:
            within += weight[x] / total * np.outer(u[x] - own, u[x] - own)
    if np.trace(within) <= 1e-20 * sum(weight[x] / total * (u[x] @ u[x]) for x in near):
        within[:] = 0.0  # what rounding leaves of nothing
    return within, between


def slow_dann(problem, q, asks, epsilon, ridge, rounds):
    """D after so many rounds."""
    form = None
    for _ in range(rounds):
        within, between = slow_spreads(problem, q, asks, form)
        p = len(within)
        sizes, vectors = np.linalg.eigh(within + ridge * np.trace(within) / p * np.eye(p))
        white = sum(
            (np.outer(v, v) / math.sqrt(s) for s, v in zip(sizes, vectors.T, strict=True) if s > 1e-10 * sizes[-1]),
            np.zeros((p, p)),
        )
        form = white @ (white @ between @ white + epsilon * np.eye(p)) @ white
        if not form.any():
            form = np.eye(p)
    return form
