"""Weights, and the method that learned them with what it shows, as parts of a model file."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.contract.annotated import check_annotated
from nearwise.errors import ModelFileError
from nearwise.statistics.draws.seeds import seed_of
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.weighting import Problem, Weighting
from nearwise.weighting.user import UserWeights
from nearwise.weights import Forms, PerClass, PerQuery, PerValue, Weights

__all__ = ["checked_weights", "pack_weighting", "unpack_weighting"]

_LEARNED = re.compile(r"[a-z][a-z0-9_]*_")
"""what a weighting shows besides its weights: scale_, difference_in_, …"""


def pack_weighting(pack: SettingsPacker, weighting: Weighting) -> dict[str, Any]:
    """The method with its parameters, and what it learned besides its weights."""
    shown = {n: v for n, v in vars(weighting).items() if _LEARNED.fullmatch(n) and n not in ("weights_", "classes_")}
    learned = {name: pack.named(f"{weighting.id}.{name}", value) for name, value in shown.items()}
    return {"method": pack.named("feature_weights", weighting), "learned": learned}


def checked_weights(weights: Any, table: CaseTable, target: Target) -> Weights:
    """What a file has as weights; refused where they are not those of these features, cases and classes."""
    if not isinstance(weights, Weights) or isinstance(weights, PerQuery) or weights.features != table.schema.names:
        raise ModelFileError("the weights are not those of the features")
    if isinstance(weights, Forms) and len(weights.values) != 1:
        raise ModelFileError("the weights are those of queries")
    if weights.n_cases not in (None, len(table)):
        raise ModelFileError("the weights are not those of the cases")
    if isinstance(weights, PerClass | PerValue) and len(weights.classes) not in _class_counts(weights, target):
        raise ModelFileError("the weights are not those of the classes")
    if weights.importances.shape != (len(table.columns),) or not np.isfinite(weights.importances).all():
        raise ModelFileError("the weights are not numbers")
    return weights


def _class_counts(weights: Weights, target: Target) -> tuple[int, ...]:
    return (target.n_classes,) if isinstance(weights, PerClass) else (0, target.n_classes)


def unpack_weighting(unpack: SettingsUnpacker, found: Any, weights: Weights, problem: Problem) -> Weighting:
    """The method that learned these weights, as it was after it had."""
    target = problem.target
    weighting = unpack.value(found["method"])
    if not isinstance(weighting, Weighting):
        raise ModelFileError("there is no weighting")
    check_annotated(weighting)
    seed_of(getattr(weighting, "random_state", None))
    if isinstance(weighting, UserWeights):
        type(weighting)(weighting.weights).learn(problem)  # they are taken again when cases come or go
    for name, value in unpack.settings(found["learned"]).items():
        if not _LEARNED.fullmatch(name) or hasattr(type(weighting), name):
            raise ModelFileError(f"a weighting learns no {name!r}")
        setattr(weighting, name, value)
    weighting.weights_ = weights
    if target.classes is not None:
        weighting.classes_ = target.classes
    return weighting
