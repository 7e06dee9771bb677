"""What methods over counts share: which kinds can be counted, how numbers are cut, one number a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.cuts import Cuts, find_cuts
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic
from nearwise.cases.summary import TableSummary
from nearwise.cases.target import BINS
from nearwise.errors import InputError, check_whole
from nearwise.search.threads import side_by_side
from nearwise.statistics.counts.contingency import Contingency
from nearwise.statistics.counts.intervals import IntervalCounts
from nearwise.statistics.counts.values import PerFeature, ValueCounts, count_columns, count_values
from nearwise.weighting.base import Mergeable, Problem, with_parameters
from nearwise.weighting.served import COUNTED, COUNTED_NEEDS
from nearwise.weights import Global, Weights

__all__ = ["Countable", "Counted", "Cut", "Discretised", "require_countable"]

Array = NDArray[np.float64]


LARGE = 1 << 22
"""values of a table from which counts are made feature by feature and not kept: those of numbers are as large as it"""


class WhenAsked:
    """Statistics of features that are made when they are asked for, and gone when they were used."""

    def __init__(self, made: Callable[[int], Any], features: int) -> None:
        self.made, self.features = made, features

    def __len__(self) -> int:
        return self.features

    def __getitem__(self, f: int) -> Any:
        return self.made(f)


def is_countable(kind: Kind) -> bool:
    """Whether values of a kind occur more than once, as they are or by intervals."""
    return isinstance(kind, Numeric | Cyclic | Symbolic | Ordinal)


def require_countable(method: str, schema: Mapping[str, Kind]) -> None:
    """Refuse kinds of which almost every value occurs once."""
    for name, kind in schema.items():
        if not is_countable(kind):
            raise InputError(
                f"The weighting {method!r} counts values, and almost every value of feature {name!r} ({kind.name}) "
                f"occurs once: use 'mdw', which works for any kind, or leave the feature out: ignore=[{name!r}]."
            )


class Discretised:
    """The values of a feature as intervals: ``cuts``, and the interval of each entry of its counts."""

    def __init__(self, counts: ValueCounts, kind: Kind, name: str, how: Any, bins: int) -> None:
        apart = counts.n_values == len(counts.value_at)  # the usual continuous feature
        values = counts.values if apart else counts.values[counts.value_at]
        classes = counts.class_at
        weights: Any = counts.cases if counts.weights is None else counts.weights
        if counts.weights is None and (counts.cases == 1).all():
            weights = None
        if isinstance(kind, Cyclic):
            values = np.mod(values, kind.period)
            order = np.argsort(values, kind="stable")
            values, classes, weights = values[order], classes[order], None if weights is None else weights[order]
        self.kind = kind
        self.cuts = find_cuts(how, bins, name, values, classes, weights)
        side: Literal["left", "right"] = "left" if self.cuts.closed == "left" else "right"
        bounds = [0, *np.searchsorted(values, self.cuts.edges, side).tolist(), len(values)]
        c = counts.n_classes
        rows = [
            np.bincount(classes[a:b], weights=None if weights is None else weights[a:b], minlength=c)
            for a, b in pairwise(bounds)
        ]
        self.table: Array = np.array(rows, dtype=np.float64).reshape(len(self.cuts), c)

    def place(self, values: Array) -> NDArray[Any]:
        """(n,) the interval of each number."""
        return self.cuts.place(np.mod(values, self.kind.period) if isinstance(self.kind, Cyclic) else values)


def interval_counts(table: Array, missing: Array) -> Contingency:
    """(v, c) cases by interval and class, with a row for the missing value."""
    return Contingency.of_table(np.vstack([table, missing]))


class Countable(Mergeable):
    """A weighting over `PerFeature` counts by class, of the kinds that can be counted."""

    kinds = COUNTED
    needs = COUNTED_NEEDS

    others: str = "refuse"
    """what a feature gets whose values cannot be counted: an error ("refuse") or the mean weight ("mean")"""
    merges_exactly = True

    def checked(self, statistics: PerFeature, features: tuple[str, ...]) -> PerFeature:
        named = zip(statistics, features, strict=True)
        return PerFeature(counts.bounded(name) if isinstance(counts, ValueCounts) else counts for counts, name in named)

    def _partial(self, problem: Problem) -> PerFeature:
        self._check_others(problem)
        as_value = [m.as_value for m in problem.metric.measures]  # a missing value (Reading I6)
        return PerFeature(count_columns(problem.table.columns, problem.target, as_value))

    def _check_others(self, problem: Problem) -> None:
        if self.others not in ("refuse", "mean"):
            raise InputError(f"others={self.others!r}: expected 'refuse' or 'mean'.")
        if self.others == "refuse":
            require_countable(self.id, problem.table.schema)


class Counted(Countable):
    """A weighting whose weight is one number of the table of values and classes, feature by feature.

    Write `_weigh`. Symbols and levels are counted by value, numbers by the interval that ``discretise`` and ``bins``
    put them into (see `find_cuts`).
    """

    one_by_one: ClassVar[bool] = True
    """whether each weight takes the counts of its own feature only"""
    discretise: Any
    bins: int

    @abstractmethod
    def _weigh(self, table: Contingency) -> float:
        """The formula; the table has at least two rows that occur."""

    def _partial(self, problem: Problem) -> PerFeature:
        self._check(problem)
        return super()._partial(problem)

    def _check(self, problem: Problem) -> None:
        self._check_others(problem)
        check_whole("bins", self.bins, 1)
        if isinstance(self.discretise, Mapping):
            unknown = [name for name in self.discretise if name not in problem.features]
            if unknown:
                raise InputError(
                    f"discretise names {unknown[0]!r}, which is not a feature: there are {', '.join(problem.features)}."
                )

    def _learn(self, problem: Problem) -> Weights:
        if not self.one_by_one or len(problem.table) * len(problem.features) < LARGE:
            return super()._learn(problem)
        self._check(problem)
        vars(self).pop("_statistics", None)  # an update counts anew, as it does in a model that was loaded
        return self._finish(WhenAsked(lambda f: self._counted(problem, f), len(problem.features)), problem)

    def _counted(self, problem: Problem, f: int) -> ValueCounts | IntervalCounts:
        """The counts of one feature; of numbers by intervals of equal width or by hand without sorting them."""
        column, name, target = problem.table.columns[f], problem.features[f], problem.target
        kind, as_value = problem.table.schema[name], problem.metric.measures[f].as_value
        how = self.discretise.get(name, "mdl") if isinstance(self.discretise, Mapping) else self.discretise
        sorts = isinstance(how, str) and how in ("mdl", "frequency")
        if column.levels is not None or not is_countable(kind) or sorts or not target.weighs_one:
            return count_values(column, target, as_value)
        values = column.values[~column.missing] if column.missing.any() else column.values
        values = np.mod(values, kind.period) if isinstance(kind, Cyclic) else values
        return IntervalCounts.of(column, kind, find_cuts(how, self.bins, name, values), target, as_value)

    def _finish(self, statistics: Any, problem: Problem) -> Weights:
        schema = problem.table.schema

        def weigh(f: int) -> float:
            name = problem.features[f]
            if not is_countable(schema[name]):
                return np.nan
            table = self._table(statistics[f], schema[name], name)
            return self._weigh(table) if table.n_rows > 1 else 0.0

        found = np.array(side_by_side(weigh, range(len(statistics)), len(problem.table)))
        countable = ~np.isnan(found)
        return Global(np.where(countable, found, found[countable].mean() if countable.any() else 1.0), problem.features)

    def agreed(self, summary: TableSummary) -> tuple[Cuts | None, ...]:
        """The cuts of numbers into intervals of equal width or by hand; None where every value is counted."""
        found: list[Cuts | None] = []
        for (name, kind), column in zip(summary.schema.items(), summary.columns, strict=True):
            how = self.discretise.get(name, "mdl") if isinstance(self.discretise, Mapping) else self.discretise
            counted = column.levels is not None or not is_countable(kind) or how in ("mdl", "frequency")
            found.append(None if counted else find_cuts(how, self.bins, name, column.turned))
        return tuple(found)

    def partial(self, problem: Problem, agreed: Any = None) -> PerFeature:
        """Counts of a part; numbers by the intervals that were agreed on."""
        self._check(problem)
        one: list[ValueCounts | IntervalCounts] = []
        columns = zip(problem.table.columns, problem.table.schema.values(), problem.metric.measures, strict=True)
        for (column, kind, measure), cuts in zip(columns, agreed or [None] * len(problem.features), strict=True):
            if cuts is None:
                one.append(count_values(column, problem.target, measure.as_value))
            else:
                one.append(IntervalCounts.of(column, kind, cuts, problem.target, measure.as_value))
        return PerFeature(one)

    def _table(self, counts: Any, kind: Kind, name: str) -> Contingency:
        """Values or intervals by class, with a row for the missing value where it counts as one."""
        if isinstance(counts, IntervalCounts):
            return interval_counts(counts.table, counts.missing)
        if counts.storage != "symbol":
            found = Discretised(counts, kind, name, self.discretise, self.bins)
            return interval_counts(found.table, counts.missing)
        row_at, column_at, weights = counts.value_at, counts.class_at, counts.entry_weights
        if counts.missing.any():
            c = counts.n_classes
            row_at = np.concatenate([row_at, np.full(c, counts.n_values)])
            column_at = np.concatenate([column_at, np.arange(c)])
            weights = np.concatenate([weights, counts.missing])
        return Contingency.of(row_at, column_at, weights, counts.n_values + 1, counts.n_classes)


@with_parameters
class Cut(Counted):
    """The usual parameters: how numbers are cut, and into how many classes a target that is a number is."""

    numbers = "binned"

    discretise: Any = "width"
    bins: int = 8
    target_bins: int = BINS
