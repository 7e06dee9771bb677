r"""Axes bent by a forest: how much gain the splits of its trees put between two values of a feature.

.. math:: \delta_f(x, q) = \frac{1}{m_G} \sum_{\text{splits of } f \text{ between } x \text{ and } q} \text{gain}
          + \frac{w_f}{m_Q} |r_f(x) - r_f(q)|

r is the share of the stored cases below a value (for symbols their shares of the target), w the gain ratio (or the
correlation, where the target is a number), and m_G, m_Q the median of each sum over pairs of cases. Every feature adds
its own part, so the distance is explained as any other. A case that is left out asks along axes that were bent without
its fold, so that leaving one out is honest. The forest is scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.answering import Fold
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind, Numeric, Ordinal, Symbolic
from nearwise.cases.target import Target
from nearwise.differences.base import Difference, FitContext
from nearwise.differences.bent import BentNumber, BentSymbol
from nearwise.differences.numeric import ranks
from nearwise.differences.shares import Shares, SharesFitted
from nearwise.engines import Distance, plan
from nearwise.errors import MissingDependencyError
from nearwise.estimators.model import Model, together_factors, trusting
from nearwise.progress import progress
from nearwise.statistics.feature_words import feature_words
from nearwise.statistics.folds import drawn_cases, seed_of, shuffled_folds
from nearwise.weighting import Problem, Weighting
from nearwise.weighting.selecting import case_order
from nearwise.weights import Global, Weights

__all__ = ["Bends", "BentFold", "bend", "learn_bends"]

Floats = NDArray[np.float64]

TREES = 100
FOLDS = 5
TREES_OF_A_FOLD = 30
FEW_VALUES = 12
"""values up to which a symbol has a column for each in the forest"""
MOST_STEPS = 1_000
KNOTS = 257
SAMPLE = 300
"""cases whose pairs give the medians"""


@dataclass(frozen=True)
class Bends:
    """What every feature is compared by, and how much those count that no forest can bend."""

    differences: dict[str, Difference]
    weights: Global


class _Number:
    """One column of the forest."""

    def __init__(self, column: Column) -> None:
        raw = self._raw(column)
        known = np.sort(raw[np.isfinite(raw)])
        self.middle = float(np.median(known)) if len(known) else 0.0
        places = np.unique(np.linspace(0, max(0, len(known) - 1), KNOTS).astype(np.intp))
        knots = np.unique(known[places]) if len(known) else np.zeros(1)
        below, upto = np.searchsorted(known, knots, "left"), np.searchsorted(known, knots, "right")
        self.knots, self.rank = knots, (below + upto) / 2 / max(1, len(known))

    @staticmethod
    def _raw(column: Column) -> Floats:
        return np.asarray(column.values if column.levels is None else ranks(column), dtype=np.float64)

    def columns(self, column: Column) -> Floats:
        raw = self._raw(column)
        return np.where(np.isfinite(raw), raw, self.middle)[:, None]

    def bent(self, splits: list[tuple[Floats, Floats]], by_gain: float, by_rank: float) -> Difference:
        steps, gains = splits[0]
        return BentNumber(
            tuple(steps.tolist()), tuple((by_gain * gains).tolist()), tuple(self.knots.tolist()),
            tuple((by_rank * self.rank).tolist()),
        )  # fmt: skip


class _Symbol:
    """Columns of the forest: one for each value, or the shares of the target where values are many."""

    def __init__(self, name: str, kind: Kind, column: Column, target: Target) -> None:
        fitted = Shares().fit(column, FitContext(name, kind, target, policy="value"))
        assert isinstance(fitted, SharesFitted)
        self.fitted = fitted
        self.by_value = len(fitted.coding.levels) <= FEW_VALUES

    @property
    def _table(self) -> Floats:
        """(v + 2, columns) what the forest sees of each level."""
        return np.eye(len(self.fitted.rows)) if self.by_value else self.fitted.rows

    def columns(self, column: Column) -> Floats:
        return np.asarray(self._table[self.fitted.encode(column)])

    def bent(self, splits: list[tuple[Floats, Floats]], by_gain: float, by_rank: float) -> Difference:
        heights = [
            np.concatenate([[0.0], np.cumsum(gains)])[np.searchsorted(steps, column, side="left")]
            for (steps, gains), column in zip(splits, self._table.T, strict=True)
        ]
        rows = np.column_stack([by_gain * np.array(heights).T, by_rank * self.fitted.rows])
        used = np.ptp(rows, axis=0) > 0
        rows = rows[:, used] if used.any() else rows[:, :1]
        return BentSymbol(self.fitted.coding.levels, tuple(map(tuple, rows.tolist())))


def learn_bends(
    problem: Problem, weights: Floats, trees: int, seed: int, n_jobs: int | None, rows: NDArray[np.intp] | None = None
) -> Bends:
    """Bend the axes by a forest over the cases ``rows`` (all of them where None); ``weights`` (p,) are for ranks."""
    table, target = problem.table, problem.target
    if rows is not None:
        table, target = table.take(rows), target.take(rows)
    makers: list[_Number | _Symbol | None] = []
    for (name, kind), column in zip(table.schema.items(), table.columns, strict=True):
        if isinstance(kind, Numeric | Ordinal):
            makers.append(_Number(column))
        else:
            makers.append(_Symbol(name, kind, column, target) if isinstance(kind, Symbolic) else None)
    parts = [m.columns(c) for m, c in zip(makers, table.columns, strict=True) if m is not None]
    if not parts:
        return Bends({}, Global(weights, problem.features))
    grouped = _grouped_splits(problem if rows is None else problem.take(rows), makers, parts, trees, seed, n_jobs)
    own = weights / weights.mean() if weights.mean() > 0 else np.ones(len(weights))
    bendable = [(f, m) for f, m in enumerate(makers) if m is not None]
    drawn = drawn_cases(problem.metric, problem.cases, problem.target, SAMPLE)
    sample = problem.table.take(drawn)

    def spread(by_gain: float, by_rank: float) -> float:
        return _median_sum(
            [m.bent(grouped[at], by_gain, by_rank * own[f]) for at, (f, m) in enumerate(bendable)],
            [(table.schema.names[f], table.schema[table.schema.names[f]], sample.columns[f]) for f, _ in bendable],
        )

    gain, rank = 1.0 / (spread(1.0, 0.0) or 1.0), 1.0 / (spread(0.0, 1.0) or 1.0)
    out, found = rank * own, {}
    for at, (f, m) in enumerate(bendable):
        name = table.schema.names[f]
        bent = m.bent(grouped[at], gain, rank * own[f])
        mean = _mean(bent, name, table.schema[name], sample.columns[f])
        out[f] = mean  # what a feature adds on average is its weight, so that weights say what counts
        found[name] = m.bent(grouped[at], gain / mean, rank * own[f] / mean) if mean > 0 else bent
    return Bends(found, Global(out, problem.features))


def _grouped_splits(
    problem: Problem, makers: list[_Number | _Symbol | None], parts: list[Floats], trees: int, seed: int,
    n_jobs: int | None,
) -> list[list[tuple[Floats, Floats]]]:  # fmt: skip
    """For each of ``parts``, the columns of a feature, where trees split them.

    The forest sees cases and features in an order that their values give, so that its draws do not hang on theirs.
    """
    words = feature_words(problem.metric, problem.cases, problem.target)
    features = np.argsort([words[f] for f, maker in enumerate(makers) if maker is not None])
    cases = case_order(problem, 0)
    splits = iter(
        _splits(np.hstack([parts[at] for at in features])[cases], problem.target.take(cases), trees, seed, n_jobs)
    )
    grouped: list[list[tuple[Floats, Floats]]] = [[] for _ in parts]
    for at in features:
        grouped[at] = [next(splits) for _ in range(parts[at].shape[1])]
    return grouped


def _splits(columns: Floats, target: Target, trees: int, seed: int, n_jobs: int | None) -> list[tuple[Floats, Floats]]:
    """For each column where trees split it, ascending, and how much that gained."""
    try:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    except ImportError:
        raise MissingDependencyError.of("scikit-learn", "differences='forest'", "sklearn") from None
    made = RandomForestRegressor if target.classes is None else RandomForestClassifier
    largest = np.abs(columns).max(axis=0, initial=0.0)
    extreme = (largest > 1e30) | ((largest > 0) & (largest < 1e-30))  # trees split floats of 32 bits
    unit = np.where(extreme, largest, 1.0)
    weights = target.weights if target.weights.any() else None
    forest = made(trees, random_state=seed, n_jobs=n_jobs or -1).fit(columns / unit, target.values, weights)
    feature, steps, gains = [], [], []
    for each in forest.estimators_:
        tree = each.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        mass = tree.weighted_n_node_samples * tree.impurity
        feature.append(tree.feature[inner])
        steps.append(tree.threshold[inner])
        gains.append(np.maximum(mass[inner] - mass[left] - mass[right], 0.0) / tree.weighted_n_node_samples[0])
    of, at, gain = (np.concatenate(each) for each in (feature, steps, gains))
    return [_few(at[of == j] * unit[j], gain[of == j]) for j in range(columns.shape[1])]


def _few(steps: Floats, gains: Floats) -> tuple[Floats, Floats]:
    """The same steps in order, joined where they are too many to keep."""
    places, at = np.unique(steps, return_inverse=True)
    gains = np.bincount(at, weights=gains, minlength=len(places)).astype(np.float64)
    if len(places) <= MOST_STEPS:
        return places, gains
    climbed = np.cumsum(gains)
    group = np.minimum((climbed / climbed[-1] * MOST_STEPS).astype(np.intp), MOST_STEPS - 1)
    first = np.unique(group, return_index=True)[1]
    return places[first], np.add.reduceat(gains, first)


def _median_sum(differences: list[Difference], columns: list[tuple[str, Kind, Column]]) -> float:
    """The median of the sum of differences over pairs of some cases."""
    total: Any = 0.0
    for difference, (name, kind, column) in zip(differences, columns, strict=True):
        fitted = difference.fit(column, FitContext(name, kind))
        values = fitted.encode(column)
        total = total + fitted.block(values, values)
    return float(np.median(total[~np.eye(len(total), dtype=bool)])) if len(total) > 1 else 1.0


def _mean(difference: Difference, name: str, kind: Kind, column: Column) -> float:
    """The mean difference over pairs of some cases."""
    fitted = difference.fit(column, FitContext(name, kind))
    values = fitted.encode(column)
    return float(fitted.block(values, values).mean()) if len(values) else 0.0


@dataclass(frozen=True)
class BentFold:
    """Cases that are left out, and a problem whose axes were bent without them."""

    rows: NDArray[np.intp]
    problem: Problem
    weights: Global

    def searched_under(self, model: Model, n_threads: int) -> Fold:
        """These cases as they ask among all, with the factors of the stored cases."""
        factors = together_factors(model.case_factors, model.local)
        distance = Distance(self.problem.metric, trusting(self.weights, factors, self.problem), self.problem.stored)
        return Fold(self.rows, plan(distance, "auto", n_threads).engine, self.problem.cases.take(self.rows))


def bend(
    problem: Problem, weights: Weights, weighting: Weighting, measured: Callable[[Any], Problem], random_state: Any,
    n_jobs: int | None,
) -> tuple[dict[str, Difference], Problem, Global, tuple[BentFold, ...]]:  # fmt: skip
    """Differences, the problem measured by them, its weights, and the folds with axes that were bent without them."""
    seed = seed_of(random_state)
    whole = learn_bends(problem, weights.importances, TREES, seed, n_jobs)
    folds, out = folds_of(problem, seed), []
    for fold in progress(range(int(folds.max(initial=0)) + 1), FOLDS, "bending axes"):
        inner, left = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(inner):
            continue
        own = type(weighting)(**weighting.get_params(deep=False)).learn(problem.take(inner)).importances
        bends = learn_bends(problem, own, TREES_OF_A_FOLD, seed + 1 + fold, n_jobs, inner)
        out.append(BentFold(left, measured(bends.differences), bends.weights))
    return whole.differences, measured(whole.differences), whole.weights, tuple(out)


def folds_of(problem: Problem, seed: int) -> NDArray[np.int32]:
    """(n,) the fold of each case, drawn by content."""
    return shuffled_folds(problem.metric, problem.cases, problem.target, min(FOLDS, len(problem.table)), seed)
