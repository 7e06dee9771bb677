"""Random mixed tables, and mean difference weighting as the obvious double loop over cases."""

import numpy as np
from hypothesis import strategies as st

from nearwise.cases.kinds import Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.weighting.base import Problem


def lopsided(x, q):
    """Not symmetric, and not 0 from itself."""
    return 2.0 * abs(x - q) + (1.0 if x > q else 0.25)


def longest(x, q):
    return np.array([abs(len(a) - len(b)) for a, b in zip(x, q, strict=True)], dtype=float)


numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-50, 50, width=32))
vectors = st.lists(st.integers(-2, 2).map(float), min_size=2, max_size=2)
COLUMNS = {
    "number": (Numeric, numbers),
    "hour": (lambda **s: Cyclic(period=24.0, **s), st.floats(-30, 50, width=32)),
    "symbol": (Symbolic, st.sampled_from("abc")),
    "mvdm": (lambda **s: Symbolic(difference="mvdm", **s), st.sampled_from("abcd")),
    "rank": (lambda **s: Ordinal(("low", "mid", "high"), **s), st.sampled_from(["low", "mid", "high"])),
    "text": (Text, st.sampled_from(["", "cat", "cart", "dog"])),
    "edits": (lambda **s: Text(difference="levenshtein-raw", **s), st.sampled_from(["", "cat", "cart", "dog"])),
    "tags": (lambda **s: Set(members="symbols", **s), st.frozensets(st.sampled_from("xyz"))),
    "shape": (lambda **s: Set(difference="min", **s), st.lists(vectors, min_size=1, max_size=3)),
    "average": (lambda **s: Set(difference="average", **s), st.lists(vectors, min_size=1, max_size=3)),
    "place": (Vector, vectors),
    "function": (lambda **s: Custom(function=lopsided, **s), st.integers(0, 4)),
    "lists": (lambda **s: Custom(function=longest, vectorised=True, **s), st.lists(st.integers(0, 1), max_size=3)),
}
SCHEMA = {name: make() for name, (make, _) in COLUMNS.items()}


@st.composite
def mixed(draw, min_cases=2, max_cases=8, features=None, missing=True, weighted=False):
    """(records, classes, weights, schema) of a few features of any kind, with holes and policies."""
    names = draw(st.lists(st.sampled_from(features or list(COLUMNS)), min_size=1, max_size=4, unique=True))
    n = draw(st.integers(min_cases, max_cases))
    policies = st.sampled_from(["max", "value", "ignore", "mean"])
    schema = {name: COLUMNS[name][0](missing=draw(policies)) for name in names}
    records = []
    for _ in range(n):
        holes = st.integers(0, 5 if missing else 0)
        records.append({name: None if draw(holes) == 5 else draw(COLUMNS[name][1]) for name in names})
    y = np.array(draw(st.lists(st.sampled_from(["no", "yes", "perhaps"]), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.25]), min_size=n, max_size=n))) if weighted else np.ones(n)
    return records, y, w, schema


def problem_of(records, y, w=None, schema=None, classes=None, **settings):
    table = CaseTable.of(records, schema=schema)
    classes = np.unique(y) if classes is None else classes
    weights = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    return Problem.of(table, Target(np.searchsorted(classes, y), classes, weights), **settings)


def canonical_problem_of(*made, **settings):
    """With features in the order in which methods that go by feedback see them, for twins that break ties by place."""
    return problem_of(*made, **settings).in_canonical_order()


def slow_means(problem, f, pairs="all"):
    """Overall, in-class and out-of-class means of feature f, straight from eqs. 1, 3 and 4."""
    measure, cases, target = problem.metric.measures[f], problem.cases.columns[f], problem.target
    n, c, w = len(target), target.n_classes, target.weights
    counts = [i for i in range(n) if measure.policy == "value" or not problem.table.columns[f].missing[i]]
    unit = measure.scale(1)
    delta = {(i, j): unit * measure.pair(cases, i, cases, j) for i in counts for j in counts}

    def mean(rows, columns, same):
        total = sum(w[i] * w[j] * delta[i, j] for i in rows for j in columns)
        divisor = sum(w[i] for i in rows) * sum(w[j] for j in columns)
        if same and pairs == "distinct":  # w copies of a case: each copy is left out against itself only
            total -= sum(w[i] * delta[i, i] for i in rows)
            divisor -= sum(w[i] for i in rows)
        return total / divisor if divisor > 1e-12 else 0.0

    inside, outside = np.zeros(c), np.zeros(c)
    for k in range(c):
        members = [i for i in counts if target.values[i] == k]
        others = [i for i in counts if target.values[i] != k]
        inside[k], outside[k] = mean(members, members, True), mean(members, others, False)
    return mean(counts, counts, True), inside, outside


def slow_mdw(problem, pairs="all", significance="calibrated"):
    """scale (p,), in (c, p), out (c, p), significance (c, p) by Howe & Cardie eqs. 1-5."""
    p = len(problem.features)
    found = [slow_means(problem, f, pairs) for f in range(p)]
    scale = np.array([0.0 if m < 1e-300 else 1.0 / m for m, _, _ in found])
    factor = scale if significance == "calibrated" else np.ones(p)
    inside = np.stack([i for _, i, _ in found], axis=1) * factor
    outside = np.stack([o for _, _, o in found], axis=1) * factor
    raw = np.where(outside > inside + 1e-10 * np.maximum(outside, inside), outside - inside, 0.0)
    for row in raw:
        row[:] = row / row.sum() if row.sum() > 0 else 1.0 / p
    return scale, inside, outside, raw
