r"""Numbers rotated into new axes before anything is measured: principal components, discriminants, NCA.

.. math:: z = A\,\frac{x - \bar x}{\sigma}

with the means and standard deviations of the training cases. The rows of A are, for PCA, the directions of largest
variance; for LDA those in which class means lie farthest apart, in units of the spread within classes; for NCA those
under which a random near neighbour is right most often. Features that are no numbers stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import product
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Numeric
from nearwise.cases.schema import Schema
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, MissingDependencyError, check_whole_or_none, warn
from nearwise.representation.base import Representation, Represented, with_columns

__all__ = ["LDA", "NCA", "PCA", "Rotated"]

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-10
"""share of the largest eigenvalue below which a direction is rounding"""


@dataclass(frozen=True)
class Rotated(Represented):
    """Numbers along new axes, named z1, z2, ... in the order of what they matter; other features as they are."""

    id = "rotation"
    features: tuple[str, ...]
    means: Floats
    deviations: Floats
    """(p,) infinite for a constant feature, which adds nothing"""
    axes: Floats
    """(new, p)"""
    names: tuple[str, ...]

    @property
    def names_out(self) -> tuple[str, ...]:
        return (*(name for name in self.schema.names if name not in self.features), *self.names)

    def apply(self, table: CaseTable) -> CaseTable:
        at = {name: f for f, name in enumerate(table.schema.names)}
        X = np.column_stack([table.columns[at[name]].values for name in self.features])
        scaled = (np.where(np.isnan(X), self.means, X) - self.means) / self.deviations
        new = product(scaled, np.ascontiguousarray(self.axes.T))
        kept = [name for name in table.schema.names if name not in self.features]
        made = {name: (Numeric(), Column(np.ascontiguousarray(z))) for name, z in zip(self.names, new.T, strict=True)}
        return with_columns(table, kept, made)

    def shared_out(self, importances: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number has of every axis as much as it adds to it."""
        kept = len(importances) - len(self.names)
        parts = np.abs(self.axes) / np.maximum(np.abs(self.axes).sum(axis=1, keepdims=True), np.finfo(float).tiny)
        given = iter(importances[:kept])
        shares = dict(zip(self.features, importances[kept:] @ parts, strict=True))
        return np.array([shares[name] if name in shares else next(given) for name in self.schema.names])

    def describe(self) -> str:
        lines = []
        for name, row in zip(self.names, self.axes, strict=True):
            order = np.argsort(-np.abs(row), kind="stable")[:3]
            told = " ".join(f"{row[f]:+.2f} {self.features[f]}" for f in order if row[f])
            lines.append(f"{name} = {told}{' ...' if np.count_nonzero(row) > 3 else ''}")
        return "; ".join(lines)

    def state(self) -> dict[str, Any]:
        return {
            "features": self.features, "means": self.means, "deviations": self.deviations, "axes": self.axes,
            "names": self.names,
        }  # fmt: skip

    @classmethod
    def restored(cls, schema: Schema, state: Mapping[str, Any]) -> Self:
        features, names = tuple(state["features"]), tuple(state["names"])
        means, deviations, axes = (np.asarray(state[n], dtype=np.float64) for n in ("means", "deviations", "axes"))
        p = len(features)
        if not all(isinstance(schema.get(name), Numeric) for name in features) or len(set(features)) != p:
            raise ValueError("the rotated features are no numbers")
        if means.shape != (p,) or deviations.shape != (p,) or axes.shape != (len(names), p) or not len(names):
            raise ValueError("the axes do not fit the features")
        if not (np.isfinite(means).all() and np.isfinite(axes).all() and (deviations > 0).all()):
            raise ValueError("the axes are no numbers")
        if len(set(names)) != len(names) or not all(isinstance(n, str) and n for n in names):
            raise ValueError("the axes have no names")
        return cls(schema, features, means, deviations, axes, names)


@dataclass(frozen=True)
class Rotation(Representation):
    """What all rotations share: numbers scaled by their deviation, and a warning that they lose their names."""

    prefix: ClassVar[str]
    n_components: int | None = None

    def fit(self, table: CaseTable, target: Target, seed: int = 0) -> Rotated:
        check_whole_or_none("n_components", self.n_components, 1, " or None for all directions")
        features = tuple(n for n, kind in table.schema.items() if isinstance(kind, Numeric) and kind.holds is None)
        if not features:
            raise InputError(f"representation={self.id!r} rotates numbers, and no feature is one: leave it out.")
        at = {name: f for f, name in enumerate(table.schema.names)}
        X = np.column_stack([table.columns[at[name]].values for name in features])
        means, deviations = _moments(X)
        scaled = (np.where(np.isnan(X), means, X) - means) / deviations
        axes = self._axes(scaled, target, seed)[: self.n_components]
        taken = set(table.schema.names) - set(features)
        names = _free_names(self.prefix, len(axes), taken)
        listed = ", ".join(repr(name) for name in features[:3]) + (" ..." if len(features) > 3 else "")
        warn(
            f"representation={self.id!r} puts {len(axes)} new features ({names[0]} ...) in place of {listed}: weights "
            "and explanations speak of mixtures, not of what was measured. describe() says what they are made of."
        )
        return Rotated(table.schema, features, means, deviations, axes, names)

    def _axes(self, X: Floats, target: Target, seed: int) -> Floats:
        """(new, p) of scaled numbers (n, p), most telling first."""
        raise NotImplementedError


