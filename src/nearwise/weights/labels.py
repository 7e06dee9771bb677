"""Weights that come with labels: a mapping, a Series or a data frame goes by the names of the features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nearwise.errors import WeightShapeError, did_you_mean

__all__ = ["by_query", "has_rows", "is_frame", "labelled"]


def is_frame(given: Any) -> bool:
    """Whether this is a data frame with named columns, of whichever library."""
    if len(getattr(given, "shape", ())) != 2 or not hasattr(given, "columns"):
        return False
    return not _counts(given.columns)


def labelled(given: Any, features: Sequence[str]) -> list[Any] | None:
    """(p,) the weight of every feature, found by its name; None where what is given has no labels.

    A mapping may name some of the features, and the others get 1. A Series and a data frame with the columns
    ``feature`` and ``weight``, which `Weights.to_frame` gives, name them all. A Series that was never given labels
    (its index counts from 0) has none.

    >>> labelled({"job": 0}, ["age", "job"])
    [1.0, 0]
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif is_frame(given):
        pairs = _listed(given)
    elif _has_index(given):
        pairs = list(zip(list(given.index), list(given), strict=True))
    else:
        return None
    found = _checked(pairs, features)
    if not isinstance(given, Mapping):
        _refuse_missing(found, features)
    return [found.get(name, 1.0) for name in features]


def has_rows(given: Any) -> bool:
    """Whether there is one row of weights per query: two dimensions, and no list of features with their weights."""
    if is_frame(given):
        return not _is_listing(_taken_apart(given)[0])
    try:
        return not isinstance(given, Mapping) and np.ndim(given) == 2
    except ValueError:
        raise WeightShapeError("feature_weights is ragged: every row needs one number per feature.") from None


def by_query(given: Any, features: Sequence[str]) -> list[list[Any]]:
    """(m, p) the rows of a data frame with one column per feature, its columns in the order of the features."""
    names, rows = _taken_apart(given)
    _refuse_missing(_checked([(name, name) for name in names], features), features)
    places = [names.index(name) for name in features]
    return [[row[place] for place in places] for row in rows]


def _has_index(given: Any) -> bool:
    """Whether this is a pandas Series with labels of its own."""
    index = getattr(given, "index", None)
    return index is not None and not callable(index) and len(getattr(given, "shape", ())) == 1 and not _counts(index)


def _counts(index: Any) -> bool:
    """Whether an index of pandas only counts from 0, as it does where nobody gave one."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _listed(frame: Any) -> list[tuple[Any, Any]]:
    """(feature, weight) for every row of a frame that `Weights.to_frame` gave."""
    names, rows = _taken_apart(frame)
    if not _is_listing(names):
        raise WeightShapeError(
            "A data frame of feature_weights has two columns, 'feature' and 'weight', as to_frame() of global weights "
            f"has: got {', '.join(map(repr, names[:6]))}. Pass weights of another shape as the Weights object itself."
        )
    feature, weight = names.index("feature"), names.index("weight")
    return [(row[feature], row[weight]) for row in rows]


def _is_listing(names: list[Any]) -> bool:
    return sorted(map(str, names)) == ["feature", "weight"]


def _taken_apart(frame: Any) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """The names of the columns, and the rows."""
    import narwhals as nw

    try:
        found = nw.from_native(frame, eager_only=True)
        return list(found.columns), found.rows()
    except (TypeError, nw.exceptions.DuplicateError) as error:
        raise WeightShapeError(f"feature_weights cannot be read from this data frame ({error}). Pass a dict.") from None


def _checked(pairs: list[tuple[Any, Any]], features: Sequence[str]) -> dict[Any, Any]:
    """The weights by name, every one of them a feature and none of them twice."""
    found: dict[Any, Any] = {}
    for name, weight in pairs:
        if name not in features:
            raise WeightShapeError(
                f"feature_weights names {name!r}, no such feature. {did_you_mean(str(name), features)}"
            )
        if name in found:
            raise WeightShapeError(f"feature_weights names {name!r} twice: give one weight per feature.")
        found[name] = weight
    return found


def _refuse_missing(found: Mapping[Any, Any], features: Sequence[str]) -> None:
    absent = [name for name in features if name not in found]
    if absent:
        raise WeightShapeError(
            f"feature_weights has no weight for {absent[0]!r}: expected all of {len(features)} features, got "
            f"{len(found)}. Pass a dict to name only some, the others get 1."
        )
