"""What a weighting learns from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, Metric
from nearwise.statistics.draws.feature_words import feature_words
from nearwise.statistics.draws.folds import stratified_cases
from nearwise.weighting.sample import Drawn
from nearwise.weights import Stored

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """What a weighting learns from: typed cases, how they are measured, and the target."""

    table: CaseTable
    metric: Metric
    cases: Measured
    target: Target
    order: NDArray[np.intp] | None = None
    """(p,) where the user's table has each feature, if they are in another order here"""
    drawn: Drawn | None = None
    """which cases these are, if they are a sample"""
    means: tuple[NDArray[np.float64], ...] | None = None
    """of all cases where these are some of them, see `Stored`"""

    @classmethod
    def of(cls, table: CaseTable, target: Target, **settings: Any) -> Problem:
        metric = Metric.fit(table, target, **settings)
        return cls(table, metric, metric.measure(table), target)

    @property
    def features(self) -> tuple[str, ...]:
        return self.table.schema.names

    @property
    def asking(self) -> Measured:
        """The cases as queries, each without what its own label added to the differences."""
        return self.metric.asking(self.cases, self.target)

    @property
    def stored(self) -> Stored:
        codes = self.target.values if self.target.classes is not None else None
        return Stored(self.cases, codes, means=self.means)

    def take(self, rows: NDArray[np.intp]) -> Problem:
        table, cases = self.table.take(rows), self.cases.take(rows)
        return replace(self, table=table, cases=cases, target=self.target.take(rows))

    def sampled(self, size: int, seed: int) -> Problem:
        """The same with no more than so many of its cases, see `nearwise.weighting.sample`."""
        if np.count_nonzero(self.target.weights) <= size:
            return self
        rows = stratified_cases(self.metric, self.cases, self.target, size, seed)
        return replace(self.take(rows), drawn=Drawn(rows, len(self.table)))

    def by_case(self, given: Any) -> Any:
        """What the user gave with one entry per case of the table, for the cases here; anything else as it is."""
        return given if self.drawn is None else self.drawn.of_sample(given)

    def in_canonical_order(self) -> Problem:
        """The same with its features in an order that their values give, whatever their places and names."""
        order = np.argsort(feature_words(self.metric, self.cases, self.target), kind="stable")
        table, names = self.table, self.features
        schema = replace(table.schema, kinds={names[f]: table.schema[names[f]] for f in order})
        return Problem(
            replace(table, schema=schema, columns=tuple(table.columns[f] for f in order)),
            self.metric.of_features(order),
            self.cases.of_features(order),
            self.target,
            order,
            self.drawn,
        )

    def from_users(self, by_feature: Any) -> NDArray[Any]:
        """An array whose last axis has the features as the user's table has them, in the order here."""
        return np.asarray(by_feature) if self.order is None else np.take(by_feature, self.order, axis=-1)

    def to_users(self, by_feature: Any) -> NDArray[Any]:
        """An array whose last axis has the features in the order here, as the user's table has them."""
        return np.asarray(by_feature) if self.order is None else np.take(by_feature, np.argsort(self.order), axis=-1)
