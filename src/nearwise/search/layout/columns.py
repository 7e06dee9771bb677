"""What the features of a metric become for the core: columns of numbers, symbol codes and embedded values.

A feature whose difference, to the power of the distance, is that of two vectors (value differences, say) becomes
several columns, which the core joins: their terms are added up before they are multiplied by the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.base import Fitted
from nearwise.differences.metric import Measured, Metric
from nearwise.differences.shares import SharesFitted
from nearwise.search.base import Floats

__all__ = ["KINDS", "Layout", "asks_left_out", "packed", "typed"]

KINDS = {"line": 0, "overlap": 1, "circle": 2}
"""forms of differences that are one column of the core"""


@dataclass(frozen=True)
class Layout:
    """Which columns of the core each feature becomes: one, or one for each number of the vector that embeds it."""

    metric: Metric
    embedded: tuple[Fitted | None, ...]
    """for each feature what embeds it"""
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
        joined = np.concatenate([[0], np.diff(feature) == 0]).astype(np.uint8)[: len(feature)]
        return cls(metric, embedded, feature, joined)

    @property
    def joins(self) -> bool:
        """Whether any feature is embedded."""
        return any(self.embedded)

    @cached_property
    def is_symbol(self) -> NDArray[np.uint8]:
        """(columns,) 1 where values are equal or not, 0 where they are numbers"""
        return self.metric.is_overlap[self.feature]

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """(columns,) which of `KINDS` each is; embedded values are numbers on a line"""
        forms = [self.metric.measures[f].fitted.form for f in self.feature]
        return np.array([KINDS.get(form, 0) for form in forms], dtype=np.uint8)

    @cached_property
    def periods(self) -> Floats:
        """(columns,) the length of the circle that values lie on; 0 where they lie on none"""
        fitted: list[Any] = [self.metric.measures[f].fitted for f in self.feature]
        return np.array([each.period if each.form == "circle" else 0.0 for each in fitted], dtype=np.float64)

    @cached_property
    def one(self) -> Floats:
        """(columns,) what a missing value differs by; of columns that are joined, the first says it."""
        return np.where(self.joined == 0, self.metric.one[self.feature], 0.0)

    @cached_property
    def both(self) -> Floats:
        """(columns,) the same where both values are missing"""
        return np.where(self.joined == 0, self.metric.both[self.feature], 0.0)

    def coefficients(self, values: Any) -> Floats:
        """(rows, columns) weights of features over their units."""
        return np.ascontiguousarray((np.atleast_2d(np.asarray(values)) * self.metric.scales())[:, self.feature])

    def packed(self, cases: Measured) -> Floats:
        """(columns, n) numbers, symbol codes and embedded values alike as doubles, NaN where missing."""
        if not self.joins:
            return packed(cases)
        out = np.empty((len(self.feature), len(cases)))
        for f, (column, fitted) in enumerate(zip(cases.columns, self.embedded, strict=True)):
            rows = self.feature == f
            out[rows] = column.values if fitted is None else fitted.embed(column.values).T
            if column.missing is not None:
                out[np.ix_(rows, column.missing)] = np.nan
        return out

    def on_circles(self, cases: Measured) -> Floats:
        """The same with numbers on a circle from 0 to its length."""
        out = self.packed(cases)
        for at in np.flatnonzero(self.periods):
            out[at] = np.mod(out[at], self.periods[at])
        return out

    def columns(self, cases: Measured) -> list[NDArray[Any]]:
        """The columns one by one, without a copy where there is no need: numbers, NaN where missing; codes, then -1."""
        out: list[NDArray[Any]] = []
        for f, (column, fitted) in enumerate(zip(cases.columns, self.embedded, strict=True)):
            if fitted is not None:
                rows = fitted.embed(column.values).T
                out += list(rows if column.missing is None else np.where(column.missing, np.nan, rows))
                continue
            values, symbol = column.values, self.metric.is_overlap[f]
            if column.missing is not None and (symbol or not np.isnan(values[column.missing]).all()):
                values = np.where(column.missing, -1 if symbol else np.nan, values)
            out.append(np.asarray(values, dtype=np.int32 if symbol else np.float64))
        return [np.ascontiguousarray(each) for each in out]


def typed(rows: Floats, is_symbol: NDArray[Any]) -> list[NDArray[Any]]:
    """Packed columns one by one, those of symbols as codes, -1 where missing."""
    return [
        np.where(np.isnan(row), -1, row).astype(np.int32) if symbol else np.ascontiguousarray(row)
        for row, symbol in zip(rows, is_symbol, strict=True)
    ]


def packed(cases: Measured) -> Floats:
    """(p, n) numbers and symbol codes alike as doubles, NaN where missing."""
    out = np.empty((len(cases.columns), len(cases)))
    for row, column in zip(out, cases.columns, strict=True):
        row[:] = column.values
        if column.missing is not None:
            row[column.missing] = np.nan
    return out


def asks_left_out(metric: Metric, queries: Measured) -> bool:
    """Whether the queries are stored cases that ask without their own labels."""
    pairs = zip(metric.measures, queries.columns, strict=True)
    return any(isinstance(m.fitted, SharesFitted) and m.fitted.asks(q.values) for m, q in pairs)
