"""Predict by similar past cases, and know why.

::

    table of cases -> typed features -> differences -> weights -> search -> vote -> prediction + explanation
      cases/            cases/kinds     differences/   weighting/  search/   vote     estimators/, explain

Every stage is a folder or a file of that name; a stage imports only the stages before it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# public name -> where it lives; loaded when first asked for, so that `import nearwise` costs nothing
_PUBLIC = {
    "AutoClassifier": "nearwise.estimators.auto",
    "AutoRegressor": "nearwise.estimators.auto",
    "Ensemble": "nearwise.estimators.ensemble",
    "FeaturePartitioning": "nearwise.estimators.partitioning",
    "KNNClassifier": "nearwise.estimators.classifier",
    "KNNRegressor": "nearwise.estimators.regressor",
    "MDLDiscretizer": "nearwise.estimators.discretizer",
    "NearestCases": "nearwise.estimators.retrieval",
    "OneR": "nearwise.estimators.one_rule",
    "ProjectionClassifier": "nearwise.estimators.projections",
    "ProjectionRegressor": "nearwise.estimators.projections",
    "compare": "nearwise.lab.comparing",
    "date_parts": "nearwise.cases.dates",
    "fit_parquet": "nearwise.parts.fitting",
    "load": "nearwise.parts.loading",
    "read": "nearwise.cases.readers",
    "report": "nearwise.app.reporting.from_python",
    "Schema": "nearwise.cases.schema",
    **dict.fromkeys(
        ("Numeric", "Cyclic", "Symbolic", "Ordinal", "Text", "Set", "Vector", "Custom"), "nearwise.cases.kinds"
    ),
}
_STAGES = (
    "answers", "cases", "dask", "datasets", "differences", "errors", "estimators", "explain", "lab", "metrics", "parts",
    "representation", "search", "vote", "weighting", "weights",
)  # fmt: skip

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "Custom",
    "Cyclic",
    "Ensemble",
    "FeaturePartitioning",
    "KNNClassifier",
    "KNNRegressor",
    "MDLDiscretizer",
    "NearestCases",
    "Numeric",
    "OneR",
    "Ordinal",
    "ProjectionClassifier",
    "ProjectionRegressor",
    "Schema",
    "Set",
    "Symbolic",
    "Text",
    "Vector",
    "__version__",
    "compare",
    "date_parts",
    "fit_parquet",
    "load",
    "read",
    "report",
]

if TYPE_CHECKING:
    from nearwise.app.reporting.from_python import report
    from nearwise.cases.dates import date_parts
    from nearwise.cases.kinds import Custom, Cyclic, Numeric, Ordinal, Set, Symbolic, Text, Vector
    from nearwise.cases.readers import read
    from nearwise.cases.schema import Schema
    from nearwise.estimators.auto import AutoClassifier, AutoRegressor
    from nearwise.estimators.classifier import KNNClassifier
    from nearwise.estimators.discretizer import MDLDiscretizer
    from nearwise.estimators.ensemble import Ensemble
    from nearwise.estimators.one_rule import OneR
    from nearwise.estimators.partitioning import FeaturePartitioning
    from nearwise.estimators.projections import ProjectionClassifier, ProjectionRegressor
    from nearwise.estimators.regressor import KNNRegressor
    from nearwise.estimators.retrieval import NearestCases
    from nearwise.lab.comparing import compare
    from nearwise.parts.fitting import fit_parquet
    from nearwise.parts.loading import load


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        if _PUBLIC[name] in ("nearwise.cases.kinds", "nearwise.cases.schema"):
            import_module("nearwise.differences")  # so that a kind knows by which names it can be compared
        found = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = found
        return found
    if name in _STAGES:
        return import_module(f"nearwise.{name}")
    raise AttributeError(f"module 'nearwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public; names that this file needs itself are not."""
    return sorted({*__all__, *_STAGES, *(name for name in globals() if name.startswith("__"))})
