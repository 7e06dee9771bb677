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


def tricube(d, h):
    """What is as far as the farthest has 0."""
    return 1.0 if h == 0 else 0.0 if d >= h * (1 - 1e-9) else (1 - (d / h) ** 3) ** 3


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
    weight = {x: tricube(away[x], h) for x in near}
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


def slow_rc(problem, tolerance, rounds):
    """Which features each case keeps; the accuracy is counted anew for every attempt."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    kept, done = [[1.0] * p for _ in range(n)], set()

    def away(x, q):
        return total(problem, kept[x], x, q)

    def right():
        found = 0
        for q in range(n):
            sums = {x: away(x, q) for x in range(n) if x != q}
            found += y[first_of(sums)] == y[q]
        return found

    for _ in range(rounds):
        for case in range(n):
            alike = {x: away(case, x) for x in range(n) if x != case and y[x] == y[case]}
            if case in done or not alike:
                continue
            other = first_of(alike)
            differs = []
            for f, measure in enumerate(problem.metric.measures):
                column = problem.cases.columns[f]
                raw = measure.pair(column, case, column, other) or 0.0
                differs.append(kept[case][f] > 0 and raw > tolerance * measure.fitted.maximum)
            if not any(differs) or sum(differs) == sum(kept[case]):
                done.add(case)
                continue
            before, score = kept[case], right()
            kept[case] = [0.0 if out else w for w, out in zip(before, differs, strict=True)]
            if right() < score:
                kept[case] = before
                done.add(case)
    return kept


def slow_slopes(problem, q, k):
    """(p,) the squared slopes of the class shares around case q, which is left out."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    away = {x: total(problem, [1.0] * p, x, q) for x in range(n) if x != q}
    near = sorted(away, key=lambda x: (away[x], x))[:k]
    u, d = {x: signed(problem, x, q) for x in near}, {x: away[x] ** (1 / problem.metric.p) for x in near}
    h = max(d.values())
    w = {x: tricube(d[x], h) for x in near}
    w = w if sum(w.values()) > 0 else dict.fromkeys(near, 1.0)
    w = {x: w[x] / sum(w.values()) for x in near}
    out = []
    for f in range(p):
        mean = sum(w[x] * u[x][f] for x in near)
        spread = sum(w[x] * (u[x][f] - mean) ** 2 for x in near)
        if spread <= 1e-20 * sum(w[x] * u[x][f] ** 2 for x in near):
            out.append(0.0)
            continue
        moved = [sum(w[x] * (u[x][f] - mean) for x in near if y[x] == c) for c in set(y)]
        squares = sum(s * s for s in moved)
        out.append(squares / spread**2 if squares > 1e-20 * spread else 0.0)
    return out


def slow_scythe(problem, q, left, fraction):
    """(p,) weights around case q, which is left out."""
    p, n, y = len(problem.features), len(problem.target), problem.target.values
    gaps = {x: [gap(problem, f, x, q) or 0.0 for f in range(p)] for x in range(n) if x != q}
    first = [max(gaps[x][f] for x in gaps) for f in range(p)]
    widths = list(first)

    def shares(cases):
        return {c: sum(y[x] == c for x in cases) / len(cases) for c in set(y)}

    cases = list(gaps)
    while len(cases) > left:
        r = len(cases)
        keep = max(left, min(r - 1, math.ceil((1 - fraction) * r)))
        found = []
        whole = shares(cases)
        for f in range(p):
            reach = sorted(gaps[x][f] for x in cases)[keep - 1]
            inside = [x for x in cases if gaps[x][f] <= reach]
            if len(inside) == r:
                inside = [x for x in cases if gaps[x][f] < reach]
                reach = max((gaps[x][f] for x in inside), default=0.0)
            if not left <= len(inside) < r:
                continue
            part = shares(inside)
            chance = sum(s * (1 - s) for s in whole.values()) * r / (r - 1) * (1 / len(inside) - 1 / r)
            gain = sum((part[c] - whole[c]) ** 2 for c in whole) - chance
            if gain > 1e-12:
                found.append((gain, reach / first[f], -len(inside), f, reach, inside))
        if not found:
            break
        best = max(gain for gain, *_ in found)
        *_, f, reach, inside = min((each for each in found if each[0] >= best - 1e-12), key=lambda each: each[1:4])
        smallest = min((gaps[x][f] for x in cases if gaps[x][f] > 0), default=0.0)
        widths[f] = max(smallest / 2 if reach == 0 else reach, 1e-6)
        cases = inside
    weights = [0.0 if w == 0 else w**-problem.metric.p for w in widths]
    return [w * p / sum(weights) for w in weights] if any(weights) else [1.0] * p
