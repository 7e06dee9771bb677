"""The terms of one sum, case by case: what the reference engine adds up and an explanation tells."""

from __future__ import annotations

import math

import numpy as np

from nearwise.arithmetic import power, product, weighted
from nearwise.differences.metric import Encoded, Measured
from nearwise.search.base import Distance
from nearwise.weights import Forms, Matrix, Stored
from nearwise.weights.forms import signed_gap
from nearwise.weights.values import counted, symbols

__all__ = ["form_parts", "mean_of", "names_of_terms", "stored_mean", "terms"]


def terms(distance: Distance, i: int, queries: Measured, j: int) -> tuple[list[float], float]:
    """The terms w_f * delta_f^p of stored case i and query j, and the factor that "ignore" rescales them by.

    The sum before the root is ``factor * sum(terms)``; under p = infinity it is the largest term, and the factor 1.
    Where every feature is left out, each counts with its largest difference and the factor is 1. Under a matrix there
    is a term for each new feature, under a form for each row.
    """
    if distance.weights.shape == "matrix":
        return _mapped_terms(distance, i, queries, j), 1.0
    if distance.weights.shape == "forms":
        return _form_terms(distance, i, queries, j), 1.0
    metric, stored = distance.metric, distance.stored
    out: list[float] = []
    known = total = 0.0
    left_out = False
    for f, measure in enumerate(metric.measures):
        weight = distance.weights.one(f, stored, i, queries, j)
        term = measure.term(stored.cases.columns[f], i, queries.columns[f], j, metric.p)
        total += weight
        if term is None:
            left_out = True
            out.append(0.0)
            continue
        known += weight
        out.append(float(weighted(weight * measure.scale(metric.p), term)))
    if not left_out:
        return out, 1.0
    if known > 0:
        return out, total / known if metric.adds else 1.0
    weights = [distance.weights.one(f, stored, i, queries, j) for f in range(len(metric.measures))]
    pairs = zip(weights, metric.measures, strict=True)
    return [float(weighted(w * m.scale(metric.p), power(m.fitted.maximum, metric.p))) for w, m in pairs], 1.0


def names_of_terms(distance: Distance) -> list[str]:
    """The features, or under a matrix the new features z0, z1, ..."""
    if distance.weights.shape == "matrix":
        return [f"z{new}" for new in range(len(distance.weights.values))]
    return list(distance.metric.names)


def _mapped_terms(distance: Distance, i: int, queries: Measured, j: int) -> list[float]:
    """Under a matrix A: the terms (A (x - q))^2, one for each new feature."""
    weights, columns = distance.weights, distance.stored.cases.columns
    assert isinstance(weights, Matrix)

    def number(f: int, column: Encoded, row: int) -> float:
        value = float(column.values[row])
        return value if np.isfinite(value) else stored_mean(distance.stored, f)

    def landing(row: list[float], f: int, column: Encoded, at: int) -> float:
        """Where a level of feature f lands in a new feature, which has this row of the matrix for its levels."""
        code, v = int(column.values[at]), symbols(weights.levels[f])
        missing = code < 0 or code == v or (column.missing is not None and bool(column.missing[at]))
        if not missing:
            return row[code] if code < v else 0.0
        if v < len(row):
            return row[v]
        means = distance.stored.means
        counts: list[float] = (counted(columns[f], v) if means is None else means[f]).tolist()
        return sum(c * w for c, w in zip(counts, row, strict=True)) / max(1, sum(counts))

    out, blocks = [], weights.blocks
    for new in range(len(weights.values)):
        gap = 0.0
        for f, (x, q) in enumerate(zip(columns, queries.columns, strict=True)):
            row = blocks[f][new].tolist()
            if weights.levels[f]:
                gap += landing(row, f, x, i) - landing(row, f, q, j)
            elif row[0] and distance.metric.measures[f].scale(1):
                gap += row[0] * ((number(f, x, i) - number(f, q, j)) * distance.metric.measures[f].scale(1))
        out.append(gap * gap)
    return out


def _form_terms(distance: Distance, i: int, queries: Measured, j: int) -> list[float]:
    """Under a quadratic form A of query j: the terms (A u)^2, one a row of A."""
    weights, gaps = distance.weights, _gaps(distance, i, queries, j)
    assert isinstance(weights, Forms)
    out = []
    for row in weights.of_query(j).tolist():
        total = 0.0
        for entry, gap in zip(row, gaps, strict=True):
            total += entry * gap if entry else 0.0
        out.append(total * total)
    return out


def form_parts(distance: Distance, i: int, queries: Measured, j: int) -> list[float]:
    """The same sum by features: the squares of D^(1/2) u with D = A'A, whose symmetric root keeps features apart as
    far as a linear map can."""
    weights = distance.weights
    assert isinstance(weights, Forms)
    _, sizes, turned = np.linalg.svd(weights.of_query(j), full_matrices=False)
    root = product(turned.T * sizes, turned)
    return [float(part) for part in np.square(product(root, np.array(_gaps(distance, i, queries, j))[:, None]))[:, 0]]


def _gaps(distance: Distance, i: int, queries: Measured, j: int) -> list[float]:
    """(p,) the differences of stored case i and query j, in their units, with a sign for numbers."""
    columns = zip(distance.metric.measures, distance.stored.cases.columns, queries.columns, strict=True)
    return [signed_gap(measure, x, i, q, j) for measure, x, q in columns]


@np.errstate(over="ignore", invalid="ignore")
def mean_of(column: Encoded) -> float:
    """The mean of the known numbers, where a missing one stands; 0 where there is none.

    The sum is exact before it is rounded, so the mean does not depend on the order of the cases.
    """
    known = column.values[np.isfinite(column.values)]
    if not len(known):
        return 0.0
    size = math.frexp(float(np.abs(known).max()))[1]  # a power of two is exact, and the sum of huge numbers is finite
    return math.ldexp(math.fsum(np.ldexp(known, -size).tolist()) / len(known), size)


def stored_mean(stored: Stored, f: int) -> float:
    """The mean of a feature of all cases, of which the stored ones may be a part."""
    return mean_of(stored.cases.columns[f]) if stored.means is None else float(stored.means[f][0])
