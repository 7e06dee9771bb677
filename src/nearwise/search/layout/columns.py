"""What the cases of a distance become for the core: columns of numbers, symbol codes and embedded values.

A feature whose difference, to the power of the distance, is that of two vectors (value differences, say) becomes
several columns, which the core joins: their terms are added up before they are multiplied by the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.base import Fitted
from nearwise.differences.metric import Measured, Metric
from nearwise.differences.shares import SharesFitted
from nearwise.search.base import Distance
from nearwise.weights import PerClass, PerValue

__all__ = ["Layout", "asks_left_out", "by_class", "columns_of", "packed"]


@dataclass(frozen=True)
class Layout:
    """Which columns of the core a feature becomes: one, or one a class where it is embedded."""

    embedded: tuple[Fitted | None, ...]
    """a feature each: what embeds it"""
    feature: NDArray[np.intp]
    """(columns,) the feature of each column"""
    joined: NDArray[np.uint8]
    """(columns,) 1 where a column belongs to the same feature as the one before it"""

    @classmethod
    def of(cls, metric: Metric) -> Layout:
        embedded = tuple(
            m.fitted if m.fitted.embeds and m.fitted.embeds_at == metric.p else None for m in metric.measures
        )
        widths = [1 if e is None else e.embed(np.zeros(1, dtype=np.int32)).shape[1] for e in embedded]
        feature = np.repeat(np.arange(len(widths)), widths)
        return cls(embedded, feature, np.concatenate([[0], np.diff(feature) == 0]).astype(np.uint8)[: len(feature)])

    def packed(self, cases: Measured) -> NDArray[np.float64]:
        """(columns, n) numbers, symbol codes and embedded values alike as doubles, NaN where missing."""
        if not any(self.embedded):
            return packed(cases)
        out = np.empty((len(self.feature), len(cases)))
        for f, (column, fitted) in enumerate(zip(cases.columns, self.embedded, strict=True)):
            rows = self.feature == f
            out[rows] = column.values if fitted is None else fitted.embed(column.values).T
            if column.missing is not None:
                out[np.ix_(rows, column.missing)] = np.nan
        return out


def columns_of(cases: Measured, is_symbol: NDArray[np.uint8]) -> list[NDArray[Any]]:
    """A column a feature, without a copy where there is no need: numbers, NaN where missing, and codes, then -1."""
    out = []
    for column, symbol in zip(cases.columns, is_symbol, strict=True):
        values = column.values
        if column.missing is not None and (symbol or not np.isnan(values[column.missing]).all()):
            values = np.where(column.missing, -1 if symbol else np.nan, values)
        out.append(np.ascontiguousarray(values, dtype=np.int32 if symbol else np.float64))
    return out


def packed(cases: Measured) -> NDArray[np.float64]:
    """(p, n) numbers and symbol codes alike as doubles, NaN where missing."""
    out = np.empty((len(cases.columns), len(cases)))
    for row, column in zip(out, cases.columns, strict=True):
        row[:] = column.values
        if column.missing is not None:
            row[column.missing] = np.nan
    return out


def by_class(distance: Distance) -> NDArray[np.int64]:
    """(n,) the cases by class, where weights are; else as they stand."""
    classes = distance.stored.classes
    weights = distance.weights
    if classes is not None and (isinstance(weights, PerClass) or (isinstance(weights, PerValue) and weights.classes)):
        return np.argsort(classes, kind="stable").astype(np.int64)
    return np.arange(len(distance.stored), dtype=np.int64)


def asks_left_out(metric: Metric, queries: Measured) -> bool:
    """Whether the queries are stored cases that ask without their own labels."""
    pairs = zip(metric.measures, queries.columns, strict=True)
    return any(isinstance(m.fitted, SharesFitted) and m.fitted.asks(q.values) for m, q in pairs)