@dataclass(frozen=True)
class PCA(Rotation):
    """Principal components of the numbers, each over its standard deviation; a missing number stands at the mean.

    Directions come by the variance along them, with their largest part positive. Distances count each component over
    its own range, as any number; ``scale="none"`` keeps lengths as they are after the rotation. Sample weights count.
    """

    id = "pca"
    prefix = "pc"

    def _axes(self, X: Floats, target: Target, seed: int) -> Floats:
        w = target.weights / max(float(target.weights.sum()), 1e-300)
        return _directions(product(np.ascontiguousarray((X * w[:, None]).T), X))


@dataclass(frozen=True)
class LDA(Rotation):
    """Linear discriminants: directions in which class means differ most, over the spread within classes.

    There are at most as many as classes less one. What does not vary within classes is left out of the spread's
    inverse, down to a small ridge. A target that is a number has no classes: it is refused.
    """

    id = "lda"
    prefix = "ld"

    def _axes(self, X: Floats, target: Target, seed: int) -> Floats:
        if target.classes is None:
            raise InputError(
                f"representation={self.id!r} needs classes, and there are none here: take 'pca', or KNNClassifier."
            )
        w = target.weights / max(float(target.weights.sum()), 1e-300)
        members = (target.values[:, None] == np.arange(target.n_classes)) * w[:, None]
        shares = members.sum(axis=0)
        means = product(np.ascontiguousarray(members.T), X) / np.where(shares > 0, shares, 1.0)[:, None]
        within = X - means[target.values]
        spread = product(np.ascontiguousarray((within * w[:, None]).T), within)
        between = product(np.ascontiguousarray((means * shares[:, None]).T), means)
        values, vectors = np.linalg.eigh(spread)
        whiten = vectors / np.sqrt(np.maximum(values, 0.0) + 1e-6 * max(float(values.max()), 1e-300))
        found = _directions(whiten.T @ between @ whiten)[: max(1, np.count_nonzero(shares) - 1)]
        return _signed(found @ whiten.T)


@dataclass(frozen=True)
class NCA(Rotation):
    """Neighbourhood components (Goldberger et al.), learned by scikit-learn from scaled numbers and classes."""

    id = "nca"
    prefix = "nc"
    max_iter: int = 50

    def _axes(self, X: Floats, target: Target, seed: int) -> Floats:
        if target.classes is None:
            raise InputError(
                f"representation={self.id!r} needs classes, and there are none here: take 'pca', or KNNClassifier."
            )
        if len(np.unique(target.values)) < 2:
            raise InputError(f"representation={self.id!r} needs cases of two classes: take 'pca'.")
        try:
            from sklearn.neighbors import NeighborhoodComponentsAnalysis
        except ImportError:
            raise MissingDependencyError.of("scikit-learn", "representation='nca'", "sklearn") from None
        learner = NeighborhoodComponentsAnalysis(
            n_components=None if self.n_components is None else min(self.n_components, X.shape[1]),
            init="pca" if len(X) >= X.shape[1] else "identity", max_iter=self.max_iter, random_state=seed,
        )  # fmt: skip
        return _signed(np.asarray(learner.fit(X, target.values).components_, dtype=np.float64))


def _moments(X: Floats) -> tuple[Floats, Floats]:
    """(p,) means and deviations of known numbers; a column that is constant, or empty, has an infinite deviation."""
    means, deviations = np.zeros(X.shape[1]), np.full(X.shape[1], np.inf)
    for f, column in enumerate(X.T):
        known = np.sort(column[~np.isnan(column)])  # added up in one order, whatever that of the cases
        size = float(np.abs(known).max(initial=0.0))
        if size > 0:
            known = known / size  # huge numbers have squares, too
            mean = known[0] + float((known - known[0]).mean())
            spread = size * float(np.sqrt(np.square(known - mean).mean()))
            means[f], deviations[f] = size * mean, spread if spread > 0 else np.inf
    return means, deviations


def _directions(symmetric: Floats) -> Floats:
    """(new, p) eigenvectors by descending eigenvalue, without those that are rounding."""
    values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
    kept = values > NEGLIGIBLE * max(float(values.max(initial=0.0)), 1e-300)
    if not kept.any():
        kept[-1] = True
    order = np.argsort(-values, kind="stable")
    return _signed(vectors.T[order[kept[order]]])


def _signed(axes: Floats) -> Floats:
    """The same axes, each with its largest part positive, so that they do not depend on the solver's choice."""
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    return np.ascontiguousarray(axes * np.where(largest < 0, -1.0, 1.0)[:, None])


def _free_names(prefix: str, count: int, taken: set[str]) -> tuple[str, ...]:
    while any(f"{prefix}{j}" in taken for j in range(1, count + 1)):
        prefix += "_"
    return tuple(f"{prefix}{j}" for j in range(1, count + 1))
