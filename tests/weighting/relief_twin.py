"""The Relief family as plain loops over cases, written from the equations."""

import math

import numpy as np

from nearwise.cases.cuts import Cuts, equal_width, mdl

TIE = 1e-12


_TWINS = {}


def twin_of(problem, unknown, groups=None, ramp=None):
    """One twin serves all methods: pairs are worked out once."""
    key = (id(problem), unknown, groups is None, ramp)
    if key not in _TWINS or _TWINS[key].problem is not problem:
        if len(_TWINS) > 8:
            _TWINS.clear()
        _TWINS[key] = Twin(problem, unknown, groups, ramp)
    return _TWINS[key]


class Twin:
    """Differences, distances and near cases of a problem, one pair at a time."""

    def __init__(self, problem, unknown, groups=None, ramp=None):
        self.problem, self.unknown, self.ramp = problem, unknown, ramp
        self.deltas, self.shares = {}, {}
        target = problem.target
        self.n, self.p = len(target), len(problem.features)
        self.y = target.values if groups is None else groups
        self.has_classes = groups is None
        self.w = target.weights
        self.intervals = {}

    def groups(self):
        return range(self.problem.target.n_classes) if self.has_classes else range(1)

    def missing(self, f, i):
        held = self.problem.cases.columns[f].missing
        return held is not None and bool(held[i])

    def delta(self, f, i, j):
        """Of case i, which asks, and case j; None where the feature is left out."""
        if (f, i, j) not in self.deltas:
            self.deltas[f, i, j] = self.new_delta(f, i, j)
        return self.deltas[f, i, j]

    def new_delta(self, f, i, j):
        measure, column = self.problem.metric.measures[f], self.problem.cases.columns[f]
        unit = measure.scale(1)
        if not (self.missing(f, i) or self.missing(f, j)) or measure.policy == "value" or self.unknown == "policy":
            raw = measure.pair(column, j, column, i)
            return None if raw is None else self.climbed(f, unit * raw)
        if all(self.missing(f, k) for k in range(self.n)):
            return 0.0
        if measure.fitted.form not in ("line", "circle", "overlap"):
            return self.mean_delta(f, i, j)
        largest = self.climbed(f, unit * measure.fitted.maximum)
        if self.missing(f, i) and self.missing(f, j):
            cells = {self.cell(f, k) for k in range(self.n) if not self.missing(f, k)}
            one, two = self.y[i], self.y[j]
            return largest * (1.0 - sum(self.share(f, v, one) * self.share(f, v, two) for v in cells))
        known, group = (j, self.y[i]) if self.missing(f, i) else (i, self.y[j])
        return largest * (1.0 - self.share(f, self.cell(f, known), group))

    def climbed(self, f, delta):
        """A number's difference on the ramp."""
        if self.ramp is None or self.problem.metric.measures[f].fitted.form not in ("line", "circle"):
            return delta
        equal, different = self.ramp
        if delta <= equal:
            return 0.0
        return 1.0 if delta >= different else (delta - equal) / (different - equal)

    def mean_delta(self, f, i, j):
        """From the values of the group of the case that misses one."""
        measure, column = self.problem.metric.measures[f], self.problem.cases.columns[f]

        def to_group(k, group):
            members = self.known(f, group)
            return np.mean([measure.scale(1) * measure.pair(column, m, column, k) for m in members])

        if self.missing(f, i) and self.missing(f, j):
            there = np.mean([to_group(k, self.y[j]) for k in self.known(f, self.y[i])])
            back = np.mean([to_group(k, self.y[i]) for k in self.known(f, self.y[j])])
            return (there + back) / 2
        known, group = (j, self.y[i]) if self.missing(f, i) else (i, self.y[j])
        return to_group(known, group)

    def known(self, f, group):
        """Cases of a group whose value is known; where there are none, those of all groups."""
        there = [k for k in range(self.n) if not self.missing(f, k)]
        return [k for k in there if self.y[k] == group] or there

    def cell(self, f, i):
        """The symbol, level or interval of a value."""
        measure, values = self.problem.metric.measures[f], self.problem.cases.columns[f].values
        if measure.fitted.form == "overlap" or measure.fitted.ranked:
            return values[i]
        if measure.fitted.form == "circle":
            values = np.mod(values, measure.fitted.period)
        if f not in self.intervals:
            known = sorted((values[k], self.y[k], self.w[k]) for k in range(self.n) if not self.missing(f, k))
            ordered, classes, weights = (np.array(part) for part in zip(*known, strict=True))
            cuts = Cuts(mdl(ordered, classes, weights), "right") if self.has_classes else Cuts(equal_width(ordered, 8))
            self.intervals[f] = cuts
        return int(self.intervals[f].place(values[i : i + 1])[0])

    def share(self, f, cell, group):
        """P(cell | group) over known values."""
        if (f, cell, group) not in self.shares:
            members = self.known(f, group)
            total = sum(self.w[k] for k in members)
            self.shares[f, cell, group] = sum(self.w[k] for k in members if self.cell(f, k) == cell) / total
        return self.shares[f, cell, group]

    def distance(self, i, j, power):
        deltas = [self.delta(f, i, j) for f in range(self.p)]
        there = [d for d in deltas if d is not None]
        if not there:
            largest = [(m.scale(1), m.fitted.maximum) for m in self.problem.metric.measures]
            return sum(self.climbed(f, unit * most) ** power for f, (unit, most) in enumerate(largest) if unit)
        return sum(d**power for d in there) * (self.p / len(there))

    def distances(self, power=1):
        return [[self.distance(i, j, power) for j in range(self.n)] for i in range(self.n)]

    def near(self, row, others, k):
        """[(case, what it counts)] of the k nearest; ties share what is left."""
        ranked = sorted(others, key=lambda j: row[j])
        if len(ranked) <= k:
            return [(j, 1.0) for j in ranked]
        kth = row[ranked[k - 1]]
        inside = [j for j in ranked if row[j] < kth - TIE * kth]
        tied = [j for j in ranked if abs(row[j] - kth) <= TIE * kth]
        return [(j, 1.0) for j in inside] + [(j, (k - len(inside)) / len(tied)) for j in tied]

    def mean(self, f, i, counted):
        """The mean difference of case i from cases that count so much."""
        total = sum(c for _, c in counted)
        return sum(c * (self.delta(f, i, j) or 0.0) for j, c in counted) / total if total else 0.0


