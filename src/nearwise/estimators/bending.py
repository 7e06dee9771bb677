r"""Axes bent by a forest: how much gain the splits of its trees put between two values of a feature.

.. math:: \delta_f(x, q) = \frac{1}{m_G} \sum_{\text{splits of } f \text{ between } x \text{ and } q} \text{gain}
          + \frac{w_f}{m_Q} |r_f(x) - r_f(q)|

r is the share of the stored cases below a value (for symbols their shares of the target), w the gain ratio (or the
correlation, where the target is a number), and m_G, m_Q the median of each sum over pairs of cases. Every feature adds
its own part, so the distance is explained as any other. The forest is scikit-learn's, grown in parts: each fold of the
cases has trees that never saw it. A case that is left out asks along the axes that those trees bend, so that leaving
one out is honest; all trees together bend the axes for new cases.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.answers.answering import Fold
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Kind, Numeric, Ordinal, Symbolic
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.base import Difference, FitContext
from nearwise.differences.bent import BentNumber, BentSymbol
from nearwise.differences.numeric import ranks
from nearwise.differences.shares import Shares, SharesFitted
from nearwise.errors import MissingDependencyError
from nearwise.estimators.model import Model, together_factors, trusting
from nearwise.progress import progress
from nearwise.search import Distance, plan
from nearwise.search.base import Floats, Ints
from nearwise.statistics.draws.feature_words import feature_words
from nearwise.statistics.draws.folds import drawn_cases, shuffled_folds
from nearwise.statistics.draws.seeds import seed_of
from nearwise.weighting import Problem, Weighting
from nearwise.weighting.selecting import case_order
from nearwise.weights import Global, Weights

__all__ = ["Bends", "BentFold", "bend"]

FOLDS = 5
TREES_OF_A_FOLD = 25
FEW_VALUES = 12
"""values up to which a symbol has a column for each in the forest"""
MOST_STEPS = 1_000
KNOTS = 257
SAMPLE = 300
"""cases whose pairs give the medians"""


@dataclass(frozen=True)
class Steps:
    """Where trees split a column, ascending, and how much that gained."""

    places: Floats
    gains: Floats

    @classmethod
    def of(cls, places: Floats, gains: Floats) -> Steps:
        """The same steps in order, joined where they are too many to keep."""
        places, at = np.unique(places, return_inverse=True)
        gains = np.bincount(at, weights=gains, minlength=len(places)).astype(np.float64)
        if len(places) <= MOST_STEPS:
            return cls(places, gains)
        climbed = np.cumsum(gains)
        group = np.minimum((climbed / climbed[-1] * MOST_STEPS).astype(np.intp), MOST_STEPS - 1)
        first = np.unique(group, return_index=True)[1]
        return cls(places[first], np.add.reduceat(gains, first))

    def climbed(self, values: Floats) -> Floats:
        """(n,) the gains below each value."""
        return np.concatenate([[0.0], np.cumsum(self.gains)])[np.searchsorted(self.places, values, side="left")]


Splits = dict[Hashable, Steps]
"""for each column that the forest sees of a feature"""


class _Number:
    """A number, or the rank of a level: one column of the forest."""

    def __init__(self, column: Column) -> None:
        raw = self._raw(column)
        known = np.sort(raw[np.isfinite(raw)])
        self.middle = float(np.median(known)) if len(known) else 0.0
        places = np.unique(np.linspace(0, max(0, len(known) - 1), KNOTS).astype(np.intp))
        knots = np.unique(known[places]) if len(known) else np.zeros(1)
        below, upto = np.searchsorted(known, knots, "left"), np.searchsorted(known, knots, "right")
        self.knots, self.rank = knots, (below + upto) / 2 / max(1, len(known))
        self.names: tuple[Hashable, ...] = ("",)

    @staticmethod
    def _raw(column: Column) -> Floats:
        return np.asarray(column.values if column.levels is None else ranks(column), dtype=np.float64)

    def columns(self, column: Column) -> Floats:
        raw = self._raw(column)
        return np.where(np.isfinite(raw), raw, self.middle)[:, None]

    def heights(self, column: Column, splits: Splits) -> tuple[Floats, Floats]:
        """(n, ...) what the gains and the ranks make of each value."""
        known = np.nan_to_num(self._raw(column))
        return splits[""].climbed(known)[:, None], np.interp(known, self.knots, self.rank)[:, None]

    def bent(self, splits: Splits, by_gain: float, by_rank: float) -> Difference:
        steps = splits[""]
        return BentNumber(steps.places, by_gain * steps.gains, self.knots, by_rank * self.rank)


class _Symbol:
    """Columns of the forest: one for each value, or the shares of the target where values are many."""

    def __init__(self, name: str, kind: Kind, column: Column, target: Target, by_value: bool) -> None:
        fitted = Shares().fit(column, FitContext(name, kind, target, policy="value"))
        assert isinstance(fitted, SharesFitted)
        self.fitted = fitted
        n = len(fitted.rows)
        self.table = np.eye(n) if by_value else fitted.rows
        """(v + 2, columns) what the forest sees of each level"""
        values = tuple(("value", level) for level in fitted.coding.levels)
        self.names = (*values, "missing", "new") if by_value else tuple(range(fitted.rows.shape[1]))

    def columns(self, column: Column) -> Floats:
        return np.asarray(self.table[self.fitted.encode(column)])

    def _climbed(self, splits: Splits) -> Floats:
        """(v + 2, columns)"""
        return np.column_stack([splits[n].climbed(seen) for n, seen in zip(self.names, self.table.T, strict=True)])

    def heights(self, column: Column, splits: Splits) -> tuple[Floats, Floats]:
        codes = self.fitted.encode(column)
        return self._climbed(splits)[codes], self.fitted.rows[codes]

    def bent(self, splits: Splits, by_gain: float, by_rank: float) -> Difference:
        rows = np.column_stack([by_gain * self._climbed(splits), by_rank * self.fitted.rows])
        used = np.ptp(rows, axis=0) > 0
        return BentSymbol(self.fitted.coding.levels, rows[:, used] if used.any() else rows[:, :1])


_Axis = _Number | _Symbol
Axes = dict[int, _Axis]
"""by the number of the feature; there is none for kinds that no forest can bend"""


def _axes(table: CaseTable, target: Target, by_value: dict[int, bool]) -> Axes:
    out: Axes = {}
    for f, ((name, kind), column) in enumerate(zip(table.schema.items(), table.columns, strict=True)):
        if isinstance(kind, Numeric | Ordinal):
            out[f] = _Number(column)
        elif isinstance(kind, Symbolic) and kind.tree is None:  # a tree is known better than a forest can guess it
            out[f] = _Symbol(name, kind, column, target, by_value[f])
    return out


class _Forest:
    """Trees over some of the cases of a problem.

    They see cases and features in an order that the values of the whole table give, so that their draws do not hang on
    where these stand.
    """

    def __init__(self, problem: Problem, n_jobs: int | None) -> None:
        self.problem, self.n_jobs = problem, n_jobs
        self.words = feature_words(problem.metric, problem.cases, problem.target)
        self.order = case_order(problem, 0)
        columns = zip(problem.table.schema.values(), problem.table.columns, strict=True)
        self.by_value = {f: len(column.levels or ()) <= FEW_VALUES for f, (_, column) in enumerate(columns)}

    def axes(self, rows: Ints) -> Axes:
        """What the forest sees of each feature, from the cases ``rows``."""
        return _axes(self.problem.table.take(rows), self.problem.target.take(rows), self.by_value)

    def grown(self, axes: Axes, rows: Ints, trees: int, seed: int) -> dict[int, Splits]:
        """Where trees over the cases ``rows`` split each feature."""
        if not axes:
            return {}
        within = np.zeros(len(self.order), dtype=bool)
        within[rows] = True
        cases = self.order[within[self.order]]
        features = sorted(axes, key=lambda f: self.words[f])
        table = self.problem.table.take(cases)
        columns = np.hstack([axes[f].columns(table.columns[f]) for f in features])
        steps = iter(_splits(columns, self.problem.target.take(cases), trees, seed, self.n_jobs))
        return {f: {name: next(steps) for name in axes[f].names} for f in features}


def _splits(columns: Floats, target: Target, trees: int, seed: int, n_jobs: int | None) -> Iterator[Steps]:
    """For each column where trees split it."""
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
    feature, places, gains = [], [], []
    for each in forest.estimators_:
        tree = each.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        mass = tree.weighted_n_node_samples * tree.impurity
        feature.append(tree.feature[inner])
        places.append(tree.threshold[inner])
        gains.append(np.maximum(mass[inner] - mass[left] - mass[right], 0.0) / tree.weighted_n_node_samples[0])
    of, at, gain = (np.concatenate(each) for each in (feature, places, gains))
    return (Steps.of(at[of == j] * unit[j], gain[of == j]) for j in range(columns.shape[1]))


def _joined(axes: Axes, parts: list[dict[int, Splits]]) -> dict[int, Splits]:
    """The splits of all trees, wherever they grew."""

    def of(f: int, name: Hashable) -> Steps:
        there = [part[f][name] for part in parts if name in part[f]]
        nothing = np.zeros(0)
        return Steps.of(
            np.concatenate([nothing, *(s.places for s in there)]), np.concatenate([nothing, *(s.gains for s in there)])
        )

    return {f: {name: of(f, name) for name in axis.names} for f, axis in axes.items()}


@dataclass(frozen=True)
class Bends:
    """What every feature is compared by, and how much those count that no forest can bend."""

    differences: dict[str, Difference]
    weights: Global

    @classmethod
    def of(cls, problem: Problem, axes: Axes, splits: dict[int, Splits], weights: Floats, sample: CaseTable) -> Bends:
        """``weights`` (p,) are for ranks; pairs of the cases in ``sample`` make gains and ranks count alike."""
        from scipy.spatial.distance import pdist

        own = weights / weights.mean() if weights.mean() > 0 else np.ones(len(weights))
        if not axes:
            return cls({}, Global(weights, problem.features))
        gaps = {
            f: [pdist(h, "cityblock") for h in axis.heights(sample.columns[f], splits[f])] for f, axis in axes.items()
        }
        by_gain = 1.0 / (_median(sum(gain for gain, _ in gaps.values())) or 1.0)
        by_rank = 1.0 / (_median(sum(own[f] * rank for f, (_, rank) in gaps.items())) or 1.0)
        pairs = max(1, len(sample)) ** 2 / 2
        out, found = by_rank * own, {}
        for f, axis in axes.items():
            gain, rank = gaps[f]
            # what a feature adds on average is its weight, so that weights say what counts
            mean = out[f] = float(by_gain * gain.sum() + by_rank * own[f] * rank.sum()) / pairs
            unit = mean if mean > 0 else 1.0
            found[problem.table.schema.names[f]] = axis.bent(splits[f], by_gain / unit, by_rank * own[f] / unit)
        return cls(found, Global(out, problem.features))


def _median(gaps: Any) -> float:
    return float(np.median(gaps)) if np.size(gaps) else 1.0


@dataclass(frozen=True)
class BentFold:
    """Cases that are left out, and a problem whose axes were bent without them."""

    rows: Ints
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
    seed, forest = seed_of(random_state), _Forest(problem, n_jobs)
    sample = problem.table.take(drawn_cases(problem.metric, problem.cases, problem.target, SAMPLE))
    folds, parts, out = folds_of(problem, seed), [], []
    for fold in progress(range(int(folds.max(initial=0)) + 1), FOLDS, "bending axes"):
        inner, left = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(inner):
            continue
        axes = forest.axes(inner)
        parts.append(forest.grown(axes, inner, TREES_OF_A_FOLD, seed + 1 + fold))
        own = type(weighting)(**weighting.get_params(deep=False)).learn(problem.take(inner)).importances
        bends = Bends.of(problem, axes, parts[-1], own, sample)
        out.append(BentFold(left, measured(bends.differences), bends.weights))
    everything = np.arange(len(problem.table))
    axes = forest.axes(everything)
    splits = _joined(axes, parts) if parts else forest.grown(axes, everything, TREES_OF_A_FOLD, seed)
    whole = Bends.of(problem, axes, splits, weights.importances, sample)
    return whole.differences, measured(whole.differences), whole.weights, tuple(out)


def folds_of(problem: Problem, seed: int) -> NDArray[np.int32]:
    """(n,) the fold of each case, drawn by content."""
    return shuffled_folds(problem.metric, problem.cases, problem.target, min(FOLDS, len(problem.table)), seed)
