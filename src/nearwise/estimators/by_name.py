"""An estimator by the name that the command line and the lab have for it: "default", "auto", or feature weights."""

from __future__ import annotations

from typing import Any

from nearwise.errors import InputError
from nearwise.estimators.auto import AutoClassifier, AutoRegressor
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.regressor import KNNRegressor

__all__ = ["AUTO", "DEFAULT", "by_name", "is_named"]

DEFAULT, AUTO = "default", "auto"
"""the recipe of `KNNClassifier()` or `KNNRegressor()`; `AutoClassifier` or `AutoRegressor`"""


def is_named(method: Any, name: str) -> bool:
    """Whether a method is this name; feature weights may be arrays, which cannot be compared with ==."""
    return isinstance(method, str) and method == name


def by_name(
    method: Any, regression: bool = False, *, schema: Any = None, random_state: Any = None, **settings: Any
) -> Any:
    """An estimator that is not fitted yet: for "default", for "auto", or for anything that ``feature_weights`` takes.

    ``settings`` are further parameters of `KNNClassifier` or `KNNRegressor`; "auto" takes none of them.

    >>> by_name("default"), by_name("auto", regression=True), by_name("gr", n_neighbors=3)
    (KNNClassifier(), AutoRegressor(), KNNClassifier(feature_weights='gr', n_neighbors=3))
    """
    if is_named(method, AUTO):
        if settings:
            raise InputError(
                f"'auto' chooses how cases are compared and counted by itself, and {', '.join(settings)} was given: "
                "leave that out, or take 'default' or feature weights."
            )
        return (AutoRegressor if regression else AutoClassifier)(schema=schema, random_state=random_state)
    weights = None if is_named(method, DEFAULT) else method
    make: Any = KNNRegressor if regression else KNNClassifier
    return make(feature_weights=weights, schema=schema, random_state=random_state, **settings)
