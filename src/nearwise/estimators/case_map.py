r"""A map of the stored cases: points on a plane, as far apart as the cases are, as far as two directions can tell.

Classical scaling of the distances d among s cases: with :math:`J = I - 1/s`, the two largest eigenvalues of
:math:`-\tfrac12 J\,d^2 J` and their vectors give the coordinates :math:`v_i \sqrt{\lambda_i}`. A query with distances
:math:`d_q` to these cases is placed at :math:`\tfrac12 v_i^T(\overline{d^2} - d_q^2) / \sqrt{\lambda_i}` (landmark
scaling), where a case itself would be. Distances of two directions (weights by class, say) count by their mean;
infinite ones as the largest finite one. Beyond ``most`` cases a sample is drawn, by the content of the cases.

References: torgerson1952; desilva2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.frames import frame_of
from nearwise.charts.dots import Dot, dot_map
from nearwise.errors import InputError, check_whole
from nearwise.estimators.filtered import part_of_engine
from nearwise.explain.briefly import brief
from nearwise.rendering import Picture
from nearwise.statistics.draws.folds import drawn_cases

if TYPE_CHECKING:
    from nearwise.differences.metric import Measured
    from nearwise.estimators.base import Neighbors
    from nearwise.estimators.model import Model

__all__ = ["MOST", "CaseMap", "case_map"]

Floats = NDArray[np.float64]
MOST = 500
"""cases on a map, unless another number is asked for: as many as can be told apart"""


@dataclass(frozen=True)
class CaseMap:
    """Stored cases as points; notebooks show the picture."""

    coordinates: Floats
    """(s, 2)"""
    cases: NDArray[np.intp]
    """(s,) which stored cases they are"""
    labels: tuple[Any, ...]
    """what the table calls each"""
    groups: tuple[Any, ...]
    """the class of each; empty where there are none"""
    kept: float
    """how much of the squared distances two directions tell, from 0 to 1"""
    stored: int
    """how many cases there are in all"""
    queries: Floats
    """(m, 2) where queries lie"""
    query_labels: tuple[Any, ...] = ()

    def to_frame(self) -> Any:
        """One row for each case on the map."""
        x, y = self.coordinates.T.tolist()
        groups = {"class": list(self.groups)} if self.groups else {}
        return frame_of({"case": list(self.labels), "x": x, "y": y, **groups})

    def plot(self, title: str = "Similar cases are near each other") -> Picture:
        """The map as a picture; cases and queries name themselves under the pointer."""
        groups = [brief(group) for group in self.groups] or [""] * len(self.cases)
        dots = [
            Dot(float(x), float(y), f"case {brief(label)}{f': {group}' if group else ''}", group)
            for (x, y), label, group in zip(self.coordinates, self.labels, groups, strict=True)
        ]
        dots += [
            Dot(float(x), float(y), f"query {brief(label)}", is_asked=True)
            for (x, y), label in zip(self.queries, self.query_labels, strict=True)
        ]
        shown = f"{len(self.cases):,} of {self.stored:,} cases" if len(self.cases) < self.stored else "All cases"
        told = [f"{shown}; two directions tell {self.kept:.0%} of the squared distances."]
        return Picture(title, dot_map(dots, title, told))

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def case_map(estimator: Neighbors, X: Any, most: int) -> CaseMap:
    """The map of the stored cases, and of queries among them."""
    check_whole("most", most, 2)
    model = estimator._fitted()
    if len(model.table) < 2:
        raise InputError("A map needs two stored cases, and there is one.")
    rows = drawn_cases(model.problem.metric, model.problem.cases, model.target, most)
    squares = _squares(model, model.problem.cases.take(rows), rows, rows)
    largest = squares[np.isfinite(squares)].max(initial=0.0)
    squares = np.where(np.isfinite(squares), squares, largest)
    squares = (squares + squares.T) / 2
    np.fill_diagonal(squares, 0.0)
    vectors, roots, kept = _directions(squares)
    queries, labels = np.empty((0, 2)), ()
    if X is not None:
        table, asked, _ = estimator._asked(X, model)
        away = _squares(model, asked, rows, None)
        away = np.where(np.isfinite(away), away, largest)
        unit = np.where(roots > 0, 1 / np.where(roots > 0, roots, 1), 0.0)
        queries = (squares.mean(axis=0) - away) / 2 @ vectors * unit
        labels = tuple(table.label(j) for j in range(len(table)))
    groups = () if model.target.classes is None else tuple(model.target.classes[model.target.values[rows]].tolist())
    named = tuple(model.table.label(int(i)) for i in rows)
    return CaseMap(vectors * roots, rows, named, groups, kept, len(model.table), queries, labels)


def _squares(model: Model, queries: Measured, rows: NDArray[np.intp], itself: NDArray[np.intp] | None) -> Floats:
    """(m, s) squared distances of queries to some of the stored cases."""
    engine = model.engine.settled(queries, itself)
    sums = part_of_engine(engine, rows).sums(queries)
    factors = model.query_factors(model.engine, queries, itself)
    with np.errstate(over="ignore"):
        return np.asarray(np.square(model.problem.metric.root(sums) * factors[:, None]))


def _directions(squares: Floats) -> tuple[Floats, Floats, float]:
    """(s, 2) unit vectors, (2,) the roots of their eigenvalues, and the share of the squares that they keep.

    A vector may as well point the other way: its largest entry is made positive.
    """
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    from scipy.linalg import eigh  # only where a map is drawn

    # all values, but the vectors of the two largest only: a tenth of the time, and the explorer draws while one drags
    values, size = np.linalg.eigvalsh(-centred / 2), len(squares)
    found, vectors = eigh(-centred / 2, subset_by_index=[size - 2, size - 1], driver="evr", check_finite=False)
    held, vectors = np.maximum(found[::-1], 0.0), vectors[:, ::-1]
    vectors = vectors * np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(2)] < 0, -1.0, 1.0)
    positive = float(np.maximum(values, 0.0).sum())
    return vectors, np.sqrt(held), float(held.sum() / positive) if positive > 0 else 1.0
