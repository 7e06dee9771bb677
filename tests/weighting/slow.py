"""Accuracy of weight vectors and searches over feature sets as obvious loops over the reference engine's terms."""

from itertools import pairwise

import numpy as np

from nearwise.search.base import Distance
from nearwise.search.terms import terms
from nearwise.weights import Global

TIE = 1e-12


def right(problem, weights, k, i, candidates, queries=None):
    """Whether the k nearest of these cases, with fair ties and a majority vote, classify case i right."""
    distance = Distance(problem.metric, Global(weights, problem.features), problem.stored)
    asked = problem.cases if queries is None else queries
    sums = []
    for j in candidates:
        found, factor = terms(distance, j, asked, i)
        total = 0.0
        for term in found:
            total += term
        sums.append((total * factor, j))
    if not sums:
        return False
    target = problem.target
    ranked = sorted(s for s, _ in sums)
    places = min(k, len(ranked))
    last = ranked[places - 1]
    inside = [(s, j) for s, j in sums if s < last - TIE * last]
    tied = [(s, j) for s, j in sums if abs(s - last) <= TIE * last]
    share = (places - len(inside)) / len(tied)
    votes, near = np.zeros(target.n_classes), np.full(target.n_classes, np.inf)
    for group, part in ((inside, 1.0), (tied, share)):
        for s, j in group:
            c = target.values[j]
            votes[c] += part * target.weights[j]
            near[c] = min(near[c], s)
    leaders = [c for c in range(len(votes)) if votes[c] >= votes.max() * (1 - TIE)]
    nearest = min(near[c] for c in leaders)
    leaders = [c for c in leaders if near[c] <= nearest + TIE * nearest]
    return max(leaders, key=lambda c: (target.priors[c], -c)) == target.values[i]


def accuracy(problem, weights, k=1, folds=None, queries=None):
    """Leaving one out, or the mean over folds."""
    n, w = len(problem.table), problem.target.weights
    own = np.zeros(n, dtype=int) if folds is None else folds
    shares = []
    for fold in np.unique(own):
        rows = np.flatnonzero(own == fold)
        hits = 0.0
        for i in rows:
            others = [j for j in range(n) if (j != i if folds is None else own[j] != fold)]
            hits += w[i] * right(problem, weights, k, i, others, queries)
        shares.append(hits / w[rows].sum())
    return round(float(np.mean(shares)), 12)


def score(problem, chosen, **how):
    p = len(problem.features)
    return accuracy(problem, [1.0 if f in chosen else 0.0 for f in range(p)], **how)


def forward(problem, tol=0.0, patience=1, limit=None, **how):
    """The kept set and the sets on the way."""
    p = len(problem.features)
    chosen, best, path, stale = (), None, [], 0
    while len(chosen) < (limit or p):
        scored = [(score(problem, (*chosen, f), **how), f) for f in range(p) if f not in chosen]
        top = max(s for s, _ in scored)
        chosen = (*chosen, min(f for s, f in scored if s == top))
        path.append((set(chosen), top))
        if best is None or top > best[1] + tol:
            best, stale = (set(chosen), top), 0
        else:
            stale += 1
        if stale >= patience or best[1] >= 1:
            break
    return best, path


def backward(problem, tol=0.0, patience=1, **how):
    p = len(problem.features)
    chosen = set(range(p))
    top = score(problem, chosen, **how)
    best, stale = (set(chosen), top), 0
    while len(chosen) > 1:
        scored = [(score(problem, chosen - {f}, **how), f) for f in chosen]
        found = max(s for s, _ in scored)
        chosen = chosen - {max(f for s, f in scored if s == found)}
        if found >= top - tol:
            top, best, stale = max(top, found), (set(chosen), found), 0
        else:
            stale += 1
        if stale >= patience:
            break
    return best


def beam(problem, width, patience=1, **how):
    p = len(problem.features)
    level, best, stale = [frozenset()], None, 0
    for _ in range(p):
        sets = {s | {f} for s in level for f in range(p) if f not in s}
        ranked = sorted((-score(problem, s, **how), tuple(sorted(s))) for s in sets)
        level = [frozenset(s) for _, s in ranked[:width]]
        top = -ranked[0][0]
        if best is None or top > best[1]:
            best, stale = (set(level[0]), top), 0
        else:
            stale += 1
        if stale >= patience or best[1] >= 1:
            break
    return best


def climb(problem, **how):
    """Hill climbing from no features, one taken in or left out at a time: a race in which nobody drops out."""
    p = len(problem.features)
    chosen = frozenset()
    while True:
        near = [chosen ^ {f} for f in range(p)] + [chosen]
        near = [s for s in near if s]
        scored = [(-score(problem, s, **how), len(s), s) for s in near]
        top = min(s[:2] for s in scored)
        equal = [s for *k, s in scored if tuple(k) == top]
        if chosen in equal:
            return set(chosen), -top[0]
        taken_in = [s for s in equal if len(s) > len(chosen)]
        # earlier features come in first, later ones go first
        best = min(taken_in, key=lambda s: min(s - chosen)) if taken_in else max(equal, key=lambda s: min(chosen - s))
        chosen = best


def diet(problem, levels, **how):
    """Hill climbing through the values 0, 1/levels, ..., 1, from 1."""
    p = len(problem.features)

    def key(v):
        return (-accuracy(problem, [x / levels for x in v], **how), sum(x > 0 for x in v), sum(v), [-x for x in v])

    at = (levels,) * p
    while True:
        near = [(*at[:f], at[f] + d, *at[f + 1 :]) for f in range(p) for d in (-1, 1)]
        near = [v for v in near if any(v) and all(0 <= x <= levels for x in v)]
        best = min(near, key=key, default=at)
        if key(best) >= key(at):
            return np.array(at) / levels, -key(at)[0]
        at = best


def rises(values):
    return all(a <= b for a, b in pairwise(values))
