"""What Dask's frames and arrays hold, as blocks of cases: looked at where the client is, before anything is sent."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import InputError, did_you_mean

__all__ = ["aligned_blocks", "blocks_of", "columns_of", "computed", "is_lazy", "lengths_of"]


def is_lazy(X: Any) -> bool:
    """Whether this is a frame, a series or an array of Dask."""
    return hasattr(X, "to_delayed") and hasattr(X, "ndim")


def computed(X: Any) -> Any:
    return X.compute() if is_lazy(X) else X


def blocks_of(X: Any) -> list[Any]:
    """The partitions of a frame, or the blocks of rows of an array."""
    if not is_lazy(X):
        raise InputError(
            f"Expected a Dask frame or array, got a {type(X).__name__}: use dask.dataframe.from_pandas(X, "
            "npartitions=...), or nearwise.KNNClassifier for a table in memory."
        )
    if hasattr(X, "rechunk"):
        X = X.rechunk({1: -1}) if X.ndim == 2 else X
        return list(np.ravel(np.asarray(X.to_delayed(), dtype=object)))
    # columns that are not needed are left out, no more: Parquet read for one alone would come in fewer partitions
    return list((X.simplify() if hasattr(X, "simplify") else X).to_delayed(optimize_graph=False))


def cases_of(X: Any) -> list[Any]:
    """The blocks of a table of cases."""
    if is_lazy(X) and X.ndim != 2:
        raise InputError(
            f"Expected cases with two dimensions, got a {type(X).__name__} of Dask with {X.ndim}: take ddf[['column']] "
            "of a frame, and array.reshape(-1, 1) of an array."
        )
    return blocks_of(X)


def aligned_blocks(X: Any, **beside: Any) -> list[tuple[Any, ...]]:
    """The blocks of the cases, each with those of what stands beside them, None where that is None."""
    blocks = cases_of(X)
    columns = []
    for name, given in beside.items():
        if given is None:
            columns.append([None] * len(blocks))
            continue
        if not is_lazy(given):
            raise InputError(
                f"{name} is a {type(given).__name__} and no Series or array of Dask: give it with the partitions of X, "
                "or name a column of X."
            )
        if given.ndim == 2 and given.shape[1] != 1:
            raise InputError(f"{name} has {given.shape[1]} columns: expected one.")
        found = blocks_of(given)
        if len(found) != len(blocks):
            raise InputError(f"X has {len(blocks)} partitions and {name} has {len(found)}: give both the same.")
        columns.append(found)
    return list(zip(blocks, *columns, strict=True))


def lengths_of(X: Any) -> list[Any]:
    """How many cases each block has; NaN where nobody knows."""
    if hasattr(X, "chunks"):
        return list(X.chunks[0])
    return [np.nan] * X.npartitions


def columns_of(X: Any, *named: Any) -> tuple[Any, ...]:
    """The cases without the columns that are named, and these."""
    names = [name for name in named if isinstance(name, str)]
    absent = [name for name in names if name not in getattr(X, "columns", ())]
    if absent:
        raise InputError(f"There is no column {absent[0]!r}. {did_you_mean(absent[0], getattr(X, 'columns', ()))}")
    columns = [X[name] if isinstance(name, str) else name for name in named]
    return (X.drop(columns=names) if names else X), *columns
