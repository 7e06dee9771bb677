"""Cases as a plain matrix of numbers, for learners of scikit-learn."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import cos, sin
from nearwise.cases.columns import Column
from nearwise.cases.kinds import Cyclic, Kind, Numeric, Ordinal, Symbolic, Vector
from nearwise.errors import InputError, MissingDependencyError, warn
from nearwise.weighting.base import Problem

__all__ = ["by_feature", "rank_matrix", "sklearn_module", "some_or_all"]

Array = NDArray[np.float64]


def sklearn_module(name: str, method: str) -> ModuleType:
    """A module of scikit-learn, loaded now; it is an optional package."""
    try:
        return import_module(f"sklearn.{name}")
    except ImportError:
        raise MissingDependencyError.of("scikit-learn", f"The weighting {method!r}", "sklearn") from None


def rank_matrix(problem: Problem, method: str) -> tuple[Array, NDArray[np.intp]]:
    """(n, d) columns for trees and (d,) the feature that each is made of.

    Numbers, levels and the parts of vectors are replaced by their rank among the values, which no tree can tell
    from them and which is exact in single precision; numbers on a circle give two columns, symbols one for each
    value. A missing value is NaN, a missing symbol 0 in all of its columns.
    """
    columns: list[Array] = []
    owners: list[int] = []
    for f, (name, kind) in enumerate(problem.table.schema.items()):
        made = _columns(problem.table.columns[f], kind, name, method)
        columns += made
        owners += [f] * len(made)
    return np.stack(columns, axis=1), np.array(owners, dtype=np.intp)


def _columns(column: Column, kind: Kind, name: str, method: str) -> list[Array]:
    if isinstance(kind, Symbolic):
        return [(column.values == code).astype(np.float64) for code in range(max(1, len(column.levels or ())))]
    if isinstance(kind, Ordinal):
        return [np.where(column.values < 0, np.nan, column.values.astype(np.float64))]
    if isinstance(kind, Cyclic):
        angle: Array = column.values.astype(np.float64) * (2 * np.pi / kind.period)
        return [_ranks(np.asarray(np.round(part, 12), dtype=np.float64)) for part in (sin(angle), cos(angle))]
    if isinstance(kind, Numeric):
        return [_ranks(column.values)]
    if isinstance(kind, Vector) and column.values.ndim == 2 and column.values.shape[1]:
        return [_ranks(part) for part in column.values.T]
    raise InputError(
        f"{method!r} needs numbers, levels, symbols or vectors, and feature {name!r} is {kind.name}: use 'mdw' or "
        f"'permutation', which work for any kind, or leave the feature out: ignore=[{name!r}]."
    )


def _ranks(values: Array) -> Array:
    out = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    out[known] = np.unique(values[known], return_inverse=True)[1]
    return out


def by_feature(scores: Array, owners: NDArray[np.intp], p: int) -> Array:
    """(p,) the sum over the columns of each feature."""
    return np.bincount(owners, weights=scores, minlength=p).astype(np.float64)


def some_or_all(weights: Array, method: str, why: str) -> Array:
    """The weights; where all are 0 every feature counts 1, with a warning."""
    if weights.any():
        return weights
    warn(f"{why}: {method!r} keeps every feature with weight 1.")
    return np.ones(len(weights))