def contrast(twin, neighbours):
    """(p,) misses less hits; ``neighbours(i, members)`` gives the cases of a class that count for case i."""
    priors, scores = twin.problem.target.priors, np.zeros(twin.p)
    for i in range(twin.n):
        for c in twin.groups():
            counted = neighbours(i, [j for j in range(twin.n) if twin.y[j] == c and j != i])
            weight = -1.0 if c == twin.y[i] else priors[c] / (1.0 - priors[twin.y[i]])
            for f in range(twin.p):
                scores[f] += twin.w[i] * weight * twin.mean(f, i, counted)
    return scores / twin.w.sum()


def slow_relief_f(problem, k, unknown="probabilities", ramp=None):
    twin = twin_of(problem, unknown, ramp=ramp)
    d = twin.distances()
    return contrast(twin, lambda i, members: twin.near(d[i], members, k))


def slow_relief(problem, unknown="policy", ramp=None):
    twin = twin_of(problem, unknown, ramp=ramp)
    d, scores = twin.distances(2), np.zeros(twin.p)
    for i in range(twin.n):
        hits = [j for j in range(twin.n) if j != i and twin.y[j] == twin.y[i]]
        misses = [j for j in range(twin.n) if twin.y[j] != twin.y[i]]
        for f in range(twin.p):
            scores[f] += twin.w[i] * (
                twin.mean(f, i, twin.near(d[i], misses, 1)) - twin.mean(f, i, twin.near(d[i], hits, 1))
            )
    return scores


def slow_zones(problem, per_case, uses_far, unknown="probabilities", ramp=None):
    twin = twin_of(problem, unknown, ramp=ramp)
    d = twin.distances()
    n = twin.n
    pairs = [d[i][j] for i in range(n) for j in range(n) if i != j]
    overall = sum(pairs) / len(pairs)
    limits = []
    for i in range(n):
        own = [d[i][j] for j in range(n) if j != i]
        mean = sum(own) / len(own)
        band = math.sqrt(sum((x - mean) ** 2 for x in own) / len(own)) / 2
        middle, band = (mean, band) if per_case else (overall, 0.0)
        limits.append((middle - band - TIE * middle, middle + band + TIE * middle))
    scores = contrast(twin, lambda i, members: [(j, 1.0) for j in members if d[i][j] < limits[i][0]])
    if uses_far:
        scores = scores - contrast(twin, lambda i, members: [(j, 1.0) for j in members if d[i][j] > limits[i][1]])
    return scores


def slow_rrelief_f(problem, k, sigma=None, unknown="probabilities", ramp=None):
    target = problem.target
    twin = twin_of(problem, unknown, groups=np.zeros(len(target), dtype=int), ramp=ramp)
    d, w = twin.distances(), target.weights
    low, high = min(target.values), max(target.values)
    both, differs, target_differs = np.zeros(twin.p), np.zeros(twin.p), 0.0
    for i in range(twin.n):
        others = [j for j in range(twin.n) if j != i]
        counted = twin.near(d[i], others, k)
        if sigma is not None:  # every case takes the mean influence of the ranks that its distance spans
            counted = []
            for j in others:
                below = sum(d[i][o] < d[i][j] * (1 - TIE) for o in others)
                equal = sum(abs(d[i][o] - d[i][j]) <= TIE * d[i][j] for o in others)
                ranks = [r for r in range(below + 1, below + equal + 1) if r <= k]
                counted.append((j, sum(math.exp(-((r / sigma) ** 2)) for r in ranks) / equal))
        total = sum(c for _, c in counted)
        for j, c in counted:
            tau = w[i] * c / total
            if target.classes is not None:
                gap = float(target.values[i] != target.values[j])
            else:
                gap = abs(target.values[i] - target.values[j]) / (high - low) if high > low else 0.0
            target_differs += tau * gap
            for f in range(twin.p):
                delta = twin.delta(f, i, j) or 0.0
                differs[f] += tau * delta
                both[f] += tau * delta * gap
    same = w.sum() - target_differs
    unlike = both / target_differs if target_differs > 0 else np.zeros(twin.p)
    return unlike - ((differs - both) / same if same > 0 else 0.0)
