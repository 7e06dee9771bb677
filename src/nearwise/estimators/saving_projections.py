"""An estimator on feature projections as the content of a model file, and back: what is sorted is sorted again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearwise import __version__
from nearwise.cases.schema import as_kinds
from nearwise.cases.table import CaseTable
from nearwise.differences import resolve
from nearwise.differences.metric import check_settings
from nearwise.estimators.model import useful
from nearwise.estimators.projecting import Projecting
from nearwise.estimators.projection_model import ProjectionModel
from nearwise.estimators.projections import ProjectionClassifier, ProjectionRegressor
from nearwise.estimators.saving_measures import pack_measure, unpack_measures
from nearwise.estimators.saving_models import (
    functions_of,
    given_parameters,
    parameters_of,
    set_features_in,
    unpack_ids,
)
from nearwise.estimators.saving_weights import checked_weights, pack_weighting, unpack_weighting
from nearwise.search.threads import threads
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker
from nearwise.storage.tables import pack_table, pack_target, unpack_table, unpack_target
from nearwise.weighting import Problem

__all__ = ["PROJECTIONS", "pack_projections", "unpack_projections"]

PROJECTIONS: Mapping[str, type[Projecting]] = {e.__name__: e for e in (ProjectionClassifier, ProjectionRegressor)}


def pack_projections(pack: SettingsPacker, estimator: Projecting) -> dict[str, Any]:
    """What a file holds of a fitted estimator."""
    model = estimator._fitted()
    _check(estimator, model.table)
    measures = zip(model.problem.metric.measures, model.problem.cases.columns, strict=True)
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "nearwise": __version__,
        "estimator": type(estimator).__name__,
        "parameters": parameters_of(pack, estimator),
        "functions": functions_of(estimator, model.table),
        "features_in": [int(vars(estimator)["n_features_in_"]), None if names is None else [str(n) for n in names]],
        "table": pack_table(pack, model.table),
        "target": pack_target(pack, model.target),
        "ids": pack.array(model.ids),
        "next_id": int(model.next_id),
        "p": pack.value(model.problem.metric.p),
        "measures": [pack_measure(pack, *pair) for pair in measures],
        "weighting": pack_weighting(pack, estimator.weighting_),
        "weights": pack.named("feature_weights_", model.weights),
    }


def _check(estimator: Projecting, table: CaseTable) -> None:
    """Refuse parameters with which the model could not be asked, or not learn on."""
    estimator._check_parameters()
    check_settings(table.schema, estimator.differences, "range", estimator.missing, None, tell=False)
    as_kinds(estimator.schema)
    for name, kind in table.schema.items():
        resolve(name, kind, estimator.differences, "range")


def unpack_projections(unpack: SettingsUnpacker, content: dict[str, Any]) -> Projecting:
    """The fitted estimator that `pack_projections` described."""
    made = PROJECTIONS[str(content["estimator"])]
    estimator = made(**given_parameters(unpack, content["parameters"]))
    table = unpack_table(unpack, content["table"])
    target = unpack_target(unpack, content["target"], len(table), has_classes=made is ProjectionClassifier)
    _check(estimator, table)
    metric, cases = unpack_measures(unpack, content, table, target)
    problem = Problem(table, metric, cases, target)
    weights = checked_weights(unpack.value(content["weights"]), table, target)
    ids, next_id = unpack_ids(unpack, content, len(table))
    set_features_in(estimator, content["features_in"], table.schema)
    estimator.weighting_ = unpack_weighting(unpack, content["weighting"], weights, problem)
    estimator._set(ProjectionModel.of(problem, useful(weights), ids, next_id, threads(estimator.n_jobs)))
    return estimator
