"""An estimator by the name that the command line and the lab have for it: "default", "auto", or feature weights.

"projections" lets each feature vote by itself, with weights of its own method ("projections:gr"); "cfp" and "one-r" are
its baselines.
"""

from __future__ import annotations

from typing import Any

from nearwise.errors import InputError
from nearwise.estimators.auto import AutoClassifier, AutoRegressor
from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.one_rule import OneR
from nearwise.estimators.partitioning import FeaturePartitioning
from nearwise.estimators.projections import ProjectionClassifier, ProjectionRegressor
from nearwise.estimators.regressor import KNNRegressor

__all__ = ["AUTO", "DEFAULT", "FEATUREWISE", "PROJECTIONS", "by_name", "is_featurewise", "is_named"]

DEFAULT, AUTO, PROJECTIONS = "default", "auto", "projections"
"""the recipe of `KNNClassifier()` or `KNNRegressor()`; `AutoClassifier` or `AutoRegressor`; `ProjectionClassifier` or
`ProjectionRegressor`"""
FEATUREWISE = (PROJECTIONS, "cfp", "one-r")
"""estimators that search no cases: each feature answers by itself"""


def is_named(method: Any, name: str) -> bool:
    """Whether a method is this name; feature weights may be arrays, which cannot be compared with ==."""
    return isinstance(method, str) and method == name


def is_featurewise(method: Any) -> bool:
    """Whether a method is one in which each feature answers by itself.

    >>> is_featurewise("projections:gr"), is_featurewise("gr")
    (True, False)
    """
    return isinstance(method, str) and method.partition(":")[0] in FEATUREWISE


def by_name(
    method: Any, regression: bool = False, *, schema: Any = None, random_state: Any = None, **settings: Any
) -> Any:
    """An estimator that is not fitted yet: "default", "auto", "projections", or anything ``feature_weights`` takes.

    ``settings`` are further parameters of `KNNClassifier` or `KNNRegressor`; "auto" takes ``cost_matrix`` only.

    >>> by_name("default"), by_name("auto", regression=True), by_name("gr", n_neighbors=3)
    (KNNClassifier(), AutoRegressor(), KNNClassifier(feature_weights='gr', n_neighbors=3))
    >>> by_name("projections:none", n_neighbors=3)
    ProjectionClassifier(feature_weights='none', n_neighbors=3)
    """
    shared = {"schema": schema, "random_state": random_state}
    if is_named(method, AUTO):
        own = {name: settings.pop(name) for name in ("cost_matrix",) if name in settings and not regression}
        if settings:
            raise InputError(
                f"'auto' chooses how cases are compared and counted by itself, and {', '.join(settings)} was given: "
                "leave that out, or take 'default' or feature weights."
            )
        return (AutoRegressor if regression else AutoClassifier)(**shared, **own)
    if is_featurewise(method):
        return _featurewise(method, regression, shared, settings)
    weights = None if is_named(method, DEFAULT) else method
    make: Any = KNNRegressor if regression else KNNClassifier
    return make(feature_weights=weights, **shared, **settings)


def _featurewise(method: str, regression: bool, shared: dict[str, Any], settings: dict[str, Any]) -> Any:
    name, _, weights = method.partition(":")
    makers: dict[str, Any] = {"cfp": FeaturePartitioning, "one-r": OneR}
    make = makers.get(name, ProjectionRegressor if regression else ProjectionClassifier)
    if regression and name in makers:
        raise InputError(f"{name!r} predicts classes, and the target is a number: take 'projections'.")
    known = make._parameter_names()
    strange = [setting for setting in settings if setting not in known]
    if strange:
        raise InputError(f"{name!r} has no {', '.join(strange)}: leave that out, or take 'default' or feature weights.")
    if weights:
        settings = {"feature_weights": weights, **settings}
    return make(**{setting: value for setting, value in shared.items() if setting in known}, **settings)
